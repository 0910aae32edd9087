"""The running handler, over real queues: what it takes, puts, leaves, counts and says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import options as mq
from mqtools.constants.message import MQRO_COA
from mqtools.constants.properties import MQCOPY_ALL, MQCOPY_NONE, MQCOPY_REPLY, MQTYPE_INT32, MQTYPE_STRING
from mqtools.constants.reasons import (
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.dlq import restriction
from mqtools.dlq.restriction import Restriction
from mqtools.dlq.target import input_queue
from mqtools.headers.chain import strip_xqh
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.resolution import find_queue
from mqtools.operations.selection import Selection, select
from mqtools.operations.stored_messages import load_data

from ..errors import fails
from .dead_letters import DLQ, FULL, OTHER, TO, Clock, alter, bury, data_on, define, once, only, run, stored_on

# Which queue


@pytest.mark.conformance("BEY-69")
def test_no_name_at_all_is_an_error_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    queue_managers.create("QM1")
    with connect("QM1") as connection, fails(MQRC_UNKNOWN_OBJECT_NAME) as caught:
        input_queue(connection, None, None)
    assert "DEADQ" in caught.value.text
    assert caught.value.hint is not None


# What each action does


@pytest.mark.conformance("BEY-70")
def test_the_first_rule_that_matches_is_applied(conn: Connection) -> None:
    bury(conn, b"for 1", to=TO)
    bury(conn, b"for 2", to=OTHER)
    totals, _ = once(conn, f"DESTQ({TO}) ACTION(DISCARD)", "REASON(MQRC_Q_FULL) ACTION(RETRY)", "ACTION(IGNORE)")
    assert (data_on(conn, TO), data_on(conn, OTHER), data_on(conn, DLQ)) == ([], [b"for 2"], [])
    assert totals.hits == {1: 1, 2: 1, 3: 0}


@pytest.mark.conformance("BEY-71")
def test_each_action_does_what_it_says(conn: Connection) -> None:
    for letter in ("D", "I", "R", "F"):
        bury(conn, letter.encode(), appl_identity_data=letter)
    totals, said = once(
        conn,
        "APPLIDAT(D) ACTION(DISCARD)",
        "APPLIDAT(I) ACTION(IGNORE)",
        "APPLIDAT(R) ACTION(RETRY)",
        f"APPLIDAT(F) ACTION(FWD) FWDQ({OTHER}) HEADER(NO)",
    )
    assert (data_on(conn, TO), data_on(conn, OTHER)) == ([b"R"], [b"F"])
    [ignored] = stored_on(conn, DLQ)
    assert (ignored.md.appl_identity_data, ignored.md.backout_count) == ("I", 1)
    assert totals.handled == {"RETRY": 1, "FWD": 1, "DISCARD": 1}
    assert totals.left == {"put_failed": 0, "no_dlh": 0, "no_rule": 0, "loop": 0, "ignored": 1}
    assert (totals.seen, totals.unhandled, said) == (4, 0, [])


@pytest.mark.conformance("BEY-72")
@pytest.mark.parametrize("action", ["ACTION(FWD) FWDQ(&DESTQ) FWDQM(&DESTQM) HEADER(NO)", "ACTION(RETRY)"])
def test_another_queue_manager_is_reached_through_its_transmission_queue(conn: Connection, action: str) -> None:
    define(conn, "QLOCAL", "QM2", usage=1)
    own = bury(conn, to="THERE", q_mgr="QM2")
    once(conn, action)
    md, data = strip_xqh(*only(conn, "QM2"))
    assert (data, md.msg_id, md.format) == (b"hello", own.msg_id, "MQSTR")


# Header, context, properties

CONTEXT: dict[str, Any] = {
    "report": MQRO_COA,
    "reply_to_q": OTHER,
    "reply_to_q_mgr": "QM1",
    "msg_type": 1,
    "feedback": 275,
    "priority": 7,
    "persistence": 1,
    "msg_id": b"M" * 24,
    "correl_id": b"C" * 24,
    "user_identifier": "ana",
    "accounting_token": b"T" * 32,
    "appl_identity_data": "identity",
    "put_appl_type": 11,
    "put_appl_name": "amqsput",
    "put_date": "20010203",
    "put_time": "04050607",
    "appl_origin_data": "orig",
    "group_id": b"G" * 24,
    "msg_seq_number": 3,
    "msg_flags": 24,
}
MACHINES = [
    pytest.param(546, 1208, id="little-endian"),
    pytest.param(273, 819, id="big-endian"),
    pytest.param(785, 500, id="EBCDIC 500"),
    pytest.param(785, 1047, id="EBCDIC 1047"),
]


@pytest.mark.conformance("BEY-74")
@pytest.mark.parametrize(("encoding", "ccsid"), MACHINES)
def test_a_retry_gives_back_the_message_as_it_was(conn: Connection, encoding: int, ccsid: int) -> None:
    own = bury(conn, b"\x00body\xff", encoding=encoding, ccsid=ccsid, **CONTEXT)
    totals, said = once(conn, f"REASON(MQRC_Q_FULL) DESTQ({TO}) FORMAT(MQSTR) USERID('ana') ACTION(RETRY)")
    assert (totals.handled["RETRY"], said, data_on(conn, DLQ)) == (1, [], [])
    assert only(conn, TO) == (own, b"\x00body\xff")


@pytest.mark.conformance("BEY-73")
@pytest.mark.parametrize(("encoding", "ccsid"), MACHINES)
@pytest.mark.parametrize("header", ["", "HEADER(YES)", "HEADER(NO)"])
def test_a_forward_keeps_the_header_unless_told_and_all_the_context(
    conn: Connection, encoding: int, ccsid: int, header: str
) -> None:
    own = bury(conn, encoding=encoding, ccsid=ccsid, **CONTEXT)
    dead = only(conn, DLQ)
    once(conn, f"ACTION(FWD) FWDQ({OTHER}) {header}")
    # The one without its header has asked for a report of its arrival, which lies there as well.
    [moved, *reports] = sorted(stored_on(conn, OTHER), key=lambda stored: stored.md.msg_type)
    assert len(reports) == (header == "HEADER(NO)")
    expected = (own, b"hello") if header == "HEADER(NO)" else dead
    assert (moved.md, load_data(conn, moved.seq)) == expected


@pytest.mark.parametrize("retried", [True, False])
def test_properties_go_with_the_message_and_a_forward_leaves_what_is_not_to_be_forwarded(
    conn: Connection, retried: bool
) -> None:
    properties = {
        "colour": Property(MQTYPE_STRING, "red"),
        "private": Property(MQTYPE_INT32, 5, copy_options=MQCOPY_NONE),
        "answer": Property(MQTYPE_INT32, 6, copy_options=MQCOPY_REPLY),
        "common": Property(MQTYPE_INT32, 7, copy_options=MQCOPY_ALL),
    }
    bury(conn, properties=dict(properties))
    once(conn, "ACTION(RETRY)" if retried else "ACTION(FWD) FWDQ(&DESTQ)")
    with conn.open(TO, mq.MQOO_BROWSE) as handle:
        kept = handle.get(mq.MQGMO_BROWSE_FIRST).message.properties
    assert kept == (properties if retried else {name: properties[name] for name in ("colour", "common")})


def test_the_remaining_expiry_goes_on_counting(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns()
    monkeypatch.setattr("time.time_ns", lambda: now)
    bury(conn, expiry=36000)
    [before] = stored_on(conn, DLQ)
    now += 60 * 10**9
    once(conn, "ACTION(RETRY)")
    [after] = stored_on(conn, TO)
    assert before.expires_at is not None
    assert after.expires_at is not None
    assert abs(after.expires_at - before.expires_at) <= 100


def test_an_expired_message_is_gone_and_nothing_is_said_of_it(conn: Connection) -> None:
    bury(conn, expiry=36000)
    conn.db.run("update messages set checksum = null, expires_at = 1")
    totals, said = once(conn, "ACTION(RETRY)")
    assert (totals.seen, said, data_on(conn, DLQ), data_on(conn, TO)) == (0, [], [], [])


def test_a_long_message_is_moved_whole(conn: Connection) -> None:
    data = bytes(range(256)) * 4000
    bury(conn, data)
    once(conn, "ACTION(RETRY)")
    assert data_on(conn, TO) == [data]


def test_names_padded_with_nul_deliver_trimmed_and_a_plain_name_warns(conn: Connection) -> None:
    bury(conn, to=TO.ljust(48))
    [stored] = stored_on(conn, DLQ)
    data = bytearray(load_data(conn, stored.seq))
    data[12:60] = TO.encode().ljust(48, b"\0")
    conn.db.run("update messages set checksum = null, data = ? where seq = ?", (bytes(data), stored.seq))
    totals, said = once(conn, f"DESTQ({TO}) ACTION(DISCARD)", f"DESTQ({TO}*) ACTION(RETRY)")
    assert (totals.hits, data_on(conn, TO)) == ({1: 0, 2: 1}, [b"hello"])
    assert len(said) == 1
    assert said[0].startswith("DESTQ of message")


# What stays


@pytest.mark.conformance("BEY-77")
def test_what_is_no_dead_letter_stays_and_is_reported_once(conn: Connection, clock: Clock) -> None:
    plain = Message(b"plain")
    conn.put1(DLQ, plain)
    for damaged in (b"DLH " + b"\0" * 200, b"short"):  # a put refuses these: they come from elsewhere
        letter = Message(damaged)
        conn.put1(DLQ, letter)
        conn.db.run("update messages set checksum = null, format = 'MQDEAD' where msg_id = ?", (letter.md.msg_id,))
    totals, said = run(conn, "WAIT(25) RETRYINT(1)\nACTION(DISCARD)", clock=clock)
    assert (totals.left["no_dlh"], totals.unhandled, totals.hits) == (3, 3, {2: 0})
    assert [line.split(":")[0] for line in said] == ["AMQ8721"] * 3
    assert plain.md.msg_id.hex().upper() in said[0]
    assert len(clock.sleeps) > 1  # it was scanned more than once
    assert [stored.md.backout_count for stored in stored_on(conn, DLQ)] == [1, 1, 1]


@pytest.mark.conformance("BEY-70")
def test_a_message_that_no_rule_matches_is_only_backed_out(conn: Connection) -> None:
    bury(conn)
    md, data = only(conn, DLQ)
    totals, said = once(conn, "REASON(MQRC_PUT_INHIBITED) ACTION(DISCARD)")
    assert (totals.left["no_rule"], totals.unhandled, said) == (1, 1, [])
    assert only(conn, DLQ) == (md.replace(backout_count=1), data)


@pytest.mark.conformance("BEY-71")
def test_a_put_that_fails_leaves_the_message_backed_out(conn: Connection) -> None:
    bury(conn, to="NOWHERE")
    totals, said = once(conn, "ACTION(RETRY)")
    assert (totals.left["put_failed"], totals.handled["RETRY"]) == (1, 0)
    assert only(conn, DLQ)[0].backout_count == 1
    assert len(said) == 1
    assert all(word in said[0] for word in ("AMQ8722", "line 1", "NOWHERE", "MQRC_UNKNOWN_OBJECT_NAME 2085"))


def test_a_failure_that_the_header_tells_already_is_not_said_again(conn: Connection) -> None:
    bury(conn, to=FULL)
    assert once(conn, "ACTION(RETRY)")[1] == []
    [line] = once(conn, f"ACTION(FWD) FWDQ({FULL}) HEADER(NO)")[1]
    assert "MQRC_Q_FULL 2053" in line


def test_a_put_that_succeeds_with_a_warning_counts_as_failed(conn: Connection) -> None:
    bury(conn, report=0x00000008)  # an option nobody knows, of those that are accepted with a warning
    totals, said = once(conn, "ACTION(RETRY)")
    assert totals.left["put_failed"] == 1
    assert "MQRC_UNKNOWN_REPORT_OPTION" in said[0]
    assert (data_on(conn, TO), len(data_on(conn, DLQ))) == ([], 1)


@pytest.mark.parametrize("rule", [f"ACTION(FWD) FWDQ({DLQ})", "ACTION(FWD) FWDQ(ALIAS)", "ACTION(RETRY)"])
def test_a_put_to_the_queue_that_is_read_leaves_the_message_and_is_said_once(
    conn: Connection, clock: Clock, rule: str
) -> None:
    define(conn, "QALIAS", "ALIAS", base_q_name=DLQ)
    bury(conn, b"1", to="ALIAS")
    bury(conn, b"2", to="ALIAS")
    before = [stored.md.replace(backout_count=1) for stored in stored_on(conn, DLQ)]
    totals, said = run(conn, f"WAIT(NO)\n{rule}", clock=clock)
    assert (totals.left["loop"], totals.unhandled, len(said)) == (2, 2, 1)
    assert "line 2" in said[0]
    assert [stored.md for stored in stored_on(conn, DLQ)] == before


def test_what_arrives_while_the_selection_is_read_is_evaluated_later(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_then_bury(*args: Any) -> Iterator[Any]:
        yield from select(*args)
        with connect(conn.db.path) as other:
            bury(other, b"mine too")

    includes = Restriction(conn, find_queue(conn.db, DLQ).id, Selection(grep="mine"))
    bury(conn, b"mine")
    monkeypatch.setattr(restriction, "select", read_then_bury)
    assert includes(stored_on(conn, DLQ)[0])
    monkeypatch.undo()
    assert [includes(stored) for stored in stored_on(conn, DLQ)] == [True, True]


def test_a_message_that_another_program_holds_is_left_to_it(conn: Connection) -> None:
    locked, got, free = (bury(conn, data) for data in (b"locked", b"got", b"free"))
    with connect("QM1") as other, other.open(DLQ, mq.MQOO_BROWSE | mq.MQOO_INPUT_SHARED) as handle:
        handle.get(mq.MQGMO_SYNCPOINT, md=MQMD(msg_id=got.msg_id))
        handle.get(mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK, md=MQMD(msg_id=locked.msg_id))
        totals, said = once(conn, "ACTION(RETRY)")
        assert (totals.seen, said) == (1, [])
        assert [stored.md.msg_id for stored in stored_on(conn, TO)] == [free.msg_id]
        other.backout()
    once(conn, "ACTION(RETRY)")
    assert sorted(data_on(conn, TO)) == [b"free", b"got", b"locked"]


def test_messages_are_handled_in_the_order_of_delivery(conn: Connection) -> None:
    alter(conn, TO, msg_delivery_sequence=1)  # FIFO shows the order of the puts
    for number in range(150):
        bury(conn, b"%d" % number, priority=number % 3)
    once(conn, "ACTION(RETRY)")
    assert [int(data) for data in data_on(conn, TO)] == sorted(range(150), key=lambda number: (-(number % 3), number))


# The language, run


@pytest.mark.conformance("BEY-76")
def test_wildcards_continuations_and_comments_work_in_a_run(conn: Connection) -> None:
    bury(conn, b"1", appl_identity_data="batch 7", put_appl_name="amqsput")
    bury(conn, b"2", appl_identity_data="online")
    table = "\n".join(
        [
            "* The batch goes to the side.",
            "REASON(2053) APPLIDAT('batch ?') +",
            "  APPLNAME('amqs*') ACTION(FWD) FWDQ(DEV.-",
            "QUEUE.2) HEADER(NO)",
            "* All else is tried again.",
            "DESTQ(DEV.*) ACTION(RETRY)",
        ]
    )
    run(conn, table, once=True)
    assert (data_on(conn, OTHER), data_on(conn, TO)) == ([b"1"], [b"2"])
