"""Filters of inquiries in PCF: operators for each type of value, and evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mqtools.constants.administration import (
    MQCFOP_EQUAL,
    MQCFOP_GREATER,
    MQCFOP_LESS,
    MQCFOP_LIKE,
    MQCFOP_NOT_EQUAL,
    MQCFOP_NOT_GREATER,
    MQCFOP_NOT_LESS,
    MQCFOP_NOT_LIKE,
)
from mqtools.formats.mqsc.script import matches_name

#: Operator to what it asks of a value (left) and the filter's (right), both integers, texts or bytes. An operator
#: that is in none of these tables is for attributes with several values, of which there is none to filter by.
_COMPARISONS: dict[int, Callable[[Any, Any], bool]] = {
    MQCFOP_LESS: lambda value, wanted: value < wanted,
    MQCFOP_EQUAL: lambda value, wanted: value == wanted,
    MQCFOP_GREATER: lambda value, wanted: value > wanted,
    MQCFOP_NOT_LESS: lambda value, wanted: value >= wanted,
    MQCFOP_NOT_EQUAL: lambda value, wanted: value != wanted,
    MQCFOP_NOT_GREATER: lambda value, wanted: value <= wanted,
}
#: Operator on a text to whether it has to fit the pattern.
_PATTERNS = {MQCFOP_LIKE: True, MQCFOP_NOT_LIKE: False}


def is_operator(operator: int, wanted: int | str | bytes) -> bool:
    """Return whether an operator exists for filters with such a value."""
    return operator in _COMPARISONS or (isinstance(wanted, str) and operator in _PATTERNS)


def passes(operator: int, wanted: int | str | bytes, value: object) -> bool:
    """Return whether a value passes a filter; None, or one of another type, does not."""
    if type(value) is not type(wanted):
        return False
    if operator in _PATTERNS:
        return matches_name(str(wanted), str(value)) is _PATTERNS[operator]
    return operator in _COMPARISONS and _COMPARISONS[operator](value, wanted)
