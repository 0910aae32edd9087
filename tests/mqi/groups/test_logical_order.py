"""Groups and segments in logical order: what is looked for, what ends, what is retained, and for whom."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
)
from mqtools.constants.objects import MQMDS_FIFO
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_MATCH_OFFSET,
    MQPMO_LOGICAL_ORDER,
)
from mqtools.message import MQMD, Message

from ..conftest import QM, fails, take
from .group_story import LOGICAL, G, K, L, member, members, nothing, part, parts, take_all, take_by

IN, LAST_IN = MQMF_MSG_IN_GROUP, MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
BROWSES = (MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT, MQGMO_BROWSE_NEXT)


@pytest.mark.conformance("LOGORD-02", "LOGORD-03")
def test_segments_share_group_and_number_and_differ_in_offset(qm: QM) -> None:
    handle = qm.open()
    for length, flags in ((10, MQMF_SEGMENT), (20, MQMF_SEGMENT), (5, MQMF_LAST_SEGMENT)):
        handle.put(Message(b"s" * length, MQMD(msg_flags=flags)), MQPMO_LOGICAL_ORDER)
    mds = [result.message.md for result in qm.got()]
    assert len({md.group_id for md in mds}) == 1
    assert any(mds[0].group_id)
    assert [(md.msg_seq_number, md.offset) for md in mds] == [(1, 0), (1, 10), (1, 30)]
    assert len({md.msg_id for md in mds}) == 3


@pytest.mark.conformance("LOGORD-06", "LOGORD-07")
def test_a_group_counts_its_logical_messages_from_one(qm: QM) -> None:
    handle = qm.open()
    for flags in (IN, LAST_IN | MQMF_SEGMENT, LAST_IN | MQMF_LAST_SEGMENT):
        handle.put(Message(b"xx", MQMD(msg_flags=flags)), MQPMO_LOGICAL_ORDER)
    assert qm.depth() == 3
    mds = [result.message.md for result in qm.got()]
    assert len({md.group_id for md in mds}) == 1
    assert [(md.msg_seq_number, md.offset) for md in mds] == [(1, 0), (2, 0), (2, 2)]


@pytest.mark.conformance("LOGORD-12", "LOGORD-14", "LOGORD-33", "LOGORD-34", "LOGORD-13")
def test_what_is_retained_is_the_group_the_place_in_it_and_the_unit_of_work(qm: QM) -> None:
    members(qm, G, 3, 2, 1)
    handle = qm.open()
    assert take(handle, LOGICAL | MQGMO_SYNCPOINT) == b"G1"
    with fails(rc.MQRC_INCONSISTENT_UOW):
        handle.get(LOGICAL | MQGMO_NO_SYNCPOINT)
    qm.main.commit()
    with fails(rc.MQRC_INCONSISTENT_UOW):
        handle.get(LOGICAL | MQGMO_NO_SYNCPOINT)
    assert take(handle, LOGICAL | MQGMO_SYNCPOINT) == b"G2"


@pytest.mark.conformance("LOGORD-16", "LOGORD-21")
def test_a_group_that_was_begun_goes_before_another_one(qm: QM) -> None:
    for seq in (1, 2):
        for group in (G, K):
            member(qm, group, seq, last=seq == 2)
    handle = qm.open()
    assert take_all(handle, LOGICAL) == [b"G1", b"G2", b"K1", b"K2"]


@pytest.mark.conformance("LOGORD-17")
def test_a_group_ends_with_its_last_message(qm: QM) -> None:
    members(qm, G, 1, 2, size=2)
    qm.put("X")
    handle = qm.open()
    assert [take(handle, LOGICAL) for _ in range(2)] == [b"G1", b"G2"]
    assert not handle.has_open_group
    assert take(handle, LOGICAL) == b"X"


@pytest.mark.conformance("LOGORD-18", "LOGORD-19")
@pytest.mark.parametrize(("gets", "warning"), [(2, rc.MQRC_INCOMPLETE_MSG), (3, rc.MQRC_NONE)])
def test_a_group_whose_last_message_is_segmented_ends_with_its_last_segment(qm: QM, gets: int, warning: int) -> None:
    member(qm, G, 1)
    parts(qm, G, "2a", "2b", flags=LAST_IN, msg_seq_number=2)
    handle = qm.open()
    assert [take(handle, LOGICAL) for _ in range(gets)] == [b"G1", b"2a", b"2b"][:gets]
    assert handle.close() == warning


@pytest.mark.conformance("LOGORD-20", "LOGORD-10", "LOGORD-25")
def test_segments_that_were_begun_go_before_other_messages(qm: QM) -> None:
    part(qm, G, 0, "first-10--")
    qm.put("X")
    part(qm, G, 20, "end", last=True)
    qm.put("Y")
    part(qm, G, 10, "second-10-")
    handle = qm.open()
    assert take_all(handle, LOGICAL) == [b"first-10--", b"second-10-", b"end", b"X", b"Y"]


@pytest.mark.conformance("LOGORD-23")
def test_with_a_current_group_match_options_do_not_choose(qm: QM) -> None:
    members(qm, G, size=2)
    members(qm, K, size=2)
    handle = qm.open()
    handle.get(LOGICAL)
    with fails(rc.MQRC_MATCH_OPTIONS_ERROR):
        take_by(handle, LOGICAL, MQMO_MATCH_GROUP_ID, group_id=K)
    with fails(rc.MQRC_MATCH_OPTIONS_ERROR):
        take_by(handle, LOGICAL, MQMO_MATCH_CORREL_ID, correl_id=b"c" * 24)
    assert qm.depth() == 3
    assert take_by(handle, LOGICAL, MQMO_MATCH_GROUP_ID, group_id=G).message.data == b"G2"


@pytest.mark.conformance("LOGORD-23")
def test_with_a_current_group_a_token_does_not_choose_either(qm: QM) -> None:
    members(qm, G, size=3)
    handle, other = qm.open(), qm.open()
    tokens = [other.get(options).msg_token for options in BROWSES]
    handle.get(LOGICAL)
    with fails(rc.MQRC_MATCH_OPTIONS_ERROR):
        handle.get(LOGICAL, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=tokens[2])
    assert take(handle, LOGICAL, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=tokens[1]) == b"G2"


@pytest.mark.conformance("LOGORD-24")
def test_without_a_current_group_only_the_beginning_of_one_is_looked_for(qm: QM) -> None:
    member(qm, G, 2)
    member(qm, K, 1)
    part(qm, L, 2, "x")
    tokens = [qm.open().get(MQGMO_BROWSE_FIRST).msg_token]
    handle = qm.open()
    assert take(handle, LOGICAL) == b"K1"
    with nothing():
        qm.open().get(LOGICAL, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=tokens[0])


@pytest.mark.conformance("LOGORD-24")
@pytest.mark.parametrize("grouped", [False, True])
def test_without_a_current_group_other_numbers_are_refused_whatever_lies_on_the_queue(qm: QM, grouped: bool) -> None:
    members(qm, G, 1, 2) if grouped else qm.put("X")
    with fails(rc.MQRC_MATCH_OPTIONS_ERROR):
        take_by(qm.open(), LOGICAL, MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=2)


@pytest.mark.conformance("LOGORD-26", "LOGORD-27")
def test_in_a_group_the_next_number_or_the_next_offset_is_looked_for(qm: QM) -> None:
    qm.alter("Q", msg_delivery_sequence=MQMDS_FIFO)
    member(qm, G, 3, last=True)
    part(qm, G, 10, "b", last=True, flags=IN, msg_seq_number=2)
    part(qm, G, 0, "a" * 10, flags=IN, msg_seq_number=2)
    member(qm, G, 1)
    handle = qm.open()
    places = [
        (md.msg_seq_number, md.offset)
        for md in (handle.get(LOGICAL, md=MQMD(), match_options=0).message.md for _ in range(4))
    ]
    assert places == [(1, 0), (2, 0), (2, 10), (3, 0)]


@pytest.mark.conformance("LOGORD-28", "LOGORD-08")
def test_without_logical_order_match_options_choose_in_a_group_too(qm: QM) -> None:
    members(qm, G)
    members(qm, K)
    handle = qm.open()
    handle.get(LOGICAL)
    by_number = MQMO_MATCH_GROUP_ID | MQMO_MATCH_MSG_SEQ_NUMBER
    result = take_by(handle, 0, by_number, group_id=K, msg_seq_number=3)
    assert (result.message.data, result.reason) == (b"K3", rc.MQRC_INCOMPLETE_GROUP)


@pytest.mark.conformance("LOGORD-35")
def test_a_group_begun_outside_a_unit_of_work_goes_on_outside(qm: QM) -> None:
    members(qm, G, size=2)
    handle = qm.open()
    handle.get(LOGICAL | MQGMO_NO_SYNCPOINT)
    with fails(rc.MQRC_INCONSISTENT_UOW):
        handle.get(LOGICAL | MQGMO_SYNCPOINT)
    assert take(handle, LOGICAL | MQGMO_NO_SYNCPOINT) == b"G2"


@pytest.mark.conformance("LOGORD-36", "LOGORD-37")
def test_logical_order_needs_version_2_of_both_structures(qm: QM) -> None:
    members(qm, G, size=1)
    with fails(rc.MQRC_WRONG_GMO_VERSION):
        qm.open().get(LOGICAL, gmo_version=1)
    with fails(rc.MQRC_WRONG_MD_VERSION):
        qm.open().get(LOGICAL, gmo_version=2, md=MQMD(version=1))
    assert take(qm.open(), LOGICAL, gmo_version=2, md=MQMD(version=2)) == b"G1"


@pytest.mark.conformance("LOGORD-39")
def test_match_options_find_one_segment_of_a_group(qm: QM) -> None:
    member(qm, G, 1)
    parts(qm, G, "aa", "bb", "cc", flags=LAST_IN, msg_seq_number=2)
    by_place = MQMO_MATCH_GROUP_ID | MQMO_MATCH_MSG_SEQ_NUMBER | MQMO_MATCH_OFFSET
    result = take_by(qm.open(), 0, by_place, group_id=G, msg_seq_number=2, offset=2)
    assert result.message.data == b"bb"
    with nothing():
        take_by(qm.open(), 0, by_place, group_id=G, msg_seq_number=2, offset=3)


@pytest.mark.conformance("LOGORD-43", "LOGORD-40")
def test_a_get_without_logical_order_makes_its_group_the_current_one(qm: QM) -> None:
    members(qm, G)
    members(qm, K)
    handle = qm.open()
    handle.get(LOGICAL)
    take_by(handle, 0, MQMO_MATCH_GROUP_ID | MQMO_MATCH_MSG_SEQ_NUMBER, group_id=K, msg_seq_number=2)
    assert take(handle, LOGICAL) == b"K3"


@pytest.mark.conformance("LOGORD-44")
def test_a_get_that_fails_leaves_the_current_group(qm: QM) -> None:
    members(qm, G)
    handle = qm.open()
    handle.get(LOGICAL)
    with nothing():
        take_by(handle, 0, MQMO_MATCH_MSG_ID, msg_id=b"?" * 24)
    assert take(handle, LOGICAL) == b"G2"


@pytest.mark.conformance("LOGORD-44")
def test_a_get_that_warns_moves_on_all_the_same(qm: QM) -> None:
    for seq in (1, 2):
        member(qm, G, seq, last=seq == 2, data="long enough")
    handle = qm.open()
    result = handle.get(LOGICAL | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=4)
    assert result.reason == rc.MQRC_TRUNCATED_MSG_ACCEPTED
    assert handle.get(LOGICAL).message.md.msg_seq_number == 2


@pytest.mark.conformance("LOGORD-46")
def test_leaving_a_logical_message_warns_of_it_before_its_group(qm: QM) -> None:
    parts(qm, G, "1a", "1b", flags=IN)
    qm.put("X", correl_id=b"x" * 24)
    handle = qm.open()
    handle.get(LOGICAL)
    result = take_by(handle, 0, MQMO_MATCH_CORREL_ID, correl_id=b"x" * 24)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_INCOMPLETE_MSG)


@pytest.mark.conformance("LOGORD-47")
def test_another_syncpoint_option_alone_warns_of_that(qm: QM) -> None:
    members(qm, G)
    handle = qm.open()
    handle.get(LOGICAL | MQGMO_SYNCPOINT)
    result = take_by(handle, MQGMO_NO_SYNCPOINT, MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=2)
    assert (result.message.data, result.reason) == (b"G2", rc.MQRC_INCONSISTENT_UOW)


@pytest.mark.conformance("LOGORD-48")
def test_the_next_message_got_without_logical_order_is_no_break(qm: QM) -> None:
    members(qm, G)
    handle = qm.open()
    handle.get(LOGICAL | MQGMO_NO_SYNCPOINT)
    by_number = MQMO_MATCH_GROUP_ID | MQMO_MATCH_MSG_SEQ_NUMBER
    result = take_by(handle, MQGMO_NO_SYNCPOINT, by_number, group_id=G, msg_seq_number=2)
    assert (result.message.data, result.reason) == (b"G2", rc.MQRC_NONE)
    assert take(handle, LOGICAL | MQGMO_NO_SYNCPOINT) == b"G3"


@pytest.mark.conformance("LOGORD-41", "BROWSE-22", "LOGORD-42", "LOGORD-22")
def test_putting_browsing_and_getting_each_keep_their_own_group(qm: QM) -> None:
    members(qm, G)
    members(qm, K)
    handle = qm.open()
    handle.put(Message(b"P1", MQMD(msg_flags=IN)), MQPMO_LOGICAL_ORDER)
    assert take(handle, LOGICAL) == b"G1"
    assert take_by(handle, LOGICAL | MQGMO_BROWSE_FIRST, MQMO_MATCH_GROUP_ID, group_id=K).message.data == b"K1"
    assert take(handle, LOGICAL) == b"G2"
    assert take(handle, LOGICAL | MQGMO_BROWSE_NEXT) == b"K2"
    second = Message(b"P2", MQMD(msg_flags=LAST_IN))
    handle.put(second, MQPMO_LOGICAL_ORDER)
    assert second.md.msg_seq_number == 2
    assert take(handle, LOGICAL) == b"G3"
    assert take(handle, LOGICAL | MQGMO_BROWSE_NEXT) == b"K3"
