"""Messages that a selector means, and how many a search looks at in the write turn and outside of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mqtools.constants.options import (
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
)
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import Connection
from mqtools.mqi.handle import Handle
from mqtools.operations import edit as editing
from mqtools.store.scans import filtered_scan

from ..children import PATIENCE_S, Waiting, start_waiting
from ..conftest import QM

RED = "colour = 'red'"
FILTER: dict[str, object] = {"colour": "red"}


def painted(data: bytes, colour: str = "red", **fields: Any) -> Message:
    return Message(data, MQMD(**fields), {"colour": Property(MQTYPE_STRING, colour)})


def put(connection: Connection, data: bytes, colour: str = "red", options: int = 0, **fields: Any) -> None:
    connection.put1("Q", painted(data, colour, **fields), options)


def fill(qm: QM, number: int, colour: str = "grey") -> None:
    with qm.open() as handle:
        handle.put_many(painted(b"-", colour) for _ in range(number))


def red(connection: Connection, options: int = MQOO_INPUT_SHARED | MQOO_BROWSE) -> Handle:
    return connection.open("Q", options, selector=RED)


class Looks:
    """What is looked at: places along the queue in a transaction that writes and outside of one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.in_turn = self.outside = 0
        self.meanwhile: Callable[[], object] | None = None
        scan_batch = filtered_scan.scan_batch

        def counted(db: Any, *given: Any, **named: Any) -> filtered_scan.ScanBatch:
            found = scan_batch(db, *given, **named)
            if db.in_transaction:
                self.in_turn += found.looked_at
            else:
                self.outside += found.looked_at
                self._happens()
            return found

        monkeypatch.setattr(filtered_scan, "scan_batch", counted)

    def _happens(self) -> None:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()


def edit(connection: Connection, data: bytes, colour: str = "red") -> None:
    """Paint the first message that has this data, or nothing."""
    rows = connection.db.all("select seq from messages where data = ? and state = 1 order by seq limit 1", (data,))
    changes = editing.Changes(properties={"colour": Property(MQTYPE_STRING, colour)})
    editing.edit_batch(connection, "Q", [row[0] for row in rows], changes.apply)


@contextmanager
def waiting(qm: QM, selector: str = RED) -> Iterator[Waiting]:
    """A get that has looked at the whole queue, and waits."""

    def call(connection: Connection) -> object:
        handle = connection.open("Q", MQOO_INPUT_SHARED, selector=selector)
        return handle.get(MQGMO_WAIT, wait_ms=int(PATIENCE_S * 1000)).message.data

    (started,) = start_waiting(qm.path, qm.main, call)
    yield started
    assert started.is_done


def edited(qm: QM) -> Callable[[], object]:
    edit(qm.main, b"old", "grey")
    return lambda: edit(qm.main, b"old")
