"""Gets in logical order return groups and segments in order, however they lie on the queue."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import message as c
from mqtools.constants import options as mq
from mqtools.constants import reasons as r
from mqtools.message import MQMD
from mqtools.rules import logical_put
from mqtools.rules.groups import NO_POSITION, close_warning

from .entries import entry
from .physical_queue import (
    ALL_MSGS,
    ALL_SEGMENTS,
    COMPLETE,
    FIRST,
    G1,
    G2,
    G3,
    IN,
    K1,
    K2,
    K3,
    LAST,
    LAST_SEG,
    LOGICAL,
    NEXT,
    P1,
    P2,
    S1,
    S2,
    S3,
    SEG,
    G,
    K,
    L,
    Queue,
    X,
    Y,
    group,
    message,
    reason_of,
    segments,
)


class TestOrder:
    @pytest.mark.parametrize(
        ("physical", "logical"),
        [
            entry("LOGORD-09", [G3, G1, G2], [G1, G2, G3]),
            entry("LOGORD-10", [S2, S1, S3], [S1, S2, S3]),
            entry("LOGORD-11", [X, P1, Y, P2], [X, P1, P2, Y]),
            entry("LOGORD-13", [G1, G2, G3], [G1, G2, G3]),
            entry("LOGORD-15", [G2, G3], []),
            entry("LOGORD-16", [G1, K1, G2, K2], [G1, G2]),
            entry("LOGORD-20", [S1, X, S2, Y, S3], [S1, S2, S3, X, Y]),
            entry("LOGORD-21", [G1, K1, K2, G2, K3, G3], [G1, G2, G3, K1, K2, K3]),
            entry("LOGORD-30", [K2, G1, K1, G2, G3, K3], [G1, G2, G3, K1, K2, K3]),
            entry("LOGORD-50", [G1, G2, G3], [G1, G2, G3]),
        ],
    )
    def test_logical_order(self, physical: list[tuple[MQMD, int]], logical: list[tuple[MQMD, int]]) -> None:
        assert Queue(*physical).all() == logical

    @pytest.mark.conformance("LOGORD-38")
    def test_physical_order_takes_what_comes(self) -> None:
        physical = [K2, G1, X, K1, G2]
        assert Queue(*physical).all(0) == physical

    @pytest.mark.conformance("LOGORD-17")
    def test_group_ends_with_its_last_unsegmented_message(self) -> None:
        queue = Queue(P1, P2, X)
        assert queue.get() == P1
        assert queue.got.in_group
        assert queue.get() == P2
        assert not queue.got.is_open
        assert queue.get() == X

    @pytest.mark.conformance("LOGORD-18")
    def test_group_ends_with_the_last_segment_of_its_last_message(self) -> None:
        queue = Queue(message(G, 1, flags=IN), *segments(G, 10, 5, seq=2, flags=LAST))
        assert len(queue.all()) == 3
        assert not queue.got.is_open
        assert close_warning(queue.got, NO_POSITION, mq.MQOO_INPUT_SHARED) == 0

    @pytest.mark.conformance("LOGORD-08")
    def test_logical_order_is_not_sticky(self) -> None:
        queue = Queue(G3, G2, G1)
        assert queue.get() == G1
        assert queue.get(0) == G3
        assert queue.warning == r.MQRC_INCOMPLETE_GROUP

    @pytest.mark.conformance("LOGORD-32")
    def test_nothing_else_is_returned_while_the_next_message_is_missing(self) -> None:
        queue = Queue(G1, X)
        queue.get()
        assert reason_of(queue.get) == r.MQRC_NO_MSG_AVAILABLE
        queue.messages.append(G2)
        assert queue.get() == G2

    @pytest.mark.conformance("LOGORD-22")
    def test_match_options_choose_the_group(self) -> None:
        queue = Queue(G1, G2, G3, K1)
        assert queue.get(match=mq.MQMO_MATCH_GROUP_ID, md=MQMD(group_id=K)) == K1

    @pytest.mark.conformance("LOGORD-39")
    def test_match_options_choose_one_segment(self) -> None:
        match = mq.MQMO_MATCH_GROUP_ID | mq.MQMO_MATCH_MSG_SEQ_NUMBER | mq.MQMO_MATCH_OFFSET
        assert Queue(X, S1, S2, S3).get(0, match=match, md=MQMD(group_id=L, offset=10)) == S2

    @pytest.mark.conformance("RSEG-34")
    def test_report_segments_advance_by_original_length(self) -> None:
        reports = [
            message(L, 1, offset, flags, 0, msg_type=c.MQMT_REPORT, original_length=length)
            for offset, flags, length in ((30, LAST_SEG, 5), (0, SEG, 10), (10, SEG, 20))
        ]
        assert [md.offset for md, _ in Queue(*reports).all()] == [0, 10, 30]

    @pytest.mark.conformance("LOGORD-40")
    def test_physical_get_positions_for_logical_order(self) -> None:
        queue = Queue(*group(G, 5)[2:])
        match = mq.MQMO_MATCH_GROUP_ID | mq.MQMO_MATCH_MSG_SEQ_NUMBER
        queue.get(0, match=match, md=MQMD(group_id=G, msg_seq_number=3), sync=True)
        assert [queue.get(sync=True)[0].msg_seq_number for _ in range(2)] == [4, 5]

    @pytest.mark.conformance("LOGORD-43")
    def test_physical_get_replaces_what_is_retained(self) -> None:
        queue = Queue(G1, K2, G2, K3)
        queue.get()
        queue.get(0)
        assert queue.get() == K3

    @pytest.mark.conformance("LOGORD-60")
    def test_position_before_the_unit_of_work_can_be_taken_up_again(self) -> None:
        queue = Queue(*group(G, 4))
        queue.get(sync=True)
        before, messages = queue.got, list(queue.messages)
        queue.get(sync=True)
        queue.get(sync=True)
        queue.got, queue.messages = before, messages
        assert queue.get(sync=True)[0].msg_seq_number == 2

    @pytest.mark.conformance("LOGORD-42")
    def test_browsing_and_removing_have_positions_of_their_own(self) -> None:
        queue = Queue(G1, K1, G2, K2)
        queue.get()
        browsed = queue.browse(LOGICAL | FIRST, match=mq.MQMO_MATCH_GROUP_ID, md=MQMD(group_id=K))
        assert browsed == K1
        assert queue.get() == G2
        assert queue.browse(LOGICAL | NEXT) == K2


class TestAvailability:
    def test_incomplete_group_is_passed_over_until_it_is_complete(self) -> None:
        queue = Queue(G1, G2, X)
        assert queue.get(ALL_MSGS) == X  # AVAIL-04
        assert reason_of(queue.get, ALL_MSGS) == r.MQRC_NO_MSG_AVAILABLE
        queue.messages.append(G3)
        assert queue.get(ALL_MSGS) == G1  # AVAIL-01

    @pytest.mark.conformance("AVAIL-06")
    def test_all_messages_available_can_stay_on_in_logical_order(self) -> None:
        assert Queue(G1, G2, G3).all(ALL_MSGS | LOGICAL) == [G1, G2, G3]

    @pytest.mark.conformance("AVAIL-09")
    @pytest.mark.conformance("AVAIL-05")
    def test_group_is_not_locked(self) -> None:
        queue = Queue(G1, G2, G3)
        queue.get(ALL_MSGS | LOGICAL)
        queue.messages.remove(G3)
        assert queue.get(ALL_MSGS | LOGICAL) == G2
        assert reason_of(queue.get, ALL_MSGS | LOGICAL) == r.MQRC_NO_MSG_AVAILABLE

    @pytest.mark.conformance("AVAIL-07")
    def test_all_messages_available_holds_back_the_rest_of_a_begun_group(self) -> None:
        queue = Queue(G1, G2, G3)
        assert queue.get(ALL_MSGS) == G1
        assert reason_of(queue.get, ALL_MSGS) == r.MQRC_NO_MSG_AVAILABLE
        assert queue.get(0) == G2

    @pytest.mark.conformance("AVAIL-11")
    def test_group_with_a_missing_segment_is_not_available(self) -> None:
        queue = Queue(message(G, 1, flags=IN), segments(G, 10, 10, seq=2, flags=LAST)[0])
        assert reason_of(queue.get, ALL_MSGS) == r.MQRC_NO_MSG_AVAILABLE

    @pytest.mark.conformance("AVAIL-12")
    def test_ungrouped_message_with_a_missing_segment_is_not_available(self) -> None:
        assert reason_of(Queue(S1, S2).get, ALL_MSGS) == r.MQRC_NO_MSG_AVAILABLE

    @pytest.mark.conformance("AVAIL-20")
    def test_segments_are_waited_for_between_messages_of_a_group(self) -> None:
        first, (a, b) = message(G, 1, flags=IN), segments(G, 10, 10, seq=2, flags=LAST)
        queue = Queue(first, a)
        queue.get(ALL_SEGMENTS | LOGICAL)
        assert reason_of(queue.get, ALL_SEGMENTS | LOGICAL) == r.MQRC_NO_MSG_AVAILABLE
        queue.messages.append(b)
        assert queue.all(ALL_SEGMENTS | LOGICAL) == [a, b]  # AVAIL-21

    @pytest.mark.conformance("AVAIL-22")
    def test_all_segments_available_holds_back_the_rest_of_a_begun_message(self) -> None:
        queue = Queue(S1, S2, S3)
        assert queue.get(ALL_SEGMENTS) == S1
        assert reason_of(queue.get, ALL_SEGMENTS) == r.MQRC_NO_MSG_AVAILABLE
        assert queue.get(0) == S2

    @pytest.mark.conformance("COMPL-03")
    @pytest.mark.conformance("AVAIL-24")
    def test_available_segments_are_got_one_by_one(self) -> None:
        assert Queue(S1, S2, S3).all(ALL_SEGMENTS | LOGICAL) == [S1, S2, S3]

    @pytest.mark.conformance("COMPL-33")
    def test_match_options_are_applied_to_the_first_segment(self) -> None:
        first, second = segments(G, 10, 10)
        second = (second[0].replace(correl_id=b"C" * 24), second[1])
        queue = Queue(S1, S2, S3, first, second)
        assert queue.get(COMPLETE | LOGICAL, match=mq.MQMO_MATCH_GROUP_ID, md=MQMD(group_id=G)) == first
        other = MQMD(correl_id=b"C" * 24)
        queue = Queue(first, second)
        assert reason_of(queue.get, COMPLETE | LOGICAL, match=mq.MQMO_MATCH_CORREL_ID, md=other) == 2033

    @pytest.mark.conformance("AVAIL-27")
    def test_mixed_reports_are_got_one_by_one(self) -> None:
        reports = [
            message(L, 1, md.offset, md.msg_flags, 0, msg_type=c.MQMT_REPORT, feedback=feedback, original_length=n)
            for (md, n), feedback in zip((S1, S2, S3), (c.MQFB_COA, 2053, c.MQFB_COD), strict=True)
        ]
        assert Queue(*reports).all(ALL_SEGMENTS | LOGICAL) == reports


# Groups of logical messages of segments: each number is a length; the last segment may be empty.
logical_messages = st.tuples(st.lists(st.integers(1, 40), max_size=3), st.integers(0, 40)).map(lambda m: (*m[0], m[1]))
logical_groups = st.lists(st.lists(logical_messages, min_size=1, max_size=4), min_size=1, max_size=4)


def put_in_order(contents: list[list[tuple[int, ...]]]) -> list[list[tuple[MQMD, int]]]:
    """Put groups with MQPMO_LOGICAL_ORDER, on one handle; a group of one may as well be none."""
    ids = iter(bytes([n + 1]) * 24 for n in range(1000))
    position, placed = NO_POSITION, []
    for number, content in enumerate(contents):
        placed.append([])
        for seq, lengths in enumerate(content, 1):
            flags = 0 if len(content) == 1 and number % 2 else LAST if seq == len(content) else IN
            for n, length in enumerate(lengths, 1):
                kind = 0 if len(lengths) == 1 else LAST_SEG if n == len(lengths) else SEG
                md = MQMD(msg_flags=flags | kind, msg_id=bytes([number, seq, n]) * 8)
                fields, position = logical_put.place_logically(position, md, length, 0, True, lambda: next(ids))
                placed[-1].append((md.replace(**fields), length))
        assert not position.is_open
    return placed


@given(logical_groups, st.data())
def test_groups_put_in_logical_order_are_got_in_logical_order_however_they_arrive(
    contents: list[list[tuple[int, ...]]], data: st.DataObject
) -> None:
    placed = put_in_order(contents)
    arrived = data.draw(st.permutations([one for members in placed for one in members]))
    in_order = sorted(placed, key=lambda members: arrived.index(members[0]))
    expected = [one for members in in_order for one in members]
    assert Queue(*arrived).all() == expected
    assert Queue(*arrived).all(LOGICAL | ALL_MSGS) == expected
    assert Queue(*arrived).all(LOGICAL | ALL_SEGMENTS) == expected
    queue, browsed = Queue(*arrived), []
    for _ in range(len(expected)):
        browsed.append(queue.browse(LOGICAL | (NEXT if queue.browsed.is_open else FIRST)))
        if not queue.browsed.is_open:
            queue.messages = [one for one in queue.messages if one not in browsed]
    assert browsed == expected


@given(logical_groups, st.data())
def test_without_a_member_its_group_is_held_back_and_the_others_are_not(
    contents: list[list[tuple[int, ...]]], data: st.DataObject
) -> None:
    placed = put_in_order(contents)
    lost = data.draw(st.integers(0, len(placed) - 1))
    member = data.draw(st.sampled_from(placed[lost]))
    arrived = [one for members in placed for one in members if one is not member]
    got = Queue(*arrived).all(LOGICAL | ALL_MSGS)
    assert got == [one for n, members in enumerate(placed) if n != lost for one in members]
