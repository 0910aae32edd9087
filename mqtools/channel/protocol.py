"""What the ends of a channel say to each other, as records and as the payloads of frames.

A conversation: HELLO, ACCEPT; then batches, each MESSAGE with its DATA, …, END OF BATCH, CONFIRM; HEARTBEAT both
ways when there is nothing to say; BYE. Either end may REFUSE at any time, and has nothing more to say then. Control
payloads are JSON objects; a message has a head of fixed length. What an end does not understand it refuses.
"""

from __future__ import annotations

from json import loads
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING

from mqtools.channel.errors import LinkError
from mqtools.formats.jsontext import dumps
from mqtools.records import Record

if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeVar

    Field: TypeAlias = tuple[str, str, int, int]
    T = TypeVar("T", bound="Said")

VERSION = 1
#: Roles of the end that says HELLO: it sends, it wants to be sent to, or it only asks whether somebody is there.
SENDER, REQUESTER, PING = "sender", "requester", "ping"
ROLES = (SENDER, REQUESTER, PING)

_LARGEST = (1 << 53) - 1
_INTEGER, _TEXT, _BYTES, _FLAG = "integer", "text", "bytes", "flag"


class Said(Record):
    """Something said in a control frame.

    FIELDS: name, kind, least and greatest value, or length.  DEFAULTS: of fields that an earlier version does not send.
    """

    __slots__: tuple[str, ...] = ()
    FIELDS: tuple[Field, ...] = ()
    DEFAULTS: dict[str, object] = {}

    def __init__(self, **values: Any) -> None:
        for name in self.__slots__:
            setattr(self, name, values[name])


class Hello(Said):
    """The first words of an end, with what it can take.

    sequence, batch_id: of the last message and batch that it knows to be settled.  resets: the other end is to take
    them over.  drains: of a requester: what there is now is enough.  heartbeat_ms: 0 for none.
    """

    __slots__ = (
        "version",
        "role",
        "channel",
        "q_mgr_name",
        "max_message_length",
        "batch_size",
        "heartbeat_ms",
        "sequence",
        "batch_id",
        "resets",
        "drains",
    )
    FIELDS = (
        ("version", _INTEGER, 0, 1 << 16),
        ("role", _TEXT, 0, 20),
        ("channel", _TEXT, 1, 20),
        ("q_mgr_name", _TEXT, 1, 48),
        ("max_message_length", _INTEGER, 0, 104_857_600),
        ("batch_size", _INTEGER, 1, 9_999),
        ("heartbeat_ms", _INTEGER, 0, 999_999_000),
        ("sequence", _INTEGER, 0, _LARGEST),
        ("batch_id", _BYTES, 0, 32),
        ("resets", _FLAG, 0, 1),
        ("drains", _FLAG, 0, 1),
    )

    version: int
    role: str
    channel: str
    q_mgr_name: str
    max_message_length: int
    batch_size: int
    heartbeat_ms: int
    sequence: int
    batch_id: bytes
    resets: bool
    drains: bool


class Accept(Said):
    """The answer to HELLO: who is there, what both ends can take, and the last batch that was committed here."""

    __slots__ = (
        "version",
        "q_mgr_name",
        "ccsid",
        "max_message_length",
        "batch_size",
        "heartbeat_ms",
        "sequence",
        "batch_id",
    )
    FIELDS = (
        ("version", _INTEGER, 0, 1 << 16),
        ("q_mgr_name", _TEXT, 1, 48),
        ("ccsid", _INTEGER, 0, 65_535),
        ("max_message_length", _INTEGER, 0, 104_857_600),
        ("batch_size", _INTEGER, 1, 9_999),
        ("heartbeat_ms", _INTEGER, 0, 999_999_000),
        ("sequence", _INTEGER, 0, _LARGEST),
        ("batch_id", _BYTES, 0, 32),
    )

    version: int
    q_mgr_name: str
    ccsid: int
    max_message_length: int
    batch_size: int
    heartbeat_ms: int
    sequence: int
    batch_id: bytes


class Batch(Said):
    """END OF BATCH asks for the batch that ends with this message to be committed."""

    __slots__ = ("sequence", "batch_id")
    FIELDS = (("sequence", _INTEGER, 0, _LARGEST), ("batch_id", _BYTES, 0, 32))

    sequence: int
    batch_id: bytes


