"""Object definitions: DEFINE, ALTER, DELETE and CLEAR of queues, and ALTER QMGR, on attributes by name."""

from __future__ import annotations

import time

from mqtools.constants.objects import (
    MQQDT_PREDEFINED,
    MQQT_ALIAS,
    MQQT_LOCAL,
    MQQT_MODEL,
    MQQT_REMOTE,
)
from mqtools.constants.reasons import (
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_Q_NOT_EMPTY,
    MQRC_Q_TYPE_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError
from mqtools.qmgr import recovery
from mqtools.qmgr.resolution import find_queue
from mqtools.store import holders, queues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.qmgr.work import Work
    from mqtools.store.queues import Queue

#: Object type in MQSC to the queue type it defines.
Q_TYPES = {"QLOCAL": MQQT_LOCAL, "QMODEL": MQQT_MODEL, "QALIAS": MQQT_ALIAS, "QREMOTE": MQQT_REMOTE}
#: Values of columns that an object type has no attribute for.
_NEUTRAL: dict[str, object] = {
    "definition_type": MQQDT_PREDEFINED,
    "creator_id": None,
    "inhibit_get": 0,
    "def_input_open_option": 2,
    "shareability": 1,
    "max_q_depth": 0,
    "max_msg_length": 104857600,
    "msg_delivery_sequence": 0,
    "backout_threshold": 0,
    "backout_req_q_name": "",
    "usage": 0,
    "npm_class": 0,
    "property_control": 0,
    "index_type": 0,
    "base_q_name": "",
    "remote_q_name": "",
    "remote_q_mgr_name": "",
    "xmit_q_name": "",
    "trigger_control": 0,
    "trigger_type": 0,
    "trigger_depth": 1,
    "trigger_msg_priority": 0,
    "trigger_data": "",
    "process_name": "",
    "initiation_q_name": "",
    "journal": 0,
}


def define_queue(work: Work, object_type: str, name: str, values: dict[str, object], *, like: str | None = None) -> int:
    """Define a queue; give its id.

    object_type: QLOCAL, QMODEL, QALIAS or QREMOTE.  values: attributes by name, what is missing comes
    from the queue ``like`` or from the defaults.
    Raises MQError: MQRC_OBJECT_NAME_ERROR when the name is not one or is taken.
    """
    from mqtools.qmgr.admin import is_valid_name
    from mqtools.rules.attributes import defaults

    if not is_valid_name(name):
        raise MQError(f"{name!r} is no name for a queue", MQRC_OBJECT_NAME_ERROR)
    if queues.by_name(work.db, name) is not None:
        raise MQError(f"queue {name} exists already", MQRC_OBJECT_NAME_ERROR)
    base: dict[str, object] = dict(defaults(object_type))
    if like is not None:
        base.update(_copied(work, like))
    date, clock = _stamp(work)
    row = {
        **_NEUTRAL,
        **base,
        **values,
        "name": name,
        "q_type": Q_TYPES[object_type],
        "creation_date": date,
        "creation_time": clock,
        "alteration_date": date,
        "alteration_time": clock,
    }
    work.durable = True
    return queues.define(work.db, row, holds_messages=object_type == "QLOCAL")


def _copied(work: Work, like: str) -> dict[str, object]:
    """The attributes of another queue, without what is its own."""
    values = queues.read_all(work.db, like)
    if values is None:
        raise MQError(f"queue {like} does not exist", MQRC_UNKNOWN_OBJECT_NAME)
    for own in ("id", "name", "q_type", "definition_type", "creator_id"):
        values.pop(own, None)
    return values


def alter_queue(work: Work, object_type: str, name: str, values: dict[str, object]) -> None:
    """Change attributes of a queue. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_Q_TYPE_ERROR."""
    queue = _of_type(work, object_type, name)
    now = queues.read_all(work.db, name) or {}
    date, clock = _stamp(work)
    now.update(values, alteration_date=date, alteration_time=clock)
    queues.redefine(work.db, queue.id, now)
    work.durable = True
    work.wake(queue.id if queue.q_type == MQQT_LOCAL else None)  # a wait ends when gets become inhibited


def _of_type(work: Work, object_type: str, name: str) -> Queue:
    queue = find_queue(work.db, name)
    if object_type != "QUEUE" and queue.q_type != Q_TYPES[object_type]:
        raise MQError(f"queue {name} is not a {object_type}", MQRC_Q_TYPE_ERROR)
    return queue


def delete_queue(work: Work, object_type: str, name: str, *, purge: bool = False) -> int:
    """Delete a queue; give the number of messages that went with it.

    purge: also when messages are on it.
    Raises MQError: MQRC_Q_NOT_EMPTY, MQRC_OBJECT_IN_USE, MQRC_UNKNOWN_OBJECT_NAME, MQRC_Q_TYPE_ERROR.
    """
    queue = _of_type(work, object_type, name)
    recovery.recover(work)
    if any(holders.of_queue(work.db, queue.id, "handle")):
        raise MQError(f"queue {name} is open", MQRC_OBJECT_IN_USE)
    messages_left = 0
    if queue.q_type == MQQT_LOCAL:
        messages_left = (queues.by_id(work.db, queue.id) or queue).depth
        if messages_left and not purge:
            raise MQError(
                f"queue {name} holds {messages_left} messages", MQRC_Q_NOT_EMPTY, hint=f"DELETE QLOCAL({name}) PURGE"
            )
        if (queues.by_id(work.db, queue.id) or queue).uncommitted:
            raise MQError(f"queue {name} has uncommitted messages", MQRC_Q_NOT_EMPTY)
    queues.drop(work.db, queue.id)
    work.durable = True
    return messages_left


def clear_queue(work: Work, name: str) -> int:
    """Remove all messages of a local queue; give their number.

    Raises MQError: MQRC_OBJECT_IN_USE while it is open or has uncommitted messages.
    """
    queue = _of_type(work, "QLOCAL", name)
    recovery.recover(work)
    fresh = queues.by_id(work.db, queue.id) or queue
    if any(holders.of_queue(work.db, queue.id, "handle")) or fresh.uncommitted:
        raise MQError(f"queue {name} is open or has uncommitted messages", MQRC_OBJECT_IN_USE)
    work.durable = True
    return queues.clear(work.db, queue.id)


def alter_qmgr(work: Work, values: dict[str, object]) -> None:
    """Change attributes of the queue manager."""
    now = queues.read_qmgr(work.db)
    date, clock = _stamp(work)
    now.update(values, alteration_date=date, alteration_time=clock)
    queues.define_qmgr(work.db, now)
    work.durable = True


def display_queue(work: Work, name: str) -> dict[str, object]:
    """Give all attributes of a queue, the counters that DISPLAY shows included."""
    from mqtools.qmgr.connection import INPUT_OPTIONS
    from mqtools.constants.options import MQOO_OUTPUT

    values = queues.read_all(work.db, name)
    if values is None:
        raise MQError(f"queue {name} does not exist", MQRC_UNKNOWN_OBJECT_NAME)
    queue = queues.by_name(work.db, name)
    if queue is not None and queue.q_type == MQQT_LOCAL:
        values["current_q_depth"] = queue.depth
        opened = holders.open_counts(work.db, queue.id, INPUT_OPTIONS, MQOO_OUTPUT)
        values["open_input_count"], values["open_output_count"] = opened
    return values


def object_type_of(q_type: int) -> str:
    """Give the MQSC word of a queue type."""
    for word, value in Q_TYPES.items():
        if value == q_type:
            return word
    raise MQError(f"there is no queue type {q_type}", MQRC_OBJECT_TYPE_ERROR)


def _stamp(work: Work) -> tuple[str, str]:
    moment = time.localtime(work.now_ms // 1000)
    return time.strftime("%Y-%m-%d", moment), time.strftime("%H.%M.%S", moment)
