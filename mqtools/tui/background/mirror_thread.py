"""Thread that keeps the mirror of a queue manager elsewhere up to date: its queues, and the queue that is listed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from queue import Queue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from mqtools.constants.reasons import (
    MQRC_CHANNEL_NOT_AVAILABLE,
    MQRC_CONNECTION_BROKEN,
    MQRC_HOST_NOT_AVAILABLE,
    MQRC_Q_MGR_NOT_AVAILABLE,
)
from mqtools.errors import MQError
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.tui.background.reader import Deliver, run_guarded, value_or_error

if TYPE_CHECKING:
    from mqtools.operations.elsewhere.mirror import Mirror  # the first rows do not wait for it

#: Least pause between two inquiries (seconds), and between two inquiries of all queues, and two refreshes of a queue
#: that changes: multiples of the time that one took.
_LEAST_PAUSE_S, _PAUSE = 2.0, 10
#: Multiples of the time that a refresh took, until a queue is refreshed although its status has not changed.
_UNCHANGED_PAUSE = 50
#: Longest time that ``stop`` waits for the thread (seconds).
_STOP_S = 2.0
#: Longest time that ``renew`` waits for the thread (seconds).
_RENEW_S = 5.0
#: Reasons of a queue manager that is not reached.
_LOST = (MQRC_CHANNEL_NOT_AVAILABLE, MQRC_CONNECTION_BROKEN, MQRC_HOST_NOT_AVAILABLE, MQRC_Q_MGR_NOT_AVAILABLE)
#: Fields of a row that change with the messages of a queue.
_STATUS = ("depth", "uncommitted", "last_put", "last_get")


class MirrorThread:
    """Refreshes a mirror until it is stopped.

    name: of the remote, for -m.  connect: makes a connection for changes; None for a read-only remote.
    rows: of all queues, as ``views.queue_overview`` has them.  is_lost: the last attempt to reach the queue manager
    failed.
    """

    def __init__(self, mirror: Mirror, name: str, connect: Callable[[], QueueManagerConnection] | None = None) -> None:
        """Read the queues. Raises MQError."""
        self.mirror = mirror
        self.name = name
        self.connect = connect
        self.is_lost = False
        self.rows = mirror.read_queues()
        self._watched = ""
        self._queues_at = self._began_at = self._took_s = 0.0
        self._seen: list[Any] = []
        self._requests: Queue[Event] = Queue()
        self._wake, self._stopped = Event(), Event()
        self._thread: Thread | None = None

    def start(self, deliver: Deliver, failed: Callable[[Exception], None]) -> None:
        """Start the thread. deliver: runs a call in the thread that draws.  failed: takes an error there."""
        self._thread = Thread(
            target=lambda: run_guarded(partial(self._run, deliver, failed), deliver), name="mqx-mirror", daemon=True
        )
        self._thread.start()

    def watch(self, q_name: str) -> None:
        """Refresh the messages of this queue from now on."""
        self._watched = q_name
        self._wake.set()

    def renew(self) -> None:
        """Read the queues and the listed queue again, and wait for it a limited time. Another thread calls it."""
        done = Event()
        self._requests.put(done)
        self._wake.set()
        if not self._stopped.is_set():
            done.wait(_RENEW_S)

    def stop(self) -> bool:
        """End the thread, within a limited time; return whether it has ended. Otherwise it ends with the process."""
        self._stopped.set()
        self._wake.set()
        if self._thread is None:
            return True
        self._thread.join(_STOP_S)
        return not self._thread.is_alive()

    def _run(self, deliver: Deliver, failed: Callable[[Exception], None]) -> None:
        self._queues_at, words = monotonic() + _LEAST_PAUSE_S, ""
        while not self._stopped.is_set():
            self._wake.clear()
            requests = [self._requests.get() for _ in range(self._requests.qsize())]
            if requests:
                self._queues_at, self._seen = 0.0, []
            error = value_or_error(self._look)
            for done in requests:
                done.set()
            if error is not None and str(error) != words:
                deliver(partial(failed, error))
            words = "" if error is None else str(error)
            self.is_lost = isinstance(error, MQError) and error.reason in _LOST
            if self.is_lost:
                self._seen = []
            self._wake.wait(_LEAST_PAUSE_S)

    def _look(self) -> None:
        """Read what is due. Raises MQError."""
        if self.is_lost or monotonic() >= self._queues_at:
            began = monotonic()
            self.rows = self.mirror.read_queues()
            self._queues_at = monotonic() + max(_LEAST_PAUSE_S, _PAUSE * (monotonic() - began))
        q_name = self._watched
        row = next((row for row in self.rows if row["name"] == q_name), None)
        if row is None:
            return
        self.mirror.renew_row(row)
        status = [q_name, *(row[name] for name in _STATUS)]
        is_listed, is_same = status[:1] == self._seen[:1], status == self._seen
        if is_listed and monotonic() < self._began_at + self._took_s * (_UNCHANGED_PAUSE if is_same else _PAUSE):
            return
        self._seen, self._began_at = status, monotonic()
        try:
            for _ in self.mirror.refresh(q_name):
                if self._stopped.is_set() or self._watched != q_name:
                    return
        finally:
            self._took_s = monotonic() - self._began_at
