"""Output of the data of messages, and nothing else about them: what ``get`` writes unless told otherwise."""

from __future__ import annotations

import sys

from mqtools.errors import MQError

from .command_session import UsageError, write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.message import Message
    from mqtools.mqi.get.request import GetResult


class RawWriter:
    """Writer of data; ``finish`` ends it.

    separator: text that ends each message, empty for a single one.  force: write exact bytes to a terminal.
    """

    is_holding = False  # each message is written at once

    def __init__(self, separator: bytes, *, force: bool) -> None:
        self.q_mgr_name = ""
        self.ccsid = 1208
        self._separator = separator
        self._force = force

    @property
    def is_on_terminal(self) -> bool:
        """Whether only text is written, with control characters made visible."""
        return sys.stdout.isatty() and not self._force

    def write_result(self, result: GetResult) -> None:
        """Write a message returned by a get, and flush it."""
        self.write(result.message)

    def write(self, message: Message) -> None:
        """Write a message, and flush it. Raises UsageError for one that is not text on a terminal."""
        if self.is_on_terminal:
            write_out(_for_terminal(message))
        else:
            write_out(message.data + self._separator)

    def flush(self) -> None:
        """Write what is held: nothing is."""

    def finish(self) -> None:
        """End the output."""
        sys.stdout.buffer.flush()


def _for_terminal(message: Message) -> bytes:
    """Return text with control characters made visible. Raise UsageError for other data."""
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
