"""Many processes on one queue: nothing lost, nothing doubled, nobody starved, every waiter woken."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mqtools.constants.objects import MQIA_INHIBIT_GET
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_SET,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_GET_INHIBITED,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_Q_DELETED,
    MQRC_Q_MGR_QUIESCING,
)
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.qmgr import admin
from mqtools.qmgr.connection import Connection, connect
from mqtools.qmgr.definitions import define_queue
from mqtools.store import holders

from .children import Waiting, kill, output_of, start_child, until, waiters

WANTED = b"\x0c" * 24
OTHER = b"\x0d" * 24


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    path = admin.create("QM1")
    with connect(path) as connection, connection.work() as work:
        define_queue(work, "QLOCAL", "Q", {"max_q_depth": 100_000})
    return path


@pytest.fixture
def here(path: str) -> Iterator[Connection]:
    with connect(path) as connection:
        yield connection


def put(connection: Connection, text: bytes, options: int = 0, **fields: object) -> None:
    connection.put1("Q", Message(text, MQMD(**fields)), options)  # type: ignore[arg-type]


def getter(options: int = MQGMO_WAIT, wait_ms: int = -1, **match: bytes) -> Callable[[Connection], bytes]:
    """A call that gets or browses from Q and gives the data."""
    fields = {"msg_id": MQMO_MATCH_MSG_ID, "correl_id": MQMO_MATCH_CORREL_ID}

    def call(connection: Connection) -> bytes:
        handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE)
        result = handle.get(
            options, md=MQMD(**match), match_options=sum(fields[name] for name in match), wait_ms=wait_ms
        )
        return result.message.data

    return call


def start_waiting(path: str, here: Connection, *calls: Callable[[Connection], object]) -> list[Waiting]:
    """Start calls, and go on when all of them are written down as waiting."""
    before = waiters(here.db)
    waiting = [Waiting(path, call) for call in calls]
    until(lambda: waiters(here.db) == before + len(calls) or any(each.is_done for each in waiting))
    assert not any(each.is_done for each in waiting)
    return waiting


# Throughput


WRITER = """
number, count = map(int, arguments)
with connect(path) as connection:
    for n in range(count):
        if n % 3:
            connection.put1("Q", Message(b"%d.%d" % (number, n), MQMD(persistence=n % 2)))
        else:
            connection.put1("Q", Message(b"%d.%d" % (number, n)), MQPMO_SYNCPOINT)
        if n % 5 == 0:
            connection.commit()
    connection.commit()
"""

GETTER = """
count = int(arguments[0])
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    got = 0
    while True:
        options = MQGMO_WAIT | (MQGMO_SYNCPOINT if got % 2 else 0)
        data = handle.get(options, wait_ms=-1).message.data
        if data == b"end":
            break
        if got % 14 == 13 and not data.endswith(b"*"):
            connection.backout()
            got += 1
            continue
        connection.commit()
        print(data.decode())
        got += 1
"""


def test_nothing_is_lost_and_nothing_doubled_among_eight_writers_and_four_getters(path, here):
    writers = [start_child(WRITER, path, number, 60) for number in range(8)]
    getters = [start_child(GETTER, path, 60) for _ in range(4)]
    for writer in writers:
        output_of(writer)
    until(lambda: here.db.all("select count(*) from messages")[0][0] == 0)
    for _ in getters:
        put(here, b"end")
    got = Counter(line for child in getters for line in output_of(child).split())
    assert got == Counter(f"{number}.{n}" for number in range(8) for n in range(60))
    assert here.db.all("select depth, uncommitted, waiters from queue_status") == [(0, 0, 0)]


PUT_AND_GET = """
with connect(path) as connection:
    given = Message(b"x" * int(arguments[0]))
    connection.put1("Q", given)
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    found = handle.get(0, md=MQMD(msg_id=given.md.msg_id)).message
    assert found.data == given.data
    print(found.md.msg_id.hex())
