"""MQGMO_SET_SIGNAL: when a signal is posted, with what, and who is preferred to whom."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import reasons as rc
from mqtools.constants.options import (
    MQEC_CONNECTION_QUIESCING,
    MQEC_MSG_ARRIVED,
    MQEC_Q_MGR_QUIESCING,
    MQEC_WAIT_CANCELED,
    MQEC_WAIT_INTERVAL_EXPIRED,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SET_SIGNAL,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQOO_INPUT_SHARED,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.message import MQMD, Message, Property

from ...rows import rows
from ..children import PATIENCE_S, getter, kill, output_of, start_child, start_ready, start_waiting, until, waiters
from ..conftest import QM, fails
from .signalled import SIGNAL, put, queue_manager, set_signal, take

NOTHING = rc.MQRC_NO_MSG_AVAILABLE
C1 = b"\xc1" * 24


@pytest.fixture(name="qm")
def of_profile_zos(tmp_path: Path) -> Iterator[QM]:
    yield from queue_manager(tmp_path)


@pytest.mark.conformance("WAIT-34")
def test_an_arrival_is_posted_and_the_message_stays_for_whoever_comes(qm: QM) -> None:
    handle = qm.open()
    posted = set_signal(handle)
    put(qm, b"M")
    assert posted.next() == MQEC_MSG_ARRIVED == 2
    assert qm.data() == [b"M"]
    assert take(handle) == b"M"
    put(qm, b"N")
    posted.nothing()
    assert waiters(qm.main.db) == 0
    assert posted.thread is not threading.current_thread()


@pytest.mark.conformance("WAIT-34")
def test_a_put_of_another_process_is_posted(qm: QM) -> None:
    posted = set_signal(qm.open())
    output_of(start_child('connect(path).put1("Q", Message(b"x"), MQPMO_NO_SYNCPOINT)', qm.path))
    assert posted.next() == MQEC_MSG_ARRIVED


@pytest.mark.conformance("WAIT-34")
def test_a_message_of_a_unit_of_work_is_posted_at_its_commit(qm: QM) -> None:
    posted, putter = set_signal(qm.open()), qm.connect()
    putter.put1("Q", Message(b"x"), MQPMO_SYNCPOINT)
    posted.nothing()
    putter.commit()
    assert posted.next() == MQEC_MSG_ARRIVED


@pytest.mark.conformance("WAIT-34")
def test_only_a_suitable_message_is_posted(qm: QM) -> None:
    handle = qm.main.open("Q", MQOO_INPUT_SHARED, selector="colour = 'red'")
    md = MQMD(correl_id=C1)
    posted = set_signal(handle, md=md, match_options=MQMO_MATCH_CORREL_ID)
    md.correl_id = b"\0" * 24  # the call is as it was made
    red = {"colour": Property(MQTYPE_STRING, "red")}
    qm.main.put1("Q", Message(b"wrong id", MQMD(), red), MQPMO_NO_SYNCPOINT)
    put(qm, b"wrong colour", correl_id=C1)
    posted.nothing()
    qm.main.put1("Q", Message(b"right", MQMD(correl_id=C1), red), MQPMO_NO_SYNCPOINT)
    assert posted.next() == MQEC_MSG_ARRIVED


def test_a_browse_sets_a_signal_for_what_comes_behind_its_cursor(qm: QM) -> None:
    put(qm, b"1")
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST)
    posted = set_signal(handle, MQGMO_SET_SIGNAL | MQGMO_BROWSE_NEXT)
    posted.nothing()
    put(qm, b"2")
    assert posted.next() == MQEC_MSG_ARRIVED
    assert take(handle, MQGMO_BROWSE_NEXT) == b"2"


@pytest.mark.conformance("WAIT-34")
def test_what_the_dead_held_is_posted(qm: QM) -> None:
    put(qm, b"held")
    child = start_ready(
        """
