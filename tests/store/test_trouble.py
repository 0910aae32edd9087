"""Failures of a file: a StorageError and no partial change, for SQLite's errors, damage and a full disk."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mqtools.constants.message import MQRO_COA_WITH_FULL_DATA, MQRO_DISCARD_MSG
from mqtools.constants.options import MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.constants.reasons import (
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_DAMAGED,
    MQRC_RESOURCE_PROBLEM,
    MQRC_STORAGE_MEDIUM_FULL,
    MQRC_UNEXPECTED_ERROR,
)
from mqtools.errors import MQError, StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.store import queues
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.open_database import open_database

from ..errors import fails
from .conftest import no_file_longer_than


@pytest.mark.parametrize("method", ["all", "one", "run", "number", "run_many"])
def test_an_error_of_sqlite_is_a_storage_error_with_its_cause(database, method):
    call = getattr(database, method)
    with pytest.raises(StorageError) as caught:
        call("insert into none values (?)", [(1,)]) if method == "run_many" else call("insert into none values (1)")
    assert caught.value.reason == MQRC_UNEXPECTED_ERROR
    assert isinstance(caught.value.__cause__, sqlite3.Error)


@pytest.mark.parametrize("value", ["\udcff", 1 << 63, object()], ids=["surrogate", "too large", "no value"])
def test_a_value_that_cannot_be_stored_is_a_storage_error(database, value):
    with pytest.raises(StorageError) as caught:
        database.one("select name from queues where name = ?", (value,))
    assert caught.value.reason == MQRC_UNEXPECTED_ERROR
    str(caught.value).encode("ascii")  # it can be shown anywhere


def test_a_file_opened_to_read_cannot_be_written(path):
    database = open_database(path, read_only=True)
    with fails(MQRC_NOT_AUTHORIZED):
        database.run("delete from messages")
    with fails(MQRC_NOT_AUTHORIZED), database.writing():
        database.run("delete from messages")
    database.close()


@pytest.fixture
def powerless() -> Iterator[int]:
    """The user id to work as: for the superuser, whom no mode stops, that of nobody."""
    user = os.geteuid() or 65534
    before = os.geteuid()
    yield user
    os.seteuid(before)


def test_a_folder_that_cannot_be_written_is_a_storage_error(powerless):
    with TemporaryDirectory() as folder:  # not below the superuser's own, where nobody may go
        file = Path(folder, "QM.db")
        create_database(str(file)).close()
        for each in (file, Path(folder)):
            os.chown(each, powerless, -1)
        os.chmod(folder, 0o500)
        os.seteuid(powerless)
        with fails(MQRC_NOT_AUTHORIZED), open_database(str(file)).writing():
            pass
        os.chmod(folder, 0o700)


def left_alone(file: Path, user: int) -> Path:
    """A file, and its folder, that are the user's, who may write neither."""
    for each in (file, file.parent):
        os.chown(each, user, -1)
        each.chmod(0o500)
    os.seteuid(user)
    return file


def test_a_copy_that_stands_alone_can_be_read_where_nothing_can_be_written(powerless):
    with TemporaryDirectory() as folder:
        file = Path(folder, "QM.db")
        create_database(str(file)).close()
        database = open_database(str(left_alone(file, powerless)), read_only=True)
        assert database.one("select count(*) from messages") == (0,)
        database.close()
        file.parent.chmod(0o700)


def test_a_copy_with_a_log_is_not_read_without_it(powerless, path, database):
    database.run("create table t (x)")
    with TemporaryDirectory() as folder:
        copy = Path(folder, "QM.db")
        for end in ("-wal", ""):
            Path(f"{copy}{end}").write_bytes(Path(f"{path}{end}").read_bytes())
        os.chown(f"{copy}-wal", powerless, -1)
        left_alone(copy, powerless)
        with fails(MQRC_NOT_AUTHORIZED):
            open_database(str(copy), read_only=True)
        copy.parent.chmod(0o700)


