"""Reading of JSON lines: one message a line, in the form of ``-o jsonl``."""

from __future__ import annotations

from mqtools.constants.message import MQFMT_STRING
from mqtools.errors import MQError
from mqtools.formats.mistakes import ReadMessage, without_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mqtools.formats.mistakes import Findings
    from mqtools.message import Message

#: What text without a CCSID is written in.
_UTF_8 = 1208


def read_jsonl(lines: Iterable[tuple[int, bytes]], findings: Findings) -> Iterator[ReadMessage]:
    """Read the messages of JSON lines one by one; none that has a mistake in it is given. Blank lines are nothing."""
    from json import JSONDecodeError

    for number, line in lines:
        if not line.strip():
            continue
        try:
            yield ReadMessage(read_message(without_end(line)), number, number)
        except JSONDecodeError as error:
            findings.mistake((number, error.colno), f"this is not JSON: {error.msg}")
        except MQError as error:
            findings.mistake((number, 1), error.text)
        except (ValueError, RecursionError) as error:
            findings.mistake((number, 1), f"this cannot be read: {error}")


def read_message(line: bytes) -> Message:
    """Read one message. Text that says no format is MQSTR. Raises ValueError, MQError."""
    from json import loads

    from mqtools.formats.descriptor import CHARACTER_FIELDS
    from mqtools.formats.envelope import from_envelope

    envelope = loads(line)
    message = from_envelope(envelope)
    for field in CHARACTER_FIELDS:
        getattr(message.md, field).encode("utf-8")  # JSON can hold what is no text
    if isinstance(envelope.get("data"), str):
        md = envelope.get("md")
        if not isinstance(md, dict) or md.get("format") is None:
            message.md.format = MQFMT_STRING
        message.md.coded_char_set_id = message.md.coded_char_set_id or _UTF_8
    return message