connection = connect(path)
connection.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
print("held", flush=True)
sys.stdin.read()
""",
        qm.path,
        says="held",
    )
    posted = set_signal(qm.open())
    posted.nothing()
    kill(child)
    assert posted.next() == MQEC_MSG_ARRIVED


@pytest.mark.conformance("WAIT-35")
def test_signals_wait_for_several_queues_at_once(qm: QM) -> None:
    """Descriptors are what select waits for; the numbers may be closed as soon as the signals are set."""
    ends = {}
    for name in ("Q", "R"):
        reading, writing = os.pipe()
        assert qm.open(name).get(SIGNAL, signal=writing).reason == rc.MQRC_SIGNAL_REQUEST_ACCEPTED
        os.close(writing)
        ends[reading] = name
    put(qm, b"x", "R")
    ready, _, _ = select.select(list(ends), [], [], PATIENCE_S)
    assert [ends[end] for end in ready] == ["R"]
    assert os.read(ready[0], 99) == b"2\n"
    assert os.read(ready[0], 99) == b""  # once, and nobody holds it any more
    for end in ends:
        os.close(end)


def test_a_signal_that_nobody_reads_does_no_harm(qm: QM) -> None:
    reading, writing = os.pipe()
    handle = qm.open()
    handle.get(SIGNAL, signal=writing)
    os.close(reading)
    put(qm, b"x")
    until(lambda: handle.signal is not None and not handle.signal.is_outstanding)
    assert take(handle) == b"x"
    os.close(writing)


@pytest.mark.conformance("WAIT-36")
def test_the_end_of_the_interval_is_posted_and_nothing_after_it(qm: QM) -> None:
    handle = qm.open()
    posted = set_signal(handle, wait_ms=60)
    assert posted.next() == MQEC_WAIT_INTERVAL_EXPIRED == 3
    put(qm, b"late")
    posted.nothing()
    assert take(handle) == b"late"


@pytest.mark.conformance("WAIT-37", "AMB-42")
@pytest.mark.parametrize("wait_ms", [0, -1])
def test_without_an_interval_a_signal_stays_until_a_message_arrives(qm: QM, wait_ms: int) -> None:
    posted = set_signal(qm.open(), wait_ms=wait_ms)
    posted.nothing(0.15)
    put(qm, b"x")
    assert posted.next() == MQEC_MSG_ARRIVED


@pytest.mark.conformance("WAIT-37")
@pytest.mark.parametrize("how", ["close", "disconnect"])
def test_a_signal_goes_with_its_handle(qm: QM, how: str) -> None:
    connection = qm.connect()
    handle = qm.open(connection=connection)
    posted = set_signal(handle)
    connection.disconnect() if how == "disconnect" else handle.close()
    assert waiters(qm.main.db) == 0
    left = [number for (number,) in rows(qm.main, "select id from holders where kind = 'connection'")]
    assert left == ([] if how == "disconnect" else [connection.id])
    put(qm, b"x")
    posted.nothing()


def test_a_signal_goes_with_its_process(qm: QM) -> None:
    child = start_ready(
        """
