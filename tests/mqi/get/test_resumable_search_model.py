"""Random verbs before, between and after the looks of a search: each answer is that of a look at every message.

The limits are small, so that a few messages are a deep queue. What a search in the turn finds is compared there, in the
same transaction, with what a look at every row finds.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from mqtools.admin import queue_managers
from mqtools.constants.objects import MQMDS_FIFO, MQMDS_PRIORITY
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_SYNCPOINT,
    MQGMO_UNLOCK,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError
from mqtools.lifecycle import locks, message_search, verbs
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import connect
from mqtools.mqi.get import resumable_search, select_message
from mqtools.mqi.objects.definitions import alter_queue, define_queue
from mqtools.mqi.trash_limits import Trash
from mqtools.operations import edit, trash_contents
from mqtools.store.database import Database
from mqtools.store.scans import filtered_scan

pytestmark = pytest.mark.slow

RED = "colour = 'red'"
FILTER: dict[str, object] = {"colour": "red"}
MOST_ROUNDS = 30  # of one search, outside of the turn
START_MS = 1_700_000_000_000
SMALL = {
    "mqtools.mqi.get.resumable_search._IN_TURN": 1,
    "mqtools.mqi.get.resumable_search._PAGE": 2,
    "mqtools.mqi.get.resumable_search._MOST_KNOWN": 4,
    "mqtools.mqi.get.resumable_search._MOST_EXPIRED": 2,
    "mqtools.mqi.get.resumable_search._CROWD": 2,
    "mqtools.store.scans.filtered_scan._FIRST": 1,
    "mqtools.store.scans.filtered_scan._LONGEST": 1,
}

#: What others do; the more often a verb stands here, the more often it is done.
VERBS = (
    "put, put, put, hold a put, put with an id, confirm, undo, commit, back out, get, get held, get with an id, lock,"
    " unlock, lock by id, unlock by id, edit, edit, delete, restore, reorder, time, fill"
)
st_what = st.tuples(st.sampled_from(VERBS.split(", ")), st.integers(0, 99))


def seen(db: Database, now_ms: int, after: int, own: int | None) -> Iterator[int]:
    """Return the keys of what matches and is there, by a look at every row."""
    rows = db.all("select seq, state, order_key, properties, expires_at from messages order by order_key, seq")
    for seq, state, order_key, properties, expires_at in rows:
        is_red = '"red"' in (properties or "") and order_key > after
        if is_red and (state == UNLOCKED or seq == own) and (expires_at is None or expires_at > now_ms):
            yield seq


class World:
    """What others do on the queue. Each is done with a number that says to which, or how; what cannot be, is not."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.connection, self.holder = connect(path), connect(path)
        self.connection.trash = Trash(1e6, 1 << 20)
        self.handle = self.holder.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE)
        self.lock_ids: list[bytes] = []
        self.passed_ms = 0

    def leave(self) -> None:
        self.connection.disconnect()
        self.holder.disconnect()

    def happens(self, what: tuple[str, int]) -> None:
        name, number = what
        with suppress(MQError):
            getattr(self, f"_{name.replace(' ', '_')}")(number)

    def _message(self, number: int) -> Message:
        colour = Property(MQTYPE_STRING, "red" if number % 3 == 1 else "grey")
        expiry = 20 if number % 7 == 0 else -1
        return Message(b"x", MQMD(priority=number % 3 * 4, expiry=expiry), {"colour": colour})

    def _some(self, number: int) -> int:
        rows = self.connection.db.all("select seq from messages where state = 1 order by seq")
        return int(rows[number % len(rows)][0]) if rows else 0

    def _put(self, number: int) -> None:
        self.connection.put1("Q", self._message(number))

    def _fill(self, number: int) -> None:
        for each in range(number % 5):
            self.connection.put1("Q", self._message(3 * each))

    def _hold_a_put(self, number: int) -> None:
        self.holder.put1("Q", self._message(number), MQPMO_SYNCPOINT)

    def _put_with_an_id(self, number: int) -> None:
        verbs.put_message(self.connection, "Q", self._message(number), confirm_id=1 + number % 2)

    def _confirm(self, number: int) -> None:
        verbs.confirm_put_message(self.connection, "Q", 1 + number % 2)

    def _undo(self, number: int) -> None:
        verbs.undo(self.connection, "Q", confirm_id=1 + number % 3)

    def _commit(self, _: int) -> None:
        self.holder.commit()

    def _back_out(self, _: int) -> None:
        self.holder.backout()

    def _get(self, _: int) -> None:
        self.handle.get()

    def _get_held(self, _: int) -> None:
        self.handle.get(MQGMO_SYNCPOINT)

    def _get_with_an_id(self, number: int) -> None:
        verbs.get_message(self.connection, "Q", seq=self._some(number), confirm_id=3)

    def _lock(self, number: int) -> None:
        self.handle.get(MQGMO_LOCK | (MQGMO_BROWSE_NEXT if number % 3 else MQGMO_BROWSE_FIRST))

    def _unlock(self, _: int) -> None:
        self.handle.get(MQGMO_UNLOCK)

    def _lock_by_id(self, number: int) -> None:
        seqs = [self._some(number), self._some(number * 3)]
        self.lock_ids.append(locks.browse_messages_and_lock(self.connection, "Q", seqs).lock_id)

    def _unlock_by_id(self, number: int) -> None:
        if self.lock_ids:
            locks.unlock_message(self.connection, "Q", self.lock_ids.pop(number % len(self.lock_ids)))

    def _edit(self, number: int) -> None:
        colour = Property(MQTYPE_STRING, "red" if number % 3 else "grey")
        change = edit.Changes(properties={"colour": colour}).apply
        edit.edit_batch(self.connection, "Q", [self._some(number)], change)

    def _delete(self, number: int) -> None:
        verbs.delete_message(self.connection, "Q", seq=self._some(number))

    def _restore(self, _: int) -> None:
        trash_contents.restore(
            self.connection, trash_contents.newest_versions(trash_contents.select_trashed(self.connection.db))[-2:]
        )

    def _reorder(self, number: int) -> None:
        sequence = MQMDS_FIFO if number % 2 else MQMDS_PRIORITY
        with self.connection.work() as work:
            alter_queue(work, "QLOCAL", "Q", {"msg_delivery_sequence": sequence})

    def _time(self, number: int) -> None:
        self.passed_ms += number * 50


