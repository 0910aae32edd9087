"""Delivery of a message to a queue: limits, and its row. Its arrival report is made in ``report_messages``."""

from __future__ import annotations

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.objects import COMMAND_QUEUE, MQQDT_TEMPORARY_DYNAMIC
from mqtools.constants.reasons import (
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_STORAGE_MEDIUM_FULL,
)
from mqtools.constants.states import ALONE, DELAYED, PUT_UNCONFIRMED, UNLOCKED, at_arrival
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.mqi.resolution import Target
from mqtools.mqi.transaction import Work
from mqtools.store import queues
from mqtools.store.definition_cache import PERFORMANCE_EVENTS
from mqtools.store.failures import HINT_WHEN_FULL
from mqtools.store.log import disk_room
from mqtools.store.messages import insertion
from mqtools.store.messages.stored_message import CHUNK, StoredMessage, order_key, seq_of
from mqtools.store.queues import Queue

#: Causes of puts that continue while there is little room on the disk: they come with a get, or remove the original.
_PUT_WHATEVER_ROOM = ("report", "move", "dead_letter")


def deliver(
    work: Work,
    target: Target,
    md: MQMD,
    data: bytes,
    properties: str | None = None,
    holder_id: int | None = None,
) -> StoredMessage:
    """Place a message on the queue that a target leads to, or on its transmission queue.

    md: complete, with nothing left "as queue default"; expiry in tenths of a second from now.
    properties: JSON text.  holder_id: unit of work or confirm id that the put belongs to, None for at once.
    Raises MQError: MQRC_PUT_INHIBITED, MQRC_Q_FULL, MQRC_MSG_TOO_BIG_FOR_Q, MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_PERSISTENT_NOT_ALLOWED, MQRC_NOT_AUTHORIZED.  Source: BEY-37 to BEY-43, BEY-86, BEY-90, RPT-03, RPT-35.
    """
    check_limits(work, target, md, len(data))
    return place_on_the_way(work, target, md, data, properties, holder_id)


def place_on_the_way(
    work: Work, target: Target, md: MQMD, data: bytes, properties: str | None, holder_id: int | None
) -> StoredMessage:
    """Place a message whose limits were checked."""
    detail = None
    if target.is_remote:
        from mqtools.mqi.distributed_queuing.transmission import wrap

        md, data = wrap(work, md, data, target.remote_q_name, target.remote_q_mgr_name)
        detail = f"for {target.remote_q_name} at {target.remote_q_mgr_name}"
    return place(work, target.queue, md, data, properties, holder_id, detail)


def check_limits(work: Work, target: Target, md: MQMD, length: int) -> None:
    """Check the limits of the queues on the way. Raises MQError as ``deliver``."""
    queue = target.queue
    if work.connection.relays:
        from mqtools.mqi.distributed_queuing.remote_commands import check_relayed

        check_relayed(work.db, queue.name)
    if queue.depth >= queue.max_q_depth:
        _recover_room(work, queue)
    if (work.db.is_room_low or length > CHUNK) and not (work.cause and work.cause[0] in _PUT_WHATEVER_ROOM):
        _check_room(work, length)

    for definition in target.path:
        if definition.inhibit_put:
            raise MQError(f"puts are inhibited on queue {definition.name}", MQRC_PUT_INHIBITED, q_name=definition.name)
    if length > queue.max_msg_length:
        raise MQError(
            f"the message has {length} bytes, queue {queue.name} takes {queue.max_msg_length}",
            MQRC_MSG_TOO_BIG_FOR_Q,
            q_name=queue.name,
        )
    if length > work.qmgr.max_msg_length:
        raise MQError(
            f"the message has {length} bytes, queue manager {work.qmgr.name} takes {work.qmgr.max_msg_length}",
            MQRC_MSG_TOO_BIG_FOR_Q_MGR,
        )
    if queue.depth >= queue.max_q_depth:
        raise MQError(
            f"queue {queue.name} is full",
            MQRC_Q_FULL,
            hint=f"its depth is {queue.depth}: get some messages, or"
            f" mqx mqsc 'ALTER QLOCAL({queue.name}) MAXDEPTH({min(max(queue.max_q_depth, 1) * 2, 999_999_999)})'",
            q_name=queue.name,
        )
    if md.persistence == MQPER_PERSISTENT and queue.definition_type == MQQDT_TEMPORARY_DYNAMIC:
        raise MQError(f"queue {queue.name} is temporary and takes no persistent messages", MQRC_PERSISTENT_NOT_ALLOWED)


