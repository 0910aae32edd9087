"""The writer lock: one writer at a time, in the order of arrival.

SQLite's own busy handler sleeps and tries again, so that a steady writer starves the others. Two kernel
locks make it fair: whoever holds *turn* waits for *writer*; everybody else waits for *turn*. A lock goes
with the process that holds it, so nothing is left behind by a kill, and nothing lives on in a forked child.
Whoever has mapped the record sees there whether somebody waits for *writer*, and takes it alone where nobody does.

The holder writes its process id and the time into the writer's file, so that whoever waits can say who it waits for
(``turn_holder``): into its memory, once it has had the turn some times, which costs no system call. A command has it
a few times, to do its work and to close the file, and would lose time by mapping it. The wait itself is in
``turn_wait``.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import StorageError
from mqtools.store import fork
from mqtools.store.descriptors import open_error
from mqtools.store.log import turn_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

    from mqtools.store.log.turn_wait import TurnWait

_IF_FREE = fcntl.LOCK_EX | fcntl.LOCK_NB
#: Seconds between two attempts of a process that can start no thread.
_RETRY_S = 0.01
#: How often the turn is had before its record is mapped.
_OFTEN = 8


class WriterLock:
    """The writer lock of one connection. Not shared between threads.

    keeper_died: a process has died that had kept the turn between two calls; whoever looks at that resets it.
    folder: the run folder.  turn, writer: descriptors of the lock files.  pending: a wait that has run out of time
    and keeps its place in the queue; the next ``acquire`` continues it.  waiter: has waited for the turn, and will.
    """

    __slots__ = ("_pid", "_record", "_times", "folder", "keeper_died", "pending", "turn", "waiter", "writer")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.keeper_died = False
        self.pending: TurnWait | None = None
        self.waiter: TurnWait | None = None
        self.turn = _open(folder, "turn")
        try:
            self.writer = _open(folder, "writer")
        except (OSError, StorageError):
            fork.close(self.turn)
            raise
        self._pid = os.getpid().to_bytes(8, "little")
        self._times = 0
        self._record: mmap | None = None

    def acquire(self, limit_s: float | None = None) -> None:
        """Wait until this connection may write.

        limit_s: of the wait, None for the configured one.  Raises LockTimeout when it has passed.
        """
        if self.pending is not None or not self._take_if_free():
            from mqtools.store.log import turn_wait

            turn_wait.wait(self, limit_s)
        holder = self._pid + int(time.time() * 1000).to_bytes(8, "little") + b"\0\0"  # whom nobody has asked yet
        record = self._record
        if record is None and self._times < _OFTEN:
            self._times += 1
            self.keeper_died = turn_record.write_holder(self.writer, holder) or self.keeper_died
            return
        if record is None:
            record = self._map()
        if record is not None:
            self.keeper_died = self.keeper_died or record[turn_record.KEPT] != 0
            record[: turn_record.AWAITED] = holder

    def _map(self) -> mmap | None:
        if self._record is None:
            self._record = turn_record.map_record(self.folder)
        return self._record

    def _take_if_free(self) -> bool:
        """Take the lock where nobody has it or waits for it. Otherwise *turn* may be held: this is the next then."""
        record = self._record
        try:
            if record is not None and not record[turn_record.AWAITED]:
                fcntl.flock(self.writer, _IF_FREE)
                return True
            fcntl.flock(self.turn, _IF_FREE)
            fcntl.flock(self.writer, _IF_FREE)
        except BlockingIOError:
            return False
        if record is not None:
            record[turn_record.AWAITED] = 0  # of one that has died as it waited
        fcntl.flock(self.turn, fcntl.LOCK_UN)
        return True

    def try_acquire(self, limit_s: float) -> bool:
        """Poll for the lock up to a limit (seconds): for a process that cannot start a thread.

        Returns whether this connection may write.
        """
        deadline = time.monotonic() + limit_s
        while not (turn_record.try_lock(self.turn) and turn_record.try_lock(self.writer)):
            fcntl.flock(self.turn, fcntl.LOCK_UN)
            if time.monotonic() > deadline:
                return False
            turn_record.ask(self.writer, self.folder)
            time.sleep(_RETRY_S)
        fcntl.flock(self.turn, fcntl.LOCK_UN)
        return True

    @property
    def can_be_kept(self) -> bool:
        """Whether others can ask for the turn while it is kept between calls."""
        return self._map() is not None

    @property
    def is_wanted(self) -> bool:
        """Whether others have asked for the turn since it was acquired."""
        return self._record is not None and self._record[turn_record.WANTED] != 0

    @property
    def is_kept_by_somebody(self) -> bool:
        """Whether the turn is being kept between calls, or was by a process that has died with it."""
        if self._record is None:
            return turn_record.kept_number(self.writer) is not None
        return self._record[turn_record.KEPT] != 0

    def note_kept(self, token: bytes) -> None:
        """Record that the turn is kept, and who to ask for it. token: presence token of the connection."""
        assert self._record is not None
        number = int.from_bytes(self._record[turn_record.NUMBER : turn_record.TOKEN], "little") + 1
        length = turn_record.TOKEN - turn_record.NUMBER
        self._record[turn_record.NUMBER : turn_record.TOKEN] = (number % (1 << 8 * length)).to_bytes(length, "little")
        self._record[turn_record.TOKEN : turn_record.LENGTH] = turn_record.short(token)
        self._record[turn_record.KEPT] = 1

    def note_not_kept(self) -> None:
        """Record that the turn is kept no longer."""
        if self._record is not None:
            self._record[turn_record.KEPT] = 0

    def release(self) -> None:
        """Release the lock to the next writer."""
        fcntl.flock(self.writer, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close both lock files."""
        if self._record is not None:
            self._record.close()
            self._record = None
        is_own = self._pid == os.getpid().to_bytes(8, "little")  # a forked child has no thread that waits
        if is_own and self.waiter is not None and self.waiter.end():
            return  # it closes them when its turn comes
        fork.close(self.turn)
        fork.close(self.writer)


