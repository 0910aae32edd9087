"""The log beside the file: its length, and that the zeros that it is filled up with are no part of it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable

import pytest

from mqtools.admin.depths import depth
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.store.log.checkpoint import FULL_LENGTH, MANY


def put(connection: Connection, number: int, persistence: int = 1) -> None:
    for _ in range(number):
        connection.put1("Q", Message(b"x" * 100, MQMD(persistence=persistence)))


def length(path: str) -> int:
    return os.path.getsize(f"{path}-wal")


def test_a_connection_that_flushes_again_and_again_gives_the_log_its_full_length(qmgr):
    with connect(qmgr) as connection:
        put(connection, MANY - 1)
        assert 0 < length(qmgr) < FULL_LENGTH
        put(connection, 1)
        assert length(qmgr) == FULL_LENGTH


def test_the_log_is_used_anew_before_it_is_much_longer_than_that(qmgr):
    """Where it cannot be moved at once, that is tried again some hundred pages later (``checkpoint``)."""
    with connect(qmgr) as connection:
        put(connection, 500)
        assert FULL_LENGTH <= length(qmgr) < 1.25 * FULL_LENGTH
        assert depth(connection.db, "Q") == 500


@pytest.mark.parametrize("has_turn", [True, False])
def test_a_flush_waits_for_no_other_writer_and_lengthens_the_log_later(qmgr, has_turn):
    with connect(qmgr, lock_timeout=5) as connection, connect(qmgr) as other:
        put(connection, MANY)
        connection.db.file.is_long = False
        os.truncate(f"{qmgr}-wal", short := length(qmgr) // 2)
        stranger = sqlite3.connect(qmgr, isolation_level=None)
        if has_turn:
            other.db.begin_writing()
        else:
            stranger.execute("begin immediate")
        begun = time.monotonic()
        connection.db.sync()
        assert time.monotonic() - begun < 1
        assert length(qmgr) == short
        if has_turn:
            other.db.end_block(keep=False, writing=True)
        stranger.close()
        put(connection, 1)
        assert length(qmgr) == FULL_LENGTH


def test_what_needs_no_flush_does_not_lengthen_the_log(qmgr):
    with connect(qmgr) as connection:
        put(connection, 2 * MANY, persistence=0)
        assert length(qmgr) < FULL_LENGTH


def test_what_is_in_a_log_of_full_length_is_found_after_a_crash(qmgr, tmp_path):
    copy = str(tmp_path / "copy.db")
    with connect(qmgr) as connection:
        put(connection, MANY + 3)
        for end in ("", "-wal"):
            shutil.copyfile(qmgr + end, copy + end)
    with connect(copy) as recovered:
        assert depth(recovered.db, "Q") == MANY + 3
        put(recovered, 1)
        assert recovered.db.all("pragma integrity_check") == [("ok",)]


def _refused(*_: object) -> int:
    raise OSError(28, "No space left on device")


def _half(descriptor: int, data: bytes, offset: int, write: Callable[..., int] = os.pwrite) -> int:
    return write(descriptor, data[: len(data) // 2], offset)


@pytest.mark.parametrize("write", [_refused, _half])
def test_where_there_is_no_room_the_log_stays_as_short_as_it_was(qmgr, monkeypatch, write):
    with connect(qmgr) as connection:
        put(connection, MANY - 1)
        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", write)
            put(connection, 1)
        assert length(qmgr) < FULL_LENGTH // 4
        put(connection, MANY)
        assert depth(connection.db, "Q") == 2 * MANY


def test_a_transaction_that_is_open_is_not_disturbed(qmgr):
    with connect(qmgr) as connection, connection.db.writing():
        connection.db.run("update queues set q_desc = 'x'")
        for _ in range(MANY):
            connection.db.sync()
        assert connection.db.in_transaction
