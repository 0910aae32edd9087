"""Move, copy and deletion of messages within a queue manager elsewhere: in units of work, of MQGET and MQPUT.

A message to move is locked while it is put on the target, and then got: no other program can get it in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP
from mqtools.constants.options import (
    MQOO_FAIL_IF_QUIESCING,
    MQOO_OUTPUT,
    MQOO_SET_ALL_CONTEXT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN
from mqtools.errors import MQError
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.operations.browsed_queue import BrowsedQueue, depth_of
from mqtools.operations.move import MoveResult, Route
from mqtools.store.messages.stored_message import StoredMessage

_OPEN = MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING
_PUT = MQPMO_SYNCPOINT | MQPMO_SET_ALL_CONTEXT | MQPMO_FAIL_IF_QUIESCING
_UNKNOWN: Mapping[int, bytes] = MappingProxyType({})


def groups(
    connection: QueueManagerConnection, q_name: str, chosen: Sequence[StoredMessage]
) -> Iterator[tuple[bytes, list[int] | None]]:
    """Yield the groups of some messages, and the numbers of all messages of each in logical order.

    None for a group if another program may hold one of its messages: the group is incomplete, and not all messages of
    the queue can be browsed.
    """
    with BrowsedQueue(connection, q_name) as queue:
        there = list(queue.select(max_length=0))
    is_held = depth_of(connection, q_name) > len(there)
    for group_id in dict.fromkeys(stored.md.group_id for stored in chosen):
        group = [stored for stored in there if stored.md.group_id == group_id]
        group.sort(key=lambda stored: (stored.md.msg_seq_number, stored.md.offset))
        numbers = list(dict.fromkeys(stored.md.msg_seq_number for stored in group))
        is_counted = numbers == list(range(1, len(numbers) + 1))
        is_partly_held = group and is_held and not (is_counted and group[-1].md.msg_flags & MQMF_LAST_MSG_IN_GROUP)
        yield group_id, None if is_partly_held else [stored.seq for stored in group]


def carry_batch(
    connection: QueueManagerConnection,
    route: Route,
    keys: Sequence[int],
    *,
    whole: bool = False,
    is_group: bool = False,
    msg_ids: Mapping[int, bytes] = _UNKNOWN,
) -> MoveResult:
    """Move or copy messages in one unit of work, up to the first that the target refuses: see ``move.carry_batch``.

    msg_ids: MsgIds of the keys; a message with another one counts as gone.
    """
    done = MoveResult()
    with BrowsedQueue(connection, route.q_name, gets=not route.keeps_original) as source:
        try:
            with connection.open(route.to_q_name, _OPEN, q_mgr_name=route.to_q_mgr_name) as target:
                _carry_all(source, target, {key: msg_ids.get(key) for key in keys}, done, keeps=route.keeps_original)
        except MQError as error:
            if error.reason == MQRC_CONNECTION_BROKEN:
                raise
            done.error = error
        if (whole and done.error is not None) or (is_group and done.gone):
            connection.backout()
            return MoveResult(0, len(keys) if done.error is None else 0, done.error)
        connection.commit()
    return done


def delete_batch(connection: QueueManagerConnection, q_name: str, msg_ids: Mapping[int, bytes]) -> MoveResult:
    """Delete messages in one unit of work, by getting them. msg_ids: keys to MsgIds, as for ``carry_batch``.

    Raises MQError; then the unit of work is left to the caller.
    """
    done = MoveResult()
    with BrowsedQueue(connection, q_name, gets=True) as source:
        _carry_all(source, None, msg_ids, done)
        connection.commit()
    return done


def _carry_all(
    source: BrowsedQueue,
    target: OpenQueue | None,
    msg_ids: Mapping[int, bytes | None] | Mapping[int, bytes],
    done: MoveResult,
    *,
    keeps: bool = False,
) -> None:
    """Carry messages and count them. Raises MQError of the first put that fails; its message stays.

    target: None to delete them.  msg_ids: keys to MsgIds, None where they are unknown.
    """
    for key, msg_id in msg_ids.items():
        found = source.lock(key, takes=not keeps)
        if found is None or msg_id not in (None, found.md.msg_id):
            done.gone += 1
            continue
        if target is not None:
            target.put(found, _PUT)
        if not keeps:
            source.take_locked()
        done.number += 1
