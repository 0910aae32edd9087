"""Definitions that MQSC keeps: topics, name lists, processes, listeners and services.

Topics take effect, programs read name lists, and listeners and services are run (``service_runs``). The others are kept
so that a configuration of IBM MQ is not lost on its way through mqx. What PCF knows of an object is where PCF keeps it;
all other keywords are stored separately as they were written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mqtools.constants import cmqc, objects
from mqtools.constants.reasons import MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_NAME_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.rules.attributes import auth_info
from mqtools.rules.attributes.kept_keywords import KEYWORDS
from mqtools.rules.attributes.table import (
    TEXT,
    Attribute,
    attributes_of,
    by_keyword,
    format_value,
    parse_parameter,
    parse_value,
)
from mqtools.rules.local_time import date_and_time
from mqtools.rules.object_names import is_valid_name
from mqtools.rules.pcf import stored_objects as kinds
from mqtools.rules.pcf.topics import TOPIC
from mqtools.store import objects as statements

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mqtools.mqi.transaction import Work
    from mqtools.store.database import Database

    #: Keyword to its values; None for a keyword alone.
    Definition = dict[str, list[str] | None]
    #: Number of an attribute to its value, for what PCF has; keyword to its values for the others.
    Stored = dict[int | str, Any]


#: Object type of MQSC to how it is kept.
TYPES = {
    "TOPIC": TOPIC,
    "NAMELIST": kinds.NAMELIST,
    "PROCESS": kinds.PROCESS,
    "LISTENER": kinds.LISTENER,
    "SERVICE": kinds.SERVICE,
    "AUTHINFO": kinds.AUTH_INFO,
}


#: Numbers of the date and time of the last change.
_STAMP = (objects.MQCA_ALTERATION_DATE, objects.MQCA_ALTERATION_TIME)


def keywords(object_type: str) -> frozenset[str]:
    """Return the keywords of a type, of DEFINE and of DISPLAY."""
    return KEYWORDS.get(object_type, frozenset()).union(row.keyword for row in attributes_of(object_type))


def rows(object_type: str) -> tuple[Attribute, ...]:
    """Return the attributes of a type that DISPLAY can show, and its name, each under its keyword in lower case."""
    kept, found = (
        TYPES[object_type],
        [Attribute(object_type, object_type.lower(), TYPES[object_type].name or None, TEXT)],
    )
    for keyword in sorted(keywords(object_type)):
        own = by_keyword(object_type, keyword) or Attribute(keyword, "", kept.shared.get(keyword), TEXT)
        found.append(replace(own, name=keyword.lower()))
    return tuple(found)


def names(db: Database, object_type: str) -> list[str]:
    """Return the sorted names of the objects of a type."""
    own = {TYPES[object_type].model, *TYPES[object_type].born, *stored_names(db, object_type)}
    return sorted(own - {""})


def stored_names(db: Database, object_type: str) -> list[str]:
    """Return the sorted names of the objects of a type that have been defined or altered."""
    return sorted({*statements.names(db, _beside(object_type)), *statements.names(db, TYPES[object_type].kind)})


def _beside(object_type: str) -> str:
    """Return the kind under which the keywords lie that PCF does not know."""
    return f"mqsc {object_type.lower()}"


def find(db: Database, object_type: str, name: str) -> Stored:
    """Return the attributes of an object. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    kept = TYPES[object_type]
    stored: Mapping[Any, Any] | None = statements.definition(db, kept.kind, name) if kept.kind else None
    stored = kept.born.get(name) if stored is None else stored
    others = statements.definition(db, _beside(object_type), name)
    if stored is None and others is None and name != kept.model:
        raise MQError(
            f"{object_type} {name} does not exist",
            MQRC_UNKNOWN_OBJECT_NAME,
            hint=lambda: did_you_mean(nearest(name, names(db, object_type))),
            q_name=name,
        )
    defaults: Mapping[Any, Any] = kept.defaults
    found: Stored = {**(dict.fromkeys(_STAMP, "") if kept.kind else {}), **defaults}
    found |= {int(number): value for number, value in (stored or {}).items()}
    return found | {keyword: values for keyword, values in (others or {}).items() if keyword not in kept.shared}


