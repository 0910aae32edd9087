"""Listeners that run in threads of a test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from mqtools.network.listener import BaseListener

#: Seconds that the thread of a caller may take to end, once its socket is closed.
PATIENCE_S = 20.0

L = TypeVar("L", bound=BaseListener)


@contextmanager
def listening(listener: L) -> Iterator[L]:
    """Run a listener, and wait at the end for the threads that have begun since.

    A thread that still closes its queue manager would delete the log of the next one that has its path.
    """
    before = set(threading.enumerate())
    accepting = threading.Thread(target=listener.run, daemon=True)
    accepting.start()
    try:
        yield listener
    finally:
        listener.close()
        accepting.join(PATIENCE_S)
        # Threads that wait for the writer lock are of other connections, and stay.
        begun = [each for each in threading.enumerate() if each not in before and each.name.endswith("(_serve)")]
        for thread in begun:
            thread.join(PATIENCE_S)
        assert not [thread for thread in begun if thread.is_alive()]