class Confirmation(Said):
    """The answer to END OF BATCH: the batch is committed. refused: how many of its messages could not be delivered.

    An end of an earlier version does not say that: 0.
    """

    __slots__ = ("sequence", "batch_id", "refused")
    FIELDS = (*Batch.FIELDS, ("refused", _INTEGER, 0, 9_999))
    DEFAULTS = {"refused": 0}

    sequence: int
    batch_id: bytes
    refused: int


class Refusal(Said):
    """Why an end does not go on; sequence and batch_id: of the last batch that it has committed, -1 if unknown."""

    __slots__ = ("reason", "text", "sequence", "batch_id")
    FIELDS = (
        ("reason", _INTEGER, 0, 1 << 31),
        ("text", _TEXT, 0, 1_000),
        ("sequence", _INTEGER, -1, _LARGEST),
        ("batch_id", _BYTES, 0, 32),
    )

    reason: int
    text: str
    sequence: int
    batch_id: bytes


def encode(said: Said) -> bytes:
    """Write something said as the payload of a control frame."""
    values: dict[str, object] = {}
    for name, kind, *_ in said.FIELDS:
        value = getattr(said, name)
        values[name] = value.hex() if kind == _BYTES else value
    return dumps(values).encode("utf-8")


def decode(kind: type[T], payload: bytes) -> T:
    """Read a control payload; fields that this version does not know are passed over. Raises LinkError."""
    try:
        values = loads(payload)
        if not isinstance(values, dict):
            raise ValueError("no object")
        return kind(
            **{
                name: _value(values.get(name, kind.DEFAULTS.get(name)), what, *range_)
                for name, what, *range_ in kind.FIELDS
            }
        )
    except (ValueError, RecursionError) as error:
        raise LinkError(f"the other end sent a {kind.__name__} that cannot be read") from error


def _value(value: object, kind: str, least: int, most: int) -> object:
    """Check a value, and turn it into what the record holds. Raises ValueError."""
    if kind == _FLAG and isinstance(value, bool):
        return value
    if kind == _INTEGER and isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    if isinstance(value, str):
        if kind == _TEXT and least <= len(value) <= most:
            value.encode("utf-8")
            return value
        if kind == _BYTES and len(value) <= 2 * most:
            return bytes.fromhex(value)
    raise ValueError(f"{value!r} is no {kind}")


#: sequence, flags, expiry (tenths of a second), encoding, CCSID, length of the properties and of the data in bytes.
_HEAD = Struct(">QBiiiII")
HEAD_LENGTH = _HEAD.size
_FAST = 1


class Head(Record):
    """What a message begins with; its properties (JSON, UTF-8) and its data with the MQXQH follow.

    sequence: of the message on this channel.  is_fast: it is outside the batch.  expiry: what is left, in tenths of a
    second, -1 unlimited.  encoding, ccsid: of the MQXQH.  The lengths are in bytes.
    """

    __slots__ = ("sequence", "is_fast", "expiry", "encoding", "ccsid", "properties_length", "data_length")

    def __init__(
        self,
        sequence: int,
        is_fast: bool,
        expiry: int,
        encoding: int,
        ccsid: int,
        properties_length: int,
        data_length: int,
    ) -> None:
        self.sequence = sequence
        self.is_fast = is_fast
        self.expiry = expiry
        self.encoding = encoding
        self.ccsid = ccsid
        self.properties_length = properties_length
        self.data_length = data_length


def encode_head(head: Head) -> bytes:
    """Write the head of a message."""
    return _HEAD.pack(
        head.sequence,
        _FAST if head.is_fast else 0,
        head.expiry,
        head.encoding,
        head.ccsid,
        head.properties_length,
        head.data_length,
    )


def decode_head(payload: bytes) -> Head:
    """Read the head at the beginning of a payload. Raises LinkError."""
    try:
        sequence, flags, *rest = _HEAD.unpack_from(payload)
    except StructError as error:
        raise LinkError("the other end sent a message without a head") from error
    return Head(sequence, bool(flags & _FAST), *rest)


def negotiated(offer: Hello, max_message_length: int, batch_size: int, heartbeat_ms: int) -> tuple[int, int, int]:
    """Give what both ends can take: the smaller length and batch (REF-10), and the more frequent heartbeat.

    An end without a heartbeat (0) leaves it to the other.
    """
    beats = [beat for beat in (offer.heartbeat_ms, heartbeat_ms) if beat > 0]
    return (
        min(offer.max_message_length, max_message_length),
        min(offer.batch_size, batch_size),
        min(beats, default=0),
    )
