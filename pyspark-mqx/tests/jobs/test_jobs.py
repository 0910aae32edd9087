"""The jobs as functions of frames: triage, reassemble, stats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import functions as F
from pyspark_mqx.jobs import reassemble, stats, triage

from mqtools.arrow import columns
from mqtools.constants import message as c
from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message
from mqtools.operations.load import load_messages

Read = Callable[..., Any]
Frame = Callable[..., Any]


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
        for answer in dry_run(qm.main, table, "DLQ", once=True)
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
    days = [("20260228", "23595999"), ("20260230", "10203040"), ("20260228", "24000000"), ("00000101", "00000000")]
    load_messages(qm.main, "DLQ", [Message(data, md.replace(put_date=day, put_time=time)) for day, time in days])
    frame = read(columns.ddl(triage.NEEDED), queue="DLQ")
    from mqtools.dlq.letters import letters
    from mqtools.dlq.summary import summarise
    from mqtools.mqi.resolution import find_queue

    by = ("reason", "destq", "hour")
    wanted = summarise(letters(qm.main.db, find_queue(qm.main.db, "DLQ").id), by)
    found = triage.groups(frame, by).collect()
    assert [tuple(row)[:6] for row in found] == [("QM1", *group.key, group.count, group.bytes) for group in wanted]


def test_segments_become_messages_and_gaps_are_named(frame: Frame) -> None:
    def segment(
        group: bytes, offset: int, data: bytes, *, last: bool = False, length: int | None = None
    ) -> tuple[bytes, Any]:
        flags = c.MQMF_SEGMENT | (c.MQMF_LAST_SEGMENT if last else 0)
        original_length = len(data) if length is None else length
        return data, {
            "group_id": group * 24,
            "offset": offset,
            "original_length": original_length,
            "msg_flags": flags,
        }

    several = [
        segment(b"a", 8, b"second", last=True),
        segment(b"a", 0, b"\x00\xfffirst\x01"),
        segment(b"a", 8, b"second", last=True),  # twice, as after a resend
        segment(b"b", 0, b"begin"),
        segment(b"b", 9, b"end", last=True),
        segment(b"c", 4, b"no beginning and no end"),
        segment(b"d", 0, b"01234"),  # once more, cut otherwise
        segment(b"d", 5, b"56789"),
        segment(b"d", 0, b"0123"),
        segment(b"d", 4, b"456789ab", last=True),
        segment(b"e", 0, b"HEADcut", length=5),
        segment(b"e", 5, b"HEADoff", length=999_999_999, last=True),
        segment(b"f", 0, b"HEADER12", length=2),
        segment(b"f", 2, b"HEADER34", length=2, last=True),
        segment(b"h", 0, b"longest", length=2**31 - 1),
        segment(b"h", 0, b"longest", length=2**31 - 1),
        segment(b"i", 0, b"HEADER", length=0, last=True),
        segment(b"i", 0, b"HEADER", length=0, last=True),
        (b"report", {**segment(b"f", 2, b"56", last=True)[1], "msg_type": c.MQMT_REPORT}),
        (b"alone", {}),
    ]
    found = reassemble.reassemble(frame(reassemble.NEEDED, *several)).collect()
    assert {bytes(row.data) for row in found if row.group_id == "00" * 24 or b"report" in (row.data or b"")} == {
        b"alone",
        b"report",
    }
    assert {
        row.group_id[:2]: (row.data and bytes(row.data), row.complete, row.missing, row.missing_to)
        for row in found
        if row.data != b"report"
    } == {
        "61": (b"\x00\xfffirst\x01second", True, [], []),
        "62": (None, False, [5], [9]),
        "63": (None, False, [0, 27], [4, None]),
        "64": (b"0123456789ab", True, [], []),
        "65": (None, False, [12], [1_000_000_004]),
        "66": (b"HEADER1234", True, [], []),
        "68": (None, False, [7, 2**31 - 1], [2**31 - 1, None]),
        "69": (b"HEADER", True, [], []),
        "00": (b"alone", True, [], []),
    }


def test_what_is_missing_of_a_group_is_a_row_with_its_numbers(frame: Frame) -> None:
    def member(group: bytes, number: int, *, last: bool = False, **fields: Any) -> tuple[bytes, dict[str, Any]]:
        flags = c.MQMF_MSG_IN_GROUP | (c.MQMF_LAST_MSG_IN_GROUP if last else 0) | fields.pop("msg_flags", 0)
        return b"%d" % number, {"group_id": group * 24, "msg_seq_number": number, "msg_flags": flags, **fields}

    cut = {"msg_flags": c.MQMF_SEGMENT, "original_length": 1}
    several = [
        *(member(b"a", number, last=number == 3) for number in (1, 2, 3)),
        *(member(b"b", number, last=number == 3) for number in (1, 3, 3)),
        *(member(b"c", number) for number in (2, 999_999_999)),
        member(b"d", 1, last=True, **cut),
        member(b"e", 1, last=True, **{**cut, "msg_flags": c.MQMF_SEGMENT | c.MQMF_LAST_SEGMENT}),
        member(b"f", 5, last=True, msg_type=c.MQMT_REPORT),
    ]
    found = reassemble.reassemble(frame(reassemble.NEEDED, *several)).orderBy("group_id", "msg_seq_number").collect()
    assert [
        (chr(int(row.group_id[:2], 16)), row.msg_seq_number, row.to_seq_number) for row in found if row.complete
    ] == [
        *(("a", number, number) for number in (1, 2, 3)),
        *(("b", number, number) for number in (1, 3, 3)),
        *(("c", number, number) for number in (2, 999_999_999)),
        ("e", 1, 1),
        ("f", 5, 5),
    ]
    assert [
        (chr(int(row.group_id[:2], 16)), row.msg_seq_number, row.to_seq_number, row.missing, row.data, row.msg_id)
        for row in found
        if not row.complete
    ] == [
        ("b", 2, 2, [0], None, None),
        ("c", 1, 1, [0], None, None),
        ("c", 3, 999_999_998, [0], None, None),
        ("c", 1_000_000_000, None, [0], None, None),
        ("d", 1, 1, [1], None, "00" * 24),
    ]


def test_what_has_no_flags_and_no_group_is_a_message(frame: Frame) -> None:
    """As in Parquet of others, whose columns are fewer."""
    messages = frame(reassemble.NEEDED, (b"whole", {}))
    fewer = ("msg_flags", "group_id", "original_length", "offset")
    messages = messages.withColumns({name: F.lit(None).cast(messages.schema[name].dataType) for name in fewer})
    assert [(row.data, row.complete) for row in reassemble.reassemble(messages).collect()] == [(b"whole", True)]


def test_a_copy_of_a_segment_without_its_data_takes_nothing_away(frame: Frame) -> None:
    """As beside an archive that was made with --no-body."""
    last = {"group_id": b"g" * 24, "msg_flags": c.MQMF_SEGMENT | c.MQMF_LAST_SEGMENT, "original_length": 4}
    cut_otherwise = {**last, "msg_flags": c.MQMF_SEGMENT, "offset": 1, "original_length": 3}
    several = [(b"", last), (b"data", last), (b"da", last), (b"", cut_otherwise), (b"", {**last, "offset": 2})]
    (row,) = reassemble.reassemble(frame(reassemble.NEEDED, *several[:4])).collect()
    assert (row.data, row.complete, row.missing) == (b"data", True, [])
    (row,) = reassemble.reassemble(frame(reassemble.NEEDED, *several)).collect()
    assert (row.data, row.complete, row.missing) == (None, False, [4])


def test_stats_count_by_queue_and_hour(spark: Any) -> None:
    hours = [("Q", 1, "put", 0), ("Q", 2, "put", 10), ("Q", 1, "get", 30), ("Q", 2, "get", 3700), ("R", 9, "report", 5)]
    moves = [("R", 9, "move", 5), ("S", 8, "move", 5), ("S", 7, "put", 1), ("T", 6, "move", 7)]
    base = "timestamp'2026-11-22 08:00:00'"
    lines = [
        f"('QM1', '{queue}', {seq}L, '{event}', {base} + make_dt_interval(0, 0, 0, {at}), {n}L,"
        f" null, {base} + make_dt_interval(0, 0, 0, {10 * (seq - 1) if queue == 'Q' else min(at, 5)}))"
        for n, (queue, seq, event, at) in enumerate(hours + moves)
    ]
    events = spark.sql(f"select * from values {', '.join(lines)} as t({', '.join(stats.NEEDED)})")
    events = events.unionByName(events.where("queue = 'S'").withColumn("qmgr", F.lit("QM2")))
    found = [tuple(row) for row in stats.stats(events).orderBy("qmgr", "queue", "hour").collect()]
    assert found[-1][:2] + found[-1][3:] == ("QM2", "S", 2, 0, None, None, 2)
    assert [(row[1], row[2].hour, *row[3:]) for row in found[:-1]] == [
        ("Q", 8, 2, 1, 30.0, 30.0, 1),
        ("Q", 9, 0, 1, 3690.0, 3690.0, 0),
        ("R", 8, 1, 0, None, None, 0),
        ("S", 8, 2, 0, None, None, 2),
        ("T", 8, 0, 0, None, None, -1),
    ]
