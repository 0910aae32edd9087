"""The file of a queue manager: what it refuses to open, and what is left when it is closed."""

from __future__ import annotations

import gc
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.constants.reasons import (
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_DAMAGED,
    MQRC_Q_MGR_NAME_ERROR,
)
from mqtools.errors import NoMessageAvailable, StorageError
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import define_queue
from mqtools.store import sql_files
from mqtools.store.creation import create_database
from mqtools.store.database import SCHEMA_VERSION
from mqtools.store.open_database import open_database

from ..errors import fails
from .file_versions import refusal, set_version

# What is closed


@pytest.mark.parametrize("in_cycle", [False, True], ids=["counted", "collected"])
@pytest.mark.parametrize("writes", [False, True], ids=["read", "written"])
def test_a_connection_that_is_forgotten_leaves_a_complete_file(qmgr, recwarn, writes, in_cycle):
    connection = connect(qmgr)
    if writes:
        connection.put1("Q", Message(b"kept"))
    cycle = [connection]
    if in_cycle:
        cycle.append(cycle)
    del cycle, connection
    gc.collect()
    assert not os.path.exists(f"{qmgr}-wal")
    with connect(qmgr) as again, again.open("Q", MQOO_INPUT_SHARED) as handle:
        if writes:
            assert handle.get().message.data == b"kept"
    assert [str(warning.message) for warning in recwarn] == []


def test_connections_that_are_forgotten_together_leave_a_complete_file(qmgr, recwarn):
    cycle = [connect(qmgr), connect(qmgr)]
    for connection in cycle:
        connection.put1("Q", Message(b"kept"))
    cycle.append(cycle)
    del cycle, connection
    gc.collect()
    assert not os.path.exists(f"{qmgr}-wal")
    connect(qmgr).disconnect()
    assert [str(warning.message) for warning in recwarn] == []


def test_a_connection_that_is_forgotten_leaves_the_log_to_one_that_is_in_use(qmgr, recwarn):
    in_use = connect(qmgr)
    connect(qmgr).put1("Q", Message(b"kept"))
    gc.collect()
    with in_use, in_use.open("Q", MQOO_INPUT_SHARED) as handle:
        assert handle.get().message.data == b"kept"
    connect(qmgr).disconnect()
    assert [str(warning.message) for warning in recwarn] == []


def test_a_connection_that_is_forgotten_while_another_writes_waits_for_nobody(qmgr, recwarn):
    forgotten, writer = connect(qmgr), connect(qmgr)
    forgotten.put1("Q", Message(b"kept"))
    with writer.work():
        del forgotten
        gc.collect()
    writer.disconnect()
    connect(qmgr).disconnect()
    assert [str(warning.message) for warning in recwarn] == []


# What is opened


@pytest.mark.parametrize("read_only", [False, True], ids=["to write", "to read"])
def test_a_file_of_a_newer_version_is_refused_and_left_alone(path, read_only):
    set_version(path, SCHEMA_VERSION + 1)
    before = Path(path).read_bytes()
    error = refusal(path, read_only=read_only)
    assert error.reason == MQRC_OBJECT_DAMAGED
    assert f"schema {SCHEMA_VERSION + 1}" in error.text
    assert "newer" in error.text
    assert Path(path).read_bytes() == before
    assert set(os.listdir(os.path.dirname(path))) <= {"QM1.db", "QM1.db-wal", "QM1.db-shm"}  # no copy, no folder


def test_a_file_too_old_to_migrate_is_refused_and_left_alone(path):
    set_version(path, 0)
    before = Path(path).read_bytes()
    assert refusal(path).reason == MQRC_OBJECT_DAMAGED
    assert Path(path).read_bytes() == before
    assert os.listdir(os.path.dirname(path)) == ["QM1.db"]


def test_a_file_that_does_not_exist_is_not_made(tmp_path):
    assert refusal(str(tmp_path / "none.db")).reason == MQRC_Q_MGR_NAME_ERROR
    assert os.listdir(tmp_path) == []


def test_another_program_s_sqlite_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "other.db"
    sql = sqlite3.connect(path)
    sql.execute("create table t (x)")
    sql.close()
    before = path.read_bytes()
    assert refusal(str(path)).reason == MQRC_OBJECT_DAMAGED
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["other.db"]


@pytest.mark.parametrize("content", [b"", b"hello\n", b"SQLite format 3\0", b"\xff" * 8192], ids=len)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "text.db"
    path.write_bytes(content)
    assert refusal(str(path)).reason == MQRC_OBJECT_DAMAGED
    assert path.read_bytes() == content


def test_a_folder_is_refused(tmp_path):
    assert refusal(str(tmp_path)).reason == MQRC_OBJECT_DAMAGED


def test_a_path_that_exists_is_not_written_over(path):
    with fails(MQRC_Q_MGR_NAME_ERROR):
        create_database(path)


def test_a_file_in_a_folder_that_does_not_exist_cannot_be_made(tmp_path):
    with fails(MQRC_NOT_AUTHORIZED):
        create_database(str(tmp_path / "none" / "QM1.db"))


def test_a_file_whose_making_failed_is_not_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(sql_files, "read_sql", lambda name: "create table t (x); create nonsense;")
    with pytest.raises(StorageError):
        create_database(str(tmp_path / "QM1.db"))
    assert os.listdir(tmp_path) == []


def test_a_file_without_a_queue_manager_says_so(path):
    with fails(MQRC_OBJECT_DAMAGED):
        connect(path)


@pytest.mark.parametrize("name", ["a b&immutable=1.db", "100%3f.db", "a?mode=rwc.db", "a#b.db", "é.db"])
@pytest.mark.parametrize("read_only", [False, True], ids=["to write", "to read"])
@pytest.mark.parametrize("way", ["name", "/", "//"])
def test_any_file_name_can_be_opened(tmp_path, monkeypatch, name, read_only, way):
    monkeypatch.chdir(tmp_path)
    path = name if way == "name" else f"{way}{str(tmp_path / name).lstrip('/')}"  # two slashes name no host
    create_database(path).close()
    database = open_database(path, read_only=read_only)
    assert database.one("select count(*) from messages") == (0,)
    database.close()
    assert [found for found in os.listdir(tmp_path) if not found.startswith(name)] == []


# Who may read it


def test_only_the_owner_can_read_what_belongs_to_a_queue_manager(qmgr):
    before = os.umask(0)
    try:
        path = str(Path(qmgr).with_name("QM3.db"))
        queue_managers.create(path)
        with connect(path) as connection:
            with connection.work() as work:
                define_queue(work, "QLOCAL", "Q", {})
            handle = connection.open("Q", MQOO_INPUT_SHARED)
            with pytest.raises(NoMessageAvailable):
                handle.get(1, wait_ms=50)  # a wait makes the bell
            files = [*Path(path).parent.glob("QM3.db*"), *Path(f"{path}-run").iterdir()]
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in files}
    finally:
        os.umask(before)
    assert modes.pop("QM3.db-run") == 0o700
    assert {name.split("-")[0] for name in modes} == {"QM3.db", "turn", "writer", "life", "bell"}
    assert set(modes.values()) == {0o600}


def test_a_block_of_queries_sees_one_state(path, database):
    other = open_database(path)
    with database.reading():
        assert database.all("select count(*) from waiters") == [(0,)]
        with other.writing():
            other.run("insert into waiters values (1, 1, 1, null, null, x'00')")
        assert database.all("select count(*) from waiters") == [(0,)]
    assert database.all("select count(*) from waiters") == [(1,)]
    other.close()
