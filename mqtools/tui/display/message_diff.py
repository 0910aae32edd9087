"""Differences of two messages as lines: descriptor, properties, headers, and the body as what it is.

A body of JSON on both sides is compared by its fields, text by lines, other data by lines of hex.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from itertools import chain, islice, zip_longest

from mqtools.formats.descriptor import md_to_dict
from mqtools.formats.header_view import header_to_dict
from mqtools.formats.hexdump import hexdump
from mqtools.formats.properties import properties_to_dict
from mqtools.formats.units import human_bytes
from mqtools.mqi.get.search import properties_of
from mqtools.operations.stored_messages import load_data, load_message
from mqtools.operations.views.message_view import Database, StoredMessage
from mqtools.tui.display.detail import Body

#: Bytes of the data that are compared, and lines of a body that are shown.
MOST_BYTES, _MOST_LINES = 1_000_000, 2000
#: Lines of text on either side up to which moved ones are found. Beyond, two hostile texts would take seconds.
_FEW_LINES = 1000
#: Descriptor fields that do not belong to the content.
_NOT_COMPARED = ("version", "expiry")


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """A message to be compared. stored: without its data.  data: its beginning, up to MOST_BYTES."""

    stored: StoredMessage
    data: bytes


def read_side(db: Database, seq: int) -> ComparedSide | None:
    """Read a message to be compared; return None when it is gone."""
    with db.reading():
        stored = load_message(db, seq)
        return None if stored is None else ComparedSide(stored, load_data(db, seq, MOST_BYTES))


def compare(one: ComparedSide, other: ComparedSide) -> list[str]:
    """Return the differences: ``-`` is in front of what only the first has, ``+`` of what only the second has."""
    bodies = [Body(side.stored, side.data) for side in (one, other)]
    parts = {
        "descriptor": _of_fields(*(_descriptor(side) for side in (one, other))),
        "properties": _of_fields(*(properties_to_dict(properties_of(side.stored)) for side in (one, other))),
        "headers": _of_fields(*([header_to_dict(header) for header in body.chain.headers] for body in bodies)),
        "body": _of_bodies(*bodies),
    }
    lines: list[str] = []
    for title, found in parts.items():
        shown = list(islice(found, _MOST_LINES + 1))
        rest = [f"  … more than {_MOST_LINES} lines differ"] if len(shown) > _MOST_LINES else []
        lines += [f"{title}: {'different' if shown else 'the same'}", *shown[:_MOST_LINES], *rest, ""]
    if any(body.is_cut for body in bodies):
        lines.append(f"only the first {human_bytes(MOST_BYTES)} of the data are compared")
    return lines


def _descriptor(side: ComparedSide) -> dict[str, object]:
    return {name: value for name, value in md_to_dict(side.stored.md).items() if name not in _NOT_COMPARED}


def _of_fields(one: object, other: object) -> Iterator[str]:
    """Yield the differences of nested values, field by field."""
    before, after = dict(_fields(one)), dict(_fields(other))
    for path in dict.fromkeys([*before, *after]):
        if before.get(path) != after.get(path):
            yield from (
                f"  {sign} {path} : {side[path]}" for sign, side in (("-", before), ("+", after)) if path in side
            )


def _fields(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and JSON text of each scalar, and of each empty object or list."""
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _fields(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _fields(item, f"{path}[{number}]")
    else:
        yield path, json.dumps(value, ensure_ascii=False)


def _of_bodies(one: Body, other: Body) -> Iterable[str]:
    if one.bytes == other.bytes and one.text == other.text:
        return ()
    if not (one.is_text and other.is_text):
        return _by_place(*(list(hexdump(body.bytes)) for body in (one, other)))
    try:
        return list(_of_fields(json.loads(one.text), json.loads(other.text))) or ["  only blanks or the order differ"]
    except (ValueError, RecursionError):
        before, after = one.text.split("\n"), other.text.split("\n")
    if max(len(before), len(after)) > _FEW_LINES:
        return chain(
            [f"  more than {_FEW_LINES} lines: each is compared with that in its place"], _by_place(before, after)
        )
    return (f"  {line}" for line in islice(unified_diff(before, after, lineterm="", n=1), 2, None))


def _by_place(one: list[str], other: list[str]) -> Iterator[str]:
    for a, b in zip_longest(one, other):
        if a != b:
            yield from (f"  {sign} {line}" for sign, line in (("-", a), ("+", b)) if line is not None)
