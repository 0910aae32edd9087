"""The database of a queue manager: opening and creating its file, statements, transactions.

A commit is made without a flush; a caller that needs the change on disk asks for it, and the flush happens
after the writer lock has been released, so that writers flush side by side. Because the log is one file
written in order, a flushed change never depends on one that is not.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # without what the package registers: adapters of datetime, which take a while to import
import os
import sys
from time import monotonic

from mqtools.constants.reasons import MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.store import counters, open_files, sqlite_connection
from mqtools.store.definition_cache import DefinitionCache
from mqtools.store.log import disk_room, last_close, log_mark
from mqtools.store.log.writer_lock import make_lock
from mqtools.store.statements import Reading, Statements, Writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from mqtools.store.log.log import Log
    from mqtools.store.log.writer_lock import WriterLock
    from mqtools.store.types import File, Row

APPLICATION_ID = log_mark.APPLICATION_ID
#: The version of schema.sql. A newer file is refused, an older one migrated.
SCHEMA_VERSION = 4


class Database(Statements):
    """An open queue manager file. One thread at a time; statements are cached.

    engine: which SQLite it is. A process has a file open by one of them only.  cursor: runs what returns no rows.
    blocks: how many blocks of queries or changes have begun, one in another, and not ended.
    is_writing: whether the block that began last is a transaction that writes.
    before_commit: called when a transaction that writes is about to be committed; what it raises undoes it.
    known: what has been read of the definitions.  counted: by queue id, what the transaction has counted; it is written
    before the next statement that is not run with ``change``, and before the commit.
    change_counter: incremented by every statement except those of ``one``, ``find`` and ``change``.
    real_path: absolute, without links.  file, descriptor: device and number of the file, and what its mark is read and
    written by (``log_mark``).  is_ours: the file is a queue manager of this version of mqx.  log_found: bytes of its
    log when it was opened.  finishes_log: the last to close the file, in whatever process, moves the log into it,
    although it was open only to be read.  lock_timeout_s: seconds that a transaction waits for the write turn; None for the configured limit.  is_low: there is little room on the disk,
    and puts are to be refused.  next_look: when to look at that again (``disk_room``).  moved_at: pages of the log when
    it was moved last (``checkpoint``).  log_index: descriptor of the index of the log, -1 until it is needed.
    log_state: of the log when the transaction began, None where that was not looked at.
    """

    __slots__ = (
        "__weakref__", "_changes", "_is_open", "_pid", "before_commit", "descriptor", "finishes_log", "is_low",
        "is_ours", "is_writing", "known", "lock_timeout_s", "log", "log_found", "log_index", "log_state", "moved_at",
        "next_look", "read_only", "real_path", "run_folder", "writer_lock",
    )  # fmt: skip
    engine = "python"

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self.path = path
        self.real_path = os.path.realpath(path)  # SQLite has the log beside the file that a link leads to
        self.run_folder = f"{self.real_path}-run"
        self.read_only = read_only
        self.before_commit: Callable[[], None] | None = None
        self.file: File | None = None
        self.descriptor = -1
        self.is_ours = self.is_writing = self.is_low = self._is_open = False
        self.lock_timeout_s: float | None = None
        self.next_look = 0.0
        self.finishes_log = True
        self.log_state: bytes | None = None
        self._pid = os.getpid()
        self._changes = self.blocks = self.change_counter = self.log_found = self.moved_at = 0
        self.log_index = -1
        self.writer_lock: WriterLock | None = None
        self.log: Log | None = None
        self.counted: dict[int, counters.Count] = {}
        self.known = DefinitionCache()
        self._claim()
        try:
            self.sql = self._connect()
            self.cursor = self.sql.cursor()
        except BaseException:
            open_files.release(self)
            raise
        self._is_open = self.file is not None

    @property
    def db(self) -> Self:
        """Return itself: what reads a queue manager takes a database like a connection (``source.Source``)."""
        return self

    def reading(self) -> Reading:
        """Return a block in which all queries see one state of the file."""
        return Reading(self)

    def writing(self) -> Writing:
        """Return a transaction that writes: it commits at the end of the block, and an exception rolls it back."""
        return Writing(self)

    is_open = staticmethod(open_files.is_open)

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction of this database is open."""
        return self.sql.in_transaction

    def version(self) -> int:
        """Return a number that changes when another connection has changed the file; next to free."""
        row = self.one("pragma data_version")
        return 0 if row is None else int(row[0])

    def sync(self) -> None:
        """Flush all that has been committed to disk. Raises StorageError: it is committed, and may yet be lost."""
        if self.log is not None and self.log.is_long and self.log.flush():
            open_files.flush_mark(self)
        else:
            from mqtools.store.log import flush

            flush.flush(self)

    def open_reader(self) -> Self:
        """Open the file once more, only to be read."""
        return type(self)(self.path, read_only=True)

    def close(self) -> None:
        """Close the file; the last process to do so moves the log into it and removes the log."""
        self._is_open = False
        last_close.close(self, is_own=self._pid == os.getpid() and self.file is not None)
        open_files.release(self)
        self._close_locks()

    def __del__(self) -> None:  # forgotten: SQLite would remove the log, and the file would seem to lack it
        if self._is_open and self._pid == os.getpid() and not sys.is_finalizing():
            if not self.read_only:
                last_close.close(self, is_own=True, waits=False)
            open_files.release_forgotten(self)
            self._close_locks()

    def _close_locks(self) -> None:
        for each in (self.writer_lock, self.log):
            if each is not None:
                each.close()
        self.writer_lock = self.log = None

    def _connect(self) -> sqlite3.Connection:
        return sqlite_connection.connect(self.path, read_only=self.read_only)

    def _claim(self) -> None:
        open_files.claim(self)

    def begin_reading(self) -> None:
        """Begin a block in which all queries see one state of the file; ``end_block`` must follow."""
        if self.blocks == 0:
            self.run("begin")
            self.is_writing = False
        self.blocks += 1

    def begin_writing(self) -> None:
        """Begin a transaction that writes, or inside another one a part that can be undone alone (a savepoint).

        ``end_writing`` must follow.  Raises StorageError.
        """
        self.is_writing = True
        if self.blocks == 0:
            self._begin_transaction()
        elif not self.in_transaction:
            raise StorageError(f"{self.path}: an error of the file has undone the transaction")
        else:
            self._begin_part()
        self.blocks += 1

    def _begin_transaction(self) -> None:
        """Wait for the turn to write, and begin a transaction."""
        if self.writer_lock is None or not os.fstat(self.writer_lock.writer).st_nlink:
            self._close_locks()  # the run folder was emptied: other processes use new lock files
            self.writer_lock = make_lock(self.run_folder)
        try:
            self.writer_lock.acquire(self.lock_timeout_s)
            if self.file is not None:
                open_files.check_there(self)
            if self.is_low or monotonic() >= self.next_look:
                disk_room.check(self)
            self.control("begin immediate")
            self.change_counter += 1
            self._changes = self.sql.total_changes
            self._begin_with_counters()
        except BaseException:
            self.give_turn()
            raise

    def end_writing(self, *, keep: bool) -> None:
        """End what ``begin_writing`` began: keep it, or undo it when it is not to be kept or the commit fails."""
        self.end_block(keep=keep, writing=True)

    def _begin_part(self) -> None:
        if self.counted:
            self._write_counts()
        self.control("savepoint part")

    def _end_part(self, *, keep: bool) -> None:
        if keep:
            self.control("release part")
        elif self.in_transaction:  # else SQLite has undone all of it
            self.counted = {}
            self.known.forget()  # a version that was undone may be given to another change
            self.change_counter += 1
            self.control("rollback to part")
            self.control("release part")

    def end_block(self, *, keep: bool, writing: bool) -> None:
        """End a block of queries or changes: commit, or roll back when it is not to be kept or the commit fails."""
        if self.blocks > 1:
            self.blocks -= 1
            if writing:
                self._end_part(keep=keep)
            return
        try:
            self._commit_or_undo(keep=keep, writing=writing)
        finally:
            self.blocks = 0
            if writing:
                self.give_turn()

    def _commit_or_undo(self, *, keep: bool, writing: bool) -> None:
        is_kept = has_changed = False
        try:
            if keep:
                if writing and self.before_commit is not None:
                    self.before_commit()
                left = self._counters_left()
                if self.counted:
                    self._write_counts()
                if writing and self.file and self.sql.total_changes != self._changes:
                    has_changed = True
                    if not log_mark.left(self.log_state or open_files.log_state(self)):
                        open_files.mark_log(self)
                self.control("commit")
                self.change_counter += 1
                is_kept = True
                if has_changed:
                    self._end_with_counters(left)
        except StorageError as error:
            self.is_low = self.is_low or (error.reason == MQRC_STORAGE_MEDIUM_FULL and self.file is not None)
            raise
        finally:
            if not is_kept:
                self._undo()

    def _begin_with_counters(self) -> None:
        """Take the counters of a queue as the last transaction has left them, if nobody has committed since."""
        left, self.log_state = self.known.left, None
        if left is not None:
            before, queue_id, counters = left
            self.log_state = os.pread(self.log_index, log_mark.STATE, 0)
            if self.log_state[log_mark.CHANGED] == before[log_mark.CHANGED]:
                self.known.counters = (self.change_counter, queue_id, counters)

    def _counters_left(self) -> tuple[int, Row] | None:
        """Return the id of the queue last read, and its counters as the transaction leaves them.

        None where they are not known, and where there are groups: a message that leaves one changes more of them.
        """
        change_counter, queue_id, row = self.known.counters
        if change_counter != self.change_counter:
            return None
        version, depth, uncommitted, waiters, marks, grouped, number = row
        if grouped:
            return None
        count = self.counted.get(queue_id)
        if count is not None:
            depth, uncommitted, number = depth + count.depth, uncommitted + count.uncommitted, number + count.arrivals
            row = (version, depth, uncommitted, waiters, marks, grouped, number)
        return queue_id, row

    def _end_with_counters(self, left: tuple[int, Row] | None) -> None:
        """Move a long log into the file, and keep the counters of a queue for the next transaction."""
        self.known.left = None
        try:
            state = os.pread(self.log_index, log_mark.STATE, 0)
            if log_mark.left(state) >= log_mark.MANY_PAGES:
                from mqtools.store.log import checkpoint

                checkpoint.move_if_long(self)
                state = os.pread(self.log_index, log_mark.STATE, 0)
        except OSError:
            return  # what is committed is committed: the next transaction reads the counters
        if left is not None:
            self.known.left = (state, *left)

    def give_turn(self) -> None:
        """Release the write turn to the next writer."""
        try:
            if self.is_low:
                disk_room.keep_reserve(self)
        finally:
            if self.writer_lock is not None:
                self.writer_lock.release()

    def _undo(self) -> None:
        """Roll back, unless SQLite has done so (a disk that fails), and discard what is not written, and the cache."""
        self.counted = {}
        self.known.forget()  # a version that was undone may be given to another change
        if self.in_transaction:
            self.control("rollback")
            self.change_counter += 1
