"""Cost of the journal: speed of put and get with JOURNAL(YES) and JOURNAL(BODY), and of a trace among many events.

Run with ``python benchmarks/journal.py [EVENTS]``; EVENTS is the number for the trace, 1 000 000 unless given.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import time

from mqtools.admin import queue_managers
from mqtools.constants.options import MQGMO_NO_SYNCPOINT, MQOO_INPUT_SHARED, MQOO_OUTPUT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.definitions import define_queue
from mqtools.operations.trace.journals import JournalSource
from mqtools.operations.trace.rows import rows_of
from mqtools.operations.trace.story import find_story

COUNT, ROUNDS = 3000, 5
_LEVELS = {0: "JOURNAL(NO)", 1: "JOURNAL(YES)", 2: "JOURNAL(BODY)"}


def measure(level: int) -> tuple[float, float]:
    """Return the processor time of a put and of a get of a nonpersistent message (seconds)."""
    path = new_qmgr(level)
    body = b"x" * 500
    with connect(path) as connection, connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT) as handle:
        begin = time.process_time()
        for _ in range(COUNT):
            handle.put(Message(body, MQMD(persistence=0)))
        middle = time.process_time()
        for _ in range(COUNT):
            handle.get(MQGMO_NO_SYNCPOINT)
        end = time.process_time()
    return (middle - begin) / COUNT, (end - middle) / COUNT


def new_qmgr(level: int) -> str:
    """Create a queue manager with a queue that has a journal; return its path."""
    path = queue_managers.create(os.path.join(tempfile.mkdtemp(), "BENCH.db"))
    with connect(path) as connection, connection.work() as work:
        define_queue(work, "QLOCAL", "Q", {"journal": level, "max_q_depth": 999_999_999})
    return path


def cost() -> None:
    """Print the best times of each level, and the share of the speed without a journal that is left."""
    best = {level: (9.0, 9.0) for level in _LEVELS}
    for _ in range(ROUNDS):
        for level in _LEVELS:
            put, got = measure(level)
            best[level] = min(best[level][0], put), min(best[level][1], got)
    for level, (put, got) in best.items():
        share = sum(best[0]) / (put + got)
        print(f"{_LEVELS[level]:14} put {put * 1e6:6.1f} us   get {got * 1e6:6.1f} us   speed kept {share:.2f}")


def trace(events: int) -> None:
    """Print how long traces of one id take among many events."""
    path = new_qmgr(1)
    with connect(path) as connection:
        connection.put1("Q", Message(b"x"))
    sql = sqlite3.connect(path)
    names = [row[1] for row in sql.execute("pragma table_info(journal)")]
    own = {"event_seq": "1 + number", "msg_id": "cast(printf('%024d', number) as blob)"}
    columns = ", ".join(own.get(name, f"journal.{name}") for name in names)
    sql.execute(
        f"insert into journal ({', '.join(names)}) with recursive numbers (number) as"
        f" (select 1 union all select number + 1 from numbers where number < {events})"
        f" select {columns} from numbers, journal where journal.event_seq = 1"
    )
    sql.commit()
    sql.close()
    with connect(path) as connection:
        connection.put1("Q", Message(b"y"))  # at its end the ids of all are written down
    for number in (events // 3, events // 2, events):
        begin = time.perf_counter()
        source = JournalSource(path)
        rows = rows_of(find_story([source], [b"%024d" % number]))
        source.close()
        took = (time.perf_counter() - begin) * 1000
        print(f"trace among {events} events: {took:.1f} ms, {len(rows)} rows")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="mqx-bench-") as tempfile.tempdir:
        cost()
        trace(int(sys.argv[1]) if sys.argv[1:] else 1_000_000)
