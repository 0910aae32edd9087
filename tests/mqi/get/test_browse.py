"""Browsing: the cursor, what moves it and what does not, in physical and in logical order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_LAST_SEGMENT, MQMF_MSG_IN_GROUP, MQMF_SEGMENT
from mqtools.constants.options import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOCK,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQGMO_UNLOCK,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_OFFSET,
    MQPMO_SYNCPOINT,
)
from mqtools.message import MQMD
from mqtools.mqi.handle import Handle

from ..conftest import QM, fails

C1, C2, C9, G, K = (name * 24 for name in (b"1", b"2", b"9", b"G", b"K"))
NOTHING, NONE_THERE = rc.MQRC_NO_MSG_AVAILABLE, rc.MQRC_NO_MSG_UNDER_CURSOR
FIRST, NEXT, AT = MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT, MQGMO_BROWSE_MSG_UNDER_CURSOR
UNDER, LOCK, LOGICAL = MQGMO_MSG_UNDER_CURSOR, MQGMO_LOCK, MQGMO_LOGICAL_ORDER
BY_CORREL_ID = MQMO_MATCH_CORREL_ID


def take(handle: Handle, options: int, match_options: int = 0, **fields: object) -> bytes:
    md = MQMD(**fields) if fields else None  # type: ignore[arg-type]
    return handle.get(options, md=md, match_options=match_options).message.data


def three(qm: QM) -> Handle:
    """Put 1 and 3 with one correlation id and 2 with another; give a handle."""
    for name, correl_id in (("1", C1), ("2", C2), ("3", C1)):
        qm.put(name, correl_id=correl_id)
    return qm.open()


def member(qm: QM, group_id: bytes, seq: int, *, last: bool = False) -> None:
    flags = MQMF_MSG_IN_GROUP | (MQMF_LAST_MSG_IN_GROUP if last else 0)
    qm.put(f"{chr(group_id[0])}{seq}", group_id=group_id, msg_seq_number=seq, msg_flags=flags)


def segment(qm: QM, offset: int, data: str, *, last: bool = False) -> None:
    flags = MQMF_SEGMENT | (MQMF_LAST_SEGMENT if last else 0)
    qm.put(data, group_id=G, offset=offset, msg_flags=flags)


@pytest.mark.conformance("BROWSE-02")
def test_all_three_ways_to_browse_leave_the_message_as_it_was(qm: QM) -> None:
    qm.put("1")
    handle = qm.open()
    for options in (FIRST, AT):
        assert take(handle, options) == b"1"
    assert take(qm.open(), NEXT) == b"1"
    assert qm.depth() == 1
    assert handle.get().message.md.backout_count == 0


@pytest.mark.conformance("BROWSE-09")
def test_browse_first_looks_from_the_beginning_for_what_matches(qm: QM) -> None:
    handle = three(qm)
    for _ in range(3):
        take(handle, NEXT)
    assert take(handle, FIRST, BY_CORREL_ID, correl_id=C2) == b"2"
    assert take(handle, AT) == b"2"


@pytest.mark.conformance("BROWSE-10", "BROWSE-37", "BROWSE-41")
def test_browse_first_puts_the_cursor_on_the_message_it_returns(qm: QM) -> None:
    handle = three(qm)
    assert [take(handle, options) for options in (FIRST, AT, AT, NEXT)] == [b"1", b"1", b"1", b"2"]
    assert qm.depth() == 3


@pytest.mark.conformance("BROWSE-11", "BROWSE-12", "BROWSE-40")
@pytest.mark.parametrize("by_another", [False, True])
def test_the_cursor_keeps_its_place_when_the_message_is_taken(qm: QM, by_another: bool) -> None:
    handle = three(qm)
    take(handle, NEXT)
    take(handle, NEXT)
    if by_another:
        assert take(qm.open(connection=qm.connect()), 0, BY_CORREL_ID, correl_id=C2) == b"2"
    else:
        assert take(handle, UNDER) == b"2"
    with fails(NONE_THERE):
        handle.get(AT)
    assert take(handle, NEXT) == b"3"


@pytest.mark.conformance("BROWSE-14", "BROWSE-15")
@pytest.mark.parametrize(
    ("options", "match_options", "fields"),
    [(NEXT, BY_CORREL_ID, {"correl_id": C9}), (FIRST, MQMO_MATCH_MSG_ID, {"msg_id": C9})],
)
def test_a_browse_that_fails_does_not_move_the_cursor(
    qm: QM, options: int, match_options: int, fields: dict[str, object]
) -> None:
    handle = three(qm)
    take(handle, NEXT)
    take(handle, NEXT)
    with fails(NOTHING):
        take(handle, options, match_options, **fields)
    assert [take(handle, AT), take(handle, NEXT)] == [b"2", b"3"]


@pytest.mark.conformance("BROWSE-17")
@pytest.mark.parametrize("options", [FIRST, NEXT])
def test_browsing_with_lock_hides_the_message_from_others(qm: QM, options: int) -> None:
    qm.put("1")
    assert take(qm.open(), options | LOCK) == b"1"
    with fails(NOTHING):
        qm.open(connection=qm.connect()).get()


@pytest.mark.conformance("BROWSE-18")
@pytest.mark.parametrize("match_options", [0, BY_CORREL_ID, MQMO_MATCH_MSG_ID, MQMO_MATCH_GROUP_ID])
@pytest.mark.parametrize("complete", [0, MQGMO_COMPLETE_MSG])
@pytest.mark.parametrize("available", [0, MQGMO_ALL_MSGS_AVAILABLE, MQGMO_ALL_SEGMENTS_AVAILABLE])
@pytest.mark.parametrize("order", [0, LOGICAL])
def test_browsing_goes_with_every_option_of_groups_and_segments(
    qm: QM, order: int, available: int, complete: int, match_options: int
) -> None:
    member(qm, K, 2, last=True)
    segment(qm, 2, "cd", last=True)
    segment(qm, 0, "ab")
    member(qm, K, 1)
    handle, options = qm.open(), order | available | complete
    found = [take(handle, FIRST | options, match_options, correl_id=bytes(24))]
    while len(found) < (3 if complete else 4):
        found.append(take(handle, NEXT | options, match_options, correl_id=bytes(24)))
    segments = [b"abcd"] if complete else [b"ab", b"cd"] if order else [b"cd", b"ab"]
    assert found == ([*segments, b"K1", b"K2"] if order else [b"K2", *segments, b"K1"])


@pytest.mark.conformance("BROWSE-19", "BROWSE-20", "LOGORD-29")
def test_the_same_queue_is_browsed_in_logical_or_in_physical_order(qm: QM) -> None:
    member(qm, G, 2, last=True)
    member(qm, G, 1)
    qm.put("X")
    member(qm, K, 1, last=True)
    handle = qm.open()
    for order, expected in ((LOGICAL, [b"G1", b"G2", b"X", b"K1"]), (0, [b"G2", b"G1", b"X", b"K1"])):
        assert [take(handle, FIRST | order), *(take(handle, NEXT | order) for _ in range(3))] == expected
        with fails(NOTHING):
            take(handle, NEXT | order)


@pytest.mark.conformance("BROWSE-21")
@pytest.mark.parametrize("begins", [FIRST, NEXT])
@pytest.mark.parametrize("order", [0, LOGICAL])
def test_browse_next_in_the_other_order_fails_and_the_cursor_stays(qm: QM, order: int, begins: int) -> None:
    handle = three(qm)
    take(handle, begins | order)
    with fails(rc.MQRC_INCONSISTENT_BROWSE):
        take(handle, NEXT | LOGICAL ^ order)
    assert take(handle, NEXT | order) == b"2"


@pytest.mark.conformance("BROWSE-23", "BROWSE-25")
def test_browse_first_begins_anew_and_one_that_fails_leaves_the_group_where_it_was(qm: QM) -> None:
    for seq in (1, 2, 3):
        member(qm, G, seq, last=seq == 3)
    handle = qm.open()
    assert [take(handle, NEXT | LOGICAL) for _ in range(2)] == [b"G1", b"G2"]
    with fails(NOTHING):
        take(handle, FIRST | LOGICAL, MQMO_MATCH_GROUP_ID, group_id=K)
    assert take(handle, NEXT | LOGICAL) == b"G3"
    assert take(handle, FIRST | LOGICAL) == b"G1"


@pytest.mark.conformance("BROWSE-24")
def test_browse_next_goes_on_in_the_group_that_browse_first_chose(qm: QM) -> None:
    for group_id in (G, K):
        member(qm, group_id, 1)
        member(qm, group_id, 2, last=True)
    handle = qm.open()
    assert take(handle, FIRST | LOGICAL, MQMO_MATCH_GROUP_ID, group_id=K) == b"K1"
    assert take(handle, NEXT | LOGICAL) == b"K2"


@pytest.mark.conformance("BROWSE-32")
def test_an_arrival_behind_the_cursor_is_found_after_opening_the_queue_again(qm: QM) -> None:
    qm.put("A", priority=5)
    with qm.open() as handle:
        take(handle, NEXT)
        qm.put("high", priority=9)
        with fails(NOTHING):
            take(handle, NEXT)
    assert take(qm.open(), NEXT) == b"high"


@pytest.mark.conformance("BROWSE-35")
def test_physical_browsing_finds_the_first_of_a_group_behind_its_last(qm: QM) -> None:
    member(qm, G, 2, last=True)
    member(qm, G, 1)
    handle = qm.open()
    assert take(handle, FIRST) == b"G2"
    assert take(handle, NEXT, MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=1) == b"G1"


@pytest.mark.conformance("BROWSE-36")
def test_physical_browsing_finds_the_first_segment_behind_the_last(qm: QM) -> None:
    segment(qm, 2, "cd", last=True)
    segment(qm, 0, "ab")
    handle = qm.open()
    assert take(handle, FIRST) == b"cd"
    assert take(handle, NEXT, MQMO_MATCH_OFFSET, offset=0) == b"ab"


@pytest.mark.conformance("BEY-64", "BROWSE-37", "BROWSE-50")
@pytest.mark.parametrize("options", [AT, UNDER])
def test_under_the_cursor_match_options_do_not_count(qm: QM, options: int) -> None:
    handle = three(qm)
    take(handle, FIRST)
    assert take(handle, options, BY_CORREL_ID, correl_id=C9) == b"1"
    assert qm.data() == ([b"1", b"2", b"3"] if options == AT else [b"2", b"3"])


@pytest.mark.conformance("BROWSE-42", "BROWSE-43")
def test_locking_under_the_cursor_holds_the_message_however_often(qm: QM) -> None:
    qm.put("1")
    ours, other = qm.open(), qm.open(connection=qm.connect())
    take(ours, FIRST)
    for _ in range(3):
        assert take(ours, AT | LOCK) == b"1"
        with fails(NOTHING):
            other.get()


@pytest.mark.conformance("BROWSE-45", "BROWSE-46", "BROWSE-47", "LOCK-21")
def test_what_was_browsed_without_lock_is_anybodys(qm: QM) -> None:
    qm.put("1")
    ours, other = qm.open(), qm.open(connection=qm.connect())
    take(ours, FIRST | LOCK)
    assert [take(ours, AT), take(ours, AT)] == [b"1", b"1"]
    assert other.get().message.data == b"1"
    with fails(NONE_THERE):
        ours.get(UNDER)


@pytest.mark.conformance("BROWSE-49")
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_whole_message_is_not_browsed_from_a_cursor_in_its_middle(qm: QM, is_whole: bool) -> None:
    segment(qm, 2, "cd", last=True)
    if is_whole:
        segment(qm, 0, "ab")
    handle = qm.open()
    take(handle, FIRST)
    with fails(rc.MQRC_INVALID_MSG_UNDER_CURSOR):
        take(handle, AT | MQGMO_COMPLETE_MSG)
    assert take(handle, AT) == b"cd"


@pytest.mark.conformance("BROWSE-51")
def test_the_message_browsed_last_is_the_one_that_goes(qm: QM) -> None:
    handle = three(qm)
    take(handle, FIRST)
    take(handle, NEXT)
    assert take(handle, UNDER) == b"2"
    assert qm.data() == [b"1", b"3"]


def never_browsed(qm: QM, handle: Handle) -> None:
    """The cursor is before the first message."""


def removed(qm: QM, handle: Handle) -> None:
    take(handle, FIRST)
    qm.open(connection=qm.connect()).get()


def locked(qm: QM, handle: Handle) -> None:
    take(handle, FIRST)
    take(qm.open(connection=qm.connect()), FIRST | LOCK)


def got_uncommitted(qm: QM, handle: Handle) -> None:
    take(handle, FIRST)
    qm.open(connection=qm.connect()).get(MQGMO_SYNCPOINT)


@pytest.mark.conformance("BROWSE-39", "BROWSE-40", "BROWSE-44", "BROWSE-48", "BROWSE-56")
@pytest.mark.parametrize("befall", [never_browsed, removed, locked, got_uncommitted])
def test_what_cannot_be_had_is_not_under_the_cursor(qm: QM, befall: Callable[[QM, Handle], None]) -> None:
    qm.put("1")
    qm.put("2")
    handle = qm.open()
    befall(qm, handle)
    for options in (UNDER, AT, AT | LOCK):
        with fails(NONE_THERE):
            handle.get(options)
    assert handle.get(MQGMO_UNLOCK).reason == rc.MQRC_NO_MSG_LOCKED


@pytest.mark.conformance("BROWSE-56")
@pytest.mark.parametrize("lock", [0, LOCK])
def test_what_has_expired_is_not_under_the_cursor(qm: QM, advance: Callable[[float], None], lock: int) -> None:
    qm.put("1", expiry=10)
    handle = qm.open()
    take(handle, FIRST | lock)
    advance(2)
    for options in (AT, UNDER):
        with fails(NONE_THERE):
            handle.get(options)
    handle.close()
    with fails(NOTHING):
        qm.open().get()
    assert qm.depth() == 0


@pytest.mark.conformance("BROWSE-61")
def test_in_logical_order_the_cursor_is_on_the_message_returned_last(qm: QM) -> None:
    member(qm, G, 2, last=True)
    member(qm, G, 1)
    handle = qm.open()
    assert [take(handle, NEXT | LOGICAL) for _ in range(2)] == [b"G1", b"G2"]
    assert take(handle, AT) == b"G2"
    assert take(handle, UNDER) == b"G2"


@pytest.mark.conformance("BROWSE-01", "BROWSE-26", "BROWSE-27", "BROWSE-59")
def test_browse_next_goes_through_the_queue_from_its_beginning_by_each_handle(qm: QM) -> None:
    handle = three(qm)
    assert [take(handle, NEXT) for _ in range(3)] == [b"1", b"2", b"3"]
    with fails(NOTHING):
        handle.get(NEXT)
    assert take(qm.open(), NEXT) == b"1"
    assert qm.depth() == 3


@pytest.mark.conformance("BROWSE-34")
def test_what_arrives_after_the_end_is_found_by_the_next_browse(qm: QM) -> None:
    qm.put("a")
    handle = qm.open()
    handle.get(NEXT)
    with fails(NOTHING):
        handle.get(NEXT)
    qm.put("b")
    assert take(handle, NEXT) == b"b"


@pytest.mark.conformance("BROWSE-13", "BROWSE-38")
def test_a_removing_get_does_not_move_the_cursor(qm: QM) -> None:
    handle = three(qm)
    assert [take(handle, options) for options in (FIRST, NEXT, 0, AT, NEXT)] == [b"1", b"2", b"1", b"2", b"3"]


@pytest.mark.conformance("BROWSE-30", "BROWSE-31", "BROWSE-33")
def test_an_arrival_behind_the_cursor_is_found_from_the_beginning_only(qm: QM) -> None:
    qm.put("A", priority=5)
    qm.put("B", priority=5)
    handle = qm.open()
    handle.get(FIRST)
    qm.put("high", priority=9)
    qm.put("low", priority=1)
    assert [take(handle, NEXT) for _ in range(2)] == [b"B", b"low"]
    with fails(NOTHING):
        handle.get(NEXT)
    assert take(handle, FIRST) == b"high"


@pytest.mark.conformance("BROWSE-57", "BROWSE-58")
def test_a_get_under_the_cursor_can_be_backed_out(qm: QM) -> None:
    qm.put("a")
    qm.put("b")
    handle = qm.open()
    handle.get(FIRST)
    take(handle, UNDER | MQGMO_SYNCPOINT)
    qm.main.backout()
    assert qm.data() == [b"a", b"b"]
    assert take(handle, UNDER) == b"a"


@pytest.mark.conformance("BROWSE-60")
def test_a_browse_sees_neither_uncommitted_nor_locked_messages(qm: QM) -> None:
    for name in ("got", "locked", "free"):
        qm.put(name)
    other = qm.connect()
    taker, locker = qm.open(connection=other), qm.open(connection=other)
    taker.get(MQGMO_SYNCPOINT)
    locker.get(FIRST | LOCK)
    qm.put("uncommitted", options=MQPMO_SYNCPOINT)
    handle = qm.open()
    assert take(handle, NEXT) == b"free"
    with fails(NOTHING):
        handle.get(NEXT)
