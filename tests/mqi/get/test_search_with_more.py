"""A search that goes on after the write turn: groups, locks, marks, expiry, signals; selections asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP
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
    MQGMO_UNMARK_BROWSE_HANDLE,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQMO_MATCH_MSG_TOKEN,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE
from mqtools.errors import MQError
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.mqi.get import long_search
from mqtools.mqi.handle import Handle

from ...rows import data_of
from ..children import kill, output_of, start_child, stop, until, waiters
from ..conftest import QM, fails
from .searches import FILTER, Looks, fill, put, red, waiting
from .signalled import queue_manager, set_signal

DEEP = 1500


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


@pytest.mark.conformance("LOCK-10", "LOCK-11")
@pytest.mark.parametrize("options", [0, MQGMO_SYNCPOINT, MQGMO_BROWSE_FIRST])
def test_a_handle_gets_what_it_has_locked_in_front_of_many_others(qm: QM, small: None, options: int) -> None:
    put(qm.main, b"mine")
    fill(qm, 20)
    handle = red(qm.main)
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    assert handle.get(options).message.data == b"mine"
    assert qm.depth() == (21 if options == MQGMO_BROWSE_FIRST else 20)


def nothing_for(handle: Handle) -> None:
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get(MQGMO_BROWSE_FIRST)


def test_a_search_that_goes_on_keeps_the_lock_until_it_has_ended(qm: QM, looks: Looks, small: None) -> None:
    put(qm.main, b"mine")
    fill(qm, 20)
    handle, other = red(qm.main), red(qm.connect())
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    looks.meanwhile = lambda: nothing_for(other)
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get(MQGMO_BROWSE_NEXT | MQGMO_LOCK)
    assert looks.meanwhile is None
    assert other.get().message.data == b"mine"


def test_marked_messages_are_passed_over_and_come_back(qm: QM, small: None) -> None:
    for number in range(12):
        put(qm.main, b"%d" % number)
    handle = red(qm.main)
    option = MQGMO_UNMARKED_BROWSE_MSG | MQGMO_MARK_BROWSE_HANDLE | MQGMO_BROWSE_FIRST
    marked = [handle.get(option) for _ in range(12)]
    assert [each.message.data for each in marked] == [b"%d" % number for number in range(12)]
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get(option)
    unmark = MQGMO_BROWSE_FIRST | MQGMO_UNMARK_BROWSE_HANDLE
    handle.get(unmark, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=marked[7].msg_token)
    assert handle.get(option).message.data == b"7"


def test_the_expired_that_are_met_are_discarded(
    qm: QM, small: None, advance: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        put(qm.main, b"%d" % number, "red" if number % 3 else "grey", expiry=10)
    fill(qm, 5)
    put(qm.main, b"red")
    advance(2)
    assert red(qm.main).get().message.data == b"red"
    assert qm.depth() == 5


def test_a_search_whose_findings_others_take_again_and_again_comes_to_an_end(
    qm: QM, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        fill(qm, 10)
        put(qm.main, b"%d" % number)
    other = red(qm.connect())
    taken: list[bytes] = []
    scan_ahead = long_search.LongSearch.scan_ahead

    def robbed(self: long_search.LongSearch, db: Any) -> None:
        scan_ahead(self, db)
        if db is qm.main.db and len(taken) < 4:
            taken.append(other.get().message.data)

    monkeypatch.setattr(long_search.LongSearch, "scan_ahead", robbed)
    assert red(qm.main).get().message.data == b"4"
    assert taken == [b"0", b"1", b"2", b"3"]


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
    data = [data_of(qm.main, stored.seq) for stored in locked.messages]
    assert data == [b"3", b"2", b"meanwhile", b"1", b"0"]


def test_a_signal_is_posted_for_what_the_selector_means(tmp_path: Path, small: None) -> None:
    for zos in queue_manager(tmp_path):
        for _ in range(20):
            zos.put("-", options=MQPMO_NO_SYNCPOINT)
        posted = set_signal(red(zos.main))
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
from mqtools.mqi.get import long_search
long_search._IN_TURN = 2
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
