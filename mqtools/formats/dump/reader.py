"""Reading of a dump: dmpmqmsg's text to messages, every mistake with its line and column, none of them silent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqtools.formats.dump.data_lines import plain_hex, read_data
from mqtools.formats.dump.fields import EXTRA, BadValue
from mqtools.formats.dump.values import (
    SHORTEST_ATTRIBUTE,
    VALUE_AT,
    apply_extra,
    attribute_field,
    read_attribute,
    read_extra,
)
from mqtools.formats.mistakes import Findings, ReadMessage, without_end
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.message import MQMD, Message

#: First bytes of a line that continues a message: data, or nothing.
_GOES_ON = (b"X", b"S", b"T", b"", b" ", b"\r", b"\n")


def read_dump(
    lines: Iterable[tuple[int, bytes]], findings: Findings, ccsid: int = DEFAULT_CCSID
) -> Iterator[ReadMessage]:
    """Read the messages of a dump one by one; none that has a mistake in it is given.

    lines: with their numbers and ends.  A message is zero or one line N, attributes, and at least one data line;
    blank lines and comments end nothing.  ccsid: of the character fields: the queue manager's.
    """
    reading = _Reading(findings, ccsid)
    number, line = 0, b""
    for number, line in lines:
        kind = line[:1]
        if kind == b"A" and reading.is_begun and not reading.pieces:
            reading.attribute(number, line)
            continue
        if kind == b"X" and reading.is_begun and (piece := plain_hex(line)):
            reading.pieces.append(piece)
            reading.last = number
            continue
        if kind not in _GOES_ON and reading.is_complete_before(line) and (done := reading.finish()):
            yield done
        reading.line(number, kind, line)
    if line and not line.endswith(b"\n"):
        findings.warn((number, len(line) + 1), "the last line has no end; if the file was cut off, so is this message")
    if reading.is_begun and (done := reading.finish()):
        yield done


class _Reading:
    """One message while it is read.

    md: its descriptor.  is_begun: whether it has a line.  pieces: of its data.  last: its last line so far.
    """

    def __init__(self, findings: Findings, ccsid: int) -> None:
        self.md = MQMD()
        self._ccsid = ccsid
        self.is_begun = False
        self.pieces: list[bytes] = []
        self._findings = findings
        self._extra: dict[str, object] = {}
        self._first = self.last = 0
        self._is_bad = False
        self._is_stray = False

    def is_complete_before(self, line: bytes) -> bool:
        """Return whether a line ends the message in front of it: behind data, and N behind attributes too."""
        if line.startswith(b"*"):
            return bool(self.pieces) and line.startswith(EXTRA)
        return bool(self.pieces) or (self.is_begun and line.startswith(b"N"))

    def line(self, number: int, kind: bytes, line: bytes) -> None:
        """Read a line of any kind."""
        if kind == b"A":
            self.attribute(number, line)
        elif kind in (b"X", b"S", b"T"):
            self._data(number, without_end(line))
        elif line.startswith(EXTRA):
            self._extra_comment(number, line)
        elif kind == b"*":
            return
        elif kind == b"N":
            self._begin(number)
        elif line.strip(b" \r\n"):
            self._bad(number, 1, "a line begins with A, N, X, S, T or *")

    def _begin(self, number: int) -> None:
        """Begin a message that has no attributes yet."""
        self.is_begun = True
        self._is_stray = False
        self._first = self.last = number

    def attribute(self, number: int, whole: bytes) -> None:
        """Read an attribute line: the code in columns 3 to 5, the value from column 7 on."""
        if not self.is_begun:
            self._begin(number)
        self.last = number
        try:
            attribute = read_attribute(whole, self._ccsid)
        except BadValue as error:
            self._misread(number, whole, error)
            return
        if attribute:
            setattr(self.md, *attribute)
        elif attribute is None and len(line := without_end(whole)) < SHORTEST_ATTRIBUTE:
            self._bad(number, len(line) + 1, "an attribute line has a code in columns 3 to 5")
        elif attribute is None:
            self._bad(number, 3, f"there is no attribute {whole[2:5].decode('latin-1')!r}")

    def _misread(self, number: int, line: bytes, error: BadValue) -> None:
        """Use what a doubtful value was read as, with a warning; report one that cannot be read as a mistake."""
        column = VALUE_AT + 1 + error.offset
        if error.value is None:
            self._bad(number, column, error.text)
        else:
            setattr(self.md, attribute_field(line), error.value)
            self._findings.warn((number, column), error.text)

    def _data(self, number: int, line: bytes) -> None:
        """Read a data line; one without a message around it is a mistake, said once for all that follow each other."""
        if not self.is_begun:
            if not self._is_stray:
                self._findings.mistake((number, 1), "data without a message: A or N comes first")
            self._is_stray = True
            return
        self.last = number
        try:
            self.pieces.append(read_data(line))
        except BadValue as error:
            self.pieces.append(b"")
            self._bad(number, error.offset + 1, error.text)

    def _extra_comment(self, number: int, line: bytes) -> None:
        """Read the comment in which mqx keeps what the form has no line for; it is of the message that follows."""
        try:
            self._extra = read_extra(line)
        except BadValue as error:
            self._bad(number, error.offset + 1, error.text)

    def finish(self) -> ReadMessage | None:
        """End the message; nothing where it has a mistake. The next begins with nothing."""
        message = self._complete()
        if message is not None and not self.pieces:
            self._findings.mistake((self._first, 1), "the message has no data line: an empty one is written as X")
            message = None
        done = None if message is None else ReadMessage(message, self._first, self.last)
        self.pieces, self.is_begun, self._is_bad = [], False, False
        self.md, self._extra = MQMD(), {}
        return done

    def _complete(self) -> Message | None:
        if self._is_bad:
            return None
        message = Message(b"".join(self.pieces), self.md)
        if self._extra:
            try:
                apply_extra(message, self._extra, self._ccsid)
            except BadValue as error:
                self._findings.mistake((self._first, 1), error.text)
                return None
        return message

    def _bad(self, number: int, column: int, text: str) -> None:
        self._findings.mistake((number, column), text)
        self._is_bad = True
