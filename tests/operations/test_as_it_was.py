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
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError
from mqtools.formats.times import parse_time
from mqtools.formats.units import rfc3339
from mqtools.lifecycle.locks import browse_messages_and_lock, unlock_message
from mqtools.lifecycle.verbs import confirm, delete_message, get_message, put_message, undo
from mqtools.message import MQMD, Message
from mqtools.mqi import identity, recovery
from mqtools.mqi.clear import clear_in_steps
from mqtools.mqi.transaction import EVICT_EVERY
from mqtools.mqi.trash_limits import Trash
from mqtools.operations.edit import Changes, edit_batch
from mqtools.operations.journal.past import PastUnavailable, PastView, Period, open_past, whole_periods
from mqtools.operations.move import Route, carry_batch
from mqtools.operations.queue_manager_view import open_view
from mqtools.operations.selection import Selection, select
from mqtools.operations.trash_contents import restore, select_trashed
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.messages import messages

from ..mqi.conftest import QM

BODY = 2


def shown(db: Database, queue_id: int, now: int) -> list[tuple[Any, ...]]:
    """What a browse of all states shows at an instant, and the counters."""
    found: list[tuple[Any, ...]] = []
    for stored in select(db, queue_id, all_states=True, now=now):
        md = stored.md
        fields = tuple(getattr(md, name) for name in md.__slots__ if name != "expiry")
        data = messages.load_data(db, stored.seq)
        found.append(
            (
                stored.state,
                fields,
                stored.expires_at,
                stored.properties,
                data,
                stored.state == UNLOCKED and stored.completeness,
            )
        )
    depth, uncommitted, *_ = queues.status(db, queue_id)
    return [*found, (depth, uncommitted)]


def was(path: str, q_name: str, at: int) -> list[tuple[Any, ...]]:
    """What is shown of an instant."""
    with open_past(path, at) as past:
        return shown(past.db, past.show(q_name).id, at)


def now_shown(path: str, q_name: str, at: int) -> list[tuple[Any, ...]]:
    with open_view(path) as view:
        queue = view.queue(q_name)
        assert queue is not None
        return shown(view.db, queue.id, at)


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
        queue = queues.by_name(self.qm.main.db, self.q)
        assert queue is not None
        return [stored.seq for stored in select(self.qm.main.db, queue.id)]

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
        queue = queues.by_name(self.qm.main.db, q_name)
        assert queue is not None
        keys = [stored.seq for stored in select(self.qm.main.db, queue.id)][:2]
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


@pytest.mark.parametrize(
    ("levels", "removed_at", "wanted"),
    [
        ([], 0, []),
        ([(1, 10, 0)], 0, []),
        ([(2, 10, 0)], 0, [Period(10)]),
        ([(2, 10, 0)], 50, [Period(50)]),
        ([(2, 10, 0), (0, 20, 7), (2, 30, 7)], 0, [Period(10, 20, 7), Period(30)]),
        ([(2, 10, 0), (1, 20, 7), (0, 25, 9), (2, 30, 9)], 15, [Period(15, 20, 7), Period(30)]),
        ([(2, 10, 0), (0, 20, 7)], 20, []),
        ([(2, 10, 0), (2, 20, 7)], 0, [Period(10)]),
    ],
)
def test_the_periods_in_which_a_queue_can_be_shown(
    levels: list[tuple[int, int, int]], removed_at: int, wanted: list[Period]
) -> None:
    assert whole_periods(levels, removed_at) == wanted


def test_a_time_before_the_journal_is_refused_with_the_earliest_that_works(
    qm: QM, advance: Callable[[float], None]
) -> None:
    qm.put(b"older")
    advance(60)
    qm.alter("Q", journal=BODY)
    began = identity.now_ms()
    advance(60)
    qm.put(b"newer")
    with pytest.raises(PastUnavailable) as refused:
        was(qm.path, "Q", began - 1)
    assert refused.value.earliest == rfc3339(began)
    assert rfc3339(began) in str(refused.value)
    assert len(was(qm.path, "Q", parse_time(refused.value.earliest, 0))) == 2


