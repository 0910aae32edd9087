"""A queue manager and its model side by side: a call is made to both, and what they answer and hold is compared."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TypeAlias
from unittest.mock import patch

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from mqtools.admin import queue_managers
from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.constants.objects import MQMDS_FIFO, MQMDS_PRIORITY
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN
from mqtools.constants.structures import MQCI_NONE, MQMI_NONE
from mqtools.message import MQMD, Message
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import define_queue
from mqtools.mqi.xa import Xid

from ..errors import fails
from .model import Got, ModelConnection, ModelHandle, ModelMessage, ModelQueue, ModelQueueManager, Refused

KINDS = {
    "get": 0,
    "first": MQGMO_BROWSE_FIRST,
    "next": MQGMO_BROWSE_NEXT,
    "at": MQGMO_BROWSE_MSG_UNDER_CURSOR,
    "take": MQGMO_MSG_UNDER_CURSOR,
}
MSG_IDS = [bytes([n]) * 24 for n in (1, 2, 3)]
CORREL_IDS = [MQCI_NONE, b"\x0a" * 24, b"\x0b" * 24]
QUEUES = ("PRIORITY", "FIFO", "SMALL")
START_MS = 1_700_000_000_000

Given: TypeAlias = tuple[bytes, bytes, int, bool, int, int, int | None]


class Pair:
    """A connection or handle and what the model has for it."""

    def __init__(self, real: Connection, model: ModelConnection) -> None:
        self.real = real
        self.model = model
        self.handles: list[tuple[Handle, ModelHandle]] = []


class Both(RuleBasedStateMachine):
    """The queue manager, its model, and what must hold of the two after every step."""

    @initialize()
    def create(self) -> None:
        self.home = tempfile.mkdtemp(prefix="mqx-model-")
        self.now_ms = START_MS
        self.clock = patch("mqtools.mqi.transaction.now_ms", lambda: self.now_ms)
        self.clock.start()
        self.path = queue_managers.create(os.path.join(self.home, "QM1.db"))
        self.observer = connect(self.path)
        queues = [ModelQueue("PRIORITY", False, 5000), ModelQueue("FIFO", True, 5000), ModelQueue("SMALL", False, 3)]
        with self.observer.work() as work:
            for queue in queues:
                sequence = MQMDS_FIFO if queue.fifo else MQMDS_PRIORITY
                values = {"msg_delivery_sequence": sequence, "max_q_depth": queue.max_depth}
                define_queue(work, "QLOCAL", queue.name, values)
        self.model = ModelQueueManager(queues, self.now_ms)
        self.pairs: list[Pair] = []
        self.branches: dict[Xid, ModelConnection] = {}
        self.puts = 0
        for q_names in (QUEUES, QUEUES[:1]):
            pair = Pair(connect(self.path), self.model.connect())
            self.pairs.append(pair)
            for q_name in q_names:
                self.open_both(pair, q_name, exclusive=False)
        for number, q_name in enumerate(("PRIORITY", "PRIORITY", "FIFO", "PRIORITY", "SMALL", "PRIORITY")):
            expiry = -1 if number else 3
            given = (MSG_IDS[number % 3], CORREL_IDS[number % 2], number % 3 * 4, bool(number % 3), expiry, 0, None)
            self.put_both(self.pairs[0], q_name, given, None, held=False)

    def teardown(self) -> None:
        if not hasattr(self, "observer"):
            return
        try:
            self.the_dead_leave_nothing()
        finally:
            for pair in self.pairs:
                pair.real.disconnect()
            self.observer.disconnect()
            self.clock.stop()
            shutil.rmtree(self.home)

    def the_dead_leave_nothing(self) -> None:
        self.model.recover()
        with self.observer.work() as work:
            recovery.recover(work)
        self.agrees()
        tokens = {row[0].hex() for row in self.observer.db.all("select token from holders where kind = 'connection'")}
        left = {name[5:] for name in os.listdir(f"{self.path}-run") if name.startswith(("life-", "bell-"))}
        assert left == tokens

    # Choosing

    def some_pair(self, data: st.DataObject) -> Pair:
        return data.draw(st.sampled_from(self.pairs), label="connection")

    def some_handle(self, data: st.DataObject) -> tuple[Pair, Handle, ModelHandle]:
        every = [(pair, *both) for pair in self.pairs for both in pair.handles]
        number = data.draw(st.integers(0, len(every) - 1), label="handle")
        return every[number]

    def has_handles(self) -> bool:
        return any(pair.handles for pair in self.pairs)

    def same(self, real, model):  # type: ignore[no-untyped-def]
        """Do the same to both and compare the answers; give both results, or None when both refused."""
        refusal = 0
        try:
            expected = model()
        except Refused as error:
            refusal = error.reason
        if not refusal:
            return real(), expected
        with fails(refusal):
            real()
        return None

    # Doing

    def open_both(self, pair: Pair, q_name: str, *, exclusive: bool) -> None:
        options = MQOO_BROWSE | MQOO_OUTPUT | (MQOO_INPUT_EXCLUSIVE if exclusive else MQOO_INPUT_SHARED)
        both = self.same(
            lambda: pair.real.open(q_name, options), lambda: self.model.open(pair.model, q_name, exclusive=exclusive)
        )
        if both is not None:
            pair.handles.append(both)

    def put_both(self, pair: Pair, q_name: str, what: Given, handle: Handle | None, *, held: bool) -> None:
        msg_id, correl_id, priority, persistent, expiry, length, delay = what
        self.puts += 1
        text = b"%d " % self.puts + b"x" * length
        persistence = MQPER_PERSISTENT if persistent else MQPER_NOT_PERSISTENT
        message = Message(
            text,
            MQMD(msg_id=msg_id, correl_id=correl_id, priority=priority, persistence=persistence, expiry=expiry),
            deliver_at=None if delay is None else self.now_ms + delay,
        )
        options = MQPMO_SYNCPOINT if held else 0
        given = ModelMessage(0, text, msg_id, correl_id, priority, persistent, None, delay)
        self.same(
            lambda: handle.put(message, options) if handle else pair.real.put1(q_name, message, options),
            lambda: self.model.put(pair.model, q_name, given, expiry, held=held),
        )

    def get_both(
        self,
        data: st.DataObject,
        kind: str,
        *,
        msg_id: bytes = b"",
        correl_id: bytes = b"",
        held: bool = False,
        lock: bool = False,
        max_length: int | None = None,
        accept: bool = False,
    ) -> None:
        _, handle, model = self.some_handle(data)
        options = KINDS[kind] | (MQGMO_SYNCPOINT if held else 0) | (MQGMO_LOCK if lock else 0)
        options |= MQGMO_ACCEPT_TRUNCATED_MSG if accept else 0
        md = MQMD(msg_id=msg_id or MQMI_NONE, correl_id=correl_id or MQCI_NONE)

        def real() -> Got:
            result = handle.get(options, md=md, max_length=max_length)
            found = result.message.md
            assert found is md
            return Got(
                result.reason,
                result.message.data,
                result.data_length,
                found.msg_id,
                found.correl_id,
                found.priority,
                found.backout_count,
                found.expiry,
            )

        def expected() -> Got:
            return self.model.get(
                model,
                kind,
                msg_id=msg_id,
                correl_id=b"" if correl_id == MQCI_NONE else correl_id,
                held=held,
                lock=lock,
                max_length=max_length,
                accept=accept,
            )

        both = self.same(real, expected)
        if both is not None:
            assert both[0] == both[1]

    def is_broken(self, pair: Pair) -> None:
        with fails(MQRC_CONNECTION_BROKEN):
            pair.real.put1("FIFO", Message(b"late"))
        if pair.model.registered:
            with fails(MQRC_CONNECTION_BROKEN):
                pair.real.disconnect()
        else:
            pair.real.disconnect()

    # What must hold

    @invariant()
    def agrees(self) -> None:
        """Every stored message, its state, its order and its holder; the counters; the holders."""
        db = self.observer.db
        for queue in self.model.queues.values():
            rows = db.all(
                "select data, state, backout_count, expires_at, holder_id is not null, lock_id is not null"
                " from messages where queue_id = (select id from queues where name = ?) order by order_key",
                (queue.name,),
            )
            assert rows == [
                (m.data, m.state, m.backout_count, m.expires_at, m.owner is not None, m.locker is not None)
                for m in queue.messages
            ]
            counters = db.one(
                "select depth, uncommitted, waiters, marks from queue_status"
                " where queue_id = (select id from queues where name = ?)",
                (queue.name,),
            )
            assert counters == (queue.depth, queue.uncommitted, 0, 0)
        self.holders_agree()

    def holders_agree(self) -> None:
        counted = dict(self.observer.db.all("select kind, count(*) from holders group by kind"))
        registered = [connection for connection in self.model.connections if connection.registered]
        handles = sum(len(connection.handles) for connection in registered)
        assert counted == {
            **({"connection": len(registered)} if registered else {}),
            **({"handle": handles} if handles else {}),
            **({"transaction": len(self.branches)} if self.branches else {}),
        }
        orphans = self.observer.db.all(
            "select seq from messages where coalesce(holder_id, lock_id) is not null"
            " and coalesce(holder_id, lock_id) not in (select id from holders)"
        )
        assert orphans == []
