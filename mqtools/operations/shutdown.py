"""Orderly shutdown of the sessions of a process: each ends after the batch or unit of work in hand."""

from __future__ import annotations

import time
from threading import Thread, current_thread
from typing import Protocol


class RunningSession(Protocol):
    """A session as the shutdown sees it: ``is_running`` while a batch may be in hand."""

    @property
    def is_running(self) -> bool: ...

    def wake(self) -> None: ...


class Shutdown:
    """Request to end all sessions of a process. is_requested: whether it has been made."""

    def __init__(self) -> None:
        self.is_requested = False
        self._sessions: dict[RunningSession, Thread] = {}

    def add(self, session: RunningSession) -> None:
        self._sessions[session] = current_thread()
        if self.is_requested:
            session.wake()

    def remove(self, session: RunningSession) -> None:
        self._sessions.pop(session, None)

    def request(self) -> None:
        """Ask every session to end after its batch. May be called by another thread."""
        self.is_requested = True
        for session in list(self._sessions):
            session.wake()

    @property
    def is_busy(self) -> bool:
        """Whether a session may have a batch in hand; it ends after that batch. Any other may be ended at once."""
        return any(session.is_running for session in list(self._sessions))

    def wait(self, timeout_s: float) -> None:
        """Wait until the sessions of other threads have ended, ``timeout_s`` seconds at most."""
        deadline = time.monotonic() + timeout_s
        for thread in list(self._sessions.values()):
            if thread is not current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
