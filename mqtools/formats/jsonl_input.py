"""Reading of JSON lines: one message a line, in the form of ``-o jsonl``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json import JSONDecodeError, detect_encoding, loads
from typing import Any

from mqtools.constants.message import MQFMT_STRING
from mqtools.errors import MQError
from mqtools.formats.envelope.envelope import from_envelope
from mqtools.formats.envelope.mistakes import EnvelopeError, key_columns
from mqtools.formats.mistakes import Findings, ReadMessage, without_end
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.message import Message

#: Errors of ``parse_line``.
UNREADABLE = (MQError, ValueError, RecursionError)


def read_jsonl(
    lines: Iterable[tuple[int, bytes]], findings: Findings, ccsid: int = DEFAULT_CCSID
) -> Iterator[ReadMessage]:
    """Read the messages of JSON lines one by one; none that has a mistake in it is given. Blank lines are nothing.

    ccsid: of the character fields of descriptors: the queue manager's.
    """
    for number, whole in lines:
        if not whole.strip():
            continue
        line = without_end(whole)
        try:
            message = read_message(line, ccsid)
        except UNREADABLE as error:
            for column, words in line_mistakes(line, error):
                findings.mistake((number, column), words)
            continue
        yield ReadMessage(message, number, number)


def read_message(line: bytes, ccsid: int = DEFAULT_CCSID) -> Message:
    """Read one message. Text that says no format is MQSTR. Raises as ``parse_line``."""
    message, envelope = parse_line(line, ccsid)
    if isinstance(envelope.get("data"), str):
        md = envelope.get("md")
        if not isinstance(md, dict) or md.get("format") is None:
            message.md.format = MQFMT_STRING
        message.md.coded_char_set_id = message.md.coded_char_set_id or DEFAULT_CCSID
    return message


def parse_line(line: bytes, ccsid: int = DEFAULT_CCSID) -> tuple[Message, dict[str, Any]]:
    """Parse one message, as it is and as its envelope. Raises one of ``UNREADABLE``."""
    envelope = loads(line)
    return from_envelope(envelope, ccsid), envelope


def line_mistakes(line: bytes, error: Exception) -> list[tuple[int, str]]:
    """Return the columns and words of all mistakes of a line that ``parse_line`` has raised an error for."""
    if isinstance(error, JSONDecodeError):
        return [(error.colno, f"this is not JSON: {error.msg}")]
    if isinstance(error, EnvelopeError):
        columns = key_columns(line.decode(detect_encoding(line), "surrogatepass"))
        return sorted((columns.get(path, 1), each.text) for path, each in error.mistakes)
    if isinstance(error, UnicodeDecodeError):
        return [(error.start + 1, f"byte 0x{line[error.start]:02X} is not text in {error.encoding.upper()}")]
    return [(1, str(error) if isinstance(error, MQError) else f"this cannot be read: {error}")]
