"""Random programs on two connections: puts, gets, bulk commands, and changes of the queues between them."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

from mqtools.constants.message import MQMF_MSG_IN_GROUP, MQRO_COA, MQRO_EXPIRATION
from mqtools.constants.options import (
    MQGMO_BROWSE_NEXT,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_SYNCPOINT,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQOO_CO_OP,
    MQOO_SET_ALL_CONTEXT,
    MQPMO_NEW_MSG_ID,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import alter_queue, define_queue, delete_queue
from mqtools.mqi.trash_limits import Trash
from mqtools.operations.delete import delete_batch
from mqtools.operations.load import check_message, load_messages
from mqtools.operations.move import Route, carry_batch

from .conftest import EVERYTHING, QM

LOCAL = ("Q", "R", "J")
#: ALIAS leads to Q, AWAY to another queue manager.
TARGETS = ("Q", "Q", "Q", "R", "J", "ALIAS", "AWAY")
#: Descriptors that come again and again.
ALIKE: tuple[dict[str, Any], ...] = (
    {}, {"priority": 3}, {"persistence": 1, "correl_id": b"c" * 24}, {"expiry": 3},
    {"expiry": 3, "report": MQRO_EXPIRATION}, {"msg_id": b"m" * 24, "msg_type": 1, "reply_to_q": "R"},
    {"report": MQRO_COA, "reply_to_q": "R"}, {"group_id": b"g" * 24, "msg_flags": MQMF_MSG_IN_GROUP},
)  # fmt: skip
PUTS = (0, 0, MQPMO_SYNCPOINT, MQPMO_SYNCPOINT, MQPMO_NEW_MSG_ID, MQPMO_SET_ALL_CONTEXT)
_MARK = MQGMO_BROWSE_NEXT | MQGMO_UNMARKED_BROWSE_MSG | MQGMO_MARK_BROWSE_CO_OP
GETS = (0, MQGMO_SYNCPOINT, MQGMO_SYNCPOINT, MQGMO_BROWSE_NEXT, _MARK)
#: Columns that say which process it was.
OWN = ("token", "wake_token", "removed_by", "holder")
#: Tables that are written some time later, and definitions, which have the date.
LEFT_OUT = ("definitions", "journal_ids", "journal_queues", "journal_status", "journal_pending", "qmgr", "queues")


class Program:
    """A random program: what it does depends on the seed only. answers: what each step has returned."""

    def __init__(self, qm: QM, seed: int, now_ns: list[int]) -> None:
        """now_ns: the clock."""
        self.qm = qm
        self.answers: list[object] = []
        self._choose = random.Random(seed)
        self._now_ns = now_ns
        qm.define("J", journal=2)
        qm.define("X", usage=1)
        qm.define("ALIAS", "QALIAS", base_q_name="Q", def_priority=2)
        qm.define("AWAY", "QREMOTE", remote_q_name="THERE", remote_q_mgr_name="QM2", xmit_q_name="X")
        self._connections = (qm.main, qm.connect())
        self._handles: list[dict[str, Handle]] = [{}, {}]

    def run(self, steps: int) -> None:
        """Take steps, each of one of the connections."""
        kinds = [self.put] * 6 + [self.put_each] * 4 + [self.get] * 5 + [self.end] * 3 + [self.alter] * 4
        kinds += [self.redefine, self.carry, self.carry, self.delete, self.load, self.load, self.nested, self.nested]
        for _ in range(steps):
            self._now_ns[0] += self._choose.choice((0, 0, 0, 1_000_000, 200_000_000))
            step, which = self._choose.choice(kinds), self._choose.randrange(2)
            own, self._choose = self._choose, random.Random(self._choose.random())  # whatever the step asks for
            try:
                answer: object = step(which)
            except MQError as error:
                answer = error.reason
            self._choose = own
            counters = self.qm.main.db.all("select * from queue_status") if own.random() < 0.3 else None
            self.answers.append((step.__name__, which, answer, counters))

    def content(self) -> dict[str, list[tuple[object, ...]]]:
        """End the units of work, and return all rows of the tables of messages."""
        for connection in self._connections:
            connection.commit()
        db, found = self.qm.main.db, {}
        for (table,) in db.all("select name from sqlite_master where type = 'table'"):
            names = [row[0] for row in db.all("select name from pragma_table_info(?)", (table,))]
            wanted = ", ".join(name for name in names if name not in OWN)
            found[table] = sorted(db.all(f"select {wanted} from {table}"), key=repr) if table not in LEFT_OUT else []
        return found

    def message(self) -> Message:
        choose = self._choose
        length = choose.choice((0, 1, 9, 9, 100, 1024, 1025, 70_000) + (300_000,) * (choose.random() < 0.1))
        properties = {"n": Property(MQTYPE_STRING, "å")} if choose.random() < 0.1 else {}
        return Message(choose.randbytes(1) * length, MQMD(**choose.choice(ALIKE)), properties)

    def handle(self, which: int, name: str) -> Handle:
        opened = self._handles[which]
        if name not in opened:
            options = EVERYTHING | MQOO_CO_OP if name in LOCAL else 0x10
            opened[name] = self._connections[which].open(name, options | MQOO_SET_ALL_CONTEXT)
        return opened[name]

    def put(self, which: int, name: str = "") -> object:
        """Put one message after the other that is like the first."""
        handle, options = self.handle(which, name or self._choose.choice(TARGETS)), self._choose.choice(PUTS)
        message, found = self.message(), []
        for _ in range(4):
            message = Message(message.data, message.md.replace(msg_id=bytes(24)), message.properties)
            found.append((handle.put(message, options).seq, message.md))
            self._now_ns[0] += self._choose.choice((0, 20_000_000))
        return found

    def put_each(self, which: int) -> object:
        messages = [self.message() for _ in range(self._choose.choice((1, 3, 8)))]
        name, options = self._choose.choice(TARGETS), self._choose.choice(PUTS)
        put, error = self._connections[which].put_each(name, messages, options)
        return [each.seq for each in put], error and error.reason, [message.md for message in messages]

    def get(self, which: int) -> object:
        handle, options = self.handle(which, self._choose.choice(LOCAL)), self._choose.choice(GETS)
        md = self._choose.choice((None, None, None, {"msg_id": b"m" * 24}, {"correl_id": b"c" * 24}))
        found = []
        with suppress(NoMessageAvailable):
            for _ in range(self._choose.choice((1, 3))):
                got = handle.get(options, md=None if md is None else MQMD(**md))
                found.append((got.reason, got.message.data[:9], got.message.md))
        return found

    def end(self, which: int) -> None:
        connection = self._connections[which]
        (connection.backout if self._choose.random() < 0.3 else connection.commit)()

    def alter(self, which: int) -> object:
        choose, name = self._choose, self._choose.choice(("Q", "Q", *LOCAL))
        depth = self.qm.depth(name)
        values: dict[str, object] = choose.choice((
            {"max_q_depth": depth + choose.choice((0, 1, 2, 4))}, {"max_q_depth": 5000}, {"def_priority": 7},
            {"max_msg_length": choose.choice((50, 1 << 22))}, {"def_persistence": choose.randrange(2)},
            {"inhibit_put": choose.randrange(2)}, {"msg_delivery_sequence": choose.randrange(2)},
            {"journal": choose.randrange(3)}, {"inhibit_put": 0, "max_q_depth": 5000, "max_msg_length": 1 << 22},
        ))  # fmt: skip
        with self._connections[which].work() as work:
            alter_queue(work, "QUEUE", name, values)
        return self.put(which, name)

    def redefine(self, which: int) -> None:
        for opened in self._handles:
            if "R" in opened:
                opened.pop("R").close()
        with self._connections[which].work() as work:
            delete_queue(work, "QLOCAL", "R", purge=True)
            define_queue(work, "QLOCAL", "R", {"def_priority": self._choose.randrange(9)})

    def keys(self, which: int, name: str) -> list[int]:
        """Return keys of most messages of a queue, one of them twice, and one of no message; some may be marked."""
        if self._choose.random() < 0.4:
            with suppress(MQError):
                self.handle(which, name).get(_MARK)
        wanted = "select seq from messages where queue_id = (select id from queues where name = ?) order by order_key"
        keys = [row[0] for row in self.qm.main.db.all(wanted, (name,))]
        return [key for key in keys if self._choose.random() < 0.7] + keys[:1] + [1]

    def carry(self, which: int) -> object:
        name = self._choose.choice(LOCAL)
        route = Route(name, self._choose.choice(TARGETS), keeps_original=self._choose.random() < 0.5)
        done = carry_batch(self._connections[which], route, self.keys(which, name), whole=self._choose.random() < 0.2)
        return done.number, done.gone, done.error and done.error.reason

    def delete(self, which: int) -> object:
        connection, name = self._connections[which], self._choose.choice(LOCAL)
        connection.trash = self._choose.choice((None, Trash(3600, 2000), Trash(3600, 1 << 30)))
        try:
            return delete_batch(connection, name, self.keys(which, name)), connection.trash and connection.trash.lost
        finally:
            connection.trash = None

    def load(self, which: int) -> object:
        alike = [self.message() for _ in range(self._choose.choice((1, 2, 5)))]
        some = [self._choose.choice(alike) for _ in range(self._choose.choice((1, 9, 30)))]
        messages = []
        for each in some:  # with identifiers, for those that are loaded together take other new ones
            ids = {"msg_id": self._choose.randbytes(24), "correl_id": self._choose.choice((bytes(24), b"c" * 24))}
            messages.append(Message(each.data, each.md.replace(**ids), each.properties))
        for each in messages:
            check_message(each)
        name, held = self._choose.choice(TARGETS), self._choose.random() < 0.3
        number, error = load_messages(
            self._connections[which], name, messages, in_unit_of_work=held, is_checked=True,
            context=self._choose.choice((MQPMO_SET_ALL_CONTEXT, 0)),
        )  # fmt: skip
        return number, error and error.reason

    def nested(self, which: int) -> object:
        """Put, change and put again in one transaction, which may be undone."""
        found = []
        with suppress(ZeroDivisionError), self._connections[which].work():
            found.append(self.put_each(which))
            self._choose.choice((self.alter, self.carry, self.put))(which)
            found.append(self.put_each(which))
            1 // self._choose.choice((0, 1, 1))
        return found
