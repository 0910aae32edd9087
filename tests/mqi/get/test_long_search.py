"""A search that takes long goes on outside of the write turn.

What is looked at in the turn is counted, not timed. Where a test has small limits, a few messages are a deep queue.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from contextlib import suppress

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
from mqtools.mqi.objects.definitions import define_queue, delete_queue

from ..children import kill, output_of, start_ready
from ..conftest import QM, fails
from .searches import FILTER, Looks, fill, put, red

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
    child = start_ready(SEARCHING, qm.path, verb, DEEP // 2, says="searching")
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
    assert looks.in_turn + looks.outside >= DEEP
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