class Searches(RuleBasedStateMachine):
    """Searches by a selector and by a filter, while others do something."""

    @initialize(first=st.lists(st_what, max_size=15))
    def create(self, first: list[tuple[str, int]]) -> None:
        self.home = tempfile.mkdtemp(prefix="mqx-scouting-")
        path = queue_managers.create(os.path.join(self.home, "QM1.db"))
        with connect(path) as connection, connection.work() as work:
            define_queue(work, "QLOCAL", "Q", {"msg_delivery_sequence": MQMDS_PRIORITY})
        self.world = World(path)
        self.meanwhile: list[tuple[str, int]] = []
        self.answers = self.rounds = 0
        clock = patch("time.time_ns", lambda: (START_MS + self.world.passed_ms) * 1_000_000)
        self.patches = [patch(name, value) for name, value in SMALL.items()]
        self.patches += [
            clock,
            patch.object(select_message, "find", self.compared(select_message.find)),
            patch.object(message_search, "find", self.compared_find(message_search.find)),
            patch.object(locks, "_fitting", self.compared_list(locks._fitting)),
            patch.object(filtered_scan, "scan_batch", self.disturbed(filtered_scan.scan_batch)),
            patch.object(
                resumable_search.ResumableSearch, "resume", self.counted(resumable_search.ResumableSearch.resume)
            ),
        ]
        for each in self.patches:
            each.start()
        self.searcher = connect(path)
        self.handle = self.searcher.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE, selector=RED)
        for what in [("fill", 4), *first, ("fill", 4)]:
            self.world.happens(what)

    def teardown(self) -> None:
        if hasattr(self, "searcher"):
            self.searcher.disconnect()
            self.world.leave()
            for each in self.patches:
                each.stop()
            shutil.rmtree(self.home)

    # Comparing

    def disturbed(self, scan_batch: Callable[..., filtered_scan.ScanBatch]) -> Callable[..., filtered_scan.ScanBatch]:
        """Something happens after a look outside of the searcher's transactions."""

        def look(db: Database, *given: Any, **named: Any) -> filtered_scan.ScanBatch:
            found = scan_batch(db, *given, **named)
            if db is self.searcher.db and not db.in_transaction and self.meanwhile:
                self.world.happens(self.meanwhile.pop())
            return found

        return look

    def counted(self, resume: Callable[..., None]) -> Callable[..., None]:
        def count(resumable_search: resumable_search.ResumableSearch, *given: Any) -> None:
            self.rounds += 1
            assert self.rounds <= MOST_ROUNDS
            resume(resumable_search, *given)

        return count

    def compared(self, choose: Callable[..., Any]) -> Callable[..., Any]:
        def answer(request: Any) -> Any:
            work, handle = request.work, request.handle
            if handle is not self.handle:
                return choose(request)
            after = handle.cursor_key if request.options & MQGMO_BROWSE_NEXT else -1
            expected = next(seen(work.db, work.now_ms, after, handle.locked_seq), None)
            found = choose(request)
            if not request.is_unfinished:
                assert (None if found is None else found[0].seq) == expected
                self.answers += 1
            return found

        return answer

    def compared_find(self, find: Callable[..., Any]) -> Callable[..., Any]:
        def answer(work: Any, queue: Any, wanted: Any, **named: Any) -> Any:
            if wanted.matches is None:
                return find(work, queue, wanted, **named)
            expected = next(seen(work.db, work.now_ms, -1, None), None)
            found = find(work, queue, wanted, **named)
            if not wanted.is_unfinished:
                assert (None if found is None else found.seq) == expected
                self.answers += 1
            return found

        return answer

    def compared_list(self, fitting: Callable[..., Any]) -> Callable[..., Any]:
        def answer(work: Any, queue: Any, wanted: Any, limit: int | None) -> Any:
            expected = list(seen(work.db, work.now_ms, -1, None))[:limit]
            found = fitting(work, queue, wanted, limit)
            if not wanted.is_unfinished:
                assert [stored.seq for stored in found] == expected
                self.answers += 1
            return found

        return answer

    def searched(self, meanwhile: list[tuple[str, int]], call: Callable[[], object]) -> None:
        self.meanwhile, before, self.rounds = list(meanwhile), self.answers, 0
        with suppress(MQError):
            call()
        assert self.answers > before
        self.meanwhile = []

    # Doing

    @rule(what=st_what)
    def something_happens(self, what: tuple[str, int]) -> None:
        self.world.happens(what)

    @rule(meanwhile=st.lists(st_what, max_size=4), held=st.booleans())
    def get(self, meanwhile: list[tuple[str, int]], held: bool) -> None:
        self.searched(meanwhile, lambda: self.handle.get(MQGMO_SYNCPOINT if held else 0))

    @rule(meanwhile=st.lists(st_what, max_size=4), first=st.booleans(), lock=st.booleans())
    def browse(self, meanwhile: list[tuple[str, int]], first: bool, lock: bool) -> None:
        options = (MQGMO_BROWSE_FIRST if first else MQGMO_BROWSE_NEXT) | (MQGMO_LOCK if lock else 0)
        self.searched(meanwhile, lambda: self.handle.get(options))

    @rule(back=st.booleans())
    def end_unit_of_work(self, back: bool) -> None:
        if back:
            self.searcher.backout()
        else:
            self.searcher.commit()

    @rule(meanwhile=st.lists(st_what, max_size=4), delete=st.booleans())
    def take_by_filter(self, meanwhile: list[tuple[str, int]], delete: bool) -> None:
        verb: Callable[..., object] = verbs.delete_message if delete else verbs.get_message
        self.searched(meanwhile, lambda: verb(self.searcher, "Q", filter=FILTER))

    @rule(meanwhile=st.lists(st_what, max_size=4), limit=st.sampled_from([None, 1, 3]))
    def lock_by_filter(self, meanwhile: list[tuple[str, int]], limit: int | None) -> None:
        def lock() -> None:
            locked = locks.browse_messages_and_lock(self.searcher, "Q", filter=FILTER, limit=limit)
            self.world.lock_ids.append(locked.lock_id)

        self.searched(meanwhile, lock)


Searches.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestSearches = Searches.TestCase
