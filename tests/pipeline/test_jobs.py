"""The jobs as functions of frames: reconcile, triage, reassemble, stats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pyspark")

from mqtools.constants.message import (
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFB_NAN,
    MQFB_PAN,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMT_DATAGRAM,
    MQMT_REPORT,
    MQRO_COA,
    MQRO_COD,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_MSG_ID,
)
from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message
from mqtools.pipeline import columns, reassemble, reconcile, stats, triage
from mqtools.qmgr.loading import load_messages

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

Read = Callable[..., Any]
NONE = "00" * 24


def put_each(qm: Any, q_name: str, *several: tuple[bytes, dict[str, Any]]) -> None:
    """Put messages as they are given, the context and all; the first has the identifier 1, and so on."""
    numbered = [{"msg_id": bytes([n + 1]) * 24, "reply_to_q": "DLQ", **fields} for n, (_, fields) in enumerate(several)]
    messages = [Message(data, MQMD(**fields)) for (data, _), fields in zip(several, numbered, strict=True)]
    assert load_messages(qm.main, q_name, messages) == (len(messages), None)


def message(number: int, **fields: Any) -> tuple[bytes, dict[str, Any]]:
    return b"x" * fields.pop("length", 4), {"msg_type": MQMT_DATAGRAM, **fields}


def report(about: int, feedback: int, **fields: Any) -> tuple[bytes, dict[str, Any]]:
    return b"", {"msg_type": MQMT_REPORT, "feedback": feedback, "correl_id": bytes([about]) * 24, **fields}


def reconciled(read: Read) -> dict[str, Any]:
    needed = columns.ddl(reconcile.NEEDED)
    found = reconcile.reconcile(read(needed, queue="Q"), read(needed, queue="R")).collect()
    assert len({(row.msg_id, row.msg_seq_number, row.offset) for row in found}) == len(found)
    return {f"{int(row.msg_id[:2], 16)}": row for row in found}


def test_each_original_has_the_first_outcome_that_is_proved(read: Read, qm: Any) -> None:
    asks = MQRO_COA | MQRO_COD
    put_each(qm, "Q", *(message(n, report=asks) for n in range(1, 8)), message(8), message(9, report=asks))
    put_each(
        qm,
        "R",
        report(1, MQFB_COA),
        report(2, MQFB_COA),
        report(2, MQFB_COD),
        report(3, MQFB_COD),
        report(3, MQFB_PAN),
        report(4, MQFB_COD),
        report(4, MQFB_NAN),
        report(5, MQFB_COA),
        report(5, 2053),
        report(6, MQFB_EXPIRATION),
        report(77, MQFB_COD),
        report(9, 70_000),  # an application's own feedback proves nothing
        (b"", {"msg_type": 2, "correl_id": bytes([7]) * 24}),  # a reply is no report
    )
    found = reconciled(read)
    assert {number: row.outcome for number, row in found.items()} == {
        "1": "arrived",
        "2": "delivered",
        "3": "acted",
        "4": "refused",
        "5": "failed",
        "6": "expired",
        "7": "silent",
        "8": "unasked",
        "9": "silent",
        "77": "delivered",
    }
    assert [number for number, row in found.items() if row.orphan] == ["77"]
    assert (found["5"].reason, found["5"].reports, found["4"].reason) == ("MQRC_Q_FULL", 2, None)
    two = found["2"]
    assert two.arrived_at <= two.delivered_at == two.reported_at
    assert (two.queue, two.group_id, two.sent_at is not None) == ("Q", NONE, True)
    assert (found["77"].queue, found["77"].sent_at, found["7"].reports) == (None, None, 0)


def test_originals_that_pass_their_identifiers_on_are_followed(read: Read, qm: Any) -> None:
    passes = MQRO_COD | MQRO_PASS_CORREL_ID
    put_each(
        qm,
        "Q",
        message(1, report=passes, correl_id=b"c" * 24),
        message(2, report=passes | MQRO_PASS_MSG_ID, correl_id=b"d" * 24),
    )
    put_each(
        qm,
        "R",
        (b"", {"msg_type": MQMT_REPORT, "feedback": MQFB_COD, "correl_id": b"c" * 24}),
        (b"", {"msg_type": MQMT_REPORT, "feedback": MQFB_COD, "correl_id": b"e" * 24, "msg_id": bytes([2]) * 24}),
    )
    found = reconciled(read)
    assert {number: row.outcome for number, row in found.items() if not row.orphan} == {
        "1": "delivered",
        "2": "delivered",
    }


def test_a_report_stands_for_the_segments_that_it_covers(read: Read, qm: Any) -> None:
    group = {"group_id": b"g" * 24}
    asks = {"report": MQRO_COD, **group}
    put_each(
        qm,
        "Q",
        message(1, length=10, msg_flags=MQMF_SEGMENT, original_length=10, **asks),
        message(2, length=10, msg_flags=MQMF_SEGMENT | MQMF_LAST_SEGMENT, offset=10, original_length=10, **asks),
        message(3, msg_flags=MQMF_MSG_IN_GROUP, msg_seq_number=2, **asks),
        message(4, msg_flags=MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP, msg_seq_number=3, **asks),
    )
    whole = MQMF_SEGMENT | MQMF_LAST_SEGMENT
    put_each(
        qm,
        "R",
        report(1, MQFB_COD, msg_flags=whole, original_length=20, **group),  # one for all of it
        report(3, 2053, msg_flags=MQMF_MSG_IN_GROUP, msg_seq_number=2, **group),
        report(9, MQFB_COA, msg_flags=MQMF_MSG_IN_GROUP, msg_seq_number=9, **group),
    )
    found = reconciled(read)
    outcomes = {number: row.outcome for number, row in found.items()}
    assert outcomes == {"1": "delivered", "2": "delivered", "3": "failed", "4": "silent", "9": "arrived"}
    assert [number for number, row in found.items() if row.orphan] == ["9"]
    needed = columns.ddl(reconcile.NEEDED)
    (one,) = reconcile.by_group(reconcile.reconcile(read(needed, queue="Q"), read(needed, queue="R"))).collect()
    assert tuple(one) == ("67" * 24, 4, 3, 1, "failed")


RULES = """
INPUTQ(DLQ) WAIT(NO)
REASON(MQRC_Q_FULL) DESTQ('A.*') ACTION(RETRY) RETRY(3)
REASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(&DESTQ) FWDQM('QM 9')
DESTQ('?B.D?') ACTION(FWD) FWDQ(OTHER) HEADER(NO)
APPLNAME('pay*') FORMAT('MQSTR') MSGTYPE(MQMT_REQUEST) ACTION(DISCARD)
DESTQ('a+b (c)') ACTION(IGNORE)
FEEDBACK(*) USERID('*x*y*') ACTION(FWD) FWDQ(&REPLYQ) FWDQM(&REPLYQM)
"""


def test_triage_says_what_the_handler_would_do(read: Read, qm: Any) -> None:
    letters = [
        (2053, "A.ORDERS", {}),
        (2053, "B.ORDERS", {}),
        (2085, "AB.DX", {}),
        (2085, "AB.D", {}),
        (2085, "A B.DX", {}),
        (2085, "C", {"put_appl_name": "payroll", "msg_type": 1, "reply_to_q": "R"}),
        (2085, "a+b (c)", {}),
        (2085, "A.B\0\0\0", {"user_identifier": "1x2y3", "reply_to_q": "R", "reply_to_q_mgr": "QM1"}),
        (2053, "A.Q\0", {}),
        (65_999, "D\n", {"user_identifier": "yx"}),
    ]
    made = []
    for number, (reason, queue, fields) in enumerate(letters):
        md, data = prefix_dlh(MQMD(format="MQSTR"), b"body", reason=reason, dest_q_name=queue)
        made.append(Message(data, md.replace(msg_id=bytes([number + 1]) * 24, **fields)))
    made.append(Message(b"none", MQMD(msg_id=b"n" * 24)))
    load_messages(qm.main, "DLQ", made)
    table = parse_rules_table(RULES)
    wanted = {
        answer["msg_id"]: (answer["line"], answer["action"], answer["target"] or "", answer["target_q_mgr"] or "")
        for answer in dry_run(qm.main, table, "DLQ")
    }
    frame = read(columns.ddl(triage.NEEDED), queue="DLQ")
    found = {
        row.msg_id: (row.rule_line, row.action, row.target or "", row.target_q_mgr or "")
        for row in triage.triage(frame, table).collect()
    }
    assert found == wanted
    assert {action for _, action, _, _ in found.values()} == {"RETRY", "FWD", "DISCARD", "IGNORE", None}


def test_groups_of_dead_letters_are_those_of_the_summary(read: Read, qm: Any) -> None:
    for reason in (2053, 2053, 2085):
        md, data = prefix_dlh(MQMD(format="MQSTR"), b"body", reason=reason, dest_q_name="ORDERS")
        qm.put(data, "DLQ", format=md.format, encoding=md.encoding, coded_char_set_id=md.coded_char_set_id)
    qm.put(b"none", "DLQ")
    frame = read(columns.ddl(triage.NEEDED), queue="DLQ")
    from mqtools.dlq.letters import letters
    from mqtools.dlq.summary import summarise
    from mqtools.qmgr.resolution import find_queue

    by = ("reason", "destq", "hour")
    wanted = summarise(letters(qm.main.db, find_queue(qm.main.db, "DLQ").id), by)
    found = triage.groups(frame, by).collect()
    assert [tuple(row)[:5] for row in found] == [(*group.key, group.count, group.bytes) for group in wanted]


def test_segments_become_messages_and_gaps_are_named(read: Read, qm: Any) -> None:
    def segment(group: bytes, offset: int, data: bytes, *, last: bool = False, number: int = 1) -> tuple[bytes, Any]:
        flags = MQMF_SEGMENT | (MQMF_LAST_SEGMENT if last else 0)
        fields = {"group_id": group * 24, "offset": offset, "original_length": len(data)}
        return data, {**fields, "msg_flags": flags, "msg_seq_number": number}

    put_each(
        qm,
        "Q",
        segment(b"a", 8, b"second", last=True),
        segment(b"a", 0, b"\x00\xfffirst\x01"),
        segment(b"a", 8, b"second", last=True),  # twice, as after a resend
        segment(b"b", 0, b"begin"),
        segment(b"b", 9, b"end", last=True),
        segment(b"c", 4, b"no beginning and no end"),
        (b"alone", {}),
    )
    found = reassemble.reassemble(read(columns.ddl(reassemble.NEEDED), queue="Q")).collect()
    assert {row.group_id[:2]: (row.data and bytes(row.data), row.complete, row.missing) for row in found} == {
        "61": (b"\x00\xfffirst\x01second", True, []),
        "62": (None, False, [5]),
        "63": (None, False, [0, 27]),
        "00": (b"alone", True, []),
    }


def test_stats_count_by_queue_and_hour(spark: Any) -> None:
    hours = [("Q", 1, "put", 0), ("Q", 2, "put", 10), ("Q", 1, "get", 30), ("Q", 2, "get", 3700), ("R", 9, "report", 5)]
    base = "timestamp'2026-11-22 08:00:00'"
    lines = [
        f"('QM1', '{queue}', {seq}L, '{event}', {base} + make_dt_interval(0, 0, 0, {at}), {n}L,"
        f" {base} + make_dt_interval(0, 0, 0, {10 * (seq - 1) if queue == 'Q' else at}))"
        for n, (queue, seq, event, at) in enumerate(hours)
    ]
    events = spark.sql(f"select * from values {', '.join(lines)} as t({', '.join(stats.NEEDED)})")
    found = [tuple(row) for row in stats.stats(events).orderBy("queue", "hour").collect()]
    assert [(row[0], row[1].hour, *row[2:]) for row in found] == [
        ("Q", 8, 2, 1, 30.0, 30.0, 1),
        ("Q", 9, 0, 1, 3690.0, 3690.0, 0),
        ("R", 8, 1, 0, None, None, 1),
    ]
