"""Groups and segments on the queue manager: logical order, whole messages, what is available."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_LAST_SEGMENT, MQMF_MSG_IN_GROUP, MQMF_SEGMENT
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_OFFSET,
)
from mqtools.message import MQMD

from ..conftest import QM, fails, take
from .group_story import COMPLETE, LOGICAL, NOTHING, G, K, member, part, take_all


@pytest.mark.conformance("LOGORD-09")
@pytest.mark.conformance("LOGORD-13")
@pytest.mark.conformance("LOGORD-37")
def test_a_group_comes_in_sequence_whatever_the_order_on_the_queue(qm: QM) -> None:
    for seq in (3, 1, 2):
        member(qm, G, seq, last=seq == 3)
    assert take_all(qm.open(), LOGICAL) == [b"G1", b"G2", b"G3"]


@pytest.mark.conformance("LOGORD-38")
def test_without_logical_order_messages_come_as_they_lie(qm: QM) -> None:
    for seq in (3, 1, 2):
        member(qm, G, seq, last=seq == 3)
    assert take_all(qm.open()) == [b"G3", b"G1", b"G2"]


@pytest.mark.conformance("LOGORD-10")
def test_segments_come_in_offset_order(qm: QM) -> None:
    part(qm, G, 4, "cd", last=True)
    part(qm, G, 0, "ab")
    part(qm, G, 2, "xy")
    assert take_all(qm.open(), LOGICAL) == [b"ab", b"xy", b"cd"]


@pytest.mark.conformance("LOGORD-11")
@pytest.mark.conformance("LOGORD-30")
def test_groups_come_in_the_order_of_their_first_messages_among_the_others(qm: QM) -> None:
    qm.put("A")
    member(qm, K, 2, last=True)
    member(qm, G, 1)
    qm.put("B")
    member(qm, K, 1)
    member(qm, G, 2, last=True)
    assert take_all(qm.open(), LOGICAL) == [b"A", b"G1", b"G2", b"B", b"K1", b"K2"]


@pytest.mark.conformance("LOGORD-31")
def test_on_a_priority_queue_the_first_message_decides(qm: QM) -> None:
    member(qm, G, 1, priority=1)
    member(qm, G, 2, last=True, priority=9)
    member(qm, K, 1, last=True, priority=5)
    assert take_all(qm.open(), LOGICAL) == [b"K1", b"G1", b"G2"]


@pytest.mark.conformance("LOGORD-32")
@pytest.mark.conformance("LOGORD-15")
def test_the_next_of_the_current_group_is_waited_for_and_nothing_else_comes(qm: QM) -> None:
    member(qm, G, 1)
    qm.put("X")
    handle = qm.open()
    assert take(handle, LOGICAL) == b"G1"
    with fails(NOTHING):
        take(handle, LOGICAL)
    member(qm, G, 2, last=True)
    assert take(handle, LOGICAL) == b"G2"
    assert take(handle, LOGICAL) == b"X"


@pytest.mark.conformance("LOGORD-15")
def test_a_group_without_its_first_message_is_not_begun(qm: QM) -> None:
    member(qm, G, 2, last=True)
    with fails(NOTHING):
        take(qm.open(), LOGICAL)


@pytest.mark.conformance("LOGORD-08")
@pytest.mark.conformance("LOGORD-45")
def test_leaving_logical_order_in_a_group_warns(qm: QM) -> None:
    for seq in (1, 3, 2):
        member(qm, G, seq, last=seq == 3)
    handle = qm.open()
    handle.get(LOGICAL)
    result = handle.get()
    assert (result.message.data, result.reason) == (b"G3", rc.MQRC_INCOMPLETE_GROUP)


@pytest.mark.conformance("LOGORD-14")
@pytest.mark.conformance("LOGORD-33")
@pytest.mark.conformance("LOGORD-34")
def test_a_group_is_got_inside_units_of_work_or_outside_not_both(qm: QM) -> None:
    for seq in (1, 2, 3):
        member(qm, G, seq, last=seq == 3)
    handle = qm.open()
    handle.get(LOGICAL | MQGMO_SYNCPOINT)
    qm.main.commit()
    with fails(rc.MQRC_INCONSISTENT_UOW):
        handle.get(LOGICAL)
    assert take(handle, LOGICAL | MQGMO_SYNCPOINT) == b"G2"


@pytest.mark.conformance("LOGORD-60")
@pytest.mark.conformance("BEY-57")
def test_a_backout_goes_back_in_the_group_only_for_what_was_in_the_unit_of_work(qm: QM) -> None:
    qm.define("P")
    for seq in (1, 2):
        member(qm, G, seq, last=seq == 2)
    for seq in (1, 2):
        qm.put(f"K{seq}", "P", group_id=K, msg_seq_number=seq,
               msg_flags=MQMF_MSG_IN_GROUP | (MQMF_LAST_MSG_IN_GROUP if seq == 2 else 0))  # fmt: skip
    inside, outside = qm.open(), qm.open("P")
    inside.get(LOGICAL | MQGMO_SYNCPOINT)
    outside.get(LOGICAL)
    qm.main.backout()
    assert take(inside, LOGICAL | MQGMO_SYNCPOINT) == b"G1"
    assert take(outside, LOGICAL) == b"K2"


@pytest.mark.conformance("LOGORD-40")
def test_a_restart_positions_the_handle_by_match_options(qm: QM) -> None:
    for seq in (1, 2, 3, 4):
        member(qm, G, seq, last=seq == 4)
    handle = qm.open()
    by_place = MQMO_MATCH_GROUP_ID | MQMO_MATCH_MSG_SEQ_NUMBER | MQMO_MATCH_OFFSET
    assert take(handle, md=MQMD(group_id=G, msg_seq_number=3), match_options=by_place) == b"G3"
    assert take(handle, LOGICAL) == b"G4"


@pytest.mark.conformance("LOGORD-22")
def test_match_options_choose_the_group(qm: QM) -> None:
    member(qm, G, 1, last=True)
    member(qm, K, 1, last=True)
    md = MQMD(group_id=K)
    assert take(qm.open(), LOGICAL, md=md, match_options=MQMO_MATCH_GROUP_ID) == b"K1"


@pytest.mark.conformance("LOGORD-53")
@pytest.mark.conformance("LOGORD-52")
@pytest.mark.conformance("LOGORD-18")
def test_closing_in_the_middle_of_a_group_warns(qm: QM) -> None:
    for seq in (1, 2):
        member(qm, G, seq, last=seq == 2)
    handle = qm.open()
    handle.get(LOGICAL | MQGMO_BROWSE_FIRST)
    handle.get(LOGICAL)
    assert handle.close() == rc.MQRC_INCOMPLETE_GROUP
    again = qm.open()
    again.get(md=MQMD(msg_seq_number=2), match_options=MQMO_MATCH_MSG_SEQ_NUMBER)
    assert again.close() == rc.MQRC_NONE


@pytest.mark.conformance("LOGORD-29")
@pytest.mark.conformance("BROWSE-19")
@pytest.mark.conformance("BROWSE-61")
def test_browsing_in_logical_order_goes_from_group_to_group(qm: QM) -> None:
    member(qm, G, 2, last=True)
    member(qm, G, 1)
    qm.put("X")
    member(qm, K, 1, last=True)
    handle = qm.open()
    found = [take(handle, LOGICAL | MQGMO_BROWSE_FIRST)]
    found += [take(handle, LOGICAL | MQGMO_BROWSE_NEXT) for _ in range(3)]
    assert found == [b"G1", b"G2", b"X", b"K1"]
    with fails(NOTHING):
        take(handle, LOGICAL | MQGMO_BROWSE_NEXT)
    assert qm.depth() == 4


@pytest.mark.conformance("BROWSE-20")
@pytest.mark.conformance("BROWSE-21")
def test_only_browse_first_changes_between_logical_and_physical(qm: QM) -> None:
    qm.put("a")
    qm.put("b")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    with fails(rc.MQRC_INCONSISTENT_BROWSE):
        handle.get(LOGICAL | MQGMO_BROWSE_NEXT)
    assert take(handle, MQGMO_BROWSE_NEXT) == b"b"
    assert take(handle, LOGICAL | MQGMO_BROWSE_FIRST) == b"a"


@pytest.mark.conformance("BROWSE-22")
@pytest.mark.conformance("LOGORD-42")
def test_browsing_and_getting_keep_separate_places(qm: QM) -> None:
    for seq in (1, 2, 3):
        member(qm, G, seq, last=seq == 3)
    member(qm, K, 1)
    handle = qm.open()
    assert take(handle, LOGICAL) == b"G1"
    handle.get(LOGICAL | MQGMO_BROWSE_FIRST)
    assert take(handle, LOGICAL) == b"G2"


@pytest.mark.conformance("COMPL-01")
@pytest.mark.conformance("COMPL-02")
@pytest.mark.conformance("COMPL-04")
@pytest.mark.conformance("COMPL-19")
def test_complete_msg_puts_the_segments_together(qm: QM) -> None:
    part(qm, G, 5, "fgh", last=True)
    first = part(qm, G, 0, "abcde")
    result = qm.open().get(COMPLETE)
    md = result.message.md
    assert (result.message.data, md.offset, md.msg_id) == (b"abcdefgh", 0, first.msg_id)
    assert md.msg_flags == MQMF_SEGMENT | MQMF_LAST_SEGMENT
    assert (result.segment_status, qm.depth()) == ("L", 0)


@pytest.mark.conformance("COMPL-03")
def test_without_it_segments_come_singly(qm: QM) -> None:
    part(qm, G, 0, "ab")
    part(qm, G, 2, "cd", last=True)
    assert take(qm.open()) == b"ab"


@pytest.mark.conformance("COMPL-05")
@pytest.mark.conformance("COMPL-06")
def test_truncation_of_a_whole_message_takes_all_segments_or_none(qm: QM) -> None:
    part(qm, G, 0, "abcde")
    part(qm, G, 5, "fgh", last=True)
    handle = qm.open()
    result = handle.get(COMPLETE, max_length=6)
    assert (result.reason, result.message.data, result.data_length) == (rc.MQRC_TRUNCATED_MSG_FAILED, b"abcdef", 8)
    assert qm.depth() == 2
    assert handle.get(COMPLETE | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=6).message.data == b"abcdef"
    assert qm.depth() == 0


@pytest.mark.conformance("COMPL-07")
@pytest.mark.conformance("COMPL-08")
@pytest.mark.conformance("COMPL-10")
def test_incomplete_messages_are_passed_over_and_count(qm: QM) -> None:
    part(qm, G, 0, "ab")
    qm.put("X")
    handle = qm.open()
    assert qm.depth() == 2
    assert take(handle, COMPLETE) == b"X"
    with fails(NOTHING):
        take(handle, COMPLETE)
    part(qm, G, 2, "cd", last=True)
    assert take(handle, COMPLETE) == b"abcd"


@pytest.mark.conformance("COMPL-11")
@pytest.mark.conformance("COMPL-13")
@pytest.mark.conformance("COMPL-15")
@pytest.mark.conformance("COMPL-16")
def test_reassembly_of_persistent_segments_and_units_of_work(qm: QM) -> None:
    for _ in range(2):
        part(qm, G, 0, "ab", persistence=1)
        part(qm, G, 2, "cd", last=True, persistence=1)
        handle = qm.open()
        assert take(handle, COMPLETE | MQGMO_SYNCPOINT) == b"abcd"
        qm.main.backout()
        assert qm.depth() == 2
        assert take(handle, COMPLETE) == b"abcd"
    part(qm, G, 0, "ab", persistence=1)
    part(qm, G, 2, "cd", last=True, persistence=1)
    from mqtools.constants.options import MQPMO_SYNCPOINT

    qm.put("other", "R", options=MQPMO_SYNCPOINT)
    with fails(rc.MQRC_UOW_NOT_AVAILABLE):
        take(handle, COMPLETE)
    assert qm.depth() == 2


@pytest.mark.conformance("COMPL-20")
@pytest.mark.conformance("COMPL-24")
def test_segments_of_another_ccsid_are_left_for_single_gets(qm: QM) -> None:
    part(qm, G, 0, "ab")
    part(qm, G, 2, "cd", coded_char_set_id=819)
    part(qm, G, 4, "ef", last=True)
    handle = qm.open()
    result = handle.get(COMPLETE)
    assert (result.message.data, result.reason) == (b"ab", rc.MQRC_INCONSISTENT_CCSIDS)
    with fails(NOTHING):
        take(handle, COMPLETE)
    assert qm.depth() == 2


@pytest.mark.conformance("COMPL-34")
@pytest.mark.conformance("LOCK-05")
def test_browsing_and_locking_a_whole_message(qm: QM) -> None:
    part(qm, G, 0, "ab")
    part(qm, G, 2, "cd", last=True)
    ours, other = qm.open(), qm.open()
    assert take(ours, COMPLETE | MQGMO_BROWSE_FIRST | MQGMO_LOCK) == b"abcd"
    with fails(NOTHING):
        other.get()
    assert take(ours, COMPLETE | MQGMO_MSG_UNDER_CURSOR) == b"abcd"
    assert qm.depth() == 0


@pytest.mark.conformance("COMPL-29")
@pytest.mark.conformance("BROWSE-52")
def test_a_whole_message_is_not_under_a_cursor_in_its_middle(qm: QM) -> None:
    part(qm, G, 2, "cd", last=True)
    part(qm, G, 0, "ab")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    with fails(rc.MQRC_INVALID_MSG_UNDER_CURSOR):
        handle.get(COMPLETE | MQGMO_MSG_UNDER_CURSOR)
    assert qm.depth() == 2


@pytest.mark.conformance("COMPL-35")
def test_whole_messages_of_a_group_in_order(qm: QM) -> None:
    flags = MQMF_MSG_IN_GROUP | MQMF_SEGMENT
    qm.put("2b", group_id=G, msg_seq_number=2, offset=2, msg_flags=flags | MQMF_LAST_SEGMENT | MQMF_LAST_MSG_IN_GROUP)
    qm.put("2a", group_id=G, msg_seq_number=2, offset=0, msg_flags=flags | MQMF_LAST_MSG_IN_GROUP)
    member(qm, G, 1)
    assert take_all(qm.open(), COMPLETE | LOGICAL) == [b"G1", b"2a2b"]


@pytest.mark.conformance("AVAIL-01")
@pytest.mark.conformance("AVAIL-02")
@pytest.mark.conformance("AVAIL-04")
@pytest.mark.conformance("AVAIL-06")
def test_all_msgs_available_holds_a_group_back_until_it_is_whole(qm: QM) -> None:
    member(qm, G, 1)
    member(qm, G, 3, last=True)
    qm.put("X")
    handle, options = qm.open(), LOGICAL | MQGMO_ALL_MSGS_AVAILABLE
    assert qm.depth() == 3
    assert take(handle, options) == b"X"
    with fails(NOTHING):
        take(handle, options)
    member(qm, G, 2)
    assert take_all(handle, options) == [b"G1", b"G2", b"G3"]


@pytest.mark.conformance("AVAIL-07")
@pytest.mark.conformance("AVAIL-10")
def test_without_logical_order_it_always_has_effect(qm: QM) -> None:
    member(qm, G, 1)
    member(qm, G, 2, last=True)
    handle = qm.open()
    assert take(handle, MQGMO_ALL_MSGS_AVAILABLE) == b"G1"
    with fails(NOTHING):
        take(handle, MQGMO_ALL_MSGS_AVAILABLE)
    assert take(handle) == b"G2"


@pytest.mark.conformance("AVAIL-14")
def test_a_locked_message_makes_its_group_incomplete(qm: QM) -> None:
    member(qm, G, 1)
    member(qm, G, 2, last=True)
    locker, handle = qm.open(connection=qm.connect()), qm.open()
    locker.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    with fails(NOTHING):
        take(handle, MQGMO_ALL_MSGS_AVAILABLE)
    locker.close()
    assert take(handle, MQGMO_ALL_MSGS_AVAILABLE) == b"G1"


@pytest.mark.conformance("AVAIL-16")
@pytest.mark.conformance("AVAIL-17")
@pytest.mark.conformance("AVAIL-21")
@pytest.mark.conformance("AVAIL-24")
def test_all_segments_available_holds_segments_back_until_they_are_all_there(qm: QM) -> None:
    part(qm, G, 0, "ab")
    handle, options = qm.open(), LOGICAL | MQGMO_ALL_SEGMENTS_AVAILABLE
    with fails(NOTHING):
        take(handle, options)
    part(qm, G, 2, "cd", last=True)
    assert take_all(handle, options) == [b"ab", b"cd"]


@pytest.mark.conformance("AVAIL-20")
def test_between_the_messages_of_a_group_it_has_effect_again(qm: QM) -> None:
    member(qm, G, 1)
    flags = MQMF_MSG_IN_GROUP | MQMF_SEGMENT | MQMF_LAST_MSG_IN_GROUP
    qm.put("2a", group_id=G, msg_seq_number=2, msg_flags=flags)
    handle, options = qm.open(), LOGICAL | MQGMO_ALL_SEGMENTS_AVAILABLE
    assert take(handle, options) == b"G1"
    with fails(NOTHING):
        take(handle, options)
    qm.put("2b", group_id=G, msg_seq_number=2, offset=2, msg_flags=flags | MQMF_LAST_SEGMENT)
    assert take_all(handle, options) == [b"2a", b"2b"]
