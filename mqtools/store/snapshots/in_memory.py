"""In-memory copy of a queue manager: the definitions and counters of a file, and the messages that were fetched.

Writes to it go nowhere else, so that a verb can be rehearsed unchanged.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence

from mqtools.store.database import Database
from mqtools.store.queues import columns
from mqtools.store.sql_files import read_sql

#: Table to which of its rows are there from the beginning. A connection is not among them: it is alive elsewhere only.
_FROM_THE_BEGINNING = (
    ("qmgr", ""),
    ("queues", ""),
    ("queue_status", ""),
    ("objects", ""),
    ("once_keys", ""),
    ("origins", ""),
    ("holders", "where kind in ('handle', 'lock', 'confirm')"),
)

#: Keys of the messages held under a confirm id, by the locks made with it, and by the reports about these messages; or
#: under a lock id.
_HELD = (
    "with owners as (select id from holders where confirm_id = ?1 or (kind = 'lock' and token = ?2)),"
    " held_by as (select id from owners"
    " union select id from holders where kind = 'confirm' and connection_id in (select id from owners))"
    " select seq from messages indexed by messages_holder where holder_id in (select id from held_by)"
    " union select seq from messages indexed by messages_lock where lock_id in (select id from held_by)"
)

#: The first id of a holder that is made here: no connection of the file has one like it.
_FIRST_HOLDER = 1 << 62


class Stage(Database):
    """A database in memory with the definitions, counters, handles and locks of another one as they are now."""

    __slots__ = ("_columns", "_source")
    in_memory = True

    def __init__(self, source: Database) -> None:
        """source: a file, open to be read; it must stay open as long as messages are fetched."""
        self._source = source
        self._columns: dict[str, tuple[str, ...]] = {}
        super().__init__(source.path)
        self.run_folder = os.devnull  # no waiters to wake, no proof of life
        self.run("insert into sqlite_sequence (name, seq) values ('holders', ?)", (_FIRST_HOLDER,))
        with source.reading(), self.writing():
            for table, which in _FROM_THE_BEGINNING:
                self._copy(table, which)
            self.run("update qmgr set state = 'running' where state = 'ended'")

    def fetch(self, seqs: Iterable[int]) -> None:
        """Replace the messages by those with these keys; keys that are gone are ignored."""
        with self._source.reading(), self.writing():
            self._clear()
            self._fetch(seqs)

    def fetch_held(self, confirm_id: int | None, lock_id: bytes | None) -> None:
        """Replace the messages by those held under a confirm id or a lock id, with the beginning of their data."""
        with self._source.reading(), self.writing():
            self._clear()
            self._fetch(self._source.column(_HELD, (confirm_id, lock_id)), "and number = 0")

    def fetch_trashed(self, numbers: Sequence[int]) -> None:
        """Replace the messages by these of the trash, and by those on queues with the same keys."""
        with self._source.reading(), self.writing():
            self._clear()
            for number in numbers:
                self._copy("trash", "where number = ?", (number,))
                self._copy("trash_chunks", "where trash_number = ?", (number,))
            self._fetch(self.column("select distinct seq from trash"))

    def forget(self) -> None:
        """Delete the messages that have come since, so that they do not fill the memory; counters stay."""
        with self.writing():
            self.run("delete from messages where seq not in (select seq from fetched)")
            self.run("delete from message_chunks where seq not in (select seq from messages)")
            self.run("delete from journal")

    def _fetch(self, seqs: Iterable[int], which_chunks: str = "") -> None:
        for seq in seqs:
            self.run("insert or ignore into fetched values (?)", (seq,))
            self._copy("messages", "where seq = ?", (seq,))
            self._copy("message_chunks", f"where seq = ? {which_chunks}", (seq,))
        missing = "select distinct lock_id from messages where lock_id is not null except select id from holders"
        for row in self.all(missing):  # a lock whose messages were all copied before
            self._copy("holders", "where id = ?", row)

    def _clear(self) -> None:
        for table in ("fetched", "messages", "message_chunks", "trash", "trash_chunks"):
            self.run(f"delete from {table}")  # noqa: S608 - our own names

    def _copy(self, table: str, which: str, parameters: Sequence[object] = ()) -> None:
        names = self._columns.get(table)
        if names is None:
            names = self._columns[table] = columns(self, table)
        rows = self._source.all(f"select {', '.join(names)} from {table} {which}", parameters)  # noqa: S608 - our names
        if rows:
            places = ", ".join("?" * len(names))
            self.run_many(f"insert into {table} ({', '.join(names)}) values ({places})", rows)  # noqa: S608

    def _connect(self) -> sqlite3.Connection:
        sql = sqlite3.connect(":memory:", isolation_level=None, cached_statements=256, check_same_thread=False)
        for script in (read_sql("schema.sql"), read_sql("groups.sql")):
            sql.executescript(script)
        sql.execute("create temp table fetched (seq integer primary key)")
        return sql
