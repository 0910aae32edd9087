"""The attribute lines of whole messages of a dump, where there is nothing unusual in them.

The messages of a queue mostly differ in identifiers and put time only: what is said beside these is read once.
"""

from __future__ import annotations

from binascii import unhexlify
from operator import attrgetter
from typing import TYPE_CHECKING

from mqtools.constants.structures import MQ_CORREL_ID_LENGTH, MQ_MSG_ID_LENGTH
from mqtools.formats.dump.values import BadValue
from mqtools.message import MQMD, field_values

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mqtools.formats.dump.values import Reader

#: Where a value begins in an attribute line.
VALUE_AT = 6

#: Attribute lines that are remembered, and heads but for their own lines.
_REMEMBERED, _REMEMBERED_HEADS = 4096, 256

#: The lines that each message has for itself, two and two behind each other as they are written.
_OWN_LINES = (b"\nA MSI ", b"\nA COI ", b"\nA PTD ", b"\nA PTT ")
_MSI, _COI, _PTD, _PTT = _OWN_LINES
_DATE_LENGTH = _TIME_LENGTH = 8
_MSI_END = len(_MSI) + 2 * MQ_MSG_ID_LENGTH
_COI_AT = _MSI_END + len(_COI)
_IDS_END = _COI_AT + 2 * MQ_CORREL_ID_LENGTH
_DATE_END = len(_PTD) + _DATE_LENGTH
_TIME_AT = _DATE_END + len(_PTT)
_TIMES_END = _TIME_AT + _TIME_LENGTH
_own = attrgetter("msg_id", "correl_id", "put_date", "put_time")


class Heads:
    """Reads the attribute lines of messages at once."""

    def __init__(self, readers: Mapping[bytes, tuple[str, Reader]]) -> None:
        """readers: of ``values.readers``."""
        self._readers = readers
        #: Attribute lines without their ends, to the field and the value that they set: most come again and again.
        self._seen: dict[bytes, tuple[str, object]] = {}
        #: Heads without their own lines, to the values of the descriptor.
        self._known: dict[tuple[bytes, bytes, bytes], tuple[Any, ...]] = {}

    def read(self, head: bytes) -> MQMD | None:
        """Return the descriptor of a message; None where its lines must be read one by one.

        head: the lines in front of its data, without the last end.
        """
        at = head.find(_MSI)
        behind = at + _IDS_END
        times_at = head.find(_PTD, behind)
        if at < 0 or times_at < 0:
            return self._read(head)
        rest = (head[:at], head[behind:times_at], head[times_at + _TIMES_END :])
        values = self._known.get(rest)
        if values is None:
            return self._read_first(head, rest)
        ids, times = head[at:behind], head[times_at : times_at + _TIMES_END]
        own = _own_values(ids, times)
        if own is None:
            return self._read(head)
        md = MQMD.of(values)
        md.msg_id, md.correl_id, md.put_date, md.put_time = own
        return md

    def _read_first(self, head: bytes, rest: tuple[bytes, bytes, bytes]) -> MQMD | None:
        """Read a head, and keep what it says if others like it can be read by that."""
        md = self._read(head)
        if md is not None and not any(each and each[:1] != b"\n" for each in rest[1:]):
            ids_at, times_at = len(rest[0]), len(rest[0]) + _IDS_END + len(rest[1])
            own = _own_values(head[ids_at:][:_IDS_END], head[times_at:][:_TIMES_END])
            if own == _own(md) and all(head.count(line) == 1 for line in _OWN_LINES):
                if len(self._known) >= _REMEMBERED_HEADS:
                    self._known.clear()
                self._known[rest] = field_values(md)
        return md

    def _read(self, head: bytes) -> MQMD | None:
        lines = head.split(b"\n")
        if lines[0] == b"N":
            del lines[0]
        md, seen = MQMD(), self._seen
        for line in lines:
            known = seen.get(line) or self._plain_attribute(line)
            if known is None:
                return None
            setattr(md, *known)
        return md

    def _plain_attribute(self, line: bytes) -> tuple[str, object] | None:
        """Read an attribute line, without its end, to the field and its value; None where there is any doubt."""
        known = self._readers.get(line[2:5])
        if known is None or line[:1] != b"A" or len(line) <= VALUE_AT or line.endswith(b"\r"):
            return None
        field, read = known
        try:
            found = (field, read(line[VALUE_AT:]))
        except BadValue:
            return None
        if len(self._seen) >= _REMEMBERED:
            self._seen.clear()
        self._seen[line] = found
        return found


def _own_values(ids: bytes, times: bytes) -> tuple[bytes, bytes, str, str] | None:
    """Read the lines of MsgId and CorrelId, and of put date and time; None where they are not quite regular."""
    date, time = times[len(_PTD) : _DATE_END], times[_TIME_AT:]
    if ids[_MSI_END:_COI_AT] != _COI or times[_DATE_END:_TIME_AT] != _PTT or not (date + time).isdigit():
        return None
    try:
        msg_id, correl_id = unhexlify(ids[len(_MSI) : _MSI_END]), unhexlify(ids[_COI_AT:])
    except ValueError:
        return None
    return msg_id, correl_id, date.decode("ascii"), time.decode("ascii")
