"""One line of the list of messages: what is shown of a message that may change or go at any time."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER, MQMT_REPORT
from mqtools.constants.names import name_of, name_or_number
from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.errors import MQError
from mqtools.formats.terminal import visible
from mqtools.headers.chain import is_header_format, read_dlh, walk
from mqtools.headers.charsets import DEFAULT_CCSID, decode_text
from mqtools.message import MQMD
from mqtools.records import Record

if TYPE_CHECKING:
    from mqtools.store.messages.stored_message import StoredMessage

#: Bytes of the data that are read for a line, and characters of it that are kept.
BEGINNING_BYTES = 1024
_BEGINNING = 200
#: A character that the cut goes through has at most so many bytes less one.
_LONGEST_CHARACTER = 4
#: All of a descriptor at once: many are compared many times a second.
_FIELDS = attrgetter(*MQMD.__slots__)


class Row(Record):
    """A message in the list.

    state: of constants/states.py.  expires_at, put_at: milliseconds since 1970.  md: its descriptor.  data: the
    beginning of its data.  kind: its type; of a report what it reports, of a dead letter why it is one.  length: bytes.
    beginning: of its body, made visible.  is_marked: for the co-operating set.  is_dead: a dead letter.  target: queue
    that a dead letter was for, made visible.  gone_at: when it was seen to be gone, None while it is there.
    """

    __slots__ = (
        "seq",
        "order_key",
        "state",
        "expires_at",
        "put_at",
        "md",
        "data",
        "kind",
        "length",
        "beginning",
        "is_marked",
        "is_dead",
        "target",
        "gone_at",
    )

    def __init__(self, stored: StoredMessage, data: bytes, kind: str, beginning: str, target: str = "") -> None:
        self.seq = stored.seq
        self.order_key = stored.order_key
        self.state = stored.state
        self.expires_at = stored.expires_at
        self.put_at = stored.put_at
        self.md = stored.md
        self.data = data
        self.kind = kind
        self.length = stored.data_length
        self.beginning = beginning
        self.is_marked = False
        self.is_dead = stored.md.format == MQFMT_DEAD_LETTER_HEADER
        self.target = target
        self.gone_at: int | None = None

    def is_of(self, stored: StoredMessage, data: bytes) -> bool:
        """Tell whether the message is still what it was when the line was made. data: its beginning."""
        was = (self.length, self.expires_at, self.data)
        return was == (stored.data_length, stored.expires_at, data) and _FIELDS(self.md) == _FIELDS(stored.md)

    @property
    def words(self) -> str:
        """What stands in the line behind the length."""
        return f"→ {self.target}  {self.beginning}" if self.target else self.beginning

    def state_word(self, now_ms: int, *, is_ours: bool) -> str:
        """Give the letters of what is the matter with the message. is_ours: marked here."""
        if self.gone_at is not None:
            return "gone"
        word = "L" if self.state == LOCKED_FOR_BROWSE else "U" if self.state != UNLOCKED else ""
        if self.is_marked or is_ours:
            word += "M" if is_ours else "m"
        if self.expires_at is not None and self.expires_at <= now_ms:
            word += "E"
        return word + ("!" if self.is_dead else "")


def make_row(stored: StoredMessage, data: bytes) -> Row:
    """Make the line of a message. data: its beginning."""
    kind, target = _dead_letter(stored, data) if stored.md.format == MQFMT_DEAD_LETTER_HEADER else (_kind(stored), "")
    return Row(stored, data, visible(kind), _beginning(stored, data), visible(target))


def _dead_letter(stored: StoredMessage, data: bytes) -> tuple[str, str]:
    """Why a message is a dead letter, and the queue that it was for."""
    try:
        dlh = read_dlh(stored.md, data)
    except MQError:
        return "no MQDLH", ""
    named = name_of("MQRC", dlh.reason) or name_or_number("MQFB", dlh.reason)
    return str(named).removeprefix("MQRC_"), dlh.dest_q_name


def _kind(stored: StoredMessage) -> str:
    md = stored.md
    if md.msg_type == MQMT_REPORT:
        named = name_of("MQFB", md.feedback) or name_or_number("MQRC", md.feedback)
        return str(named).removeprefix("MQFB_").removeprefix("MQRC_")
    return str(name_or_number("MQMT", md.msg_type)).removeprefix("MQMT_").lower()


def _beginning(stored: StoredMessage, data: bytes) -> str:
    """The beginning of the body, behind the headers that are there whole, made visible."""
    md = stored.md
    ccsid, encoding = md.coded_char_set_id, md.encoding
    if is_header_format(md.format):
        chain = walk(data, md.format, encoding, ccsid)
        data, ccsid, encoding = data[chain.body_offset :], chain.body_ccsid, chain.body_encoding
    return visible(text_of(data, ccsid, encoding, is_cut=True)[:_BEGINNING])


def text_of(data: bytes, ccsid: int, encoding: int, *, is_cut: bool = False) -> str:
    """Give data as text, not yet made visible; what is no text shows its bytes. is_cut: perhaps within a character."""
    for shorter in range(_LONGEST_CHARACTER if is_cut else 1):
        try:
            return decode_text(data[: len(data) - shorter], ccsid if ccsid > 0 else DEFAULT_CCSID, encoding)
        except MQError:
            continue
    return data.decode("ascii", "backslashreplace")
