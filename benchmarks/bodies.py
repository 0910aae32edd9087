"""Bodies: long ones against a plain file and against SQLite's own floor; what the checksum costs by length."""

from __future__ import annotations

import os
import sqlite3
import statistics
import time
from collections.abc import Callable

from measure import least_us, new_qmgr, open_all, per_call_us, report

from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import alter_qmgr, alter_queue
from mqtools.store.messages.checksums import checksum
from mqtools.store.messages.messages import available, data_of

_MIB = 1 << 20
#: The longest message of MQ, 100 MiB, is the last.
_LONG = (1, 10, 100)
_LENGTHS = (100, 1000, 4000, 10_000, 100_000, 1_000_000)
#: Bytes of a round, and the most messages in one.
_ROUND_BYTES, _ROUND_MESSAGES = 2_000_000, 50


def large() -> None:
    """Measure long bodies against a plain write and flush of a file, and against one raw blob in SQLite.

    Raw is one ``insert`` of the same bytes into a file with the same pages, log and flushes: no queue in one SQLite
    file with a log can be faster.
    """
    path = _for_long_messages()
    raw = sqlite3.connect(new_qmgr(), isolation_level=None)
    raw.execute("pragma synchronous = full")
    raw.execute("create table bodies (data blob)")
    with connect(path) as connection:
        for mib in _LONG:
            _against_plain(connection, raw, path + ".plain", mib)
    raw.close()


def _against_plain(connection: Connection, raw: sqlite3.Connection, plain: str, mib: int) -> None:
    body = os.urandom(_MIB) * mib

    def write_file() -> None:
        with open(plain, "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())

    def put_body() -> None:
        connection.put1("BENCH", Message(body, MQMD(persistence=MQPER_PERSISTENT)))

    def put_blob() -> None:
        raw.execute("insert into bodies values (?)", (body,))

    times = [[per_call_us(action, 1) / 1000 for action in (put_body, write_file, put_blob)] for _ in range(5)]
    ours, file, blob = (statistics.median(column) for column in zip(*times, strict=True))
    to_file, to_blob = (statistics.median(row[at] / row[0] for row in times) for at in (1, 2))
    report("large", f"{mib} MiB put {ours:.0f} ms, plain file {file:.0f} ms", f"{to_file:.2f}", "at least 0.70")
    report("large", f"{mib} MiB raw SQLite {blob:.0f} ms, plain file {file:.0f} ms", f"{file / blob:.2f}", "the floor")
    report("large", f"{mib} MiB put {ours:.0f} ms, raw SQLite {blob:.0f} ms", f"{to_blob:.2f}", "at least 0.90")


def checksums() -> None:
    """Measure the part of a put and of a get, in processor time and without flushes, that is the checksum."""
    with connect(_for_long_messages()) as connection:
        handle = open_all(connection)
        for length in _LENGTHS:
            _part_of_checksum(connection, handle, length)


def _part_of_checksum(connection: Connection, handle: Handle, length: int) -> None:
    body = os.urandom(length)
    count = max(1, min(_ROUND_MESSAGES, _ROUND_BYTES // length))

    def put() -> None:
        for _ in range(count):
            handle.put(Message(body, MQMD(persistence=MQPER_NOT_PERSISTENT)))

    def get() -> None:
        for _ in range(count):
            handle.get()

    put_us, get_us = least_us(put, get, count)
    put()
    (stored,) = available(connection.db, 1)
    data = data_of(connection.db, stored)
    own_us = min(_processor_us(lambda: checksum(stored, data), count) for _ in range(12))
    get()
    for verb, us in (("put", put_us), ("get", get_us)):
        report(
            "checksum", f"{verb} of {length:,} bytes {us:.0f} us, checksum {own_us:.1f} us", f"{own_us / us:.1%}",
            "at most 3 %",
        )  # fmt: skip


def _processor_us(action: Callable[[], object], count: int) -> float:
    begin = time.process_time()
    for _ in range(count):
        action()
    return (time.process_time() - begin) / count * 1e6


def _for_long_messages() -> str:
    """Create a queue manager whose queue takes the longest messages; return its path."""
    path = new_qmgr()
    with connect(path) as connection, connection.work() as work:
        alter_queue(work, "QLOCAL", "BENCH", {"max_msg_length": 100 * _MIB})
        alter_qmgr(work, {"max_msg_length": 100 * _MIB})
    return path
