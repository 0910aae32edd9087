"""Alarm of ``mqx get --exec``: a sleep that another thread can end."""

from __future__ import annotations

import math
import os
import select
import time
from contextlib import suppress
from threading import RLock


class Alarm:
    """Pipe that can be read when the alarm was rung. descriptor: its reading end."""

    def __init__(self) -> None:
        self._is_open = False
        self._lock = RLock()  # otherwise a late ring writes to a file that has the descriptor by then

    def __enter__(self) -> Alarm:
        self.descriptor, self._writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._is_open = True
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_open = False
            os.close(self.descriptor)
            os.close(self._writer)

    def ring(self) -> None:
        """End the sleep, or the next one. May be called by another thread, and when nobody sleeps any longer."""
        with self._lock, suppress(BlockingIOError):  # full of rings
            if self._is_open:
                os.write(self._writer, b"!")

    def wait(self, deadline: float | None) -> None:
        """Sleep until the alarm rings, or until a time of ``time.monotonic``."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        poll.poll(None if deadline is None else max(0, math.ceil((deadline - time.monotonic()) * 1000)))

    def clear(self) -> None:
        """Reset the alarm. Call this before checking what it was rung for."""
        try:
            while os.read(self.descriptor, 4096):
                pass
        except BlockingIOError:
            return
