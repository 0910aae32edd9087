"""MQGET: match options, order, units of work, truncation, browse cursor, locks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_INPUT_SHARED,
)
from mqtools.message import MQMD

from ..conftest import QM, fails, take

M1, M2, C1, C2 = (bytes([n]) * 24 for n in (1, 2, 3, 4))
NOTHING = rc.MQRC_NO_MSG_AVAILABLE


@pytest.mark.conformance("BEY-58")
def test_null_ids_match_any_message_by_default(qm: QM) -> None:
    qm.put("a", msg_id=M1, correl_id=C1)
    assert take(qm.open(), md=MQMD()) == b"a"


@pytest.mark.conformance("BEY-59")
def test_a_descriptor_used_again_selects_the_message_it_holds(qm: QM) -> None:
    qm.put("a")
    qm.put("b")
    handle, md = qm.open(), MQMD()
    handle.get(md=md)
    with fails(NOTHING):
        handle.get(md=md)
    assert take(handle, md=MQMD()) == b"b"


@pytest.mark.conformance("BEY-60")
def test_a_null_id_with_its_match_option_matches_any(qm: QM) -> None:
    qm.put("a")
    assert take(qm.open(), md=MQMD(), match_options=MQMO_MATCH_MSG_ID) == b"a"


@pytest.mark.conformance("BEY-61")
def test_match_options_must_all_hold(qm: QM) -> None:
    qm.put("1", msg_id=M1, correl_id=C1)
    qm.put("2", msg_id=M2, correl_id=C1)
    qm.put("3", msg_id=M2, correl_id=C2)
    both = MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID
    handle = qm.open()
    assert take(handle, md=MQMD(msg_id=M2, correl_id=C1), match_options=both) == b"2"
    with fails(NOTHING):
        take(handle, md=MQMD(msg_id=M2, correl_id=C1), match_options=both)


@pytest.mark.conformance("BEY-63")
def test_a_token_given_by_a_browse_selects_its_message(qm: QM) -> None:
    qm.put("a")
    qm.put("b")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    token = handle.get(MQGMO_BROWSE_NEXT).msg_token
    assert take(handle, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token) == b"b"
    with fails(NOTHING):
        take(handle, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token)


@pytest.mark.conformance("BEY-82")
def test_a_selector_holds_in_addition_to_match_options(qm: QM) -> None:
    qm.put("low", correl_id=C1, priority=1)
    qm.put("other", correl_id=C2, priority=9)
    qm.put("high", correl_id=C1, priority=8)
    handle = qm.main.open("Q", MQOO_INPUT_SHARED, selector="Root.MQMD.Priority > 5")
    assert take(handle, md=MQMD(correl_id=C1), match_options=MQMO_MATCH_CORREL_ID) == b"high"
    with fails(NOTHING):
        take(handle, md=MQMD(correl_id=C1), match_options=MQMO_MATCH_CORREL_ID)
    with fails(NOTHING):
        take(handle, md=MQMD(msg_seq_number=2), match_options=MQMO_MATCH_MSG_SEQ_NUMBER)
    assert take(handle, md=MQMD(msg_seq_number=1), match_options=MQMO_MATCH_MSG_SEQ_NUMBER) == b"other"


@pytest.mark.conformance("BROWSE-28")
def test_higher_priority_comes_first_and_within_one_the_order_of_arrival(qm: QM) -> None:
    for name, priority in (("A", 1), ("B", 9), ("C", 1), ("D", 5)):
        qm.put(name, priority=priority)
    assert qm.data() == [b"B", b"D", b"A", b"C"]


@pytest.mark.conformance("BROWSE-29")
def test_a_fifo_queue_keeps_the_order_of_arrival(qm: QM) -> None:
    qm.define("F", msg_delivery_sequence=1)
    for name, priority in (("A", 1), ("B", 9), ("C", 5)):
        qm.put(name, "F", priority=priority)
    assert qm.data("F") == [b"A", b"B", b"C"]


@pytest.mark.conformance("SYNC-02", "SYNC-23", "BEY-33")
def test_backing_out_gives_the_message_back_and_counts(qm: QM) -> None:
    md = qm.put("a")
    handle = qm.open()
    for expected in (0, 1, 2):
        assert handle.get(MQGMO_SYNCPOINT).message.md.backout_count == expected
        qm.main.backout()
    for _ in range(2):
        again = qm.open(connection=qm.connect()).get(MQGMO_BROWSE_FIRST).message
        assert (again.data, again.md.msg_id, again.md.backout_count) == (b"a", md.msg_id, 3)


@pytest.mark.conformance("BEY-27", "BEY-28", "BEY-30", "BEY-31")
def test_expiry_counts_down_in_tenths_and_an_expired_message_goes_when_looked_for(
    qm: QM, advance: Callable[[float], None]
) -> None:
    qm.put("a", expiry=100)
    handle = qm.open()
    advance(2)
    assert 79 <= handle.get(MQGMO_BROWSE_FIRST).message.md.expiry <= 80
    advance(8.1)
    assert qm.depth() == 1
    with fails(NOTHING):
        handle.get(MQGMO_BROWSE_FIRST)
    assert qm.depth() == 0


def test_what_is_left_is_never_more_than_what_was_put_even_if_the_clock_goes_back(
    qm: QM, advance: Callable[[float], None]
) -> None:
    qm.put("a", expiry=100)
    advance(-5)
    assert qm.open().get(MQGMO_BROWSE_FIRST).message.md.expiry == 100


@pytest.mark.conformance("BEY-32")
def test_a_get_discards_the_expired_messages_on_its_way_and_no_others(qm: QM, advance: Callable[[float], None]) -> None:
    for name, priority, expiry in (("9", 9, 1), ("5 old", 5, 1), ("5 good", 5, -1), ("1", 1, 1)):
        qm.put(name, priority=priority, expiry=expiry)
    advance(1)
    assert take(qm.open()) == b"5 good"
    assert qm.depth() == 1


@pytest.mark.conformance("BEY-32")
def test_a_get_by_selector_discards_expired_messages_on_its_way_whatever_they_are(
    qm: QM, advance: Callable[[float], None]
) -> None:
    for name, expiry in (("old", 1), ("good", -1)):
        qm.put(name, priority=5, expiry=expiry)
    advance(1)
    handle = qm.main.open("Q", MQOO_INPUT_SHARED, selector="Root.MQMD.Format = 'NONE' AND Root.MQMD.MsgSeqNumber = 1")
    with fails(NOTHING):
        handle.get()
    assert qm.depth() == 1
