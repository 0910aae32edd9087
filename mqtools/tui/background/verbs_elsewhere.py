"""Verbs on messages of a queue manager elsewhere: each batch is a unit of work there, then the mirror is renewed.

All of this runs in the writer thread. Keys are those of the mirror.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from mqtools.constants.options import MQPMO_FAIL_IF_QUIESCING, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError, UsageError
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations import remote_move
from mqtools.operations.browsed_queue import base_of
from mqtools.operations.move import MoveResult, Route
from mqtools.operations.stored_messages import load_message
from mqtools.tui.background.mirror_thread import MirrorThread
from mqtools.tui.display.outcome import Outcome

#: Runs on messages there: their numbers to their MsgIds.
_Batch: TypeAlias = Callable[[QueueManagerConnection, Mapping[int, bytes]], MoveResult]

#: Messages in one unit of work.
_BATCH = 100


def transfer(
    there: MirrorThread, here: Connection, route: Route, keys: Sequence[int], outcome: Outcome
) -> Iterator[Outcome]:
    """Move or copy messages. here: to the mirror.  Raises ValueError: a move to where they are."""

    def carry(connection: QueueManagerConnection, msg_ids: Mapping[int, bytes]) -> MoveResult:
        is_within = not route.keeps_original and route.to_q_mgr_name in ("", connection.name)
        if is_within and base_of(connection, route.to_q_name) == route.q_name:
            raise ValueError(f"the messages are already on {route.to_q_name}")
        return remote_move.carry_batch(connection, route, [*msg_ids], msg_ids=msg_ids)

    return _run(there, _msg_ids(there, here, route.q_name, keys), outcome, carry)


def delete(
    there: MirrorThread, here: Connection, q_name: str, keys: Sequence[int], outcome: Outcome
) -> Iterator[Outcome]:
    """Delete messages. here: to the mirror."""
    msg_ids = _msg_ids(there, here, q_name, keys)
    return _run(there, msg_ids, outcome, lambda there, batch: remote_move.delete_batch(there, q_name, batch))


def put(there: MirrorThread, q_name: str, q_mgr_name: str, message: Message) -> None:
    """Put a message. Raises MQError."""
    with _connect(there) as connection:
        connection.put1(q_name, message, MQPMO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING, q_mgr_name=q_mgr_name)
        connection.commit()
    there.renew()


def _run(there: MirrorThread, msg_ids: dict[int, bytes], outcome: Outcome, batch: _Batch) -> Iterator[Outcome]:
    outcome.gone = outcome.total - len(msg_ids)
    left = iter(msg_ids.items())
    try:
        with _connect(there) as connection:
            while (some := dict(islice(left, _BATCH))) and outcome.error is None:
                done = batch(connection, some)
                outcome.done += done.number
                outcome.gone += done.gone
                outcome.error = done.error
                yield outcome
    except MQError as error:
        outcome.error = error
    finally:
        there.renew()
    yield outcome


def _connect(there: MirrorThread) -> QueueManagerConnection:
    assert there.connect is not None, "a read-only session has no writer"
    try:
        return there.connect()
    except UsageError as error:  # the table of channels may have changed
        raise MQError(str(error), MQRC_HOST_NOT_AVAILABLE) from error


def _msg_ids(there: MirrorThread, here: Connection, q_name: str, keys: Sequence[int]) -> dict[int, bytes]:
    """Return the numbers there of messages, and their MsgIds, without those that the mirror knows to be gone."""
    tokens = there.mirror.tokens(q_name)
    found = [load_message(here, seq) for seq in keys if seq in tokens]
    return {tokens[stored.seq]: stored.md.msg_id for stored in found if stored is not None}
