"""Words for tests of the write turn that is kept between the calls of a unit of work."""

from __future__ import annotations

from mqtools.constants.options import MQPMO_SYNCPOINT
from mqtools.message import Message
from mqtools.store import queues


def depth(qm) -> tuple[int, int]:
    queue = queues.by_name(qm.main.db, "Q")
    assert queue is not None
    return queue.depth, queue.uncommitted


def is_kept(connection) -> bool:
    return connection.db.kept_turn is not None and connection.db.kept_turn.is_held


def put_in_unit(handle, number: int) -> None:
    for each in range(number):
        handle.put(Message(b"%d" % each), MQPMO_SYNCPOINT)