def _check_room(work: Work, length: int) -> None:
    """Raise MQError unless the disk has room for a message."""
    name = work.qmgr.name
    if work.db.is_room_low:
        words = f"queue manager {name}: the disk is full: puts are refused, gets and deletes work"
    elif not disk_room.has_room(work.db, length):
        words = f"queue manager {name}: the disk has too little room for a message of {length} bytes"
    else:
        return
    raise MQError(words, MQRC_STORAGE_MEDIUM_FULL, hint=HINT_WHEN_FULL)


def _recover_room(work: Work, queue: Queue) -> None:
    """Release uncommitted messages of dead connections where the queue is full."""
    from mqtools.mqi import recovery

    if queue.uncommitted and recovery.recover(work, queue.id):
        fresh = queues.by_id(work.db, queue.id)
        if fresh is not None:
            queue.depth, queue.uncommitted = fresh.depth, fresh.uncommitted


def place(
    work: Work,
    queue: Queue,
    md: MQMD,
    data: bytes,
    properties: str | None,
    holder_id: int | None,
    detail: str | None = None,
) -> StoredMessage:
    """Insert the row of a message that arrives on a queue, and count it. detail: for the journal."""
    if work.qmgr.events & PERFORMANCE_EVENTS:
        work.change_depth(queue, 1)
    number = queues.count_arrivals(work.db, queue, work.now_ms, 1, held=holder_id is not None)
    stored = arrival(work, queue, md, len(data), properties, holder_id, number)
    insertion.insert(work.db, stored, data)
    work.placed.append(stored.seq)
    if queue.name == COMMAND_QUEUE:
        from mqtools.mqi.distributed_queuing.remote_commands import mark_command

        mark_command(work, stored.seq)
    if queue.journal or (work.cause and work.cause[0] == "replay"):  # a replay belongs to the past of its original
        from mqtools.mqi import journal

        held, is_long = holder_id is not None, len(data) > CHUNK
        journal.note(
            work,
            queue,
            stored.seq,
            journal.PUT,
            arrives=True,
            after=stored.state,
            held=held,
            detail=detail,
            is_long=is_long,
        )
    notify_arrival(work, queue, md.persistence, held=holder_id is not None)
    return stored


def arrival(
    work: Work,
    queue: Queue,
    md: MQMD,
    data_length: int,
    properties: str | None,
    holder_id: int | None,
    number: int,
) -> StoredMessage:
    """Return the stored form of a message that arrives on a queue. number: of the arrival."""
    state = UNLOCKED if holder_id is None else PUT_UNCONFIRMED
    if work.deliver_at is not None and holder_id is None:
        state = DELAYED
    return StoredMessage(
        seq_of(queue.id, number),
        queue.id,
        state,
        ALONE if md.group_id == MQGI_NONE else at_arrival(md.group_id, md.msg_seq_number, md.offset),
        order_key(queue, md.priority, number),
        holder_id,
        None,
        None if md.expiry <= 0 else insertion.expires_at(work.db, md, work.now_ms),
        work.now_ms,
        properties,
        data_length,
        md,
        deliver_at=work.deliver_at,
    )


def notify_arrival(work: Work, queue: Queue, persistence: int, *, held: bool) -> None:
    """Note what has to follow a stored message: serve a command, wake a waiting get, flush."""
    if queue.name == COMMAND_QUEUE:
        work.command_came(held=held)
    if not held:
        work.durable |= persistence == MQPER_PERSISTENT
        if queue.waiters:
            work.wake(queue.id)
