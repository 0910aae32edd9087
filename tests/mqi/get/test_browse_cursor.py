"""The browse cursor: where it stands, what moves it, and what it misses."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_NONE,
    MQPMO_SYNCPOINT,
)

from ..conftest import QM, fails, take

NOTHING = rc.MQRC_NO_MSG_AVAILABLE


@pytest.mark.conformance("BROWSE-01")
@pytest.mark.conformance("BROWSE-26")
@pytest.mark.conformance("BROWSE-27")
def test_browse_next_goes_through_the_queue_from_its_beginning(qm: QM) -> None:
    for name in "abc":
        qm.put(name)
    handle = qm.open()
    assert [take(handle, MQGMO_BROWSE_NEXT) for _ in range(3)] == [b"a", b"b", b"c"]
    with fails(NOTHING):
        handle.get(MQGMO_BROWSE_NEXT)
    assert qm.depth() == 3


@pytest.mark.conformance("BROWSE-34")
def test_what_arrives_after_the_end_is_found_by_the_next_browse(qm: QM) -> None:
    qm.put("a")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_NEXT)
    with fails(NOTHING):
        handle.get(MQGMO_BROWSE_NEXT)
    qm.put("b")
    assert take(handle, MQGMO_BROWSE_NEXT) == b"b"


@pytest.mark.conformance("BROWSE-11")
@pytest.mark.conformance("BROWSE-12")
@pytest.mark.conformance("BROWSE-40")
def test_the_cursor_keeps_its_place_when_the_message_goes(qm: QM) -> None:
    for name in "abc":
        qm.put(name)
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    handle.get(MQGMO_BROWSE_NEXT)
    assert take(handle, MQGMO_MSG_UNDER_CURSOR) == b"b"
    with fails(rc.MQRC_NO_MSG_UNDER_CURSOR):
        handle.get(MQGMO_BROWSE_MSG_UNDER_CURSOR)
    assert take(handle, MQGMO_BROWSE_NEXT) == b"c"


@pytest.mark.conformance("BROWSE-13")
@pytest.mark.conformance("BROWSE-38")
def test_a_removing_get_does_not_move_the_cursor(qm: QM) -> None:
    for name in "abc":
        qm.put(name)
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    handle.get(MQGMO_BROWSE_NEXT)
    assert take(handle) == b"a"
    assert take(handle, MQGMO_BROWSE_MSG_UNDER_CURSOR) == b"b"
    assert take(handle, MQGMO_BROWSE_NEXT) == b"c"


@pytest.mark.conformance("BROWSE-30")
@pytest.mark.conformance("BROWSE-31")
@pytest.mark.conformance("BROWSE-33")
def test_an_arrival_behind_the_cursor_is_found_from_the_beginning_only(qm: QM) -> None:
    qm.put("A", priority=5)
    qm.put("B", priority=5)
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    qm.put("high", priority=9)
    qm.put("low", priority=1)
    assert [take(handle, MQGMO_BROWSE_NEXT) for _ in range(2)] == [b"B", b"low"]
    with fails(NOTHING):
        handle.get(MQGMO_BROWSE_NEXT)
    assert take(handle, MQGMO_BROWSE_FIRST) == b"high"


@pytest.mark.conformance("BROWSE-39")
@pytest.mark.conformance("WAIT-22")
def test_nothing_is_under_a_cursor_that_never_moved_and_a_wait_does_not_change_that(qm: QM) -> None:
    qm.put("a")
    with fails(rc.MQRC_NO_MSG_UNDER_CURSOR):
        qm.open().get(MQGMO_BROWSE_MSG_UNDER_CURSOR | MQGMO_WAIT, wait_ms=60_000)


@pytest.mark.conformance("BROWSE-57")
@pytest.mark.conformance("BROWSE-58")
def test_a_get_under_the_cursor_can_be_backed_out(qm: QM) -> None:
    qm.put("a")
    qm.put("b")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    take(handle, MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT)
    qm.main.backout()
    assert qm.data() == [b"a", b"b"]
    assert take(handle, MQGMO_MSG_UNDER_CURSOR) == b"a"


@pytest.mark.conformance("BROWSE-59")
def test_each_handle_has_its_own_cursor(qm: QM) -> None:
    qm.put("a")
    qm.put("b")
    one, two = qm.open(), qm.open()
    one.get(MQGMO_BROWSE_FIRST)
    one.get(MQGMO_BROWSE_NEXT)
    assert take(two, MQGMO_BROWSE_NEXT) == b"a"


@pytest.mark.conformance("BROWSE-60")
def test_a_browse_sees_neither_uncommitted_nor_locked_messages(qm: QM) -> None:
    for name in ("got", "locked", "free"):
        qm.put(name)
    other = qm.connect()
    taker, locker = qm.open(connection=other), qm.open(connection=other)
    taker.get(MQGMO_SYNCPOINT)
    locker.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    qm.put("uncommitted", options=MQPMO_SYNCPOINT)
    handle = qm.open()
    assert take(handle, MQGMO_BROWSE_NEXT) == b"free"
    with fails(NOTHING):
        handle.get(MQGMO_BROWSE_NEXT)


@pytest.mark.conformance("BROWSE-37")
@pytest.mark.conformance("BROWSE-41")
def test_browsing_under_the_cursor_stays_there(qm: QM) -> None:
    qm.put("a")
    qm.put("b")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    assert [take(handle, MQGMO_BROWSE_MSG_UNDER_CURSOR) for _ in range(2)] == [b"a", b"a"]
    assert take(handle, MQGMO_BROWSE_NEXT, match_options=MQMO_NONE) == b"b"
