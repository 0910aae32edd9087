"""Writer thread: holds the marks and locks of the session, and runs the verbs of the operator.

It has its own connection. Long jobs run in time slices; between two slices the marks are renewed and short tasks run.
"""

from __future__ import annotations

from collections import deque
from queue import Empty, Queue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_BROWSE,
    MQOO_CO_OP,
)
from mqtools.constants.reasons import MQRC_MSG_MARKED_BROWSE_CO_OP, MQRC_OBJECT_IN_USE
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.lifecycle.held_messages import describe_hold
from mqtools.lifecycle.locks import unlock_message
from mqtools.mqi import browse_marks, trash_limits
from mqtools.mqi.connection import connect
from mqtools.mqi.get.search import token_of
from mqtools.operations.session_upkeep import (
    close_file,
    gone_messages,
    mark_interval_ms,
    release_dead_holders,
    renew_marks,
    state_and_starts,
)
from mqtools.operations.stored_messages import load_message
from mqtools.tui.background.reader import run_guarded, value_or_error
from mqtools.tui.background.slices import Slices

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
    from typing import Any, TypeAlias, TypeVar

    from mqtools.mqi.connection import Connection
    from mqtools.mqi.handle import Handle
    from mqtools.operations.views.message_view import StoredMessage
    from mqtools.tui.background.file_identity import FileIdentity
    from mqtools.tui.background.mirror_thread import MirrorThread
    from mqtools.tui.background.reader import Answer, Deliver

    T = TypeVar("T")
    #: Runs in the thread and returns its result.
    Task: TypeAlias = Callable[["SessionWriter"], Any]
    #: Runs in the thread step by step: each step yields the progress, the last one the outcome.
    Steps: TypeAlias = Callable[["SessionWriter"], Iterator[Any]]

#: Interval of the checks for marks to renew, and for dead holders (seconds).
_TEND_S = 0.5
_RECOVER_S = 2.0
#: Longest time that ``stop`` waits for the thread (seconds).
_STOP_S = 3.0
#: Most marks that are renewed in one transaction.
_RENEW_STEP = 2000
#: A mark is renewed after this part of its interval.
_RENEW_AT = 1 / 3

_LOCK = MQGMO_BROWSE_FIRST | MQGMO_LOCK | MQGMO_ACCEPT_TRUNCATED_MSG


