"""A search that takes long goes on outside of the write turn, and a get that waits looks at nothing twice.

What is looked at in the turn is counted, not timed. Where a test has small limits, a few messages are a deep queue.
"""

from __future__ import annotations

import fcntl
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP
from mqtools.constants.objects import MQMDS_FIFO, MQMDS_PRIORITY
from mqtools.constants.options import (
    MQEC_MSG_ARRIVED,
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.lifecycle.locks import browse_messages_and_lock, unlock_message
from mqtools.lifecycle.verbs import confirm_put_message, delete_message, get_message, put_message, undo
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import get, resumable_search
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import define_queue, delete_queue
from mqtools.mqi.trash_limits import Trash
from mqtools.operations import edit as editing
from mqtools.operations import selection as selecting
from mqtools.operations import trash_contents
from mqtools.operations.selection import Selection
from mqtools.store.liveness import Presence
from mqtools.store.messages import by_keys, marks, messages
from mqtools.store.scans import filtered_scan

from ..children import PATIENCE_S, Waiting, kill, output_of, start_child, start_waiting, stop, until, waiters
from ..conftest import QM, fails
from .signalled import queue_manager, set_signal

DEEP = 1500
RED = "colour = 'red'"
FILTER: dict[str, object] = {"colour": "red"}


def painted(data: bytes, colour: str = "red", **fields: Any) -> Message:
    return Message(data, MQMD(**fields), {"colour": Property(MQTYPE_STRING, colour)})


def put(connection: Connection, data: bytes, colour: str = "red", options: int = 0, **fields: Any) -> None:
    connection.put1("Q", painted(data, colour, **fields), options)


def fill(qm: QM, number: int, colour: str = "grey") -> None:
    with qm.open() as handle:
        handle.put_many(painted(b"-", colour) for _ in range(number))


def red(connection: Connection, options: int = MQOO_INPUT_SHARED | MQOO_BROWSE) -> Handle:
    return connection.open("Q", options, selector=RED)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two places are many, and one that comes into question is enough for a page."""
    monkeypatch.setattr(resumable_search, "_IN_TURN", 2)
    monkeypatch.setattr(resumable_search, "_PAGE", 2)
    monkeypatch.setattr(filtered_scan, "_FIRST", 1)
    monkeypatch.setattr(filtered_scan, "_LONGEST", 2)


class Looks:
    """What is looked at: places along the queue in a transaction that writes and outside of one, and arrivals."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.in_turn = self.outside = self.arrived = 0
        self.meanwhile: Callable[[], object] | None = None
        scan_batch, arrived = filtered_scan.scan_batch, filtered_scan.arrivals

        def counted(db: Any, *given: Any, **named: Any) -> filtered_scan.ScanBatch:
            found = scan_batch(db, *given, **named)
            if db.in_transaction:
                self.in_turn += found.looked_at
            else:
                self.outside += found.looked_at
                self._happens()
            return found

        def counted_arrivals(*given: Any, after: int, last: int) -> list[Any]:
            self.arrived += last - after
            return arrived(*given, after=after, last=last)

        monkeypatch.setattr(filtered_scan, "scan_batch", counted)
        monkeypatch.setattr(filtered_scan, "arrivals", counted_arrivals)

    def _happens(self) -> None:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()

    @contextmanager
    def nowhere(self) -> Iterator[None]:
        """A block in which no place along the queue is looked at."""
        before = self.in_turn, self.outside
        yield
        assert (self.in_turn, self.outside) == before


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    return Looks(monkeypatch)


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


# What a wait has looked at


def edit(connection: Connection, data: bytes, colour: str = "red") -> None:
    """Paint the first message that has this data, or nothing."""
    rows = connection.db.all("select seq from messages where data = ? and state = 1 order by seq limit 1", (data,))
    changes = editing.Changes(properties={"colour": Property(MQTYPE_STRING, colour)})
    editing.edit_batch(connection, "Q", [row[0] for row in rows], changes.apply)


@contextmanager
def waiting(qm: QM, selector: str = RED) -> Iterator[Waiting]:
    """A get that has looked at the whole queue, and waits."""

    def call(connection: Connection) -> object:
        handle = connection.open("Q", MQOO_INPUT_SHARED, selector=selector)
        return handle.get(MQGMO_WAIT, wait_ms=int(PATIENCE_S * 1000)).message.data

    (started,) = start_waiting(qm.path, qm.main, call)
    yield started
    assert started.is_done


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


# What brings an older message back


def backed_out(qm: QM) -> Callable[[], object]:
    other = qm.connect()
    red(other).get(MQGMO_SYNCPOINT)
    return other.backout


def closed(qm: QM) -> Callable[[], object]:
    handle = red(qm.connect())
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    return handle.close


def unlocked(qm: QM) -> Callable[[], object]:
    locked = browse_messages_and_lock(qm.main, "Q", filter=FILTER)
    return lambda: unlock_message(qm.main, "Q", locked.lock_id)


def undone(qm: QM) -> Callable[[], object]:
    get_message(qm.main, "Q", filter=FILTER, confirm_id=7)
    return lambda: undo(qm.main, "Q", confirm_id=7)


def restored(qm: QM) -> Callable[[], object]:
    qm.main.trash = Trash(1e6, 1 << 20)
    delete_message(qm.main, "Q", filter=FILTER)
    return lambda: trash_contents.restore(
        qm.main, trash_contents.newest_versions(trash_contents.select_trashed(qm.main.db))
    )


def edited(qm: QM) -> Callable[[], object]:
    edit(qm.main, b"old", "grey")
    return lambda: edit(qm.main, b"old")


def freed_by_death(qm: QM) -> Callable[[], object]:
    child = start_child(
        """
connection = connect(path)
connection.open("Q", MQOO_INPUT_SHARED, selector="colour = 'red'").get(MQGMO_SYNCPOINT)
print("holds", flush=True)
sys.stdin.read()
""",
        qm.path,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "holds\n"
    return lambda: kill(child)


AT_ONCE = [backed_out, closed, unlocked, undone, restored, edited]
#: The last one is noticed by a get that finds nothing.
BACK = [*AT_ONCE, freed_by_death]


@pytest.mark.slow
@pytest.mark.parametrize("held", BACK, ids=lambda held: held.__name__)
@pytest.mark.parametrize("many_come", [False, True])
def test_an_older_message_that_comes_back_ends_a_wait(
    qm: QM, small: None, held: Callable[[QM], Callable[[], object]], many_come: bool
) -> None:
    fill(qm, 10)
    put(qm.main, b"old")
    fill(qm, 10)
    give_back = held(qm)
    with waiting(qm) as started:
        if many_come:
            fill(qm, 10)
        give_back()
        assert started.finish() == b"old"


@pytest.mark.parametrize("many_come", [False, True])
def test_an_older_message_that_is_out_of_lease_ends_a_wait(
    qm: QM, small: None, slept: list[float], monkeypatch: pytest.MonkeyPatch, many_come: bool
) -> None:
    fill(qm, 10)
    put(qm.main, b"old")
    fill(qm, 10)
    browse_messages_and_lock(qm.main, "Q", filter=FILTER, lease_s=30)
    sleep = Presence.wait

    def wait(presence: Presence, *given: Any) -> bool:
        if many_come:
            fill(qm, 10)
        return sleep(presence, *given)

    monkeypatch.setattr(Presence, "wait", wait)
    assert red(qm.connect()).get(MQGMO_WAIT, wait_ms=-1).message.data == b"old"
    assert slept == pytest.approx([30])


@pytest.mark.parametrize("held", AT_ONCE, ids=lambda held: held.__name__)
def test_an_older_message_that_comes_back_is_before_what_has_come_since(
    qm: QM, small: None, held: Callable[[QM], Callable[[], object]]
) -> None:
    fill(qm, 10)
    put(qm.main, b"old")
    fill(qm, 10)
    give_back = held(qm)
    handle = red(qm.connect())
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get()
    put(qm.main, b"new")
    give_back()
    assert [handle.get().message.data for _ in range(2)] == [b"old", b"new"]


@pytest.mark.parametrize("held", ["unit of work", "confirm id"])
def test_an_older_put_that_is_confirmed_ends_a_wait(qm: QM, small: None, held: str) -> None:
    other = qm.connect()
    if held == "unit of work":
        put(other, b"old", options=MQPMO_SYNCPOINT)
    else:
        put_message(other, "Q", painted(b"old"), confirm_id=7)
    fill(qm, 20)
    with waiting(qm) as started:
        fill(qm, 10)
        if held == "unit of work":
            other.commit()
        else:
            confirm_put_message(other, "Q", 7)
        assert started.finish() == b"old"


def test_a_browse_sees_a_put_that_is_confirmed_behind_its_cursor(qm: QM, small: None) -> None:
    """A put with a confirm id lies in front of the cursor until it is confirmed, and behind it then (LIFE-10)."""
    put_message(qm.main, "Q", painted(b"confirmed"), confirm_id=7)
    put(qm.main, b"first")
    fill(qm, 20)
    handle = red(qm.connect())
    assert handle.get(MQGMO_BROWSE_FIRST).message.data == b"first"
    handle.resumable_search = None
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get(MQGMO_BROWSE_NEXT)
    confirm_put_message(qm.main, "Q", 7)
    assert handle.get(MQGMO_BROWSE_NEXT).message.data == b"confirmed"


def test_what_a_get_gives_back_itself_is_got_again(qm: QM, small: None) -> None:
    fill(qm, 20)
    put(qm.main, b"red")
    handle = red(qm.main)
    for _ in range(3):
        assert handle.get(MQGMO_SYNCPOINT).message.data == b"red"
        with fails(MQRC_NO_MSG_AVAILABLE):
            handle.get()
        qm.main.backout()


@pytest.mark.parametrize("selector", ["Root.MQMD.BackoutCount > 0", "JMSRedelivered", "JMSXDeliveryCount > 1"])
def test_what_a_backout_makes_match_ends_a_wait(qm: QM, small: None, selector: str) -> None:
    other = qm.connect()
    fill(qm, 20)
    with waiting(qm, selector) as started:
        other.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
        other.backout()
        assert started.finish() == b"-"


def test_a_selector_on_what_is_left_of_the_time_is_asked_anew(
    qm: QM, small: None, advance: Callable[[float], None]
) -> None:
    fill(qm, 20)
    qm.put("soon", expiry=600)
    handle = qm.main.open("Q", MQOO_INPUT_SHARED, selector="Root.MQMD.Expiry BETWEEN 0 AND 300")
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get()
    advance(40)
    assert handle.get().message.data == b"soon"


def test_another_order_of_delivery_counts_for_what_was_looked_at(qm: QM, small: None) -> None:
    qm.alter("Q", msg_delivery_sequence=MQMDS_FIFO)
    fill(qm, 20)
    for priority in (1, 9):
        put(qm.main, b"%d" % priority, priority=priority)
    handle = red(qm.main)
    assert handle.get(MQGMO_BROWSE_FIRST).message.data == b"1"
    qm.alter("Q", msg_delivery_sequence=MQMDS_PRIORITY)
    assert [handle.get().message.data for _ in range(2)] == [b"9", b"1"]


# What else belongs to a get


def test_members_of_groups_are_found_one_by_one(qm: QM, looks: Looks, small: None) -> None:
    fill(qm, 20)
    for number in (1, 2):
        flags = MQMF_MSG_IN_GROUP if number == 1 else MQMF_LAST_MSG_IN_GROUP
        put(qm.main, b"%d" % number, group_id=b"G" * 24, msg_seq_number=number, msg_flags=flags)
        fill(qm, 10)
    handle = red(qm.main)
    assert [handle.get().message.data for _ in range(2)] == [b"1", b"2"]
    assert looks.outside > 0


def test_where_a_group_must_be_whole_the_search_stays_in_the_turn(qm: QM, looks: Looks, small: None) -> None:
    """What comes later can make an older message part of a whole group."""
    group: dict[str, Any] = {"group_id": b"G" * 24}
    put(qm.main, b"1", msg_seq_number=1, msg_flags=MQMF_MSG_IN_GROUP, **group)
    fill(qm, 20)
    handle = red(qm.main)
    options = MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get(options)
    put(qm.main, b"2", msg_seq_number=2, msg_flags=MQMF_LAST_MSG_IN_GROUP, **group)
    assert [handle.get(options).message.data for _ in range(2)] == [b"1", b"2"]
    assert looks.outside == 0


@pytest.mark.slow
@pytest.mark.parametrize("specific_goes", [False, True])
def test_a_wait_with_a_selector_leaves_a_message_to_one_for_just_this(qm: QM, small: None, specific_goes: bool) -> None:
    """And takes it, though it has seen it before, when the other one has gone without it."""
    fill(qm, 20)
    wanted = b"\x0c" * 24
    with waiting(qm) as general:
        specific = start_child(
            """
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    md = MQMD(correl_id=bytes.fromhex(arguments[0]))
    print(handle.get(MQGMO_WAIT, md=md, match_options=MQMO_MATCH_CORREL_ID, wait_ms=-1).message.data.decode())
""",
            qm.path,
            wanted.hex(),
        )
        until(lambda: waiters(qm.main.db) == 2)
        if specific_goes:
            stop(specific, qm.path)  # it lives, and does not take its message
        put(qm.main, b"left", correl_id=wanted)
        if specific_goes:
            general.is_still_waiting()
            kill(specific)
        else:
            assert output_of(specific) == "left\n"
            put(qm.main, b"other")
        assert general.finish() == (b"left" if specific_goes else b"other")


def test_a_handle_sees_what_it_has_locked_itself(qm: QM, small: None) -> None:
    fill(qm, 20)
    put(qm.main, b"mine")
    fill(qm, 20)
    put(qm.main, b"next")
    handle = red(qm.main)
    assert handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK).message.data == b"mine"
    with qm.connect() as other:
        assert red(other).get(MQGMO_BROWSE_FIRST).message.data == b"next"
    assert handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK).message.data == b"mine"
    assert handle.get(MQGMO_BROWSE_NEXT | MQGMO_LOCK).message.data == b"next"
    assert handle.get(MQGMO_MSG_UNDER_CURSOR).message.data == b"next"
    assert handle.get().message.data == b"mine"


