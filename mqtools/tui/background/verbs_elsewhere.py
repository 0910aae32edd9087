"""Verbs on messages of a queue manager elsewhere: each batch is a unit of work there, then the mirror is renewed.

All of this runs in the writer thread. Keys are those of the mirror.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from mqtools.admin.new_queue_manager import create_private
from mqtools.configuration.paths import home
from mqtools.constants.options import MQPMO_FAIL_IF_QUIESCING, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError, NoMessageAvailable, UsageError
from mqtools.message import Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.identity import now_ms
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations import remote_move
from mqtools.operations.browsed_queue import base_of
from mqtools.operations.elsewhere.mirror import define_copy
from mqtools.operations.elsewhere.pull import Pull
from mqtools.operations.elsewhere.push import Push
from mqtools.operations.elsewhere.removed_dump import RemovedDump
from mqtools.operations.key_snapshot import select_keys
from mqtools.operations.move import MoveResult, Route
from mqtools.operations.selection import EVERYTHING
from mqtools.operations.session_upkeep import close_file
from mqtools.operations.stored_messages import as_message, load_data, load_message
from mqtools.tui.background.mirror_thread import MirrorThread
from mqtools.tui.display.outcome import Outcome

#: Runs on messages there: their numbers to their MsgIds.
_Batch: TypeAlias = Callable[[QueueManagerConnection, Mapping[int, bytes]], MoveResult]

#: Dump of the messages that edits have replaced.
REMOVED = "remote-removed.jsonl"
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


def copy_to_edit(here: Connection, q_name: str, key: int) -> str:
    """Pull a message from the mirror to a queue manager of its own in a temporary folder; return its path.

    here: to the mirror.  Raises MQError.
    """
    stored = load_message(here, key)
    if stored is None:
        raise NoMessageAvailable("the message is gone")
    message = as_message(stored, load_data(here, key), now_ms())
    path = os.path.join(tempfile.mkdtemp(prefix="mqx-"), f"{here.name}.db")
    try:
        copy = create_private(path, here.name)
        try:
            with copy.work() as work:
                define_copy(work, q_name)
            error = Pull(copy, here.q_mgr_id, q_name).add([message])
        finally:
            close_file(copy)
        if error is not None:
            raise error
    except BaseException:
        drop_copy(path)
        raise
    return path


def drop_copy(path: str) -> None:
    """Delete a copy with its folder."""
    shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def push_edited(there: MirrorThread, path: str, q_name: str) -> str:
    """Replace a message there by its edited copy; return the result of the push.

    Before, the message is written to a dump in the folder of the queue managers.  Raises MQError, OSError, ValueError.
    """
    try:
        with (
            connect(path) as copy,
            _connect(there) as connection,
            RemovedDump(os.path.join(home(), REMOVED)) as dump,
        ):
            push = Push(copy, connection, q_name, save=lambda message: dump.add(message, connection.name, q_name))
            (key,) = select_keys(copy, q_name, EVERYTHING)
            result = push.message(key)
    except UsageError as error:
        raise ValueError(str(error)) from error
    there.renew()
    return result


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
