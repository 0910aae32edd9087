"""Predicates on stored messages, as data that the rules build and the store translates into SQL.

A predicate only prefilters: the caller checks what is found in full. So a condition that cannot be expressed here is
left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from mqtools.records import OptionRecord


class Condition(OptionRecord):
    """One condition on a column that is stored.

    operator: of store/scans/predicates.py.  value: as the store has it, a tuple for ``in``.  negated: it must not hold.
    """

    column: str
    operator: str
    value: object = None
    negated: bool = False


class PropertyCondition(OptionRecord):
    """One condition on the value of a property, by its whole name. operator: of store/scans/predicates.py."""

    name: str
    operator: str
    value: object = None


class Every(OptionRecord):
    """All of these; of none, any message."""

    parts: tuple[Predicate, ...]


class AnyOf(OptionRecord):
    """At least one of these; of none, no message."""

    parts: tuple[Predicate, ...]


ANYTHING = Every(())
NOTHING = AnyOf(())

_DAMAGED = Condition("properties", "no json")

#: Conditions of one predicate at most: SQLite limits the size of statements, and each costs time for every message.
_MOST = 400


Predicate = Condition | PropertyCondition | Every | AnyOf


def every(predicates: Iterable[Predicate]) -> Predicate:
    """Return the predicate that holds where all of several do."""
    parts: list[Predicate] = []
    for predicate in predicates:
        if predicate == NOTHING:
            return NOTHING
        parts += predicate.parts if isinstance(predicate, Every) else (predicate,)
    return parts[0] if len(parts) == 1 else Every(tuple(parts))


def any_of(predicates: Iterable[Predicate]) -> Predicate:
    """Return the predicate that holds where at least one of several does."""
    parts: list[Predicate] = []
    for predicate in predicates:
        if predicate == ANYTHING:
            return ANYTHING
        parts += predicate.parts if isinstance(predicate, AnyOf) else (predicate,)
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def unless_damaged(predicate: Predicate) -> Predicate:
    """Return the predicate that also holds for messages whose properties cannot be read."""
    return any_of([predicate, _DAMAGED])


def limit_size(predicate: Predicate) -> Predicate:
    """Return a predicate if it is not too large for the store, otherwise one that always holds."""
    return predicate if _size(predicate) <= _MOST else ANYTHING


def _size(predicate: Predicate) -> int:
    return 1 + sum(_size(part) for part in predicate.parts) if isinstance(predicate, (Every, AnyOf)) else 1


#: Bytes of a message, correlation or group identifier.
ID_LENGTH = 24


class IdPrefix(bytes):
    """The beginning of an identifier that ends within a byte: an odd number of hex digits, and a zero behind them."""

    def hex(self, *_: object) -> str:
        """Return the digits that are meant."""
        return super().hex()[:-1]


def is_whole_id(value: bytes) -> bool:
    """Return whether a value is an identifier, and not only the beginning of one."""
    return len(value) >= ID_LENGTH and not isinstance(value, IdPrefix)


def begins_with(value: bytes, prefix: bytes) -> bool:
    """Return whether an identifier begins with a prefix."""
    return value.hex().startswith(prefix.hex()) if isinstance(prefix, IdPrefix) else value.startswith(prefix)


def last_with(prefix: bytes) -> bytes:
    """Return an upper bound of all identifiers that begin with a prefix."""
    rest = b"\xff" * (ID_LENGTH + 1 - len(prefix))
    return bytes.fromhex(prefix.hex() + "f") + rest if isinstance(prefix, IdPrefix) else prefix + rest


def narrow(wanted: dict[str, object], predicate: Predicate, now_ms: int) -> Predicate:
    """Return the predicate of candidates: messages that may fit, and expired ones to discard on the way."""
    found = any_of([predicate, Condition("expires_at", "<=", now_ms)])
    return every([found, *(Condition(field, "=", value) for field, value in wanted.items())])