def test_a_search_that_goes_on_keeps_the_lock_until_it_has_ended(qm: QM, looks: Looks, small: None) -> None:
    put(qm.main, b"mine")
    fill(qm, 20)
    handle, other = red(qm.main), red(qm.connect())
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    seen: list[int] = []
    looks.meanwhile = lambda: seen.append(messages.held(other.connection.db, handle.queue_id)[0].state)
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get(MQGMO_BROWSE_NEXT | MQGMO_LOCK)
    assert len(seen) == 1
    assert other.get().message.data == b"mine"


def test_marked_messages_are_passed_over_and_come_back(qm: QM, small: None) -> None:
    for number in range(12):
        put(qm.main, b"%d" % number)
    handle = red(qm.main)
    option = MQGMO_UNMARKED_BROWSE_MSG | MQGMO_MARK_BROWSE_HANDLE | MQGMO_BROWSE_FIRST
    for number in range(12):
        assert handle.get(option).message.data == b"%d" % number
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get(option)
    with qm.main.work() as work:
        marks.remove(work.db, handle.queue_id, messages.seq_of(handle.queue_id, 8), handle.id)
    assert handle.get(option).message.data == b"7"


def test_the_expired_that_are_met_are_discarded(
    qm: QM, small: None, advance: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumable_search, "_MOST_EXPIRED", 2)
    for number in range(12):
        put(qm.main, b"%d" % number, "red" if number % 3 else "grey", expiry=10)
    fill(qm, 5)
    put(qm.main, b"red")
    advance(2)
    assert red(qm.main).get().message.data == b"red"
    assert qm.depth() == 5