"""


def test_thirty_two_processes_that_start_at_once_do_not_disturb_each_other(path, here):
    children = [start_child(PUT_AND_GET, path, number) for number in range(32)]
    ids = [output_of(child).strip() for child in children]
    assert len(set(ids)) == 32
    assert here.db.all("select count(*) from messages") == [(0,)]
    assert holders.connections(here.db) == []


@pytest.mark.conformance("BROWSE-29")
def test_messages_of_one_writer_stay_in_order_while_others_write(path, here):
    writers = [start_child(WRITER, path, number, 30) for number in range(3)]
    for writer in writers:
        output_of(writer)
    handle = here.open("Q", MQOO_BROWSE)
    seen: dict[str, list[int]] = {}
    for _ in range(90):
        number, n = handle.get(MQGMO_BROWSE_NEXT).message.data.decode().split(".")
        seen.setdefault(number, []).append(int(n))
    assert all(order == list(range(30)) for order in seen.values())


# Waking


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
    assert getter(wait_ms=20_000)(here) == b"there"
    assert time.monotonic() - began < 5


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
    waiting = start_waiting(path, here, *[getter(wait_ms=1500)] * 3)
    put(here, b"one")
    assert sorted(str(each.finish()) for each in waiting) == ["None", "None", "b'one'"]
    assert sorted(each.reason for each in waiting) == [0, MQRC_NO_MSG_AVAILABLE, MQRC_NO_MSG_AVAILABLE]


@pytest.mark.conformance("WAIT-06", "WAIT-07", "WAIT-09")
def test_one_message_ends_all_browsing_waits(path, here):
    browse = [getter(MQGMO_WAIT | option) for option in (MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT, MQGMO_BROWSE_NEXT)]
    waiting = start_waiting(path, here, *browse)
    put(here, b"one")
    assert [each.finish() for each in waiting] == [b"one"] * 3
    assert here.db.all("select depth from queue_status") == [(1,)]


@pytest.mark.conformance("WAIT-10")
def test_one_of_two_destructive_waits_gets_the_message_whatever_the_browsing_ones_see(path, here):
    browse = getter(MQGMO_WAIT | MQGMO_BROWSE_FIRST, wait_ms=1500)
    waiting = start_waiting(path, here, getter(wait_ms=1500), getter(wait_ms=1500), browse)
    put(here, b"one")
    got = [each.finish() for each in waiting]
    assert sorted(map(str, got[:2])) == ["None", "b'one'"]
    assert got[2] in (None, b"one")


@pytest.mark.conformance("WAIT-11")
def test_one_of_two_waits_with_a_lock_locks_the_message(path, here):
    """The one that has it holds it until the other's time is over."""

    def lock(connection: Connection) -> bytes:
        handle = connection.open("Q", MQOO_BROWSE)
        data = handle.get(MQGMO_WAIT | MQGMO_BROWSE_FIRST | MQGMO_LOCK, wait_ms=1200).message.data
        until(lambda: waiters(connection.db) == 0)
        return data

    waiting = start_waiting(path, here, lock, lock)
    put(here, b"one")
    assert sorted(str(each.finish()) for each in waiting) == ["None", "b'one'"]


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
    child.send_signal(signal.SIGSTOP)
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
    admin.end(path, immediate=True)
    specific.finish()
    assert specific.reason == MQRC_CONNECTION_BROKEN


@pytest.mark.conformance("WAIT-12")
def test_the_death_of_a_specific_waiter_frees_what_was_left_to_it(path, here):
    (general,) = start_waiting(path, here, getter())
    child = start_child(SPECIFIC, path, MQMO_MATCH_CORREL_ID, WANTED.hex())
    try:
        until(lambda: waiters(here.db) == 2)
        child.send_signal(signal.SIGSTOP)  # it lives, and does not take its message
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


# The end of somebody


HOLDER = """
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE)
    handle.get(int(arguments[0]))
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.conformance("LOCK-26", "SYNC-02")
@pytest.mark.parametrize("options", [MQGMO_SYNCPOINT, MQGMO_BROWSE_FIRST | MQGMO_LOCK], ids=["got", "locked"])
def test_the_death_of_the_holder_satisfies_a_wait(path, here, options):
    put(here, b"freed")
    child = start_child(HOLDER, path, options)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    (waiting,) = start_waiting(path, here, getter())
    kill(child)
    assert waiting.finish() == b"freed"
    assert [holder.pid for holder in holders.connections(here.db) if holder.pid == child.pid] == []


@pytest.mark.conformance("WAIT-48", "WAIT-50")
def test_quiescing_ends_the_waits_that_asked_for_it_and_no_other(path, here):
    asked, silent = start_waiting(path, here, getter(MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING), getter())
    assert admin.end(path) == admin.QUIESCING
    asked.finish()
    assert asked.reason == MQRC_Q_MGR_QUIESCING
    silent.is_still_waiting()
    put(here, b"late")
    assert silent.finish() == b"late"


def test_an_immediate_end_breaks_a_wait(path, here):
    (waiting,) = start_waiting(path, here, getter(wait_ms=-1))
    assert admin.end(path, immediate=True) == admin.ENDED
    waiting.finish()
    assert waiting.reason == MQRC_CONNECTION_BROKEN


def test_a_wait_on_a_temporary_queue_ends_when_the_queue_goes(path, here):
    with here.work() as work:
        define_queue(work, "QMODEL", "MODEL", {"shareability": 1})
    maker = connect(path)
    name = maker.open("MODEL", MQOO_INPUT_SHARED, dynamic_q_name="REPLY.*").q_name

    def wait(connection: Connection) -> object:
        return connection.open(name, MQOO_INPUT_SHARED).get(MQGMO_WAIT, wait_ms=-1)

    (waiting,) = start_waiting(path, here, wait)
    maker.disconnect()
    waiting.finish()
    assert waiting.reason == MQRC_Q_DELETED


# The cost of waiting


def test_waiting_uses_no_cpu(path):
    child = start_child(
        """
import resource
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED)
    before = resource.getrusage(resource.RUSAGE_SELF)
    try:
        handle.get(MQGMO_WAIT, wait_ms=1000)
    except NoMessageAvailable:
        after = resource.getrusage(resource.RUSAGE_SELF)
        print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
""",
        path,
    )
    assert float(output_of(child)) < 0.05


def test_waiting_for_what_the_living_hold_uses_no_cpu_either(path, here):
    put(here, b"held")
    here.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
    before = time.process_time()
    with connect(path) as other, pytest.raises(MQError):
        getter(wait_ms=700)(other)
    assert time.process_time() - before < 0.1
