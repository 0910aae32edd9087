"""Alarm of ``mqx get --exec``: a sleep that ends when a command has ended."""

from __future__ import annotations

import math
import os
import select
import signal
import time


class ChildAlarm:
    """Wake-up pipe, readable when a child process has ended. descriptor: of the pipe."""

    def __enter__(self) -> ChildAlarm:
        self.descriptor, self._writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._handler = signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler nothing is written
        self._before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._before)
        signal.signal(signal.SIGCHLD, self._handler)
        os.close(self.descriptor)
        os.close(self._writer)

    def wait(self, deadline: float | None) -> None:
        """Sleep until a child process ends, or until a time of ``time.monotonic``."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        poll.poll(None if deadline is None else max(0, math.ceil((deadline - time.monotonic()) * 1000)))

    def clear(self) -> None:
        """Reset the alarm. Call this before checking the children."""
        try:
            while os.read(self.descriptor, 4096):
                pass
        except BlockingIOError:
            return
