"""Commands on queues: define, alter, delete, clear, display, and their statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_Q_TYPE_ERROR
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import OBJECT_TYPES
from mqtools.mqi import queue_statistics, system_queues
from mqtools.mqi.clear import clear_in_steps, clear_some
from mqtools.mqi.objects import definitions
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.queue import QUEUE_TYPES
from mqtools.rules.attributes.table import WORD, Table, attributes_of
from mqtools.rules.commands.command import (
    FORCE,
    GENERIC,
    REASONS,
    REPLACE,
    AdminCommand,
    CommandParameter,
    ParameterError,
    flag,
    ignored,
    like,
    name,
)
from mqtools.rules.object_names import matches_name
from mqtools.rules.security.authorities import QUEUE
from mqtools.store.database import Database
from mqtools.store.queues import Queue

#: Table of the attributes of a row, and its values by name.
Row: TypeAlias = tuple[Table, Mapping[str, Any]]


def define(work: Work, object_type: str, name: str, values: dict[str, object], like: str | None, replace: bool) -> None:
    """Define a queue, with the attributes of ``like``. Raises MQError as ``definitions.define_queue``."""
    if like is not None:
        try:
            definitions.find_of_type(work.db, object_type, like)
        except MQError as error:
            raise ParameterError(error.text, error.reason, "like", hint=error.hint) from error
    definitions.define_queue(work, object_type, name, values, like=like, replace=replace)


def type_of(db: Database, name: str, object_type: str) -> str:
    """Return the type of a queue. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_Q_TYPE_ERROR."""
    return definitions.object_type_of(definitions.find_of_type(db, object_type, name).q_type)


def clear(work: Work, name: str) -> None:
    """Clear a queue, or do the last step of it."""
    try:
        clear_some(work, name)
    except MQError as error:
        if error.reason == MQRC_OBJECT_IN_USE:
            raise ParameterError(error.text, error.reason, "name") from error
        raise


def show(db: Database, name: str, object_type: str | None) -> Iterator[Row]:
    """Yield the queues that match a generic name, of one type or all."""
    for queue in matching(db, name, object_type):
        own_type = definitions.object_type_of(queue.q_type)
        values = definitions.attributes_of_queue(db, queue.name)
        yield own_type, {row.name: values.get(row.name, row.default) for row in attributes_of(own_type)}


def matching(db: Database, pattern: str, object_type: str | None) -> Iterator[Queue]:
    """Yield the queues that match a generic name, of one type or of all, sorted by name.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME for a full name of a queue that does not exist.
    """
    for each in system_queues.names(db) if "*" in pattern else [pattern]:
        queue = find_queue(db, each, to_use=False)
        if matches_name(pattern, each) and object_type in (None, "", definitions.object_type_of(queue.q_type)):
            yield queue


def show_names(db: Database, name: str, object_type: str | None) -> Iterator[Row]:
    """Yield one row with the names and types of all queues that match a generic name."""
    named = [each for each in system_queues.names(db) if matches_name(name, each)]
    every = [find_queue(db, each, to_use=False) for each in named]
    found = [queue for queue in every if object_type in (None, "", definitions.object_type_of(queue.q_type))]
    yield "QUEUE NAMES", {"names": [queue.name for queue in found], "types": [queue.q_type for queue in found]}


def reset_statistics(work: Work, name: str) -> Iterator[Row]:
    """Yield the counts of messages since the last reset of each queue that matches a generic name, and reset them."""
    for found in list(matching(work.db, name, "QLOCAL")):
        yield "QSTATS", {"name": found.name, **queue_statistics.reset_statistics(work, find_queue(work.db, found.name))}


_TYPE = CommandParameter(
    "", "object_type", o.MQIA_Q_TYPE, WORD, words=tuple((word, word) for word in QUEUE_TYPES),
    numbers=dict(QUEUE_TYPES), reason=c.MQRCCF_Q_TYPE_ERROR, required=True,
)  # fmt: skip
#: Type that narrows: ALL, and none, is every type.
_ANY_TYPE = CommandParameter(
    "TYPE", "object_type", o.MQIA_Q_TYPE, WORD, synonyms=("QTYPE",), reason=c.MQRCCF_Q_TYPE_ERROR,
    words=(*((word, full) for word, full in OBJECT_TYPES.items() if full in QUEUE_TYPES), ("ALL", "")),
    numbers={**QUEUE_TYPES, "": o.MQQT_ALL},
)  # fmt: skip
#: Type of the queue, which the object type is in MQSC.
_OWN_TYPE = replace(_ANY_TYPE, keyword="", synonyms=(), default="QUEUE", numbers={**QUEUE_TYPES, "QUEUE": o.MQQT_ALL})
_TYPES = tuple(QUEUE_TYPES)
_NAME, _PATTERN = name(o.MQCA_Q_NAME), name(o.MQCA_Q_NAME, GENERIC)
_PURGE = flag("PURGE", "purge", c.MQIACF_PURGE, c.MQRCCF_PURGE_VALUE_ERROR)
_REMOVE_AUTHORITIES = ignored(c.MQIACF_REMOVE_AUTHREC)

COMMANDS = (
    AdminCommand(
        verb="DEFINE", object_types=_TYPES, number=c.MQCMD_CREATE_Q, copy_number=c.MQCMD_COPY_Q, do=define, sets=True,
        parameters=(like(c.MQCACF_FROM_Q_NAME), name(o.MQCA_Q_NAME, copied_to=c.MQCACF_TO_Q_NAME), _TYPE, REPLACE),
        done="AMQ8006I", protects=QUEUE,
        reasons={**REASONS, ("like", MQRC_Q_TYPE_ERROR): c.MQRCCF_LIKE_OBJECT_WRONG_TYPE},
    ),
    AdminCommand(
        verb="ALTER", object_types=_TYPES, number=c.MQCMD_CHANGE_Q, do=definitions.alter_queue,
        type_of=type_of, sets=True,
        parameters=(_NAME, _OWN_TYPE, FORCE), done="AMQ8008I", protects=QUEUE,
    ),
    AdminCommand(
        verb="DELETE", object_types=("QLOCAL",), number=c.MQCMD_DELETE_Q, do=definitions.delete_queue,
        parameters=(_NAME, _OWN_TYPE, _PURGE, *_REMOVE_AUTHORITIES), done="AMQ8007I", protects=QUEUE,
    ),
    AdminCommand(
        verb="DELETE", object_types=_TYPES[1:], do=definitions.delete_queue, parameters=(_NAME, _OWN_TYPE),
        done="AMQ8007I", protects=QUEUE,
    ),
    AdminCommand(
        verb="CLEAR", object_types=("QLOCAL",), number=c.MQCMD_CLEAR_Q, do=clear, steps=clear_in_steps,
        parameters=(_NAME,), done="AMQ8022I", protects=QUEUE,
    ),
    AdminCommand(
        verb="DISPLAY", object_types=(*_TYPES, "QUEUE"), number=c.MQCMD_INQUIRE_Q, do=show, shows=True,
        parameters=(_PATTERN, _ANY_TYPE), asked=c.MQIACF_Q_ATTRS, always=("name", "q_type"), is_brief=True,
        recovers=True, done="AMQ8409I", missing="queue", protects=QUEUE,
    ),
    AdminCommand(
        verb="DISPLAY", number=c.MQCMD_INQUIRE_Q_NAMES, do=show_names, shows=True, table="QUEUE NAMES",
        parameters=(_PATTERN, _ANY_TYPE), filters=False, protects=QUEUE,
    ),
    AdminCommand(
        verb="RESET", number=c.MQCMD_RESET_Q_STATS, do=reset_statistics, shows=True, table="QSTATS",
        parameters=(_PATTERN,), filters=False, protects=QUEUE, missing="queue",
    ),
)  # fmt: skip
