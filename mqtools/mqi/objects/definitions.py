"""Object definitions: DEFINE, ALTER, DELETE and CLEAR of queues, and ALTER QMGR, on attributes by name."""

from __future__ import annotations

from mqtools.constants.objects import MQMDS_PRIORITY, MQQT_LOCAL, MQQT_MODEL
from mqtools.constants.options import MQOO_OUTPUT
from mqtools.constants.reasons import (
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_Q_NOT_EMPTY,
    MQRC_Q_TYPE_ERROR,
)
from mqtools.errors import MQError
from mqtools.mqi import journal, recovery, system_queues, trash
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.queue import QUEUE_TYPES
from mqtools.rules.local_time import stamp
from mqtools.rules.object_names import is_valid_name
from mqtools.rules.options.open import INPUT_OPTIONS
from mqtools.rules.system_queues import DEFAULT_QUEUES, SYSTEM_QUEUES
from mqtools.store import holders, queues
from mqtools.store.collection import COLLECTED, note_collection
from mqtools.store.database import Database
from mqtools.store.messages import delivery_order
from mqtools.store.queues import Queue


def define_queue(
    work: Work,
    object_type: str,
    name: str,
    values: dict[str, object],
    *,
    like: str | None = None,
    replace: bool = False,
) -> int:
    """Define a queue; return its id.

    object_type: QLOCAL, QMODEL, QALIAS or QREMOTE.  values: attributes by name, what is missing comes
    from the queue ``like``, of the same type, or from the SYSTEM.DEFAULT queue of the type.  replace: give a queue of
    the same type that is there already all these attributes; its messages stay.
    Raises MQError: MQRC_OBJECT_NAME_ERROR when the name is not one, MQRC_OBJECT_ALREADY_EXISTS when it is
    taken, and for ``like`` MQRC_UNKNOWN_OBJECT_NAME, MQRC_Q_TYPE_ERROR.
    """
    if not is_valid_name(name):
        raise MQError(f"{name!r} is not a valid queue name", MQRC_OBJECT_NAME_ERROR)
    row = system_queues.initial_attributes(object_type)
    default = DEFAULT_QUEUES[object_type]
    if like is not None or queues.by_name(work.db, default) is not None:
        row.update(_attributes_like(work, object_type, like or default))
    row.update(values, name=name, q_type=QUEUE_TYPES[object_type])
    existing = system_queues.stored(work.db, name)
    if existing is not None:
        if not replace or existing.q_type != QUEUE_TYPES[object_type]:
            kind = object_type_of(existing.q_type)
            raise MQError(f"queue {name} already exists, as a {kind}", MQRC_OBJECT_ALREADY_EXISTS)
        _redefine(work, existing, {**row, **_kept_attributes(work, existing)})
        return existing.id
    row.update(stamp("creation", work.now_ms), **stamp("alteration", work.now_ms))
    work.durable = True
    queue_id = queues.define(work.db, row, holds_messages=object_type == "QLOCAL")
    _note_collection(work, row)
    if row["journal"] and object_type == "QLOCAL":
        made = queues.by_id(work.db, queue_id)
        assert made is not None
        journal.set_level(work, made, made.journal)
    return queue_id


def _attributes_like(work: Work, object_type: str, like: str) -> dict[str, object]:
    """Return the attributes of another queue of the same type that a new queue takes over."""
    values = system_queues.attributes(work.db, find_of_type(work.db, object_type, like, to_use=False).name)
    own = ("id", "name", "q_type", "creator_id")
    for name in own if object_type == "QMODEL" else (*own, "definition_type"):
        values.pop(name, None)
    return values


def _kept_attributes(work: Work, queue: Queue) -> dict[str, object]:
    """Return what a queue keeps when it is redefined: its creator and creation time."""
    now = queues.read_all(work.db, queue.name) or {}
    kept = ("creator_id", "creation_date", "creation_time")
    return {name: now[name] for name in (kept if queue.q_type == MQQT_MODEL else (*kept, "definition_type"))}


def alter_queue(work: Work, object_type: str, name: str, values: dict[str, object]) -> None:
    """Change attributes of a queue, at once for all open handles.

    object_type: as in ``define_queue``, or QUEUE for whatever it is.
    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_Q_TYPE_ERROR.
    """
    queue = find_of_type(work.db, object_type, name)
    _redefine(work, queue, {**(queues.read_all(work.db, name) or {}), **values})


def _redefine(work: Work, queue: Queue, values: dict[str, object]) -> None:
    """Write all attributes of an existing queue; reorder its messages and wake waiters where needed."""
    values.update(stamp("alteration", work.now_ms))
    if queue.q_type == MQQT_LOCAL and values["journal"] != queue.journal:
        journal.set_level(work, queue, int(str(values["journal"])))
    queues.redefine(work.db, queue.id, values)
    _note_collection(work, values)
    if queue.q_type == MQQT_LOCAL and values["msg_delivery_sequence"] != queue.msg_delivery_sequence:
        by_priority = values["msg_delivery_sequence"] == MQMDS_PRIORITY
        journal.note_order(work, queue)
        delivery_order.reorder(work.db, queue.id, by_priority=by_priority)
    work.durable = True
    work.wake(queue.id if queue.q_type == MQQT_LOCAL else None)  # a wait ends when gets become inhibited


