"""The documented views: what they show, and that nothing but a query gets through."""

from __future__ import annotations

import re

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.names import name_of
from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQOO_BROWSE, MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_Q_MGR_NAME_ERROR, MQRC_SELECTION_STRING_ERROR
from mqtools.errors import StorageError
from mqtools.message import MQMD, Message, Property
from mqtools.mqi import identity
from mqtools.mqi.connection import connect
from mqtools.operations.load import load_messages
from mqtools.rules.attributes.table import attributes_of
from mqtools.store import holders, queues
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import CHUNK
from mqtools.store.open_database import open_database
from mqtools.store.scans import views as views_module
from mqtools.store.scans.views import open_views, query

from ...errors import fails

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
QUEUE_TYPES = ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE")


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    path = queue_managers.create("QM1")
    with connect("QM1") as connection:
        assert not run_mqsc(connection, "DEFINE QLOCAL(Q) MAXDEPTH(9)\nDEFINE QALIAS(A) TARGET(Q)").failed
    return path


@pytest.fixture
def connection(path):
    with connect(path, appl_name="tester", user_identifier="ana") as connection:
        yield connection


@pytest.fixture
def views(path):
    connection = open_views(path)
    yield connection
    connection.close()


def rows_of(views, statement):
    names, rows = query(views, statement)
    return [dict(zip(names, row, strict=True)) for row in rows]


# messages


def test_a_message_shows_its_place_its_descriptor_and_its_text(connection, views):
    sent = Message("héllo".encode(), MQMD(priority=7, correl_id=b"\xab" * 24, format="MQSTR", expiry=600))
    sent.properties["colour"] = Property(0x400, "red")
    connection.put1("Q", sent)
    (row,) = rows_of(views, "select * from messages")
    expected = {
        "qmgr": "QM1",
        "queue": "Q",
        "state": "unlocked",
        "priority": 7,
        "format": "MQSTR",
        "correl_id": "AB" * 24,
        "group_id": "00" * 24,
        "accounting_token": "00" * 32,
        "msg_id": sent.md.msg_id.hex().upper(),
        "put_appl_name": "tester",
        "data_length": 6,
        "data": "héllo".encode(),
        "text": "héllo",
    }
    assert {name: row[name] for name in expected} == expected
    assert 0 < row["expiry_s"] <= 60
    assert 0 < row["expiry"] <= 600
    assert TIME.fullmatch(row["put_at"])
    assert row["put_at"][:22] == row["arrived_at"][:22]
    assert rows_of(views, "select json_extract(properties, '$.colour.value') as v from messages") == [{"v": "red"}]
    assert rows_of(views, "select p.key from messages, json_each(properties) as p") == [{"key": "colour"}]


def test_the_expiry_is_never_more_than_that_of_the_put_even_if_its_clock_was_ahead(connection, views):
    identity.set_clock(identity.now_ms() + 5000)
    try:
        connection.put1("Q", Message(b"x", MQMD(expiry=600)))
    finally:
        identity.set_clock(None)
    assert rows_of(views, "select expiry, expiry_s from messages") == [{"expiry": 600, "expiry_s": 60.0}]


def test_a_message_that_was_loaded_is_put_when_its_descriptor_says(connection, views):
    for date in ("20261116", "20260230"):
        load_messages(connection, "Q", [Message(b"x", MQMD(put_date=date, put_time="08153025"))])
    first, second = rows_of(views, "select put_at, arrived_at from messages order by seq")
    assert (first["put_at"], TIME.fullmatch(first["arrived_at"]) is not None) == ("2026-11-16T08:15:30.250Z", True)
    assert second["put_at"] == second["arrived_at"]


def test_a_message_has_every_field_of_the_descriptor(views):
    names, _ = query(views, "select * from messages")
    assert set(MQMD.__slots__) <= set(names)
    assert len(set(names)) == len(names)


