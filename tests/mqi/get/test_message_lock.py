"""Locks of messages by browses: who has one, what frees it, and what moves it on."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQGMO_UNLOCK,
    MQOO_OUTPUT,
)
from mqtools.message import MQMD

from ..conftest import QM, fails, take

NOTHING = rc.MQRC_NO_MSG_AVAILABLE


@pytest.mark.conformance("LOCK-01")
@pytest.mark.conformance("LOCK-10")
@pytest.mark.conformance("LOCK-27")
@pytest.mark.conformance("LOCK-38")
def test_a_locked_message_is_only_there_for_the_handle_that_locked_it(qm: QM) -> None:
    md = qm.put("a")
    ours, other = qm.open(), qm.open()
    assert take(ours, MQGMO_BROWSE_FIRST | MQGMO_LOCK) == b"a"
    for options in (0, MQGMO_BROWSE_FIRST):
        with fails(NOTHING):
            other.get(options)
    with fails(NOTHING):
        other.get(md=MQMD(msg_id=md.msg_id))
    assert qm.depth() == 1
    assert take(ours, MQGMO_MSG_UNDER_CURSOR) == b"a"
    assert ours.get(MQGMO_UNLOCK).reason == rc.MQRC_NO_MSG_LOCKED


@pytest.mark.conformance("LOCK-03")
@pytest.mark.conformance("LOCK-16")
def test_locking_the_next_message_frees_the_one_before(qm: QM) -> None:
    qm.put("a")
    qm.put("b")
    ours, other = qm.open(), qm.open()
    ours.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    ours.get(MQGMO_BROWSE_NEXT | MQGMO_LOCK)
    assert take(other) == b"a"
    with fails(NOTHING):
        other.get()


@pytest.mark.conformance("LOCK-11")
def test_the_locking_handle_can_get_the_message_by_its_id(qm: QM) -> None:
    md = qm.put("a")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    assert take(handle, md=MQMD(msg_id=md.msg_id)) == b"a"


@pytest.mark.conformance("LOCK-19")
def test_a_browse_that_finds_nothing_unlocks(qm: QM) -> None:
    qm.put("a")
    ours, other = qm.open(), qm.open()
    ours.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    with fails(NOTHING):
        ours.get(MQGMO_BROWSE_NEXT)
    assert take(other) == b"a"


@pytest.mark.conformance("LOCK-13")
@pytest.mark.conformance("LOCK-18")
def test_a_failed_truncation_neither_locks_nor_unlocks(qm: QM) -> None:
    qm.put("short")
    qm.put("a longer one")
    ours, other = qm.open(), qm.open()
    ours.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    assert ours.get(MQGMO_BROWSE_NEXT | MQGMO_LOCK, max_length=5).reason == rc.MQRC_TRUNCATED_MSG_FAILED
    assert take(other) == b"a longer one"
    with fails(NOTHING):
        other.get()


@pytest.mark.conformance("LOCK-14")
def test_an_accepted_truncation_locks(qm: QM) -> None:
    qm.put("a longer one")
    ours, other = qm.open(), qm.open()
    ours.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=5)
    with fails(NOTHING):
        other.get()


@pytest.mark.conformance("LOCK-21")
@pytest.mark.conformance("BROWSE-45")
def test_browsing_under_the_cursor_without_lock_unlocks(qm: QM) -> None:
    qm.put("a")
    ours, other = qm.open(), qm.open()
    ours.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    assert take(ours, MQGMO_BROWSE_MSG_UNDER_CURSOR) == b"a"
    assert take(other) == b"a"


@pytest.mark.conformance("LOCK-24")
@pytest.mark.conformance("LOCK-36")
def test_unlock_frees_the_message_and_leaves_the_cursor(qm: QM) -> None:
    qm.put("a")
    qm.put("b")
    ours, other = qm.open(), qm.open()
    ours.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    assert ours.get(MQGMO_UNLOCK).reason == rc.MQRC_NONE
    assert take(other) == b"a"
    assert take(ours, MQGMO_BROWSE_NEXT) == b"b"


@pytest.mark.conformance("LOCK-30")
@pytest.mark.conformance("LOCK-33")
def test_unlocking_nothing_warns_whatever_the_handle_is_open_for(qm: QM) -> None:
    result = qm.open("Q", MQOO_OUTPUT).get(MQGMO_UNLOCK)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_NO_MSG_LOCKED)


@pytest.mark.conformance("LOCK-25")
@pytest.mark.conformance("BEY-53")
@pytest.mark.conformance("BEY-52")
def test_closing_a_handle_frees_its_lock_and_leaves_the_unit_of_work(qm: QM) -> None:
    qm.put("got")
    qm.put("locked")
    handle, other = qm.open(), qm.open()
    handle.get(MQGMO_SYNCPOINT)
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    handle.close()
    with fails(rc.MQRC_HOBJ_ERROR):
        handle.get()
    assert take(other, MQGMO_BROWSE_FIRST) == b"locked"
    qm.main.backout()
    assert qm.data() == [b"got", b"locked"]


@pytest.mark.conformance("LOCK-39")
def test_a_locked_message_got_under_syncpoint_and_backed_out_comes_back_unlocked(qm: QM) -> None:
    qm.put("a")
    ours, other = qm.open(), qm.open()
    ours.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    ours.get(MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT)
    qm.main.backout()
    assert take(other) == b"a"
