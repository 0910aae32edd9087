"""Output of the data of messages, and nothing else about them: what ``get`` writes unless told otherwise."""

from __future__ import annotations

import sys

from mqtools.errors import MQError

from .command_session import UsageError, write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.message import Message


class RawWriter:
    """Writer of data; ``finish`` ends it.

    ending: text that ends each message, empty for a single one.  force: write exact bytes to a terminal.
    is_on_terminal: only text is written, with control characters made visible.
    """

    is_holding = False  # each message is written at once

    def __init__(self, ending: bytes, *, force: bool) -> None:
        self.q_mgr_name = ""
        self.ccsid = 1208
        self.is_on_terminal = sys.stdout.isatty() and not force
        self._ending = ending

    def write_message(self, message: Message, _q_name: str = "") -> None:
        """Write a message, and flush it. Raises UsageError for one that is not text on a terminal."""
        write_out(_for_terminal(message) if self.is_on_terminal else message.data + self._ending)

    def flush(self) -> None:
        """Write what is held: nothing is."""

    def finish(self) -> None:
        """End the output: nothing is held."""


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
