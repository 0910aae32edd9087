"""Values, comparisons and the three truth values of a selector: True, False, and None for unknown.

Values of unlike kinds never compare equal, nor unequal: the comparison is false. Only numbers have an
order. A null on either side, arithmetic on what is no number, and a division by zero give unknown.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from mqtools.message import MQMD, PropertyValue
from mqtools.rules.selector.names import More, Properties, Reader

#: Decides about one message; None is unknown.
Condition: TypeAlias = Callable[[MQMD, Properties, More], bool | None]
Number: TypeAlias = int | float


class HexNumber(int):
    """Number written ``0x0AFF``: compared with a byte string, it is the byte string of these digits.

    raw: these bytes; None for an odd number of digits, which is a number only.
    """

    raw: bytes | None


#: Type of a value to its kind: only like kinds compare. Any other type is of no kind and compares with nothing.
_NUMBER, _STRING, _BYTES, _BOOLEAN = 1, 2, 3, 4
_KINDS = {int: _NUMBER, float: _NUMBER, HexNumber: _NUMBER, str: _STRING, bytes: _BYTES, bool: _BOOLEAN}


def comparison(sign: str, left: Reader, right: Reader) -> Condition:
    """Return the comparison of two values: ``= <> < <= > >=``."""
    test = _TESTS[sign]

    def compare(md: MQMD, properties: Properties, more: More) -> bool | None:
        one, other = left(md, properties, more), right(md, properties, more)
        return None if one is None or other is None else test(one, other)

    return compare


def between(value: Reader, low: Reader, high: Reader) -> Condition:
    """Return ``value >= low AND value <= high``."""
    return conjunction([comparison(">=", value, low), comparison("<=", value, high)])


def membership(value: Reader, members: Sequence[PropertyValue]) -> Condition:
    """Return ``value = first OR value = second ...``; null is in no list and not out of it."""

    def find(md: MQMD, properties: Properties, more: More) -> bool | None:
        found = value(md, properties, more)
        if found is None:
            return None
        return any(_equality(operator.eq, found, member) for member in members)

    return find


def like(value: Reader, pattern: str, escape: str) -> Condition:
    """Return ``LIKE``: ``%`` any text, ``_`` any one character, unless escaped; an empty escape is none.

    Raises ValueError where the pattern ends with its escape character.
    """
    match = _pattern(pattern, escape).fullmatch

    def compare(md: MQMD, properties: Properties, more: More) -> bool | None:
        found = value(md, properties, more)
        if found is None:
            return None
        return isinstance(found, str) and match(found) is not None

    return compare


def is_null(value: Reader) -> Condition:
    """Return whether a value is missing: never unknown (BEY-79)."""

    def test(md: MQMD, properties: Properties, more: More) -> bool:
        return value(md, properties, more) is None

    return test


def truth(value: Reader) -> Condition:
    """Return a value as a condition; a value that is not a boolean is unknown."""

    def test(md: MQMD, properties: Properties, more: More) -> bool | None:
        found = value(md, properties, more)
        return found if isinstance(found, bool) else None

    return test


def conjunction(conditions: Sequence[Condition]) -> Condition:
    """Return ``AND``: false if one is false, else unknown if one is unknown."""
    return _combination(conditions, deciding=False)


def disjunction(conditions: Sequence[Condition]) -> Condition:
    """Return ``OR``: true if one is true, else unknown if one is unknown."""
    return _combination(conditions, deciding=True)


def inversion(condition: Condition) -> Condition:
    """Return ``NOT``: true for false and false for true; unknown stays unknown (BEY-79)."""

    def invert(md: MQMD, properties: Properties, more: More) -> bool | None:
        verdict = condition(md, properties, more)
        return None if verdict is None else not verdict

    return invert


def arithmetic(first: Reader, rest: Sequence[tuple[str, Reader]]) -> Reader:
    """Return ``+ - * /``, from left to right. The quotient of two exact numbers is exact, truncated towards zero."""
    steps = [(_ARITHMETIC[sign], reader) for sign, reader in rest]

    def calculate(md: MQMD, properties: Properties, more: More) -> PropertyValue:
        result = _number(first(md, properties, more))
        for step, reader in steps:
            other = _number(reader(md, properties, more))
            if result is None or other is None:
                return None
            result = _calculated(step, result, other)
        return result

    return calculate


def signed(sign: str, value: Reader) -> Reader:
    """Return a number with its sign."""
    return arithmetic(constant(0), [(sign, value)])


def constant(value: PropertyValue) -> Reader:
    """Return a literal as a reader."""

    def read(_md: MQMD, _properties: Properties, _more: More) -> PropertyValue:
        return value

    return read


def _equality(test: Callable[[object, object], bool], left: PropertyValue, right: PropertyValue) -> bool:
    if isinstance(left, HexNumber) and isinstance(right, bytes):
        left = left.raw
    elif isinstance(right, HexNumber) and isinstance(left, bytes):
        right = right.raw
    return _KINDS.get(type(left)) == _KINDS.get(type(right)) and test(left, right)


def _ordering(test: Callable[[Number, Number], bool], left: PropertyValue, right: PropertyValue) -> bool:
    one, other = _number(left), _number(right)
    return one is not None and other is not None and test(one, other)


#: Sign to its test of two values. The two equalities hold for every kind, the others for numbers only.
_TESTS: dict[str, Callable[[PropertyValue, PropertyValue], bool]] = {
    "=": partial(_equality, operator.eq),
    "<>": partial(_equality, operator.ne),
    "<": partial(_ordering, operator.lt),
    "<=": partial(_ordering, operator.le),
    ">": partial(_ordering, operator.gt),
    ">=": partial(_ordering, operator.ge),
}


def _number(value: PropertyValue) -> Number | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _combination(conditions: Sequence[Condition], *, deciding: bool) -> Condition:
    def combine(md: MQMD, properties: Properties, more: More) -> bool | None:
        verdict: bool | None = not deciding
        for condition in conditions:
            found = condition(md, properties, more)
            if found is deciding:
                return deciding
            if found is None:
                verdict = None
        return verdict

    return combine


def _calculated(step: Callable[[Number, Number], Number], one: Number, other: Number) -> Number | None:
    try:
        return step(one, other)
    except (ZeroDivisionError, OverflowError):
        return None


def _quotient(one: Number, other: Number) -> Number:
    if isinstance(one, float) or isinstance(other, float):
        return one / other
    quotient = abs(one) // abs(other)
    return quotient if (one < 0) == (other < 0) else -quotient


_ARITHMETIC: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
}


#: Wildcards of a pattern: any text, any one character.
_ANY_TEXT, _ANY_CHARACTER = "%", "_"


def literal_pieces(pattern: str, escape: str) -> list[str]:
    """Return the texts between the wildcards of a pattern, possibly empty. Raises ValueError as ``like``."""
    pieces = [""]
    for character, is_wildcard in _characters(pattern, escape):
        if is_wildcard:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


def _characters(pattern: str, escape: str) -> Iterator[tuple[str, bool]]:
    """Yield the characters of a pattern, each with whether it is a wildcard."""
    characters = iter(pattern)
    for character in characters:
        if character != escape:
            yield character, character in (_ANY_TEXT, _ANY_CHARACTER)
            continue
        following = next(characters, None)
        if following is None:
            raise ValueError("nothing follows the escape character")
        yield following, False


def _pattern(pattern: str, escape: str) -> re.Pattern[str]:
    """Return the pattern as a regular expression that examines each character of a text about once.

    After a ``%`` the leftmost match of the next piece is as good as any other, so there is no backtracking.
    """
    pieces = [""]
    for character, is_wildcard in _characters(pattern, escape):
        if is_wildcard and character == _ANY_TEXT:
            pieces.append("")
        else:
            pieces[-1] += "." if is_wildcard else re.escape(character)
    first, *middle = pieces
    if not middle:
        return re.compile(first, re.DOTALL)
    last = middle.pop()
    searched = "".join(f"(?>.*?{piece})" for piece in middle if piece)
    return re.compile(f"{first}{searched}.*{last}", re.DOTALL)
