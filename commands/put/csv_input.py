"""Input of ``mqx put --csv``: rows of comma-separated values, whose columns are data, fields and properties."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any

from mqtools.errors import MQError
from mqtools.formats.envelope.envelope import from_envelope
from mqtools.formats.envelope.mistakes import EnvelopeError
from mqtools.formats.mistakes import Findings
from mqtools.formats.phrases import counted
from mqtools.formats.properties import parse_property
from mqtools.message import BYTES, CHARACTERS, FIELDS, FLAG_WORD, Message

from ..shared.command_session import UsageError
from .input import LONGEST, complete_message, refusal
from .request import InputError, PutRequest

_DATA, _PROPERTY = "data", "property:"
_KINDS = {name: kind for name, kind, *_ in FIELDS}
_MOST_MISTAKES = 100


def parse_columns(text: str | None) -> list[tuple[str, str]]:
    """Return the targets and columns of --column. Raise UsageError."""
    pairs = []
    for word in [] if text is None else text.split(","):
        target, equals, column = word.rpartition("=")
        if not (equals and column):
            raise UsageError(f"--column {word}: expected TARGET=COLUMN, such as data=BODY")
        _check_target(target, "--column")
        pairs.append((target, column))
    return pairs


def _check_target(target: str, where: str) -> None:
    if target != _DATA and target not in _KINDS and not target.startswith(_PROPERTY):
        raise UsageError(
            f"{where}: {target!r} is not a target", "a field of the descriptor, data, or property:NAME[:TYPE]"
        )


def read_csv(request: PutRequest, pairs: list[tuple[str, str]], *, header: bool) -> Iterator[Message]:
    """Yield a message for each row of stdin. Raise InputError with the mistakes of all rows, up to a hundred.

    pairs: targets and columns: names with a header, numbers from 1 without. If there are none, the names of the header
    are the targets; without a header the only column is data.
    """
    findings = Findings("<stdin>")
    messages: list[Message] = []
    csv.field_size_limit(LONGEST)
    with TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="") as text:
        rows = csv.reader(text, strict=True)
        try:
            names = next(rows, []) if header else None
            targets = _targets(pairs, names)
            width = 1 if names is None and not pairs else None if names is None else len(names)
            for row in filter(None, rows):
                width = len(row) if width is None else width
                for words in _add_message(messages, request, targets, row, width):
                    findings.mistake((rows.line_num, 1), words)
                if len(findings.mistakes) >= _MOST_MISTAKES:
                    break
        except csv.Error as error:
            findings.mistake((rows.line_num, 1), f"this is not CSV: {error}")
        except UnicodeDecodeError as error:
            words = f"byte 0x{error.object[error.start]:02X} is not text in UTF-8"
            findings.mistake((rows.line_num + 1, 1), words)
    if findings.mistakes:
        raise InputError(*map(str, findings.mistakes))
    yield from messages


def _targets(pairs: list[tuple[str, str]], names: list[str] | None) -> list[tuple[str, int]]:
    """Return the targets, each with the place of its column in a row, from 0. Raise UsageError for unknown columns."""
    if names is None:
        for _, column in pairs:
            if not column.isdecimal() or column == "0":
                raise UsageError(f"--column: {column!r} is not a number", "names of columns require --header")
        return [(target, int(column) - 1) for target, column in pairs] or [(_DATA, 0)]
    if not pairs:
        for name in names:
            _check_target(name, "header")
        return [(name, place) for place, name in enumerate(names)]
    for _, column in pairs:
        if column not in names:
            raise UsageError(f"--column: the header has no column {column!r}", f"it has {', '.join(names)}")
    return [(target, names.index(column)) for target, column in pairs]


def _add_message(
    messages: list[Message], request: PutRequest, targets: list[tuple[str, int]], row: list[str], width: int
) -> list[str]:
    """Add the message of a row; return the mistakes instead if there are any."""
    if len(row) != width or max(place for _, place in targets) >= width:
        return [f"the row has {counted(len(row), 'column')}, not {max(width, *(place + 1 for _, place in targets))}"]
    md: dict[str, Any] = {}
    for field in ("coded_char_set_id", "encoding"):
        md[field] = getattr(request.md, field) or None  # the data is text in that CCSID
    envelope: dict[str, Any] = {"data": "", "md": md}
    try:
        properties = {}
        for target, place in targets:
            cell = row[place]
            if target == _DATA:
                envelope["data"] = cell
            elif cell and target in _KINDS:
                md[target] = _field_value(target, cell)
            elif cell:
                name, value = parse_property(f"{target.removeprefix(_PROPERTY)}={cell}")
                properties[name] = value
        message = complete_message(request, from_envelope(envelope, request.ccsid), envelope, keep_context=False)
    except EnvelopeError as error:
        return [each.text for _, each in error.mistakes]
    except MQError as error:
        return [error.text]
    message.properties.update(properties)
    refused = refusal(request, message)
    if refused is not None:
        return [str(refused)]
    messages.append(message)
    return []


def _field_value(field: str, cell: str) -> object:
    """Return a cell as the value of a field in JSON: a number where the field has numbers and the cell is one."""
    if _KINDS[field] in (BYTES, CHARACTERS):
        return cell
    if _KINDS[field] == FLAG_WORD and not cell.isdecimal():
        return cell.split(",")
    return int(cell) if cell.removeprefix("-").isdecimal() else cell
