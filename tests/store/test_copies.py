"""A copy is one state of the file, made in steps, between which programs write and the copy can be ended."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqtools.admin import backup, depths
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.store.maintenance import copies
from mqtools.store.open_database import open_database


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_STEP", 8)


def test_what_is_put_while_it_is_made_is_not_in_it_and_does_not_begin_it_anew(qmgr: str, tmp_path: Path) -> None:
    told = []
    with connect(qmgr) as connection:
        connection.put1("Q", Message(bytes(200_000)))

        def put(done: int, total: int) -> None:
            told.append((done, total))
            connection.put1("Q", Message(b"later"))

        result = backup.back_up(qmgr, str(tmp_path / "copy.db"), progress=put)
        assert depths.depth(connection.db, "Q") == 1 + len(told)
    assert result.messages == 1
    assert [done for done, _ in told] == sorted({done for done, _ in told}), "no page is copied twice"
    assert len(told) > 5
    assert told[-1] == (result.size, result.size)


def test_it_can_be_ended_between_two_steps_and_leaves_nothing(qmgr: str, tmp_path: Path) -> None:
    def end(_: int, __: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backup.back_up(qmgr, str(tmp_path / "copy.db"), progress=end)
    assert not [name for name in os.listdir(tmp_path) if "copy" in name]
    reader = open_database(qmgr, read_only=True)
    try:
        assert reader.one("select count(*) from messages") == (0,)
    finally:
        reader.close()
