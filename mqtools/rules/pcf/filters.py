"""Filters of inquiries in PCF: operators for each type of value, and evaluation."""

from __future__ import annotations

from mqtools.constants import administration as a
from mqtools.formats.mqsc.script import matches_name
from mqtools.rules.attributes.table import COMPARISONS, LIST_OPERATORS, PATTERN_OPERATORS

#: Operator of PCF to that of MQSC.
_OPERATORS = {
    a.MQCFOP_LESS: "LT",
    a.MQCFOP_EQUAL: "EQ",
    a.MQCFOP_GREATER: "GT",
    a.MQCFOP_NOT_LESS: "GE",
    a.MQCFOP_NOT_EQUAL: "NE",
    a.MQCFOP_NOT_GREATER: "LE",
    a.MQCFOP_LIKE: "LK",
    a.MQCFOP_NOT_LIKE: "NL",
    a.MQCFOP_CONTAINS: "CT",
    a.MQCFOP_EXCLUDES: "EX",
    a.MQCFOP_CONTAINS_GEN: "CTG",
    a.MQCFOP_EXCLUDES_GEN: "EXG",
}


def is_operator(operator: int, wanted: int | str | bytes, *, many: bool) -> bool:
    """Return whether an operator exists for filters with such a value. many: the attribute has several values."""
    word = _OPERATORS.get(operator)
    if many:
        return word in LIST_OPERATORS
    return word in COMPARISONS or (isinstance(wanted, str) and word in PATTERN_OPERATORS)


def passes(operator: int, wanted: int | str | bytes, value: object) -> bool:
    """Return whether a value passes a filter; None, or one of another type, does not."""
    word = _OPERATORS.get(operator, "")
    if word in LIST_OPERATORS:
        has, expected = LIST_OPERATORS[word]
        return isinstance(value, (list, tuple)) and has(wanted, value) is expected
    if type(value) is not type(wanted):
        return False
    if word in PATTERN_OPERATORS:
        return matches_name(str(wanted), str(value)) is PATTERN_OPERATORS[word]
    return word in COMPARISONS and COMPARISONS[word](value, wanted)
