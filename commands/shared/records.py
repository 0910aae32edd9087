"""Output of statistics and accounting records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Any

from mqtools.errors import MQError
from mqtools.formats.mqsc.script import matches_name
from mqtools.formats.terminal import visible
from mqtools.formats.units import put_at_ms, rfc3339
from mqtools.message import Message
from mqtools.operations.instrumentation_records import read_messages, read_record

from .command_session import NOTHING_THERE, Session, UsageError, write_out

_OUTPUTS = ("text", "json", "jsonl")


@dataclass(frozen=True, slots=True)
class RecordSelection:
    """Records to show. patterns: of queues or channels, none for all.  since_ms: when they were written, at least."""

    is_accounting: bool
    patterns: Sequence[str]
    since_ms: int
    removes: bool


def show_records(session: Session, selection: RecordSelection) -> int:
    """Write the records to stdout; remove them after that if asked to. Return the exit status."""
    output = session.output or "text"
    if output not in _OUTPUTS:
        raise UsageError(f"no output format {output!r} for records: {', '.join(_OUTPUTS)}")
    rows: list[dict[str, Any]] = []
    found = False
    with session.connect() as connection:
        for messages in read_messages(connection, is_accounting=selection.is_accounting, removes=selection.removes):
            selected = list(_selected(messages, selection))
            found = found or bool(selected)
            if output == "json":
                rows += selected
                continue
            lines = _text(selected) if output == "text" else map(dumps, selected)
            write_out("".join(f"{line}\n" for line in lines).encode())
            if selection.removes:
                connection.commit()
        if output == "json":
            write_out(f"{dumps(rows)}\n".encode())
    return 0 if found else NOTHING_THERE


def _selected(messages: Sequence[Message], selection: RecordSelection) -> Iterator[dict[str, Any]]:
    for message in messages:
        put_at = put_at_ms(message.md.put_date, message.md.put_time)
        if (put_at or 0) < selection.since_ms:
            continue
        head: dict[str, Any] = {"put_at": None if put_at is None else rfc3339(put_at)}
        try:
            record = read_record(message)
        except MQError as error:
            yield {**head, "error": error.text, "msg_id": message.md.msg_id.hex().upper()}
            continue
        if selection.patterns:
            record["objects"] = [each for each in record.get("objects", ()) if _matches(each, selection.patterns)]
        if not selection.patterns or record["objects"]:
            yield {**head, **record}


def _matches(values: dict[str, Any], patterns: Sequence[str]) -> bool:
    name = str(values.get("q_name", values.get("channel_name", "")))
    return any(matches_name(pattern, name) for pattern in patterns)


def _text(records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of records: name and value, objects indented, an empty line behind each record."""
    for record in records:
        for name, value in record.items():
            if name != "objects":
                yield f"{name}: {visible(str(value))}"
        for values in record.get("objects", ()):
            yield ""
            yield from (f"  {name}: {visible(str(value))}" for name, value in values.items())
        yield ""