connection = connect(path)
connection.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SET_SIGNAL, signal=print)
print("set", flush=True)
sys.stdin.read()
""",
        qm.path,
        says="set",
    )
    kill(child)
    put(qm, b"x")
    assert queue_managers.end(qm.path) == queue_managers.ENDED  # nobody is connected any more
    assert [name for name in os.listdir(qm.main.db.run_folder) if name.startswith(("life", "bell"))] == []


@pytest.mark.conformance("WAIT-38")
@pytest.mark.parametrize("ends", [False, True])
def test_a_signal_is_cancelled_where_gets_are_inhibited_or_the_queue_manager_ends(qm: QM, ends: bool) -> None:
    posted = set_signal(qm.open())
    queue_managers.end(qm.path, immediate=True) if ends else qm.alter("Q", inhibit_get=1)
    assert posted.next() == MQEC_WAIT_CANCELED == 4
    assert ends or waiters(qm.main.db) == 0


@pytest.mark.conformance("WAIT-49")
def test_quiescing_is_posted_to_those_that_asked_for_it(qm: QM) -> None:
    posted = set_signal(qm.open(), SIGNAL | MQGMO_FAIL_IF_QUIESCING)
    assert queue_managers.end(qm.path) == queue_managers.QUIESCING
    assert posted.next() == MQEC_Q_MGR_QUIESCING == 5
    assert MQEC_CONNECTION_QUIESCING == 6  # posted by nobody: a connection does not quiesce by itself


@pytest.mark.conformance("WAIT-50")
def test_quiescing_leaves_the_other_signals_outstanding(qm: QM) -> None:
    handle = qm.open()
    posted = set_signal(handle)
    assert queue_managers.end(qm.path) == queue_managers.QUIESCING
    posted.nothing()
    put(qm, b"late")
    assert posted.next() == MQEC_MSG_ARRIVED
    assert take(handle) == b"late"
    again = set_signal(handle)  # also one set only now
    again.nothing()
    qm.main.disconnect()
    assert queue_managers.state_of(qm.path) == queue_managers.ENDED


# Who is preferred to whom


@pytest.mark.conformance("WAIT-17")
def test_a_wait_and_a_signal_for_the_same_message_are_equals(qm: QM) -> None:
    """The wait gets the message, or the signal is posted, or both: a signal does not keep it."""
    handle = qm.open()
    posted = set_signal(handle)
    (waiting,) = start_waiting(qm.path, qm.main, getter(MQGMO_WAIT | MQGMO_NO_SYNCPOINT))
    put(qm, b"one")
    assert waiting.finish() == b"one"
    put(qm, b"two")
    assert posted.next() == MQEC_MSG_ARRIVED
    assert posted.codes == [MQEC_MSG_ARRIVED]


@pytest.mark.conformance("WAIT-39")
@pytest.mark.parametrize("options", [SIGNAL, MQGMO_SET_SIGNAL | MQGMO_BROWSE_FIRST | MQGMO_LOCK], ids=["get", "lock"])
def test_a_signal_for_just_this_message_is_preferred_to_a_general_one(qm: QM, options: int) -> None:
    general = set_signal(qm.open(), options)
    handle = qm.open(connection=qm.connect())
    specific = set_signal(handle, md=MQMD(correl_id=C1), match_options=MQMO_MATCH_CORREL_ID)
    put(qm, b"M", correl_id=C1)
    assert specific.next() == MQEC_MSG_ARRIVED
    general.nothing()
    assert take(handle) == b"M"
    general.nothing()
    put(qm, b"N")
    assert general.next() == MQEC_MSG_ARRIVED


@pytest.mark.conformance("WAIT-39")
@pytest.mark.parametrize("how", ["gets another", "closes", "is gone"])
def test_what_was_announced_to_one_that_does_not_take_it_is_announced_to_the_others(qm: QM, how: str) -> None:
    general = set_signal(qm.open())
    connection = qm.connect()
    handle = qm.open(connection=connection)
    specific = set_signal(handle, md=MQMD(correl_id=C1), match_options=MQMO_MATCH_CORREL_ID)
    put(qm, b"M", correl_id=C1)
    assert specific.next() == MQEC_MSG_ARRIVED
    general.nothing()
    if how == "gets another":
        with fails(NOTHING):
            handle.get(MQGMO_NO_SYNCPOINT, md=MQMD(msg_id=b"\x0e" * 24))
    elif how == "closes":
        handle.close()
    else:
        connection.disconnect()
    assert general.next() == MQEC_MSG_ARRIVED
    assert qm.data() == [b"M"]


@pytest.mark.slow
@pytest.mark.conformance("WAIT-39")
def test_what_was_announced_to_a_process_that_died_is_announced_to_the_others(qm: QM) -> None:
    general = set_signal(qm.open())
    child = start_ready(
        """
connection = connect(path)
md = MQMD(correl_id=bytes.fromhex(arguments[0]))
handle = connection.open("Q", MQOO_INPUT_SHARED)
post = lambda code: print(code, flush=True)
handle.get(MQGMO_SET_SIGNAL, signal=post, md=md, match_options=MQMO_MATCH_CORREL_ID)
print("set", flush=True)
sys.stdin.read()
""",
        qm.path,
        C1.hex(),
        says="set",
    )
    put(qm, b"M", correl_id=C1)
    assert child.stdout.readline() == "2\n"
    general.nothing()
    kill(child)
    assert general.next() == MQEC_MSG_ARRIVED


@pytest.mark.conformance("WAIT-39")
def test_a_wait_for_just_this_message_is_preferred_to_a_general_signal(qm: QM) -> None:
    general = set_signal(qm.open())
    options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT
    (waiting,) = start_waiting(qm.path, qm.main, getter(options, correl_id=C1))
    put(qm, b"M", correl_id=C1)
    assert waiting.finish() == b"M"
    general.nothing()


@pytest.mark.conformance("WAIT-40")
def test_a_signalled_program_may_find_nothing(qm: QM) -> None:
    handle, faster = qm.open(), qm.open(connection=qm.connect())
    posted = set_signal(handle)
    put(qm, b"M")
    assert posted.next() == MQEC_MSG_ARRIVED
    assert take(faster) == b"M"
    with fails(NOTHING):
        take(handle)
    assert set_signal(handle).codes == []
