"""The journal: every event of a queue that asks for it, in the transaction that makes it true, and none other."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.message import MQRO_COA, MQRO_COD
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_PUT_INHIBITED
from mqtools.constants.states import GET_UNCONFIRMED, LOCKED_FOR_BROWSE, PUT_UNCONFIRMED, UNLOCKED
from mqtools.errors import MQError
from mqtools.lifecycle.locks import browse_messages_and_lock, unlock_message
from mqtools.lifecycle.verbs import (
    confirm_get_message,
    confirm_put_message,
    delete_message,
    get_message,
    put_message,
    undo,
)
from mqtools.message import MQMD, Message
from mqtools.mqi import recovery
from mqtools.mqi.clear import clear_in_steps
from mqtools.mqi.connection import connect
from mqtools.mqi.journal import evict
from mqtools.mqi.objects.definitions import delete_queue
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import EVICT_EVERY, EVICT_MORE
from mqtools.operations.move import Route, carry_batch
from mqtools.operations.selection import select

from ..rows import Source, rows
from .conftest import QM
from .zos_story import zos_in

BODY = 2


@pytest.fixture
def kept(qm: QM) -> QM:
    """The queue manager, with a journal of Q."""
    qm.alter("Q", journal=1)
    return qm


def events(qm: QM) -> list[tuple[str, str]]:
    """Return each event with its queue."""
    return [(row[0], row[1]) for row in qm.main.db.all("select event, queue from journal order by event_seq")]


def names(qm: QM) -> list[str]:
    return [event for event, _ in events(qm)]


def body_of(qm: QM, number: int) -> bytes:
    """Return the data that is kept with an event."""
    pieces = rows(qm.main, "select data from journal_chunks where event_seq = ? order by number", number)
    return b"".join(data for (data,) in pieces or rows(qm.main, "select data from journal where event_seq = ?", number))


def kept_events(source: Source) -> int:
    """Return how many events the journal has."""
    return int(rows(source, "select count(*) from journal where event_seq > 0")[0][0])


def steps(qm: QM) -> list[tuple[str, int | None, int | None, str | None]]:
    """Return each event with the states before and after it, and what it undid."""
    rows = qm.main.db.all("select event, state_before, state_after, undone from journal order by event_seq")
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def test_a_put_and_a_get_are_events_with_the_message_as_it_was(kept: QM) -> None:
    md = kept.put(b"hello", correl_id=b"c" * 24, priority=3)
    kept.got()
    rows = kept.main.db.all(
        "select event, holder, appl_name, outcome, queue, msg_id, correl_id, priority, data_length, data from journal"
    )
    who = f"ana pid {os.getpid()}"
    about = ("Q", md.msg_id, b"c" * 24, 3, 5, None)
    assert rows == [("put", who, "test", 0, *about), ("get", who, "test", 0, *about)]


def test_a_queue_that_does_not_ask_has_no_events(kept: QM) -> None:
    kept.put(q_name="R")
    kept.got("R")
    assert events(kept) == []
    kept.alter("Q", journal=0)
    kept.put()
    kept.got()
    assert events(kept) == []


@pytest.mark.parametrize("length", [5, 300_000])
def test_the_body_is_kept_where_the_queue_says_so(qm: QM, length: int) -> None:
    qm.alter("Q", journal=BODY)
    body = os.urandom(length)
    qm.put(body)
    with qm.open() as handle:
        handle.get(MQGMO_SYNCPOINT)
        qm.main.commit()
    with qm.main.work():
        pass
    assert names(qm) == ["put", "get"]
    assert [body_of(qm, number) for number in (1, 2)] == [body, body]
    qm.alter_qmgr(journal_age_s=0)
    qm.put(b"1")
    qm.put(b"2")
    qm.main.events_noted = 10
    evict(qm.main)
    assert qm.main.db.all("select count(*) from journal_chunks") == [(0,)]


def test_a_unit_of_work_is_journaled_when_it_is_committed(kept: QM) -> None:
    kept.put(b"there")
    with kept.open() as handle:
        handle.put(Message(b"1"), MQPMO_SYNCPOINT)
        handle.get(MQGMO_SYNCPOINT)
        handle.put(Message(b"2"), MQPMO_SYNCPOINT)
        assert names(kept) == ["put"]
        kept.main.commit()
        assert names(kept) == ["put", "put", "get", "put"]
        assert kept.main.db.all("select count(*) from journal_pending") == [(0,)]


def test_a_unit_of_work_that_is_backed_out_is_said_to_be(kept: QM) -> None:
    kept.put(b"there")
    with kept.open() as handle:
        handle.put(Message(b"1"), MQPMO_SYNCPOINT)
        handle.get(MQGMO_SYNCPOINT)
        kept.main.backout()
        handle.get()
    assert names(kept) == ["put", "backout", "backout", "get"]
    assert steps(kept) == [
        ("put", None, UNLOCKED, None),
        ("backout", PUT_UNCONFIRMED, None, "put"),
        ("backout", GET_UNCONFIRMED, UNLOCKED, "get"),
        ("get", UNLOCKED, None, None),
    ]
    assert kept.main.db.all("select count(*) from journal_pending") == [(0,)]


def test_what_is_given_back_alone_is_backed_out_and_the_rest_is_not(kept: QM) -> None:
    kept.put(b"1")
    kept.put(b"2")
    with kept.open() as handle:
        handle.get(MQGMO_SYNCPOINT)
        handle.get(MQGMO_SYNCPOINT)
        kept.main.backout_last()
        kept.main.commit()
    assert names(kept) == ["put", "put", "backout", "get"]


def test_a_get_that_skips_the_backout_is_an_event_of_the_next_commit(tmp_path: Path) -> None:
    with zos_in(tmp_path) as qm:
        qm.alter("Q", journal=1)
        qm.put(b"1")
        qm.put(b"2")
        with qm.open() as handle:
            handle.get(MQGMO_SYNCPOINT | MQGMO_MARK_SKIP_BACKOUT)
            handle.get(MQGMO_SYNCPOINT)
            qm.main.backout()
            assert names(qm) == ["put", "put", "backout"]
            qm.main.commit()
        assert names(qm) == ["put", "put", "backout", "get"]


def test_a_unit_of_work_of_a_killed_process_is_backed_out(kept: QM) -> None:
    program = (
        "import os, signal, sys\n"
        "from mqtools.message import Message\n"
        "from mqtools.mqi.connection import connect\n"
        "connection = connect(sys.argv[1])\n"
        f"connection.put1('Q', Message(b'lost'), {MQPMO_SYNCPOINT})\n"
        "connection.put1('Q', Message(b'kept'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, kept.path], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    with kept.main.work() as work:
        recovery.recover(work, find_queue(work.db, "Q").id)
    assert kept.main.db.all("select event, detail from journal") == [("put", None), ("backout", "its process ended")]
    assert kept.main.db.all("select count(*) from journal_pending") == [(0,)]


def test_confirm_ids_are_journaled_when_they_are_confirmed(kept: QM) -> None:
    put_message(kept.main, "Q", Message(b"1"), confirm_id=1)
    put_message(kept.main, "Q", Message(b"2"), confirm_id=2)
    assert names(kept) == []
    undo(kept.main, "Q", confirm_id=2)
    confirm_put_message(kept.main, "Q", 1)
    assert names(kept) == ["backout", "put"]
    get_message(kept.main, "Q", confirm_id=3)
    undo(kept.main, "Q", confirm_id=3)
    get_message(kept.main, "Q", confirm_id=4)
    assert names(kept) == ["backout", "put", "backout"]
    confirm_get_message(kept.main, "Q", 4)
    assert names(kept) == ["backout", "put", "backout", "get"]


def test_the_end_of_a_lease_is_an_event_of_each_get_that_it_undoes(kept: QM) -> None:
    kept.put(b"1")
    get_message(kept.main, "Q", confirm_id=7, lease_s=0.001)
    time.sleep(0.01)
    get_message(kept.main, "Q")
    assert steps(kept) == [
        ("put", None, UNLOCKED, None),
        ("lease", GET_UNCONFIRMED, UNLOCKED, "get"),
        ("get", UNLOCKED, None, None),
    ]


def test_locks_are_events_however_they_end(kept: QM) -> None:
    kept.put(b"1")
    with kept.open() as handle:
        handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    lock_id = browse_messages_and_lock(kept.main, "Q").lock_id
    unlock_message(kept.main, "Q", lock_id)
    assert names(kept) == ["put", "browse_lock", "unlock", "browse_lock", "unlock"]


def test_each_event_has_the_states_before_and_after_it(kept: QM) -> None:
    lock = put_message(kept.main, "Q", Message(b"1"), confirm_id=1)
    assert lock is not None
    confirm_put_message(kept.main, "Q", 1)
    lock_id = browse_messages_and_lock(kept.main, "Q").lock_id
    get_message(kept.main, "Q", confirm_id=2, lock_id=lock_id)
    undo(kept.main, "Q", confirm_id=2)
    undo(kept.main, "Q", lock_id=lock_id)
    get_message(kept.main, "Q")
    assert steps(kept) == [
        ("put", PUT_UNCONFIRMED, UNLOCKED, None),
        ("browse_lock", UNLOCKED, LOCKED_FOR_BROWSE, None),
        ("backout", 4, LOCKED_FOR_BROWSE, "get"),
        ("unlock", LOCKED_FOR_BROWSE, UNLOCKED, None),
        ("get", UNLOCKED, None, None),
    ]
    held = kept.main.db.all("select held_at is not null from journal order by event_seq")
    assert [row[0] for row in held] == [1, 0, 1, 0, 0]


def test_the_journal_knows_when_it_began_and_ended_and_takes_what_is_held(qm: QM) -> None:
    qm.put(b"0")
    with qm.open() as handle:
        handle.get(MQGMO_SYNCPOINT)
        qm.alter("Q", journal=1)
        qm.alter("Q", journal=BODY)
        qm.main.commit()
    qm.alter("Q", journal=0)
    assert steps(qm) == [("get", GET_UNCONFIRMED, None, None)]
    assert qm.main.db.all("select has_body, data from journal") == [(1, b"0")]
    levels = qm.main.db.all("select queue, level, event_seq from journal_levels order by number")
    assert levels == [("Q", 1, 0), ("Q", BODY, 0), ("Q", 0, 1)]


def test_expiry_delete_and_clear_are_events(kept: QM, advance: Callable[[float], None]) -> None:
    kept.put(b"1", expiry=10)
    advance(2)
    kept.got()
    delete_message(kept.main, "Q", msg_id=kept.put(b"2").msg_id)
    kept.put(b"3")
    kept.put(b"4")
    clear_in_steps(kept.main, "Q")
    kept.put(b"5")
    with kept.main.work() as work:
        delete_queue(work, "QLOCAL", "Q", purge=True)
    assert names(kept) == ["put", "expire", "put", "delete", "put", "put", "delete", "delete", "put", "delete"]
    assert kept.main.db.all("select journals from qmgr") == [(0,)]


def test_reports_and_dead_letters_say_what_they_are(kept: QM) -> None:
    kept.alter("R", journal=1)
    kept.alter("DLQ", journal=1)
    kept.put(b"1", report=MQRO_COA | MQRO_COD, reply_to_q="R")
    kept.got()
    assert events(kept) == [("put", "Q"), ("report", "R"), ("get", "Q"), ("report", "R")]
    kept.alter("R", inhibit_put=1)
    kept.put(b"2", report=MQRO_COA, reply_to_q="R")
    last = kept.main.db.all("select event, queue, outcome, length(head), data from journal order by event_seq")[-1]
    assert last == ("dead_letter", "DLQ", MQRC_PUT_INHIBITED, 172, None)


def test_old_events_and_too_many_bytes_go_a_few_at_a_time(kept: QM, advance: Callable[[float], None]) -> None:
    for _ in range(20):
        kept.put()
    assert kept_events(kept.path) == 20
    kept.alter_qmgr(journal_age_s=60)
    advance(61)
    kept.main.events_noted = 1
    evict(kept.main)
    assert kept_events(kept.path) == 16
    began = kept.main.db.one("select removed_at from journal_status")
    assert began is not None
    assert began[0] > 0
    kept.alter_qmgr(journal_age_s=-1, journal_size_bytes=2 * 512)
    for _ in range(EVICT_EVERY + 1):
        kept.put()
    assert kept_events(kept.path) < EVICT_EVERY
    kept.alter_qmgr(journal_size_bytes=0)
    kept.main.events_noted = 1000
    evict(kept.main)
    assert kept_events(kept.path) == 1
    numbers = [row[0] for row in kept.main.db.all("select event_seq from journal")]
    assert numbers == [20 + EVICT_EVERY + 1], "the last stays, and numbers are never used twice"


def test_while_more_has_to_go_few_go_at_a_time_and_often(kept: QM) -> None:
    for _ in range(3 * EVICT_EVERY):
        kept.put()
    kept.alter_qmgr(journal_size_bytes=0)
    sizes = []
    with connect(kept.path) as late:
        for _ in range(3 * EVICT_MORE):
            late.put1("Q", Message(b"1"))
            sizes.append(kept_events(late))
        assert late.evict_after == EVICT_MORE - 1
        removed = [before + 1 - after for before, after in itertools.pairwise(sizes)]
        assert {number: removed.count(number) for number in set(removed)} == {0: len(removed) - 2, 4 * EVICT_MORE: 2}
        kept.alter_qmgr(journal_size_bytes=-1)
        for _ in range(EVICT_MORE):
            late.put1("Q", Message(b"1"))
        assert late.evict_after == EVICT_EVERY


def test_whoever_writes_many_events_at_once_counts_them(kept: QM) -> None:
    """Else the next put of anybody would have to."""

    def has_counted_all() -> bool:
        ((counted,),) = kept.main.db.all("select counted from journal_status")
        return [(counted,)] == rows(kept.main, "select max(event_seq) from journal")

    with kept.open() as handle:
        handle.put_many([Message(b"x") for _ in range(EVICT_EVERY + 1)])
    assert has_counted_all()
    kept.alter("Q", journal=2)
    kept.alter("Q", journal=1)  # records what lies there with its data
    assert has_counted_all()
    clear_in_steps(kept.main, "Q")
    assert has_counted_all()


def test_a_queue_manager_that_has_ended_evicts_nothing(kept: QM) -> None:
    kept.put()
    queue_managers.end(kept.path, immediate=True)
    kept.main.events_noted = 1000
    evict(kept.main)
    assert kept.main.events_noted == 0


def test_a_put_that_is_refused_leaves_no_event(kept: QM) -> None:
    kept.alter("Q", max_q_depth=1)
    kept.put()
    with pytest.raises(MQError):
        kept.main.put1("Q", Message(b"2", MQMD()))
    assert names(kept) == ["put"]


def test_a_move_is_a_move_at_both_ends_and_a_copy_a_copy(kept: QM) -> None:
    kept.alter("R", journal=1)
    kept.put(b"1")
    kept.put(b"2")
    first, second = (stored.seq for stored in select(kept.main.db, find_queue(kept.main.db, "Q").id))
    carry_batch(kept.main, Route("Q", "R"), [first])
    carry_batch(kept.main, Route("Q", "R", keeps_original=True), [second])
    assert events(kept) == [("put", "Q"), ("put", "Q"), ("move", "R"), ("move", "Q"), ("copy", "R")]


def test_what_a_restart_drops_is_an_event(kept: QM) -> None:
    kept.put(b"1", persistence=1)
    kept.put(b"2", persistence=0)
    put_message(kept.main, "Q", Message(b"3", MQMD(persistence=0)), confirm_id=1)
    kept.main.disconnect()
    queue_managers.end(kept.path)
    assert queue_managers.start(kept.path) == 2
    with connect(kept.path) as connection:
        found = connection.db.all("select event, data_length, state_before, state_after, detail from journal")
        assert connection.db.all("select count(*) from journal_pending") == [(0,)]
    why = "nonpersistent, dropped by the restart of the queue manager"
    assert found[2:] == [("delete", 1, UNLOCKED, None, why), ("delete", 1, PUT_UNCONFIRMED, None, why)]
