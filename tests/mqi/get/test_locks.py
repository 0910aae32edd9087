"""Locks: who sees a locked message, how many there are, what releases one and what does not."""

from __future__ import annotations

import inspect

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import MQMF_LAST_SEGMENT, MQMF_SEGMENT
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOCK,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_NO_WAIT,
    MQGMO_SYNCPOINT,
    MQGMO_UNLOCK,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_OFFSET,
    MQOO_OUTPUT,
)
from mqtools.message import MQMD
from mqtools.mqi.connection import connect
from mqtools.mqi.handle import Handle

from ..children import kill, start_ready
from ..conftest import QM, fails, take
from ..zos_story import ZosQM

G = b"G" * 24
NOTHING = rc.MQRC_NO_MSG_AVAILABLE
FIRST, NEXT, AT = MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT, MQGMO_BROWSE_MSG_UNDER_CURSOR
UNDER, LOCK, UNLOCK, COMPLETE = MQGMO_MSG_UNDER_CURSOR, MQGMO_LOCK, MQGMO_UNLOCK, MQGMO_COMPLETE_MSG


def locker(qm: QM, *names: str) -> tuple[Handle, Handle]:
    """Put messages, lock the first; give the handle that did and one of another connection."""
    for name in names:
        qm.put(name)
    ours = qm.open()
    take(ours, FIRST | LOCK)
    return ours, qm.open(connection=qm.connect())


def segments(qm: QM) -> None:
    """Put a logical message of three segments."""
    for offset, data in ((0, "ab"), (2, "cd"), (4, "ef")):
        flags = MQMF_SEGMENT | (MQMF_LAST_SEGMENT if data == "ef" else 0)
        qm.put(data, group_id=G, offset=offset, msg_flags=flags)


@pytest.mark.conformance("LOCK-01", "LOCK-38")
def test_a_locked_message_is_hidden_from_every_other_handle(qm: QM) -> None:
    md = qm.put("1")
    take(qm.open(), FIRST | LOCK)
    for other in (qm.open(), qm.open(connection=qm.connect())):
        for options in (0, FIRST):
            with fails(NOTHING):
                other.get(options)
        with fails(NOTHING):
            other.get(md=MQMD(msg_id=md.msg_id), match_options=MQMO_MATCH_MSG_ID)
    assert qm.depth() == 1


@pytest.mark.conformance("LOCK-04")
def test_each_handle_of_a_connection_has_a_lock_of_its_own(qm: QM) -> None:
    ours, other = locker(qm, "1", "2")
    assert take(qm.open(), FIRST | LOCK) == b"2"
    with fails(NOTHING):
        other.get()
    assert take(ours, UNDER) == b"1"


@pytest.mark.conformance("LOCK-06")
@pytest.mark.parametrize("what", ["locked", "missing"])
def test_a_message_that_is_not_whole_is_not_locked(qm: QM, what: str) -> None:
    segments(qm)
    third = qm.open(connection=qm.connect())
    take(third, FIRST)
    take(third, NEXT | LOCK)
    if what == "missing":
        take(third, UNDER)
    ours, other = qm.open(), qm.open(connection=qm.connect())
    with fails(NOTHING):
        ours.get(FIRST | LOCK | COMPLETE)
    assert ours.get(UNLOCK).reason == rc.MQRC_NO_MSG_LOCKED
    assert [take(other), take(other)] == [b"ab", b"ef"]


@pytest.mark.conformance("LOCK-07", "LOCK-08")
def test_locking_one_segment_leaves_the_others_but_not_the_whole(qm: QM) -> None:
    segments(qm)
    ours, other = qm.open(), qm.open(connection=qm.connect())
    assert take(ours, FIRST | LOCK) == b"ab"
    for options in (COMPLETE, COMPLETE | FIRST):
        with fails(NOTHING):
            other.get(options)
    assert take(other) == b"cd"


@pytest.mark.conformance("COMPL-34", "LOCK-05")
@pytest.mark.parametrize("how", ["unlock", "get", "get whole"])
def test_a_whole_locked_message_is_let_go_whole(qm: QM, how: str) -> None:
    segments(qm)
    ours, other = qm.open(), qm.open(connection=qm.connect())
    take(ours, FIRST | LOCK | COMPLETE)
    with fails(NOTHING):
        other.get()
    left = [b"ab", b"cd", b"ef"]
    if how == "unlock":
        ours.get(UNLOCK)
    elif how == "get whole":
        assert take(ours, COMPLETE | UNDER) == b"abcdef"
        left.clear()
    else:
        assert take(ours) == left.pop(0)
        assert ours.get(UNLOCK).reason == rc.MQRC_NO_MSG_LOCKED
    assert [take(other) for _ in left] == left
    assert qm.depth() == 0


