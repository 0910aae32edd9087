"""Other queues in a file, for Python: one message of 1 KiB at a time, put and got, each flushed where they can.

Those that are not installed are left out: ``pip install persist-queue litequeue huey queuelib``.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

from measure import BODY, new_qmgr, open_all, paired, per_call_us, put_one, report

from mqtools.mqi.connection import connect

#: Calls of a round; goal of a put and of a get, as ratios to ours.
_COUNT = 200
_GOALS = {
    "persist-queue": ("at least 1.0", "at least 1.6"),
    "litequeue": ("at least 1.0", "at least 2.2"),
    "huey": ("at least 1.0", "at least 1.0"),
    "queuelib": ("not flushed", "not flushed"),
}


def _persist_queue(folder: str) -> tuple[Callable[[], object], Callable[[], object]]:
    from persistqueue import SQLiteQueue  # type: ignore[import-not-found]

    queue = SQLiteQueue(folder, auto_commit=True)
    return lambda: queue.put(BODY), lambda: queue.get(block=False)


def _litequeue(folder: str) -> tuple[Callable[[], object], Callable[[], object]]:
    from litequeue import LiteQueue  # type: ignore[import-not-found]

    queue: Any = LiteQueue(os.path.join(folder, "queue.db"))
    queue.conn.execute("pragma synchronous = full")
    text = BODY.decode()
    return lambda: queue.put(text), lambda: queue.done(queue.pop().message_id)


def _huey(folder: str) -> tuple[Callable[[], object], Callable[[], object]]:
    from huey.storage import SqliteStorage  # type: ignore[import-not-found]

    storage = SqliteStorage("bench", filename=os.path.join(folder, "huey.db"), fsync=True)
    return lambda: storage.enqueue(BODY), storage.dequeue


def _queuelib(folder: str) -> tuple[Callable[[], object], Callable[[], object]]:
    from queuelib import FifoDiskQueue  # type: ignore[import-not-found]

    queue = FifoDiskQueue(os.path.join(folder, "queue"))
    return lambda: queue.push(BODY), queue.pop


_PEERS = {"persist-queue": _persist_queue, "litequeue": _litequeue, "huey": _huey, "queuelib": _queuelib}


def peers() -> None:
    """Measure single persistent messages against other queues."""
    with connect(new_qmgr()) as connection:
        handle = open_all(connection)
        for name, make in _PEERS.items():
            try:
                put, get = make(tempfile.mkdtemp())
            except ImportError:
                report("peers", f"{name} is not installed", "")
                continue
            _compare(name, "put", lambda: put_one(handle, 1), put)
            _compare(name, "get", handle.get, get)


def _compare(name: str, verb: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    mine, other, ratio = paired(
        lambda: 1e6 / per_call_us(ours, _COUNT), lambda: 1e6 / per_call_us(theirs, _COUNT), rounds=3
    )
    report("peers", f"{verb} {mine:.0f}/s, {name} {other:.0f}/s", f"{ratio:.2f}", _GOALS[name][verb == "get"])
