"""Gets that wait: who is woken by what, and who is preferred to whom."""

from __future__ import annotations

import signal
import time

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.objects import MQIA_INHIBIT_GET
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_SET,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_GET_INHIBITED,
)
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD
from mqtools.mqi.connection import Connection, connect

from ..children import PATIENCE_S, getter, kill, output_of, put, start_child, start_waiting, stop, until, waiters

WANTED = b"\x0c" * 24
OTHER = b"\x0d" * 24


SPECIFIC = """
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    md = MQMD(correl_id=bytes.fromhex(arguments[1]))
    result = handle.get(MQGMO_WAIT, md=md, match_options=int(arguments[0]), wait_ms=-1)
    print(result.message.data.decode(), flush=True)
    sys.stdin.read()
"""


@pytest.mark.conformance("WAIT-01")
def test_a_get_that_waits_is_woken_by_a_put_of_another_process(path, here):
    child = start_child(
        """
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    print(handle.get(MQGMO_WAIT, wait_ms=-1).message.data.decode())
""",
        path,
    )
    until(lambda: waiters(here.db) == 1)
    put(here, b"at last")
    assert output_of(child) == "at last\n"
    assert waiters(here.db) == 0


@pytest.mark.conformance("WAIT-02")
def test_a_get_does_not_wait_when_there_is_a_message(here):
    put(here, b"there")
    began = time.monotonic()
    assert getter(wait_ms=int(PATIENCE_S * 1000))(here) == b"there"
    assert time.monotonic() - began < PATIENCE_S / 2


@pytest.mark.conformance("WAIT-03")
def test_a_wait_ends_with_its_interval_and_not_before(here):
    began = time.monotonic()
    with pytest.raises(NoMessageAvailable):
        getter(wait_ms=120)(here)
    assert time.monotonic() - began >= 0.12
    assert waiters(here.db) == 0


@pytest.mark.conformance("WAIT-05")
def test_inhibiting_gets_ends_a_wait(path, here):
    (waiting,) = start_waiting(path, here, getter())
    with here.open("Q", MQOO_SET) as handle:
        handle.set({MQIA_INHIBIT_GET: 1})
    waiting.finish()
    assert waiting.reason == MQRC_GET_INHIBITED
    assert waiters(here.db) == 0


@pytest.mark.conformance("WAIT-08")
def test_one_message_ends_one_of_three_destructive_waits(path, here):
    left = start_waiting(path, here, *[getter()] * 3)
    for text in (b"one", b"two", b"three"):
        put(here, text)
        until(lambda: any(each.is_done for each in left))
        (ended,) = [each for each in left if each.is_done]
        assert ended.finish() == text
        left.remove(ended)
        for each in left:
            each.is_still_waiting()


@pytest.mark.conformance("WAIT-06", "WAIT-07", "WAIT-09")
def test_one_message_ends_all_browsing_waits(path, here):
    browse = [getter(MQGMO_WAIT | option) for option in (MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT, MQGMO_BROWSE_NEXT)]
    waiting = start_waiting(path, here, *browse)
    put(here, b"one")
    assert [each.finish() for each in waiting] == [b"one"] * 3
    assert here.db.all("select count(*) from messages") == [(1,)]


@pytest.mark.conformance("WAIT-10")
def test_one_of_two_destructive_waits_gets_the_message_whatever_the_browsing_ones_see(path, here):
    *gets, browse = start_waiting(path, here, getter(), getter(), getter(MQGMO_WAIT | MQGMO_BROWSE_FIRST))
    put(here, b"one")
    until(lambda: any(each.is_done for each in gets))
    (other,) = [each for each in gets if not each.is_done]
    other.is_still_waiting()
    put(here, b"two")
    assert sorted(str(each.finish()) for each in gets) == ["b'one'", "b'two'"]
    put(here, b"three")
    assert browse.finish() in (b"one", b"two", b"three")


@pytest.mark.conformance("WAIT-11")
def test_one_of_two_waits_with_a_lock_locks_the_message(path, here):
    """The one that has it holds it while the other goes on waiting."""
    locked: list[bytes] = []

    def lock(connection: Connection) -> None:
        handle = connection.open("Q", MQOO_BROWSE)
        locked.append(handle.get(MQGMO_WAIT | MQGMO_BROWSE_FIRST | MQGMO_LOCK, wait_ms=-1).message.data)
        until(lambda: len(locked) == 2)

    waiting = start_waiting(path, here, lock, lock)
    put(here, b"one")
    until(lambda: bool(locked))
    for each in waiting:
        each.is_still_waiting()
    assert (locked, waiters(here.db)) == ([b"one"], 1)
    put(here, b"two")
    for each in waiting:
        each.finish()
    assert locked == [b"one", b"two"]


@pytest.mark.conformance("WAIT-12")
@pytest.mark.parametrize("general", [MQGMO_WAIT, MQGMO_WAIT | MQGMO_BROWSE_FIRST | MQGMO_LOCK], ids=["get", "lock"])
def test_a_wait_for_just_this_message_is_preferred_to_a_general_one(path, here, general):
    (first,) = start_waiting(path, here, getter(general))
    (second,) = start_waiting(path, here, getter(correl_id=WANTED))
    put(here, b"for second", correl_id=WANTED)
    assert second.finish() == b"for second"
    first.is_still_waiting()
    put(here, b"for first")
    assert first.finish() == b"for first"


