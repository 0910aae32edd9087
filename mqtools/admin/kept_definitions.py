"""Definitions that MQSC keeps: topics, name lists, processes, listeners and services.

Topics take effect, and programs read name lists. The others are kept so that a configuration of IBM MQ is not lost on
its way through mqx; no listener or service is started. What PCF knows of an object is where PCF keeps it; all other
keywords are stored separately as they were written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mqtools.constants import objects
from mqtools.constants.reasons import MQRC_OBJECT_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.rules.attributes.kept_keywords import KEYWORDS
from mqtools.rules.attributes.table import attributes_of, by_keyword, format_value, parse_parameter, parse_value
from mqtools.rules.pcf.stored_objects import NAMELIST, PROCESS
from mqtools.rules.pcf.topics import TOPIC
from mqtools.store import objects as statements

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mqtools.mqi.transaction import Work
    from mqtools.rules.pcf.stored_objects import Kind
    from mqtools.store.database import Database

    #: Keyword to its values; None for a keyword alone.
    Definition = dict[str, list[str] | None]


@dataclass(frozen=True, slots=True)
class KeptType:
    """An object type. model: object that has the defaults of new ones.  kind: in PCF, None where mqx has none.

    shared: keyword to the parameter of PCF.
    """

    model: str
    kind: Kind | None = None
    shared: Mapping[str, int] = field(default_factory=dict)


#: Object type of MQSC to how it is kept.
TYPES = {
    "TOPIC": KeptType(
        TOPIC.model, TOPIC, {row.keyword: row.selector for row in attributes_of("TOPIC") if row.selector is not None}
    ),
    "NAMELIST": KeptType(NAMELIST.model, NAMELIST, {"NAMES": objects.MQCA_NAMES, "DESCR": objects.MQCA_NAMELIST_DESC}),
    "PROCESS": KeptType(
        PROCESS.model,
        PROCESS,
        {
            "DESCR": objects.MQCA_PROCESS_DESC,
            "APPLICID": objects.MQCA_APPL_ID,
            "USERDATA": objects.MQCA_USER_DATA,
            "ENVRDATA": objects.MQCA_ENV_DATA,
        },
    ),
    "LISTENER": KeptType("SYSTEM.DEFAULT.LISTENER.TCP"),
    "SERVICE": KeptType("SYSTEM.DEFAULT.SERVICE"),
}


def keywords(object_type: str) -> frozenset[str]:
    """Return the keywords of a type, of DEFINE and of DISPLAY."""
    return KEYWORDS[object_type].union(row.keyword for row in attributes_of(object_type))


def names(db: Database, object_type: str) -> list[str]:
    """Return the sorted names of the objects of a type."""
    kept = TYPES[object_type]
    return sorted({kept.model, *(kept.kind.born if kept.kind else ()), *stored_names(db, object_type)})


def stored_names(db: Database, object_type: str) -> list[str]:
    """Return the sorted names of the objects of a type that have been defined or altered."""
    kind = TYPES[object_type].kind
    return sorted({*statements.names(db, _beside(object_type)), *(statements.names(db, kind.kind) if kind else ())})


def _beside(object_type: str) -> str:
    """Return the kind under which the keywords lie that PCF does not know."""
    return f"mqsc {object_type.lower()}"


def find(db: Database, object_type: str, name: str) -> Definition:
    """Return the keywords of an object. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    kept = TYPES[object_type]
    stored: Mapping[Any, Any] | None = statements.definition(db, kept.kind.kind, name) if kept.kind else None
    if stored is None and kept.kind and name in kept.kind.born:
        stored = kept.kind.born[name]
    others = statements.definition(db, _beside(object_type), name)
    if stored is None and others is None and name != kept.model:
        raise MQError(
            f"{object_type} {name} does not exist",
            MQRC_UNKNOWN_OBJECT_NAME,
            hint=lambda: did_you_mean(nearest(name, names(db, object_type))),
            q_name=name,
        )
    found = {keyword: values for keyword, values in (others or {}).items() if keyword not in kept.shared}
    return {**_from_pcf(object_type, stored or {}), **found}


def _from_pcf(object_type: str, stored: Mapping[Any, Any]) -> Definition:
    """Return the keywords of values by parameter number, which is text where they come from JSON."""
    kept = TYPES[object_type]
    found: Definition = {}
    defaults: Mapping[int, Any] = {} if kept.kind is None else kept.kind.defaults
    for keyword, number in kept.shared.items():
        value = stored.get(str(number), stored.get(number, defaults.get(number)))
        row = by_keyword(object_type, keyword)
        if value not in (None, "", []):
            values = value if isinstance(value, list) else [value]
            found[keyword] = [str(each) if row is None else format_value(row, each) for each in values]
    return found


def define(work: Work, object_type: str, name: str, values: Definition, *, like: str | None, replace: bool) -> None:
    """Define an object with the attributes of ``like``, or of the SYSTEM.DEFAULT object of its type.

    Raises MQError: MQRC_OBJECT_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME for ``like``.
    """
    if name in names(work.db, object_type) and not replace:
        raise MQError(f"{object_type} {name} already exists", MQRC_OBJECT_ALREADY_EXISTS, q_name=name)
    start = find(work.db, object_type, like or TYPES[object_type].model)
    _write(work, object_type, name, {**start, **values})


def alter(work: Work, object_type: str, name: str, values: Definition) -> None:
    """Change keywords of an object. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    _write(work, object_type, name, {**find(work.db, object_type, name), **values})


def delete(work: Work, object_type: str, name: str) -> None:
    """Delete an object. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    find(work.db, object_type, name)
    kind = TYPES[object_type].kind
    statements.delete(work.db, _beside(object_type), name)
    if kind is not None:
        statements.delete(work.db, kind.kind, name)
    work.durable = True


def check(object_type: str, keyword: str, values: list[str] | None) -> str | None:
    """Return what is wrong with a keyword of a definition; None if nothing is."""
    if by_keyword(object_type, keyword) is not None:
        try:
            parse_parameter(object_type, keyword, values)
        except ValueError as error:
            return str(error)
    elif keyword in TYPES[object_type].shared and keyword != "NAMES" and (values is None or len(values) != 1):
        return f"{keyword} takes one value; a value with blanks stands in quotes"
    return None


def is_default(object_type: str, keyword: str, values: list[str] | None) -> bool:
    """Return whether a valid keyword has the value that a new object has."""
    row = by_keyword(object_type, keyword)
    return row is not None and values is not None and parse_value(row, values[0]) == row.default


def _write(work: Work, object_type: str, name: str, values: Definition) -> None:
    kept = TYPES[object_type]
    others = {keyword: given for keyword, given in values.items() if keyword not in kept.shared}
    if kept.kind is not None:
        stored: dict[str, object] = {str(number): value for number, value in kept.kind.defaults.items()}
        for keyword, number in kept.shared.items():
            if keyword in values:
                stored[str(number)] = _to_pcf(object_type, keyword, values[keyword] or [])
        if kept.kind is NAMELIST:
            stored[str(objects.MQIA_NAME_COUNT)] = len(values.get("NAMES") or [])
        statements.define(work.db, kept.kind.kind, name, stored)
    if others or kept.kind is None:
        statements.define(work.db, _beside(object_type), name, others)
    else:
        statements.delete(work.db, _beside(object_type), name)
    work.durable = True


def _to_pcf(object_type: str, keyword: str, values: list[str]) -> object:
    if keyword == "NAMES":
        return [value for value in values if value.strip()]
    row = by_keyword(object_type, keyword)
    return values[0].rstrip(" ") if row is None else parse_value(row, values[0])
