"""Filters of inquiries in PCF: operators for each type of value."""

from __future__ import annotations

from mqtools.constants import administration as a
from mqtools.rules.attributes.table import COMPARISONS, LIST_OPERATORS, PATTERN_OPERATORS

#: Operator of PCF to that of MQSC.
OPERATORS = {
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
    word = OPERATORS.get(operator)
    if many:
        return word in LIST_OPERATORS
    return word in COMPARISONS or (isinstance(wanted, str) and word in PATTERN_OPERATORS)
