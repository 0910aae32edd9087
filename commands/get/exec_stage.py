"""Output of a command of ``mqx get --exec`` as messages: ``--to``, ``--reply``, ``--split``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO

from mqtools.constants.message import MQENC_NATIVE
from mqtools.constants.options import MQACTP_REPLY, MQPMO_SYNCPOINT
from mqtools.formats.delimiters import split_stream
from mqtools.formats.jsonl_input import UNREADABLE, line_mistakes, parse_line
from mqtools.message import MQMD, Message
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.rules.actions import COPIED, derive_descriptor
from mqtools.rules.properties import properties_of_made
from mqtools.rules.reports import reply_destination

from ..put.input import complete_message
from ..put.request import PutRequest, message_of

#: Values of --split.
SPLITS = LINES, NULL, JSONL = "lines", "null", "jsonl"

_DELIMITERS = {LINES: b"\n", NULL: b"\0", JSONL: b"\n"}


class OutputError(Exception):
    """Raised when the output of a command is not messages."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Destination of the output of commands.

    to: Q or Q@QM, empty for the reply-to queue of each message.  split: a value of SPLITS; empty if the whole output is
    one message.
    """

    to: str
    split: str

    def check(self, check_target: Callable[[str, str], None]) -> None:
        """Raise MQError for a destination that a put would not find. check_target: checks queue and queue manager."""
        if self.to:
            name, _, q_mgr_name = self.to.partition("@")
            check_target(name, q_mgr_name)

    def lacks_destination(self, md: MQMD) -> bool:
        """Return whether a message lacks the reply-to queue that it requires."""
        return not (self.to or reply_destination(md)[0])

    def put(self, connection: QueueManagerConnection, original: Message | None, output: bytes) -> int:
        """Put the output in the unit of work of the connection; return the reason of a warning, or 0.

        original: message that the command has processed, None for several.  Raise OutputError or MQError; what was put
        before it must be backed out.
        """
        request = self._request(original, connection.ccsid)
        name, _, q_mgr_name = request.queue.partition("@")
        results, error = connection.put_each(
            name, list(self._messages(request, output)), MQPMO_SYNCPOINT, q_mgr_name=q_mgr_name
        )
        if error is not None:
            raise error
        return max((result.reason for result in results), default=0)

    def _request(self, original: Message | None, ccsid: int) -> PutRequest:
        """Return the queue, descriptor and properties of the messages that the output makes."""
        if original is None:
            return PutRequest(self.to, MQMD(), ccsid=ccsid)
        md = original.md
        if self.to:
            inherited = MQMD(priority=md.priority, persistence=md.persistence, expiry=md.expiry, correl_id=md.correl_id)
            return PutRequest(self.to, inherited, properties=original.properties, ccsid=ccsid)
        reply = derive_descriptor(MQACTP_REPLY, md, MQMD(), (), length=0)
        reply = reply.replace(format="", coded_char_set_id=0, encoding=MQENC_NATIVE)
        properties = properties_of_made(COPIED[MQACTP_REPLY], original.properties, {})
        return PutRequest("@".join(reply_destination(md)), reply, properties=properties, ccsid=ccsid)

    def _messages(self, request: PutRequest, output: bytes) -> Iterator[Message]:
        if not self.split:
            if output:
                yield message_of(request, output)
            return
        pieces = split_stream(BytesIO(output).read, _DELIMITERS[self.split], strip_cr=self.split != NULL)
        for number, piece in enumerate(pieces, 1):
            if self.split != JSONL:
                yield message_of(request, piece)
            elif piece.strip():
                yield _from_json(request, piece, number)


def _from_json(request: PutRequest, line: bytes, number: int) -> Message:
    try:
        message, envelope = parse_line(line, request.ccsid)
    except UNREADABLE as error:
        column, words = line_mistakes(line, error)[0]
        raise OutputError(f"<output>:{number}:{column}: {words}") from error
    return complete_message(request, message, envelope, keep_context=False)
