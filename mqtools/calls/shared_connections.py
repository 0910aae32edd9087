"""Connections shared by threads: one call at a time, except that a waiting call lets others pass."""

from __future__ import annotations

import os
from collections.abc import Iterable
from threading import RLock

from mqtools.calls.deferral import WaitBlock
from mqtools.mqi.connection import Connection
from mqtools.mqi.transaction import Work
from mqtools.store import OpenFile
from mqtools.store.liveness import Presence


class SharedConnection(Connection):
    """Connection with calls from several threads, each holding ``lock`` once during a call."""

    lock: RLock

    def register(self, work: Work) -> int:
        """Record the connection as a holder, with a presence for all threads."""
        self.presence = self.presence or SharedPresence(self.db, self.lock)
        return super().register(work)


class SharedPresence(Presence):
    """Presence that several threads may wait with; a waiting thread releases the lock.

    There is one bell for all: a session that takes its rings passes them on to the others.
    """

    def __init__(self, database: OpenFile, lock: RLock) -> None:
        super().__init__(database)
        self._lock = lock
        self._others: set[int] = set()

    def wait(self, timeout_s: float | None, others: Iterable[bytes] = (), watched: Iterable[int] = ()) -> bool:
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._others.add(writer)
        self._lock.release()
        try:
            with WaitBlock():
                return super().wait(timeout_s, others, (*watched, reader))
        finally:
            self._lock.acquire()
            self._others.discard(writer)
            os.close(reader)
            os.close(writer)

    def drain(self) -> bool:
        with self._lock:
            if self._bell is None:
                return True  # disconnected meanwhile
            rung = super().drain()
            if rung:
                self._wake_all()
            return rung

    def renew_bell(self) -> bool:
        with self._lock:
            return super().renew_bell()

    def _wake_all(self) -> None:
        for writer in self._others:
            os.write(writer, b"!")

    def close(self) -> None:
        self._wake_all()
        super().close()
