"""Output of messages in the requested format, the same for get, browse and lock."""

from __future__ import annotations

import sys

from mqtools.constants.states import UNLOCKED
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.message import MQMD, Message

from . import command_session
from .command_session import Session, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.formats.envelope_text import EnvelopeText
    from mqtools.formats.rows import Column
    from mqtools.mqi.get.request import GetResult
    from mqtools.store.messages.stored_message import StoredMessage

FORMATS = ("raw", "jsonl", "json", "table", "plain", "csv", "hex", "dump")

#: Characters of the data that a line of a table shows.
_PREVIEW = 60
#: Bytes of text that are enough for it, in any character set, and bytes of data, behind a dead-letter header too.
_TEXT_BYTES = 4 * _PREVIEW
PREVIEW_BYTES = MQDLH_LENGTH_1 + _TEXT_BYTES


def writer(
    session: Session,
    *,
    default: str,
    separator: bytes = b"\n",
    force: bool = False,
    endless: bool = False,
    with_state: bool | None = None,
) -> Writer:
    """Return a writer for the output format of the session.

    default: format when none was requested.  separator: between messages of raw output.  force: write exact bytes to
    a terminal.  endless: more messages may follow, so each is followed by the separator at once.  with_state: whether
    rows have state and lock id; None to decide by the first message, where all are in the same state.
    """
    output = session.output or default
    if output not in FORMATS:
        raise UsageError(f"no output format {output!r} here: {', '.join(FORMATS)}")
    return Writer(session, output, separator, force, endless, with_state)


class Writer:
    """Writer of messages; ``finish`` ends the document."""

    def __init__(
        self, session: Session, output: str, separator: bytes, force: bool, endless: bool, with_state: bool | None
    ) -> None:
        self.q_mgr_name = ""
        self.ccsid = 1208
        self._session = session
        self._output = output
        self._separator = separator
        self._force = force
        self._endless = endless
        self._with_state = with_state
        self._written = 0
        self._rows: list[dict[str, object]] = []
        self._envelopes: EnvelopeText | None = None
        self._has_header = output == "plain"

    @property
    def is_holding(self) -> bool:
        """Whether messages are held that are not written yet: the rows of a table are written together."""
        return self._output == "table" and bool(self._rows)

    def write_result(self, result: GetResult) -> None:
        """Write a message returned by a get, and flush it."""
        self.write(result.message, result.resolved_q_name, UNLOCKED, None)

    def write_stored(self, stored: StoredMessage, data: bytes, q_name: str, lock_id: bytes | None = None) -> None:
        """Write a stored message. data: all of it, or the beginning that a row shows."""
        if stored.expires_at is not None:
            from mqtools.mqi.get.search import remaining_expiry
            from mqtools.mqi.identity import now_ms

            stored.md.expiry = remaining_expiry(stored, now_ms())
        message = Message(data, stored.md)
        if stored.properties is not None:
            from mqtools.mqi.get.search import properties_of

            message.properties = properties_of(stored)
        self.write(message, q_name, stored.state, lock_id, length=stored.data_length)

    def write(
        self, message: Message, q_name: str, state: int, lock_id: bytes | None, *, length: int | None = None
    ) -> None:
        """Write a message in any state. length: of the whole data, where only its beginning is given."""
        if self._output == "raw":
            self._write_raw(message)
        elif self._output in ("json", "jsonl"):
            self._write_json(message, q_name, state, lock_id)
        elif self._output in ("hex", "dump"):
            self._write_listing(message)
        else:
            if self._with_state is None:
                self._with_state = state != UNLOCKED
            self._rows.append(_row(message, state, lock_id, len(message.data) if length is None else length))
            if self._output != "table":
                self.flush()
        self._written += 1

    def flush(self) -> None:
        """Write the held rows."""
        if self._output in ("table", "plain", "csv") and (self._rows or not self._has_header):
            self._write_rows()

    def finish(self) -> None:
        """End the document: write the bracket of a JSON array, the rows of a table."""
        if self._output == "json":
            command_session.write_out(b"]\n" if self._written else b"[]\n")
        elif self._output in ("table", "csv"):
            self.flush()
        sys.stdout.buffer.flush()

    def _write_raw(self, message: Message) -> None:
        if sys.stdout.isatty() and not self._force:
            command_session.write_out(_for_terminal(message))
        elif self._endless:
            command_session.write_out(message.data + self._separator)
        else:
            command_session.write_out((self._separator if self._written else b"") + message.data)

    def _write_json(self, message: Message, q_name: str, state: int, lock_id: bytes | None) -> None:
        if self._envelopes is None:
            from mqtools.formats.envelope_text import EnvelopeText

            self._envelopes = EnvelopeText(self.q_mgr_name, self.ccsid)
        text = self._envelopes.text(message, q_name, state, lock_id).encode("utf-8")
        if self._output == "jsonl":
            command_session.write_out(text + b"\n")
        else:
            command_session.write_out((b",\n" if self._written else b"[") + text)

    def _write_listing(self, message: Message) -> None:
        from mqtools.formats.hexdump import hexdump
        from mqtools.formats.message_listing import describe
        from mqtools.formats.terminal import visible

        lines = describe(message, ccsid=self.ccsid) if self._output == "dump" else hexdump(message.data, ebcdic=True)
        if self._written:
            command_session.write_line("")
        for line in lines:
            command_session.write_line(visible(line))
        sys.stdout.buffer.flush()

    def _write_rows(self) -> None:
        from mqtools.formats.rows import write_rows

        from .output_rows import color_wanted

        write_rows(
            self._rows,
            _columns(bool(self._with_state)),
            self._output,
            lambda text: command_session.write_out(text.encode("utf-8")),
            header=not self._has_header,
            color=color_wanted(self._session),
        )
        self._has_header = True
        self._rows = []


