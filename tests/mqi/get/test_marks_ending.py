"""How browse marks end: with their handle, the set, the interval, and the message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import reasons as rc
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_CO_OP,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_HANDLE,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_SYNCPOINT,
    MQGMO_UNMARK_BROWSE_CO_OP,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_CO_OP,
    MQOO_INPUT_SHARED,
)
from mqtools.message import MQMD
from mqtools.mqi.browse_marks import mark_for_set, unmark_for_set
from mqtools.mqi.connection import Connection

from ..children import kill, start_ready, start_waiting, waiters
from ..conftest import QM, fails, take

#: The clock stands still: marks of the set end after five seconds.
pytestmark = pytest.mark.usefixtures("advance")

UNMARKED = MQGMO_BROWSE_FIRST | MQGMO_UNMARKED_BROWSE_MSG
MARK, MARK_SET = MQGMO_BROWSE_FIRST | MQGMO_MARK_BROWSE_HANDLE, MQGMO_BROWSE_FIRST | MQGMO_MARK_BROWSE_CO_OP
CO_OP = MQOO_BROWSE | MQOO_CO_OP
NOTHING = rc.MQRC_NO_MSG_AVAILABLE


def marks(qm: QM) -> int:
    """The marks that are written down; they must be counted right."""
    (number,) = qm.main.db.all("select count(*) from marks")[0]
    (counted,) = qm.main.db.all("select sum(marks) from queue_status")[0]
    assert number == counted
    return int(number)


MARKER = """
connection = connect(path)
handle = connection.open("Q", MQOO_BROWSE | MQOO_CO_OP)
handle.get(int(arguments[0]))
print("marked", flush=True)
sys.stdin.read()
"""


def start_marker(qm: QM, options: int) -> Any:
    """A process that marks the first message of Q and lives on."""
    return start_ready(MARKER, qm.path, options, says="marked")


# With the handle


@pytest.mark.conformance("MARK-06")
@pytest.mark.parametrize("how", ["close", "disconnect"])
def test_a_handle_mark_ends_with_its_handle(qm: QM, how: str) -> None:
    qm.put("1")
    connection = qm.connect()
    handle = qm.open(connection=connection)
    handle.get(MARK)
    assert marks(qm) == 1
    connection.disconnect() if how == "disconnect" else handle.close()
    assert marks(qm) == 0
    assert take(qm.open(), UNMARKED) == b"1"


@pytest.mark.conformance("MARK-07")
def test_a_handle_mark_ends_with_its_process(qm: QM) -> None:
    qm.put("1")
    child = start_marker(qm, MARK)
    assert marks(qm) == 1
    kill(child)
    assert take(qm.open(), MQGMO_BROWSE_HANDLE) == b"1"
    assert marks(qm) == 1  # our own


# With the set


@pytest.mark.conformance("MARK-21")
def test_a_mark_of_the_set_outlives_the_handle_that_set_it(qm: QM) -> None:
    qm.put("1")
    other = qm.open(options=CO_OP, connection=qm.connect())
    with qm.open(options=CO_OP) as handle:
        handle.get(MARK_SET)
    with fails(NOTHING):
        other.get(UNMARKED)


@pytest.mark.conformance("MARK-21")
def test_a_mark_of_the_set_outlives_the_process_that_set_it(qm: QM) -> None:
    qm.put("1")
    other = qm.open(options=CO_OP)
    kill(start_marker(qm, MARK_SET))
    for handle in (other, qm.open(options=CO_OP)):
        with fails(NOTHING):
            handle.get(UNMARKED)


@pytest.mark.conformance("MARK-22")
def test_a_mark_of_the_set_ends_with_its_last_handle(qm: QM) -> None:
    qm.put("1")
    ours, other = qm.open(options=CO_OP), qm.open(options=CO_OP, connection=qm.connect())
    stranger = qm.open(options=MQOO_BROWSE)
    ours.get(MARK_SET)
    ours.close()
    assert marks(qm) == 1
    other.close()
    assert marks(qm) == 0
    assert take(qm.open(options=CO_OP), UNMARKED) == b"1"
    stranger.close()


@pytest.mark.conformance("MARK-22")
def test_a_mark_of_the_set_ends_with_the_process_of_its_last_handle(qm: QM) -> None:
    qm.put("1")
    child = start_marker(qm, MARK_SET)
    ours = qm.open(options=CO_OP)
    with fails(NOTHING):
        ours.get(UNMARKED)
    ours.close()
    kill(child)
    assert take(qm.open(options=CO_OP), UNMARKED) == b"1"
    assert marks(qm) == 0


@pytest.mark.conformance("MARK-22")
def test_the_dead_do_not_keep_the_set_together(qm: QM) -> None:
    qm.put("1")
    child = start_marker(qm, MQGMO_BROWSE_FIRST)
    ours = qm.open(options=CO_OP)
    ours.get(MARK_SET)
    kill(child)
    ours.close()
    assert take(qm.open(options=CO_OP), UNMARKED) == b"1"


def test_a_set_is_of_one_queue(qm: QM) -> None:
    qm.put("1")
    qm.put("2", "R")
    ours, other = qm.open(options=CO_OP), qm.open("R", CO_OP)
    ours.get(MARK_SET)
    other.get(MARK_SET)
    ours.close()
    assert marks(qm) == 1
    with fails(NOTHING):
        other.get(UNMARKED)


# With the interval


@pytest.mark.conformance("MARK-24")
def test_a_mark_of_the_set_ends_with_the_interval_and_one_of_a_handle_does_not(
    qm: QM, advance: Callable[[float], None]
) -> None:
    qm.alter_qmgr(msg_mark_browse_interval=500)
    qm.put("1")
    qm.put("2")
    ours, other = qm.open(options=CO_OP), qm.open(options=CO_OP, connection=qm.connect())
    assert take(ours, MQGMO_BROWSE_CO_OP) == b"1"
    assert take(ours, MQGMO_BROWSE_HANDLE) == b"2"
    advance(0.4)
    assert take(other, UNMARKED) == b"2"
    advance(0.3)
    assert take(other, UNMARKED) == b"1"
    assert take(ours, MQGMO_BROWSE_HANDLE) == b"1"
    with fails(NOTHING):
        ours.get(UNMARKED)


@pytest.mark.conformance("MARK-24")
def test_the_interval_is_five_seconds_unless_the_queue_manager_says_otherwise(
    qm: QM, advance: Callable[[float], None]
) -> None:
    qm.put("1")
    handle = qm.open(options=CO_OP)
    handle.get(MARK_SET)
    advance(4)
    with fails(NOTHING):
        handle.get(UNMARKED)
    advance(2)
    assert take(handle, MARK_SET) == b"1"
    assert marks(qm) == 1


@pytest.mark.conformance("MARK-24")
def test_without_an_interval_a_mark_of_the_set_stays(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter_qmgr(msg_mark_browse_interval=-1)
    qm.put("1")
    handle = qm.open(options=CO_OP)
    handle.get(MARK_SET)
    advance(1e9)
    with fails(NOTHING):
        handle.get(UNMARKED)


@pytest.mark.conformance("MARK-24")
def test_marks_that_have_ended_are_cleared_away(qm: QM, advance: Callable[[float], None]) -> None:
    qm.put("1")
    handle = qm.open(options=CO_OP)
    handle.get(MARK_SET)
    advance(6)
    qm.open(options=CO_OP)
    assert marks(qm) == 0


def browse_unmarked(connection: Connection) -> bytes:
    return take(connection.open("Q", CO_OP), MQGMO_BROWSE_CO_OP | MQGMO_WAIT, wait_ms=-1)


@pytest.mark.conformance("MARK-24")
def test_the_end_of_a_mark_satisfies_a_wait(qm: QM, slept: list[float]) -> None:
    qm.alter_qmgr(msg_mark_browse_interval=250)
    qm.put("1")
    handle = qm.open(options=CO_OP)
    handle.get(MARK_SET)
    assert browse_unmarked(qm.connect()) == b"1"
    assert slept == pytest.approx([0.25])


@pytest.mark.conformance("MARK-33")
def test_the_removal_of_a_mark_satisfies_a_wait(qm: QM) -> None:
    qm.alter_qmgr(msg_mark_browse_interval=-1)
    qm.put("1")
    handle = qm.open(options=CO_OP)
    handle.get(MARK_SET)
    (waiting,) = start_waiting(qm.path, qm.main, browse_unmarked)
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_UNMARK_BROWSE_CO_OP)
    assert waiting.finish() == b"1"
    assert waiters(qm.main.db) == 0


# With the message


@pytest.mark.conformance("MARK-09", "MARK-25")
@pytest.mark.parametrize("mark", [MARK, MARK_SET], ids=["handle", "set"])
def test_a_mark_ends_when_the_message_is_got_also_if_that_is_backed_out(qm: QM, mark: int) -> None:
    qm.put("1")
    handle, getter = qm.open(options=CO_OP), qm.connect()
    handle.get(mark)
    take(getter.open("Q", MQOO_INPUT_SHARED), MQGMO_SYNCPOINT)
    assert marks(qm) == 0
    getter.backout()
    assert take(handle, UNMARKED) == b"1"


@pytest.mark.conformance("MARK-09")
def test_a_mark_ends_when_the_message_is_got_truncated(qm: QM) -> None:
    qm.put("long")
    handle, getter = qm.open(options=CO_OP), qm.open(options=MQOO_INPUT_SHARED, connection=qm.connect())
    handle.get(MARK)
    assert getter.get(0, max_length=1).reason == rc.MQRC_TRUNCATED_MSG_FAILED
    assert marks(qm) == 1
    assert (
        getter.get(MQGMO_SYNCPOINT | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=1).reason == rc.MQRC_TRUNCATED_MSG_ACCEPTED
    )
    getter.connection.backout()
    assert take(handle, UNMARKED) == b"long"


@pytest.mark.conformance("MARK-10")
@pytest.mark.parametrize("mark", [MARK, MARK_SET], ids=["handle", "set"])
def test_a_get_that_fails_leaves_the_mark(qm: QM, mark: int) -> None:
    qm.put("1")
    handle = qm.open(options=CO_OP)
    handle.get(mark)
    with fails(NOTHING):
        qm.open(options=MQOO_INPUT_SHARED).get(md=MQMD(msg_id=b"\x0e" * 24))
    with fails(NOTHING):
        handle.get(UNMARKED)


@pytest.mark.conformance("MARK-11", "MARK-26")
@pytest.mark.parametrize("mark", [MARK, MARK_SET], ids=["handle", "set"])
def test_a_mark_ends_when_the_message_expires(qm: QM, mark: int, advance: Callable[[float], None]) -> None:
    qm.put("1", expiry=5)
    handle = qm.open(options=CO_OP)
    handle.get(mark)
    advance(1)
    with fails(NOTHING):
        handle.get(MQGMO_BROWSE_FIRST)
    assert marks(qm) == 0
    assert qm.depth() == 0


# Marks that need no handle


def test_a_mark_that_stays_needs_no_handle_until_the_interval_is_over(qm: QM, advance: Callable[[float], None]) -> None:
    qm.put("1")
    qm.put("2")
    with qm.open(options=CO_OP) as handle:
        assert take(handle, MQGMO_BROWSE_CO_OP, mark_stays=True) == b"1"
        assert take(handle, MQGMO_BROWSE_CO_OP) == b"2"
    assert marks(qm) == 1
    with qm.open(options=CO_OP) as handle:
        assert take(handle, UNMARKED) == b"2"
        with fails(rc.MQRC_MSG_MARKED_BROWSE_CO_OP):
            handle.get(MARK_SET)
        advance(6)
        assert take(handle, UNMARKED) == b"1"
    qm.open(options=CO_OP)
    assert marks(qm) == 0


def test_a_mark_that_stays_outlives_its_process_and_is_removed_like_any_other(qm: QM) -> None:
    qm.put("1")
    kill(start_ready(MARKER.replace("]))", "]), mark_stays=True)"), qm.path, MARK_SET, says="marked"))
    handle = qm.open(options=CO_OP)
    with fails(NOTHING):
        handle.get(UNMARKED)
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_UNMARK_BROWSE_CO_OP)
    assert take(handle, UNMARKED) == b"1"
    assert marks(qm) == 0


def test_a_message_is_marked_and_unmarked_without_a_handle(qm: QM, advance: Callable[[float], None]) -> None:
    qm.put("1")
    handle = qm.open(options=CO_OP)
    (seq,) = qm.seqs()
    for _ in range(3):  # renewed while the interval runs
        with qm.main.work() as work:
            mark_for_set(work, handle.queue_id, seq, stays=True)
        advance(3)
        with fails(NOTHING):
            handle.get(UNMARKED)
    assert marks(qm) == 1
    with qm.main.work() as work:
        unmark_for_set(work, handle.queue_id, seq)
    assert take(handle, UNMARKED) == b"1"


def test_no_mark_of_a_handle_outlives_the_queue_manager(qm: QM) -> None:
    qm.put("1", persistence=1)
    qm.open(options=CO_OP).get(MARK | MQGMO_MARK_BROWSE_CO_OP)
    queue_managers.end(qm.path, immediate=True)
    queue_managers.start(qm.path)
    assert marks(qm) == 0
    assert take(qm.connect().open("Q", CO_OP), UNMARKED) == b"1"
