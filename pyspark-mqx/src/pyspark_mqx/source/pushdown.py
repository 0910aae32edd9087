"""Filter pushdown: the Spark filters that the store can evaluate, as conditions of a scan.

Spark evaluates the filters that are not in the tables here: patterns in identifiers, computed columns, numbers with a
fraction. A filter becomes a condition only if SQL gives the same result as Spark for every row.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mqtools.arrow.columns import EVENT, MESSAGE, TEXTS
from mqtools.constants.states import STATE_NAMES
from mqtools.message import BYTE_FIELDS
from mqtools.operations.pushdown import of_put_time
from mqtools.predicates import Condition
from mqtools.store.scans.scan import JOURNAL, PLAIN

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter

    from mqtools.predicates import Predicate

#: Name of a Spark filter to the operator of a condition.
_OPERATORS = {
    "EqualTo": "=",
    "EqualNullSafe": "=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "In": "in",
    "StringStartsWith": "starts",
    "StringEndsWith": "ends",
    "StringContains": "contains",
}
#: Name of a filter to the side of a put time that it keeps; Spark compares the time itself.
_SIGNS = {"LessThan": "<", "LessThanOrEqual": "<", "GreaterThan": ">", "GreaterThanOrEqual": ">"}
#: Put times that can be compared as texts: after 1970, and before the year 9999. Milliseconds.
_FIRST, _LAST = 1_000, 253_370_764_800_000
_ON_TEXT_ONLY = ("starts", "ends", "contains")

#: Values of one ``in`` at most; a longer list stays with Spark.
_MOST_VALUES = 500

#: Columns of time, milliseconds in the store.
_TIMES = ("arrived_at", "event_at")

#: Column to the one of the store that has its value, where that has another name.
_STORED_AS = {"arrived_at": "put_at"}

#: Identifiers that the store has null for none: there a negation would leave them out.
_NULL_FOR_NONE = ("correl_id", "group_id")

#: Columns whose value is never null: ``is null`` needs no read.
_NEVER_NULL = frozenset((*MESSAGE, *EVENT)) - {"properties", "dlh", "data"}


def push(filters: Iterable[Filter], table: str) -> tuple[list[Predicate], list[Filter]]:
    """Return conditions for filters, and the filters that Spark has to evaluate itself.

    table: MESSAGES or JOURNAL. A put time is two texts in the store, which narrows the rows; Spark still filters them.
    """
    conditions: list[Predicate] = []
    left: list[Filter] = []
    for each in filters:
        condition = condition_of(each, table)
        narrower = narrow_put_time(each)
        if narrower is not None:
            conditions.append(narrower)
        if condition is None:
            left.append(each)
        else:
            conditions.append(condition)
    return conditions, left


def narrow_put_time(given: Filter) -> Predicate | None:
    """Return a condition that all messages meet that pass a filter on the put time, None for any other filter."""
    sign = _SIGNS.get(type(given).__name__)
    if sign is None or _path_of(given) != ("put_at",):
        return None
    value = given.value  # type: ignore[attr-defined]
    if not isinstance(value, datetime) or not _FIRST <= (limit := _micros(value) // 1000) < _LAST:
        return None
    return of_put_time(sign, limit + 1 if sign == "<" else limit - 1)


def condition_of(given: Filter, table: str) -> Condition | None:
    """Return the condition equal to a filter, None if the store cannot evaluate it."""
    name = type(given).__name__
    if name == "Not":
        inner = condition_of(given.child, table)  # type: ignore[attr-defined]
        if inner is None or inner.column in _NULL_FOR_NONE:
            return None
        return inner.replace(negated=not inner.negated)
    attribute = _path_of(given)
    if len(attribute) != 1 or not _is_stored(attribute[0], table):
        return None
    column = attribute[0]
    if name in ("IsNull", "IsNotNull"):
        return Condition("seq", "nothing", negated=name == "IsNotNull") if column in _NEVER_NULL else None
    operator = _OPERATORS.get(name)
    value: object = given.value  # type: ignore[attr-defined]
    if operator is None or value is None:
        return None
    if operator == "in":
        return _membership(column, value)
    stored = _stored(column, operator, value)
    return None if stored is None else Condition(_STORED_AS.get(column, column), operator, stored)


def _path_of(given: Filter) -> tuple[str, ...]:
    """Return the column of a filter, and the field in it, in lower case."""
    return tuple(map(str.lower, given.attribute))  # type: ignore[attr-defined]


def _is_stored(column: str, table: str) -> bool:
    if column in ("expiry", "version", "data", "outcome", "qmgr", "put_at"):
        return False
    column = _STORED_AS.get(column, column)
    if table != JOURNAL and (column in EVENT or column == "queue"):
        return False
    return column in PLAIN or (column in BYTE_FIELDS and column != "accounting_token")


def _membership(column: str, values: object) -> Condition | None:
    if not isinstance(values, (tuple, list)) or len(values) > _MOST_VALUES or any(each is None for each in values):
        return None
    stored = [_stored(column, "=", each) for each in values]
    if any(each is None for each in stored):
        return None
    return Condition(_STORED_AS.get(column, column), "in", tuple(stored))


def _stored(column: str, operator: str, value: object) -> object | None:
    """Return a value as it is stored, None if it cannot be compared in the store."""
    if column in BYTE_FIELDS:
        return _identifier(column, value) if operator == "=" else None
    if column == "state":
        return STATE_NAMES.index(value) if operator == "=" and value in STATE_NAMES else None
    if column in _TIMES:
        return _milliseconds(value, operator)
    if column in TEXTS or (column in EVENT and column != "event_seq") or column == "queue":
        # SQLite ends a text at a NUL where it looks into it.
        return value if isinstance(value, str) and value and "\0" not in value else None
    if isinstance(value, bool) or not isinstance(value, int) or operator in _ON_TEXT_ONLY:
        return None
    return value


def _identifier(column: str, value: object) -> bytes | None:
    """Return an identifier as it is stored, None for zeros and what is no upper-case hex of full length."""
    if not isinstance(value, str) or len(value) != 2 * BYTE_FIELDS[column] or value != value.upper():
        return None
    try:
        raw = bytes.fromhex(value)
    except ValueError:
        return None
    return raw if any(raw) and len(raw) == BYTE_FIELDS[column] else None


def _milliseconds(value: object, operator: str) -> int | None:
    """Return a time in whole milliseconds; None if it lies between two and the comparison cannot be moved."""
    if not isinstance(value, datetime):
        return None
    micros = _micros(value)
    if micros % 1000 == 0:
        return micros // 1000
    return micros // 1000 if operator in ("<=", ">") else None


def _micros(value: datetime) -> int:
    """Return the microseconds of a time since 1970; a time without a zone is UTC."""
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    delta = aware - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def named_values(given: Filter) -> tuple[str, set[str]]:
    """Return the column and the values of a filter for equality; an empty name for any other."""
    kind = type(given).__name__
    if kind == "EqualTo":
        return _path_of(given)[0], {given.value}  # type: ignore[attr-defined]
    if kind == "In":
        return _path_of(given)[0], set(given.value)  # type: ignore[attr-defined]
    return "", set()
