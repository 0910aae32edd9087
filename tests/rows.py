"""Rows of a queue manager's file, read by plain sqlite3: for tests that must look at what is stored."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from mqtools.mqi.connection import Connection

#: Seconds to wait for a writer.
PATIENCE_S = 60

#: Bytes of data that a message has in its row; more are in rows of message_chunks, so many in each.
CHUNK = 262_144

Source = str | Connection


def rows(source: Source, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Return the rows of a query. source: the path of the file, or a connection to it.

    The file is only read: plain SQLite would remove the log of a file that a queue manager opens next.
    """
    path = Path(source if isinstance(source, str) else source.db.path)
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, timeout=PATIENCE_S, uri=True)) as database:
        return database.execute(query, parameters).fetchall()


def count(source: Source, table: str) -> int:
    """Return how many rows a table has: holders, waiters, trash."""
    return int(rows(source, f"select count(*) from {table}")[0][0])


def queue_names(source: Source) -> list[str]:
    """Return the names of the queues that are stored, in order."""
    return [name for (name,) in rows(source, "select name from queues order by name")]


def queue_id(source: Source, q_name: str) -> int:
    """Return the number of a queue."""
    return int(rows(source, "select id from queues where name = ?", q_name)[0][0])


def connected(source: Source) -> list[int]:
    """Return the process ids of the connections that are recorded, the dead included."""
    return [pid for (pid,) in rows(source, "select pid from holders where kind = 'connection' order by id")]


def messages(source: Source, q_name: str = "Q") -> list[dict[str, Any]]:
    """Return the rows of the messages of a queue, each with its data in one piece, but without its checksum."""
    path = source if isinstance(source, str) else source.db.path
    columns = [name for (name,) in rows(source, "select name from pragma_table_info('messages')") if name != "checksum"]
    query = f"select {', '.join(columns)} from messages where queue_id = ? order by seq"
    found = [dict(zip(columns, row, strict=True)) for row in rows(source, query, queue_id(source, q_name))]
    return [{**row, "data": data_of(path, row["seq"])} for row in found]


def data_of(source: Source, seq: int) -> bytes:
    """Return the data of a message, unchecked, whether it is in one piece or in several."""
    pieces = rows(source, "select data from message_chunks where seq = ? order by number", seq)
    return b"".join(piece for (piece,) in pieces or rows(source, "select data from messages where seq = ?", seq))


def keys(source: Source, q_name: str) -> list[int]:
    """Return the keys of all messages of a queue, in order of delivery, whatever their state."""
    query = "select seq from messages where queue_id = ? order by order_key"
    return [seq for (seq,) in rows(source, query, queue_id(source, q_name))]


def assert_counters(source: Source) -> None:
    """Check that the counters of each queue are those of its rows."""
    messages = "(select count(*) from messages as m where m.queue_id = s.queue_id and {})"
    counted = [
        messages.format("state in (0, 1, 2, 5)"),
        messages.format("state in (0, 3, 4)"),
        messages.format("state = 2"),
        messages.format("group_id is not null"),
        "(select count(*) from waiters as w where w.queue_id = s.queue_id)",
        "(select count(*) from marks as k where k.queue_id = s.queue_id)",
    ]
    kept = "select queue_id, depth, uncommitted, locked, grouped, waiters, marks from queue_status order by queue_id"
    assert rows(source, kept) == rows(
        source, f"select queue_id, {', '.join(counted)} from queue_status as s order by queue_id"
    )
