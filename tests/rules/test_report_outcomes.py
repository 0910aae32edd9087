"""Proof by reports for a message, its segments and a group: parts, gaps, outcomes, orphans."""

from __future__ import annotations

import time
from typing import Any

import pytest

from mqtools.constants import message as c
from mqtools.constants import reasons as rc
from mqtools.constants.states import UNLOCKED
from mqtools.headers.mqmde import prefix_mqmde
from mqtools.message import MQMD
from mqtools.rules import report_outcomes
from mqtools.rules.report_outcomes import (
    ACTED,
    ARRIVED,
    DELIVERED,
    EXPIRED,
    FAILED,
    PENDING,
    REFUSED,
    SILENT,
    UNASKED,
    Observation,
    Part,
    asks_for_reports,
    observe_original,
    observe_report,
    outcome_of,
    proof,
    report_place,
)

G = b"G" * 24
EXCEPTION = rc.MQRC_Q_FULL
MEMBER, LAST_MEMBER = c.MQMF_MSG_IN_GROUP, c.MQMF_MSG_IN_GROUP | c.MQMF_LAST_MSG_IN_GROUP


def segment(offset: int, length: int, *, last: bool = False, seq: int = 1, flags: int = 0, **fields: Any) -> MQMD:
    flags |= c.MQMF_SEGMENT | (c.MQMF_LAST_SEGMENT if last else 0)
    return MQMD(
        version=2,
        group_id=G,
        msg_seq_number=seq,
        offset=offset,
        original_length=length,
        msg_flags=flags,
        **fields,
    )


def member(seq: int, *, last: bool = False, **fields: Any) -> MQMD:
    return MQMD(version=2, group_id=G, msg_seq_number=seq, msg_flags=LAST_MEMBER if last else MEMBER, **fields)


def there(md: MQMD, length: int = 7) -> Observation:
    return observe_original(md.replace(report=c.MQRO_COA), length, UNLOCKED)


def about(md: MQMD, feedback: int = c.MQFB_COD) -> Observation:
    return observe_report(md.replace(msg_type=c.MQMT_REPORT, feedback=feedback, msg_id=b"R" * 24), 0)


def brief(parts: list[Part]) -> list[tuple[Any, ...]]:
    return [(part.msg_seq_number, part.offset, part.length, part.outcome) for part in parts]


def parts_of(originals: list[Observation], reports: list[Observation], *, is_group: bool) -> list[Part]:
    """Lay out what is seen, in both orders."""
    parts = report_outcomes.parts_of([*originals, *reports], is_group=is_group)
    assert report_outcomes.parts_of([*reports, *originals], is_group=is_group) == parts
    return parts


def look(originals: list[Observation], reports: list[Observation], *, is_group: bool = False) -> list[tuple[Any, ...]]:
    return brief(parts_of(originals, reports, is_group=is_group))


FIRST, SECOND, THIRD = segment(0, 10), segment(10, 20), segment(30, 5, last=True)
ALL = (FIRST, SECOND, THIRD)


def test_a_message_whose_end_nobody_has_seen_has_a_part_more() -> None:
    parts = parts_of([], [about(FIRST), about(SECOND)], is_group=False)
    assert brief(parts)[-1] == (1, 30, None, SILENT)
    assert outcome_of(parts) == PENDING


def test_what_lies_between_and_behind_the_known_parts_is_a_part_too() -> None:
    whole = segment(0, 35, last=True)
    assert look([there(SECOND)], []) == [(1, 0, 10, SILENT), (1, 10, 20, SILENT), (1, 30, None, SILENT)]
    assert look([there(SECOND)], [about(whole)]) == [
        (1, 0, 10, DELIVERED),
        (1, 10, 20, DELIVERED),
        (1, 30, 5, DELIVERED),
    ]
    assert look([], [about(FIRST), about(segment(20, 15, last=True))]) == [
        (1, 0, 10, DELIVERED),
        (1, 10, 10, SILENT),
        (1, 20, 15, DELIVERED),
    ]


def test_an_empty_last_segment_is_a_part() -> None:
    end = segment(10, 0, last=True)
    assert look([], [about(FIRST)]) == [(1, 0, 10, DELIVERED), (1, 10, None, SILENT)]
    assert look([], [about(FIRST), about(end, EXCEPTION)]) == [(1, 0, 10, DELIVERED), (1, 10, 0, FAILED)]
    assert look([there(end)], [about(FIRST), about(segment(0, 10, last=True), c.MQFB_PAN)]) == [
        (1, 0, 10, ACTED),
        (1, 10, 0, ACTED),
    ]


@pytest.mark.conformance("RSEG-28")
def test_orphans_are_segments_of_a_message_that_lost_one_and_nothing_else() -> None:
    lost, whole = segment(0, 10, seq=2, flags=MEMBER), segment(10, 5, seq=1, last=True, flags=MEMBER)
    left = segment(10, 5, seq=2, last=True, flags=LAST_MEMBER)
    originals = [there(segment(0, 10, flags=MEMBER)), there(whole), there(left), there(member(3, last=True))]
    parts = parts_of(originals, [about(lost, EXCEPTION)], is_group=True)
    assert [(part.msg_seq_number, part.offset) for part in parts if part.is_orphan] == [(2, 10)]
    assert outcome_of(parts) == FAILED


