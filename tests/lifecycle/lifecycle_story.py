"""Helpers for tests of the lifecycle verbs: a queue manager with a queue, and names for its messages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.constants.reasons import MQRC_NO_MSG_LOCKED
from mqtools.constants.states import STATE_NAMES
from mqtools.errors import MQError
from mqtools.lifecycle import locks, verbs
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.identity import now_ms
from mqtools.mqi.objects.definitions import define_queue
from mqtools.operations.stored_messages import load_data

from ..copied import copy_of
from ..rows import queue_id

#: Confirm ids by what the tests use them for.
PUT_ID, GET_ID, BROWSE_ID, WRONG_ID = 42, 7, 5, 3
WRONG_LOCK = b"\x01" * 8


class Clock:
    """The time of the queue manager, which stands still but for being moved on by hand."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._now_ns = time.time_ns()
        patch.setattr("time.time_ns", lambda: self._now_ns)

    def advance(self, seconds: float) -> None:
        self._now_ns += int(seconds * 1e9)


class Story:
    """A connection and the queue ``Q``, spoken of by the data of its messages."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.connection = connect(path)

    def define(self, name: str, object_type: str = "QLOCAL", **values: object) -> None:
        with self.connection.work() as work:
            define_queue(work, object_type, name, values)

    def put(
        self,
        text: str,
        q_name: str = "Q",
        *,
        confirm_id: int = 0,
        persistent: bool = True,
        delay_s: int = 0,
        **md: object,
    ) -> MQMD:
        message = Message(text.encode(), MQMD(persistence=MQPER_PERSISTENT if persistent else MQPER_NOT_PERSISTENT))
        message.deliver_at = now_ms() + delay_s * 1000 if delay_s else None
        for name, value in md.items():
            setattr(message.md, name, value)
        verbs.put_message(self.connection, q_name, message, confirm_id=confirm_id)
        return message.md

    def get(self, q_name: str = "Q", **how: object) -> str:
        return verbs.get_message(self.connection, q_name, **how).message.data.decode()  # type: ignore[arg-type]

    def lock(self, q_name: str = "Q", **how: object) -> bytes:
        return locks.browse_messages_and_lock(self.connection, q_name, **how).lock_id  # type: ignore[arg-type]

    def browse(self, q_name: str = "Q", **how: object) -> list[str]:
        found = locks.browse_messages(self.connection, q_name, **how)  # type: ignore[arg-type]
        return [self.data(stored.seq) for stored in found]

    def get_all(self, q_name: str = "Q") -> list[str]:
        return [self.get(q_name) for _ in self.browse(q_name)]

    def data(self, seq: int) -> str:
        return load_data(self.connection, seq).decode()

    def seq(self, text: str) -> int:
        return next(int(row[0]) for row in self.rows() if self.data(row[0]) == text)

    def states(self, q_name: str = "Q") -> dict[str, str]:
        """Data of each stored message to the name of its state."""
        number = queue_id(self.connection, q_name)
        rows = self.connection.db.all("select seq, state from messages where queue_id = ? order by seq", (number,))
        return {self.data(seq): STATE_NAMES[state] for seq, state in rows}

    def rows(self) -> list[tuple[Any, ...]]:
        """Return all stored messages but the event that the queue manager has started."""
        return self.connection.db.all("select * from messages where format <> 'MQEVENT' order by seq")

    def everything(self) -> list[list[tuple[Any, ...]]]:
        tables = ("messages", "message_chunks", "holders", "confirm_puts", "queue_status", "marks", "waiters")
        return [self.connection.db.all(f"select * from {table} order by 1, 2") for table in tables]

    def ids(self) -> list[tuple[Any, ...]]:
        """Kind and confirm id of all holders that outlive a process."""
        return self.connection.db.all("select kind, confirm_id from holders where kind in ('confirm', 'lock')")

    def reopen(self) -> None:
        """Let another process have its turn, as far as the file knows."""
        self.connection.disconnect()
        self.connection = connect(self.path)

    def restart(self) -> None:
        """End the queue manager and start it again."""
        self.connection.disconnect()
        assert queue_managers.end(self.path) == queue_managers.ENDED
        queue_managers.start(self.path)
        self.connection = connect(self.path)


def _create(path: str) -> None:
    story = Story(queue_managers.create(path))
    story.define("Q")
    story.connection.disconnect()


def story_in(home: Path, patch: pytest.MonkeyPatch) -> Iterator[Story]:
    """Return a story in a home of its own; a fixture of that name yields from it."""
    patch.setenv("MQX_HOME", str(home))
    story = Story(copy_of(_create, "QM"))
    yield story
    story.connection.disconnect()


def other_connection(story: Story) -> Connection:
    return connect(story.path, appl_name="other", user_identifier="bea")


@contextmanager
def refused(reason: int = MQRC_NO_MSG_LOCKED) -> Iterator[pytest.ExceptionInfo[MQError]]:
    """Expect a call to fail with a reason, by default that of an id that holds nothing."""
    with pytest.raises(MQError) as caught:
        yield caught
    assert caught.value.reason == reason
