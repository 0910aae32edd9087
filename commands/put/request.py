"""Request of ``mqx put``, and the messages that it makes of data."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Mapping

from mqtools.message import MQMD, Message, Property
from mqtools.records import OptionRecord

#: Messages in one transaction unless told otherwise.
BATCH = 100


#: CCSID of text without one.
_UTF_8 = 1208

#: Bytes of data that are decoded at a time.
_PIECE = 1 << 20


class PutRequest(OptionRecord):
    """Request of ``mqx put``.

    queue: name, or name@queue-manager.  md: descriptor of every message.  batch: messages in one transaction, None for
    all in one unit of work.  confirm_id: leave unconfirmed.  given_format: whether the format was given; else text is
    MQSTR and other data has no format.  dead_letter: put refused messages on the dead-letter queue.  segment: bytes of
    data in each segment, 0 for no segmentation.  once: key under which all are put once in ``window_s`` seconds.
    ccsid: of character fields: the queue manager's, once connected.  number: of messages, None where it is unknown.
    """

    queue: str
    md: MQMD
    properties: Mapping[str, Property] = {}
    options: int = 0
    batch: int | None = BATCH
    confirm_id: int = 0
    print_id: bool = False
    dry_run: bool = False
    given_format: bool = False
    dead_letter: bool = False
    segment: int = 0
    once: str | None = None
    window_s: float = 86400
    ccsid: int = _UTF_8
    number: int | None = None


def message_of(request: PutRequest, data: bytes) -> Message:
    """Return a message of data: MQSTR for text in UTF-8 or the given CCSID; without a format otherwise."""
    md = request.md.replace()
    if not request.given_format:
        codec: str | None = "utf-8"
        if md.coded_char_set_id > 0 and md.coded_char_set_id != _UTF_8:
            from mqtools.headers.charsets import codec_of

            codec = codec_of(md.coded_char_set_id, md.encoding)
        decoder, view = getincrementaldecoder(codec or "latin-1")(), memoryview(data)  # without a codec all is text
        md.format = "MQSTR"
        try:
            for at in range(0, len(data), _PIECE):  # the text of all of it may take four times its memory
                decoder.decode(view[at : at + _PIECE], at + _PIECE >= len(data))
        except UnicodeError:
            md.format = ""
    if md.coded_char_set_id == 0:
        md.coded_char_set_id = _UTF_8
    return Message(data, md, dict(request.properties))


class InputError(Exception):
    """Raised when parts of the input are not valid messages.

    mistakes: their places and texts.  reason: reason code, 0 where there is none.
    """

    def __init__(self, *mistakes: str, reason: int = 0) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = mistakes
        self.reason = reason
