"""Helpers of the sections of the benchmarks: queue managers, raw SQLite, alternating rounds, the report."""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable

from mqtools.admin import queue_managers
from mqtools.constants.options import MQOO_BROWSE, MQOO_INPUT_SHARED, MQOO_OUTPUT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.handle import Handle

BODY = b"x" * 1024
ROUNDS = 5
COUNT = 1000


def report(section: str, what: str, value: str, goal: str = "") -> None:
    """Print a line of the result."""
    print(f"{section:12} {what:58} {value:>22}   {goal}", flush=True)


def open_all(connection: Connection, name: str = "BENCH") -> Handle:
    return connection.open(name, MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_OUTPUT)


def new_qmgr(max_depth: int = 999_999_999) -> str:
    """Create a queue manager with one deep queue in a folder of its own; return its path."""
    from mqtools.mqi.objects.definitions import define_queue

    path = queue_managers.create(os.path.join(tempfile.mkdtemp(), "BENCH.db"))
    with connect(path) as connection, connection.work() as work:
        define_queue(work, "QLOCAL", "BENCH", {"max_q_depth": max_depth})
    return path


class Raw:
    """Queue in plain SQLite: the same file format, flushes, columns and indexes, without the rules of MQ."""

    def __init__(self) -> None:
        path = new_qmgr()
        self.sql = sqlite3.connect(path, isolation_level=None)
        self.sql.execute("pragma synchronous = full")
        columns = [row[0] for row in self.sql.execute("select name from pragma_table_info('messages')")][:38]
        self.insert_text = f"insert into messages ({', '.join(columns)}) values ({', '.join('?' * len(columns))})"
        self.number = 0

    def row(self) -> tuple[object, ...]:
        """Return one row as a put writes it."""
        self.number += 1
        now = time.time_ns() // 1_000_000
        msg_id = b"AMQ BENCH       " + time.time_ns().to_bytes(8, "big")
        return (
            (1 << 40) | self.number, 1, 1, 0, (9 << 48) | self.number, None, None, None, now, 1, 0, msg_id, None, None,
            1, 0, 0, -1, 0, 8, 0, 546, 1208, "", 0, "", "", "root", None, "", 6, "bench", "20261120", "10000000", "",
            None, len(BODY), BODY,
        )  # fmt: skip

    def insert(self) -> None:
        self.sql.execute(self.insert_text, self.row())

    def put(self) -> None:
        self.sql.execute("begin immediate")
        self.insert()
        self.sql.execute("commit")

    def get(self) -> None:
        self.sql.execute("begin immediate")
        self.take()
        self.sql.execute("commit")

    def take(self) -> None:
        self.sql.execute(
            "delete from messages where seq = (select seq from messages indexed by messages_available"
            " where queue_id = 1 and completeness = 0 and state = 1 order by order_key limit 1) returning *"
        ).fetchall()


def per_call_us(action: Callable[[], object], count: int = COUNT) -> float:
    """Return the microseconds of one call."""
    begin = time.perf_counter()
    for _ in range(count):
        action()
    return (time.perf_counter() - begin) / count * 1e6


def paired(first: Callable[[], float], second: Callable[[], float], rounds: int = ROUNDS) -> tuple[float, float, float]:
    """Measure two functions alternately: return the medians of both, and the median of their ratio."""
    pairs = [(first(), second()) for _ in range(rounds)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def put_one(handle: Handle, persistence: int, options: int = 0) -> None:
    handle.put(Message(BODY, MQMD(persistence=persistence)), options)


def fill(path: str, count: int) -> None:
    """Fill a queue by copying one message; the counters are set as by puts."""
    with connect(path) as connection:
        put_one(open_all(connection), 0)
    sql = sqlite3.connect(path)
    columns = [row[0] for row in sql.execute("select name from pragma_table_info('messages')")]
    changed = {
        "seq": "(queue_id << 40) | n",
        "order_key": "(9 << 48) | n",
        "msg_id": "cast('AMQ FILLED      ' || printf('%08d', n) as blob)",
        "data": "zeroblob(100)",
        "data_length": "100",
        "checksum": "null",  # that of the message copied is not theirs
    }
    sql.execute(
        f"with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < {count})"
        f" insert into messages ({', '.join(columns)})"
        f" select {', '.join(changed.get(name, name) for name in columns)}"
        " from numbers, (select * from messages order by seq limit 1)"
    )
    sql.execute("update queue_status set depth = ?, last_number = ?", (count, count))
    sql.commit()
    sql.execute("pragma wal_checkpoint(truncate)")
    sql.close()


def least_us(
    first: Callable[[], object], second: Callable[[], object], count: int, rounds: int = 12
) -> tuple[float, float]:
    """Return the least processor time of one call of two functions, in microseconds. count: calls in each function.

    The least of many short rounds says the same on a busy machine as on a quiet one.
    """
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for at, action in enumerate((first, second)):
            begin = time.process_time()
            action()
            best[at] = min(best[at], (time.process_time() - begin) / count * 1e6)
    return best[0], best[1]
