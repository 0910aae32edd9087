"""The dry run agrees with the run on any table: message by message, in the totals, and in the exit status."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.admin import queue_managers
from mqtools.constants.message import MQRO_COA
from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.dlq.totals import ACTIONS, CAUSES
from mqtools.message import Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.resolution import resolve_for_put

from .dead_letters import DLQ, FULL, OTHER, TO, Clock, alter, bury, data_on, define, run, stored_on

Row = dict[str, object]

pytestmark = pytest.mark.slow

#: A queue for reports, an alias that leads back to the dead-letter queue, an alias of TO, a definition of a remote
#: queue behind XMIT, a queue for short messages, one that takes none.
REPLIES, BACK, ALIAS, REMOTE, XMIT, SHORT, SHUT = "REPLIES", "BACK", "ALIAS", "REMOTE", "QM2", "SHORT", "SHUT"
QUEUES = (TO, OTHER, FULL, REPLIES, XMIT, SHORT, SHUT)

targets = st.sampled_from((TO, TO, OTHER, OTHER, FULL, FULL, BACK, ALIAS, REMOTE, SHORT, SHUT, "NOWHERE", DLQ))
forwards = st.builds(
    "ACTION(FWD) FWDQ({}) {} HEADER({})".format,
    st.one_of(targets, st.sampled_from(["&DESTQ", "&REPLYQ"])),
    st.sampled_from(["", "", "FWDQM(' ')", "FWDQM(&DESTQM)", "FWDQM(QM1)", "FWDQM(QM9)"]),
    st.sampled_from(["YES", "NO"]),
)
actions = st.one_of(
    st.just("ACTION(RETRY)"), forwards, forwards, st.sampled_from(["ACTION(DISCARD)", "ACTION(IGNORE)"])
)
patterns = st.sampled_from(["", "", "APPLIDAT(A)", "APPLIDAT(B)", "REASON(2053)", f"DESTQ({TO})", "REPLYQ(?*)"])
attempts = st.sampled_from(["", "", "RETRY(2)", "RETRY(3)", "RETRY(7)"])
rules = st.builds("{} {} {}".format, patterns, actions, attempts)
controls = st.sampled_from(["WAIT(NO)", "WAIT(NO) RETRYINT(0)", "WAIT(5) RETRYINT(1)"])
tables = st.builds(lambda *lines: "\n".join([lines[0], *lines[1]]), controls, st.lists(rules, min_size=1, max_size=5))
letters = st.fixed_dictionaries(
    {
        "to": targets,
        "q_mgr": st.sampled_from(["QM1", "QM1", "QM1", "", XMIT, "QM9"]),
        "length": st.sampled_from([1, 300]),
        "appl_identity_data": st.sampled_from("ABC"),
        "reason": st.sampled_from([2053, 2053, 2051]),
        "persistence": st.sampled_from([0, 1]),
        "priority": st.sampled_from([4, 4, 0]),
        "reply_to_q": st.sampled_from([REPLIES, REPLIES, TO]),
        # A header that a put refuses once it is the first; an option that it warns of, and one that makes a report.
        "format": st.sampled_from(["MQSTR", "MQSTR", "MQSTR", "MQHRF2"]),
        "report": st.sampled_from([0, 0, 0, 0x00000008, MQRO_COA]),
        "msg_id": st.sampled_from([bytes(24), bytes(24), b"S" * 24]),
    }
).map(lambda letter: letter | ({"reply_to_q": REPLIES} if letter["report"] == MQRO_COA else {}))
rooms = st.fixed_dictionaries({TO: st.integers(0, 5), OTHER: st.integers(0, 5), XMIT: st.integers(0, 2)})


def define_queues(connection: Connection) -> None:
    define(connection, "QALIAS", BACK, base_q_name=DLQ)
    define(connection, "QALIAS", ALIAS, base_q_name=TO)
    define(connection, "QLOCAL", REPLIES)
    define(connection, "QLOCAL", SHORT, max_msg_length=400)
    define(connection, "QLOCAL", SHUT, inhibit_put=1)
    define(connection, "QLOCAL", XMIT, usage=1)
    define(connection, "QREMOTE", REMOTE, remote_q_name="FAR", remote_q_mgr_name=XMIT, xmit_q_name=XMIT)
    alter(connection, FULL, max_q_depth=0)


def prepare(connection: Connection, waiting: list[dict[str, Any]], room: dict[str, int], plain: int) -> None:
    """Put dead letters, each with a number in front, and what is none; leave so much room on queues."""
    for number, letter in enumerate(waiting):
        length = letter["length"]
        bury(connection, b"letter %d." % number + b"x" * length, **{k: v for k, v in letter.items() if k != "length"})
    for number in range(len(waiting), len(waiting) + plain):
        connection.put1(DLQ, Message(b"letter %d." % number))
    for q_name, number in room.items():
        alter(connection, q_name, max_q_depth=number)


def lying(connection: Connection, q_name: str) -> list[int]:
    """Return the numbers of what lies on a queue, in the order of delivery; a report has none."""
    found = (re.search(rb"letter (\d+)\.", data) for data in data_on(connection, q_name))
    return [int(match[1]) for match in found if match]


def everything(connection: Connection) -> list[list[tuple[Any, ...]]]:
    return [connection.db.all(f"select * from {table}") for table in ("messages", "queue_status", "holders", "qmgr")]


def cause_of(row: Row) -> str | None:
    """Return why a message would be left, None where it would not."""
    if row["action"] is None:
        return "no_dlh" if row["reason"] is None else "no_rule"
    if row["fails"] is not None:
        return "loop" if row["fails"] == "MQRC_NOT_OPEN_FOR_OUTPUT" else "put_failed"
    return "ignored" if row["action"] == "IGNORE" else None


def place_of(connection: Connection, row: Row) -> str | None:
    """Return the queue on which a message would lie, None for what would be discarded."""
    if cause_of(row) is not None:
        return DLQ
    if row["action"] == "DISCARD":
        return None
    with connection.work() as work:
        return resolve_for_put(work.db, work.qmgr, str(row["target"]), str(row["target_q_mgr"])).queue.name


def totals_of(rows: list[Row]) -> tuple[dict[str, int], dict[str, int]]:
    """Return how many would be handled by action, and left by cause."""
    causes = [cause_of(row) for row in rows]
    actions = [row["action"] for row in rows if cause_of(row) is None]
    return {action: actions.count(action) for action in ACTIONS}, {cause: causes.count(cause) for cause in CAUSES}


def check_agreement(connection: Connection, table: str, *, once: bool) -> list[Row]:
    """Compare a dry run with the run that follows it; return the rows of the dry run."""
    there, before = lying(connection, DLQ), everything(connection)
    rows = list(dry_run(connection, parse_rules_table(table), DLQ, once=once))
    assert everything(connection) == before
    places = [place_of(connection, row) for row in rows]
    assert len(rows) == len(there)

    totals, _ = run(connection, table, once=once, clock=Clock())
    assert (totals.handled, totals.left) == totals_of(rows)
    found = {number: q_name for q_name in (DLQ, *QUEUES) for number in lying(connection, q_name)}
    assert [found.get(number) for number in there] == places
    return rows


@given(table=tables, waiting=st.lists(letters, max_size=8), room=rooms, plain=st.integers(0, 1), once=st.booleans())
@settings(max_examples=80, deadline=None)
def test_the_dry_run_agrees_with_the_run(
    tmp_path_factory: pytest.TempPathFactory,
    table: str,
    waiting: list[dict[str, Any]],
    room: dict[str, int],
    plain: int,
    once: bool,
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MQX_HOME", str(tmp_path_factory.mktemp("home")))
        patched.delenv("MQX_QMGR", raising=False)
        queue_managers.create("QM1", developer=True)
        with connect("QM1") as connection:
            define_queues(connection)
            prepare(connection, waiting, room, plain)
            check_agreement(connection, table, once=once)


# What the property found, or might not find every time


@pytest.fixture(autouse=True)
def _queues(request: pytest.FixtureRequest) -> None:
    if "conn" in request.fixturenames:
        define_queues(request.getfixturevalue("conn"))


def test_where_a_rule_has_no_attempt_left_the_next_one_is_taken(conn: Connection) -> None:
    bury(conn, b"letter 0.", to="NOWHERE")
    [row] = check_agreement(conn, f"WAIT(NO)\nACTION(RETRY) RETRY(2)\nACTION(FWD) FWDQ({OTHER})", once=False)
    assert (row["action"], row["line"], row["target"], row["fails"]) == ("FWD", 3, OTHER, None)


def test_with_once_the_first_attempt_is_the_last(conn: Connection) -> None:
    bury(conn, b"letter 0.", to="NOWHERE")
    [row] = check_agreement(conn, f"WAIT(NO)\nACTION(RETRY)\nACTION(FWD) FWDQ({OTHER})", once=True)
    assert (row["action"], row["line"], row["fails"]) == ("RETRY", 2, "MQRC_UNKNOWN_OBJECT_NAME")


@pytest.mark.parametrize("room", [0, 1, 70, 149])
def test_a_target_that_fills_refuses_the_rest(conn: Connection, room: int) -> None:
    for number in range(150):
        bury(conn, b"letter %d." % number)
    alter(conn, TO, max_q_depth=room)
    alter(conn, OTHER, max_q_depth=40)
    rows = check_agreement(conn, f"WAIT(NO)\nACTION(RETRY)\nACTION(FWD) FWDQ({OTHER})", once=False)
    forwarded = min(40, 150 - room)
    assert [row["fails"] for row in rows] == [None] * (room + forwarded) + ["MQRC_Q_FULL"] * (150 - room - forwarded)
    assert [row["line"] for row in rows] == [2] * room + [3] * (150 - room)


def test_a_second_attempt_comes_after_the_first_ones_of_all(conn: Connection) -> None:
    """The last room of a queue goes to the message whose first rule puts there."""
    bury(conn, b"letter 0.", to="NOWHERE", appl_identity_data="A")
    bury(conn, b"letter 1.", appl_identity_data="B")
    alter(conn, OTHER, max_q_depth=1)
    table = f"WAIT(NO)\nAPPLIDAT(A) ACTION(RETRY)\nACTION(FWD) FWDQ({OTHER})"
    rows = check_agreement(conn, table, once=False)
    assert [row["fails"] for row in rows] == ["MQRC_Q_FULL", None]


def test_a_report_of_an_arrival_takes_room(conn: Connection) -> None:
    bury(conn, b"letter 0.", report=MQRO_COA, reply_to_q=OTHER)
    bury(conn, b"letter 1.", to=OTHER)
    alter(conn, OTHER, max_q_depth=1)
    rows = check_agreement(conn, "WAIT(NO)\nACTION(RETRY)", once=False)
    assert [row["fails"] for row in rows] == [None, "MQRC_Q_FULL"]


def test_messages_with_the_same_ids_use_up_one_another_s_attempts(conn: Connection) -> None:
    for number in range(3):
        bury(conn, b"letter %d." % number, to=FULL, msg_id=b"S" * 24)
    rows = check_agreement(conn, f"WAIT(NO)\nACTION(RETRY) RETRY(7)\nACTION(FWD) FWDQ({OTHER})", once=False)
    assert [(row["action"], row["fails"]) for row in rows] == [("FWD", None)] * 3


def test_any_number_of_attempts_is_foreseen_at_once(conn: Connection) -> None:
    for number in range(3):
        bury(conn, b"letter %d." % number, to=FULL, msg_id=b"S" * 24 if number else bytes(24))
    table = f"ACTION(RETRY) RETRY(999999999)\nACTION(FWD) FWDQ({FULL}) RETRY(777777777)\nACTION(FWD) FWDQ({OTHER})"
    began = time.monotonic()
    rows = list(dry_run(conn, parse_rules_table(table), DLQ))
    assert [(row["line"], row["fails"]) for row in rows] == [(3, None)] * 3
    assert time.monotonic() - began < 30


def test_explain_says_of_each_rule_why_its_put_failed(conn: Connection) -> None:
    bury(conn, to="NOWHERE")
    table = f"ACTION(RETRY) RETRY(2)\nACTION(FWD) FWDQ({FULL})\nACTION(FWD) FWDQ({OTHER})"
    [row] = dry_run(conn, parse_rules_table(table), DLQ, explain=True)
    assert row["rules"] == [
        {"line": 1, "matches": True, "because": [], "fails": "MQRC_UNKNOWN_OBJECT_NAME"},
        {"line": 2, "matches": True, "because": [], "fails": "MQRC_Q_FULL"},
        {"line": 3, "matches": True, "because": []},
    ]


def test_a_put_that_the_body_is_refused_for_is_foreseen(conn: Connection) -> None:
    bury(conn, b"letter 0. is no MQRFH2", format="MQHRF2")
    [row] = check_agreement(conn, "WAIT(NO)\nACTION(RETRY)", once=False)
    assert row["fails"] == "MQRC_RFH_ERROR"
    assert len(stored_on(conn, DLQ)) == 1