def _for_terminal(message: Message) -> bytes:
    """Return text with control characters made visible. Raise UsageError for other data."""
    from mqtools.errors import MQError
    from mqtools.formats.terminal import visible
    from mqtools.headers.charsets import decode_text

    try:
        text = decode_text(message.data, message.md.coded_char_set_id, message.md.encoding)
    except MQError:
        text = "\0"
    if "\0" in text:
        raise UsageError("cannot show a message that is not text on a terminal: use -o hex, -o dump or --force")
    shown = visible(text, keep="\n\t")
    return (shown if shown.endswith("\n") else shown + "\n").encode("utf-8")


def _columns(with_state: bool) -> list[Column]:
    from mqtools.formats.rows import Column

    names = ["msg_id", "put_at", "priority", "type", "format", "length", "data"]
    if with_state:
        names[1:1] = ["state", "lock_id"]
    return [Column(name, align="right" if name in ("priority", "length") else "left") for name in names]


def _row(message: Message, state: int, lock_id: bytes | None, length: int) -> dict[str, object]:
    from mqtools.constants.states import STATE_NAMES
    from mqtools.formats.units import put_at_ms, rfc3339

    md = message.md
    put_at = put_at_ms(md.put_date, md.put_time)
    return {
        "msg_id": md.msg_id.hex().upper(),
        "state": STATE_NAMES[state],
        "lock_id": lock_id.hex().upper() if lock_id else "",
        "put_at": "" if put_at is None else rfc3339(put_at),
        "priority": md.priority,
        "type": _type_name(md),
        "format": md.format,
        "length": length,
        "data": _preview(message),
    }


def _type_name(md: MQMD) -> str:
    """Return the name of a message type; a report is named by its feedback."""
    from mqtools.constants.message import MQMT_REPORT
    from mqtools.constants.names import name_of, name_or_number

    if md.msg_type != MQMT_REPORT:
        return str(name_or_number("MQMT", md.msg_type)).removeprefix("MQMT_").lower()
    return f"report {name_of('MQFB', md.feedback) or name_or_number('MQRC', md.feedback)}"


def _preview(message: Message) -> str:
    """Return the beginning of the data as text; for a dead letter reason, destination and data."""
    from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
    from mqtools.errors import MQError

    if message.md.format == MQFMT_DEAD_LETTER_HEADER:
        from mqtools.dlq.report_lines import reason_name
        from mqtools.headers.chain import read_dlh, strip_dlh

        try:
            dlh = read_dlh(message.md, message.data)
            md, data = strip_dlh(message.md, message.data)
        except MQError:
            return _beginning(message.md, message.data)
        return f"({reason_name(dlh.reason)} for {dlh.dest_q_name}) {_beginning(md, data)}"
    return _beginning(message.md, message.data)


def _beginning(md: MQMD, data: bytes) -> str:
    """Decode the beginning of data; drop a character that is cut."""
    from mqtools.errors import MQError
    from mqtools.headers.charsets import decode_text

    ccsid, encoding = md.coded_char_set_id, md.encoding
    beginning = data[:_TEXT_BYTES]
    for shorter in range(4):
        try:
            return decode_text(beginning[: len(beginning) - shorter], ccsid, encoding)[:_PREVIEW]
        except MQError:
            if len(beginning) < _TEXT_BYTES:
                break
    return beginning.decode("ascii", "backslashreplace")[:_PREVIEW]