def test_a_queue_without_bodies_is_refused(qm: QM) -> None:
    qm.alter("Q", journal=1)
    with pytest.raises(PastUnavailable, match=r"JOURNAL\(BODY\)"):
        was(qm.path, "Q", identity.now_ms())


def test_the_future_is_refused(qm: QM) -> None:
    qm.alter("Q", journal=BODY)
    with pytest.raises(PastUnavailable, match="in the future"):
        was(qm.path, "Q", identity.now_ms() + 60_000)


def test_what_retention_has_removed_is_refused(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter("Q", journal=BODY)
    qm.alter_qmgr(journal_age_s=60)
    begun = identity.now_ms()
    for _ in range(20):
        advance(10)
        qm.put()
    before = now_shown(qm.path, "Q", identity.now_ms())
    at = identity.now_ms()
    advance(5)
    qm.got()
    with pytest.raises(PastUnavailable) as refused:
        was(qm.path, "Q", begun)
    assert refused.value.earliest is not None
    assert len(was(qm.path, "Q", parse_time(refused.value.earliest, 0))) < 22
    assert was(qm.path, "Q", at) == before


def test_an_alias_shows_its_queue(qm: QM, advance: Callable[[float], None]) -> None:
    qm.define("A", "QALIAS", base_q_name="Q")
    qm.alter("Q", journal=BODY)
    qm.put(b"1")
    at = identity.now_ms()
    advance(1)
    qm.got()
    assert [row[4] for row in was(qm.path, "A", at)[:-1]] == [b"1"]


def test_a_deleted_and_defined_queue_has_the_past_of_the_new_one(qm: QM, advance: Callable[[float], None]) -> None:
    from mqtools.mqi.objects.definitions import delete_queue

    qm.alter("Q", journal=BODY)
    qm.put(b"1")
    first = identity.now_ms()
    advance(1)
    with qm.main.work() as work:
        delete_queue(work, "QLOCAL", "Q", purge=True)
    advance(1)
    qm.define("Q", journal=BODY)
    second = identity.now_ms()
    advance(1)
    assert was(qm.path, "Q", second) == [(0, 0)]
    assert [row[4] for row in was(qm.path, "Q", first)[:-1]] == [b"1"]


def test_nothing_is_written(qm: QM) -> None:
    qm.alter("Q", journal=BODY)
    qm.put(b"1")
    before = qm.main.db.version()
    assert len(was(qm.path, "Q", identity.now_ms())) == 2
    assert qm.main.db.version() == before


def test_a_view_shows_what_goes_while_it_is_open(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter("Q", journal=BODY)
    data = [b"short", b"long" * 100_000, b"", b"stays"]
    for each in data:
        qm.put(each)
    at = identity.now_ms()
    advance(1)
    with open_past(qm.path, at) as view:
        queue = view.show("Q")
        keys = [stored.seq for stored in select(view.db, queue.id)]
        for _ in data[:-1]:
            qm.main.open("Q", MQOO_INPUT_SHARED).get()
        with pytest.raises(LookupError), view.reading():
            raise LookupError  # a block that fails takes nothing of this away
        assert [messages.load_data(view.db, seq) for seq in keys] == data
        assert not view.db.in_transaction


def test_a_view_whose_events_have_gone_says_so(qm: QM, advance: Callable[[float], None]) -> None:
    qm.alter("Q", journal=BODY)
    qm.alter_qmgr(journal_age_s=60)
    qm.put(b"old")
    at = identity.now_ms()
    advance(1)
    qm.got()
    with open_past(qm.path, at) as view:
        (seq,) = [stored.seq for stored in select(view.db, view.show("Q").id)]
        assert messages.load_data(view.db, seq) == b"old"
        advance(100)
        qm.main.events_noted = EVICT_EVERY  # it looks at its next event
        qm.put(b"new")
        with pytest.raises(MQError, match="the journal no longer has what is shown") as caught:
            messages.load_data(view.db, seq)
        assert caught.value.reason == MQRC_OBJECT_CHANGED
