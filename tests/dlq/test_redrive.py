"""Redrive and summary: dead letters by group, and back to where they came from, as they were."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from mqtools.constants.properties import MQTYPE_INT32, MQTYPE_STRING
from mqtools.constants.reasons import (
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.dlq.letters import REDRIVE_COUNT, REDRIVE_LAST, letters
from mqtools.dlq.redrive import Balance, Plan, Redrive, plan
from mqtools.dlq.summary import FIELDS, LetterGroup, summarise
from mqtools.message import Message, Property
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.get.search import properties_of
from mqtools.operations.selection import EVERYTHING, Selection

from ..rows import queue_id
from .dead_letters import DLQ, FULL, OTHER, TO, bury, data_on, define, only, stored_on

ZOS = {"encoding": 785, "ccsid": 500}


def planned(connection: Connection, selection: Selection = EVERYTHING, **options: object) -> Plan:
    return plan(connection, DLQ, selection, **options)  # type: ignore[arg-type]


def redriven(connection: Connection, selection: Selection = EVERYTHING, **options: object) -> Balance:
    return Redrive(connection, planned(connection, selection, **options), say=lambda *_: None).run()


def groups(connection: Connection, by: Sequence[str]) -> list[LetterGroup]:
    return summarise(letters(connection.db, queue_id(connection, DLQ)), by)


@pytest.mark.parametrize("header", [{}, ZOS], ids=["little endian", "z/OS"])
def test_a_letter_is_again_what_it_was(conn: Connection, header: dict[str, int]) -> None:
    before = bury(
        conn,
        b"\x00\xff body",
        properties={"colour": Property(MQTYPE_STRING, "red")},
        correl_id=b"c" * 24,
        reply_to_q="REPLIES",
        appl_identity_data="me",
        put_appl_name="app",
        put_date="20200102",
        put_time="03040506",
        expiry=100_000,
        priority=7,
        **header,
    )
    assert redriven(conn).done == {(TO, "QM1"): 1}
    after, data = only(conn, TO)
    assert data == b"\x00\xff body"
    assert after.replace(expiry=before.expiry) == before  # its life goes on where it lies in the store
    assert stored_on(conn, TO)[0].expires_at is not None
    [stored] = stored_on(conn, TO)
    said = json.loads(stored.properties or "")
    assert said["colour"] == {"type": "string", "value": "red"}
    assert said[REDRIVE_COUNT] == {"type": "int32", "value": 1}
    assert said[REDRIVE_LAST]["value"].endswith("Z")
    assert data_on(conn, DLQ) == []


def test_each_goes_to_its_own_queue_and_what_fails_stays(conn: Connection) -> None:
    define(conn, "QLOCAL", "SHUT", inhibit_put=1)
    for to in (TO, FULL, OTHER, "NOPE", FULL, "SHUT", TO):
        bury(conn, to.encode(), to=to)
    said: list[object] = []
    balance = Redrive(conn, planned(conn), say=lambda *what: said.append(what)).run()
    assert balance.done == {(TO, "QM1"): 2, (OTHER, "QM1"): 1}
    assert balance.failed == {
        ((FULL, "QM1"), MQRC_Q_FULL): 2,
        (("NOPE", "QM1"), MQRC_UNKNOWN_OBJECT_NAME): 1,
        (("SHUT", "QM1"), MQRC_PUT_INHIBITED): 1,
    }
    assert said == list(balance.failed), "each target and reason is said once"
    assert [data[172:] for data in data_on(conn, DLQ)] == [FULL.encode(), b"NOPE", FULL.encode(), b"SHUT"]
    assert (data_on(conn, TO), data_on(conn, OTHER)) == ([TO.encode()] * 2, [OTHER.encode()])


def test_a_failure_in_a_unit_of_work_takes_nothing_else_with_it(conn: Connection) -> None:
    for number in range(250):
        bury(conn, b"%d" % number, to="NOPE" if number % 3 == 1 else TO)
    balance = redriven(conn)
    assert balance.done == {(TO, "QM1"): 167}
    assert balance.failed == {(("NOPE", "QM1"), MQRC_UNKNOWN_OBJECT_NAME): 83}
    assert data_on(conn, TO) == [b"%d" % number for number in range(250) if number % 3 != 1]
    assert len(data_on(conn, DLQ)) == 83


def test_all_of_it_can_go_to_one_queue(conn: Connection) -> None:
    bury(conn, b"1", to="NOPE")
    bury(conn, b"2", to=TO)
    assert redriven(conn, to=(OTHER, "")).done == {(OTHER, ""): 2}
    assert data_on(conn, OTHER) == [b"1", b"2"]


def test_what_is_no_dead_letter_or_would_come_back_stays(conn: Connection) -> None:
    define(conn, "QALIAS", "ROUND", base_q_name=DLQ)
    conn.put1(DLQ, Message(b"plain"))
    bury(conn, b"1", to=DLQ)
    bury(conn, b"2", to="ROUND")
    todo = planned(conn)
    assert (todo.work, todo.no_dlh, todo.loop, todo.staying) == ([], 1, 2, 3)
    assert redriven(conn).done == {}
    assert len(data_on(conn, DLQ)) == 3
    assert [stored.md.backout_count for stored in stored_on(conn, DLQ)] == [0, 0, 0]


def test_what_bounces_is_counted_and_left_in_the_end(conn: Connection) -> None:
    """What comes back while a redrive runs is not driven again by it."""
    bury(conn, b"stubborn", properties={REDRIVE_COUNT: Property(MQTYPE_INT32, 2)})
    bury(conn, b"new")
    bury(conn, b"forged", properties={REDRIVE_COUNT: Property(MQTYPE_STRING, "many")})
    assert [group.came_back for group in groups(conn, ["reason"])] == [1]
    todo = planned(conn, max_redrives=2)
    assert (len(todo.work), todo.stubborn) == (2, 1)
    assert redriven(conn, max_redrives=3).done == {(TO, "QM1"): 3}
    counts = [json.loads(stored.properties or "")[REDRIVE_COUNT]["value"] for stored in stored_on(conn, TO)]
    assert counts == [3, 1, 1]


def test_the_count_survives_the_way_back_to_the_dead_letter_queue(conn: Connection) -> None:
    bury(conn, b"1")
    redriven(conn)
    [stored] = stored_on(conn, TO)
    bury(conn, b"1", properties=properties_of(stored))
    assert redriven(conn, max_redrives=2).done == {(TO, "QM1"): 1}
    bury(conn, b"1", properties=properties_of(stored_on(conn, TO)[1]))
    assert planned(conn, max_redrives=2).stubborn == 1


def test_a_message_that_went_meanwhile_is_passed_over(conn: Connection) -> None:
    bury(conn, b"1")
    bury(conn, b"2")
    todo = planned(conn)
    with connect("QM1") as other, other.open(DLQ, 1) as handle:
        handle.get()
    balance = Redrive(conn, todo, say=lambda *_: None).run()
    assert (balance.done, balance.gone) == ({(TO, "QM1"): 1}, 1)
    assert data_on(conn, TO) == [b"2"]


def test_a_redrive_that_ends_half_way_leaves_each_message_on_one_queue(conn: Connection) -> None:
    for number in range(150):
        bury(conn, b"%d" % number)
    seen = 0

    def stop() -> None:
        nonlocal seen
        seen += 1
        if seen == 130:
            raise KeyboardInterrupt

    run = Redrive(conn, planned(conn), say=lambda *_: None, advance=stop)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    conn.backout()
    assert run.balance.done == {(TO, "QM1"): 100}
    assert data_on(conn, TO) == [b"%d" % number for number in range(100)]
    assert [data[172:] for data in data_on(conn, DLQ)] == [b"%d" % number for number in range(100, 150)]


def test_only_what_is_selected_is_redriven(conn: Connection) -> None:
    bury(conn, b"1")
    assert redriven(conn, Selection(reason=MQRC_PUT_INHIBITED)).done == {}
    assert redriven(conn, Selection(reason=MQRC_Q_FULL)).done == {(TO, "QM1"): 1}


# Groups


def test_groups_count_and_measure_the_largest_first(conn: Connection) -> None:
    bury(conn, b"12345", put_date="20260101", put_time="10000000")
    bury(conn, b"1", put_date="20260101", put_time="09000000")
    bury(conn, b"x", reason=MQRC_PUT_INHIBITED, put_date="20260103", put_time="00000000")
    conn.put1(DLQ, Message(b"plain"))
    found = groups(conn, ["reason"])
    assert [(group.key, group.count, group.bytes) for group in found] == [
        (("MQRC_Q_FULL",), 2, 2 * 172 + 6),
        (("MQRC_PUT_INHIBITED",), 1, 173),
        ((None,), 1, 5),
    ]
    assert (found[0].oldest, found[0].newest) == (1_767_258_000_000, 1_767_261_600_000)


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        (["destq"], {("A",), ("B",)}),
        (["destqm"], {("QM1",), ("QM2",)}),
        (["applname"], {("one",), ("two",)}),
        (["format"], {("MQSTR",), ("",)}),
        (["hour"], {("2026-01-01T10:00:00.000Z",), ("2026-01-01T11:00:00.000Z",)}),
        (["destq", "applname"], {("A", "one"), ("B", "two")}),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, list) else "",
)
def test_letters_are_grouped_by_each_field(conn: Connection, by: list[str], keys: set[tuple[str, ...]]) -> None:
    time = {"put_date": "20260101"}
    bury(conn, to="A", q_mgr="QM1", put_appl_name="one", format="MQSTR", put_time="10595999", **time)
    bury(conn, to="B", q_mgr="QM2", put_appl_name="two", format="", put_time="11000000", **time)
    assert {group.key for group in groups(conn, by)} == keys


def test_what_has_no_header_is_one_group_whatever_the_field(conn: Connection) -> None:
    conn.put1(DLQ, Message(b"1"))
    conn.put1(DLQ, Message(b"2"))
    for name in FIELDS:
        assert [(group.key, group.count) for group in groups(conn, [name])] == [((None,), 2)]


def test_what_is_committed_is_counted_before_anything_else_can_happen(conn: Connection) -> None:
    counts = []

    @contextmanager
    def settling() -> Iterator[None]:
        before = sum(run.balance.done.values())
        yield
        counts.append((before, sum(run.balance.done.values()), len(stored_on(conn, TO))))

    for body in (b"a", b"b"):
        bury(conn, body)
    run = Redrive(conn, planned(conn), say=lambda *_: None, settling=settling)
    run.run()
    assert counts == [(0, 2, 2)]