def test_a_run_folder_that_is_none_is_a_storage_error(path):
    Path(f"{path}-run").write_text("in the way")
    database = open_database(path)
    with fails(MQRC_NOT_AUTHORIZED), database.writing():
        pass
    database.close()


def test_a_file_held_by_another_program_is_busy(path, database, monkeypatch):
    monkeypatch.setattr("mqtools.store.database._BEGIN_TIMEOUT_S", 0.01)
    database.lock_timeout_s = 0
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    with fails(MQRC_RESOURCE_PROBLEM), database.writing():
        pass
    other.close()
    with database.writing():
        pass


@pytest.mark.parametrize("keep", [1, 100, 4096, 8192, 8193, 20_000, 40_000])
def test_a_truncated_file_gives_storage_errors_only(qmgr, keep):
    os.truncate(qmgr, keep)
    with fails(MQRC_OBJECT_DAMAGED):
        use(qmgr)


@pytest.mark.parametrize("filling", [b"\x00", b"\xff"], ids=["zeros", "ones"])
def test_a_damaged_page_gives_storage_errors_only(qmgr, filling):
    """Whichever page it is; some may not matter."""
    with connect(qmgr) as connection:
        for number in range(6):
            connection.put1("Q", Message(b"x" * 9000 * number))
    good = Path(qmgr).read_bytes()
    damaged = 0
    for page in range(len(good) // 8192):
        bad = good[: page * 8192] + (filling * 8192)[:8192] + good[(page + 1) * 8192 :]
        Path(qmgr).write_bytes(bad)
        damaged += reason_of(lambda: use(qmgr)) in (MQRC_OBJECT_DAMAGED, MQRC_UNEXPECTED_ERROR)
        for suffix in ("-wal", "-shm"):
            Path(qmgr + suffix).unlink(missing_ok=True)
    assert damaged > 5


def reason_of(call: Callable[[], object]) -> int:
    """Return the reason of the storage error that a call ends with, else 0."""
    try:
        call()
    except StorageError as error:
        return error.reason
    return 0


def use(path: str) -> None:
    """A little of everything; a queue that is not found is no wonder in a damaged file."""
    connection = connect(path)
    try:
        connection.put1("Q", Message(b"new"))
        handle = connection.open("Q", MQOO_INPUT_SHARED)
        for _ in range(7):
            handle.get(2)
        connection.commit()
    except StorageError:
        raise
    except MQError:
        return
    finally:
        connection.db.close()


# A full disk


def limit_pages(connection: Connection, more: int) -> None:
    pages = connection.db.all("pragma page_count")[0][0]
    connection.db.run(f"pragma max_page_count = {pages + more}")


def depths(connection: Connection) -> list[int]:
    return [row[0] for row in connection.db.all("select depth from queue_status order by queue_id")]


def test_a_full_disk_refuses_a_put_and_changes_nothing(connection):
    connection.put1("Q", Message(b"first"))
    limit_pages(connection, 0)
    message = Message(b"x" * 100_000)
    with fails(MQRC_STORAGE_MEDIUM_FULL):
        connection.put1("Q", message)
    assert depths(connection) == [1, 0]
    assert connection.open("Q", MQOO_INPUT_SHARED).get().message.data == b"first"
    limit_pages(connection, 10_000)
    connection.put1("Q", message)
    assert depths(connection) == [1, 0]


def test_a_full_disk_leaves_no_trace_of_a_connection_that_was_to_be_written_down(connection):
    limit_pages(connection, 0)
    with pytest.raises(StorageError):
        connection.put1("Q", Message(b"x" * 100_000), MQPMO_SYNCPOINT)
    assert_not_written_down(connection)
    limit_pages(connection, 10_000)
    connection.put1("Q", Message(b"held"), MQPMO_SYNCPOINT)
    connection.backout()
    assert depths(connection) == [0, 0]


def test_a_commit_that_fails_leaves_no_trace_of_a_connection_that_was_to_be_written_down(connection, monkeypatch):
    run = Database.run
    failures = [True]

    def fail_once(self: Database, statement: str, *parameters: object) -> int:
        if statement == "commit" and failures:
            failures.pop()
            raise StorageError("no space is left", MQRC_STORAGE_MEDIUM_FULL)
        return run(self, statement, *parameters)

    monkeypatch.setattr(Database, "run", fail_once)
    with pytest.raises(StorageError):
        connection.put1("Q", Message(b"held"), MQPMO_SYNCPOINT)
    assert_not_written_down(connection)
    connection.put1("Q", Message(b"held"), MQPMO_SYNCPOINT)
    connection.commit()
    assert depths(connection) == [1, 0]
    assert connection.db.all("select count(*) from messages where state = 1") == [(1,)]


def assert_not_written_down(connection: Connection) -> None:
    assert connection.id is None
    assert connection.db.all("select count(*) from holders") == [(0,)]
    assert sorted(os.listdir(connection.db.run_folder)) == ["turn", "writer"]


@pytest.mark.conformance("RPT-35")
@pytest.mark.parametrize("more_options", [0, MQRO_DISCARD_MSG], ids=["dead-letter", "discard"])
def test_a_message_and_its_report_are_put_together_or_not_at_all_wherever_the_disk_ends(connection, more_options):
    md = MQMD(report=MQRO_COA_WITH_FULL_DATA | more_options, reply_to_q="R")
    reasons = []
    for more in range(200):
        limit_pages(connection, more)
        reasons.append(reason_of(lambda: connection.put1("Q", Message(b"x" * 150_000, md))))
        if not reasons[-1]:
            break
        assert depths(connection) == [0, 0]
        assert connection.db.all("select count(*) from messages") == [(0,)]
    assert set(reasons[:-1]) == {MQRC_STORAGE_MEDIUM_FULL}
    assert depths(connection) == [1, 1]
    assert connection.db.all("select data_length from messages") == [(150_000,), (150_000,)]


# A disk that fails: SQLite undoes the transaction itself


def test_what_is_counted_in_a_transaction_that_sqlite_undoes_is_counted_nowhere(connection):
    connection.put1("Q", Message(b"first"))
    connection.db.run("pragma cache_size = 10")  # so that the log is written before the commit
    connection.db.next_look = float("inf")  # as below
    with no_file_longer_than(1 << 20), fails(MQRC_STORAGE_MEDIUM_FULL):
        connection.put_each("Q", [Message(b"x" * 200_000)] * 9)
    connection.put1("Q", Message(b"second"))
    assert depths(connection) == [2, 0]
    assert connection.db.all("select count(*) from messages") == [(2,)]


def test_definitions_that_could_not_be_committed_are_not_remembered(qmgr, connection):
    """The version of the file that they would have made is given to another change."""

    def alter_and_fill() -> None:
        with connection.work() as work:
            alter_queue(work, "QLOCAL", "Q", {"def_priority": 7})
            assert queues.by_name(work.db, "Q").def_priority == 7
            connection.put_each("Q", [Message(b"x" * 200_000)] * 2)

    connection.db.next_look = float("inf")  # no reserve is made, which would find the limit first
    with no_file_longer_than(1 << 18), pytest.raises(StorageError):
        alter_and_fill()
    with connect(qmgr) as other, other.work() as work:
        alter_queue(work, "QLOCAL", "Q", {"def_priority": 2})
    assert queues.by_name(connection.db, "Q").def_priority == 2


def test_the_writer_s_turn_is_given_up_after_an_error(path, database):
    with pytest.raises(StorageError), database.writing():
        database.run("insert into none values (1)")
    other = open_database(path)
    with other.writing():
        other.run("insert into waiters values (1, 1, 1, null, null, x'00')")
    other.close()
