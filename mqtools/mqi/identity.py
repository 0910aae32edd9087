"""Values that the queue manager generates: identifiers, put date and time, user and application name.

Identifiers have MQ's shape: ``AMQ``, a blank, twelve characters of the queue manager's name, then eight
bytes that are unique: the time in nanoseconds, drawn while the write turn is held, and never the same
twice in a process.
"""

from __future__ import annotations

import os
import pwd
import sys
import time

_last_ns = 0
_last_ms = -1
_date_and_time = ("", "")
_user: str | None = None
#: Name of a queue manager to what its identifiers begin with.
_beginnings: dict[str, bytes] = {}
#: Fixed instant of the clock, for programs that show the past; None: the clock runs.
_instant_ms: int | None = None

_EIGHT_BYTES = (1 << 64) - 1
#: The last second that a PutDate of eight digits can name.
_LAST_SECOND = 253_402_300_799


def new_id(q_mgr_name: str) -> bytes:
    """Return a new message, correlation or group identifier of 24 bytes."""
    global _last_ns
    now_ns = time.time_ns()
    _last_ns = now_ns if now_ns > _last_ns else _last_ns + 1
    if q_mgr_name not in _beginnings:
        _beginnings[q_mgr_name] = b"AMQ " + q_mgr_name.encode("ascii", "replace")[:12].ljust(12)
    return _beginnings[q_mgr_name] + (_last_ns & _EIGHT_BYTES).to_bytes(8, "big")  # it wraps in the year 2554


def reserve_ids(q_mgr_name: str) -> bytes:
    """Return the first of 65,536 message identifiers for a client; the others count in its last two bytes.

    The caller holds the write turn; the block is left to it, so that no other process draws it. The highest bit tells
    such identifiers from those of ``new_id``.
    """
    new_id(q_mgr_name)
    block = time.time_ns() >> 16
    while time.time_ns() >> 16 == block:  # 66 microseconds at most
        pass
    return _beginnings[q_mgr_name] + (1 << 63 | block << 16).to_bytes(8, "big")


def now_ms() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000 if _instant_ms is None else _instant_ms


def set_clock(at_ms: int | None) -> None:
    """Stop the clock of this process at an instant, or let it run again: ages and expiry are as they were then.

    For processes that only read.
    """
    global _instant_ms
    _instant_ms = at_ms


def put_date_and_time(at_ms: int) -> tuple[str, str]:
    """Return PutDate (YYYYMMDD) and PutTime (HHMMSSTH), GMT, of an instant in milliseconds since 1970."""
    global _last_ms, _date_and_time
    if at_ms != _last_ms:
        second, ms = divmod(at_ms, 1000)
        year, month, day, hour, minute, second, *_ = time.gmtime(min(max(second, 0), _LAST_SECOND))
        _date_and_time = (
            f"{year:04d}{month:02d}{day:02d}", f"{hour:02d}{minute:02d}{second:02d}{ms // 10:02d}"
        )  # fmt: skip
        _last_ms = at_ms
    return _date_and_time


def user_identifier() -> str:
    """Return the name of the user that runs the process, 12 characters at most."""
    global _user
    if _user is None:
        try:
            name = pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            name = os.environ.get("LOGNAME", "")
        _user = name[:12]
    return _user


def appl_name() -> str:
    """Return the name of the program, the last 28 characters of its path."""
    return (sys.argv[0] if sys.argv and sys.argv[0] else "python")[-28:]
