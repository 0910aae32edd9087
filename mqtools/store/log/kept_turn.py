"""The write turn, kept between the calls of one unit of work, with the transaction that they share.

A call of a unit of work is a transaction of its own. Where one follows the other at once, the turn and the transaction
stay: what a call puts and gets is buffered (``write_buffer``), and a call that runs other statements is a savepoint.
Nobody else sees a difference: whoever wants to write, or to read, asks for the turn (``turn_record``), and it is given
back, with a commit, between two calls: by the call that has just ended, or by a thread that waits for nothing else
while the program does. It is given back too when no call has come for some milliseconds, and when it was kept for long.

A process that is killed loses what the transaction holds, which is part of a unit of work that is backed out anyway.
That the messages it had got count as backed out once more is seen from a file beside the database (``GotList``).
"""

from __future__ import annotations

import os
import select
import time
from _thread import RLock, allocate_lock, start_new_thread
from _weakref import ref

from mqtools.errors import StorageError
from mqtools.store import fork
from mqtools.store.log import turn_record
from mqtools.store.log.got_list import GotList
from mqtools.store.write_buffer import WriteBuffer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol

    from mqtools.store.counters import Count
    from mqtools.store.definition_cache import DefinitionCache
    from mqtools.store.log.writer_lock import WriterLock

    class Database(Protocol):
        """Database as the kept turn sees it (``store.database``)."""

        run_folder: str
        writer_lock: WriterLock | None
        kept_turn: KeptTurn | None
        buffer: WriteBuffer | None
        counted: dict[int, Count]
        known: DefinitionCache
        change_counter: int
        is_low: bool
        last_call: float
        before_commit: Callable[[], None] | None

        @property
        def in_transaction(self) -> bool:
            """Return whether a transaction is open."""

        def change_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
            """Run a statement that changes messages by themselves, once for each row of parameters."""

        def control(self, statement: str) -> None:
            """Begin or end a transaction or a savepoint."""

        def pause(self) -> None:
            """Leave the transaction open."""

        def go_on(self) -> None:
            """Go on with the transaction that was left open."""

        def commit_kept(self) -> None:
            """Commit the transaction that was left open, or undo it."""

        def give_turn(self) -> None:
            """Release the write turn."""


#: Seconds for which the turn is kept at most, and milliseconds for which it is kept while no call comes.
LONGEST_S, IDLE_MS = 0.05, 2
#: After how many calls the turn is kept again, once somebody has asked for it.
REST = 32


