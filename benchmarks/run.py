"""Benchmarks of mqx as ratios measured in one run: against raw SQLite, other depths, and Python.

Only the ratios mean something from one machine to the next; the absolute numbers say what they were here.
Run with ``make bench``, or ``python benchmarks/run.py NAME…`` for some of the sections.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from administration import administration
from batches import channel, dead_letters
from browser import browser
from bulk import bulk
from clients import clients
from measure import BODY, Raw, fill, new_qmgr, open_all, paired, per_call_us, put_one, report
from peers import peers
from processor import processor
from remote import remote
from rest import rest
from start import start
from writers import writers

from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_MSG_ID,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.handle import Handle


def against_raw() -> None:
    """Measure single persistent messages against raw SQLite; then nonpersistent ones; then units of work."""
    raw = Raw()
    with connect(new_qmgr()) as connection:
        handle = open_all(connection)
        put_one(handle, MQPER_PERSISTENT)
        raw.put()

        ours, theirs, ratio = paired(
            lambda: 1e6 / per_call_us(lambda: put_one(handle, MQPER_PERSISTENT)), lambda: 1e6 / per_call_us(raw.put)
        )
        report("raw", f"put persistent {ours:.0f}/s, raw {theirs:.0f}/s", f"{ratio:.2f}", "at least 0.40")
        ours, theirs, ratio = paired(lambda: 1e6 / per_call_us(handle.get), lambda: 1e6 / per_call_us(raw.get))
        report("raw", f"get persistent {ours:.0f}/s, raw {theirs:.0f}/s", f"{ratio:.2f}", "at least 0.38")

        np_put, p_put, ratio = paired(
            lambda: 1e6 / per_call_us(lambda: put_one(handle, MQPER_NOT_PERSISTENT)),
            lambda: 1e6 / per_call_us(lambda: put_one(handle, MQPER_PERSISTENT)),
        )
        report("raw", f"put nonpersistent {np_put:.0f}/s, persistent {p_put:.0f}/s", f"{ratio:.2f}")
        units(connection, handle, raw)


def units(connection: Connection, handle: Handle, raw: Raw) -> None:
    """Measure units of work of 100 messages."""

    def raw_unit(one: Callable[[], object]) -> None:
        raw.sql.execute("begin immediate")
        for _ in range(100):
            one()
        raw.sql.execute("commit")

    def put_each() -> None:
        messages = (Message(BODY, MQMD(persistence=MQPER_PERSISTENT)) for _ in range(100))
        connection.put_each("BENCH", messages, MQPMO_SYNCPOINT)
        connection.commit()

    def get_each() -> None:
        handle.get_each(100, MQGMO_SYNCPOINT)
        connection.commit()

    for what, unit, one in (("put_each", put_each, raw.insert), ("get_each", get_each, raw.take)):
        ours, theirs, ratio = paired(
            lambda unit=unit: 1e8 / per_call_us(unit, 10),
            lambda one=one: 1e8 / per_call_us(lambda: raw_unit(one), 10),
        )
        report("units", f"{what} of a unit of 100 {ours:.0f}/s, raw {theirs:.0f}/s", f"{ratio:.2f}", "at least 0.40")


def depth() -> None:
    """Measure put, get, get by id and browse at depth 100 and at depth 1 000 000."""
    shallow, deep = new_qmgr(), new_qmgr()
    fill(shallow, 100)
    fill(deep, 1_000_000)
    with connect(shallow) as a, connect(deep) as b:
        small, large = open_all(a), open_all(b)
        for name, action in (
            ("put", lambda handle: put_one(handle, MQPER_NOT_PERSISTENT)),
            ("get by id", _get_by_id),
            ("browse first", lambda handle: handle.get(MQGMO_BROWSE_FIRST)),
        ):
            at_million, at_hundred, ratio = paired(
                lambda action=action: per_call_us(lambda: action(large), 300),  # type: ignore[misc]
                lambda action=action: per_call_us(lambda: action(small), 300),  # type: ignore[misc]
            )
            report(
                "depth",
                f"{name}: {at_million:.0f} us at 1 M, {at_hundred:.0f} us at 100",
                f"{ratio:.2f}",
                "at most 1.2",
            )
        _get(large, small)
        _browse_next(large)
        report("depth", "qdepth of 1 M messages", f"{per_call_us(lambda: _depth(b), 100):.0f} us", "a counter")


def _get(large: Handle, small: Handle) -> None:
    """Get 50 messages from each queue alternately; refill the shallow queue in between."""

    def refilled() -> float:
        for _ in range(50):
            put_one(small, MQPER_NOT_PERSISTENT)
        return per_call_us(small.get, 50)

    at_million, at_hundred, ratio = paired(lambda: per_call_us(large.get, 50), refilled, 15)
    report("depth", f"get: {at_million:.0f} us at 1 M, {at_hundred:.0f} us at 100", f"{ratio:.2f}", "at most 1.2")


def _get_by_id(handle: Handle) -> None:
    message = Message(BODY, MQMD(persistence=MQPER_NOT_PERSISTENT))
    handle.put(message)
    handle.get(md=MQMD(msg_id=message.md.msg_id), match_options=MQMO_MATCH_MSG_ID)


def _browse_next(handle: Handle) -> None:
    """Browse the next message at position 100 and at position 100 000."""
    handle.get(MQGMO_BROWSE_FIRST)
    near, far = handle.cursor_key + 100, handle.cursor_key + 100_000

    def step(key: int) -> None:
        handle.cursor_key = key
        handle.get(MQGMO_BROWSE_NEXT)

    at_far, at_near, ratio = paired(
        lambda: per_call_us(lambda: step(far), 300), lambda: per_call_us(lambda: step(near), 300)
    )
    report("depth", f"browse next: {at_far:.0f} us at 100 000, {at_near:.0f} us at 100", f"{ratio:.2f}", "at most 1.3")


def _depth(connection: Connection) -> int:
    from mqtools.admin.depths import depth as read

    return read(connection.db, "BENCH")


def in_flight() -> None:
    """Measure a get behind 10 000 messages in a unit of work of another connection."""
    plain, busy = new_qmgr(), new_qmgr()
    for path in (plain, busy):
        fill(path, 20_000)
    with connect(busy) as other, connect(busy) as ours, connect(plain) as alone:
        blocker = open_all(other)
        for _ in range(10_000):
            blocker.get(MQGMO_SYNCPOINT)
        behind, free = open_all(ours), open_all(alone)
        held, without, ratio = paired(lambda: per_call_us(behind.get, 300), lambda: per_call_us(free.get, 300))
        report(
            "in flight", f"get {held:.0f} us behind 10 000 in flight, {without:.0f} us", f"{ratio:.2f}", "at most 1.1"
        )
        other.backout()


_WAITER = """
import resource, sys, time
from mqtools.mqi.connection import connect
with connect(sys.argv[1]) as connection:
    handle = connection.open("BENCH", 2)
    print("ready", flush=True)
    for _ in range(int(sys.argv[2])):
        message = handle.get(1, wait_ms=-1).message
        print(time.time_ns() - int(message.data), flush=True)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    begin = usage.ru_utime + usage.ru_stime
    try:
        handle.get(1, wait_ms=3000)
    except Exception:
        pass
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print((usage.ru_utime + usage.ru_stime - begin) / 3 * 100, flush=True)
"""


def waking() -> None:
    """Measure the time from a put in one process to the return of a waiting get in another; CPU while idle."""
    path, count = new_qmgr(), 200
    waiter = subprocess.Popen([sys.executable, "-c", _WAITER, path, str(count)], stdout=subprocess.PIPE, text=True)
    assert waiter.stdout is not None
    waiter.stdout.readline()
    times = []
    with connect(path) as connection:
        handle = connection.open("BENCH", MQOO_OUTPUT)
        for _ in range(count):
            time.sleep(0.01)
            handle.put(Message(str(time.time_ns()).encode(), MQMD(persistence=MQPER_NOT_PERSISTENT)))
            times.append(int(waiter.stdout.readline()) / 1e6)
    times.sort()
    report("waking", "put to return of a waiting get, p50", f"{times[count // 2]:.2f} ms", "at most 1.2 ms")
    report("waking", "the same, p99", f"{times[int(count * 0.99)]:.2f} ms", "")
    report("waking", "CPU of a get that waits", f"{float(waiter.stdout.readline()):.3f} %", "at most 0.05 %")
    waiter.wait()


SECTIONS: dict[str, Callable[[], None]] = {
    "raw": against_raw,
    "processor": processor,
    "bulk": bulk,
    "peers": peers,
    "depth": depth,
    "inflight": in_flight,
    "writers": writers,
    "channel": channel,
    "clients": clients,
    "remote": remote,
    "rest": rest,
    "dlq": dead_letters,
    "waking": waking,
    "admin": administration,
    "start": start,
    "browser": browser,
}


def main() -> None:
    """Run the named sections, or all of them."""
    with tempfile.TemporaryDirectory(prefix="mqx-bench-") as tempfile.tempdir:
        for name in sys.argv[1:] or list(SECTIONS):
            SECTIONS[name]()


if __name__ == "__main__":
    main()
