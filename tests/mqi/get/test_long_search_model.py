"""Random verbs before, between and after the looks of a search: it passes over no message that was there all along.

The limits are small, so that a few messages are a deep queue. What a search finds is compared, in the transaction that
takes it, with what a look at every row finds: it is there, and in front of all that were there since the search began,
or since they arrived. Where nothing happens meanwhile, it is the first.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
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
from mqtools.mqi.get import long_search, select_by_options
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
    "mqtools.mqi.get.long_search._IN_TURN": 1,
    "mqtools.store.scans.filtered_scan._FIRST": 1,
    "mqtools.store.scans.filtered_scan._LONGEST": 1,
}

#: What others do; the more often a verb stands here, the more often it is done.
VERBS = (
    "put, put, put, hold a put, put with an id, confirm, undo, commit, back out, get, get held, get with an id, lock,"
    " unlock, lock by id, unlock by id, edit, edit, delete, restore, reorder, time, fill"
)
st_what = st.tuples(st.sampled_from(VERBS.split(", ")), st.integers(0, 99))


def seen(db: Database, now_ms: int, own: int | None = None) -> dict[int, int]:
    """Return the keys of what matches and is there, with its place, in order, by a look at every row."""
    found = {}
    rows = db.all("select seq, state, order_key, properties, expires_at from messages order by order_key, seq")
    for seq, state, order_key, properties, expires_at in rows:
        is_red = '"red"' in (properties or "")
        if is_red and (state == UNLOCKED or seq == own) and (expires_at is None or expires_at > now_ms):
            found[seq] = order_key
    return found


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
        self.steady, self.came = set[tuple[int, int]](), set[tuple[int, int]]()
        clock = patch("time.time_ns", lambda: (START_MS + self.world.passed_ms) * 1_000_000)
        self.patches = [patch(name, value) for name, value in SMALL.items()]
        self.patches += [
            clock,
            patch.object(select_by_options, "find", self.compared(select_by_options.find)),
            patch.object(message_search, "find", self.compared_find(message_search.find)),
            patch.object(locks, "_available", self.compared_list(locks._available)),
            patch.object(filtered_scan, "scan_batch", self.disturbed(filtered_scan.scan_batch)),
            patch.object(long_search.LongSearch, "scan_ahead", self.counted(long_search.LongSearch.scan_ahead)),
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
                last = self.last_key()
                self.world.happens(self.meanwhile.pop())
                self.follow(last)
            return found

        return look

    def last_key(self) -> int:
        return int(self.world.connection.db.all("select coalesce(max(seq), 0) from messages")[0][0])

    def seen_now(self, own: int | None = None) -> dict[int, int]:
        return seen(self.world.connection.db, START_MS + self.world.passed_ms, own)

    def follow(self, last: int) -> None:
        """Keep those of the messages in view that are still there, and what has come behind a key."""
        there = self.seen_now(self.handle.locked_seq).items()
        self.came.update(each for each in there if each[0] > last)
        self.steady &= set(there)
        self.came &= set(there)

    def counted(self, scan_ahead: Callable[..., None]) -> Callable[..., None]:
        def count(search: long_search.LongSearch, *given: Any) -> None:
            self.rounds += 1
            assert self.rounds <= MOST_ROUNDS
            scan_ahead(search, *given)

        return count

    def check(self, work: Any, found: Any, after: int = -1, own: int | None = None) -> None:
        """Check the answer of a search in the transaction in which it ends."""
        now = seen(work.db, work.now_ms, own)
        missed = [place for each in (self.steady, self.came) for seq, place in each if now.get(seq) == place > after]
        assert found is None or now[found.seq] > after
        assert not missed or (found is not None and found.order_key <= min(missed))
        self.answers += 1

    def compared(self, choose: Callable[..., Any]) -> Callable[..., Any]:
        def answer(attempt: Any) -> Any:
            handle = attempt.handle
            if handle is not self.handle:
                return choose(attempt)
            own = handle.locked_seq
            found = choose(attempt)
            if not attempt.is_paused:
                after = handle.cursor_key if attempt.options & MQGMO_BROWSE_NEXT else -1
                self.check(attempt.work, None if found is None else found[0], after, own)
            return found

        return answer

    def compared_find(self, find: Callable[..., Any]) -> Callable[..., Any]:
        def answer(work: Any, queue: Any, wanted: Any, **named: Any) -> Any:
            found = find(work, queue, wanted, **named)
            if wanted.matches is not None and not wanted.is_paused:
                self.check(work, found)
            return found

        return answer

    def compared_list(self, available: Callable[..., Any]) -> Callable[..., Any]:
        def answer(work: Any, queue: Any, seqs: Any, wanted: Any, limit: int | None) -> Any:
            found = available(work, queue, seqs, wanted, limit)
            if wanted.matches is not None:
                now, keys = seen(work.db, work.now_ms), [stored.seq for stored in found]
                assert set(keys) <= set(now)
                assert limit is not None or {seq for seq, _ in self.steady} & set(now) <= set(keys)
                self.answers += 1
            return found

        return answer

    def searched(self, meanwhile: list[tuple[str, int]], call: Callable[[], object]) -> None:
        self.meanwhile, before, self.rounds = list(meanwhile), self.answers, 0
        self.steady, self.came = set(self.seen_now(self.handle.locked_seq).items()), set()
        with suppress(MQError):
            call()
        assert self.answers > before or not self.steady & set(self.seen_now().items())
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
