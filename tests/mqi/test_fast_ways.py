"""What is done fast leaves the same as what is done message by message: answers, rows, counters, journal, trash."""

from __future__ import annotations

import time

import pytest

from mqtools.mqi import identity
from mqtools.mqi.bulk_put import BulkPut
from mqtools.operations.move import _Carrier

from ..copied import three_queues
from .conftest import QM
from .programs import Program

STEPS = 60


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_do_the_same_fast_and_message_by_message(tmp_path, monkeypatch, seed):
    begun, found = time.time_ns(), []
    now = [begun]
    monkeypatch.setattr(time, "time_ns", lambda: now[0])
    for way in ("fast", "single"):
        if way == "single":
            leave_out_the_fast_ways(monkeypatch)
        now[0] = begun
        monkeypatch.setattr(identity, "_last_ns", 0)  # from which new identifiers follow
        (tmp_path / way).mkdir()
        qm = QM(three_queues(str(tmp_path / way / "QM1.db")))
        program = Program(qm, seed, now)
        program.run(STEPS)
        found.append([*program.answers, program.content()])
        for q_name in ("Q", "R", "J"):
            qm.data(q_name)  # with the right checksums
        for connection in qm.connections:
            connection.disconnect()
    for fast, single in zip(*found, strict=True):
        assert fast == single


def leave_out_the_fast_ways(monkeypatch):
    monkeypatch.setattr(BulkPut, "_is_ordinary", lambda *_: False)
    monkeypatch.setattr(_Carrier, "carry_run", lambda *_: 0)
    monkeypatch.setattr("mqtools.store.messages.relocation.ordinary_sizes", lambda *_: {})
