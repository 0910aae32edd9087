"""Queues that every queue manager has: the file contains such a queue from its first use or change on."""

from __future__ import annotations

from mqtools.constants.objects import MQQDT_PREDEFINED
from mqtools.rules.attributes.queue import QUEUE_TYPES
from mqtools.rules.attributes.table import defaults
from mqtools.rules.system_queues import SYSTEM_QUEUES
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.queues import Queue

_STAMP = ("date", "time")
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


def initial_attributes(object_type: str) -> dict[str, object]:
    """Return the attributes of a new queue of a type, where no SYSTEM.DEFAULT queue changes them."""
    return {**_NEUTRAL, **defaults(object_type)}


def names(db: Database) -> list[str]:
    """Return the sorted names of all queues, including those that are not in the file yet."""
    return sorted({*SYSTEM_QUEUES, *queues.names(db)})


def attributes(db: Database, name: str) -> dict[str, object]:
    """Return all attributes of a queue; empty where it does not exist."""
    found = queues.read_all(db, name)
    if found is not None or name not in SYSTEM_QUEUES:
        return found or {}
    object_type, own = SYSTEM_QUEUES[name]
    q_mgr = queues.read_qmgr(db)
    made = {f"{which}_{part}": q_mgr[f"creation_{part}"] for which in ("creation", "alteration") for part in _STAMP}
    return {**initial_attributes(object_type), "name": name, "q_type": QUEUE_TYPES[object_type], **own, **made}


def stored(db: Database, name: str) -> Queue | None:
    """Return a queue for a transaction that writes; write its definition where the file does not contain it yet."""
    found = queues.by_name(db, name)
    if found is not None or name not in SYSTEM_QUEUES:
        return found
    queues.define(db, attributes(db, name), holds_messages=SYSTEM_QUEUES[name][0] == "QLOCAL")
    return queues.by_name(db, name)


def look_up(db: Database, name: str) -> Queue | None:
    """Return a queue; with id 0 and no messages where the file does not contain it yet."""
    found = queues.by_name(db, name)
    if found is not None or name not in SYSTEM_QUEUES:
        return found
    return Queue.not_stored(attributes(db, name))
