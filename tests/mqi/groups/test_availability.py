"""MQGMO_ALL_MSGS_AVAILABLE and MQGMO_ALL_SEGMENTS_AVAILABLE: what holds messages back, and when it does not."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQGMO_UNLOCK,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_OFFSET,
    MQPMO_SYNCPOINT,
)
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD

from ..children import getter, start_waiting
from ..conftest import QM, fails, take
from .group_story import (
    ALL_MSGS,
    ALL_SEGMENTS,
    COMPLETE,
    LOGICAL,
    G,
    K,
    member,
    members,
    nothing,
    part,
    parts,
    take_all,
    take_by,
)

IN, LAST_IN = MQMF_MSG_IN_GROUP, MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
BOTH = pytest.mark.parametrize("options", [ALL_MSGS, LOGICAL | ALL_MSGS])

# -- groups


@pytest.mark.conformance("AVAIL-01")
@BOTH
@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_group_is_held_back_until_its_last_message_comes(qm: QM, options: int, missing: int) -> None:
    members(qm, G, *{1, 2, 3} - {missing})
    handle = qm.open()
    with nothing():
        handle.get(options)
    members(qm, G, missing)
    first = take(handle, options)
    assert first == (b"G1" if options & LOGICAL or missing != 1 else b"G2")


@pytest.mark.conformance("AVAIL-02", "AVAIL-10")
def test_messages_held_back_count_and_can_be_had_without_the_option(qm: QM) -> None:
    members(qm, G, 1, 2)
    with nothing():
        qm.open().get(ALL_MSGS)
    assert qm.depth() == 2
    assert take(qm.open()) == b"G1"


@pytest.mark.conformance("AVAIL-03", "AVAIL-18")
@pytest.mark.parametrize("options", [ALL_MSGS, ALL_SEGMENTS, COMPLETE])
def test_the_wait_for_the_rest_ends(qm: QM, monkeypatch: pytest.MonkeyPatch, options: int) -> None:
    part(qm, G, 0, "a", flags=IN)
    clock = [0.0]

    def monotonic() -> float:
        clock[0] += 0.2
        return clock[0]

    monkeypatch.setattr(time, "monotonic", monotonic)
    with pytest.raises(NoMessageAvailable):
        qm.open().get(options | MQGMO_WAIT, wait_ms=300)
    assert clock[0] > 0.3


@pytest.mark.conformance("AVAIL-01")
def test_a_get_that_waits_for_a_group_is_satisfied_by_its_last_message(qm: QM) -> None:
    members(qm, G, 2, 3)
    (waiting,) = start_waiting(qm.path, qm.main, getter(MQGMO_WAIT | LOGICAL | ALL_MSGS))
    member(qm, G, 4)
    waiting.is_still_waiting()
    member(qm, G, 1)
    assert waiting.finish() == b"G1"


@pytest.mark.conformance("AVAIL-04")
@BOTH
def test_other_messages_go_past_an_incomplete_group(qm: QM, options: int) -> None:
    members(qm, G, 1, 2)
    qm.put("X")
    members(qm, K)
    assert take_all(qm.open(), options | LOGICAL) == [b"X", b"K1", b"K2", b"K3"]


@pytest.mark.conformance("AVAIL-05")
def test_in_a_group_that_was_begun_the_rest_need_not_be_there(qm: QM) -> None:
    members(qm, G)
    handle, other = qm.open(), qm.open(connection=qm.connect())
    assert take(handle, LOGICAL | ALL_MSGS) == b"G1"
    take_by(other, 0, MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=3)
    assert take(handle, LOGICAL | ALL_MSGS) == b"G2"


@pytest.mark.conformance("AVAIL-06")
def test_the_option_may_stay_on_in_logical_order(qm: QM) -> None:
    members(qm, G, 2, 3, 1)
    assert take_all(qm.open(), LOGICAL | ALL_MSGS) == [b"G1", b"G2", b"G3"]


@pytest.mark.conformance("AVAIL-07")
@pytest.mark.parametrize("order", [(1, 2, 3), (2, 3, 1)])
def test_without_logical_order_the_first_get_is_the_only_one(qm: QM, order: tuple[int, ...]) -> None:
    members(qm, G, *order)
    handle = qm.open()
    assert take(handle, ALL_MSGS) == b"G%d" % order[0]
    with nothing():
        handle.get(ALL_MSGS)
    assert take(handle) == b"G%d" % order[1]


@pytest.mark.conformance("AVAIL-08")
@BOTH
def test_what_is_given_was_complete_at_that_instant(qm: QM, options: int) -> None:
    handle = qm.open()
    for seq in (2, 1, 3):
        with nothing():
            handle.get(options)
        member(qm, G, seq, last=seq == 3)
    assert qm.depth() == 3
    handle.get(options)


@pytest.mark.conformance("AVAIL-09")
def test_a_group_that_was_begun_is_not_locked(qm: QM) -> None:
    members(qm, G)
    handle, other = qm.open(), qm.open(connection=qm.connect())
    handle.get(LOGICAL | ALL_MSGS)
    found = take_by(other, 0, MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=2)
    assert found.message.data == b"G2"
    with nothing():
        handle.get(LOGICAL | ALL_MSGS)


@pytest.mark.conformance("AVAIL-11")
@BOTH
def test_the_messages_of_a_group_must_have_all_their_segments(qm: QM, options: int) -> None:
    member(qm, G, 1)
    part(qm, G, 0, "2a", flags=IN, msg_seq_number=2)
    member(qm, G, 3, last=True)
    handle = qm.open()
    with nothing():
        handle.get(options)
    part(qm, G, 2, "2b", flags=IN, msg_seq_number=2, last=True)
    assert take(handle, options) == b"G1"


@pytest.mark.conformance("AVAIL-12")
@BOTH
def test_segments_outside_groups_are_held_back_too(qm: QM, options: int) -> None:
    part(qm, G, 0, "ab")
    handle = qm.open()
    with nothing():
        handle.get(options)
    part(qm, G, 2, "cd", last=True)
    assert take(handle, options) == b"ab"


def under_syncpoint(qm: QM) -> Callable[[], None]:
    connection = qm.connect()
    take_by(qm.open(connection=connection), MQGMO_SYNCPOINT, MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=2)
    return connection.backout


def locked(qm: QM) -> Callable[[], None]:
    handle = qm.open(connection=qm.connect())
    by_number = MQMO_MATCH_MSG_SEQ_NUMBER
    take_by(handle, MQGMO_BROWSE_FIRST | MQGMO_LOCK, by_number, msg_seq_number=2)
    return lambda: handle.get(MQGMO_UNLOCK) and None


@pytest.mark.conformance("AVAIL-14")
@BOTH
@pytest.mark.parametrize("taken", [under_syncpoint, locked])
def test_what_another_has_is_not_available(qm: QM, options: int, taken: Callable[[QM], Callable[[], None]]) -> None:
    members(qm, G)
    give_back = taken(qm)
    handle = qm.open()
    with nothing():
        handle.get(options)
    give_back()
    assert take(handle, options) == b"G1"


@pytest.mark.conformance("AVAIL-14")
@BOTH
def test_what_is_not_committed_is_not_available(qm: QM, options: int) -> None:
    members(qm, G, 1, 2)
    member(qm, G, 3, last=True, options=MQPMO_SYNCPOINT)
    handle = qm.open(connection=qm.connect())
    with nothing():
        handle.get(options)
    qm.main.commit()
    assert take(handle, options) == b"G1"


@BOTH
def test_what_the_handle_has_locked_itself_is_available_to_it(qm: QM, options: int) -> None:
    members(qm, K, 1, 2)
    members(qm, G)
    handle = qm.open()
    take_by(handle, MQGMO_BROWSE_FIRST | MQGMO_LOCK, MQMO_MATCH_MSG_SEQ_NUMBER | MQMO_MATCH_GROUP_ID,
            group_id=G, msg_seq_number=2)  # fmt: skip
    with nothing():
        qm.open().get(options)
    assert take(handle, options) == b"G1"


@pytest.mark.parametrize("under", [MQGMO_MSG_UNDER_CURSOR, MQGMO_BROWSE_MSG_UNDER_CURSOR])
def test_under_the_cursor_the_group_has_to_be_there_as_well(qm: QM, under: int) -> None:
    members(qm, G, 1, 2)
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    with fails(rc.MQRC_NO_MSG_UNDER_CURSOR):
        handle.get(under | ALL_MSGS)
    members(qm, G, 3)
    assert take(handle, under | ALL_MSGS) == b"G1"


@BOTH
def test_a_message_that_has_expired_leaves_its_group_incomplete(
    qm: QM, advance: Callable[[float], None], options: int
) -> None:
    members(qm, G, 1, 2, expiry=500)
    member(qm, G, 3, last=True, expiry=5)
    qm.put("X")
    advance(1)
    assert take(qm.open(), options) == b"X"
    assert qm.depth() == 2


# -- segments


@pytest.mark.conformance("AVAIL-16", "AVAIL-17", "AVAIL-23")
@pytest.mark.parametrize("options", [ALL_SEGMENTS, LOGICAL | ALL_SEGMENTS])
def test_segments_are_held_back_until_the_middle_one_comes(qm: QM, options: int) -> None:
    part(qm, G, 0, "ab")
    part(qm, G, 4, "ef", last=True)
    handle = qm.open()
    with nothing():
        handle.get(options)
    assert qm.depth() == 2
    assert take(handle, MQGMO_BROWSE_FIRST) == b"ab"
    part(qm, G, 2, "cd")
    assert take(handle, options) == b"ab"


@pytest.mark.conformance("AVAIL-19")
def test_in_a_logical_message_that_was_begun_the_rest_need_not_be_there(qm: QM) -> None:
    parts(qm, G, "ab", "cd", "ef")
    handle, other = qm.open(), qm.open(connection=qm.connect())
    assert take(handle, LOGICAL | ALL_SEGMENTS) == b"ab"
    take_by(other, 0, MQMO_MATCH_OFFSET, offset=4)
    assert take(handle, LOGICAL | ALL_SEGMENTS) == b"cd"


@pytest.mark.conformance("AVAIL-20", "AVAIL-21")
def test_in_a_group_the_segments_of_the_next_message_have_to_be_there(qm: QM) -> None:
    member(qm, G, 1)
    part(qm, G, 0, "2a", flags=LAST_IN, msg_seq_number=2)
    handle = qm.open()
    assert take(handle, LOGICAL | ALL_SEGMENTS) == b"G1"
    with nothing():
        handle.get(LOGICAL | ALL_SEGMENTS)
    part(qm, G, 2, "2b", flags=LAST_IN, msg_seq_number=2, last=True)
    assert take_all(handle, LOGICAL | ALL_SEGMENTS) == [b"2a", b"2b"]


@pytest.mark.conformance("AVAIL-22")
def test_without_logical_order_the_first_segment_is_the_only_one(qm: QM) -> None:
    parts(qm, G, "ab", "cd", "ef")
    handle = qm.open()
    assert take(handle, ALL_SEGMENTS) == b"ab"
    with nothing():
        handle.get(ALL_SEGMENTS)
    assert take(handle) == b"cd"


@pytest.mark.conformance("AVAIL-24")
def test_segments_come_whole_or_one_by_one(qm: QM) -> None:
    parts(qm, G, "ab", "cd", "ef")
    parts(qm, K, "gh", "ij")
    handle = qm.open()
    assert take(handle, COMPLETE) == b"abcdef"
    assert take_all(handle, LOGICAL | ALL_SEGMENTS) == [b"gh", b"ij"]


# -- together with other options

TOGETHER = [
    pytest.param(LOGICAL, marks=pytest.mark.conformance("LOGORD-56"), id="LOGICAL_ORDER"),
    pytest.param(ALL_MSGS, marks=pytest.mark.conformance("AVAIL-13"), id="ALL_MSGS_AVAILABLE"),
    pytest.param(ALL_SEGMENTS, marks=pytest.mark.conformance("AVAIL-28"), id="ALL_SEGMENTS_AVAILABLE"),
]


@pytest.mark.parametrize("options", TOGETHER)
@pytest.mark.parametrize("match", [MQMO_MATCH_MSG_ID, MQMO_MATCH_CORREL_ID, MQMO_MATCH_GROUP_ID,
                                   MQMO_MATCH_MSG_SEQ_NUMBER, MQMO_MATCH_OFFSET])  # fmt: skip
def test_the_options_of_groups_go_with_all_match_options(qm: QM, options: int, match: int) -> None:
    members(qm, K, 1, 2)
    wanted = members(qm, G, correl_id=b"c" * 24)[0]
    md = MQMD(group_id=G, msg_id=wanted.msg_id, correl_id=b"c" * 24)
    matching = match | MQMO_MATCH_GROUP_ID
    assert qm.open().get(options, md=md, match_options=matching).message.data == b"G1"
