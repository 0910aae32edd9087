"""Signals of services: the first SIGTERM or SIGINT ends a service in order, a second one ends it at once.

The handlers do nothing. The interpreter writes the number of each signal to a pipe, and a thread reads the pipe. So no
signal interrupts the work of a service.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Mapping
from threading import Thread
from time import monotonic, sleep
from typing import NoReturn, Self

from .command_session import DONE, INTERRUPTED, SAME_SIGNAL_S


class ServiceSignals:
    """Context manager that handles the signals of a service.

    end: called by the thread for the first signal. It returns the seconds that the service has for its end, None for
    no limit; then the process ends.  end_at_once: called for the second signal; the third one then ends the process.
    Without it the second one does.  at_exit: called before this ends the process.  others: what to call for other
    signals.  terminated: exit status after SIGTERM.  came: the first signal, 0 for none.
    """

    def __init__(
        self,
        end: Callable[[], float | None],
        *,
        end_at_once: Callable[[], None] | None = None,
        at_exit: Callable[[], None] | None = None,
        others: Mapping[int, Callable[[], None]] | None = None,
        terminated: int = DONE,
    ) -> None:
        self.came = 0
        self._end = end
        self._end_at_once = end_at_once
        self._at_exit = at_exit
        self._others = others or {}
        self._statuses: dict[int, int] = {signal.SIGTERM: terminated, signal.SIGINT: INTERRUPTED}
        self._same_until = 0.0
        self._before: dict[int, signal._HANDLER] = {}

    @property
    def status(self) -> int:
        """Exit status after the signal that came."""
        return self._statuses[self.came]

    def __enter__(self) -> Self:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._fd_before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for number in (*self._statuses, *self._others):
            # A shell starts a command in the background with SIGINT ignored.
            if number != signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, lambda *_: None)
        Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        sleep(max(0.0, self._same_until - monotonic()))
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._fd_before)
        os.close(self._writer)

    def _listen(self) -> None:
        """Handle signals until the pipe is closed."""
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        limit_s: float | None = None
        while poll.poll(None if limit_s is None else limit_s * 1000):
            numbers = os.read(self._reader, 4096)
            if not numbers:
                os.close(self._reader)
                return
            for number in numbers:
                if number in self._others:
                    self._others[number]()
                elif not self.came:
                    self.came, self._same_until = number, monotonic() + SAME_SIGNAL_S
                    limit_s = self._end()
                    self._same_until = monotonic() + SAME_SIGNAL_S
                elif number != self.came or monotonic() > self._same_until:
                    self._second(number)
        self._exit(self.status)

    def _second(self, number: int) -> None:
        """End at once: the next opener of the queue manager releases what this process holds."""
        if self._end_at_once is None:
            self._exit(128 + number)
        self.came, self._statuses = number, {number: 128 + number}
        self._end_at_once()
        self._end_at_once = None

    def _exit(self, status: int) -> NoReturn:
        if self._at_exit is not None:
            self._at_exit()
        os._exit(status)