@pytest.mark.conformance("LOCK-03", "LOCK-09")
def test_the_locked_message_is_the_one_under_the_cursor(qm: QM) -> None:
    ours, other = locker(qm, "1", "2")
    assert take(ours, NEXT | LOCK) == b"2"
    assert take(ours, AT | LOCK) == b"2"
    assert take(other) == b"1"
    with fails(NOTHING):
        other.get()


@pytest.mark.conformance("LOCK-12", "LOCK-30")
def test_a_lock_that_found_nothing_is_none(qm: QM) -> None:
    handle = qm.open()
    with fails(NOTHING):
        handle.get(FIRST | LOCK)
    result = handle.get(UNLOCK)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_NO_MSG_LOCKED)


@pytest.mark.conformance("LOCK-30")
def test_unlocking_nothing_leaves_the_lock_of_another_handle(qm: QM) -> None:
    _, other = locker(qm, "1")
    assert qm.open().get(UNLOCK).reason == rc.MQRC_NO_MSG_LOCKED
    with fails(NOTHING):
        other.get()


@pytest.mark.conformance("LOCK-14", "LOCK-15", "LOCK-16")
@pytest.mark.parametrize(("lock", "left"), [(0, [b"1", b"2"]), (LOCK, [b"1"])])
@pytest.mark.parametrize("accepts", [0, MQGMO_ACCEPT_TRUNCATED_MSG])
def test_the_next_browse_releases_and_locks_only_if_asked(qm: QM, lock: int, left: list[bytes], accepts: int) -> None:
    ours, other = locker(qm, "1", "2")
    ours.get(NEXT | lock | accepts, max_length=0 if accepts else None)
    assert [take(other) for _ in left] == left
    with fails(NOTHING):
        other.get()


@pytest.mark.conformance("LOCK-15")
def test_browse_first_releases_and_may_find_the_same_message(qm: QM) -> None:
    ours, other = locker(qm, "1")
    assert take(ours, FIRST) == b"1"
    assert take(other) == b"1"


@pytest.mark.conformance("LOCK-17")
def test_a_browse_that_fails_keeps_the_lock(qm: QM) -> None:
    ours, other = locker(qm, "1")
    with fails(rc.MQRC_INCONSISTENT_BROWSE):
        ours.get(NEXT | MQGMO_LOGICAL_ORDER)
    with fails(NOTHING):
        other.get()


@pytest.mark.conformance("LOCK-22")
def test_a_browse_under_the_cursor_that_fails_keeps_the_lock(qm: QM) -> None:
    segments(qm)
    ours, other = qm.open(), qm.open(connection=qm.connect())
    take(ours, FIRST)
    assert take(ours, NEXT | LOCK) == b"cd"
    with fails(rc.MQRC_INVALID_MSG_UNDER_CURSOR):
        ours.get(AT | COMPLETE)
    with fails(NOTHING):
        other.get(md=MQMD(offset=2), match_options=MQMO_MATCH_OFFSET)


@pytest.mark.conformance("LOCK-23")
def test_a_browse_under_the_cursor_that_is_truncated_keeps_the_lock(qm: QM) -> None:
    ours, other = locker(qm, "a long one")
    assert ours.get(AT, max_length=5).reason == rc.MQRC_TRUNCATED_MSG_FAILED
    with fails(NOTHING):
        other.get()


@pytest.mark.conformance("LOCK-26", "LOCK-27")
def test_the_lock_of_a_process_that_was_killed_is_nobodys(qm: QM) -> None:
    qm.put("1")
    child = start_ready(
        """
handle = connect(path).open("Q", MQOO_BROWSE)
print(handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK).message.data.decode(), flush=True)
sys.stdin.read()
""",
        qm.path,
        says="1",
    )
    handle = qm.open()
    with fails(NOTHING):
        handle.get()
    kill(child)
    assert take(handle) == b"1"


@pytest.mark.conformance("LOCK-29")
def test_no_connection_is_a_client_that_may_not_lock(zos: ZosQM) -> None:
    """There is nothing that TMF could coordinate: every connection is local, with no word for another kind."""
    parameters = {"name", "appl_name", "user_identifier", "kind", "is_upkeep", "lock_timeout", "options"}
    assert set(inspect.signature(connect).parameters) == parameters
    zos.put("1")
    assert take(zos.open(), FIRST | LOCK) == b"1"