def test_time_without_limit_is_null_and_time_that_has_run_out_is_zero(connection, views):
    connection.put1("Q", Message(b"a"))
    connection.put1("Q", Message(b"b", MQMD(expiry=1)))
    connection.db.run("update messages set checksum = null, expires_at = put_at - 5 where expires_at is not null")
    assert rows_of(views, "select expiry, expiry_s from messages order by seq") == [
        {"expiry": -1, "expiry_s": None},
        {"expiry": 1, "expiry_s": 0.0},
    ]


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"", ""), (b"plain", "plain"), (b"\xff\xfe", None), (b"a\x00b", "a\x00b"), (b"\xe2\x82\xac", "€")],
)
def test_text_is_the_data_where_that_is_utf_8(connection, views, data, text):
    connection.put1("Q", Message(data))
    assert rows_of(views, "select data, text from messages") == [{"data": data, "text": text}]


def test_long_data_is_left_to_its_chunks(connection, views):
    connection.put1("Q", Message(b"x" * (CHUNK + 1)))
    (row,) = rows_of(views, "select seq, data, text, data_length from messages")
    assert (row["data"], row["text"], row["data_length"]) == (None, None, CHUNK + 1)
    pieces = query(views, "select data from main.message_chunks where seq = ? order by number", (row["seq"],))[1]
    assert b"".join(piece for (piece,) in pieces) == b"x" * (CHUNK + 1)


def test_a_query_sees_what_was_put_after_the_views_were_opened(connection, views):
    for depth in (1, 2):
        connection.put1("Q", Message(b"x"))
        assert list(query(views, "select count(*) from messages")[1]) == [(depth,)]


# queues


def test_a_queue_shows_its_counters(connection, views):
    connection.put1("Q", Message(b"x"))
    connection.put1("Q", Message(b"y"), MQPMO_SYNCPOINT)
    with connection.open("Q", MQOO_INPUT_SHARED):
        (row,) = rows_of(views, "select * from queues where type = 'QLOCAL'")
    expected = {
        "name": "Q",
        "depth": 2,
        "max_depth": 9,
        "uncommitted": 1,
        "open_input": 1,
        "open_output": 0,
    }
    assert {name: row[name] for name in expected} == expected
    assert TIME.fullmatch(row["last_put"])
    assert row["last_get"] is None


@pytest.mark.parametrize("object_type", QUEUE_TYPES)
def test_a_queue_shows_each_stored_attribute_of_its_type_and_null_for_the_rest(connection, views, object_type):
    run_mqsc(connection, f"DEFINE {object_type}(NEW)")
    (row,) = rows_of(views, "select * from queues where name = 'NEW'")
    assert row["type"] == object_type
    own = {item.name for item in attributes_of(object_type) if item.stored}
    every = {item.name for kind in QUEUE_TYPES for item in attributes_of(kind) if item.stored}
    stored = queues.read_all(connection.db, "NEW")
    assert {name: row[name] for name in every} == {name: stored[name] if name in own else None for name in every}


def test_an_alias_has_no_depth(views):
    assert rows_of(views, "select depth, max_depth, base_q_name from queues where name = 'A'") == [
        {"depth": None, "max_depth": None, "base_q_name": "Q"}
    ]


# locks


def test_locks_tell_who_holds_a_message_and_how(connection, views):
    connection.put1("Q", Message(b"one"))
    connection.put1("Q", Message(b"two"), MQPMO_SYNCPOINT)
    with connection.open("Q", MQOO_BROWSE | MQOO_INPUT_SHARED) as handle:
        handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        rows = rows_of(views, "select * from locks order by seq")
        joined = rows_of(views, "select state, kind from messages join locks using (queue, seq) order by seq")
    assert [(row["kind"], row["user"], row["application"]) for row in rows] == [
        ("handle", "ana", "tester"),
        ("unit of work", "ana", "tester"),
    ]
    assert all(row["lock_id"] is None and row["pid"] > 0 and TIME.fullmatch(row["since"]) for row in rows)
    assert [tuple(row.values()) for row in joined] == [
        ("locked_for_browse", "handle"),
        ("put_unconfirmed", "unit of work"),
    ]


