"""Editing of messages in place: each message is replaced in one transaction and keeps its position.

A message keeps its identifier, put date and position unless the edit changes them; a changed priority changes its
position. It is not put again: depth limits do not apply, no report is generated, BackoutCount stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.states import UNLOCKED, at_arrival
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.headers.chain import header_length
from mqtools.lifecycle import message_search
from mqtools.message import MQMD, Message, Property
from mqtools.mqi import delivery, journal, trash
from mqtools.mqi.authority import check_queue
from mqtools.mqi.connection import Connection
from mqtools.mqi.put import fill_defaults
from mqtools.mqi.put_headers import check_headers, properties_text
from mqtools.mqi.put_placement import take_place
from mqtools.mqi.resolution import Target
from mqtools.mqi.transaction import Work
from mqtools.operations.stored_messages import as_message
from mqtools.rules.descriptor import check_descriptor
from mqtools.rules.origins import identity
from mqtools.store import holders
from mqtools.store.messages import insertion, messages, origins
from mqtools.store.messages import trash as trash_statements
from mqtools.store.messages.stored_message import StoredMessage, order_key
from mqtools.store.queues import Queue

#: Characters of a value that the journal shows at most.
_MOST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes to apply to a message.

    fields: of the descriptor, by name.  properties: to set, by name.  unset: names of properties to remove.
    body: bytes that replace the data after the MQ headers; None leaves it.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Property] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    body: bytes | None = None

    def apply(self, message: Message) -> Message:
        kept = {name: value for name, value in message.properties.items() if name not in self.unset}
        data = message.data
        if self.body is not None:
            data = data[: header_length(message.md, data)] + self.body
        return Message(data, message.md.replace(**self.fields), {**kept, **self.properties}, message.deliver_at)


@dataclass(slots=True)
class EditResult:
    """Result of a batch: messages replaced, unchanged, and no longer there; the error that ended it."""

    number: int = 0
    unchanged: int = 0
    gone: int = 0
    error: MQError | None = None


def edit_batch(
    connection: Connection, q_name: str, keys: Sequence[int], change: Callable[[Message], Message]
) -> EditResult:
    """Change unlocked messages in one transaction, up to the first whose changed form is invalid.

    Raises MQError if the queue does not allow gets, and StorageError.
    """
    done = EditResult()
    with connection.work() as work:
        queue = message_search.gettable_queue(work, q_name)
        for key in keys:
            stored = message_search.by_key(work, queue, key, None)
            if stored is None:
                done.gone += 1
                continue
            before = as_message(stored, messages.load_data(work.db, key), work.now_ms)
            try:
                changed = _replace(work, queue, stored, before, change(before))
            except StorageError:
                raise
            except MQError as error:
                done.error = error
                return done
            done.number += changed
            done.unchanged += not changed
    return done


def replace_locked(
    connection: Connection, q_name: str, seq: int, holder_id: int, before: Message, after: Message
) -> None:
    """Replace the message that a handle has locked, and unlock it.

    before: the message when it was locked.
    Raises NoMessageAvailable if the lock is gone, and MQError if the new message is invalid; nothing is changed then.
    """
    with connection.work() as work:
        queue = message_search.readable_queue(work.db, q_name)
        holder = holders.by_id(work.db, holder_id)
        stored = None if holder is None else message_search.by_key(work, queue, seq, holder)
        if stored is None:
            raise NoMessageAvailable(f"the message is no longer on queue {q_name}, or no longer locked")
        _replace(work, queue, stored, before, after)


def check(connection: Connection, q_name: str, seq: int, before: Message, after: Message) -> MQError | None:
    """Return the error that replacing one message by another would raise, or None.

    Raises MQError if the queue cannot be read.
    """
    with connection.work() as work:
        queue = message_search.readable_queue(work.db, q_name)
        stored = messages.by_seq(work.db, seq)
        try:
            if stored is not None:
                _row(work, queue, stored, before, after)
        except StorageError:
            raise
        except MQError as error:
            return error
    return None


def _replace(work: Work, queue: Queue, stored: StoredMessage, before: Message, after: Message) -> bool:
    """Replace one message by another; return False if they are equal. Raises MQError: MQRC_NOT_AUTHORIZED."""
    if after == before:
        return False
    check_queue(work.connection, queue.name, "GET", "PUT", "SETALL")
    row = _row(work, queue, stored, before, after)
    trash.keep(work, queue, stored, trash.EDIT)
    if queue.journal:
        changes = _changes(before, after.replace(md=row.md))
        detail = ", ".join(f"{name} {old} -> {new}" for name, old, new in changes)
        journal.note(work, queue, stored.seq, journal.EDIT, detail=detail)
    messages.remove(work.db, stored)
    insertion.insert(work.db, row, after.data)
    if identity(before.md) != identity(row.md):
        origins.copy(work.db, before.md, row.md)
    if queue.journal:
        journal.note(work, queue, stored.seq, journal.EDIT, arrives=True, detail=detail)
    work.durable |= before.md.persistence == MQPER_PERSISTENT
    work.durable |= row.md.persistence == MQPER_PERSISTENT
    work.wake(queue.id)
    return True


def _row(work: Work, queue: Queue, stored: StoredMessage, before: Message, after: Message) -> StoredMessage:
    """Validate a message as a put does, and return its row. Raises MQError."""
    md = after.md.replace()
    fill_defaults(work, queue, md)
    take_place(work, md, after.data, None, 0, held=False)
    warning = check_descriptor(md, data_length=len(after.data))
    if warning:
        raise MQError("the descriptor has a value that a put would change", warning)
    _check_limits(work, queue, md, len(after.data))
    properties = stored.properties
    if after.replace(md=md) != before.replace(md=md) or _describes_other_data(md, before.md):
        if md.format.startswith("MQ"):
            check_headers(md, after.data, work.qmgr)
        properties = properties_text(md, after.data, after.properties)
    return StoredMessage(
        stored.seq,
        queue.id,
        UNLOCKED,
        at_arrival(None if md.group_id == MQGI_NONE else md.group_id, md.msg_seq_number, md.offset),
        order_key(queue, md.priority, trash_statements.arrival_number(stored)),
        None,
        None,
        _expires_at(work, stored, md, before.md),
        stored.put_at,
        properties,
        len(after.data),
        md,
    )


def _check_limits(work: Work, queue: Queue, md: MQMD, length: int) -> None:
    """Check message length and persistence against the queue. Depth and put inhibition do not apply to an edit."""
    as_is = queue.replace(depth=0, inhibit_put=0)
    delivery.check_limits(work, Target(as_is, (as_is,)), md, length)


def _describes_other_data(md: MQMD, before: MQMD) -> bool:
    fields = ("format", "encoding", "coded_char_set_id")
    return any(getattr(md, field) != getattr(before, field) for field in fields)


def _expires_at(work: Work, stored: StoredMessage, md: MQMD, before: MQMD) -> int | None:
    """Return the expiry time: unchanged unless the edit sets another."""
    if md.expiry == before.expiry:
        return stored.expires_at
    return None if md.expiry <= 0 else insertion.expires_at(work.db, md, work.now_ms)


# Changes in words for the journal


def _changes(before: Message, after: Message) -> Iterator[tuple[str, str, str]]:
    """Yield what differs: each field with its old and new value, data that is long or no text by its length."""
    for name in MQMD.__slots__:
        old, new = getattr(before.md, name), getattr(after.md, name)
        if old != new:
            yield name, _value(old), _value(new)
    names = dict.fromkeys([*before.properties, *after.properties])
    for name in names:
        if before.properties.get(name) != after.properties.get(name):
            yield f"property {name}", _property(before.properties.get(name)), _property(after.properties.get(name))
    if before.data != after.data:
        yield "data", _data(before.data), _data(after.data)


def _value(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex().upper()
    return repr(value) if isinstance(value, str) else str(value)


def _property(value: object) -> str:
    return "(none)" if value is None else _value(getattr(value, "value", value))[:_MOST_SHOWN]


def _data(data: bytes) -> str:
    try:
        text = data.decode("utf-8") if len(data) <= _MOST_SHOWN else ""
    except UnicodeDecodeError:
        text = ""
    return repr(text) if text else f"({len(data)} bytes)"
