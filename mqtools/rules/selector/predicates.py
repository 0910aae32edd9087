"""Predicates of a selector: conditions that every match meets. The store narrows the search by them.

A term has two predicates, one for where it is true and one for where it is false, so that NOT can swap them; where it
is unknown, neither holds. Both only narrow (``mqtools.predicates``): the evaluation decides. A term that is not in the
tables here has no predicate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mqtools.formats.jsontext import dumps
from mqtools.message import BYTE_FIELDS, MQMD, PropertyValue
from mqtools.predicates import ANYTHING, NOTHING, Condition, Predicate, PropertyCondition, any_of, every
from mqtools.rules.selector.evaluation import HexNumber
from mqtools.rules.selector.names import DELIVERY_MODES, id_bytes, is_answered_by_descriptor, property_keys, sole_field

#: Where the term is true, and where it is false.
Predicates: TypeAlias = tuple[Predicate, Predicate]

UNSAID: Predicates = (ANYTHING, ANYTHING)
_NEVER_TRUE: Predicates = (NOTHING, ANYTHING)

#: Field to the type of its values: bytes, text or integers.
_TYPES = {field: type(getattr(MQMD(), field)) for field in MQMD.__slots__}
#: Fields that are computed when a message is read: they have no predicate.
_NOT_STORED = ("version", "expiry")
#: Field of bytes to the value that is stored as null. One that is not here never is.
_NULLS = {field: bytes(length) for field, length in BYTE_FIELDS.items() if field != "msg_id"}
#: Synonym of an identifier that is in a property or in the descriptor, to its field.
_JMS_IDS = {"JMSMessageID": "msg_id", "JMSCorrelationID": "correl_id", "JMSXGroupID": "group_id"}

#: Sign to the one that holds where it does not, and to the one that holds with the sides changed.
_OPPOSITES = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRRORED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_EQUALITIES = ("=", "<>")

#: Characters of a name other than letters and digits, to characters that Python counts as letters.
_AS_LETTERS = str.maketrans("$.", "__")
_LITERALS = (bool, int, float, str, bytes)

#: Integers of SQLite are below it, and not below its negative.
_INT64 = 1 << 63


def conjunction(parts: Iterable[Predicates]) -> Predicates:
    """Return ``AND``: true where all are, false where one is."""
    true, false = zip(*parts, strict=True)
    return every(true), any_of(false)


def disjunction(parts: Iterable[Predicates]) -> Predicates:
    """Return ``OR``: true where one is, false where all are."""
    true, false = zip(*parts, strict=True)
    return any_of(true), every(false)


def inversion(predicates: Predicates) -> Predicates:
    """Return ``NOT``: true where the other is false."""
    true, false = predicates
    return false, true


def literal(value: PropertyValue) -> Predicates:
    """Return TRUE or FALSE as a condition."""
    return (ANYTHING, NOTHING) if value else _NEVER_TRUE


def comparison(name: str, sign: str, value: PropertyValue) -> Predicates:
    """Return a name compared with a literal. value: in the form in which it is compared."""
    field, keys = sole_field(name), property_keys(name)
    if field in _NOT_STORED or not _is_storable(value):
        return UNSAID
    if field:
        return _of_field(field, sign, value)
    if is_answered_by_descriptor(name):
        return any_of([*map(_there, keys), _of_jms(name, sign, value)]), ANYTHING
    return _of_property(keys, sign, value), any_of(map(_there, keys))


def equality(name: str, value: object) -> Predicate:
    """Return the predicate of a name with a value, as Python compares them; None is null.

    name: of any form; value: of any type.
    """
    if not name.translate(_AS_LETTERS).isidentifier() or not isinstance(value, (*_LITERALS, type(None))):
        return ANYTHING
    return null_test(name)[0] if value is None else comparison(name, "=", value)[0]


def membership(name: str, members: Sequence[PropertyValue]) -> Predicates:
    """Return ``IN``: equality with each, and unknown where the name is null."""
    return disjunction(comparison(name, "=", member) for member in members)


def like(name: str, pieces: Sequence[str]) -> Predicates:
    """Return ``LIKE``. pieces: the texts between the wildcards."""
    field, keys = sole_field(name), property_keys(name)
    if is_answered_by_descriptor(name):
        return UNSAID
    if field:
        return (_contains(field, pieces), ANYTHING) if _TYPES[field] is str else _NEVER_TRUE
    there = any_of(map(_there, keys))
    return every([there, _contains("properties", map(_in_json, pieces))]), there


def null_test(name: str) -> Predicates:
    """Return ``IS NULL``: a field of the descriptor never is."""
    keys = property_keys(name)
    if is_answered_by_descriptor(name):
        return UNSAID
    if sole_field(name):
        return _NEVER_TRUE
    # The first key that a message has determines its value: if that is null, the first of all is null or missing.
    return PropertyCondition(keys[0], "null"), any_of(map(_there, keys))


def truth(name: str) -> Predicates:
    """Return a name as a condition: unknown where it is not a boolean."""
    keys = property_keys(name)
    there = any_of(map(_there, keys)) if keys and not is_answered_by_descriptor(name) else ANYTHING
    return there, there


def _of_field(field: str, sign: str, value: PropertyValue) -> Predicates:
    kinds = (int, float) if _TYPES[field] is int else (_TYPES[field],)
    if not isinstance(value, kinds) or isinstance(value, bool):
        return _NEVER_TRUE  # unlike kinds
    if isinstance(value, (int, float)):
        number = int(value) if abs(value) < _INT64 and value == int(value) else value
        return Condition(field, sign, number), Condition(field, _OPPOSITES[sign], number)
    if sign not in _EQUALITIES:
        return _NEVER_TRUE  # only numbers have an order
    is_null = value == _NULLS.get(field)
    equal = Condition(field, "null") if is_null else Condition(field, "=", value)
    unequal = equal.replace(negated=True) if is_null else Condition(field, "<>", value)
    return (equal, unequal) if sign == "=" else (unequal, equal)


def _of_jms(name: str, sign: str, value: PropertyValue) -> Predicate:
    """Return the predicate of the descriptor where it answers."""
    if name == "JMSXDeliveryCount" and type(value) is int and _is_storable(value - 1):
        return Condition("backout_count", sign, value - 1)
    identifier = id_bytes(value)
    if sign == "=" and name in _JMS_IDS and identifier is not None:
        return Condition(_JMS_IDS[name], "=", identifier)
    if sign == "=" and name == "JMSDeliveryMode":
        return any_of(Condition("persistence", "=", mode) for mode, word in DELIVERY_MODES.items() if word == value)
    return ANYTHING


def _of_property(keys: Sequence[str], sign: str, value: PropertyValue) -> Predicate:
    """Return the predicate where the comparison is true: no value is equal or unequal to null."""
    if isinstance(value, str):
        if sign not in _EQUALITIES:
            return NOTHING
        there = any_of(map(_there, keys))
        return every([there, _contains("properties", [_in_json(value)])]) if sign == "=" else there
    if isinstance(value, (int, float)) and not isinstance(value, (bool, HexNumber)):
        return any_of(every([_there(key), PropertyCondition(key, sign, value)]) for key in keys)
    return any_of(map(_there, keys))


def _there(key: str) -> Predicate:
    """Return the predicate that a property is among the stored ones (formats/properties.py)."""
    return Condition("properties", "contains", f"{dumps(key)}:{{")


def _in_json(text: str) -> str:
    """Return a text as in the stored properties; empty if it could be written in several ways."""
    written = dumps(text)[1:-1]
    return "" if "\\u" in written else written


def _contains(column: str, pieces: Iterable[str]) -> Predicate:
    return every(Condition(column, "contains", piece) for piece in pieces if piece and _is_storable(piece))


def _is_storable(value: PropertyValue) -> bool:
    """Return whether the store can compare a value: 64 bits, and no lone surrogates."""
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return not isinstance(value, int) or -_INT64 <= value < _INT64