def find_of_type(db: Database, object_type: str, name: str, *, to_use: bool = True) -> Queue:
    """Find a queue of a type; QUEUE is any. to_use: as for ``find_queue``.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_Q_TYPE_ERROR.
    """
    queue = find_queue(db, name, to_use=to_use)
    if object_type != "QUEUE" and queue.q_type != QUEUE_TYPES[object_type]:
        raise MQError(f"queue {name} is a {object_type_of(queue.q_type)}, not a {object_type}", MQRC_Q_TYPE_ERROR)
    return queue


def delete_queue(work: Work, object_type: str, name: str, *, purge: bool = False) -> int:
    """Delete a queue; return the number of messages deleted with it.

    purge: also when messages are on it, but not when a program holds one of them.
    Raises MQError: MQRC_Q_NOT_EMPTY, MQRC_UNKNOWN_OBJECT_NAME, MQRC_Q_TYPE_ERROR, MQRC_OBJECT_IN_USE also for a queue
    that every queue manager has.
    """
    queue = find_of_type(work.db, object_type, name)
    if name in SYSTEM_QUEUES:
        raise MQError(f"cannot delete queue {name}: every queue manager has it", MQRC_OBJECT_IN_USE)
    recovery.recover(work)
    if holders.of_queue(work.db, queue.id, "handle"):
        raise MQError(f"queue {name} is open", MQRC_OBJECT_IN_USE)
    messages_left = _depth(work, queue)
    if messages_left and not purge:
        raise MQError(
            f"queue {name} is not empty: depth {messages_left}",
            MQRC_Q_NOT_EMPTY,
            hint=f"DELETE QLOCAL({name}) PURGE",
        )
    _refuse_held(work, queue)
    trash.keep_queue(work, queue, trash.PURGE)
    recovery.drop(work, queue, words_of_command(work, f"DELETE QLOCAL({name}) PURGE"))
    work.durable = True
    return messages_left


def _depth(work: Work, queue: Queue) -> int:
    """Return the depth after a recovery; 0 for a queue that holds no messages."""
    fresh = queues.by_id(work.db, queue.id)
    return (fresh.depth if fresh is not None else 0) or 0


def _refuse_held(work: Work, queue: Queue) -> None:
    """Check that no message is locked or uncommitted: its holder counts on it."""
    _, uncommitted, _, _, locked, _ = queues.status(work.db, queue.id)
    if uncommitted or locked or holders.of_queue(work.db, queue.id, "confirm"):
        raise MQError(f"queue {queue.name} has locked or uncommitted messages", MQRC_OBJECT_IN_USE)


def clearable_queue(work: Work, name: str) -> Queue:
    """Return a local queue that can be cleared.

    Raises MQError: MQRC_OBJECT_IN_USE while it is open or has locked or uncommitted messages.
    """
    queue = find_of_type(work.db, "QLOCAL", name)
    recovery.recover(work)
    if holders.of_queue(work.db, queue.id, "handle"):
        raise MQError(f"queue {name} is open", MQRC_OBJECT_IN_USE)
    _refuse_held(work, queue)
    return queue


def words_of_command(work: Work, command: str) -> str:
    """Return a command as the journal records it: whether the messages can be restored."""
    return command if work.connection.trash is None else f"{command}, trashed"


def alter_qmgr(work: Work, values: dict[str, object]) -> None:
    """Change attributes of the queue manager."""
    now = queues.read_qmgr(work.db)
    now.update(values, **stamp("alteration", work.now_ms))
    queues.define_qmgr(work.db, now)
    note_collection(work.db)
    work.durable = True


def attributes_of_queue(db: Database, name: str) -> dict[str, object]:
    """Return all attributes of a queue by name, including the counters that DISPLAY shows.

    The open counts are those recorded in the file: call ``recovery.recover`` first where they must be
    exact.
    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME.
    """
    queue = find_queue(db, name, to_use=False)
    values = system_queues.attributes(db, name)
    if queue.q_type == MQQT_LOCAL:
        values["current_q_depth"] = queue.depth
        opened = holders.open_counts(db, queue.id, INPUT_OPTIONS, MQOO_OUTPUT)
        values["open_input_count"], values["open_output_count"] = opened
    return values


def object_type_of(q_type: int) -> str:
    """Return the MQSC keyword of a queue type."""
    for word, value in QUEUE_TYPES.items():
        if value == q_type:
            return word
    raise MQError(f"there is no queue type {q_type}", MQRC_OBJECT_TYPE_ERROR)


def _note_collection(work: Work, values: dict[str, object]) -> None:
    """Note whether anything is collected, where the attributes of a queue may have changed that."""
    if work.qmgr.collects or any(int(str(values.get(name, 0))) > 0 for name in COLLECTED):
        note_collection(work.db)
