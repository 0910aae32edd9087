"""Check of a message in JSON: every mistake of an envelope, with the path of its key and the key's column."""

from __future__ import annotations

from json import JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

from mqtools.constants.reasons import MQRC_BUFFER_ERROR, MQRC_MD_ERROR, MQRC_PROPERTY_TYPE_ERROR
from mqtools.errors import MQError
from mqtools.formats.descriptor import field_from_json
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.formats.properties import property_from_dict
from mqtools.formats.units import read_rfc3339
from mqtools.message import MQMD, Property

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import TypeAlias

    #: Keys from the top of the envelope down.
    Path: TypeAlias = tuple[str, ...]
    Mistake: TypeAlias = tuple[Path, MQError]

#: Keys of an envelope that are read, those that are views of the message or its place, and those of ``trash list``.
#: Any other is a mistake.
_READ = ("mqx", "md", "properties", "data", "data_b64", "deliver_at")
_VIEWS = ("qmgr", "queue", "state", "lock_id", "headers", "body", "data_length")
_OF_TRASH = ("removal", "removed_at", "removed_by", "cause")
KEYS = frozenset((*_READ, *_VIEWS, *_OF_TRASH))
_OF_PROPERTY = Property.__slots__

#: How deep keys are whose columns are looked for: properties, name, field.
_DEPTH = 3


class EnvelopeError(MQError):
    """Raised for an envelope that cannot be read. mistakes: all of them, one at least; the reason is the first's."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__("; ".join(error.text for _, error in mistakes), mistakes[0][1].reason)
        self.mistakes = mistakes


def has_known_keys(obj: dict[str, object]) -> bool:
    """Return whether an envelope has no other keys than ``KEYS``, and its properties none but their own."""
    properties = obj.get("properties")
    return obj.keys() <= KEYS and not (
        isinstance(properties, dict)
        and any(isinstance(entry, dict) and not entry.keys() <= set(_OF_PROPERTY) for entry in properties.values())
    )


def delivery_time(obj: dict[str, object]) -> int | None:
    """Return the delivery time of an envelope, milliseconds since 1970. Raises MQError: MQRC_BUFFER_ERROR."""
    text = obj.get("deliver_at")
    try:
        return None if text is None else read_rfc3339(text)
    except ValueError as error:
        raise MQError(f"deliver_at: {error}", MQRC_BUFFER_ERROR) from error


def mistakes_in(obj: dict[str, object], ccsid: int) -> Iterator[Mistake]:
    """Yield every mistake of an envelope except those of its data. ccsid: of the character fields."""
    for key in obj:
        if key not in KEYS:
            yield (key,), _unknown(key, "a message has no such key", KEYS, MQRC_BUFFER_ERROR)
    try:
        delivery_time(obj)
    except MQError as error:
        yield ("deliver_at",), error
    md, properties = obj.get("md"), obj.get("properties")
    if isinstance(md, dict):
        yield from _in_descriptor(md, ccsid)
    elif md is not None:
        yield ("md",), MQError("md: not an object", MQRC_MD_ERROR)
    if isinstance(properties, dict):
        yield from _in_properties(properties)
    elif properties is not None:
        yield ("properties",), MQError("properties: not an object", MQRC_PROPERTY_TYPE_ERROR)


def _in_descriptor(md: dict[str, object], ccsid: int) -> Iterator[Mistake]:
    for key, value in md.items():
        if key not in MQMD.__slots__:
            words = "the message descriptor has no such field"
            yield ("md", key), _unknown(f"md.{key}", words, MQMD.__slots__, MQRC_MD_ERROR)
        elif value is not None:
            try:
                field_from_json(key, value, ccsid)
            except ValueError as error:
                yield ("md", key), MQError(f"md.{key}: {error}", MQRC_MD_ERROR)


def _in_properties(properties: dict[str, object]) -> Iterator[Mistake]:
    for name, entry in properties.items():
        path = f"properties.{name}"
        unknown = [key for key in entry if key not in _OF_PROPERTY] if isinstance(entry, dict) else []
        for key in unknown:
            error = _unknown(f"{path}.{key}", "a property has no such key", _OF_PROPERTY, MQRC_PROPERTY_TYPE_ERROR)
            yield ("properties", name, key), error
        if not unknown:
            try:
                property_from_dict(entry, path)
            except MQError as error:
                yield ("properties", name), error


def _unknown(path: str, words: str, known: Collection[str], reason: int) -> MQError:
    meant = did_you_mean(nearest(path.rpartition(".")[2], known))
    return MQError(f"{path}: {words}{f'; {meant}' if meant else ''}", reason)


def key_columns(text: str) -> dict[Path, int]:
    """Return the columns, from 1, of the keys of a JSON object that is known to be one, by their paths."""
    found: dict[Path, int] = {}
    _scan_object(text, text.index("{"), (), found)
    return found


def _scan_object(text: str, at: int, path: Path, found: dict[Path, int]) -> int:
    """Record the keys of the object that begins at a position; return the position behind it."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, end = scanstring(text, at + 1)
        found[*path, key] = at + 1
        at = _skip(text, _skip(text, end) + 1)
        if text[at] == "{" and len(path) + 1 < _DEPTH:
            at = _scan_object(text, at, (*path, key), found)
        else:
            at = JSONDecoder().raw_decode(text, at)[1]
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return at + 1


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at
