"""A search that takes long goes on outside of the write turn, and a get that waits looks at nothing twice.

What is looked at in the turn is counted, not timed. Where a test has small limits, a few messages are a deep queue.
"""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

import pytest

from mqtools.constants.objects import MQMDS_FIFO, MQMDS_PRIORITY
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
)
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE
from mqtools.errors import NoMessageAvailable
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.lifecycle.verbs import delete_message, get_message
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import get, resumable_search
from mqtools.mqi.objects.definitions import define_queue, delete_queue
from mqtools.store.messages import by_keys

from ..children import PATIENCE_S, kill, output_of, start_child, waiters
from ..conftest import QM, fails
from .searches import FILTER, Looks, edit, fill, painted, put, red, waiting

DEEP = 1500


# The write turn

SEARCHING = """
from mqtools.lifecycle.verbs import get_message
from mqtools.store.scans import filtered_scan
real, deep = filtered_scan.scan_batch, int(arguments[1])

def scan_batch(db, *given, **named):
    global deep
    found = real(db, *given, **named)
    if found.end is not None and found.end & 0xFFFFFFFF > deep:
        deep = 1 << 40
        print("searching", flush=True)
        sys.stdin.readline()
    return found

filtered_scan.scan_batch = scan_batch
with connect(path) as connection:
    if arguments[0] == "get":
        handle = connection.open("Q", MQOO_INPUT_SHARED, selector="colour = 'red'")
        message = handle.get(MQGMO_WAIT, wait_ms=-1).message
    else:
        message = get_message(connection, "Q", filter={"colour": "red"}).message
    print(message.data.decode())
"""


@pytest.mark.parametrize("verb", ["get", "get_message"])
def test_another_process_can_put_while_one_searches(qm: QM, verb: str) -> None:
    fill(qm, DEEP)
    put(qm.main, b"last")
    child = start_child(SEARCHING, qm.path, verb, DEEP // 2)
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == "searching\n"
    try:
        with open(f"{qm.path}-run/writer", "rb") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an error if the child has it
            fcntl.flock(turn, fcntl.LOCK_UN)
        put(qm.main, b"first", priority=9)
    except OSError:
        kill(child)
        raise
    assert output_of(child) == "first\n"  # as the order of delivery is when the message is taken


def calls(connection: Connection) -> dict[str, Callable[[], object]]:
    """Every verb that may search long."""
    handle = red(connection)
    return {
        "get": handle.get,
        "browse": lambda: handle.get(MQGMO_BROWSE_FIRST),
        "browse and lock": lambda: handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK),
        "get message": lambda: get_message(connection, "Q", filter=FILTER),
        "delete": lambda: delete_message(connection, "Q", filter=FILTER),
        "lock": lambda: browse_messages_and_lock(connection, "Q", filter=FILTER),
        "lock one": lambda: browse_messages_and_lock(connection, "Q", filter=FILTER, limit=1),
    }


@pytest.mark.parametrize("verb", ["get", "browse", "browse and lock", "get message", "delete", "lock", "lock one"])
@pytest.mark.parametrize("matching", [0, 1])
def test_no_verb_looks_at_more_than_a_few_places_in_the_turn(qm: QM, looks: Looks, verb: str, matching: int) -> None:
    fill(qm, DEEP)
    for _ in range(matching):
        put(qm.main, b"red")
    call = calls(qm.main)[verb]
    if matching:
        call()
    else:
        with fails(MQRC_NO_MSG_AVAILABLE):
            call()
    assert looks.outside >= DEEP
    assert looks.in_turn < DEEP / 2


def test_what_is_near_is_found_in_the_turn(qm: QM, looks: Looks) -> None:
    for _ in range(2):
        fill(qm, 100)
        put(qm.main, b"red")
    handle = red(qm.main)
    assert [handle.get().message.data for _ in range(2)] == [b"red"] * 2
    assert looks.outside == 0


def test_a_verb_that_is_part_of_a_transaction_stays_in_it(qm: QM, looks: Looks, small: None) -> None:
    fill(qm, 20)
    put(qm.main, b"red")
    put(qm.main, b"red too")
    handle = red(qm.main)
    with qm.main.work():
        assert handle.get().message.data == b"red"
        assert get_message(qm.main, "Q", filter=FILTER).message.data == b"red too"
    assert looks.outside == 0


# What happens between the look and the claim


@pytest.mark.parametrize("sequence", [MQMDS_PRIORITY, MQMDS_FIFO])
def test_a_message_that_comes_meanwhile_has_its_place_in_the_order(
    qm: QM, looks: Looks, small: None, sequence: int
) -> None:
    qm.alter("Q", msg_delivery_sequence=sequence)
    fill(qm, 20)
    put(qm.main, b"found")
    other = qm.connect()
    looks.meanwhile = lambda: put(other, b"urgent", priority=9)
    handle = red(qm.main)
    got = [handle.get().message.data for _ in range(2)]
    assert got == ([b"urgent", b"found"] if sequence == MQMDS_PRIORITY else [b"found", b"urgent"])