def as_keywords(object_type: str, stored: Stored) -> Definition:
    """Return the attributes that have a value by keyword, with the texts of their values."""
    found: Definition = {key: values for key, values in stored.items() if isinstance(key, str)}
    for keyword, number in TYPES[object_type].shared.items():
        value, row = stored.get(number), by_keyword(object_type, keyword)
        if value not in (None, "", []) and (row is None or row.settable):
            values = value if isinstance(value, list) else [value]
            found[keyword] = [str(each) if row is None else format_value(row, each) for each in values]
    return found


def define(work: Work, object_type: str, name: str, values: Stored, *, like: str | None, replace: bool) -> None:
    """Define an object with the attributes of ``like``, or of the SYSTEM.DEFAULT object of its type.

    Raises MQError: MQRC_OBJECT_NAME_ERROR, MQRC_OBJECT_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME for ``like``.
    """
    if not is_valid_name(name):
        raise MQError(f"{name!r} is not a valid name", MQRC_OBJECT_NAME_ERROR)
    if name in names(work.db, object_type) and not replace:
        raise MQError(f"{object_type} {name} already exists", MQRC_OBJECT_ALREADY_EXISTS, q_name=name)
    start = find(work.db, object_type, like or TYPES[object_type].model)
    _write(work, object_type, name, {**start, **values})


def alter(work: Work, object_type: str, name: str, values: Stored) -> None:
    """Change attributes of an object. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    _write(work, object_type, name, {**find(work.db, object_type, name), **values})


def delete(work: Work, object_type: str, name: str) -> None:
    """Delete an object. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    find(work.db, object_type, name)
    kinds_of_it = (_beside(object_type), TYPES[object_type].kind)
    if not any([statements.delete(work.db, kind, name) for kind in kinds_of_it]):
        raise MQError(f"{object_type} {name} is there from the start", MQRC_UNKNOWN_OBJECT_NAME, q_name=name)
    work.durable = True


def check(object_type: str, keyword: str, values: list[str] | None) -> str | None:
    """Return what is wrong with a keyword of a definition; None if nothing is."""
    row = by_keyword(object_type, keyword)
    if row is not None and not row.many:
        try:
            parse_parameter(object_type, keyword, values)
        except ValueError as error:
            return str(error)
    elif row is None and keyword in TYPES[object_type].shared and (values is None or len(values) != 1):
        return f"{keyword} takes one value; put a value with blanks in quotes"
    return None


def is_default(object_type: str, keyword: str, values: list[str] | None) -> bool:
    """Return whether a valid keyword has the value that a new object has."""
    row = by_keyword(object_type, keyword)
    return row is not None and not row.many and values is not None and parse_value(row, values[0]) == row.default


def _write(work: Work, object_type: str, name: str, values: Stored) -> None:
    kept = TYPES[object_type]
    if kept is kinds.NAMELIST:
        given = values[objects.MQCA_NAMES]
        values[objects.MQCA_NAMES] = [given] if isinstance(given, str) else given
        values[objects.MQIA_NAME_COUNT] = len(values[objects.MQCA_NAMES])
    if kept is kinds.AUTH_INFO and values[cmqc.MQIA_AUTH_INFO_TYPE] == cmqc.MQAIT_IDPW_OS:
        for number, value in auth_info.DEFAULTS.items():
            values.setdefault(number, value)
    others = {key: given for key, given in values.items() if isinstance(key, str)}
    if kept.kind:
        values.update(zip(_STAMP, date_and_time(work.now_ms), strict=True))
        stored = {str(key): value for key, value in values.items() if isinstance(key, int)}
        statements.define(work.db, kept.kind, name, stored)
    if others or not kept.kind:
        statements.define(work.db, _beside(object_type), name, others)
    else:
        statements.delete(work.db, _beside(object_type), name)
    work.durable = True


def parse(object_type: str, keyword: str, values: list[str] | None) -> tuple[int | str, Any]:
    """Return a valid keyword as it is stored: by its number if it has one, and its value."""
    number = TYPES[object_type].shared.get(keyword)
    if number is None:
        return keyword, values
    row, text = by_keyword(object_type, keyword), (values or [""])[0]
    if row is not None and row.many:
        return number, [value for value in values or () if value.strip()]
    return number, text.rstrip(" ") if row is None else parse_value(row, text)
