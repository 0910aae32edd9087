"""Row of the message list: the displayed fields of a message, which may change or go at any time."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER, MQMF_LAST_MSG_IN_GROUP, MQMT_REPORT
from mqtools.constants.names import name_of, name_or_number
from mqtools.constants.states import DELAYED, LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.errors import MQError
from mqtools.formats.terminal import visible
from mqtools.message import MQMD
from mqtools.mqi.get.search import properties_of
from mqtools.operations.message_parts import dead_letter_header, split_at_body
from mqtools.operations.views.message_view import StoredMessage, decode_for_display
from mqtools.rules.descriptor import GROUP_FLAGS
from mqtools.tui.display.body_values import json_values

#: Beginnings of the ids of columns that show a value of a body or a property.
JSON_PATH, PROPERTY = "json:", "property:"
#: Bytes of the data that are read for a row, and characters that are kept.
BEGINNING_BYTES = 1024
_BEGINNING = 1024


@dataclass(slots=True, eq=False, repr=False)
class Row:
    """A message in the list.

    state: of constants/states.py.  expires_at, put_at: milliseconds since 1970.  md: its descriptor.  data: the
    beginning of its data.  kind: its type; of a report what it reports, of a dead letter why it is one.  length: bytes.
    beginning: of its body, made visible.  is_marked: for the co-operating set.  is_dead: a dead letter.  target:
    destination of a dead letter, made visible: NAME of a queue here, else NAME@QMGR.  gone_at: when it was found to be
    gone, None while it is there.  gone_number: messages that are gone and for which this row stands.  stored: the
    message.
    """

    seq: int
    order_key: int
    state: int
    expires_at: int | None
    put_at: int
    md: MQMD
    data: bytes
    length: int
    kind: str
    beginning: str
    target: str
    is_dead: bool
    is_marked: bool = False
    gone_at: int | None = None
    gone_number: int = 1
    stored: StoredMessage | None = None
    _values: dict[str, str] | None = None

    @property
    def words(self) -> str:
        return f"→ {self.target}  {self.beginning}" if self.target else self.beginning

    @property
    def values(self) -> dict[str, str]:
        """Values of its properties and of its beginning by the ids of their columns."""
        if self._values is None and self.stored is not None:
            properties = properties_of(self.stored)
            self._values = {f"{PROPERTY}{name}": str(one.value) for name, one in properties.items()}
            text = _text(self.stored, self.data)
            if text.lstrip("\ufeff \r\n\t")[:1] in ("{", "["):
                self._values |= {f"{JSON_PATH}{path}": value for path, value in json_values(text)}
        return self._values or {}

    @property
    def is_grouped(self) -> bool:
        return bool(self.md.msg_flags & GROUP_FLAGS)

    @property
    def is_last_of_group(self) -> bool:
        """Whether it is the last message of a group, so that its number is that of all."""
        return bool(self.md.msg_flags & MQMF_LAST_MSG_IN_GROUP)

    def state_word(self, now_ms: int, mark: str) -> str:
        """Return the letters of the state column. mark: the letter of its mark, empty for none."""
        if self.gone_at is not None:
            return "gone"
        word = _LETTERS.get(self.state, "U")
        word += mark
        if self.expires_at is not None and self.expires_at <= now_ms:
            word += "E"
        return word + ("!" if self.is_dead else "")


#: State to its letter; any other is uncommitted.
_LETTERS = {UNLOCKED: "", LOCKED_FOR_BROWSE: "L", DELAYED: "D"}


def make_row(stored: StoredMessage, data: bytes, q_mgr_name: str = "") -> Row:
    """Make the row of a message. data: its beginning.  q_mgr_name: of the queue manager that has it."""
    is_dead = stored.md.format == MQFMT_DEAD_LETTER_HEADER
    kind, target = _dead_letter(stored, data, q_mgr_name) if is_dead else (_kind(stored), "")
    return Row(
        stored.seq,
        stored.order_key,
        stored.state,
        stored.expires_at,
        stored.put_at,
        stored.md,
        data,
        stored.data_length,
        visible(kind),
        _beginning(stored, data),
        visible(target),
        is_dead,
        stored=stored,
    )


def explain_absence(row: Row | None, *, is_needed: bool = True) -> str:
    """Return why there is no message to do something with; empty when there is. is_needed: not only its row."""
    if row is None:
        return "no message is under the cursor"
    return "the message is gone" if is_needed and row.gone_at is not None else ""


def _dead_letter(stored: StoredMessage, data: bytes, q_mgr_name: str) -> tuple[str, str]:
    """Return the reason of a dead letter and its destination."""
    try:
        dlh = dead_letter_header(stored.md, data)
    except MQError:
        return "no MQDLH", ""
    named = name_of("MQRC", dlh.reason) or name_or_number("MQFB", dlh.reason)
    there = "" if dlh.dest_q_mgr_name in ("", q_mgr_name) else f"@{dlh.dest_q_mgr_name}"
    return str(named).removeprefix("MQRC_"), dlh.dest_q_name + there


def _kind(stored: StoredMessage) -> str:
    md = stored.md
    if md.msg_type == MQMT_REPORT:
        named = name_of("MQFB", md.feedback) or name_or_number("MQRC", md.feedback)
        return str(named).removeprefix("MQFB_").removeprefix("MQRC_")
    return str(name_or_number("MQMT", md.msg_type)).removeprefix("MQMT_").lower()


def _beginning(stored: StoredMessage, data: bytes) -> str:
    """Return the beginning of the body, made visible."""
    return visible(_text(stored, data)[:_BEGINNING])


def _text(stored: StoredMessage, data: bytes) -> str:
    """Return the beginning of the body, after the complete headers, as text."""
    md = stored.md
    _, body, encoding, ccsid = split_at_body(data, md.format, md.encoding, md.coded_char_set_id)
    return decode_for_display(body, ccsid, encoding, is_cut=True)