def test_a_segment_that_is_there_again_is_not_lost() -> None:
    """Who repairs what failed puts it again: its message can be whole."""
    parts = parts_of([there(md) for md in ALL], [about(SECOND, EXCEPTION)], is_group=False)
    assert not any(part.is_orphan for part in parts)
    assert outcome_of(parts) == FAILED


def test_a_group_has_a_part_for_what_is_missing_in_it() -> None:
    reports = [about(member(2)), about(member(5))]
    parts = parts_of([], reports, is_group=True)
    assert [(part.msg_seq_number, part.to_seq_number, part.outcome) for part in parts] == [
        (1, 1, SILENT),
        (2, 2, DELIVERED),
        (3, 4, SILENT),
        (5, 5, DELIVERED),
        (6, None, SILENT),
    ]
    parts = parts_of([], [*reports, about(member(999_999_999, last=True))], is_group=True)
    assert [(part.msg_seq_number, part.to_seq_number) for part in parts][-2:] == [(6, 999_999_998), (999_999_999,) * 2]


def test_a_segmented_message_by_itself_is_no_group_though_it_has_a_group_id() -> None:
    assert len(parts_of([], [about(md) for md in ALL], is_group=True)) == 3


def test_a_message_by_itself_is_one_part_with_the_length_of_the_original() -> None:
    alone = MQMD()
    assert look([], [about(alone)]) == [(1, 0, None, DELIVERED)]
    [part] = parts_of([there(alone.replace(msg_id=b"M" * 24))], [about(alone, c.MQFB_COA)], is_group=False)
    assert (part.length, part.outcome, part.state, part.msg_id) == (7, ARRIVED, UNLOCKED, b"M" * 24)
    assert alone.original_length == c.MQOL_UNDEFINED


@pytest.mark.slow
def test_many_segments_take_no_time() -> None:
    """Each part is held against what can stand for it only: 20 000 against each other take minutes."""
    segments = [segment(4 * n, 4, last=n == 19_999) for n in range(20_000)]
    started = time.process_time()
    parts = parts_of(
        [], [about(md, c.MQFB_COA) for md in segments] + [about(segment(0, 80_000, last=True))], is_group=False
    )
    assert (len(parts), {part.outcome for part in parts}) == (20_000, {DELIVERED})
    assert time.process_time() - started < 30


def test_nothing_is_pending() -> None:
    assert (parts_of([], [], is_group=False), outcome_of([])) == ([], PENDING)


@pytest.mark.parametrize(
    ("feedback", "outcome"),
    [
        ((c.MQFB_COA, c.MQFB_COD, EXCEPTION, c.MQFB_NAN, c.MQFB_PAN), (ACTED, c.MQFB_PAN)),
        ((c.MQFB_COA, c.MQFB_COD, EXCEPTION, c.MQFB_NAN), (REFUSED, c.MQFB_NAN)),
        ((c.MQFB_COA, c.MQFB_COD, c.MQFB_EXPIRATION, EXCEPTION), (FAILED, EXCEPTION)),
        ((c.MQFB_COA, c.MQFB_EXPIRATION, c.MQFB_COD), (EXPIRED, c.MQFB_EXPIRATION)),
        ((c.MQFB_COA, c.MQFB_COD), (DELIVERED, c.MQFB_COD)),
        ((c.MQFB_ACTIVITY, 70_000, c.MQFB_COA), (ARRIVED, c.MQFB_COA)),
        ((c.MQFB_ACTIVITY, 70_000), (SILENT, 0)),
        ((EXCEPTION, rc.MQRC_PUT_INHIBITED), (FAILED, EXCEPTION)),
        ((), (SILENT, 0)),
    ],
)
def test_the_strongest_report_is_the_proof(feedback: tuple[int, ...], outcome: tuple[str, int]) -> None:
    assert proof(feedback) == outcome
    assert proof(feedback[::-1])[0] == outcome[0]


def test_a_part_that_asks_for_nothing_is_unasked() -> None:
    assert not any(asks_for_reports(report) for report in (c.MQRO_NONE, c.MQRO_ACTIVITY, c.MQRO_PASS_MSG_ID))
    assert all(asks_for_reports(report) for report in (c.MQRO_COA, c.MQRO_NAN, c.MQRO_EXCEPTION_WITH_DATA))
    [part] = parts_of([observe_original(MQMD(), 7, UNLOCKED)], [], is_group=False)
    assert (part.outcome, outcome_of([part])) == (UNASKED, PENDING)


@pytest.mark.conformance("RSEG-30", "RSEG-32")
def test_the_place_of_a_report_may_stand_in_its_data() -> None:
    placed = segment(10, 20, msg_type=c.MQMT_REPORT, feedback=EXCEPTION)
    md, data = prefix_mqmde(placed, b"")
    found = report_place(md, data)
    assert (found.group_id, found.offset, found.original_length) == (G, 10, 20)
    assert observe_report(found, len(data)).length == 20


@pytest.mark.conformance("RSEG-31")
@pytest.mark.parametrize("data", [b"", b"MDE ", b"x" * 100])
def test_without_it_nobody_can_tell_the_segment(data: bytes) -> None:
    md = MQMD(version=1, msg_type=c.MQMT_REPORT, format=c.MQFMT_MD_EXTENSION)
    assert report_place(md, data) == md
