"""A database that keeps its query plans, and what is stored in it before a statement is explained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any, TypeAlias

from mqtools.store import channels, holders, queues
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.messages import (
    journal,
    messages,
    trash,
)
from mqtools.store.messages.stored_message import StoredMessage

Q = 3
Row: TypeAlias = tuple[Any, ...]

ID = b"\x01" * 24


class Explained(Database):
    """A database that keeps the plan of every statement it runs."""

    __slots__ = ("plans",)

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.plans: list[str] = []

    def explain(self, statement: str, parameters: object) -> None:
        rows = self.sql.execute(f"explain query plan {statement}", parameters)  # type: ignore[arg-type]
        self.plans += [row[3] for row in rows]

    def all(self, statement: str, parameters: Sequence[object] | dict[str, object] = ()) -> list[Row]:
        self.explain(statement, parameters)
        return super().all(statement, parameters)

    def one(self, statement: str, parameters: Sequence[object] | dict[str, object] = ()) -> Row | None:
        self.explain(statement, parameters)
        return super().one(statement, parameters)

    def run(self, statement: str, parameters: Sequence[object] | dict[str, object] = ()) -> int:
        self.explain(statement, parameters)
        return super().run(statement, parameters)

    def run_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        kept = list(rows)
        self.explain(statement, kept[0])
        super().run_many(statement, kept)


def create(path: str) -> None:
    with closing(create_database(path)) as database, database.writing():
        database.run("insert into queue_status (queue_id) values (?)", (Q,))
        database.run("insert into waiters values (8, ?, 1, null, null, x'00')", (Q,))
        for number in range(1, 4):
            insert_row(database, number)


def insert_row(database: Database, number: int) -> None:
    """A long message with an identifier of every kind, held and locked, for the functions that look at it first."""
    given = {"seq": messages.seq_of(Q, number), "queue_id": Q, "state": number - 1, "msg_id": ID, "correl_id": ID}
    given |= {"holder_id": 5, "lock_id": 6, "data_length": messages.CHUNK + 1, "order_key": number}
    columns = database.all("select name, type, \"notnull\" from pragma_table_info('messages')")
    for name, kind, needed in columns:
        if needed and name not in given:
            given[name] = {"integer": 0, "text": "", "blob": b""}[kind.lower()]
    names = ", ".join(given)
    values = ", ".join(f":{name}" for name in given)
    database.run(f"insert into messages ({names}) values ({values})", given)
    database.run_many("insert into message_chunks values (?, ?, x'00')", [(given["seq"], n) for n in (0, 1)])


def stored(db: Database) -> StoredMessage:
    found = messages.by_seq(db, messages.seq_of(Q, 2))
    assert found is not None
    return found


def count_arrivals(db: Explained) -> None:
    queue = queues.by_name(with_queue(db), "Q")
    assert queue is not None
    db.plans.clear()
    queues.count_arrivals(db, queue, 1, 1, held=False)


def with_queue(db: Explained) -> Explained:
    columns = db.all("select name, type from pragma_table_info('queues') where \"notnull\" and name <> 'name'")
    given = {name: 0 if kind.lower() == "integer" else "" for name, kind in columns}
    names, values = ", ".join(given), ", ".join(f":{name}" for name in given)
    db.run(f"insert into queues (id, name, {names}) values ({Q}, 'Q', {values})", given)
    return db


def counters_of_known(db: Explained) -> None:
    for find in (lambda: queues.by_name(with_queue(db), "Q"), lambda: queues.by_name(db, "Q")):
        db.plans.clear()
        assert find() is not None


ABOUT: dict[str, object] = {"removal": 1, "removed_at": 1, "removed_by": "", "cause": "", "queue": ""}


def trashed(db: Explained) -> Explained:
    """The same, with a message in the trash that is no longer on its queue; what that took is not looked at."""
    trash.keep(db, stored(db), ABOUT)
    messages.remove(db, stored(db))
    db.plans.clear()
    return db


def put_back(db: Explained) -> None:
    found = trash.by_number(trashed(db), 1)
    assert found is not None
    trash.put_back(db, found, state=1, completeness=0, order_key=1)


def put_twice(db: Database) -> None:
    first = {"seq": messages.seq_of(Q, 1), "msg_id": ID}
    holders.note_confirm_put(db, 5, b"f", connection_token=b"before", **first)  # type: ignore[arg-type]
    assert holders.repeated_confirm_put(db, 5, b"f", b"now") is not None


EVENT = (1, "put", "me pid 1", "test", 0, "Q", True, None)


def pended(db: Database) -> Database:
    seq = stored(db).seq
    journal.pend(db, seq, EVENT, 0)
    db.run("update messages set holder_id = 5 where seq = ?", (seq,))
    return db


def written(db: Database) -> Database:
    journal.write_arrival(db, stored(db).seq, EVENT)
    return db


def begin_session(db: Database) -> None:
    channels.add(db, "C")
    channels.begin_session(db, "C", "", b"t", "binding")