def test_a_lock_and_a_confirm_on_one_message_are_two_rows(connection, views):
    connection.put1("Q", Message(b"one"))
    queue = queues.by_name(connection.db, "Q")
    common = {"user_identifier": "bob", "appl_name": "x", "pid": 1, "created_at": 0, "queue_id": queue.id}
    with connection.db.writing():
        (stored,) = messages.available(connection.db, queue.id)
        lock = holders.add(connection.db, "lock", {**common, "token": b"\x01" * 8, "lease_until": 1000})
        confirm = holders.add(connection.db, "confirm", {**common, "confirm_id": 77})
        messages.set_state(connection.db, stored, 4, confirm, lock)
    rows = rows_of(views, "select kind, lock_id, confirm_id, since, lease_until from locks order by kind")
    start = "1970-01-01T00:00:00.000Z"
    assert [tuple(row.values()) for row in rows] == [
        ("confirm", None, 77, start, None),
        ("lock", "01" * 8, None, start, "1970-01-01T00:00:01.000Z"),
    ]


# Only reading


@pytest.mark.parametrize(
    "statement",
    ["selec 1", "select nope from messages", "select 1; select 2", "select * from nowhere", "select '\x00'"],
)
def test_wrong_sql_is_an_error_of_ours_with_sqlites_words(views, statement):
    with pytest.raises(StorageError) as caught:
        list(query(views, statement)[1])
    assert caught.value.reason == MQRC_SELECTION_STRING_ERROR
    assert name_of("MQRC", caught.value.reason) == "MQRC_SELECTION_STRING_ERROR"


def test_an_error_met_while_reading_rows_is_ours_too(views):
    with pytest.raises(StorageError):
        query(views, "select 1 union all select json_extract('x', '$') ")


def test_a_query_that_takes_too_long_is_ended(views):
    endless = "with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) from t"
    with pytest.raises(StorageError, match="the query was ended after"):
        query(views, endless, timeout_s=0.001)
    assert list(query(views, "select 1")[1]) == [(1,)]


def test_rows_that_nobody_reads_keep_no_log(connection, views):
    connection.put1("Q", Message(b"one"))
    _, rows = query(views, "select seq from main.messages union all select 2")
    assert not views.in_transaction
    assert connection.db.one("pragma wal_checkpoint(truncate)")[0] == 0
    assert len(list(rows)) == 2


def test_many_rows_go_through_a_file(views, monkeypatch):
    monkeypatch.setattr(views_module, "_MOST_IN_MEMORY", 10)
    numbers = "with recursive t(x) as (select 1 union all select x + 1 from t where x < 50)"
    statement = f"{numbers} select x, x'00', null from t"
    assert list(query(views, statement)[1])[-1] == (50, b"\0", None)


@pytest.mark.parametrize(
    "statement",
    [
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < 3) select max(i) from n",
        "select count(*) + 3 from messages",
        "select 3 from pragma_table_info('messages') limit 1",
        "select length(:text)",
    ],
)
def test_queries_of_all_kinds_are_possible(views, statement):
    assert list(query(views, statement, {"text": "abc"} if ":" in statement else ())[1]) == [(3,)]


def test_the_tables_can_be_described(views):
    assert [row["name"] for row in rows_of(views, "pragma table_info(locks)")][:3] == ["queue", "seq", "msg_id"]


def test_a_file_that_nobody_has_open_can_be_read(path):
    open_database(path).close()
    views = open_views(path)
    assert rows_of(views, "select name from queues order by name") == [{"name": "A"}, {"name": "Q"}]
    views.close()


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with fails(MQRC_Q_MGR_NAME_ERROR):
        open_views(str(tmp_path / "NOPE.db"))
