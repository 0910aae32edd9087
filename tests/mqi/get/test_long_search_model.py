"""Random verbs before, between and after the looks of a search: it passes over no message that was there all along.

The limits are small, so that a few messages are a deep queue. What a search finds is compared with what a look at every
row finds: it is there, and in front of all that were there since the search began, or since they arrived. Where nothing
happens meanwhile, it is the first.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress

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
from mqtools.lifecycle import locks, verbs
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import alter_queue, define_queue
from mqtools.mqi.trash_limits import Trash
from mqtools.operations import edit, trash_contents

from ...rows import rows
from .searches import FILTER, Looks, red

pytestmark = pytest.mark.slow

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


def seen(connection: Connection, now_ms: int, own: int | None) -> dict[int, int]:
    """Return the keys of what matches and is there, with its place, in order, by a look at every row."""
    found = {}
    query = "select seq, state, order_key, properties, expires_at from messages order by order_key, seq"
    for seq, state, order_key, properties, expires_at in rows(connection, query):
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
        self.home = tempfile.mkdtemp(prefix="mqx-searches-")
        path = queue_managers.create(os.path.join(self.home, "QM1.db"))
        with connect(path) as connection, connection.work() as work:
            define_queue(work, "QLOCAL", "Q", {"msg_delivery_sequence": MQMDS_PRIORITY})
        self.world = World(path)
        self.steady, self.came = set[tuple[int, int]](), set[tuple[int, int]]()
        self.by_handle = False
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr("time.time_ns", lambda: self.now_ms() * 1_000_000)
        for name, value in SMALL.items():
            self.patch.setattr(name, value)
        self.looks = Looks(self.patch)
        self.searcher = connect(path)
        self.handle = red(self.searcher)
        for what in [("fill", 4), *first, ("fill", 4)]:
            self.world.happens(what)

    def teardown(self) -> None:
        if hasattr(self, "searcher"):
            self.searcher.disconnect()
            self.world.leave()
            self.patch.undo()
            shutil.rmtree(self.home)

    # Comparing

    def now_ms(self) -> int:
        return START_MS + self.world.passed_ms

    def there(self) -> set[tuple[int, int]]:
        """Return the keys and places of what the search may find now; its own handle finds what it has locked."""
        own = self.handle.locked_seq if self.by_handle else None
        return set(seen(self.world.connection, self.now_ms(), own).items())

    def disturb(self, meanwhile: list[tuple[str, int]]) -> None:
        """Let something happen after each look outside of the turn; keep what is still there, and what has come."""

        def happens() -> None:
            ((last,),) = rows(self.world.connection, "select coalesce(max(seq), 0) from messages")
            self.world.happens(meanwhile.pop())
            there = self.there()
            self.came.update(each for each in there if each[0] > last)
            self.steady &= there
            self.came &= there
            self.disturb(meanwhile)

        self.looks.meanwhile = happens if meanwhile else None

    def search(self, meanwhile: list[tuple[str, int]], call: Callable[[], list[int]], *, after: int = -1) -> list[int]:
        """Search; return the keys of what was found, which must be in front of all others behind a place."""
        self.steady, self.came = self.there(), set()
        places = dict(self.steady)
        self.disturb([*meanwhile])
        found: list[int] = []
        with suppress(MQError):
            found = call()
        self.looks.meanwhile = None
        missed = {(place, seq) for seq, place in self.steady | self.came if place > after and seq not in found}
        places.update(self.steady | self.came)
        known = [(places[seq], seq) for seq in found if seq in places]
        assert not missed or (found and all(each < min(missed) for each in known))
        return found

    # Doing

    @rule(what=st_what)
    def something_happens(self, what: tuple[str, int]) -> None:
        self.world.happens(what)

    def mqget(self, meanwhile: list[tuple[str, int]], options: int) -> None:
        after = self.handle.cursor_key if options & MQGMO_BROWSE_NEXT else -1
        self.by_handle = True
        self.search(meanwhile, lambda: [int.from_bytes(self.handle.get(options).msg_token, "big")], after=after)
        self.by_handle = False

    @rule(meanwhile=st.lists(st_what, max_size=4), held=st.booleans())
    def get(self, meanwhile: list[tuple[str, int]], held: bool) -> None:
        self.mqget(meanwhile, MQGMO_SYNCPOINT if held else 0)

    @rule(meanwhile=st.lists(st_what, max_size=4), first=st.booleans(), lock=st.booleans())
    def browse(self, meanwhile: list[tuple[str, int]], first: bool, lock: bool) -> None:
        self.mqget(meanwhile, (MQGMO_BROWSE_FIRST if first else MQGMO_BROWSE_NEXT) | (MQGMO_LOCK if lock else 0))

    @rule(back=st.booleans())
    def end_unit_of_work(self, back: bool) -> None:
        if back:
            self.searcher.backout()
        else:
            self.searcher.commit()

    @rule(meanwhile=st.lists(st_what, max_size=4))
    def get_by_filter(self, meanwhile: list[tuple[str, int]]) -> None:
        self.search(meanwhile, lambda: [verbs.get_message(self.searcher, "Q", filter=FILTER).seq])

    @rule(meanwhile=st.lists(st_what, max_size=4))
    def delete_by_filter(self, meanwhile: list[tuple[str, int]]) -> None:
        def delete() -> list[int]:
            verbs.delete_message(self.searcher, "Q", filter=FILTER)
            return [seq for seq, _ in (self.steady | self.came) - self.there()]

        self.search(meanwhile, delete)

    @rule(meanwhile=st.lists(st_what, max_size=4), limit=st.sampled_from([None, 1, 3]))
    def lock_by_filter(self, meanwhile: list[tuple[str, int]], limit: int | None) -> None:
        def lock() -> list[int]:
            try:
                locked = locks.browse_messages_and_lock(self.searcher, "Q", filter=FILTER, limit=limit)
            finally:
                self.came.clear()  # what comes meanwhile need not be locked
            self.world.lock_ids.append(locked.lock_id)
            return [stored.seq for stored in locked.messages]

        found = self.search(meanwhile, lock)
        if limit is None:
            assert {seq for seq, _ in self.steady} <= set(found)
        else:
            assert len(found) <= limit


Searches.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestSearches = Searches.TestCase
