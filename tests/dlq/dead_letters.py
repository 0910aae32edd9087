"""Making dead letters, running the handler over them, and looking at what lies where."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

from mqtools.constants.options import (
    MQPMO_SET_ALL_CONTEXT,
)
from mqtools.constants.reasons import (
    MQRC_Q_FULL,
)
from mqtools.dlq.handler import Handler
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.dlq.selection import Candidate
from mqtools.dlq.totals import TableTotals
from mqtools.headers.chain import prefix_dlh
from mqtools.headers.mqdlh import MQDLH
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import Connection
from mqtools.mqi.objects.definitions import alter_queue, define_queue
from mqtools.mqi.resolution import find_queue
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import load_data
from mqtools.operations.views.message_view import StoredMessage

from ..mqi.children import until
from ..rows import count

DLQ = "DEV.DEAD.LETTER.QUEUE"
TO, OTHER, FULL = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"


def alter(connection: Connection, q_name: str, **values: object) -> None:
    with connection.work() as work:
        alter_queue(work, "QUEUE", q_name, values)


def define(connection: Connection, object_type: str, name: str, **values: object) -> None:
    with connection.work() as work:
        define_queue(work, object_type, name, values)


def bury(
    connection: Connection,
    data: bytes = b"hello",
    *,
    to: str = TO,
    q_mgr: str = "QM1",
    reason: int = MQRC_Q_FULL,
    encoding: int = 546,
    ccsid: int = 1208,
    properties: dict[str, Property] | None = None,
    **md: Any,
) -> MQMD:
    """Put a dead letter; give the descriptor that the message itself has."""
    given = MQMD(
        **{"format": "MQSTR", "encoding": 273, "coded_char_set_id": 819, "persistence": 0, "priority": 4, **md}
    )
    dead_md, dead = prefix_dlh(
        given, data, reason=reason, dest_q_name=to, dest_q_mgr_name=q_mgr, encoding=encoding, ccsid=ccsid
    )
    message = Message(dead, dead_md, properties)
    connection.put1(DLQ, message, MQPMO_SET_ALL_CONTEXT)
    return message.md.replace(format=given.format, encoding=given.encoding, coded_char_set_id=given.coded_char_set_id)


def stored_on(connection: Connection, q_name: str) -> list[StoredMessage]:
    return list(select(connection.db, find_queue(connection.db, q_name).id))


def data_on(connection: Connection, q_name: str) -> list[bytes]:
    return [load_data(connection, stored.seq) for stored in stored_on(connection, q_name)]


def only(connection: Connection, q_name: str) -> tuple[MQMD, bytes]:
    [stored] = stored_on(connection, q_name)
    return stored.md, load_data(connection, stored.seq)


def when_asleep(connection: Connection, act: Callable[[], object]) -> Thread:
    """Do something, in a thread, once a get waits."""

    def wait_and_act() -> None:
        until(lambda: count(connection, "waiters") > 0)
        act()

    thread = Thread(target=wait_and_act)
    thread.start()
    return thread


class Clock:
    """A clock that only the handler's own sleeps move on."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> bool:
        self.sleeps.append(seconds)
        self.now += seconds
        return False


def run(
    connection: Connection,
    table: str,
    *,
    once: bool = False,
    clock: Clock | None = None,
    pause: Callable[[float], bool] | None = None,
    **options: Any,
) -> tuple[TableTotals, list[str]]:
    said: list[str] = []
    handler = Handler(connection, parse_rules_table(table), DLQ, once=once, say=said.append, **options)
    if clock is not None:
        handler.clock, handler.pause = clock, pause or clock.pause
    return handler.run(), said[1:-1]


def once(connection: Connection, *rules: str, **options: Any) -> tuple[TableTotals, list[str]]:
    return run(connection, "\n".join(rules), once=True, **options)


def dead_message(data: bytes) -> Message:
    md, dead = prefix_dlh(MQMD(format="MQSTR"), data, reason=MQRC_Q_FULL, dest_q_name=TO, dest_q_mgr_name="QM1")
    return Message(dead, md)


def letter(md: dict[str, Any] | None = None, **dlh: Any) -> Candidate:
    """Return a dead letter for a rule to look at. md: fields of its descriptor.  dlh: fields of its header."""
    return Candidate(MQMD(**(md or {})), MQDLH(**dlh))
