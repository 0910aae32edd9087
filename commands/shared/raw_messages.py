"""Output of the data of messages, and nothing else about them: what ``get`` writes unless told otherwise."""

from __future__ import annotations

import sys

from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.records import OptionRecord

from .command_session import UsageError, one_line, write_out


class RawWriter(OptionRecord):
    """Writer of data; ``finish`` ends it.

    ending: text that ends each message, empty for a single one.  force: write exact bytes to a terminal.
    """

    ending: bytes
    force: bool = False
    q_mgr_name: str = ""
    ccsid: int = 1208
    is_holding: bool = False  # each message is written at once

    def write_message(self, message: Message, _q_name: str = "") -> None:
        """Write a message, and flush it. Raises UsageError for one that is not text on a terminal."""
        is_exact = self.force or not sys.stdout.isatty()
        write_out(message.data + self.ending if is_exact else _for_terminal(message))

    def flush(self) -> None:
        """Write what is held: nothing is."""

    def finish(self) -> None:
        """End the output: nothing is held."""


def _for_terminal(message: Message) -> bytes:
    """Return text with control characters made visible. Raise UsageError for other data."""
    from mqtools.headers.charsets import decode_text

    try:
        text = decode_text(message.data, message.md.coded_char_set_id, message.md.encoding)
    except MQError:
        text = "\0"
    if "\0" in text:
        raise UsageError("cannot show a message that is not text on a terminal: use -o hex, -o listing or --force")
    shown = one_line(text, keep="\n\t")
    return (shown if shown.endswith("\n") else shown + "\n").encode("utf-8")
