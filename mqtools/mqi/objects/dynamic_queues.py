"""Dynamic queues: created from a model queue by an open, deleted by a close or with their connection."""

from __future__ import annotations

from mqtools.constants.objects import (
    MANAGED_DURABLE,
    MANAGED_SHARED,
    MQQDT_PERMANENT_DYNAMIC,
    MQQDT_TEMPORARY_DYNAMIC,
)
from mqtools.constants.options import MQCO_DELETE, MQCO_DELETE_PURGE
from mqtools.constants.reasons import (
    MQRC_DYNAMIC_Q_NAME_ERROR,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_NOT_EMPTY,
)
from mqtools.errors import MQError
from mqtools.mqi import recovery, system_queues
from mqtools.mqi.identity import new_id
from mqtools.mqi.objects.definitions import define_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.object_names import is_valid_name
from mqtools.store import holders, queues
from mqtools.store.queues import Queue

#: Attributes of the model that the queue made of it does not take over.
_OWN = ("id", "name", "q_type", "creator_id")
#: The last position in a name where an asterisk is replaced.
_LAST_ASTERISK = 33


def create_dynamic(work: Work, model_name: str, dynamic_q_name: str, connection_id: int) -> str:
    """Create a local queue from a model queue; return its name.

    dynamic_q_name: the name, or its beginning and ``*``, which is filled up to be unique.
    Raises MQError: MQRC_DYNAMIC_Q_NAME_ERROR for an invalid name, MQRC_OBJECT_ALREADY_EXISTS for a used one.
    """
    name = _name(work, dynamic_q_name)
    values = system_queues.attributes(work.db, model_name)
    for own in _OWN:
        values.pop(own, None)
    if values["definition_type"] not in (MQQDT_TEMPORARY_DYNAMIC, MQQDT_PERMANENT_DYNAMIC):
        values["definition_type"] = MQQDT_TEMPORARY_DYNAMIC
    values["creator_id"] = connection_id
    define_queue(work, "QLOCAL", name, values)
    return name


def create_managed(work: Work, *, is_durable: bool = True) -> str:
    """Create the queue of a subscription that is durable or shared; return its name."""
    name = _name(work, f"{MANAGED_DURABLE if is_durable else MANAGED_SHARED}*")
    kind, creator = (MQQDT_PERMANENT_DYNAMIC, None) if is_durable else (MQQDT_TEMPORARY_DYNAMIC, work.connection.id)
    define_queue(work, "QLOCAL", name, {"definition_type": kind, "creator_id": creator})
    return name


def _name(work: Work, wanted: str) -> str:
    name = wanted
    if wanted.endswith("*") and len(wanted) <= _LAST_ASTERISK:
        name = wanted[:-1] + new_id(work.qmgr.name)[-8:].hex().upper()
    if not is_valid_name(name):
        raise MQError(f"{wanted!r} is not a valid name for a dynamic queue", MQRC_DYNAMIC_Q_NAME_ERROR)
    if queues.by_name(work.db, name) is not None:
        raise MQError(f"queue {name} already exists", MQRC_OBJECT_ALREADY_EXISTS)
    return name


def delete_on_close(work: Work, queue: Queue, options: int, *, made_by_handle: bool) -> None:
    """Delete a dynamic queue whose handle has just been closed with MQCO_DELETE or MQCO_DELETE_PURGE.

    made_by_handle: the handle's open made the queue; a temporary one goes with it, whatever the options and with
    all its messages.
    Raises MQError: MQRC_Q_NOT_EMPTY, MQRC_OBJECT_IN_USE.
    """
    if made_by_handle and queue.definition_type == MQQDT_TEMPORARY_DYNAMIC:
        recovery.drop_temporary_queue(work, queue.id)
        return
    if not options & (MQCO_DELETE | MQCO_DELETE_PURGE):
        return
    if holders.of_queue(work.db, queue.id, "handle"):
        raise MQError(f"queue {queue.name} is open elsewhere", MQRC_OBJECT_IN_USE)
    fresh = queues.by_id(work.db, queue.id) or queue
    if fresh.uncommitted or (fresh.depth and not options & MQCO_DELETE_PURGE):
        raise MQError(f"queue {queue.name} is not empty", MQRC_Q_NOT_EMPTY)
    recovery.drop(work, fresh, "the queue was deleted")
