"""Input of ``mqx put``: standard input in its framings, and files."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import IO, Any

from mqtools.constants.reasons import MQRC_MSG_TOO_BIG_FOR_Q_MGR
from mqtools.errors import MQError
from mqtools.formats.delimiters import LONGEST_LINE, TooLong, split_stream
from mqtools.formats.jsonl_input import UNREADABLE, line_mistakes, parse_line
from mqtools.formats.mistakes import Findings
from mqtools.message import MQMD, Message
from mqtools.rules.descriptor import check_descriptor

from ..shared.command_session import UsageError
from .request import InputError, PutRequest, message_of

#: Bytes in the longest message that a queue manager can take, and in the longest that segments can make up.
LONGEST = 104_857_600
LONGEST_IN_SEGMENTS = 1_000_000_000
_CHUNK = 1 << 20

#: Mistakes of an input that are collected, and how long it may pause, in milliseconds, after the first of them.
_MOST_MISTAKES = 100
_PAUSE_MS = 1000


def read_whole(request: PutRequest) -> Iterator[Message]:
    """Yield all of stdin as one message."""
    yield _read_message(request, sys.stdin.buffer)


def _read_message(request: PutRequest, file: IO[bytes]) -> Message:
    """Return a file as one message. Raise InputError as soon as it is longer than any message."""
    most, whole = _longest(request), BytesIO()  # which gives its bytes away without a copy
    while piece := file.read(_CHUNK):
        whole.write(piece)
        if whole.tell() > most:
            raise _too_long(most)
    return message_of(request, whole.getvalue())


def _longest(request: PutRequest) -> int:
    return LONGEST_IN_SEGMENTS if request.segment else LONGEST


def _too_long(most: int) -> InputError:
    return InputError(
        f"the input is longer than {most} bytes, the maximum message length", reason=MQRC_MSG_TOO_BIG_FOR_Q_MGR
    )


def read_terminal(request: PutRequest, pause: Pause) -> Iterator[Message]:
    """Yield one message a line from a terminal; an empty line ends."""
    for line in split_stream(pause.read, b"\n", strip_cr=True):
        if not line:
            return
        yield message_of(request, line)


def read_files(request: PutRequest, paths: list[str]) -> Iterator[Message]:
    """Yield each file as one message; ``-`` is stdin. All are opened before the first is put.

    Raise UsageError that names every file that cannot be read.
    """
    missing = []
    for path in paths:
        try:
            if path != "-":
                open(path, "rb").close()
        except OSError as error:
            missing.append(f"{path}: {error.strerror}")
    if missing:
        raise UsageError("; ".join(missing))
    return _read_each(request, paths)


def _read_each(request: PutRequest, paths: list[str]) -> Iterator[Message]:
    for path in paths:
        if path == "-":
            yield from read_whole(request)
            continue
        with open(path, "rb") as file:
            yield _read_message(request, file)


def read_pieces(request: PutRequest, pause: Pause, delimiter: bytes, *, strip_cr: bool) -> Iterator[Message]:
    """Yield messages from stdin, each ended by a delimiter."""
    most = _longest(request)
    try:
        for piece in split_stream(pause.read, delimiter, strip_cr=strip_cr, most=most):
            yield message_of(request, piece)
    except TooLong as error:
        raise _too_long(most) from error


def read_jsonl(request: PutRequest, pause: Pause, *, keep_context: bool) -> Iterator[Message]:
    """Yield one JSON message a line (the envelope of ``-o jsonl``).

    The fields of each object are kept; command line options fill in what is missing. Raise InputError with all
    mistakes of the input, descriptors that no queue accepts among them, up to a hundred. Nothing after the first
    mistake is yielded.
    """
    findings = Findings("<stdin>")
    refusals: dict[int, MQError] = {}
    try:
        for number, line in enumerate(split_stream(pause.read, b"\n", strip_cr=True, most=LONGEST_LINE), 1):
            if not line.strip():
                continue
            try:
                message, envelope = parse_line(line, request.ccsid)
            except UNREADABLE as error:
                for column, words in line_mistakes(line, error):
                    findings.mistake((number, column), words)
                pause.ends_at_pause = True
                if len(findings.mistakes) >= _MOST_MISTAKES:
                    break
                continue
            message = complete_message(request, message, envelope, keep_context=keep_context)
            refused = refusal(request, message)
            if refused is not None:
                refusals[number] = refused
                findings.mistake((number, 1), str(refused))
                pause.ends_at_pause = True
            elif not pause.ends_at_pause:
                yield message
    except TooLong as error:
        raise _too_long(LONGEST) from error
    if len(findings.mistakes) == len(refusals) == 1:
        ((number, refused),) = refusals.items()
        raise InputError(f"<stdin>:{number}:1: {refused.text}", reason=refused.reason)
    if findings.mistakes:
        raise InputError(*map(str, findings.mistakes))


def refusal(request: PutRequest, message: Message) -> MQError | None:
    """Return why no queue accepts a message, or None."""
    if request.segment:  # a put in segments sets flags, offsets and numbers itself
        return None
    try:
        check_descriptor(message.md, data_length=len(message.data), to_remote=True)
    except MQError as error:
        return error
    return None


def complete_message(request: PutRequest, message: Message, envelope: dict[str, Any], *, keep_context: bool) -> Message:
    """Fill in a message from JSON with the descriptor and properties of a request. envelope: what the JSON sets."""
    md = envelope.get("md")
    said = set(md) if isinstance(md, dict) else set()
    blank = MQMD()
    for field in MQMD.__slots__:
        value = getattr(request.md, field)
        if field not in said and value != getattr(blank, field):
            setattr(message.md, field, value)
    if "format" not in said and not request.given_format:
        message.md.format = "MQSTR" if "data" in envelope else ""
    if message.md.coded_char_set_id == 0:
        message.md.coded_char_set_id = 1208
    if not keep_context:
        message.md.backout_count = 0
    for name, value in request.properties.items():
        message.properties.setdefault(name, value)
    return message


class Pause:
    """Reader of stdin that flushes the batch before it has to wait for more input.

    ends_at_pause: whether a pause of one second ends the input, as after a mistake: it is reported without waiting for
    the end of a stream.
    """

    def __init__(self) -> None:
        self.ends_at_pause = False
        self.before_wait: Callable[[], None] | None = None
        self._poll = select.poll()
        self._poll.register(sys.stdin.fileno(), select.POLLIN)

    def read(self, size: int) -> bytes:
        """Return the available bytes, up to size; empty at end of file."""
        if self.before_wait is not None and not self._poll.poll(0):
            self.before_wait()
        if self.ends_at_pause and not self._poll.poll(_PAUSE_MS):
            return b""
        return os.read(sys.stdin.fileno(), size)
