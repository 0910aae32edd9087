"""Traces: the whole life of a message, in words, and nothing that was not recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from mqtools.constants.message import MQFB_COD, MQMF_MSG_IN_GROUP, MQMT_REPLY, MQMT_REPORT, MQRO_COA, MQRO_COD
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQOO_SAVE_ALL_CONTEXT, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_Q_FULL
from mqtools.dlq.attempt import attempt_each
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.errors import MQError
from mqtools.lifecycle.locks import browse_messages_and_lock, unlock_message
from mqtools.lifecycle.verbs import (
    confirm_get_message,
    confirm_put_message,
    delete_message,
    get_message,
    put_message,
    undo,
)
from mqtools.message import MQMD, Message
from mqtools.mqi import journal, recovery
from mqtools.mqi.clear import clear_in_steps
from mqtools.mqi.report_messages import dead_letter
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.trash_limits import Trash
from mqtools.operations import edit
from mqtools.operations.consumer import consume
from mqtools.operations.journal.statistics import activity, read_stats
from mqtools.operations.move import Route, carry_batch
from mqtools.operations.trace.journals import JournalSource
from mqtools.operations.trace.rows import COLUMNS, rows_of
from mqtools.operations.trace.story import find_story, resolve_prefix
from mqtools.operations.trash_contents import restore
from mqtools.rules.selector.selector import compile_selector

from ..mqi.conftest import QM


def trace(qm: QM, *ids: bytes) -> list[dict[str, object]]:
    source = JournalSource(qm.path)
    try:
        return rows_of(find_story([source], ids))
    finally:
        source.close()


def words(qm: QM, *ids: bytes) -> list[tuple[object, ...]]:
    """Return queue, event, outcome and detail of each row."""
    return [(row["queue"], row["event"], row["outcome"], row["detail"]) for row in trace(qm, *ids)]


def test_a_put_and_a_get_are_two_rows_with_who_and_the_waiting_time(kept: QM, advance: Callable[[float], None]) -> None:
    md = kept.put("hello", correl_id=b"c" * 24)
    advance(1.5)
    kept.got()
    put, got = trace(kept, md.msg_id)
    assert tuple(put) == COLUMNS
    assert [put[name] for name in ("qmgr", "queue", "event", "outcome", "appl_name", "user_identifier", "detail")] == [
        *("QM1", "Q", "put", "committed", "test", "ana", "")
    ]
    assert (put["msg_id"], put["correl_id"]) == (md.msg_id.hex().upper(), (b"c" * 24).hex().upper())
    assert (got["event"], got["outcome"], got["detail"]) == ("get", "committed", "waited 1.500 s")
    assert put["at"] < got["at"]  # type: ignore[operator]
    assert trace(kept, b"c" * 24) == [put, got]


def test_what_is_uncommitted_is_held_and_each_backout_is_a_row(kept: QM) -> None:
    with kept.open() as handle:
        message = Message(b"1")
        handle.put(message, MQPMO_SYNCPOINT)
        assert words(kept, message.md.msg_id) == [("Q", "put", "held (uncommitted)", "")]
        kept.main.commit()
        for _ in range(2):
            handle.get(MQGMO_SYNCPOINT)
            assert words(kept, message.md.msg_id)[-1] == ("Q", "get", "held (uncommitted)", "")
            kept.main.backout()
        lost = Message(b"2")
        handle.put(lost, MQPMO_SYNCPOINT)
        kept.main.backout()
    assert words(kept, message.md.msg_id) == [
        ("Q", "put", "committed", ""),
        ("Q", "get", "backed out", "backout count 1"),
        ("Q", "get", "backed out", "backout count 2"),
    ]
    assert words(kept, lost.md.msg_id) == [("Q", "put", "backed out", "")]


def test_what_a_confirm_id_holds_is_a_row_and_its_end_another(kept: QM, advance: Callable[[float], None]) -> None:
    message = Message(b"1")
    put_message(kept.main, "Q", message, confirm_id=7)
    held = trace(kept, message.md.msg_id)
    advance(60)
    confirm_put_message(kept.main, "Q", 7)
    for confirm_id, end in ((8, undo), (9, confirm_get_message)):
        get_message(kept.main, "Q", confirm_id=confirm_id)
        advance(60)
        end(kept.main, "Q", confirm_id=confirm_id)
    assert words(kept, message.md.msg_id) == [
        ("Q", "put", "held (uncommitted)", "confirm id 7"),
        ("Q", "put", "committed", "confirm id 7"),
        ("Q", "get", "held (uncommitted)", "confirm id 8"),
        ("Q", "get", "backed out", "confirm id 8; backout count 1"),
        ("Q", "get", "held (uncommitted)", "confirm id 9"),
        ("Q", "get", "committed", "confirm id 9; waited 120.000 s"),
    ]
    assert trace(kept, message.md.msg_id)[:1] == held


def test_locks_and_why_they_end(kept: QM, advance: Callable[[float], None]) -> None:
    md = kept.put("1")
    unlock_message(kept.main, "Q", browse_messages_and_lock(kept.main, "Q").lock_id)
    browse_messages_and_lock(kept.main, "Q", lease_s=5)
    advance(6)
    with kept.main.work() as work:
        recovery.recover(work)
    assert words(kept, md.msg_id)[1:] == [
        ("Q", "browse_lock", "locked", ""),
        ("Q", "unlock", "unlocked", ""),
        ("Q", "browse_lock", "locked", ""),
        ("Q", "unlock", "unlocked", "its lease ended"),
    ]


def test_edits_moves_copies_and_clears(kept: QM) -> None:
    md = kept.put("one")

    def change(message: Message) -> Message:
        return message.replace(md=message.md.replace(priority=7), data=b"two")

    edit.edit_batch(kept.main, "Q", kept.seqs(), change)
    carry_batch(kept.main, Route("Q", "R", keeps_original=True), kept.seqs())
    carry_batch(kept.main, Route("Q", "R"), kept.seqs())
    clear_in_steps(kept.main, "R")
    assert words(kept, md.msg_id) == [
        ("Q", "put", "committed", ""),
        ("Q", "edit", "edited", "priority 0 -> 7, data 'one' -> 'two'"),
        ("R", "copy", "committed", "from Q"),
        ("R", "move", "committed", "from Q"),
        ("Q", "move", "committed", "to R"),
        ("R", "delete", "deleted", "CLEAR QLOCAL(R)"),
        ("R", "delete", "deleted", "CLEAR QLOCAL(R)"),
    ]


def test_reports_and_replies_belong_to_the_story(kept: QM) -> None:
    md = kept.put("ask", report=MQRO_COA | MQRO_COD, reply_to_q="R")
    kept.got()
    kept.put("answer", "R", msg_type=MQMT_REPLY, correl_id=md.msg_id)
    kept.put("another's", "R", correl_id=b"x" * 24)
    about = md.msg_id.hex().upper()
    found = words(kept, md.msg_id)
    assert [(queue, event) for queue, event, _, _ in found] == [
        ("Q", "put"),
        ("R", "report"),
        ("Q", "get"),
        ("R", "report"),
        ("R", "put"),
    ]
    assert [detail for queue, _, _, detail in found if queue == "R"] == [
        f"COA report about {about}",
        f"COD report about {about}",
        f"reply to {about}",
    ]


def test_a_report_on_a_transmission_queue_names_the_message_it_is_about(kept: QM) -> None:
    kept.define("QM2", "QLOCAL", usage=1, journal=1)
    kept.define("FAR", "QREMOTE", remote_q_name="R", remote_q_mgr_name="QM2", xmit_q_name="QM2")
    kept.put("ask", msg_id=b"o" * 24)
    report: dict[str, Any] = {
        "msg_type": MQMT_REPORT,
        "feedback": MQFB_COD,
        "correl_id": b"o" * 24,
        "msg_id": b"r" * 24,
    }
    kept.put("report", "FAR", **report)
    assert words(kept, b"r" * 24) == [("QM2", "put", "committed", "for R at QM2; COD report")]
    kept.put("report", "R", **report)
    about = (b"o" * 24).hex().upper()
    assert words(kept, b"o" * 24)[1:] == [
        ("QM2", "put", "committed", f"for R at QM2; COD report about {about}"),
        ("R", "put", "committed", f"COD report about {about}"),
    ]


def test_an_expired_message_that_nobody_has_removed_has_a_row_and_one_that_was_its_event(
    kept: QM, advance: Callable[[float], None]
) -> None:
    md = kept.put("late", expiry=10)
    assert len(trace(kept, md.msg_id)) == 1
    advance(2)
    row = trace(kept, md.msg_id)[-1]
    still = "still on the queue: the next get that finds it removes it"
    assert (row["event"], row["outcome"], row["holder"], row["detail"]) == ("expire", "expired", None, still)
    with kept.open() as handle, pytest.raises(MQError):
        handle.get()
    assert words(kept, md.msg_id)[1:] == [("Q", "expire", "expired", "")]


def test_a_rules_table_is_named_with_file_and_line(kept: QM, advance: Callable[[float], None]) -> None:
    assert advance is not None
    md = MQMD(msg_id=b"m" * 24, format="MQSTR", coded_char_set_id=1208, priority=0, persistence=0)
    with kept.main.work() as work:
        dead_letter(work, md, b"1", MQRC_Q_FULL, ("R", ""), None)
    table = parse_rules_table("REASON(9999) ACTION(IGNORE)\nREASON(*) ACTION(FWD) FWDQ(R) HEADER(NO)\n", "night.rules")
    letters = kept.seqs("DLQ")
    with kept.main.work() as work:
        outcomes = attempt_each(work, find_queue(work.db, "DLQ"), letters, table, Counter())
    assert [outcome and (outcome.cause, outcome.reason, outcome.text) for outcome in outcomes] == [(None, 0, "")]
    rule = "rule night.rules:2 REASON(*) ACTION(FWD) FWDQ(R) HEADER(NO)"
    assert words(kept, md.msg_id) == [
        ("DLQ", "dead_letter", "committed", "for R; MQRC_Q_FULL 2053"),
        ("R", "put", "committed", rule),
        ("DLQ", "get", "committed", f"{rule}; waited 0.000 s"),
    ]


@pytest.mark.parametrize("requeue", ["R", ""])
def test_a_message_that_is_requeued_after_its_backouts_says_why(kept: QM, requeue: str) -> None:
    kept.alter("Q", backout_threshold=1, backout_req_q_name=requeue)
    md = kept.put("1")
    with kept.open(options=MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT) as handle:
        consume(handle, lambda _: 1 / 0)  # type: ignore[arg-type, return-value]
    found = words(kept, md.msg_id)
    assert found[:2] == [("Q", "put", "committed", ""), ("Q", "get", "backed out", "backout count 1")]
    arrival = next(row for row in found[2:] if row[0] != "Q")
    assert arrival == (
        ("R", "put", "committed", "backout threshold reached: 1 backout, BOQNAME(R)")
        if requeue
        else ("DLQ", "dead_letter", "committed", "for Q; MQRC_BACKOUT_THRESHOLD_REACHED 2362")
    )


def test_gaps_are_unknown_rows_with_the_reason(qm: QM) -> None:
    md = qm.put("1")
    assert words(qm, md.msg_id) == [
        ("Q", "unknown", "unknown", "on the queue without an event: queue Q has no journal, JOURNAL(NO)")
    ]
    qm.alter("Q", journal=1)
    carry_batch(qm.main, Route("Q", "R"), qm.seqs())
    found = words(qm, md.msg_id)
    details = [str(row[3]) for row in found if row[1] == "unknown"]
    assert len(details) == 1, "the move tells how it came to R"
    assert details[0].startswith("how it came to the queue is not recorded: the journal of Q was off until")
    qm.got("R")
    assert [(row[0], row[1], row[3]) for row in words(qm, md.msg_id)[1:]] == [
        ("Q", "move", "to R"),
        ("R", "move", "from Q"),
        ("R", "unknown", "how it left the queue is not recorded: queue R has no journal, JOURNAL(NO)"),
    ]


def test_a_journal_that_was_off_when_a_message_left_says_so(qm: QM) -> None:
    qm.alter("Q", journal=1)
    md = qm.put("1")
    qm.alter("Q", journal=0)
    qm.got()
    last = words(qm, md.msg_id)[-1]
    assert last[1] == "unknown"
    assert str(last[3]).startswith("how it left the queue is not recorded: JOURNAL(NO) since ")


def test_what_is_no_longer_kept_is_a_gap(kept: QM, advance: Callable[[float], None]) -> None:
    md = kept.put("1")
    kept.alter_qmgr(journal_age_s=60)
    advance(61)
    kept.main.events_noted = 10
    kept.put("2")
    journal.evict(kept.main)
    kept.got()
    first = words(kept, md.msg_id)[0]
    assert first[1] == "unknown"
    assert "older than the journal keeps" in str(first[3])


def test_ids_are_completed_and_messages_selected(kept: QM) -> None:
    first = kept.put("1", msg_id=b"\xab\xcd" + b"1" * 22, priority=3).msg_id
    second = kept.put("2", msg_id=b"\xab\xce" + b"2" * 22).msg_id
    source = JournalSource(kept.path)
    assert resolve_prefix([source], b"\xab\xcd", odd=False) == [first]
    assert resolve_prefix([source], b"\xab\xc0", odd=True) == [first, second]
    assert resolve_prefix([source], b"\xac", odd=False) == []
    assert source.selected_ids(compile_selector("Root.MQMD.Priority = 3")) == {first}
    source.close()
    assert trace(kept, b"z" * 24) == []


def test_statistics_count_what_is_committed_and_measure_the_wait(kept: QM, advance: Callable[[float], None]) -> None:
    for _ in range(4):
        kept.put()
    with kept.open() as handle:
        for seconds in (1, 1, 2):
            advance(seconds)
            handle.get()
        handle.get(MQGMO_SYNCPOINT)
        kept.main.backout()
    stats = read_stats(kept.main.db, "Q")
    assert (stats.puts, stats.gets, stats.wait_s(0.5), stats.wait_s(0.99)) == (4, 3, 2.0, 4.0)
    assert read_stats(kept.main.db, "Q", 1 << 60).events == 0
    assert read_stats(kept.main.db, "R").wait_s(0.5) is None
    assert activity([0, 5, 23], 0, 24)[::23] == [1, 1]


def test_a_journal_that_was_off_meanwhile_leaves_a_gap(kept: QM, advance: Callable[[float], None]) -> None:
    md = kept.put("1")
    for level in (0, 1):
        advance(10)
        kept.alter("Q", journal=level)
    advance(10)
    kept.got()
    rows = trace(kept, md.msg_id)
    assert [row["event"] for row in rows] == ["put", "unknown", "get"]
    off, on = rows[1]["at"], str(rows[1]["detail"]).rpartition(" ")[2]
    assert rows[1]["detail"] == f"JOURNAL(NO) from {off} until {on}"
    assert rows[0]["at"] < off < on < rows[2]["at"]  # type: ignore[operator]


def test_a_message_that_was_deleted_and_restored(kept: QM) -> None:
    kept.main.trash = Trash(3600, 1 << 20)
    md = kept.put("1")
    delete_message(kept.main, "Q", msg_id=md.msg_id)
    restore(kept.main, [row[0] for row in kept.main.db.all("select number from trash")])
    found = words(kept, md.msg_id)
    assert found[:2] == [("Q", "put", "committed", ""), ("Q", "delete", "deleted", "trashed")]
    assert found[2][:3] == ("Q", "restore", "restored")
    assert str(found[2][3]).startswith("from the trash, delete of Q at ")


def test_an_identifier_that_a_selector_requires_finds_events_by_index(kept: QM) -> None:
    group = b"G" * 24
    for number in range(6):
        fields = {"group_id": group, "msg_flags": MQMF_MSG_IN_GROUP, "msg_seq_number": number} if number % 2 else {}
        kept.put(str(number), msg_id=b"%024d" % number, correl_id=b"C" * 24, priority=number % 3, **fields)
        if number == 3:
            kept.main.events_noted = 1000
            journal.evict(kept.main)  # the ids of the events so far are written down
    kept.got()
    conditions = {
        f"Root.MQMD.MsgId = 0x{(b'%024d' % 4).hex()}": {4},
        f"Root.MQMD.MsgId = 0x{(b'%024d' % 2).hex()}": {2},
        f"Root.MQMD.CorrelId = 0x{(b'C' * 24).hex()} and Root.MQMD.Priority = 1": {1, 4},
        f"Root.MQMD.GroupId = 0x{group.hex()}": {1, 3, 5},
        f"Root.MQMD.MsgId = 0x{(b'%024d' % 4).hex()} and Root.MQMD.Priority = 0": set(),
    }
    for text, expected in conditions.items():
        with closing(JournalSource(kept.path)) as source:
            selector = compile_selector(text)
            assert source.unread(selector) == 0
            assert source.selected_ids(selector) == {b"%024d" % number for number in expected}