class KeptTurn:
    """The turn that one database keeps, or does not keep at the moment.

    is_held: it is kept, by the call in progress or between calls.  in_call: a call goes on in it.
    has_lost: what the transaction held could not be committed: the unit of work can only be backed out.
    lost: keys of the messages that had been got in it.  undoes_all: a call that fails undoes the whole transaction.
    """

    __slots__ = (
        "_begun", "_bell", "_calls", "_closed", "_counted", "_database", "_got", "_guard", "_has_savepoint",
        "_is_ending", "_lock", "_rest", "_token", "_until", "has_lost", "in_call", "is_held", "lost", "undoes_all",
    )  # fmt: skip

    def __init__(self, database: Database, token: bytes) -> None:
        """token: presence token of the connection. Raises StorageError where no thread or pipe can be had."""
        assert database.writer_lock is not None
        self._lock: WriterLock = database.writer_lock
        self._token = token
        self._got = GotList(database.run_folder, token)
        self._bell = _make_pipe(turn_record.bell_path(database.run_folder, token))
        self._database = ref(database, self.abandon)
        self._guard = RLock()  # whoever is interrupted while he has it must not wait for himself
        self._begun = allocate_lock()
        self._begun.acquire()
        self._has_savepoint = self.undoes_all = False
        self._closed = self._is_ending = self.is_held = self.in_call = self.has_lost = False
        self._calls = self._rest = 0
        self._until = 0.0
        self._counted: dict[int, Count] = {}
        self.lost: tuple[int, ...] = ()
        try:
            start_new_thread(self._watch, ())
        except RuntimeError as error:
            self._remove_files()
            raise StorageError(str(error)) from error

    def begin(self, database: Database, got: Sequence[int]) -> bool:
        """Keep the turn and the transaction of the call that ends now; return whether that is done.

        got: keys of the messages that the call has got.
        """
        if self._rest:
            self._rest -= 1
            return False
        if self.has_lost or not self._got.add(got):
            return False
        with self._guard:
            self._until = time.monotonic() + LONGEST_S
            self.is_held = True
            self._lock.note_kept(self._token)
            database.buffer = WriteBuffer()
            database.pause()
            if self._lock.is_wanted:  # by somebody who came before it was noted
                self._finish(database, was_asked=True)
        if self._begun.locked():
            self._begun.release()
        return True

    def resume(self, database: Database) -> bool:
        """Begin a call in the kept transaction; return False where it has been given back meanwhile."""
        self._guard.acquire()
        if not self.is_held:
            self._guard.release()
            return False
        self._calls += 1
        self.in_call = True
        try:
            database.go_on()
            self._counted = {queue_id: count.copy() for queue_id, count in database.counted.items()}
            self._has_savepoint = self.undoes_all = False
            if database.buffer is not None:
                database.buffer.begin_call()
        except BaseException:
            database.pause()
            self.in_call = False
            self._guard.release()
            raise
        return True

    def begin_statements(self) -> None:
        """Write what is buffered, before a statement of a call: that of earlier calls before the call's savepoint."""
        database = self._database()
        assert database is not None
        buffer = database.buffer
        if not (self._has_savepoint or self.undoes_all):
            self.undoes_all = True
            if buffer is not None:
                buffer.write_earlier(database)
            database.control("savepoint call")
            self._has_savepoint, self.undoes_all = True, False
        if buffer is not None:
            buffer.write(database)

    def end_call(self, database: Database, *, keep: bool, stays: bool, got: Sequence[int]) -> None:
        """End a call that ``resume`` began: its changes are kept or undone, and the turn stays or is given back."""
        try:
            if not keep:
                self._undo_call(database)
            elif self._has_savepoint:
                database.control("release call")
            was_asked = self._lock.is_wanted
            database.pause()
            self.in_call = False
            if not (keep and stays and not was_asked and time.monotonic() < self._until and self._got.add(got)):
                self._finish(database, was_asked=was_asked)
        except BaseException:
            self._lose()
            raise
        finally:
            self.in_call = False
            self._guard.release()

    def give_back(self) -> bool:
        """Commit what is kept, if anything is, and give the turn back. Raises StorageError.

        Returns False to the statements of this commit itself.
        """
        with self._guard:
            if self._is_ending:
                return False
            database = self._database()
            if self.is_held and not self.in_call and database is not None:
                self._finish(database, was_asked=False)
        return True

    def close(self) -> None:
        """End the keeping, and remove what belongs to it."""
        try:
            self.give_back()
        finally:
            self._closed = True
            if self._begun.locked():
                self._begun.release()
            self._remove_files()

    def take_lost(self) -> tuple[int, ...]:
        """Return the keys of the messages that were got and lost, once; the unit of work is over then."""
        self.has_lost = False
        lost, self.lost = self.lost, ()
        return lost

    def _finish(self, database: Database, *, was_asked: bool) -> None:
        """Commit, and release the turn. The guard is held; others see that the turn is kept until all is committed."""
        if was_asked:
            self._rest = REST
        self._is_ending = True
        try:
            if database.in_transaction:  # else SQLite has undone it
                database.commit_kept()
        except BaseException:
            self._lose()
            raise
        finally:
            self._is_ending = self.is_held = False
            database.buffer = None
            database.last_call = time.monotonic()
            self._lock.note_not_kept()
            database.give_turn()
        self._got.clear()

    def _undo_call(self, database: Database) -> None:
        """Undo the call and only that, unless SQLite has undone the whole transaction (a disk that fails)."""
        database.counted = self._counted
        database.known.forget()  # a version that was undone may be given to another change
        database.change_counter += 1
        if self.undoes_all and database.in_transaction:
            database.control("rollback")
        if not database.in_transaction:
            database.counted, database.buffer = {}, None
            self._lose()
            return
        if self._has_savepoint:
            database.control("rollback to call")
            database.control("release call")
        if database.buffer is not None:
            database.buffer.undo_call()

    def _lose(self) -> None:
        self.has_lost = True
        self.lost += self._got.keys()
        self._got.clear()

    def _watch(self) -> None:
        """Release the turn when somebody asks for it, and when no call comes."""
        poll = select.poll()
        poll.register(self._bell, select.POLLIN)
        while True:
            self._begun.acquire()
            while self.is_held and not self._closed:
                calls = self._calls
                if poll.poll(IDLE_MS):
                    _drain(self._bell)
                    self._give_back_for_others()
                elif calls == self._calls:
                    self._give_back_for_others()
            if self._closed:
                fork.close(self._bell)
                return

    def _give_back_for_others(self) -> None:
        try:
            with self._guard:
                database = self._database()
                if self.is_held and not self.in_call and database is not None:
                    self._finish(database, was_asked=self._lock.is_wanted)
        except StorageError:
            return  # noted: the unit of work can only be backed out, and the next call says so

    def abandon(self, _: object = None) -> None:
        """End with the database: its transaction is undone, and nobody is to wait for it."""
        if self.is_held:
            self.is_held = False
            self._lock.note_not_kept()
            self._lock.release()
        self._closed = True
        if self._begun.locked():
            self._begun.release()
        self._remove_files()

    def _remove_files(self) -> None:
        self._got.remove()
        _remove(turn_record.bell_path(self._lock.folder, self._token))


def keep(database: Database, token: bytes, got: Sequence[int]) -> bool:
    """Keep the turn after a call of a unit of work; return False where it ends as usual."""
    lock = database.writer_lock
    if lock is None or not lock.can_be_kept or lock.is_wanted or database.is_low:
        return False
    if database.before_commit is not None:
        return False  # whoever wants to be asked before each commit is asked by the thread of the call
    if database.kept_turn is None:
        try:
            database.kept_turn = KeptTurn(database, token)
        except StorageError:
            database.kept_turn = None
            return False  # it is as good without
    return database.kept_turn.begin(database, got)


def sweep(folder: str, token: bytes) -> None:
    """Remove what a dead connection left of this in the run folder."""
    _remove(turn_record.bell_path(folder, token))
    _remove(GotList.path(folder, token))


def _make_pipe(path: str) -> int:
    try:
        os.mkfifo(path, 0o600)
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    fork.keep_from_children(descriptor)
    return descriptor


def _drain(bell: int) -> None:
    try:
        while os.read(bell, 4096):
            pass
    except BlockingIOError:
        return  # that was all


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
