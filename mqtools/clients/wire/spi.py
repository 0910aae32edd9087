"""Messages of SPI calls: verb, version and size of the reply, then structures."""

from __future__ import annotations

from typing import Any

from mqtools.clients.wire.calls import ATTRIBUTE_ROWS, MD, OD, PMO, SD
from mqtools.clients.wire.codes import StatusCode, Verb
from mqtools.clients.wire.pieces import INTEGER, REST, WORD, Block, Bytes, Cursor, FixedStructure, Sequence, Values
from mqtools.clients.wire.segments import ProtocolError

#: Header of every SPI call.
SPI = FixedStructure("SPI", ("Verb", "i"), ("Version", "i"), ("MaxReplySize", "i"))

QUERY_INOUT = Block(b"SPQU")
QUERY_IN = Block(b"SPQI")
PUT_INOUT = Block(b"SPPU", md=MD, pmo=PMO)
PUT_OUT = Block(b"SPPO")
RESERVE_INOUT = Block(b"SPRU")
RESERVE_IN = Block(b"SPRI", tag_size=INTEGER, number=INTEGER)
SUBSCRIBE_INOUT = Block(b"SPBU")
NOTIFY_INOUT = Block(b"SPNU")
NOTIFY_OUT = Block(b"SPNO")
OPEN_INOUT = Block(b"SPOU")


class _Verbs:
    """Rows of supported verbs: verb, greatest versions of in/out, in and out structure, flags."""

    def read(self, body: Cursor) -> tuple[tuple[int, ...], ...]:
        return tuple(body.integers(5) for _ in range(min(body.integer(), body.left // 20)))

    def write(self, value: tuple[tuple[int, ...], ...], order: str) -> bytes:
        numbers = (len(value), *(number for row in value for number in row))
        return b"".join(INTEGER.write(number, order) for number in numbers)


QUERY_OUT = Block(b"SPQO", verbs=_Verbs())
RESERVE_OUT = Block(b"SPRO", number=INTEGER, position=INTEGER, tag=Bytes(24))
NOTIFY_IN = Block(b"SPNI", count=INTEGER, reason=INTEGER, connection_id=Bytes(24))

#: Attributes of a subscription (LSD), which are returned as they came.
_SUBSCRIPTION_ATTRIBUTES = Sequence(struc_id=Bytes(4), version=INTEGER, options=WORD, rest=Bytes(184))
SUBSCRIBE_IN = Block(b"SPBI", handle=WORD, lsd=_SUBSCRIPTION_ATTRIBUTES, sd=SD)
SUBSCRIBE_OUT = Block(b"SPBO", handle=WORD, lsd=_SUBSCRIPTION_ATTRIBUTES, sd=SD)

#: Options and attributes of an open (LPOO). Offsets count from the start of the structure that it is in.
OPEN_OPTIONS = FixedStructure(
    "LPOO",
    ("StrucId", "4s", b"LPOO"),
    ("Version", "i", 3),
    ("Options", "I"),
    ("LpiOptions", "I"),
    *ATTRIBUTE_ROWS,
)
OPEN_IN = Block(b"SPOI", lpoo=OPEN_OPTIONS, od=OD)
OPEN_OUT = Block(b"SPOO", lpoo=OPEN_OPTIONS, od=OD, extra=REST)


class _PutIn:
    """Input of a put (SPPI): options and data, from version 3 on a delivery delay in milliseconds."""

    _fixed = FixedStructure(
        "SPPI", ("StrucId", "4s", b"SPPI"), ("Version", "i"), ("Length", "i"), ("Options", "I"), ("Size", "i")
    )
    _later = FixedStructure("SPPI", ("Reserved", "8s"), ("Delay", "i"))

    def read(self, body: Cursor) -> Values:
        values = self._fixed.read(body)
        if values["StrucId"] != b"SPPI":
            raise ProtocolError(f"{values['StrucId']!r} instead of b'SPPI'", StatusCode.PROTOCOL_INVALID_DATA)
        values["Delay"] = 0
        if values["Version"] >= 3:
            values.update(self._later.read(body))
        values["data"] = body.take_data(values["Size"])
        return values

    def write(self, value: Values, order: str) -> bytes:
        later: dict[str, Any] = {"Reserved": b"", "Delay": value["Delay"]}
        middle = self._later.write(later, order) if value["Version"] >= 3 else b""
        data: bytes = value["data"]
        length = self._fixed.length + len(middle) + len(data)
        fixed = {**value, "StrucId": b"SPPI", "Length": length, "Size": len(data)}
        return self._fixed.write(fixed, order) + middle + data


PUT_IN = _PutIn()

#: Calls and replies as a client writes and reads them, behind what every SPI call begins with.
QUERY_CALL = Sequence(**{"inout": QUERY_INOUT, "in": QUERY_IN})
QUERY_REPLY = Sequence(inout=QUERY_INOUT, out=QUERY_OUT)
OPEN_CALL = Sequence(**{"inout": OPEN_INOUT, "in": OPEN_IN})
OPEN_REPLY = Sequence(inout=OPEN_INOUT, out=OPEN_OUT)
DELAYED_PUT = Sequence(inout=PUT_INOUT, given=PUT_IN)
#: Verb to the version of a call that a client makes, where it is not 1.
VERSIONS: dict[int, int] = {Verb.OPEN: 2, Verb.PUT: 3}