class SessionWriter:
    """Marks, locks and verbs of one session. Only start, do, run and stop may be called from other threads.

    marked: queue -> keys of the messages marked by this session; other threads may test membership.  locked: key ->
    handle that holds the lock.  file: nothing is written once it was deleted or replaced.  there: keeps the file up to
    date as the mirror of a queue manager elsewhere, where the verbs then work; None for a file of ours.
    """

    def __init__(self, path: str, deliver: Deliver, file: FileIdentity, there: MirrorThread | None = None) -> None:
        self._path = path
        self._file = file
        self.there = there
        self._deliver = deliver
        self._tasks: Queue[Callable[[], None] | None] = Queue()  # not SimpleQueue, as in ``Reader``
        self._thread = Thread(target=lambda: run_guarded(self._run, deliver), name="mqx-writer", daemon=True)
        self._members: dict[str, Handle] = {}
        self._renewed_at = self._recovered_at = monotonic()
        self._works: deque[Slices] = deque()
        self._to_renew: deque[int] = deque()
        self._stopping = Event()
        self._is_away = self._is_connected = False
        self.marked: dict[str, set[int]] = {}
        self.locked: dict[int, Handle] = {}
        self.watched = ""
        self.connection: Connection

    def start(self) -> None:
        self._thread.start()

    def do(self, task: Task, answer: Answer) -> None:
        """Run a short task. answer: takes its result or error."""

        def checked() -> Any:
            self._check()
            return task(self)

        def run() -> None:
            value = value_or_error(checked)
            self._deliver(lambda: answer(value))

        self._tasks.put(run)

    def run(self, steps: Steps, progress: Answer, answer: Answer, cancelled: Event) -> None:
        """Run a long job after the jobs requested before; short tasks run in between.

        progress: takes what a step yields, from time to time.  answer: takes the last, or the error.
        """

        def checked() -> Generator[Any]:
            self._check()
            for outcome in steps(self):
                yield outcome
                self._file.check()

        slices = Slices(checked(), progress, answer, cancelled)
        self._tasks.put(lambda: self._works.append(slices))

    def stop(self) -> None:
        """Release marks and locks, and end the thread. Waits a limited time: what is left ends with the process."""
        self._stopping.set()
        self._tasks.put(None)
        if self._thread.is_alive():
            self._thread.join(_STOP_S)

    # -- the thread

    def _run(self) -> None:
        value_or_error(self._connect)  # what is requested tries again, and says why not
        while True:
            try:
                task = self._tasks.get(block=not (self._works or self._to_renew), timeout=_TEND_S)
            except Empty:
                task = self._go_on
            if task is None:
                break
            if self._is_connected:
                value_or_error(self._follow_queue_manager_state)
            task()
            if self._is_connected:
                value_or_error(self._tend)
        if self._is_connected:
            value_or_error(self._release)
            value_or_error(self.connection.disconnect)

    def _check(self) -> None:
        """Raise MQError if the file is another one, or no connection can be made."""
        self._file.check()
        if not self._is_connected:
            self._connect()

    def _go_on(self) -> None:
        for slices in [*self._works]:
            is_next = slices is self._works[0] or slices.cancelled.is_set()
            if is_next and not slices.run_slice(self._deliver, self._stopping.is_set):
                self._works.remove(slices)

    def _connect(self) -> None:
        self.connection = connect(self._path, appl_name="mqx")
        self.connection.trash = trash_limits.from_configuration()
        self._is_connected = True

    def _follow_queue_manager_state(self) -> None:
        """Disconnect while the queue manager quiesces; reconnect when it runs again."""
        state, starts = state_and_starts(self.connection)
        if state == "running" and (self._is_away or self.connection.starts != starts):
            self._drop()
            self._connect()
            self._is_away = False
        elif state == "quiescing" and not self._is_away:
            self._is_away = True
            self._release()
            self._members.clear()
            self.connection.leave()

    def _drop(self) -> None:
        """Discard the old connection, with marks and locks that ended with the queue manager."""
        self.marked.clear()
        self.locked.clear()
        self._members.clear()
        value_or_error(self.connection.disconnect)
        close_file(self.connection)

    def _release(self) -> None:
        with self.connection.work() as work:
            for q_name, keys in self.marked.items():
                browse_marks.unmark_all_for_set(work, self._members[q_name].queue_id, keys)
        self.marked.clear()
        self._to_renew.clear()
        for handle in [*self.locked.values(), *self._members.values()]:
            handle.close()
        self.locked.clear()

    # -- marks

    def mark_one(self, q_name: str, seq: int) -> None:
        """Mark a message for the co-operating set.

        Raises MQError when it cannot be: MQRC_NO_MSG_AVAILABLE, MQRC_MSG_MARKED_BROWSE_CO_OP, MQRC_OBJECT_IN_USE.
        """
        if not self.mark(q_name, [seq]):
            with self.connection.work() as work:
                error = self._why_not(load_message(work, seq), seq, set())
            raise error or MQError("the message is marked by another session", MQRC_MSG_MARKED_BROWSE_CO_OP)

    def mark(self, q_name: str, keys: Iterable[int]) -> list[int]:
        """Mark messages for the co-operating set; return the keys of those that are marked now."""
        member = self._member(q_name)
        ours = self.marked.setdefault(q_name, set())
        before, done = set(ours), []
        try:
            with self.connection.work() as work:
                for seq in keys:
                    can_be = self._why_not(load_message(work, seq), seq, ours) is None
                    if can_be and (seq in ours or not browse_marks.is_marked_for_set(work, seq)):
                        browse_marks.mark_for_set(work, member.queue_id, seq)
                        done.append(seq)
                ours.update(done)  # before the commit: a reader that sees the marks can then see that they are ours
        except BaseException:
            ours.intersection_update(before)
            raise
        return done

    def _why_not(self, stored: StoredMessage | None, seq: int, ours: set[int]) -> MQError | None:
        """Return why a message cannot be marked or locked: it is gone, or held by another; None if it can."""
        if stored is None:
            return NoMessageAvailable("the message is gone")
        if stored.state == UNLOCKED or seq in self.locked or seq in ours:
            return None
        words = describe_hold(self.connection, stored)
        return MQError(f"the message is {words}", MQRC_OBJECT_IN_USE, hint="mqx lock --list shows all that is held")

    def unmark(self, q_name: str, keys: Iterable[int]) -> list[int]:
        """Remove our marks from messages; return the keys that were unmarked."""
        ours = self.marked.get(q_name, set())
        done = [seq for seq in keys if seq in ours]
        if done:
            with self.connection.work() as work:
                browse_marks.unmark_all_for_set(work, self._members[q_name].queue_id, done)
        ours.difference_update(done)
        return done

    def _member(self, q_name: str) -> Handle:
        """Return our handle in the co-operating set of a queue: the marks end with it."""
        if q_name not in self._members:
            self._members[q_name] = self.connection.open(q_name, MQOO_BROWSE | MQOO_CO_OP)
        return self._members[q_name]

    def close_handles(self, q_name: str) -> None:
        """Release our marks and locks on a queue: one that is open cannot be cleared."""
        self.unmark(q_name, [*self.marked.get(q_name, ())])
        for seq in [seq for seq, handle in self.locked.items() if handle.q_name == q_name]:
            self.locked.pop(seq).close()
        if (member := self._members.pop(q_name, None)) is not None:
            member.close()

    def _tend(self) -> None:
        """Renew marks before they lapse, and release what dead processes hold."""
        if any(self.marked.values()):
            interval_ms = mark_interval_ms(self.connection)
            if interval_ms >= 0 and (monotonic() - self._renewed_at) * 1000 >= interval_ms * _RENEW_AT:
                self._renewed_at = monotonic()
                self._to_renew = deque(seq for keys in self.marked.values() for seq in keys)
            if self._to_renew:
                self._renew(interval_ms)
        if self.watched and monotonic() - self._recovered_at >= _RECOVER_S:
            self._recovered_at = monotonic()
            release_dead_holders(self.connection, self.watched)

    def _renew(self, interval_ms: int) -> None:
        """Renew the next marks, few enough not to hold the file for long."""
        keys = [self._to_renew.popleft() for _ in range(min(_RENEW_STEP, len(self._to_renew)))]
        renew_marks(self.connection, keys, interval_ms)

    # -- locks

    def lock(self, q_name: str, seq: int) -> bool:
        """Lock a message with its own handle, or unlock it if we hold the lock; return whether it is locked now.

        Raises MQError: MQRC_OBJECT_IN_USE when another holder has it, NoMessageAvailable.
        """
        handle = self.locked.pop(seq, None)
        if handle is not None:
            handle.close()
            return False
        self.check_free(seq)
        self.take(q_name, seq)
        return True

    def check_free(self, seq: int) -> None:
        """Raise MQError for a message that another holder has or that is gone, as for ``lock``."""
        error = self._why_not(load_message(self.connection, seq), seq, set())
        if error is not None:
            raise error

    def unlock_one(self, q_name: str, seq: int, lock_id: bytes) -> None:
        """Unlock a message that a lock id has locked. Raises MQError: MQRC_NO_MSG_LOCKED."""
        unlock_message(self.connection, q_name, lock_id, seqs=[seq])

    def take(self, q_name: str, seq: int, lock_id: bytes | None = None) -> None:
        """Lock a message with a new handle. lock_id: holder whose lock is released in the same transaction.

        Raises MQError: MQRC_NO_MSG_LOCKED when the lock id no longer locks it; then nothing has changed.
        """
        handle = self.connection.open(q_name, MQOO_BROWSE)
        try:
            if lock_id is None:
                self._lock_by(handle, seq)
            else:
                with self.connection.work():
                    self.unlock_one(q_name, seq, lock_id)
                    self._lock_by(handle, seq)
        except MQError:
            handle.close()
            raise
        self.locked[seq] = handle

    def _lock_by(self, handle: Handle, seq: int) -> None:
        handle.get(_LOCK, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token_of(seq), max_length=0)

    def without_own_locks(self, keys: Sequence[int], verb: Callable[[Sequence[int]], T]) -> T:
        """Run a verb with our locks on its messages released; lock again those that are still there.

        All of it is one transaction, so no other program can take them in between.
        """
        ours = [seq for seq in keys if seq in self.locked]
        with self.connection.work() as work:
            for seq in ours:
                self.locked[seq].release_lock(work)
            value = verb(keys)
            left = []
            for seq in ours:
                stored = load_message(work, seq)
                if stored is None or stored.state != UNLOCKED:
                    left.append(seq)
                else:
                    self._lock_by(self.locked[seq], seq)
        for seq in left:
            self.locked.pop(seq).close()
        return value

    def forget_gone(self, q_name: str, keys: Collection[int]) -> set[int]:
        """Drop the marks of messages that are gone; return their keys."""
        gone = gone_messages(self.connection, keys)
        self.marked.get(q_name, set()).difference_update(gone)
        return gone