def test_a_message_that_somebody_else_gets_meanwhile_is_not_got_twice(qm: QM, looks: Looks, small: None) -> None:
    fill(qm, 20)
    put(qm.main, b"one")
    fill(qm, 20)
    put(qm.main, b"two")
    other = red(qm.connect())
    stolen: list[bytes] = []
    looks.meanwhile = lambda: stolen.append(other.get().message.data)
    assert red(qm.main).get().message.data == b"two"
    assert stolen == [b"one"]


def test_an_edit_meanwhile_begins_the_search_anew(qm: QM, looks: Looks, small: None) -> None:
    qm.put("edited")
    fill(qm, 20)
    put(qm.main, b"behind")
    looks.meanwhile = lambda: edit(qm.connect(), b"edited")
    assert red(qm.main).get().message.data == b"edited"


@pytest.fixture
def overtaken(qm: QM, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Whenever a search has gone on outside, a message is edited; each time is noted, of which there are not many."""
    other, times = qm.connect(), list[int]()
    resume = resumable_search.ResumableSearch.resume

    def resume_and_edit(search: resumable_search.ResumableSearch, *given: Any) -> None:
        resume(search, *given)
        times.append(1)
        assert len(times) <= resumable_search._PATIENCE + 1
        edit(other, b"-", f"grey {len(times)}")

    monkeypatch.setattr(resumable_search.ResumableSearch, "resume", resume_and_edit)
    return times


def test_a_search_that_is_always_overtaken_is_done_in_the_turn(qm: QM, small: None, overtaken: list[int]) -> None:
    fill(qm, 50)
    put(qm.main, b"behind")
    assert red(qm.main).get().message.data == b"behind"
    assert len(overtaken) > 1


def test_a_search_for_all_that_is_always_overtaken_is_done_in_the_turn(
    qm: QM, small: None, overtaken: list[int]
) -> None:
    """Also where it finds something each time, before it has to go on."""
    put(qm.main, b"in front")
    fill(qm, 50)
    put(qm.main, b"behind")
    found = browse_messages_and_lock(qm.main, "Q", filter=FILTER).messages
    assert [stored.data_length for stored in found] == [8, 6]
    assert len(overtaken) > 1


def test_a_queue_that_is_made_anew_meanwhile_is_searched_from_its_beginning(qm: QM, looks: Looks, small: None) -> None:
    fill(qm, 20)
    other = qm.connect()

    def make_anew() -> None:
        with other.work() as work:
            delete_queue(work, "QLOCAL", "Q", purge=True)
            define_queue(work, "QLOCAL", "Q", {})
        put(other, b"of the new one")

    looks.meanwhile = make_anew
    assert get_message(qm.main, "Q", filter=FILTER).message.data == b"of the new one"


def test_a_put_to_a_deep_queue_costs_a_wait_one_look(qm: QM, looks: Looks) -> None:
    fill(qm, DEEP)
    woken = threading.Semaphore(0)
    with waiting(qm) as started:
        assert looks.outside >= DEEP
        real = get.attempt

        def attempt(request: Any) -> Any:
            try:
                return real(request)
            finally:
                woken.release()

        with looks.nowhere(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(get, "attempt", attempt)
            for _ in range(5):
                put(qm.main, b"-", "grey")
                assert woken.acquire(timeout=PATIENCE_S)
            put(qm.main, b"red")
            assert started.finish() == b"red"
    assert (looks.arrived, waiters(qm.main.db)) == (6, 0)


def test_a_handle_that_gets_one_message_after_the_other_goes_through_the_queue_once(qm: QM, looks: Looks) -> None:
    for number in range(3):
        fill(qm, DEEP)
        put(qm.main, b"%d" % number)
    handle = red(qm.main)
    assert [handle.get().message.data for _ in range(3)] == [b"0", b"1", b"2"]
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get()
    assert looks.outside < 6 * DEEP
    put(qm.main, b"3")
    with looks.nowhere():
        assert handle.get().message.data == b"3"


@pytest.mark.slow
def test_of_many_that_have_come_few_are_remembered(qm: QM, looks: Looks, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that are known and can be had are read for each get, in the write turn."""
    read: list[int] = []
    among = by_keys.unlocked_among

    def counted(db: Any, seqs: Collection[int]) -> list[Any]:
        read.append(len(seqs) if db.in_transaction else 0)
        return among(db, seqs)

    monkeypatch.setattr(by_keys, "unlocked_among", counted)
    fill(qm, DEEP)
    handle = red(qm.main)
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get()
    with qm.open() as to:
        to.put_many(painted(b"%d" % number, priority=number % 2) for number in range(1000))
    before = looks.outside
    got = [handle.get().message.data for _ in range(1000)]
    assert got == [b"%d" % number for number in (*range(1, 1000, 2), *range(0, 1000, 2))]
    assert max(read) <= resumable_search._CROWD
    assert looks.outside - before < 2 * DEEP  # those of priority 0 are gone past once more
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get()


def test_a_browse_goes_through_the_queue_once(qm: QM, looks: Looks) -> None:
    for number in range(3):
        fill(qm, DEEP)
        put(qm.main, b"%d" % number)
    handle = red(qm.main)
    seen = [handle.get(MQGMO_BROWSE_FIRST).message.data]
    with suppress(NoMessageAvailable):
        while True:
            seen.append(handle.get(MQGMO_BROWSE_NEXT).message.data)
    assert seen == [b"0", b"1", b"2"]
    assert looks.outside < 6 * DEEP
