"""Who keeps the log long: found by the kernel's locks, and named by the doctor."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from mqtools.admin import log_checks
from mqtools.admin.findings import NOTICE, SOUND
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.store.log import log_readers

from ...mqi.children import kill, start_ready

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="there is no /proc/locks here, which lists the holders of locks"
)

#: Reads one state of the file until it is killed.
READER = """
connection = connect(path)
reader = connection.db.open_reader()
with reader.reading():
    reader.all("select count(*) from messages")
    print("reads", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def reader(connection: Connection, qmgr: str) -> Iterator[subprocess.Popen[str]]:
    connection.put1("Q", Message(b"before"))
    child = start_ready(READER, qmgr, says="reads")
    yield child
    kill(child)


def test_a_reader_of_an_old_state_is_found_with_what_it_keeps(
    connection: Connection, reader: subprocess.Popen[str]
) -> None:
    assert log_readers.find_readers(connection.db) == []
    connection.put1("Q", Message(bytes(100_000)))
    (found,) = log_readers.find_readers(connection.db)
    assert found.process.pid == reader.pid
    assert 100_000 < found.kept < 400_000


def test_a_reader_that_keeps_much_is_a_notice_with_its_process(
    connection: Connection, reader: subprocess.Popen[str]
) -> None:
    assert log_checks.check_readers(connection.db).state == SOUND
    for _ in range(6):
        connection.put1("Q", Message(bytes(2_000_000)))
    found = log_checks.check_readers(connection.db)
    assert found.state == NOTICE
    assert f"pid {reader.pid}" in found.what
    assert "MiB of the log" in found.what
    kill(reader)
    assert log_checks.check_readers(connection.db).state == SOUND


@pytest.mark.parametrize(
    ("marks", "moved", "first", "last", "kept"),
    [
        ([0, 5, 9, 9, 9], 0, 124, 124, 5),  # of 10 frames
        ([0, 10, 9, 9, 9], 0, 124, 124, 0),
        ([0, 0xFFFFFFFF, 9, 9, 9], 0, 124, 124, 0),
        ([0, 5, 9, 9, 9], 9, 123, 123, 10),
        ([0, 5, 9, 9, 9], 10, 123, 123, 0),
        ([0, 5, 9, 9, 9], 0, 128, 128, 0),
        ([0, 5, 3, 9, 9], 0, 124, 125, 7),
    ],
)
def test_what_a_mark_keeps(marks: list[int], moved: int, first: int, last: int, kept: int) -> None:
    found = log_readers._kept_by((10, 0, moved, *marks), [(7, first, last)])
    assert found == ({7: kept * 4120} if kept else {})