def test_many_that_match_and_are_held_are_not_remembered_one_by_one(
    qm: QM, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumable_search, "_MOST_KNOWN", 3)
    monkeypatch.setattr(resumable_search, "_CROWD", 1)
    for number in range(10):
        put(qm.main, b"%d" % number)
    holder, handle = red(qm.connect()), red(qm.main)
    for _ in range(10):
        holder.get(MQGMO_SYNCPOINT)
    fill(qm, 10)
    put(qm.main, b"10")
    put(qm.main, b"11")
    assert [handle.get().message.data for _ in range(2)] == [b"10", b"11"]
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get()
    holder.connection.backout()
    assert [handle.get().message.data for _ in range(10)] == [b"%d" % number for number in range(10)]
    assert handle.resumable_search is not None
    assert len(handle.resumable_search._known) < 20


def test_a_search_whose_findings_others_take_again_and_again_comes_to_an_end(
    qm: QM, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The more often it was in vain, the more is looked for; so much in the end that it is a crowd."""
    monkeypatch.setattr(resumable_search, "_CROWD", 2)
    for number in range(20):
        fill(qm, 10)
        put(qm.main, b"%d" % number)
    other = qm.connect()
    taken: list[int] = []
    resume = resumable_search.ResumableSearch.resume

    def robbed(self: resumable_search.ResumableSearch, db: Any, enough: int | None = 1) -> None:
        resume(self, db, enough)
        taken.append(0)
        assert len(taken) < 10
        for seq in list(self._known) if len(taken) < 4 else ():
            delete_message(other, "Q", seq=seq)
            taken[-1] += 1

    monkeypatch.setattr(resumable_search.ResumableSearch, "resume", robbed)
    assert red(qm.main).get().message.data == b"%d" % sum(taken)
    assert sum(taken) > resumable_search._CROWD


def test_damaged_properties_are_told_of_where_the_search_comes_to_them(qm: QM, small: None) -> None:
    put(qm.main, b"held", options=MQPMO_SYNCPOINT)
    fill(qm, 10)
    put(qm.main, b"red")
    fill(qm, 10)
    put(qm.main, b"behind")
    qm.main.db.run("update messages set checksum = null, properties = '{' where data in (?, ?)", (b"held", b"behind"))
    handle = red(qm.connect())
    assert handle.get().message.data == b"red"
    with pytest.raises(MQError) as told:
        handle.get()
    assert told.value.reason != MQRC_NO_MSG_AVAILABLE


def test_all_that_a_filter_means_is_locked_in_the_order_of_delivery(qm: QM, looks: Looks, small: None) -> None:
    for number in range(4):
        fill(qm, 10)
        put(qm.main, b"%d" % number, priority=number)
    looks.meanwhile = lambda: put(qm.connect(), b"meanwhile", priority=2)
    locked = browse_messages_and_lock(qm.main, "Q", filter=FILTER)
    data = [messages.load_data(qm.main.db, stored.seq) for stored in locked.messages]
    assert data == [b"3", b"2", b"meanwhile", b"1", b"0"]


def test_so_many_as_are_asked_for_are_locked(qm: QM, small: None) -> None:
    for number in range(4):
        fill(qm, 10)
        put(qm.main, b"%d" % number)
    locked = browse_messages_and_lock(qm.main, "Q", filter=FILTER, limit=2)
    assert [messages.load_data(qm.main.db, stored.seq) for stored in locked.messages] == [b"0", b"1"]
    assert get_message(qm.main, "Q", filter=FILTER).message.data == b"2"


def test_a_signal_is_posted_for_what_the_selector_means(tmp_path: Path, looks: Looks, small: None) -> None:
    for zos in queue_manager(tmp_path):
        for _ in range(20):
            zos.put("-", options=MQPMO_NO_SYNCPOINT)
        posted = set_signal(red(zos.main))
        with looks.nowhere():
            zos.put("-", options=MQPMO_NO_SYNCPOINT)
            put(zos.main, b"red", options=MQPMO_NO_SYNCPOINT)
            assert posted.next() == MQEC_MSG_ARRIVED


WRITER = """
from mqtools.message import Property
number, count = map(int, arguments)
with connect(path) as connection:
    for n in range(count):
        colour = {"colour": Property(MQTYPE_STRING, "grey" if n % 4 else "red")}
        message = Message(b"%d.%d" % (number, n), MQMD(priority=n % 10), colour)
        connection.put1("Q", message, MQPMO_SYNCPOINT if n % 3 else 0)
        if n % 5 == 0:
            connection.commit()
    connection.commit()
"""

GETTER = """
from mqtools.mqi.get import resumable_search as scouting
scouting._IN_TURN = scouting._PAGE = scouting._CROWD = 2
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED, selector="colour = 'red'")
    for n in range(1000):
        data = handle.get(MQGMO_WAIT | MQGMO_SYNCPOINT, wait_ms=-1).message.data
        if data == b"end":
            break
        if n % 5 == 4:
            connection.backout()
            continue
        connection.commit()
        print(data.decode())
    connection.commit()
