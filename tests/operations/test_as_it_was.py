"""Queues as they were: every instant of a history is shown as it was seen then."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from mqtools.admin import queue_managers
from mqtools.constants.objects import MQMDS_FIFO, MQMDS_PRIORITY
from mqtools.constants.options import MQGMO_SYNCPOINT, MQPMO_SYNCPOINT
from mqtools.errors import MQError
from mqtools.lifecycle.locks import browse_messages_and_lock, unlock_message
from mqtools.lifecycle.verbs import confirm, delete_message, get_message, put_message, undo
from mqtools.message import MQMD, Message
from mqtools.mqi import identity, recovery
from mqtools.mqi.clear import clear_in_steps
from mqtools.mqi.trash_limits import Trash
from mqtools.operations.edit import Changes, edit_batch
from mqtools.operations.journal.past import PastUnavailable, PastView, open_past
from mqtools.operations.move import Route, carry_batch
from mqtools.operations.selection import Selection
from mqtools.operations.trash_contents import restore, select_trashed

from ..mqi.conftest import QM
from .past import BODY, now_shown, shown, was


@pytest.fixture
def clock() -> Iterator[None]:
    """The clock of the process is set by the test."""
    yield
    identity.set_clock(None)


class History(RuleBasedStateMachine):
    """A random history of a queue; in the end each of its instants is shown and compared."""

    folder = ""
    number = 0

    def __init__(self) -> None:
        super().__init__()
        self.now = int(time.time() * 1000)
        identity.set_clock(self.now)
        History.number += 1
        self.path = shutil.copyfile(f"{History.folder}/QM1.db", f"{History.folder}/{History.number}.db")
        self.qm = QM(self.path)
        self.q, self.other = "Q", "R"
        self.locks: list[bytes] = []
        self.ids: set[int] = set()
        self.is_on = True
        self.instants: list[tuple[int, list[tuple[Any, ...]] | None]] = []
        self.views: list[tuple[PastView, int, int, list[tuple[Any, ...]]]] = []

    @initialize(before=st.integers(0, 2))
    def begin(self, before: int) -> None:
        self.qm.define(self.q)
        self.qm.define(self.other)
        self.qm.main.trash = Trash(3600, 1 << 20)
        for number in range(before):
            self.qm.put(f"older {number}", self.q)
        self.tick(1)
        self.qm.alter(self.q, journal=BODY)
        self.see()

    def tick(self, ms: int) -> None:
        self.now += ms
        identity.set_clock(self.now)

    def see(self) -> None:
        self.instants.append((self.now, now_shown(self.path, self.q, self.now) if self.is_on else None))
        self.tick(1)

    def do(self, action: Callable[[], object]) -> None:
        """Do something at an instant of its own; what is refused changes nothing."""
        with suppress(MQError):
            action()
        self.see()

    def keys(self) -> list[int]:
        return self.qm.seqs(self.q)

    @rule(
        priority=st.integers(0, 9),
        confirm_id=st.sampled_from([0, 0, 1, 2]),
        expiry=st.sampled_from([-1, -1, 30]),
        persistence=st.integers(0, 1),
        length=st.sampled_from([3, 3, 300_000]),
    )
    def put(self, priority: int, confirm_id: int, expiry: int, persistence: int, length: int) -> None:
        md = MQMD(priority=priority, expiry=expiry, persistence=persistence)
        message = Message(bytes([len(self.instants) % 256]) * length, md)
        self.do(lambda: put_message(self.qm.main, self.q, message, confirm_id=confirm_id))

    @rule(seq_number=st.integers(1, 2), flags=st.sampled_from([8, 24]))
    def put_in_group(self, seq_number: int, flags: int) -> None:
        md = MQMD(group_id=b"G" * 24, msg_seq_number=seq_number, msg_flags=flags)
        self.do(lambda: put_message(self.qm.main, self.q, Message(b"g", md)))

    @rule()
    def put_in_unit_of_work(self) -> None:
        self.do(lambda: self.qm.main.put1(self.q, Message(b"unit"), MQPMO_SYNCPOINT))

    @rule()
    def get_in_unit_of_work(self) -> None:
        def get() -> None:
            with self.qm.open(self.q) as handle:
                handle.get(MQGMO_SYNCPOINT)

        self.do(get)

    @rule()
    def commit(self) -> None:
        self.do(self.qm.main.commit)

    @rule()
    def backout(self) -> None:
        self.do(self.qm.main.backout)

    @rule(confirm_id=st.sampled_from([0, 1, 2]), is_locked=st.booleans())
    def get(self, confirm_id: int, is_locked: bool) -> None:
        lock_id = self.locks[-1] if is_locked and self.locks else b""
        self.do(lambda: get_message(self.qm.main, self.q, confirm_id=confirm_id, lock_id=lock_id))

    @rule(confirm_id=st.integers(1, 2), is_undone=st.booleans())
    def end_confirm_id(self, confirm_id: int, is_undone: bool) -> None:
        if is_undone:
            self.do(lambda: undo(self.qm.main, self.q, confirm_id=confirm_id))
        else:
            self.do(lambda: confirm(self.qm.main, self.q, confirm_id))

    @rule(limit=st.integers(1, 2), lease_s=st.sampled_from([None, 2.0]))
    def lock(self, limit: int, lease_s: float | None) -> None:
        def lock_some() -> None:
            locked = browse_messages_and_lock(self.qm.main, self.q, limit=limit, lease_s=lease_s)
            self.locks.append(locked.lock_id)

        self.do(lock_some)

    @rule()
    def unlock(self) -> None:
        if self.locks:
            lock_id = self.locks.pop()
            self.do(lambda: unlock_message(self.qm.main, self.q, lock_id))

    @rule()
    def end_leases(self) -> None:
        self.tick(2500)

        def recover() -> None:
            with self.qm.main.work() as work:
                recovery.recover(work)

        self.do(recover)

    @rule()
    def delete(self) -> None:
        keys = self.keys()
        if keys:
            self.do(lambda: delete_message(self.qm.main, self.q, seq=keys[0]))

    @rule(priority=st.integers(0, 9))
    def edit(self, priority: int) -> None:
        changes = Changes({"priority": priority}, body=b"edited")
        self.do(lambda: edit_batch(self.qm.main, self.q, self.keys()[-1:], changes.apply))

    @rule()
    def restore(self) -> None:
        numbers = [trashed.number for trashed in select_trashed(self.qm.main.db, Selection(), q_name=self.q)]
        self.do(lambda: restore(self.qm.main, numbers[-2:]))

    @rule(is_back=st.booleans())
    def move(self, is_back: bool) -> None:
        q_name, to = (self.other, self.q) if is_back else (self.q, self.other)
        keys = self.qm.seqs(q_name)[:2]
        self.do(lambda: carry_batch(self.qm.main, Route(q_name, to), keys))

    @rule()
    def clear(self) -> None:
        self.do(lambda: clear_in_steps(self.qm.main, self.q))

    @rule(sequence=st.sampled_from([MQMDS_FIFO, MQMDS_PRIORITY]))
    def alter_order(self, sequence: int) -> None:
        self.do(lambda: self.qm.alter(self.q, msg_delivery_sequence=sequence))

    @rule(level=st.sampled_from([0, 1]))
    def pause(self, level: int) -> None:
        self.is_on = False
        self.do(lambda: self.qm.alter(self.q, journal=level))

    @rule()
    def resume(self) -> None:
        self.is_on = True
        self.do(lambda: self.qm.alter(self.q, journal=BODY))

    @rule()
    def restart(self) -> None:
        queue_managers.end(self.path, immediate=True)
        queue_managers.start(self.path)
        self.see()
        for connection in self.qm.connections:
            with suppress(MQError):
                connection.disconnect()
        self.qm = QM(self.path)
        self.qm.main.trash = Trash(3600, 1 << 20)
        self.locks.clear()

    @rule()
    def wait(self) -> None:
        self.tick(1500)
        self.see()

    @rule()
    def open_view(self) -> None:
        """Open a view that is read in the end, when most of what it shows has changed or gone."""
        at, seen = self.instants[-1]
        if seen is not None and len(self.views) < 3:
            view = open_past(self.path, at)
            self.views.append((view, view.show(self.q).id, at, seen))

    def teardown(self) -> None:
        self.tick(10)
        for view, queue_id, at, seen in self.views:
            with view:
                assert shown(view.db, queue_id, at) == seen
        for at, seen in self.instants[:: max(1, len(self.instants) // 12)]:
            if seen is None:
                with pytest.raises(PastUnavailable):
                    was(self.path, self.q, at)
            else:
                assert was(self.path, self.q, at) == seen
        for connection in self.qm.connections:
            with suppress(MQError):
                connection.disconnect()


@pytest.mark.slow
def test_every_instant_is_shown_as_it_was_seen(clock: None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        History.folder = folder
        queue_managers.create(f"{folder}/QM1.db")
        examples, phases = (12, [Phase.generate]) if settings().derandomize else (100, list(Phase))
        chosen = settings(max_examples=examples, stateful_step_count=30, phases=phases)
        run_state_machine_as_test(History, settings=chosen)  # type: ignore[no-untyped-call]
