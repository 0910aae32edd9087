"""Differences of two versions of a message in words, for the journal: which fields an edit changed, and to what."""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.message import MQMD, Message

#: Characters of a value that are shown at most.
_MOST = 80


def describe_changes(before: Message, after: Message) -> str:
    """Describe what differs: each field with its old and new value, data that is long or no text by its length."""
    return ", ".join(f"{name} {old} -> {new}" for name, old, new in _changes(before, after))


def _changes(before: Message, after: Message) -> Iterator[tuple[str, str, str]]:
    for name in MQMD.__slots__:
        old, new = getattr(before.md, name), getattr(after.md, name)
        if old != new:
            yield name, _value(old), _value(new)
    names = dict.fromkeys([*before.properties, *after.properties])
    for name in names:
        if before.properties.get(name) != after.properties.get(name):
            yield f"property {name}", _property(before.properties.get(name)), _property(after.properties.get(name))
    if before.data != after.data:
        yield "data", _data(before.data), _data(after.data)


def _value(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex().upper()
    return repr(value) if isinstance(value, str) else str(value)


def _property(value: object) -> str:
    return "(none)" if value is None else _value(getattr(value, "value", value))[:_MOST]


def _data(data: bytes) -> str:
    try:
        text = data.decode("utf-8") if len(data) <= _MOST else ""
    except UnicodeDecodeError:
        text = ""
    return repr(text) if text else f"({len(data)} bytes)"
