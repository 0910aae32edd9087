"""Messages of MQI calls: the API header, and what follows it in each request and reply."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Any

from mqtools.clients.wire.pieces import (
    DATA,
    INTEGER,
    WORD,
    Cursor,
    FixedStructure,
    MqiStructure,
    Sequence,
    Values,
)
from mqtools.clients.wire.segments import API_LENGTH, WireSegment
from mqtools.headers import structures_message as mqi

#: The structures of the MQI.
MD, OD, PMO, GMO, SD, SRO, STS = map(MqiStructure, (mqi.MD, mqi.OD, mqi.PMO, mqi.GMO, mqi.SD, mqi.SRO, mqi.STS))

_API = {order: Struct(order + "iiI") for order in "<>"}
_LENGTH = Struct(">I")
#: Length of a header that an API header counts, whatever header there is.
_COUNTED_HEADER = 28


@dataclass(frozen=True, slots=True)
class ApiHeader:
    """API header of a call. handle: of the object, or ``NO_OBJECT``."""

    comp_code: int = 0
    reason: int = 0
    handle: int = 0

    def pack(self, rest: bytes, order: str, room: int = 0) -> bytes:
        """Return the body of a segment: the header, which counts the rest, and the rest.

        room: more bytes that a reply may have than the request.
        """
        length = _LENGTH.pack(_COUNTED_HEADER + API_LENGTH + len(rest) + room)
        return b"".join((length, _API[order].pack(self.comp_code, self.reason, self.handle), rest))


def read_api(segment: WireSegment) -> tuple[ApiHeader, Cursor]:
    """Return the API header of a call, and a cursor behind it. Raises ProtocolError."""
    body = Cursor(segment.body, segment.order, is_cut=segment.is_cut)
    raw = body.take(API_LENGTH)
    return ApiHeader(*_API[segment.order].unpack_from(raw, 4)), body


_OPEN_ATTRIBUTES_ID = b"FOPA"
#: Rows of the attributes of a queue that an open returns; -1 for those that are not known.
ATTRIBUTE_ROWS: tuple[tuple[Any, ...], ...] = (
    ("DefPersistence", "i", -1),
    ("DefPutResponseType", "i", -1),
    ("DefReadAhead", "i", -1),
    ("PropertyControl", "i", -1),
    ("ErrorQueue", "48s"),
    ("ExtraOffset", "i"),
    ("ExtraLength", "i"),
)


class _OpenAttributes:
    """FOPA: attributes of the queue that MQOPEN returns; None where there is none, as at low FAP levels."""

    fixed = FixedStructure(
        "FOPA",
        ("StrucId", "4s", _OPEN_ATTRIBUTES_ID),
        ("Version", "i", 2),
        ("Length", "i", 84),
        *ATTRIBUTE_ROWS,
        shortest=28,
    )

    def read(self, body: Cursor) -> Values | None:
        if body.left < 28 or body.data[body.at : body.at + 4] != _OPEN_ATTRIBUTES_ID:
            return None
        at = body.at + 8
        length = Cursor(body.data, body.order, at, body.end).integer()
        return self.fixed.read(body.part(length))

    def write(self, value: Values | None, order: str) -> bytes:
        return b"" if value is None else self.fixed.write(value, order)[: value["Length"]]


class _GetData:
    """Length of a whole message, and the part of its data that fits the buffer of MQGET."""

    def read(self, body: Cursor) -> tuple[int, bytes]:
        length = body.integer()
        return length, body.take(min(max(length, 0), body.left))

    def write(self, value: tuple[int, bytes], order: str) -> bytes:
        length, data = value
        return INTEGER.write(length, order) + data  # not padded: the Java client counts the bytes


def open_attributes() -> Values:
    """Return the FOPA of a request: attributes that are not known."""
    asked = {"DefReadAhead": 0, "PropertyControl": 0, "ErrorQueue": b" " * 48, "ExtraLength": 10_240}
    return {**_OpenAttributes.fixed.initial(), **asked}


OPEN = Sequence(od=OD, options=WORD, attributes=_OpenAttributes())
CLOSE = Sequence(options=WORD)
PUT = Sequence(md=MD, pmo=PMO, data=DATA)
PUT_REPLY = Sequence(md=MD, pmo=PMO, length=INTEGER)
PUT1 = Sequence(od=OD, md=MD, pmo=PMO, data=DATA)
PUT1_REPLY = Sequence(od=OD, md=MD, pmo=PMO, length=INTEGER)
GET = Sequence(md=MD, gmo=GMO, length=INTEGER)
GET_REPLY = Sequence(md=MD, gmo=GMO, data=_GetData())
STAT = Sequence(kind=INTEGER, sts=STS)
SUB = Sequence(handle=WORD, reserved=WORD, sd=SD)
SUBRQ = Sequence(action=INTEGER, sro=SRO)


class Attributes:
    """MQINQ and MQSET: selectors, integers and characters.

    has_values: those of the integers and characters follow, as in the reply of MQINQ and the request of MQSET.
    """

    _counts = FixedStructure("INQ", ("Selectors", "i"), ("Integers", "i"), ("Characters", "i"))

    def __init__(self, *, has_values: bool) -> None:
        self._has_values = has_values

    def read(self, body: Cursor) -> Values:
        """Return selectors, integers and characters; without values how many of the latter two there may be."""
        counts = self._counts.read(body)
        values: Values = {"selectors": body.integers(counts["Selectors"])}
        if self._has_values:
            values["integers"] = body.integers(counts["Integers"])
            values["characters"] = body.take(counts["Characters"])
        else:
            values["integers"], values["characters"] = counts["Integers"], counts["Characters"]
        return values

    def write(self, value: Values, order: str) -> bytes:
        selectors, integers, characters = value["selectors"], value["integers"], value["characters"]
        numbers: tuple[Any, ...] = integers if self._has_values else ()
        counts = (len(integers), len(characters)) if self._has_values else (integers, characters)
        packed = Struct(f"{order}{3 + len(selectors) + len(numbers)}i").pack(
            len(selectors), *counts, *selectors, *numbers
        )
        return packed + characters if self._has_values else packed


INQUIRE = Attributes(has_values=False)
INQUIRE_REPLY = SET = Attributes(has_values=True)
