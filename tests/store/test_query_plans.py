"""Query plans: a statement of a verb seeks in an index, so that no cost grows with the depth of a queue."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from mqtools.predicates import Condition, PropertyCondition, every
from mqtools.store import arrivals, channels, holders, lifetimes, objects, queues
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.messages import (
    activity,
    applied_jobs,
    bulk_insert,
    by_keys,
    delivery_order,
    history,
    journal,
    journal_events,
    journal_retention,
    marks,
    messages,
    queue_events,
    relocation,
    replays,
    revisions,
    trash,
    units_of_work,
    unwritten,
)
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.scans import filtered_scan, key_ranges, pages, scan

from ..copied import copy_of

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

    def find(self, statement: str, parameters: Sequence[object] | dict[str, object] = ()) -> Row | None:
        self.explain(statement, parameters)
        return super().find(statement, parameters)

    def find_unbuffered(self, statement: str, parameters: Sequence[object] | dict[str, object] = ()) -> Row | None:
        self.explain(statement, parameters)
        return super().find_unbuffered(statement, parameters)

    def run(self, statement: str, parameters: Sequence[object] | dict[str, object] = ()) -> int:
        self.explain(statement, parameters)
        return super().run(statement, parameters)

    def change(self, statement: str, parameters: Sequence[object]) -> int:
        self.explain(statement, parameters)
        return super().change(statement, parameters)

    def change_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        kept = list(rows)
        self.explain(statement, kept[0])
        super().change_many(statement, kept)

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


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Explained]:
    with closing(Explained(copy_of(create, str(tmp_path / "QM1.db")))) as database:
        yield database


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


def got(db: Database) -> unwritten.Unwritten:
    taken = unwritten.Unwritten(unwritten.HOLD, Q, 3)
    taken.rows.append((3, 1, stored(db).seq, 1))
    return taken


def written_down(db: Explained, _: object) -> None:
    """Have what was counted written, as the next statement and the commit have."""
    db._write_counts()


def next_number(db: Explained) -> None:
    queue = queues.by_name(with_queue(db), "Q")
    assert queue is not None
    db.plans.clear()
    db.counted.clear()
    queue.change_counter = -1  # its counters may have changed since they were read
    queues.next_number(db, queue)


def count_put(db: Explained) -> None:
    queue = queues.by_name(with_queue(db), "Q")
    assert queue is not None
    db.plans.clear()
    written_down(db, queues.count_put(db, queue, 1, 1, 0))


def count_arrival(db: Explained) -> None:
    queues.by_name(with_queue(db), "Q")
    db.plans.clear()
    assert arrivals.count_arrival(db, Q, 9, 1, held=True) == (1, 0)


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


KEY = "INTEGER PRIMARY KEY"
CHUNKS = "PRIMARY KEY"
HOLDERS_QUEUE, HOLDERS_CONNECTION = "holders_queue", "holders_connection"

#: What sorts or walks on purpose, and why. A function that is not listed does neither.
BY_DESIGN = {
    "journal_events.held_of_ids": ("SCAN q", "the messages are found by queue and identifier: on each queue"),
    "journal_events.on_queues": ("SCAN q", "the messages are found by queue and identifier: on each queue"),
    "messages.available": ("TEMP B-TREE FOR ORDER BY", "those with one identifier are few, and wanted in order"),
    "messages.first_sought": ("TEMP B-TREE FOR ORDER BY", "those with one identifier are few"),
    "messages.by_msg_id": ("TEMP B-TREE FOR ORDER BY", "those with one identifier are few, and wanted in order"),
    "messages.in_any_state": ("TEMP B-TREE FOR ORDER BY", "those with one identifier are few, and wanted in order"),
    "messages.of_group": ("TEMP B-TREE FOR ORDER BY", "all of a group is listed, in order"),
    "messages.of_lock": ("TEMP B-TREE FOR ORDER BY", "all that a lock holds is listed, in order"),
    "activity.bars": ("TEMP B-TREE FOR GROUP BY", "a few intervals, each counted once"),
    "journal.settle": ("TEMP B-TREE FOR ORDER BY", "events are written in the order in which they were done"),
    "units_of_work.summary": ("TEMP B-TREE FOR GROUP BY", "few queues and states in a unit of work, each counted once"),
    "holders.waiters": ("TEMP B-TREE FOR DISTINCT", "one connection can wait through several handles"),
    "holders.general_waiters": ("TEMP B-TREE FOR DISTINCT", "one connection can wait through several handles"),
    "holders.holding_connections": ("SCAN owner USING INDEX", "every connection is looked at, but no message"),
    "holders.connections": ("SCAN holders USING INDEX", "every connection is wanted"),
}

#: Functions that no verb runs on its path: displays, definitions, starts and ends, inserts without a search.
ELSEWHERE = {
    "group_counts.begin",  # a look into the schema, once a connection that puts a message in a group
    "group_counts.end_if_none",  # a migration
    "bulk_insert.insert_rows",
    "bulk_insert.whole_row",
    "by_keys.in_portions",
    "relocation.copied",
    "relocation.moved",
    "trash.counted_size",
    "bulk_insert.insert_alike",
    "messages.insert",
    "messages.seq_of",
    "messages.order_key_of",
    "units_of_work.groups",
    "unwritten.take",
    "unwritten.publish",
    "holders.add",
    "holders.note_confirm_put",
    "holders.remove_idle",
    "applied_jobs.add",
    "objects.define",
    "objects.names",
    "channels.define",
    "channels.names",
    "channels.add",
    "channels.ways_through",
    "queues.backout_attributes",
    "queues.columns",
    "queues.read_all",
    "queues.names",
    "queues.read_qmgr",
    "queues.define",
    "queues.redefine",
    "queues.define_qmgr",
    "queues.qmgr",
    "queues.counted",
    "lifetimes.count_messages",
    "lifetimes.set_qmgr_state",
    "lifetimes.rename_qmgr",
    "lifetimes.start_qmgr",
    "lifetimes.discard_nonpersistent",
    "lifetimes.recount",
    "pages.arrival_numbers",
    "trash.keep_queue",
    "trash.keep_each",
    "trash.keep_range",
    "trash.first_that_fits",
    "queues.key_range",
    "queues.end_of_step",
    "queues.clear_range",
    "trash.size_of_queue",
    "trash.new_removal",
    "trash.arrival_number",
    "trash.size_of",
    "trash.status",
    "trash.is_due",
    "trash.removals",
    "journal.pend",
    "journal_retention.retention",
    "journal_retention.status",
    "queues.journaled_names",
    "queue_events.select",  # as activity and replays
    "queue_events.totals",
    "journal.span",  # its statements are that of journal.last_event, and one by the only key of journal_status
    "journal_retention.count_new",
    "journal_events.ids_between",  # few of the identifiers in a range, from the same indexes on all queues
    "journal_events.first_whole",
    "journal_events.levels",  # all of a table of a few rows
    "journal_events.removed_at",
    "history.removed_at",
    "history.note_order",
    "replays.write",
    "messages.is_sought",
    "filtered_scan.scan_batches",  # batch after batch
    "scan.batches",  # as scan.rows
    "scan.rows",  # its statement is that of scan.first with other columns
    "scan.key_name",  # has no statement
    "scan.map_memory",
}

BY_ID = scan.Scan("messages", Q, [Condition("msg_id", "=", ID)])

NAMED = every([Condition("user_identifier", "=", "me"), PropertyCondition("n", ">", 5)])

#: A row: function, a call of it, the indexes it may seek in. A function that is not listed here, and not in
#: ELSEWHERE, fails the test that looks for it.
CALLS: list[tuple[str, Callable[[Explained], object], set[str]]] = [
    ("messages.available", lambda db: messages.available(db, Q), {"messages_available", KEY}),
    ("messages.available", lambda db: messages.available(db, Q, after=9, limit=64), {"messages_available", KEY}),
    ("messages.available", lambda db: messages.available(db, Q, {"priority": 3}), {"messages_available", KEY}),
    ("messages.available", lambda db: messages.available(db, Q, {"msg_id": ID}), {"messages_msg_id", KEY}),
    ("messages.available", lambda db: messages.available(db, Q, {"correl_id": ID}), {"messages_correl_id", KEY}),
    ("messages.available", lambda db: messages.available(db, Q, {"group_id": ID}), {"messages_group", KEY}),
    (
        "messages.available",
        lambda db: messages.available(db, Q, {"msg_id": ID, "correl_id": ID, "group_id": ID}),
        {"messages_msg_id", KEY},
    ),
    (
        "messages.available",
        lambda db: messages.available(db, Q, {"group_id": ID, "msg_seq_number": 1, "offset": 0}),
        {"messages_group", KEY},
    ),
    ("scan.first", lambda db: scan.first(db, scan.Scan("messages", Q), ["msg_id"], 1, 9), {KEY}),
    ("scan.first", lambda db: scan.first(db, BY_ID, ["msg_id"], 1, 9), {"messages_msg_id"}),
    ("scan.first", lambda db: scan.first(db, scan.Scan("journal"), ["event"], 1, 9), {KEY}),
    ("scan.places", lambda db: scan.places(db, scan.Scan("messages", Q), 1, 9, 5), {KEY}),
    ("scan.stored_messages", lambda db: scan.stored_messages(db, scan.Scan("messages", Q), 1, 9, 5), {KEY}),
    ("scan.check_messages", lambda db: scan.check_messages(db, scan.Scan("messages", Q), 1, 9, 5), {KEY}),
    ("scan.bounds", lambda db: scan.bounds(db, Q), {KEY}),
    ("scan.journal_bounds", scan.journal_bounds, {KEY}),
    ("messages.bounds_of_priority", lambda db: messages.bounds_of_priority(db, Q, 3, 9), {KEY}),
    ("messages.completeness_on", lambda db: messages.completeness_on(db, Q), {KEY}),
    ("scan.load_data", lambda db: scan.load_data(db, scan.Scan("messages", Q), 7), {CHUNKS}),
    ("messages.in_any_state", lambda db: messages.in_any_state(db, Q, {"msg_id": ID}), {"messages_msg_id"}),
    ("by_keys.unlocked_among", lambda db: by_keys.unlocked_among(db, [7, 8]), {KEY}),
    ("by_keys.existing_among", lambda db: by_keys.existing_among(db, range(1, 99)), {KEY}),
    ("by_keys.among", lambda db: list(by_keys.among(db, f"select seq {by_keys.AMONG}", [7])), {KEY}),
    ("relocation.copyable", lambda db: relocation.copyable(db, Q, [7, 8], 1), {KEY}),
    ("relocation.movable", lambda db: relocation.movable(db, Q, [7, 8], 1), {KEY}),
    ("relocation.ordinary_sizes", lambda db: relocation.ordinary_sizes(db, Q, [7, 8], 1), {KEY}),
    ("relocation.remove_ordinary", lambda db: relocation.remove_ordinary(db, Q, [7, 8], 1), {KEY}),
    ("relocation.remove", lambda db: relocation.remove(db, [7, 8]), {KEY}),
    ("relocation.move", lambda db: relocation.move(db, [(9, Q, 9, None, 1, None, 7)]), {KEY}),
    ("by_keys.read_among", lambda db: by_keys.read_among(db, [7, 8]), {KEY}),
    (
        "messages.first_sought",
        lambda db: messages.first_sought(db, Q, {"correl_id": ID}, -1, (0,)),
        {"messages_correl_id"},
    ),
    ("messages.held", lambda db: messages.held(db, Q), {"messages_held"}),
    ("messages.locked", lambda db: messages.locked(db, Q, 2, 6), {"messages_held"}),
    ("messages.by_seq", lambda db: messages.by_seq(db, 7), {KEY}),
    ("messages.by_msg_id", lambda db: messages.by_msg_id(db, Q, ID), {"messages_msg_id"}),
    ("messages.ids_with_prefix", lambda db: messages.ids_with_prefix(db, Q, "msg_id", b"A"), {"messages_msg_id"}),
    (
        "messages.ids_with_prefix",
        lambda db: messages.ids_with_prefix(db, Q, "correl_id", b"A"),
        {"messages_correl_id"},
    ),
    ("messages.ids_with_prefix", lambda db: messages.ids_with_prefix(db, Q, "group_id", b"A"), {"messages_group"}),
    ("messages.of_group", lambda db: messages.of_group(db, Q, ID), {"messages_group"}),
    ("messages.of_group", lambda db: messages.of_group(db, Q, ID, 1), {"messages_group"}),
    ("messages.of_holder", lambda db: messages.of_holder(db, 5), {"messages_holder"}),
    ("messages.of_lock", lambda db: messages.of_lock(db, 6), {"messages_lock"}),
    ("messages.load_data", lambda db: messages.load_data(db, stored(db).seq, 1), {KEY, CHUNKS}),
    ("messages.load_data", lambda db: messages.load_data(db, 7), {KEY}),
    ("messages.chunks", lambda db: next(messages.chunks(db, stored(db).seq)), {KEY, CHUNKS}),
    ("messages.remove", lambda db: messages.remove(db, stored(db)), {KEY, CHUNKS}),
    ("messages.data_of", lambda db: messages.data_of(db, stored(db)), {KEY, CHUNKS}),
    ("messages.first_alone", lambda db: messages.first_alone(db, Q, -1), {"messages_available"}),
    ("messages.set_state", lambda db: messages.set_state(db, stored(db), 2, 1, None), {KEY}),
    ("unwritten.hold", lambda db: unwritten.hold(db, stored(db), 2, 1), {KEY}),
    ("units_of_work.set_place", lambda db: units_of_work.set_place(db, 7, 1), {KEY}),
    ("units_of_work.count_backout", lambda db: units_of_work.count_backout(db, 7), {KEY}),
    ("units_of_work.summary", lambda db: units_of_work.summary(db, 5), {"messages_holder"}),
    ("units_of_work.held_states", lambda db: units_of_work.held_states(db, Q, 10), {"messages_held"}),
    ("units_of_work.move", lambda db: units_of_work.move(db, 5, Q, 0, 1, backout=True), {"messages_holder"}),
    ("units_of_work.transfer", lambda db: units_of_work.transfer(db, 5, 6), {"messages_holder"}),
    ("units_of_work.delete", lambda db: units_of_work.delete(db, 5, Q, 0), {"messages_holder", CHUNKS}),
    ("unwritten.drop", lambda db: unwritten.drop(db, got(db)), {KEY}),
    ("units_of_work.unlock", lambda db: units_of_work.unlock(db, 6, 2, 1), {"messages_lock"}),
    ("units_of_work.set_holder", lambda db: units_of_work.set_holder(db, 7, None), {KEY}),
    ("units_of_work.of_holder", lambda db: units_of_work.of_holder(db, 5), {"messages_holder"}),
    ("units_of_work.of_lock", lambda db: units_of_work.of_lock(db, 6, ID), {"messages_lock"}),
    ("units_of_work.of_keys", lambda db: units_of_work.of_keys(db, [7]), {KEY}),
    ("units_of_work.keys_of_lock", lambda db: units_of_work.keys_of_lock(db, 6, 2, 50), {"messages_lock"}),
    ("by_keys.held_among", lambda db: by_keys.held_among(db, 5, [7]), {KEY}),
    ("by_keys.delete_held", lambda db: by_keys.delete_held(db, 5, [7]), {KEY, CHUNKS}),
    ("units_of_work.move_each", lambda db: units_of_work.move_each(db, [(1, 1, None, 0, 7)]), {KEY}),
    ("units_of_work.delete_each", lambda db: units_of_work.delete_each(db, [7]), {KEY, CHUNKS}),
    ("units_of_work.draw_numbers", lambda db: units_of_work.draw_numbers(db, Q, 2), {KEY}),
    ("units_of_work.ids_of_group", lambda db: units_of_work.ids_of_group(db, (Q, 0, 5, None), 3), {"messages_held"}),
    ("marks.remove_of_handle", lambda db: marks.remove_of_handle(db, Q, 4), {"marks_queue", KEY}),
    ("marks.any_on", lambda db: marks.any_on(db, Q), {KEY}),
    ("marks.remove_of_deserted_set", lambda db: marks.remove_of_deserted_set(db, Q, 1), {"marks_queue", HOLDERS_QUEUE}),
    ("marks.remove_ended", lambda db: marks.remove_ended(db, Q, 1), {"marks_queue"}),
    ("marks.remove_of_set", lambda db: marks.remove_of_set(db, Q, 7), {CHUNKS}),
    ("marks.remove_all_of_set", lambda db: marks.remove_all_of_set(db, Q, [7]), {CHUNKS, KEY, "marks_queue"}),
    ("marks.remove_of_message", lambda db: marks.remove_of_message(db, Q, 7), {CHUNKS, KEY}),
    ("marks.add", lambda db: marks.add(db, Q, 7, 4, None), {CHUNKS, KEY}),
    ("marks.remove", lambda db: marks.remove(db, Q, 7, 4), {CHUNKS, KEY}),
    ("marks.is_marked", lambda db: marks.is_marked(db, 7, 4, co_op=True, now_ms=1), {CHUNKS}),
    ("marks.next_end", lambda db: marks.next_end(db, Q, 1), {"marks_queue"}),
    ("holders.remove", lambda db: holders.remove(db, 5), {HOLDERS_CONNECTION, KEY}),
    (
        "holders.remove_if_idle",
        lambda db: holders.remove_if_idle(db, 5),
        {KEY, "messages_holder", "messages_lock", HOLDERS_CONNECTION},
    ),
    ("holders.set_token", lambda db: holders.set_token(db, 5, b"t"), {KEY}),
    ("holders.by_id", lambda db: holders.by_id(db, 5), {KEY}),
    ("holders.of_confirm", lambda db: holders.of_confirm(db, Q, 1), {"holders_confirm"}),
    ("holders.of_lock", lambda db: holders.of_lock(db, b"t"), {"holders_token"}),
    ("holders.locks_of_confirm", lambda db: holders.locks_of_confirm(db, Q, 1), {HOLDERS_QUEUE}),
    ("holders.of_queue", lambda db: holders.of_queue(db, Q, "handle"), {HOLDERS_QUEUE}),
    ("holders.of_connection", lambda db: holders.of_connection(db, 1), {HOLDERS_CONNECTION}),
    ("holders.next_lease_end", lambda db: holders.next_lease_end(db, Q, 1), {HOLDERS_QUEUE}),
    ("holders.leases_ended", lambda db: holders.leases_ended(db, 1), {"holders_lease"}),
    ("holders.extend_lease", lambda db: holders.extend_lease(db, 5, None), {KEY}),
    ("holders.repeated_confirm_put", put_twice, {CHUNKS, KEY}),
    (
        "holders.add_waiter",
        lambda db: holders.add_waiter(db, 9, Q, destructive=True, msg_id=None, correl_id=None, token=b"t"),
        {KEY},
    ),
    ("holders.remove_waiter", lambda db: holders.remove_waiter(db, 8), {KEY}),
    ("holders.transfer_waiter", lambda db: holders.transfer_waiter(db, 8, b"t"), {KEY}),
    ("holders.waiters", lambda db: holders.waiters(db, Q), {"waiters_queue"}),
    ("holders.general_waiters", lambda db: holders.general_waiters(db, Q), {"waiters_queue"}),
    ("holders.specific_waiters", lambda db: holders.specific_waiters(db, Q, ID, ID), {"waiters_queue"}),
    ("holders.open_counts", lambda db: holders.open_counts(db, Q, 1, 2), {HOLDERS_QUEUE}),
    ("queues.by_name", lambda db: queues.by_name(db, "Q"), {"sqlite_autoindex_queues_1", KEY}),
    ("queues.by_name", counters_of_known, {KEY}),
    ("queues.by_id", lambda db: queues.by_id(db, Q), {KEY}),
    ("queues.made_by", lambda db: queues.made_by(db, 7, 2), {"queues_creator"}),
    ("queues.counters_of", lambda db: queues.counters_of(db, Q), {KEY}),
    ("queues.count_put", count_put, {KEY}),
    ("arrivals.count_arrival", count_arrival, {KEY}),
    ("queues.next_number", next_number, {KEY}),
    ("queues.count_get", lambda db: written_down(db, queues.count_get(db, Q, 1, -1, 0)), {KEY}),
    ("queues.count", lambda db: written_down(db, queues.count(db, Q, -1, 0)), {KEY}),
    ("queues.last_number", lambda db: queues.last_number(db, Q), {KEY}),
    ("queues.reset_high_depth", lambda db: queues.reset_high_depth(db, Q), {KEY}),
    ("queues.status", lambda db: queues.status(db, Q), {KEY}),
    ("key_ranges.key_range", lambda db: key_ranges.key_range(db, Q), {KEY}),
    ("key_ranges.end_of_step", lambda db: key_ranges.end_of_step(db, Q << 40, (Q + 1) << 40, 10, 1000), {KEY}),
    (
        "key_ranges.clear_range",
        lambda db: key_ranges.clear_range(db, Q, Q << 40, (Q + 1) << 40),
        {KEY, CHUNKS, "marks_queue"},
    ),
    ("queues.clear", lambda db: queues.clear(db, Q), {KEY, CHUNKS, "marks_queue"}),
    (
        "queues.drop",
        lambda db: queues.drop(db, Q),
        {KEY, CHUNKS, "marks_queue", "waiters_queue", HOLDERS_QUEUE},
    ),
    (
        "holders.holding_connections",
        lambda db: holders.holding_connections(db, Q),
        {"holders_connections", "messages_holder", HOLDERS_CONNECTION, "messages_lock"},
    ),
    ("holders.connections", lambda db: holders.connections(db), {"holders_connections"}),
    ("trash.keep", lambda db: trash.keep(db, stored(db), ABOUT), {KEY, CHUNKS}),
    ("trash.oldest", lambda db: trash.oldest(trashed(db), 10), {KEY}),
    ("trash.remove_through", lambda db: trash.remove_through(db, 1), {KEY}),
    ("trash.remove", lambda db: trash.remove(db, 1), {KEY}),
    ("trash.page", lambda db: trash.page(db, after=1), {KEY}),
    ("trash.page", lambda db: trash.page(db, removal=1), {"trash_removal"}),
    ("trash.by_number", lambda db: trash.by_number(db, 1), {KEY}),
    ("trash.load_data", lambda db: trash.load_data(trashed(db), 1), {KEY, CHUNKS}),
    ("trash.put_back", put_back, {KEY, CHUNKS}),
    ("marks.renew", lambda db: marks.renew(db, [7], 1), {CHUNKS}),
    ("pages.behind", lambda db: pages.behind(db, Q, 9, 50), {"messages_available", "messages_held", KEY}),
    ("pages.before", lambda db: pages.before(db, Q, 9, 50), {"messages_available", "messages_held", KEY}),
    (
        "filtered_scan.scan_batch",
        lambda db: filtered_scan.scan_batch(db, Q, NAMED, "seq", after=9, places=50, held=True, priority=3),
        {"messages_available", "messages_held", KEY},
    ),
    ("filtered_scan.arrivals", lambda db: filtered_scan.arrivals(db, Q, NAMED, "seq", after=1, last=9), {KEY}),
    ("revisions.read", lambda db: revisions.read(db, Q), {KEY}),
    ("revisions.note", revisions.note, {KEY}),
    ("pages.count_before", lambda db: pages.count_before(db, Q, 9), {"messages_available", "messages_held", KEY}),
    ("pages.nth_behind", lambda db: pages.nth_behind(db, Q, 0, 2), {"messages_available", "messages_held", KEY}),
    ("pages.nth_before", lambda db: pages.nth_before(db, Q, 9, 2), {"messages_available", "messages_held", KEY}),
    (
        "pages.priority_ranges",
        lambda db: pages.priority_ranges(db, Q),
        {"messages_available", "messages_held", KEY},
    ),
    ("pages.first_since", lambda db: pages.first_since(db, Q, 1), {KEY}),
    ("pages.arrived_after", lambda db: pages.arrived_after(db, Q, 7, 50), {KEY}),
    ("pages.last_arrival", lambda db: pages.last_arrival(db, Q), {KEY}),
    ("pages.got_but_there", lambda db: pages.got_but_there(db, Q), {"messages_held"}),
    ("journal.write", lambda db: journal.write(db, stored(db).seq, EVENT, None), {KEY, CHUNKS}),
    ("journal.write_arrival", lambda db: journal.write_arrival(db, stored(db).seq, EVENT), {KEY, CHUNKS}),
    ("journal.pend_range", lambda db: journal.pend_range(db, Q << 40, (Q + 1) << 40, EVENT, 0), {KEY}),
    ("journal.write_arrivals", lambda db: journal.write_arrivals(db, Q << 40, (Q + 1) << 40, EVENT), {KEY, CHUNKS}),
    ("journal.write_departures", lambda db: journal.write_departures(db, Q << 40, 9, EVENT), {KEY, CHUNKS}),
    ("journal.record_present", lambda db: journal.record_present(db, Q << 40, 9, "Q", 1), {KEY, CHUNKS}),
    ("journal.last_event", lambda db: journal.last_event(db), {KEY}),
    ("journal.settle", lambda db: journal.settle(pended(db), 5, 1), {KEY, CHUNKS, "messages_holder"}),
    ("journal.settle_one", lambda db: journal.settle_one(pended(db), stored(db).seq, 1), {KEY, CHUNKS}),
    ("journal.pend_held", lambda db: journal.pend_held(db, Q, EVENT), {"messages_held", KEY}),
    ("journal.set_pending_body", lambda db: journal.set_pending_body(db, 1, 9, has_body=True), {KEY}),
    ("journal.forget_range", lambda db: journal.forget_range(db, 1, 9), {KEY}),
    ("journal.forget_nonpersistent", lambda db: journal.forget_nonpersistent(db, 1, 9), {KEY}),
    ("journal.begin_level", lambda db: journal.begin_level(db, "Q", 1, 5), {KEY}),
    ("journal_retention.oldest", lambda db: journal_retention.oldest(db, 10), {KEY}),
    ("journal_retention.remove_through", lambda db: journal_retention.remove_through(db, 1), {KEY, CHUNKS}),
    ("journal.load_data", lambda db: journal.load_data(written(db), 1), {KEY, CHUNKS}),
    ("journal_events.messages_of_id", lambda db: journal_events.messages_of_id(db, "group_id", ID), {KEY, CHUNKS}),
    ("journal_events.of_ids", lambda db: list(journal_events.of_ids(db, "msg_id", [ID])), {KEY, CHUNKS}),
    ("journal_events.steps_of_queue", lambda db: list(journal_events.steps_of_queue(db, "Q", 1)), {KEY, CHUNKS}),
    ("journal_events.steps_of_message", lambda db: journal_events.steps_of_message(db, ID, 1, 9), {KEY, CHUNKS}),
    (
        "journal_events.held_of_ids",
        lambda db: list(journal_events.held_of_ids(db, "correl_id", [ID])),
        {"messages_correl_id", KEY, "SCAN q"},
    ),
    (
        "journal_events.on_queues",
        lambda db: journal_events.on_queues(db, "group_id", [ID]),
        {"messages_group", "SCAN q"},
    ),
    ("history.levels", lambda db: history.levels(db, "Q"), {"journal_levels_queue"}),
    ("history.last_until", lambda db: history.last_until(written(db), 1), {KEY, CHUNKS}),
    ("history.was_by_priority", lambda db: history.was_by_priority(db, "Q", 1), {"journal_orders_queue"}),
    ("activity.latest", lambda db: activity.latest(db, "Q", 9), {KEY, CHUNKS}),
    ("queue_events.first_of_last", lambda db: queue_events.first_of_last(db, "Q", 9), {KEY, CHUNKS}),
    ("activity.bars", lambda db: activity.bars(db, "Q", 1, 0, 9, 3), {KEY, CHUNKS}),
    ("activity.event_until", lambda db: activity.event_until(db, "Q", 9), {KEY, CHUNKS}),
    ("activity.event_after", lambda db: activity.event_after(db, "Q", 9), {KEY, CHUNKS}),
    ("activity.last_times", lambda db: activity.last_times(db, "Q", 1, 9), {KEY, CHUNKS}),
    ("replays.arrivals", lambda db: replays.arrivals(db, "Q", 1, 9, 5), {KEY, CHUNKS}),
    ("replays.lacks_bodies", lambda db: replays.lacks_bodies(db, "Q", 1, 9), {KEY, CHUNKS}),
    ("replays.find", lambda db: replays.find(db, "j"), {CHUNKS}),
    ("applied_jobs.find", lambda db: applied_jobs.find(db, "K", "I"), {CHUNKS}),
    ("applied_jobs.with_prefix", lambda db: applied_jobs.with_prefix(db, "K", "I"), {CHUNKS}),
    ("applied_jobs.forget", lambda db: applied_jobs.forget(db, "K", "I"), {CHUNKS}),
    ("objects.definition", lambda db: objects.definition(db, "K", "N"), {CHUNKS}),
    ("objects.definitions", lambda db: objects.definitions(db, "K"), {CHUNKS}),
    ("objects.count_change", lambda db: objects.count_change(db), {KEY}),
    ("objects.delete", lambda db: objects.delete(db, "K", "N"), {CHUNKS}),
    ("channels.definition", lambda db: channels.definition(db, "C"), {CHUNKS}),
    ("channels.delete", lambda db: channels.delete(db, "C"), {CHUNKS}),
    ("channels.sync_state", lambda db: channels.sync_state(db, "C"), {CHUNKS}),
    ("channels.sync_states", lambda db: channels.sync_states(db, "C"), {CHUNKS}),
    ("channels.is_stopped", lambda db: channels.is_stopped(db, "C"), {CHUNKS}),
    ("channels.set_stopped", lambda db: channels.set_stopped(db, "C", stopped=True), {CHUNKS}),
    ("channels.begin_session", begin_session, {CHUNKS}),
    ("channels.set_state", lambda db: channels.set_state(db, "C", "", 1, "running", "B"), {CHUNKS}),
    ("channels.end_session", lambda db: channels.end_session(db, "C", "", 1), {CHUNKS}),
    ("channels.mark_in_doubt", lambda db: channels.mark_in_doubt(db, "C", 1, b"b", 8, 5), {CHUNKS}),
    ("channels.forget_doubt", lambda db: channels.forget_doubt(db, "C"), {CHUNKS}),
    ("channels.set_sequence", lambda db: channels.set_sequence(db, "C", "", 1, b"b"), {CHUNKS}),
    ("channels.set_resets", lambda db: channels.set_resets(db, "C", resets=True), {CHUNKS}),
    ("channels.count_batch", lambda db: channels.count_batch(db, "C", "", 1, 1, 1), {CHUNKS}),
    ("delivery_order.first_alone", lambda db: delivery_order.first_alone(db, Q, 9), {"messages_available"}),
    ("delivery_order.reorder", lambda db: delivery_order.reorder(db, Q, by_priority=True), {KEY}),
]


@pytest.mark.parametrize(
    ("name", "call", "indexes"), CALLS, ids=[f"{number}-{row[0]}" for number, row in enumerate(CALLS)]
)
def test_every_statement_seeks_in_the_index_that_is_meant_for_it(db, name, call, indexes):
    call(db)
    searches = [plan for plan in db.plans if plan.startswith(("SEARCH", "SCAN"))]
    assert searches
    assert {index_of(plan) for plan in searches} <= indexes
    assert indexes - {KEY} <= {index_of(plan) for plan in searches}


@pytest.mark.parametrize(("name", "call", "_"), CALLS, ids=[f"{number}-{row[0]}" for number, row in enumerate(CALLS)])
def test_no_statement_scans_or_sorts_except_by_design(db, name, call, _):
    call(db)
    bad = [plan for plan in db.plans if "SCAN" in plan or "TEMP B-TREE" in plan]
    allowed = BY_DESIGN.get(name, ("nothing", ""))[0]
    assert [plan for plan in bad if allowed not in plan] == []


def index_of(plan: str) -> str:
    """The name of the index in a line of a plan, or KEY or CHUNKS for a primary key; the whole line without one."""
    words = plan.split(" USING ", 1)
    if len(words) == 1:
        return plan
    index = words[1].split(" (")[0].removeprefix("COVERING ")
    return index.removeprefix("INDEX ").removesuffix(" LEFT-JOIN")


def test_every_function_of_the_store_is_explained():
    explained = {name for name, _, _ in CALLS} | ELSEWHERE
    missing = []
    for module in (
        messages,
        applied_jobs,
        arrivals,
        bulk_insert,
        units_of_work,
        unwritten,
        marks,
        holders,
        lifetimes,
        objects,
        key_ranges,
        queues,
        delivery_order,
        trash,
        pages,
        queue_events,
        journal,
        journal_events,
        journal_retention,
        queue_events,
        channels,
        relocation,
        revisions,
        scan,
        filtered_scan,
        history,
        activity,
        replays,
    ):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            qualified = f"{module.__name__.rsplit('.', 1)[1]}.{name}"
            if function.__module__ == module.__name__ and not name.startswith("_") and qualified not in explained:
                missing.append(qualified)
    assert missing == []


def test_what_is_by_design_still_is():
    assert set(BY_DESIGN) <= {name for name, _, _ in CALLS}
