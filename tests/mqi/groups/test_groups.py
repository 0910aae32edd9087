"""Groups and segments on the queue manager: logical order, whole messages, what is available."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_LAST_SEGMENT, MQMF_MSG_IN_GROUP, MQMF_SEGMENT
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)

from ..conftest import QM, fails, take
from .group_story import COMPLETE, LOGICAL, NOTHING, G, K, member, part, take_all


@pytest.mark.conformance("LOGORD-38")
def test_without_logical_order_messages_come_as_they_lie(qm: QM) -> None:
    for seq in (3, 1, 2):
        member(qm, G, seq, last=seq == 3)
    assert take_all(qm.open()) == [b"G3", b"G1", b"G2"]


@pytest.mark.conformance("LOGORD-11", "LOGORD-30")
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


@pytest.mark.conformance("LOGORD-32", "LOGORD-15")
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


@pytest.mark.conformance("LOGORD-60", "BEY-57")
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


@pytest.mark.conformance("COMPL-05", "COMPL-06")
def test_truncation_of_a_whole_message_takes_all_segments_or_none(qm: QM) -> None:
    part(qm, G, 0, "abcde")
    part(qm, G, 5, "fgh", last=True)
    handle = qm.open()
    result = handle.get(COMPLETE, max_length=6)
    assert (result.reason, result.message.data, result.data_length) == (rc.MQRC_TRUNCATED_MSG_FAILED, b"abcdef", 8)
    assert qm.depth() == 2
    assert handle.get(COMPLETE | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=6).message.data == b"abcdef"
    assert qm.depth() == 0


@pytest.mark.conformance("COMPL-11", "COMPL-13", "COMPL-15", "COMPL-16")
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
    qm.put("other", "R", options=MQPMO_SYNCPOINT)
    with fails(rc.MQRC_UOW_NOT_AVAILABLE):
        take(handle, COMPLETE)
    assert qm.depth() == 2


@pytest.mark.conformance("COMPL-35")
def test_whole_messages_of_a_group_in_order(qm: QM) -> None:
    flags = MQMF_MSG_IN_GROUP | MQMF_SEGMENT
    qm.put("2b", group_id=G, msg_seq_number=2, offset=2, msg_flags=flags | MQMF_LAST_SEGMENT | MQMF_LAST_MSG_IN_GROUP)
    qm.put("2a", group_id=G, msg_seq_number=2, offset=0, msg_flags=flags | MQMF_LAST_MSG_IN_GROUP)
    member(qm, G, 1)
    assert take_all(qm.open(), COMPLETE | LOGICAL) == [b"G1", b"2a2b"]
