"""MQSC commands DISPLAY QUEUE and DISPLAY QMGR."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from mqtools.admin.mqsc.parameters import MqscParameters, WhereFilter
from mqtools.admin.mqsc.report import Response, display_object, none_found
from mqtools.formats.mqsc.script import OBJECT_TYPES, matches_name
from mqtools.mqi import recovery, system_queues
from mqtools.mqi.connection import Connection
from mqtools.mqi.objects.definitions import attributes_of_queue, object_type_of
from mqtools.mqi.resolution import find_queue
from mqtools.rules.attributes.queue import QUEUE_TYPES
from mqtools.rules.attributes.table import attributes_of
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.queues import Queue

if TYPE_CHECKING:
    from mqtools.admin.mqsc.objects import Action

#: Keyword of TYPE in DISPLAY QUEUE, including synonyms, to queue type; ALL is every type.
_TYPE_WORDS = {word: full for word, full in OBJECT_TYPES.items() if full in QUEUE_TYPES} | {"ALL": "ALL"}

#: Attributes that DISPLAY QUEUE always shows.
_ALWAYS = frozenset(("name", "q_type"))


def display_queues(parameters: MqscParameters) -> Action:
    """Parse DISPLAY QUEUE, QLOCAL, QMODEL, QALIAS, QREMOTE: generic name, TYPE, WHERE, attributes or ALL."""
    object_type = parameters.command.object_type
    rows = attributes_of(object_type)
    pattern = parameters.generic_name()
    wanted = parameters.word(_TYPE_WORDS, "TYPE", "QTYPE") if object_type == "QUEUE" else object_type
    where = parameters.filter(rows, object_type)
    names = parameters.requested_attributes(rows, object_type)
    if names is not None and (names or "*" in pattern):
        names = names | _ALWAYS | ({where.attribute.name} if where else set())
    else:
        names = None  # all, for a queue with a full name
    return partial(_display_queues, pattern, None if wanted == "ALL" else wanted, where, names)


def _display_queues(
    pattern: str, wanted: str | None, where: WhereFilter | None, names: frozenset[str] | None, connection: Connection
) -> Response:
    release_dead_holders(connection)
    found = []
    with connection.db.reading():
        for queue in matching_queues(connection.db, pattern, wanted):
            rows = attributes_of(object_type_of(queue.q_type))
            stored = attributes_of_queue(connection.db, queue.name)
            values = {row.name: stored.get(row.name, row.default) for row in rows}
            if where is None or where.passes(values):
                found.append(display_object("AMQ8409I", rows, names, values))
    if not found:
        return none_found(wanted or "queue", pattern)
    return Response([], found)


def matching_queues(db: Database, pattern: str, object_type: str | None) -> Iterator[Queue]:
    """Yield the queues that match a generic name, of one type or of all, sorted by name.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME for a full name of a queue that does not exist.
    """
    names = system_queues.names(db) if "*" in pattern else [pattern]
    for name in names:
        queue = find_queue(db, name, to_use=False)
        if matches_name(pattern, name) and object_type in (None, object_type_of(queue.q_type)):
            yield queue


def release_dead_holders(connection: Connection) -> None:
    """Close the handles of dead processes, so that open counts are true; do nothing on a read-only connection."""
    if connection.db.read_only:
        return
    with connection.work() as work:
        recovery.recover(work)


def display_qmgr(parameters: MqscParameters) -> Action:
    """Parse DISPLAY QMGR: attributes or ALL."""
    rows = attributes_of("QMGR")
    parameters.no_name()
    names = parameters.requested_attributes(rows, "QMGR")
    return partial(_display_qmgr, names | {"q_mgr_name"} if names else None)


def _display_qmgr(names: frozenset[str] | None, connection: Connection) -> Response:
    with connection.db.reading():
        values = queues.read_qmgr(connection.db)
    return Response([], [display_object("AMQ8408I", attributes_of("QMGR"), names, values)])
