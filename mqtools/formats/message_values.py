"""Values of a message for people: the columns of a table by name, and what a template shows."""

from __future__ import annotations

from collections.abc import Callable

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER, MQMT_REPORT
from mqtools.constants.names import dead_letter_reason, name_of, name_or_number
from mqtools.constants.states import STATE_NAMES
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.errors import MQError
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.formats.units import human_age, put_at_ms, rfc3339
from mqtools.headers.charsets import decode_text
from mqtools.message import MQMD, Message
from mqtools.records import OptionRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.headers.mqdlh import MQDLH

#: Characters of the data that a cell shows, and the bytes of text that are enough for it, in any character set.
_PREVIEW = 60
_TEXT_BYTES = 4 * _PREVIEW
#: Bytes of data that are enough for every value but the body, behind a dead-letter header too.
PREVIEW_BYTES = MQDLH_LENGTH_1 + _TEXT_BYTES

#: Prefix of columns that are properties of the message.
PROPERTIES = "properties."


class MessageView(OptionRecord):
    """A message with what is known of it on its queue.

    lock_id: empty without one.  whole_length: of the data, where the message has only its beginning.
    show_time: milliseconds since 1970 to text.  now_ms: for ages.
    """

    message: Message
    q_name: str = ""
    q_mgr_name: str = ""
    state: int = 1
    lock_id: bytes = b""
    whole_length: int | None = None
    ccsid: int = 1208
    show_time: Callable[[int], str] = staticmethod(rfc3339)
    now_ms: int = 0

    @property
    def length(self) -> int:
        """Number of bytes of the whole data."""
        return len(self.message.data) if self.whole_length is None else self.whole_length

    @property
    def put_at(self) -> int | None:
        """The put time in milliseconds since 1970; None where the descriptor holds none."""
        return put_at_ms(self.message.md.put_date, self.message.md.put_time)

    @property
    def dead_letter(self) -> tuple[MQDLH, MQMD, bytes] | None:
        """The dead-letter header, and the message behind it; None without a valid header."""
        md, data = self.message.md, self.message.data
        if md.format != MQFMT_DEAD_LETTER_HEADER:
            return None
        from mqtools.headers.chain import read_dlh, strip_dlh

        try:
            dlh = read_dlh(md, data)
        except MQError:
            return None
        return dlh, *strip_dlh(md, data, dlh)


def _put_at(view: MessageView) -> str:
    at = view.put_at
    return "" if at is None else view.show_time(at)


def _age(view: MessageView) -> str:
    at = view.put_at
    return "" if at is None else human_age((view.now_ms - at) / 1000)


def type_name(view: MessageView) -> str:
    """Return the name of a message type; a report is named by its feedback."""
    md = view.message.md
    if md.msg_type != MQMT_REPORT:
        return str(name_or_number("MQMT", md.msg_type)).removeprefix("MQMT_").lower()
    return f"report {name_of('MQFB', md.feedback) or name_or_number('MQRC', md.feedback)}"


def _reason(view: MessageView) -> str | int:
    dead = view.dead_letter
    return "" if dead is None else dead_letter_reason(dead[0].reason)


def _destination(view: MessageView) -> str:
    dead = view.dead_letter
    if dead is None:
        return ""
    dlh = dead[0]
    q_mgr_name = dlh.dest_q_mgr_name.rstrip()
    return f"{dlh.dest_q_name.rstrip()}@{q_mgr_name}" if q_mgr_name else dlh.dest_q_name.rstrip()


def preview(view: MessageView) -> str:
    """Return the beginning of the data as text; for a dead letter reason, destination and data."""
    dead = view.dead_letter
    if dead is not None:
        dlh, md, data = dead
        return f"({dead_letter_reason(dlh.reason)} for {dlh.dest_q_name}) {_beginning(md, data)}"
    return _beginning(view.message.md, view.message.data)


def _beginning(md: MQMD, data: bytes) -> str:
    """Decode the beginning of data; drop a character that is cut."""
    ccsid, encoding = md.coded_char_set_id, md.encoding
    beginning = data[:_TEXT_BYTES]
    for shorter in range(4):
        try:
            return decode_text(beginning[: len(beginning) - shorter], ccsid, encoding)[:_PREVIEW]
        except MQError:
            if len(beginning) < _TEXT_BYTES:
                break
    return beginning.decode("ascii", "backslashreplace")[:_PREVIEW]


#: Name of a column to its value. Fields of the descriptor and ``properties.NAME`` are columns too.
VALUES: dict[str, Callable[[MessageView], object]] = {
    "msg_id": lambda view: view.message.md.msg_id.hex().upper(),
    "state": lambda view: STATE_NAMES[view.state],
    "lock_id": lambda view: view.lock_id.hex().upper(),
    "put_at": _put_at,
    "age": _age,
    "priority": lambda view: view.message.md.priority,
    "type": type_name,
    "format": lambda view: view.message.md.format,
    "length": lambda view: view.length,
    "data": preview,
    "queue": lambda view: view.q_name,
    "qmgr": lambda view: view.q_mgr_name,
    "reason": _reason,
    "destination": _destination,
}


def column_names() -> list[str]:
    return [*VALUES, *(name for name in MQMD.__slots__ if name not in VALUES)]


def check_column(name: str) -> str:
    """Return the name of a column in lower case. Raises ValueError that names the most similar one."""
    if name.startswith(PROPERTIES) and name != PROPERTIES:
        return name
    known = column_names()
    if name.lower() in known:
        return name.lower()
    meant = did_you_mean(nearest(name.lower(), known)) or (
        f"a property is {PROPERTIES}{name}; columns: {', '.join(known)}, {PROPERTIES}NAME"
    )
    raise ValueError(f"no column {name!r}; {meant}")


def value_of(view: MessageView, name: str) -> object:
    """Return the value of a column; None for a property that the message does not have."""
    if name in VALUES:
        return VALUES[name](view)
    if name.startswith(PROPERTIES):
        found = view.message.properties.get(name.removeprefix(PROPERTIES))
        return None if found is None else found.value
    from mqtools.formats.descriptor import md_to_dict

    return md_to_dict(view.message.md, view.ccsid)[name]


def sort_key(view: MessageView, name: str) -> tuple[float, str] | None:
    """Return the key that messages are sorted by: times and numbers as such, other values as text; None without one."""
    value: object = view.put_at if name in ("put_at", "age") else value_of(view, name)
    if value is None or value == "":
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (-value if name == "age" else float(value), "")
    return (0, str(value))
