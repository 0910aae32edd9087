"""Comparison of two sets of messages: which are only on one side, and in which fields the others differ.

Compared are the descriptor, the properties and the data. Not compared is what belongs to the place where a message
lies: queue, queue manager, state, lock; nor the version of the descriptor, which is a form of its bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mqtools.formats.descriptor import md_to_dict
from mqtools.formats.properties import properties_to_dict, properties_to_json
from mqtools.message import MQMD, Message

A, B, BOTH = "a", "b", "both"

#: Keys of a row, in addition to its identifier.
SIDE, FIELDS = "side", "fields"

#: The key that messages have unless another is chosen.
MSG_ID = ("msg_id",)

_PLACE_OF_BYTES = "version"
_EXPIRY = "expiry"
#: Fields of the descriptor that are compared by their values.
_COMPARED = tuple(name for name in MQMD.__slots__ if name not in (_PLACE_OF_BYTES, _EXPIRY))
_PROPERTIES, _DATA = "properties", "data"
_NAMES = (*_COMPARED, _PROPERTIES, _DATA)
#: All of a row, in its order.
_ORDER = (*MQMD.__slots__, _PROPERTIES, _DATA)

#: Expiry counts down while messages are read and carried: lifetimes that differ by less are the same (milliseconds).
_SAME_LIFETIME_MS = 60_000


@dataclass(frozen=True, slots=True)
class ComparedMessage:
    """A message as it is compared.

    key: the values of its key, as in JSON.  values: of the fields that are compared, the data as a digest.
    expiry: tenths of a second that remain, -1 without limit.  expires_at: milliseconds since 1970, None where only the
    rest is known.
    """

    key: tuple[object, ...]
    values: tuple[object, ...]
    expiry: int
    expires_at: int | None


@dataclass(slots=True)
class Totals:
    """Numbers of messages: only in A, only in B, in both but different, in both and the same."""

    only_a: int = 0
    only_b: int = 0
    different: int = 0
    same: int = 0

    @property
    def are_same(self) -> bool:
        return not (self.only_a or self.only_b or self.different)


def entry_of(message: Message, key: Sequence[str], expires_at: int | None = None) -> ComparedMessage:
    """Return a message as it is compared. key: names of descriptor fields or properties.  expires_at: if known."""
    md = message.md
    text = properties_to_json(message.properties) if message.properties else None
    digest = hashlib.blake2b(message.data, digest_size=16).digest()
    values = (*(getattr(md, name) for name in _COMPARED), text, digest)
    return ComparedMessage(_key_of(message, key), values, md.expiry, expires_at)


def _key_of(message: Message, key: Sequence[str]) -> tuple[object, ...]:
    if tuple(key) == MSG_ID:
        return (message.md.msg_id.hex().upper(),)
    fields = md_to_dict(message.md)
    properties = properties_to_dict(message.properties)
    return tuple(_hashable(fields[name] if name in fields else _value_of(properties, name)) for name in key)


def _value_of(properties: Mapping[str, object], name: str) -> object:
    found = properties.get(name)
    return found.get("value") if isinstance(found, dict) else None


def _hashable(value: object) -> object:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value) if isinstance(value, dict) else value


def compare(
    a: Iterable[ComparedMessage], b: Iterable[ComparedMessage], key: Sequence[str], totals: Totals
) -> Iterator[dict[str, object]]:
    """Yield a row for each message that is not the same on both sides, and count all.

    Rows: side (``a``, ``b``, ``both``), the values of the key by name, fields (names, of ``both`` only). Those of A
    come first, in its order. Several messages with one key are paired: the same ones first, then in their order.
    """
    in_a, in_b = _grouped(a), _grouped(b)
    ignored = frozenset(key) if tuple(key) == MSG_ID else frozenset((*key, *MSG_ID))
    for value in dict.fromkeys((*in_a, *in_b)):
        about = dict(zip(key, value, strict=True))
        for side, fields in _pairs(in_a.get(value, []), in_b.get(value, []), ignored, totals):
            yield {SIDE: side, **about, FIELDS: fields}


def _grouped(entries: Iterable[ComparedMessage]) -> dict[tuple[object, ...], list[ComparedMessage]]:
    groups: dict[tuple[object, ...], list[ComparedMessage]] = {}
    for entry in entries:
        groups.setdefault(entry.key, []).append(entry)
    return groups


def _pairs(
    a: list[ComparedMessage], b: list[ComparedMessage], ignored: frozenset[str], totals: Totals
) -> Iterator[tuple[str, list[str]]]:
    """Yield the side and the different fields of the messages with one key that are not the same."""
    rest_a, rest_b, pairs = _match(a, b, ignored)
    paired = min(len(rest_a), len(rest_b))
    pairs += zip(rest_a[:paired], rest_b[:paired], strict=True)
    for one, other in pairs:
        fields = _differences(one, other, ignored)
        totals.different += bool(fields)
        totals.same += not fields
        if fields:
            yield BOTH, fields
    totals.only_a += len(rest_a) - paired
    totals.only_b += len(rest_b) - paired
    for _ in rest_a[paired:]:
        yield A, []
    for _ in rest_b[paired:]:
        yield B, []


def _match(
    a: list[ComparedMessage], b: list[ComparedMessage], ignored: frozenset[str]
) -> tuple[list[ComparedMessage], list[ComparedMessage], list[tuple[ComparedMessage, ComparedMessage]]]:
    """Pair the messages whose values are the same; return what is left of both sides, and the pairs."""
    known: dict[tuple[object, ...], list[ComparedMessage]] = {}
    for entry in reversed(b):
        known.setdefault(_values(entry, ignored), []).append(entry)
    rest: list[ComparedMessage] = []
    pairs: list[tuple[ComparedMessage, ComparedMessage]] = []
    taken: set[int] = set()
    for entry in a:
        others = known.get(_values(entry, ignored))
        if others:
            other = others.pop()
            taken.add(id(other))
            pairs.append((entry, other))
        else:
            rest.append(entry)
    return rest, [entry for entry in b if id(entry) not in taken], pairs


def _values(entry: ComparedMessage, ignored: frozenset[str]) -> tuple[object, ...]:
    return tuple(value for name, value in zip(_NAMES, entry.values, strict=True) if name not in ignored)


def _differences(a: ComparedMessage, b: ComparedMessage, ignored: frozenset[str]) -> list[str]:
    found = [
        name
        for name, one, other in zip(_NAMES, a.values, b.values, strict=True)
        if one != other and name not in ignored
    ]
    if not _same_lifetime(a, b) and _EXPIRY not in ignored:
        found.append(_EXPIRY)
    return sorted(found, key=_ORDER.index)


def _same_lifetime(a: ComparedMessage, b: ComparedMessage) -> bool:
    """Return whether two messages expire at the same time, by their known fields."""
    if a.expiry < 0 or b.expiry < 0:
        return (a.expiry < 0) == (b.expiry < 0)
    if a.expires_at is not None and b.expires_at is not None:
        return abs(a.expires_at - b.expires_at) < _SAME_LIFETIME_MS
    if a.expires_at is None and b.expires_at is None:
        return abs(a.expiry - b.expiry) * 100 < _SAME_LIFETIME_MS
    return True