def make_lock(folder: str) -> WriterLock:
    """Create the lock of a connection, and its folder where there is none.

    Raises StorageError, also (MQRC_NOT_AUTHORIZED) for a folder that others could have prepared.
    """
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        _check_folder(folder)
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
    try:
        return WriterLock(folder)
    except OSError as error:
        raise open_error(error, folder) from error


def _check_folder(folder: str) -> None:
    """Raise StorageError for a run folder that is a link, belongs to a stranger, or can be written to by others."""
    try:
        found = os.lstat(folder)
        owner = os.stat(folder.removesuffix("-run")).st_uid
    except FileNotFoundError:
        return  # whoever needs it reports that
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
    if not stat.S_ISDIR(found.st_mode):
        raise StorageError(f"{folder} is not a folder", MQRC_NOT_AUTHORIZED)
    if found.st_uid not in (owner, os.geteuid()):
        words = f"{folder} belongs to user {found.st_uid}, and the queue manager to user {owner}"
        raise StorageError(words, MQRC_NOT_AUTHORIZED, hint=f"check what is in it, then remove it: rm -r {folder}")
    if found.st_mode & stat.S_IWOTH:
        raise StorageError(f"{folder} can be written to by everybody", MQRC_NOT_AUTHORIZED, hint=f"chmod o-w {folder}")


def _open(folder: str, name: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(f"{folder}/{name}", flags, 0o600)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:  # a pipe; a file that has another name somewhere
        os.close(descriptor)
        words = f"{folder}/{name} is not a file of its own"
        raise StorageError(
            words, MQRC_NOT_AUTHORIZED, hint=f"check what is in the folder, then remove it: rm -r {folder}"
        )
    fork.keep_from_children(descriptor)
    return descriptor