@pytest.mark.conformance("WAIT-12")
def test_what_a_specific_wait_leaves_is_for_the_general_one(path, here):
    (general,) = start_waiting(path, here, getter())
    child = start_child(SPECIFIC, path, MQMO_MATCH_CORREL_ID, WANTED.hex())
    until(lambda: waiters(here.db) == 2)
    stop(child, path)
    for text in (b"1", b"2"):
        put(here, text, MQPMO_SYNCPOINT, correl_id=WANTED)
    here.commit()
    general.is_still_waiting()
    child.send_signal(signal.SIGCONT)
    assert child.stdout is not None
    assert child.stdout.readline() == "1\n"
    assert general.finish() == b"2"  # although the other one lives on
    output_of(child)


@pytest.mark.conformance("WAIT-12")
def test_a_specific_wait_that_cannot_take_the_message_does_not_keep_it_from_a_general_one(path, here):
    def selecting(connection: Connection) -> bytes:
        handle = connection.open("Q", MQOO_INPUT_SHARED, selector="colour = 'red'")
        md = MQMD(correl_id=WANTED)
        return handle.get(MQGMO_WAIT, md=md, match_options=MQMO_MATCH_CORREL_ID, wait_ms=-1).message.data

    (general,) = start_waiting(path, here, getter())
    (specific,) = start_waiting(path, here, selecting)
    put(here, b"not red", correl_id=WANTED)
    assert general.finish() == b"not red"
    queue_managers.end(path, immediate=True)
    specific.finish()
    assert specific.reason == MQRC_CONNECTION_BROKEN


@pytest.mark.slow
@pytest.mark.conformance("WAIT-12")
def test_the_death_of_a_specific_waiter_frees_what_was_left_to_it(path, here):
    (general,) = start_waiting(path, here, getter())
    child = start_child(SPECIFIC, path, MQMO_MATCH_CORREL_ID, WANTED.hex())
    try:
        until(lambda: waiters(here.db) == 2)
        stop(child, path)  # it lives, and does not take its message
        put(here, b"left", correl_id=WANTED)
        general.is_still_waiting()
    finally:
        kill(child)
    assert general.finish() == b"left"


@pytest.mark.conformance("WAIT-13", "WAIT-14")
def test_one_of_two_equal_waits_gets_the_message_and_the_other_goes_on(path, here):
    waiting = start_waiting(path, here, getter(correl_id=WANTED), getter(msg_id=OTHER, correl_id=WANTED))
    put(here, b"first", msg_id=OTHER, correl_id=WANTED)
    until(lambda: any(each.is_done for each in waiting))
    put(here, b"second", msg_id=OTHER, correl_id=WANTED)
    assert {each.finish() for each in waiting} == {b"first", b"second"}


@pytest.mark.conformance("WAIT-26")
def test_a_wait_without_limit_is_satisfied_by_a_message(path, here):
    (waiting,) = start_waiting(path, here, getter(wait_ms=-1))
    put(here, b"once")
    assert waiting.finish() == b"once"


@pytest.mark.conformance("WAIT-28")
def test_an_uncommitted_put_satisfies_a_wait_at_its_commit_only(path, here):
    (waiting,) = start_waiting(path, here, getter())
    put(here, b"held", MQPMO_SYNCPOINT)
    put(here, b"free", correl_id=OTHER)
    assert waiting.finish() == b"free"
    (waiting,) = start_waiting(path, here, getter())
    waiting.is_still_waiting()
    here.commit()
    assert waiting.finish() == b"held"


def test_a_backout_satisfies_a_wait(path, here):
    put(here, b"back")
    handle = here.open("Q", MQOO_INPUT_SHARED)
    handle.get(MQGMO_SYNCPOINT)
    (waiting,) = start_waiting(path, here, getter())
    here.backout()
    assert waiting.finish() == b"back"


@pytest.mark.conformance("LOCK-20", "LOCK-24", "LOCK-25")
@pytest.mark.parametrize("how", ["close", "disconnect", "browse on"])
def test_a_lock_given_up_satisfies_a_wait(path, here, how):
    put(here, b"locked")
    locker = connect(path)
    handle = locker.open("Q", MQOO_BROWSE)
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    (waiting,) = start_waiting(path, here, getter())
    if how == "close":
        handle.close()
    elif how == "browse on":
        with pytest.raises(NoMessageAvailable):
            handle.get(MQGMO_BROWSE_NEXT)
    else:
        locker.disconnect()
    assert waiting.finish() == b"locked"
    locker.disconnect()


@pytest.mark.conformance("LOCK-20")
def test_a_browse_that_waits_unlocks_before_it_waits(path, here):
    put(here, b"locked")

    def browse_on(connection: Connection) -> bytes:
        handle = connection.open("Q", MQOO_BROWSE)
        handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        return handle.get(MQGMO_WAIT | MQGMO_BROWSE_NEXT, wait_ms=-1).message.data

    (waiting,) = start_waiting(path, here, browse_on)
    assert getter(wait_ms=0)(here) == b"locked"
    put(here, b"next")
    assert waiting.finish() == b"next"
