"""Waits that end when the reader of the command's output is gone.

A closed pipe is detected by the poll in which the wait sleeps: no thread, no timer, no polling.
"""

from __future__ import annotations

import errno
import select
import sys

from mqtools.mqi.connection import Connection
from mqtools.mqi.transaction import Work
from mqtools.store.liveness import Presence

#: Poll events of a pipe without a reader, on different systems.
_NOBODY_READS = select.POLLERR | select.POLLHUP

#: Seconds of the longest pause, ten days: a poll counts its milliseconds in 31 bits.
_LONGEST_PAUSE_S = 864_000


class ReadConnection(Connection):
    """Connection whose waits raise BrokenPipeError when the reader of standard output is gone."""

    def register(self, work: Work) -> int:
        """Record the connection as a holder, with a presence whose sleep sees the reader."""
        self.presence = self.presence or _ReadPresence(self.db)
        return super().register(work)


class _ReadPresence(Presence):
    """Liveness pipes of such a connection."""

    def _sleep(self, poll: select.poll, timeout_s: float) -> list[tuple[int, int]]:
        poll.register(sys.stdout.fileno(), 0)
        events = super()._sleep(poll, timeout_s)
        _check_reader(events)
        return events


def pause(seconds: float) -> None:
    """Sleep, ten days at most. Raise BrokenPipeError when the reader of standard output is gone."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    _check_reader(poll.poll(min(seconds, _LONGEST_PAUSE_S) * 1000))


def _check_reader(events: list[tuple[int, int]]) -> None:
    output = sys.stdout.fileno()
    if any(descriptor == output and event & _NOBODY_READS for descriptor, event in events):
        raise BrokenPipeError(errno.EPIPE, "the reader of standard output is gone")
