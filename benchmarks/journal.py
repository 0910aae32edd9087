"""Cost of the journal: speed of put and get with JOURNAL(YES) and JOURNAL(BODY), and of a trace among many events.

Run with ``python benchmarks/journal.py [EVENTS]``; EVENTS is the number for the trace, 1 000 000 unless given.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack

from mqtools.admin import queue_managers
from mqtools.constants.options import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import define_queue
from mqtools.operations.trace.journals import JournalSource
from mqtools.operations.trace.rows import rows_of
from mqtools.operations.trace.story import find_story
from mqtools.rules.selector.selector import compile_selector

#: Messages of a round, and rounds.
COUNT, ROUNDS = 200, 60
_LEVELS = {0: "JOURNAL(NO)", 1: "JOURNAL(YES)", 2: "JOURNAL(BODY)"}
_BODY = b"x" * 500


def measure(handle: Handle, connection: Connection, syncpoint: bool) -> tuple[float, float]:
    """Return the processor time of a put and of a get of a nonpersistent message (seconds)."""
    put_options, get_options = (MQPMO_SYNCPOINT, MQGMO_SYNCPOINT) if syncpoint else (0, MQGMO_NO_SYNCPOINT)
    times = [time.process_time()]
    for call in (lambda: handle.put(Message(_BODY, MQMD(persistence=0)), put_options), lambda: handle.get(get_options)):
        for _ in range(COUNT):
            call()
            if syncpoint:
                connection.commit()
        times.append(time.process_time())
    return (times[1] - times[0]) / COUNT, (times[2] - times[1]) / COUNT


def new_qmgr(level: int) -> str:
    """Create a queue manager with a queue that has a journal; return its path."""
    path = queue_managers.create(os.path.join(tempfile.mkdtemp(), "BENCH.db"))
    with connect(path) as connection, connection.work() as work:
        define_queue(work, "QLOCAL", "Q", {"journal": level, "max_q_depth": 999_999_999})
    return path


def cost(syncpoint: bool) -> None:
    """Print the times of each level, and the share of the speed without a journal that is left.

    The levels take turns: what else the machine does slows all of them down alike.
    """
    with ExitStack() as stack:
        opened = {}
        for level in _LEVELS:
            connection = stack.enter_context(connect(new_qmgr(level)))
            opened[level] = stack.enter_context(connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT)), connection
        times: dict[int, list[tuple[float, float]]] = {level: [] for level in _LEVELS}
        for _ in range(ROUNDS):
            for level, of_level in opened.items():
                times[level].append(measure(*of_level, syncpoint))
    print("put, commit, get, commit" if syncpoint else "put, get")
    for level, found in times.items():
        put, got = (statistics.mean(each) * 1e6 for each in zip(*found, strict=True))
        share = statistics.median(sum(plain) / sum(own) for plain, own in zip(times[0], found, strict=True))
        print(f"{_LEVELS[level]:14} put {put:6.1f} us   get {got:6.1f} us   speed kept {share:.2f}")


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
    for words in (f"Root.MQMD.MsgId = 0x{(b'%024d' % events).hex()}", "Root.MQMD.Priority = 7"):
        begin = time.perf_counter()
        source = JournalSource(path)
        found = source.selected_ids(compile_selector(words))
        source.close()
        took = (time.perf_counter() - begin) * 1000
        print(f"--where {words[:22]}… among {events} events: {took:.1f} ms, {len(found)} found")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="mqx-bench-") as tempfile.tempdir:
        cost(syncpoint=False)
        cost(syncpoint=True)
        trace(int(sys.argv[1]) if sys.argv[1:] else 1_000_000)
