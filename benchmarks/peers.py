"""Other queues, in a file for Python and of servers: one message of 1 KiB at a time, put and got, flushed if they can.

Those that are not installed or not started are left out; ``benchmarks/README.md`` has the commands.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

from measure import BODY, new_qmgr, open_all, paired, per_call_us, put_one, report
from servers import SERVERS, Calls

from mqtools.constants.options import MQPMO_SYNCPOINT
from mqtools.mqi.connection import connect

#: Calls of a round, and of a unit of work.
_COUNT, _UNIT = 200, 100


def _persist_queue() -> Calls:
    from persistqueue import SQLiteQueue  # type: ignore[import-not-found]

    queue = SQLiteQueue(tempfile.mkdtemp(), auto_commit=True)
    return Calls(lambda: queue.put(BODY), lambda: queue.get(block=False))


def _litequeue() -> Calls:
    from litequeue import LiteQueue  # type: ignore[import-not-found]

    queue: Any = LiteQueue(os.path.join(tempfile.mkdtemp(), "queue.db"))
    queue.conn.execute("pragma synchronous = full")
    text = BODY.decode()
    return Calls(lambda: queue.put(text), lambda: queue.done(queue.pop().message_id))


def _huey() -> Calls:
    from huey.storage import SqliteStorage  # type: ignore[import-not-found]

    storage = SqliteStorage("bench", filename=os.path.join(tempfile.mkdtemp(), "huey.db"), fsync=True)
    return Calls(lambda: storage.enqueue(BODY), storage.dequeue)


def _queuelib() -> Calls:
    from queuelib import FifoDiskQueue  # type: ignore[import-not-found]

    queue = FifoDiskQueue(os.path.join(tempfile.mkdtemp(), "queue"))
    return Calls(lambda: queue.push(BODY), queue.pop)


_PEERS: dict[str, Callable[[], Calls]] = {
    "persist-queue": _persist_queue,
    "litequeue": _litequeue,
    "huey": _huey,
    "queuelib": _queuelib,
    **SERVERS,
}


def peers() -> None:
    """Measure single persistent messages against other queues; with servers units of work too."""
    with connect(new_qmgr()) as connection:
        handle = open_all(connection)

        def put_unit() -> None:
            for _ in range(_UNIT):
                put_one(handle, 1, MQPMO_SYNCPOINT)
            connection.commit()

        for name, make in _PEERS.items():
            try:
                calls = make()
            except ImportError:
                report("peers", f"{name} is not installed", "")
                continue
            except Exception as error:  # each client has its own for a server that is not there
                report("peers", f"{name} does not answer: {type(error).__name__}", "")
                continue
            _compare(name, "put", lambda: put_one(handle, 1), calls.put)
            _compare(name, "get", handle.get, calls.get)
            if calls.put_many is not None:
                _compare_units(name, put_unit, calls.put_many)
            calls.close()


def _compare_units(name: str, ours: Callable[[], object], theirs: Callable[[int], object]) -> None:
    mine, other, ratio = paired(
        lambda: _UNIT * 1e6 / per_call_us(ours, 10),
        lambda: _UNIT * 1e6 / per_call_us(lambda: theirs(_UNIT), 10),
        rounds=3,
    )
    report("peers", f"put in units of {_UNIT} {mine:.0f}/s, {name} {other:.0f}/s", f"{ratio:.2f}")


def _compare(name: str, verb: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    mine, other, ratio = paired(
        lambda: 1e6 / per_call_us(ours, _COUNT), lambda: 1e6 / per_call_us(theirs, _COUNT), rounds=3
    )
    report("peers", f"{verb} {mine:.0f}/s, {name} {other:.0f}/s", f"{ratio:.2f}")
