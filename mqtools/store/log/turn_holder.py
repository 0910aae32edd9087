"""The process that holds the writer lock: who it is, since when, and whether it is stopped.

The kernel lists the holders of locks in /proc/locks; where there is none, the record that the holder has written into
the lock file counts. The description of the process comes from /proc, and is left out where there is none.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import time

from mqtools.records import Record

#: States of a process in /proc that mean that it was stopped: by a signal, or by a debugger.
_STOPPED = ("T", "t")
#: Bytes of the command line of a process that are shown.
_MOST_WORDS = 80
#: Seconds of a turn that count as keeping others waiting.
_LONG_S = 2.0
#: Byte of the index of the log (``-shm``) that SQLite locks for the writer of the file.
_WRITE_LOCK = "120"


class TurnHolder(Record):
    """Holder of the writer lock.

    pid: process id, 0 where it is not known.  since_ms: milliseconds since 1970, None where it is not known.
    program: its command line, empty where it is not known.  user: its name, empty where it is not known.
    is_stopped: a signal or a debugger has stopped it; False also where that is not known.
    """

    __slots__ = ("pid", "since_ms", "program", "user", "is_stopped")

    def __init__(self, pid: int, since_ms: int | None, program: str, user: str, is_stopped: bool) -> None:
        self.pid = pid
        self.since_ms = since_ms
        self.program = program
        self.user = user
        self.is_stopped = is_stopped

    def description(self) -> str:
        """Return who it is, in words."""
        if not self.pid:
            return "a process that cannot be seen from here"
        details = [self.program, self.user and f"user {self.user}", "stopped" if self.is_stopped else ""]
        known = ", ".join(detail for detail in details if detail)
        return f"pid {self.pid} ({known})" if known else f"pid {self.pid}"

    def since(self) -> str:
        """Return since when it has held the lock, in words."""
        if self.since_ms is None:
            return "for an unknown time"
        clock = time.strftime("%H:%M:%S", time.localtime(self.since_ms / 1000))
        return f"since {clock} ({self.age_s:.0f} s)"

    @property
    def is_in_the_way(self) -> bool:
        """Whether others that write are kept waiting: it is stopped, or has had the turn for long."""
        return self.is_stopped or self.age_s > _LONG_S

    @property
    def age_s(self) -> float:
        """Seconds for which it has held the lock; 0 where that is not known."""
        return 0.0 if self.since_ms is None else max(0.0, time.time() - self.since_ms / 1000)

    def hint(self) -> str:
        """Return what to do about it."""
        if self.is_stopped:
            return f"the process is stopped: resume it with kill -CONT {self.pid}, or end it with kill -KILL {self.pid}"
        return "try again later; lock_timeout in the configuration limits the wait (mqx config explain)"


def find_holder(folder: str) -> TurnHolder | None:
    """Return the holder of the writer lock of a run folder; None when it is free or cannot be read.

    Changes nothing and makes no process wait.
    """
    try:
        descriptor = os.open(f"{folder}/writer", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        pid = _pid_of_lock(os.fstat(descriptor))
        if pid is None and not _is_locked(descriptor):
            return None
        record = os.pread(descriptor, 16, 0)
    finally:
        os.close(descriptor)
    noted, since_ms = int.from_bytes(record[:8], "little"), int.from_bytes(record[8:], "little") or None
    if pid is not None and pid != noted:
        since_ms = None  # the record is of an earlier holder, or was written in another process namespace
    return process_of(noted if pid is None else pid, since_ms)


def find_writer(path: str) -> TurnHolder | None:
    """Return the process that has SQLite's write lock of a file; None when it is free or the kernel has no list."""
    try:
        locks = locks_of(os.stat(f"{path}-shm"))
    except OSError:
        return None
    pids = [int(pid) for _, kind, _, way, pid, _, at, _ in locks if (kind, way, at) == ("POSIX", "WRITE", _WRITE_LOCK)]
    return process_of(max(0, pids[0])) if pids else None


def _is_locked(descriptor: int) -> bool:
    """Return whether the lock is held: the kernel refuses a shared lock then."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def _pid_of_lock(file: os.stat_result) -> int | None:
    """Return the process that the kernel lists as the holder; None where it lists none, 0 for one that is not seen."""
    return next((max(0, int(pid)) for _, kind, _, _, pid, *_ in locks_of(file) if kind == "FLOCK"), None)


def locks_of(file: os.stat_result) -> list[list[str]]:
    """Return the locks that processes hold on a file, as the kernel lists them; none where it has no list.

    Fields: number, POSIX or FLOCK, ADVISORY, READ or WRITE, process, file, first and last byte.
    """
    wanted = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as lines:
            return [fields for line in lines if len(fields := line.split()) == 8 and fields[5] == wanted]
    except OSError:
        return []


def process_of(pid: int, since_ms: int | None = None) -> TurnHolder:
    """Return what can be said of a process. since_ms: when it took the lock."""
    return TurnHolder(pid, since_ms, _program(pid), _user(pid), _is_stopped(pid))


def _is_stopped(pid: int) -> bool:
    state = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return bool(state) and state[0] in _STOPPED


def _program(pid: int) -> str:
    words = [word for word in _read(f"/proc/{pid}/cmdline").split("\0") if word]
    if len(words) > 1 and os.path.basename(words[0]).startswith("python"):
        words = words[1:]
    if words:
        words[0] = os.path.basename(words[0])
    text = " ".join(" ".join(words).split())  # one line
    return text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]}…"


def _user(pid: int) -> str:
    try:
        number = os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return ""
    try:
        return pwd.getpwuid(number).pw_name
    except (ImportError, KeyError):
        return str(number)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4096)
    except OSError:
        return ""
