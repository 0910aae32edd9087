"""The dry run says what the handler would do, and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQOO_BROWSE, MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.operations.views.message_view import open_database

from .dead_letters import DLQ, FULL, OTHER, TO, alter, bury, define, once


def rehearse(connection: Connection, *rules: str, **options: Any) -> list[dict[str, object]]:
    return list(dry_run(connection, parse_rules_table("\n".join(rules)), DLQ, **options))


def everything(connection: Connection) -> list[object]:
    statements = ("select * from messages", "select * from queue_status", "select * from holders")
    return [connection.db.all(statement) for statement in statements]


@pytest.mark.conformance("BEY-71")
def test_each_message_gets_an_object_that_says_what_would_become_of_it(conn: Connection) -> None:
    for letter in "RFDIN":
        bury(conn, appl_identity_data=letter, to=TO, q_mgr="QM1")
    answers = rehearse(
        conn,
        "APPLIDAT(R) ACTION(RETRY)",
        "* a comment",
        f"APPLIDAT(F) ACTION(FWD) FWDQ({OTHER})",
        "APPLIDAT(D) ACTION(DISCARD)",
        "APPLIDAT(I) ACTION(IGNORE)",
    )
    assert [(a["action"], a["line"], a["target"], a["target_q_mgr"]) for a in answers] == [
        ("RETRY", 1, TO, "QM1"),
        ("FWD", 3, OTHER, ""),
        ("DISCARD", 4, "", ""),
        ("IGNORE", 5, "", ""),
        (None, None, "", ""),
    ]


@pytest.mark.parametrize(
    ("reason", "shown"), [(2053, "MQRC_Q_FULL"), (265, "MQFB_APPL_CANNOT_BE_STARTED"), (987654, 987654)]
)
def test_the_reason_is_a_name_of_either_family_or_a_number(conn: Connection, reason: int, shown: object) -> None:
    bury(conn, reason=reason)
    assert rehearse(conn, "ACTION(RETRY)")[0]["reason"] == shown


@pytest.mark.parametrize(("encoding", "ccsid"), [(546, 1208), (273, 819), (785, 500), (785, 1047)])
def test_headers_of_any_machine_are_read(conn: Connection, encoding: int, ccsid: int) -> None:
    bury(conn, encoding=encoding, ccsid=ccsid)
    [answer] = rehearse(conn, f"DESTQ({TO}) REASON(MQRC_Q_FULL) FORMAT(MQSTR) ACTION(RETRY)")
    assert (answer["line"], answer["target"], answer["fails"]) == (1, TO, None)


FAILING = [
    ({"to": "NOWHERE"}, "ACTION(RETRY)", "MQRC_UNKNOWN_OBJECT_NAME"),
    ({"to": FULL}, "ACTION(RETRY)", "MQRC_Q_FULL"),
    ({}, f"ACTION(FWD) FWDQ({FULL})", "MQRC_Q_FULL"),
    ({"q_mgr": "QM9"}, "ACTION(RETRY)", "MQRC_UNKNOWN_REMOTE_Q_MGR"),
    ({"to": "INHIBITED"}, "ACTION(RETRY)", "MQRC_PUT_INHIBITED"),
    ({"to": "ALIAS"}, "ACTION(RETRY)", "MQRC_PUT_INHIBITED"),
    ({"to": "SMALL", "data": b"x" * 101}, "ACTION(RETRY)", "MQRC_MSG_TOO_BIG_FOR_Q"),
    ({"to": "SMALL", "data": b"x" * 100}, "ACTION(RETRY)", None),
    ({"data": b"x" * 100}, "ACTION(FWD) FWDQ(SMALL)", "MQRC_MSG_TOO_BIG_FOR_Q"),
    ({"data": b"x" * 100}, "ACTION(FWD) FWDQ(SMALL) HEADER(NO)", None),
    ({"report": 0x00000008}, "ACTION(RETRY)", "MQRC_UNKNOWN_REPORT_OPTION"),
    ({"to": FULL}, "ACTION(DISCARD)", None),
    ({"to": FULL}, "ACTION(IGNORE)", None),
]


@pytest.mark.parametrize(("letter", "rule", "fails"), FAILING)
def test_fails_is_what_a_put_would_answer_and_what_the_handler_gets(
    conn: Connection, letter: dict[str, Any], rule: str, fails: str | None
) -> None:
    define(conn, "QLOCAL", "INHIBITED", inhibit_put=1)
    define(conn, "QALIAS", "ALIAS", base_q_name="INHIBITED")
    define(conn, "QLOCAL", "SMALL", max_msg_length=100)
    bury(conn, **{"reason": 2051, **letter})
    [answer] = rehearse(conn, rule)
    assert answer["fails"] == fails
    totals, said = once(conn, rule)
    assert totals.left["put_failed"] == (fails is not None)
    assert all(fails in line for line in said) if fails else not said


def test_nothing_is_touched_even_on_a_queue_full_of_what_the_dead_hold(conn: Connection) -> None:
    for number in range(70):
        bury(conn, b"%d" % number, to=FULL if number % 2 else TO)
    alter(conn, FULL, max_q_depth=1)
    dead = connect("QM1")
    dead.put1(FULL, Message(b"there"), MQPMO_SYNCPOINT)
    assert dead.presence is not None
    dead.presence.close()
    before = everything(conn)
    changes = conn.db.one("select total_changes()")
    answers = rehearse(conn, "ACTION(RETRY)", explain=True)
    assert [answer["fails"] for answer in answers] == [None, "MQRC_Q_FULL"] * 35
    assert everything(conn) == before
    assert conn.db.one("select total_changes()") == changes
    dead.db.close()


def test_a_dry_run_neither_waits_for_writers_nor_needs_gets_allowed(conn: Connection) -> None:
    bury(conn)
    alter(conn, DLQ, inhibit_get=1)
    with connect("QM1") as writer, writer.work():
        assert len(rehearse(conn, "ACTION(RETRY)")) == 1


def test_the_caller_may_change_the_queue_between_two_answers(conn: Connection) -> None:
    for _ in range(130):
        bury(conn)
    answers = dry_run(conn, parse_rules_table("ACTION(RETRY)"), DLQ)
    next(answers)
    conn.put1(TO, Message(b"x"))
    assert len(list(answers)) == 129


def test_a_file_that_is_open_for_reading_alone_is_enough(conn: Connection) -> None:
    fill = [Message(b"x") for _ in range(2)]
    alter(conn, FULL, max_q_depth=2)
    for message in fill:
        conn.put1(FULL, message)
    bury(conn)
    bury(conn, to=FULL)
    db = open_database(conn.db.path, read_only=True)
    try:
        answers = list(dry_run(db, parse_rules_table("ACTION(RETRY)"), DLQ))
    finally:
        db.close()
    assert answers == rehearse(conn, "ACTION(RETRY)")
    assert [answer["fails"] for answer in answers] == [None, "MQRC_Q_FULL"]


def test_only_what_could_be_handled_and_is_selected_is_answered(conn: Connection) -> None:
    own = [bury(conn, b"%d" % number) for number in range(4)]
    conn.db.run("update messages set checksum = null, expires_at = 1 where msg_id = ?", (own[0].msg_id,))
    with connect("QM1") as other, other.open(DLQ, MQOO_BROWSE | MQOO_INPUT_SHARED) as handle:
        handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK, md=MQMD(msg_id=own[1].msg_id))
        answers = rehearse(conn, "ACTION(RETRY)", select=lambda stored: stored.md.msg_id != own[2].msg_id)
    assert [answer["msg_id"] for answer in answers] == [own[3].msg_id.hex().upper()]