@pytest.mark.conformance("LOCK-31", "LOCK-32")
def test_unlocking_looks_at_no_other_parameter_and_gives_no_message(qm: QM) -> None:
    ours, other = locker(qm, "1")
    md = MQMD(version=99, msg_id=b"none such")
    before = md.replace()
    result = ours.get(UNLOCK, md=md, max_length=-1, wait_ms=-7, match_options=1 << 20, gmo_version=0)
    assert (result.comp_code, result.reason, result.message.data) == (rc.MQCC_OK, rc.MQRC_NONE, b"")
    assert md == before
    assert take(other) == b"1"


@pytest.mark.conformance("LOCK-35")
@pytest.mark.parametrize("options", [UNLOCK, UNLOCK | MQGMO_NO_WAIT | MQGMO_NO_SYNCPOINT])
def test_unlocking_is_in_no_unit_of_work_in_any_profile(zos: ZosQM, options: int) -> None:
    ours, other = locker(zos, "1")
    assert ours.get(options).reason == rc.MQRC_NONE
    assert not zos.main.in_unit_of_work
    zos.main.backout()
    assert take(other) == b"1"


@pytest.mark.conformance("LOCK-10", "LOCK-11", "LOCK-37", "LOCK-39")
@pytest.mark.parametrize(("options", "by_id"), [(UNDER, 0), (0, 0), (0, 1), (UNDER | MQGMO_SYNCPOINT, 0)])
def test_what_the_handle_itself_took_is_no_longer_locked(qm: QM, options: int, by_id: int) -> None:
    md = qm.put("1")
    ours, other = locker(qm)
    assert take(ours, options, md=MQMD(msg_id=md.msg_id) if by_id else None) == b"1"
    assert ours.get(UNLOCK).reason == rc.MQRC_NO_MSG_LOCKED
    qm.main.backout()
    if options & MQGMO_SYNCPOINT:
        assert take(other) == b"1"
    assert qm.depth() == 0


def test_a_locked_message_that_was_cleared_away_is_not_unlocked(qm: QM) -> None:
    ours, _ = locker(qm, "1")
    with qm.main.work() as work:
        work.db.run("delete from messages")
    assert ours.get(UNLOCK).reason == rc.MQRC_NO_MSG_LOCKED


@pytest.mark.conformance("LOCK-19")
def test_a_browse_that_finds_nothing_unlocks(qm: QM) -> None:
    ours, other = locker(qm, "a")
    with fails(NOTHING):
        ours.get(NEXT)
    assert take(other) == b"a"


@pytest.mark.conformance("LOCK-13", "LOCK-18")
def test_a_failed_truncation_neither_locks_nor_unlocks(qm: QM) -> None:
    ours, other = locker(qm, "short", "a longer one")
    assert ours.get(NEXT | LOCK, max_length=5).reason == rc.MQRC_TRUNCATED_MSG_FAILED
    assert take(other) == b"a longer one"
    with fails(NOTHING):
        other.get()


@pytest.mark.conformance("LOCK-24", "LOCK-36")
def test_unlock_frees_the_message_and_leaves_the_cursor(qm: QM) -> None:
    ours, other = locker(qm, "a", "b")
    assert ours.get(UNLOCK).reason == rc.MQRC_NONE
    assert take(other) == b"a"
    assert take(ours, NEXT) == b"b"


@pytest.mark.conformance("LOCK-30", "LOCK-33")
def test_unlocking_nothing_warns_whatever_the_handle_is_open_for(qm: QM) -> None:
    result = qm.open("Q", MQOO_OUTPUT).get(UNLOCK)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_NO_MSG_LOCKED)


@pytest.mark.conformance("LOCK-25", "BEY-53", "BEY-52")
def test_closing_a_handle_frees_its_lock_and_leaves_the_unit_of_work(qm: QM) -> None:
    qm.put("got")
    qm.put("locked")
    handle, other = qm.open(), qm.open()
    handle.get(MQGMO_SYNCPOINT)
    handle.get(FIRST | LOCK)
    handle.close()
    with fails(rc.MQRC_HOBJ_ERROR):
        handle.get()
    assert take(other, FIRST) == b"locked"
    qm.main.backout()
    assert qm.data() == [b"got", b"locked"]
