"""Definitions of topics, name lists, processes, listeners, services and authentication information.

Topics and authentication information take effect, programs read name lists, and listeners and services are run
(``service_runs``). Processes are kept so that a configuration of IBM MQ is not lost on its way through mqx.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mqtools.constants.objects import MQCA_ALTERATION_DATE, MQCA_ALTERATION_TIME
from mqtools.constants.reasons import MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_NAME_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.rules.attributes.table import attributes_of
from mqtools.rules.local_time import date_and_time
from mqtools.rules.object_names import is_valid_name
from mqtools.rules.stored_objects import INITIAL, KINDS, MODELS
from mqtools.store import objects as statements
from mqtools.store import queues

if TYPE_CHECKING:
    from mqtools.mqi.transaction import Work
    from mqtools.store.database import Database


def names(db: Database, object_type: str) -> list[str]:
    """Return the sorted names of the objects of a type."""
    return sorted({*INITIAL[object_type], *stored_names(db, object_type)})


def stored_names(db: Database, object_type: str) -> list[str]:
    """Return the sorted names of the objects of a type that have been defined or altered."""
    return statements.names(db, KINDS[object_type])


def find(db: Database, object_type: str, name: str) -> dict[str, Any]:
    """Return the attributes of an object by name. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    stored: Mapping[Any, Any] | None = statements.definition(db, KINDS[object_type], name)
    stored = INITIAL[object_type].get(name) if stored is None else stored
    if stored is None:
        raise MQError(
            f"{object_type} {name} does not exist",
            MQRC_UNKNOWN_OBJECT_NAME,
            hint=lambda: did_you_mean(nearest(name, names(db, object_type))),
            q_name=name,
        )
    values = {int(selector): value for selector, value in stored.items()}
    if MQCA_ALTERATION_DATE not in values:
        created = queues.read_qmgr(db)
        values |= {MQCA_ALTERATION_DATE: created["creation_date"], MQCA_ALTERATION_TIME: created["creation_time"]}
    found = {
        row.name: values.get(row.selector or 0, [] if row.many else row.default) for row in attributes_of(object_type)
    }
    return {own_name: value for own_name, value in found.items() if value is not None}


def define(
    work: Work, object_type: str, name: str, values: Mapping[str, Any], *, like: str | None, replace: bool
) -> None:
    """Define an object with the attributes of ``like``, or of the SYSTEM.DEFAULT object of its type.

    Raises MQError: MQRC_OBJECT_NAME_ERROR, MQRC_OBJECT_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME for ``like``.
    """
    if not is_valid_name(name):
        raise MQError(f"{name!r} is not a valid name", MQRC_OBJECT_NAME_ERROR)
    if name in names(work.db, object_type) and not replace:
        raise MQError(f"{object_type} {name} already exists", MQRC_OBJECT_ALREADY_EXISTS, q_name=name)
    start = find(work.db, object_type, like or MODELS[object_type])
    _write(work, object_type, name, {**start, **values})


def alter(work: Work, object_type: str, name: str, values: Mapping[str, Any]) -> None:
    """Change attributes of an object. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    _write(work, object_type, name, {**find(work.db, object_type, name), **values})


def delete(work: Work, object_type: str, name: str) -> None:
    """Delete an object. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    find(work.db, object_type, name)
    if not statements.delete(work.db, KINDS[object_type], name):
        raise MQError(f"{object_type} {name} is there from the start", MQRC_UNKNOWN_OBJECT_NAME, q_name=name)
    work.durable = True


def _write(work: Work, object_type: str, name: str, values: dict[str, Any]) -> None:
    if "names" in values:
        values["name_count"] = len(values["names"])
    values["alteration_date"], values["alteration_time"] = date_and_time(work.now_ms)
    rows = [row for row in attributes_of(object_type) if row.name in values]
    statements.define(work.db, KINDS[object_type], name, {str(row.selector): values[row.name] for row in rows})
    work.durable = True
