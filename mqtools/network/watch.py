"""Watch of a queue manager by a service, which ends when the queue manager does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Self

from mqtools.errors import MQError
from mqtools.mqi.connection import connect
from mqtools.operations.shutdown import Shutdown
from mqtools.store.liveness import ring


class QueueManagerWatch:
    """Connection that wakes a service when the queue manager ends. As a context manager it disconnects.

    Raises MQError as ``connect`` does.
    """

    is_running = False  # it has no unit of work

    def __init__(self, path: str, appl_name: str) -> None:
        self.connection = connect(path, appl_name=appl_name)
        with self.connection.work() as work:
            self.connection.register(work)
        assert self.connection.presence is not None
        self._presence = self.connection.presence
        self._presence.listen()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(MQError):  # the queue manager may have ended, and the connection with it
            self.connection.disconnect()

    def wait(self, shutdown: Shutdown, parent_id: int = 0) -> str:
        """Wait until the end of the service is requested or due; return why it is due, else an empty text.

        parent_id: process that started this one, with which the service ends; 0 for none.
        """
        shutdown.add(self)
        with _open_process(parent_id) as watched:
            while not shutdown.is_requested:
                self._presence.wait(None, (), watched)
                if parent_id and os.getppid() != parent_id:
                    return "the program that started this service has ended"
                try:
                    with self.connection.work() as work:
                        work.fail_if_quiescing()
                except MQError as error:
                    return error.text
        return ""

    def wake(self) -> None:
        """End ``wait``. May be called by another thread."""
        ring(self.connection.db.run_folder, self._presence.token)


@contextmanager
def _open_process(process_id: int) -> Iterator[tuple[int, ...]]:
    """Return a context with a descriptor that is readable when a process has ended, if the system offers one."""
    try:
        opened = os.pidfd_open(process_id) if process_id and hasattr(os, "pidfd_open") else None
    except OSError:  # it has ended, or is outside of the namespace
        opened = None
    try:
        yield () if opened is None else (opened,)
    finally:
        if opened is not None:
            os.close(opened)
