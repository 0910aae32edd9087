"""What is done fast leaves the same as what is done message by message: answers, rows, counters, journal, trash."""

from __future__ import annotations

import time

import pytest

from mqtools.mqi import identity, prepared_put
from mqtools.mqi.batch_delivery import BulkPut
from mqtools.mqi.put import put
from mqtools.mqi.resolution import resolve_for_put
from mqtools.operations.move import _Carrier
from mqtools.store.messages import relocation

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
    def put_alike(work, q_name, options):
        def put_one(message, holder_id):
            target = resolve_for_put(work.db, work.qmgr, q_name)
            return put(work, target, message, options, holder_id=holder_id)

        return put_one

    monkeypatch.setattr(prepared_put, "put_again", lambda *_: None)
    monkeypatch.setattr(prepared_put, "put_alike", put_alike)
    monkeypatch.setattr(BulkPut, "_is_ordinary", lambda *_: False)
    monkeypatch.setattr(_Carrier, "carry_run", lambda *_: 0)
    monkeypatch.setattr(relocation, "ordinary_sizes", lambda *_: {})
