"""The file of a queue manager of an older version: how it is brought to the present one."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import stat
from pathlib import Path

import pytest

from mqtools.admin import channels, kept_definitions
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP
from mqtools.constants.options import MQGMO_ALL_MSGS_AVAILABLE, MQGMO_LOGICAL_ORDER, MQOO_INPUT_SHARED
from mqtools.constants.reasons import (
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_DAMAGED,
    MQRC_STORAGE_MEDIUM_FULL,
)
from mqtools.errors import StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.mqi.trash_limits import Trash
from mqtools.operations.delete import delete_batch
from mqtools.operations.trash_contents import newest_versions, restore, select_trashed
from mqtools.store import objects, sql_files
from mqtools.store.database import SCHEMA_VERSION, Database
from mqtools.store.messages import checksums
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.open_database import open_database
from mqtools.store.scans.columnar import ColumnarDatabase
from mqtools.store.schema.migrations import migrate

from ..errors import fails
from ..rows import assert_counters, keys
from .conftest import no_file_longer_than
from .file_versions import refusal, set_version

STEPS = {1: "create table one (x);\ninsert into one values (1);\n", 2: "alter table one add column y"}


@pytest.fixture
def old(path, database):
    """A database of version 1."""
    set_version(path, 1)
    return database


#: The statements that take out again what the versions have made.
MADE = {
    2: (
        *(
            f"drop trigger {name}"
            for name in ("queues_made", "queues_altered", "queues_deleted", "qmgr_made", "qmgr_altered")
        ),
        "drop table definitions",
    ),
    3: ("alter table queue_status drop column high_depth",),
    4: (
        "drop table journal_ids",
        "drop table journal_queues",
        "create index journal_queue on journal (queue, event_seq)",
        *(
            f"alter table journal drop column {name}"
            for name in ("state_before", "state_after", "held_at", "undone", "detail")
        ),
        "drop table journal_pending",
        "create table journal_pending (number integer primary key, seq integer not null unique, event text not null,"
        " holder text not null, appl_name text not null, outcome integer not null, queue text not null,"
        " has_body integer not null) strict",
        *(f"alter table journal_status drop column {name}" for name in ("removed_at", "counted")),
        "drop table journal_levels",
        "drop table journal_orders",
        "drop table replays",
        *(f"alter table {name} drop column checksum" for name in ("messages", "trash", "journal")),
        *(f"alter table {name} rename column completeness to standing" for name in ("messages", "trash", "journal")),
    ),
    5: (
        "drop trigger messages_lock_changed",
        "drop trigger messages_locked_gone",
        "alter table queue_status drop column locked",
    ),
    6: (
        "drop table users",
        "drop table errors",
        "drop table once_keys",
        "drop index messages_delayed",
        *(f"alter table {name} drop column deliver_at" for name in ("messages", "trash", "journal")),
        "drop index holders_transactions",
        "pragma writable_schema = on",
        "update sqlite_schema set sql = replace(sql, ', ''transaction''', '') where name = 'holders'",
        "commit",
        "pragma writable_schema = reset",
    ),
    7: ("drop table origins",),
}


def make_old(path: str, version: int) -> None:
    """Take out of a file what was not there in an older version, and put in what was there from the beginning."""
    sql = sqlite3.connect(path)
    if sql.execute("select 1 from sqlite_master where name = 'messages_uncounted'").fetchone():
        sql.execute("drop trigger messages_uncounted")
        sql.executescript(sql_files.read_sql("groups.sql"))
    for later in sorted((each for each in MADE if each > version), reverse=True):
        for statement in MADE[later]:
            sql.execute(statement)
    sql.execute(f"pragma user_version = {version}")
    sql.close()


def schema_of(path: str) -> set[tuple[str, ...]]:
    sql = sqlite3.connect(path)
    found = sql.execute("select type, name, tbl_name, sql from sqlite_master").fetchall()
    sql.close()
    return {(*names, re.sub(r"\s+|--.*", "", text or "")) for *names, text in found}


@pytest.mark.parametrize("way", ["to write", "to read", "in columns"])
@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_a_queue_manager_of_an_older_version_is_brought_to_the_present_one_with_all_that_is_in_it(qmgr, version, way):
    if way == "in columns":
        pytest.importorskip("adbc_driver_sqlite")
    wanted = schema_of(qmgr)
    with connect(qmgr) as connection:
        connection.put1("Q", Message(b"kept"))
    make_old(qmgr, version)
    assert schema_of(qmgr) != wanted
    opened = open_database(
        qmgr, read_only=way != "to write", kind=ColumnarDatabase if way == "in columns" else Database
    )
    assert opened.one("select count(*), min(version) > 0 from definitions") == (1, 1)
    opened.close()
    assert schema_of(qmgr) == wanted
    with connect(qmgr) as connection:
        assert connection.open("Q", MQOO_INPUT_SHARED).get().message.data == b"kept"


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_an_older_file_goes_on_counting_the_groups_that_it_has(qmgr, version):
    with connect(qmgr) as connection:
        connection.put1("Q", in_group(1))
    make_old(qmgr, version)
    with connect(qmgr) as connection:
        connection.put1("Q", in_group(2, last=True))
        handle = connection.open("Q", MQOO_INPUT_SHARED)
        numbers = [
            handle.get(MQGMO_ALL_MSGS_AVAILABLE | MQGMO_LOGICAL_ORDER).message.md.msg_seq_number for _ in range(2)
        ]
        assert numbers == [1, 2]
        assert connection.db.one("select sum(grouped) from queue_status") == (0,)


def test_a_member_of_a_group_comes_back_from_the_trash_of_an_older_file(qmgr):
    with connect(qmgr) as connection:
        connection.trash = Trash(3600, 1 << 20)
        connection.put1("Q", in_group(1))
        delete_batch(connection, "Q", keys(connection, "Q"))
    make_old(qmgr, SCHEMA_VERSION - 1)
    with connect(qmgr) as connection:
        restore(connection, newest_versions(select_trashed(connection.db)))
    assert_counters(qmgr)


def in_group(number: int, *, last: bool = False) -> Message:
    flags = MQMF_LAST_MSG_IN_GROUP if last else MQMF_MSG_IN_GROUP
    return Message(b"x", MQMD(group_id=b"G" * 24, msg_seq_number=number, msg_flags=flags, version=2))


def test_a_file_with_a_mark_stays_migrated_when_the_migration_begins_its_log(qmgr):
    make_old(qmgr, SCHEMA_VERSION - 1)
    with sqlite3.connect(qmgr) as sql:
        sql.execute(f"pragma user_version = {4 << 8 | SCHEMA_VERSION - 1}")  # of a complete file
    sql.close()
    for _ in range(2):
        with connect(qmgr) as connection:
            assert connection.db.one("pragma user_version")[0] & 0xFF == SCHEMA_VERSION


def test_version_3_marks_the_commands_that_wait_and_makes_channels_of_those_of_clients(qmgr):
    kept = {"1511": 7, "3502": "words", "1615": 3, "9999": "unknown"}
    commands = "SYSTEM.ADMIN.COMMAND.QUEUE"
    with connect(qmgr) as connection:
        with connection.work() as work:
            alter_queue(work, "QLOCAL", commands, {"inhibit_get": 1})
            work.db.run(
                "insert into objects values ('client_channel', 'CLIENTS', ?), ('client_channel', 'SYSTEM.DEF.NONE', ?)",
                (json.dumps(kept), json.dumps({"1511": 6})),
            )
        connection.put1(commands, Message(b"who knows whose"))
        connection.put1("Q", Message(b"other"))
    make_old(qmgr, 2)
    with connect(qmgr) as connection:
        seq = connection.db.one("select seq from messages where data = ?", (b"who knows whose",))[0]
        assert objects.names(connection.db, "relayed_command") == [str(seq)]
        found = channels.find_channel(connection.db, "CLIENTS")
        shown = [found[name] for name in ("name", "channel_type", "channel_desc", "sharing_conversations")]
        assert shown == ["CLIENTS", 7, "words", 3]
        assert found["heartbeat_interval"] == 300
        assert channels.type_of(channels.find_channel(connection.db, "SYSTEM.DEF.NONE")) == "CLNTCONN"
        assert objects.names(connection.db, "client_channel") == []
        assert connection.db.all("select high_depth, depth from queue_status order by depth") == [
            (0, 0),
            (1, 1),
            (1, 1),
        ]


def test_version_6_keeps_listeners_and_services_by_the_numbers_of_pcf(qmgr):
    written = {
        "mqsc listener": {"PORT": ["1500"], "CONTROL": ["qmgr"], "TRPTYPE": ["TCP"], "LOCLNAME": ["X"]},
        "mqsc service": {"STARTCMD": ["/bin/x"], "SERVTYPE": ["SERVER"]},
    }
    with connect(qmgr) as connection, connection.work() as work:
        for kind, keywords in written.items():
            work.db.run("insert into objects values (?, 'KEPT', ?)", (kind, json.dumps(keywords)))
    make_old(qmgr, 5)
    with connect(qmgr) as connection:
        listener = kept_definitions.find(connection.db, "LISTENER", "KEPT")
        service = kept_definitions.find(connection.db, "SERVICE", "KEPT")
    assert (listener["port"], listener["control"], listener["backlog"]) == (1500, 0, 0)
    assert (service["startcmd"], service["servtype"], service["stopcmd"]) == ("/bin/x", 1, "")


def test_a_queue_manager_of_an_older_version_that_cannot_be_written_is_refused(qmgr):
    make_old(qmgr, 1)
    os.mkdir(f"{qmgr}.v1.bak")
    error = refusal(qmgr, read_only=True)
    assert error.reason == MQRC_NOT_AUTHORIZED
    assert "an older mqx" in error.text


def test_an_older_file_is_migrated_step_by_step_with_a_copy_beside_it(path, old):
    migrate(old, 1, 3, STEPS)
    assert old.one("pragma user_version") == (3,)
    assert old.all("select x, y from one") == [(1, None)]
    copy = sqlite3.connect(f"{path}.v1.bak")
    assert copy.execute("pragma user_version").fetchone() == (1,)
    assert copy.execute("select name from sqlite_master where name = 'one'").fetchall() == []
    assert copy.execute("select name from sqlite_master where name = 'messages'").fetchall() == [("messages",)]
    copy.close()
    assert stat.S_IMODE(os.stat(f"{path}.v1.bak").st_mode) == 0o600


def test_the_copy_has_what_is_still_in_the_log(path, old):
    with old.writing():
        old.run("insert into waiters values (7, 1, 1, null, null, x'00')")
    migrate(old, 1, 2, STEPS)
    copy = sqlite3.connect(f"{path}.v1.bak")
    assert copy.execute("select handle_id from waiters").fetchall() == [(7,)]
    copy.close()


def test_a_copy_of_before_is_written_over_and_is_its_owner_s(path, old):
    copy = Path(f"{path}.v1.bak")
    copy.write_bytes(b"no database" * 1000)
    copy.chmod(0o644)
    migrate(old, 1, 3, STEPS)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    sql = sqlite3.connect(copy)
    assert sql.execute("pragma user_version").fetchone() == (1,)
    sql.close()


def test_a_copy_for_which_there_is_no_room_is_not_left_behind(path, old):
    with no_file_longer_than(64_000), fails(MQRC_STORAGE_MEDIUM_FULL):
        migrate(old, 1, 3, STEPS)
    assert not os.path.exists(f"{path}.v1.bak")
    assert old.one("pragma user_version") == (1,)


def test_a_migration_that_another_process_has_made_is_not_made_again(path, old):
    migrate(old, 1, 3, STEPS)
    copy = Path(f"{path}.v1.bak").read_bytes()
    migrate(old, 1, 3, STEPS)
    assert Path(f"{path}.v1.bak").read_bytes() == copy
    assert not os.path.exists(f"{path}.v3.bak")
    assert old.all("select x from one") == [(1,)]


def test_a_migration_that_fails_changes_nothing(path, old):
    with pytest.raises(StorageError):
        migrate(old, 1, 3, {1: STEPS[1], 2: "alter table none add column y"})
    assert old.one("pragma user_version") == (1,)
    assert old.all("select name from sqlite_master where name = 'one'") == []
    migrate(old, 1, 3, STEPS)
    assert old.one("pragma user_version") == (3,)


def test_a_version_without_a_step_is_refused_before_anything_is_copied(path, old):
    with fails(MQRC_OBJECT_DAMAGED):
        migrate(old, 1, 3, {2: STEPS[2]})
    assert not os.path.exists(f"{path}.v1.bak")


def test_a_copy_that_cannot_be_made_stops_the_migration(path, old):
    os.mkdir(f"{path}.v1.bak")
    with fails(MQRC_NOT_AUTHORIZED):
        migrate(old, 1, 3, STEPS)
    assert old.one("pragma user_version") == (1,)


@pytest.mark.parametrize(("length", "known"), [(1024, 2612752044), (1025, 8898086256896196159)])
def test_checksums_are_those_of_files_that_were_written_before(length, known):
    md = MQMD(
        msg_id=b"M" * 24, correl_id=b"C" * 24, accounting_token=b"T" * 32, format="MQSTR", report=1 << 31,
        reply_to_q="R", put_appl_name="prög", put_date="20261120", put_time="12345678", priority=3, persistence=1,
        user_identifier="ana",
    )  # fmt: skip
    put_at = 1_764_300_000_000
    stored = StoredMessage(1, 1, 1, 0, 1, None, None, put_at + 999, put_at, '{"a": 1}', length, md)
    assert checksums.checksum(stored, b"x" * length) == known