"""


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_doubled_among_processes_that_search(qm: QM) -> None:
    fill(qm, 200)
    getters = [start_child(GETTER, qm.path) for _ in range(3)]
    writers = [start_child(WRITER.replace("MQTYPE_STRING", str(MQTYPE_STRING)), qm.path, n, 80) for n in range(3)]
    for writer in writers:
        output_of(writer)
    until(lambda: qm.depth() == 200 + 3 * 60 and not qm.main.db.all("select 1 from messages where state <> 1"))
    for _ in getters:
        put(qm.main, b"end", priority=0)
    got = Counter(line for child in getters for line in output_of(child).split())
    assert got == Counter(f"{number}.{n}" for number in range(3) for n in range(0, 80, 4))
    assert waiters(qm.main.db) == 0


# Looking for a selection again and again


def test_a_selection_that_is_looked_for_again_looks_at_what_has_come(qm: QM, looks: Looks) -> None:
    fill(qm, DEEP)
    put(qm.main, b"red")
    queue_id = red(qm.main).queue_id
    again = selecting.resumable_search(qm.main.db, queue_id, Selection(grep="red"))
    assert again is not None
    assert again.there(qm.main.db) == [messages.seq_of(queue_id, DEEP + 1)]
    qm.got()
    with looks.nowhere():
        assert again.there(qm.main.db) == []
        fill(qm, 3)
        put(qm.main, b"red")
        assert again.there(qm.main.db) == [messages.seq_of(queue_id, DEEP + 5)]
    assert looks.arrived == 4


def test_a_selection_that_is_looked_for_again_goes_on_past_the_expired(
    qm: QM, small: None, monkeypatch: pytest.MonkeyPatch, advance: Callable[[float], None]
) -> None:
    monkeypatch.setattr(resumable_search, "_MOST_EXPIRED", 2)
    for number in range(7):
        put(qm.main, b"red", expiry=10 if number < 6 else -1)
    advance(2)
    again = selecting.resumable_search(qm.main.db, red(qm.main).queue_id, Selection(where=RED))
    assert again is not None
    keys = again.there(qm.main.db) or []
    assert 0 < len(keys) < 7
    assert qm.depth() == 7  # whoever gets them by their keys discards them


def test_a_selection_that_is_looked_for_again_goes_on_past_what_is_not_meant(qm: QM, small: None) -> None:
    for _ in range(7):
        put(qm.main, b"red")
    queue_id = red(qm.main).queue_id
    again = selecting.resumable_search(qm.main.db, queue_id, Selection(where=RED))
    assert again is not None
    keys = [messages.seq_of(queue_id, number) for number in range(1, 8)]
    assert again.there(qm.main.db, keys[:6]) == keys[6:]
    assert again.there(qm.main.db, keys) == []


def test_what_is_not_meant_may_be_a_crowd(qm: QM, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumable_search, "_CROWD", 2)
    for _ in range(9):
        put(qm.main, b"red")
    queue_id = red(qm.main).queue_id
    again = selecting.resumable_search(qm.main.db, queue_id, Selection(where=RED))
    assert again is not None
    keys = [messages.seq_of(queue_id, number) for number in range(1, 10)]
    assert again.there(qm.main.db, keys[:7]) == keys[7:]
    assert again.there(qm.main.db, keys[:8]) == keys[8:]


def test_so_many_held_messages_match_that_all_is_looked_at_again(
    qm: QM, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumable_search, "_MOST_KNOWN", 3)
    for _ in range(6):
        put(qm.main, b"red", options=MQPMO_SYNCPOINT)
    again = selecting.resumable_search(qm.main.db, red(qm.main).queue_id, Selection(where=RED))
    assert again is not None
    assert again.there(qm.main.db) is None


@pytest.mark.parametrize(
    "selection",
    [
        Selection(older_s=1.0),
        Selection(newer_s=1.0),
        Selection(first=2),
        Selection(last=2),
        Selection(msg_ids=(b"a",)),
        Selection(correl_ids=(bytes(24),)),
        Selection(where="JMSRedelivered"),
        Selection(where='Root.MQMD.MsgId = "0x61"'),
    ],
)
def test_a_selection_that_may_come_to_mean_an_older_message_begins_at_the_front(qm: QM, selection: Selection) -> None:
    assert selecting.resumable_search(qm.main.db, red(qm.main).queue_id, selection) is None
