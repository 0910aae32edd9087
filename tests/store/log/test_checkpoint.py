"""The log is moved into the file when it is long, and never while a flush has failed that was not made good."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi.connection import Connection, connect
from mqtools.store.file_warnings import StorageWarning
from mqtools.store.log import checkpoint, log_mark
from mqtools.store.maintenance import checkup, space
from mqtools.store.open_database import open_database
from mqtools.store.open_files import shared

from ...errors import fails

_LONG = b"x" * 100_000


@pytest.fixture
def connection(qmgr: str) -> Iterator[Connection]:
    with connect(qmgr) as connection:
        yield connection


def put(connection: Connection, data: bytes = b"short") -> None:
    connection.put1("Q", Message(data))


def pages(connection: Connection) -> int:
    """The pages that are in the log and not in the file."""
    frames, _, moved, *_ = shared(connection.db).read_index()
    return 0 if frames == moved else frames


def test_many_small_changes_leave_a_short_log(connection: Connection) -> None:
    most = 0
    for _ in range(400):
        put(connection)
        most = max(most, pages(connection))
    assert 900 < most < log_mark.MANY_PAGES
    assert os.path.getsize(f"{connection.db.real_path}-wal") < 1100 * 4120


@pytest.mark.parametrize("length", [1_000_000, 4_000_000])
def test_a_long_message_is_moved_with_its_own_commit(connection: Connection, length: int) -> None:
    put(connection, bytes(length))
    put(connection, bytes(length))
    assert os.path.getsize(f"{connection.db.real_path}-wal") < length + 1100 * 4120


def by_commits(connection: Connection) -> None:
    """Commit until the log would be moved."""
    for _ in range(60):
        put(connection, _LONG)


def by_a_low_reserve(connection: Connection) -> None:
    connection.db.is_room_low = True
    connection.db.next_look = float("inf")
    with connection.work() as work:
        work.db.run("update queues set name = name")


def by_compact(connection: Connection) -> None:
    with fails(MQRC_OBJECT_DAMAGED):
        space.compact(connection.db, lambda: None)


def by_the_end_of_a_writer(connection: Connection) -> None:
    connection.disconnect()


def by_the_end_of_a_reader(connection: Connection) -> None:
    reader = open_database(connection.db.path, read_only=True)
    connection.disconnect()
    reader.close()


@pytest.mark.parametrize(
    "way", [by_commits, by_a_low_reserve, by_compact, by_the_end_of_a_writer, by_the_end_of_a_reader]
)
def test_what_a_failed_flush_has_lost_does_not_get_into_the_file(
    connection: Connection, way: Callable[[Connection], None]
) -> None:
    path = Path(connection.db.real_path)
    for _ in range(8):
        put(connection, _LONG)
    assert 128 < pages(connection) < 500
    Path(f"{path}-unflushed").touch()
    lose(connection)
    before = bytes_of(path)
    way(connection)
    assert bytes_of(path) == before


def lose(connection: Connection) -> None:
    """Let the log be as it is read back after a failed flush: without a page in its middle."""
    with open(f"{connection.db.real_path}-wal", "r+b") as log:
        log.seek(32 + 100 * 4120 + 24)
        log.write(bytes(4096))


def bytes_of(path: Path) -> bytes:
    """The bytes of a file but for its mark, which a new log changes."""
    data = bytearray(path.read_bytes())
    data[60:64] = bytes(4)
    return bytes(data)


@pytest.mark.parametrize("way", ["moved", "ended", "compacted"])
def test_a_copy_of_the_log_of_before_is_not_used_with_a_file_of_after(
    connection: Connection, tmp_path: Path, way: str
) -> None:
    path, copy = connection.db.real_path, str(tmp_path / "copy.db")
    put(connection, b"got")
    shutil.copyfile(f"{path}-wal", f"{copy}-wal")
    connection.open("Q", MQOO_INPUT_SHARED).get()
    if way == "moved":
        by_commits(connection)
        assert pages(connection)
    elif way == "compacted":
        space.compact(connection.db, lambda: None)
    else:
        connection.disconnect()
    shutil.copyfile(path, copy)
    with pytest.warns(StorageWarning, match="foreign-1"), suppress(MQError):
        connect(copy).disconnect()
    checkup.accept_missing_log(copy)
    with connect(copy) as other:
        assert checkup.damage(other.db, thorough=True) == []
        assert other.db.one("select count(*) from messages where data = ?", (b"got",)) == (0,)


def test_a_reader_of_an_old_state_does_not_make_each_commit_move_the_log(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves: list[str] = []
    genuine = checkpoint.move
    monkeypatch.setattr(checkpoint, "move", lambda database, how: (moves.append(how), genuine(database, how))[1])
    reader = connection.db.open_reader()
    with reader.reading():
        reader.one("select count(*) from messages")
        for _ in range(100):
            put(connection, _LONG)
    reader.close()
    assert 2500 < pages(connection) < 5000
    assert len(moves) < 12
    put(connection, _LONG)
    for _ in range(20):
        put(connection, _LONG)
    assert pages(connection) < log_mark.MANY_PAGES, "it is used anew once nobody reads"


def test_a_log_that_is_whole_is_written_anew_and_moved(connection: Connection) -> None:
    note = Path(f"{connection.db.real_path}-unflushed")
    note.touch()
    by_commits(connection)
    assert not note.exists()
    assert pages(connection) < log_mark.MANY_PAGES
    assert checkup.damage(connection.db, thorough=True) == []
