"""Protocol of a channel: its control messages as records, and their encoding as payloads of frames.

A conversation: HELLO, ACCEPT; then batches, each MESSAGE with its DATA, …, END OF BATCH, CONFIRM; HEARTBEAT both
ways while the channel is idle; BYE. Either end may REFUSE at any time, as its last message. Control payloads are JSON
objects; a message has a head of fixed length. An end refuses what it does not understand.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from json import loads
from struct import Struct
from struct import error as StructError
from typing import Any, NamedTuple, TypeVar

from mqtools.channel.errors import LinkError
from mqtools.formats.jsontext import dumps
from mqtools.store.definition_cache import QueueManager

T = TypeVar("T", bound="ControlMessage")

VERSION = 1
#: Roles of the end that sends HELLO: it sends, it requests messages, or it only checks that the other end is there.
SENDER, REQUESTER, PING = "sender", "requester", "ping"

_LARGEST = (1 << 53) - 1
_INTEGER, _TEXT, _BYTES, _FLAG = "integer", "text", "bytes", "flag"


def _limits(kind: str, least: int, most: int) -> dict[str, tuple[str, int, int]]:
    """Return the metadata of a field: its kind, and least and greatest value or length."""
    return {"limits": (kind, least, most)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlMessage:
    """Base of the control messages. A default is for a field that an earlier version does not send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfBatch(ControlMessage):
    """END OF BATCH: request to commit the batch that ends with this message."""

    sequence: int = field(metadata=_limits(_INTEGER, 0, _LARGEST))
    batch_id: bytes = field(metadata=_limits(_BYTES, 0, 32))


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(EndOfBatch):
    """First message of both ends: queue manager, limits, and the last message and batch that they settled.

    heartbeat_ms: 0 for none.
    """

    version: int = field(metadata=_limits(_INTEGER, 0, 1 << 16))
    q_mgr_name: str = field(metadata=_limits(_TEXT, 1, 48))
    max_message_length: int = field(metadata=_limits(_INTEGER, 0, 104_857_600))
    batch_size: int = field(metadata=_limits(_INTEGER, 1, 9_999))
    heartbeat_ms: int = field(metadata=_limits(_INTEGER, 0, 999_999_000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello(Offer):
    """HELLO: first message of the calling end.

    resets: the other end is to adopt sequence and batch_id.  drains: of a requester: end when the queue is empty.
    """

    role: str = field(metadata=_limits(_TEXT, 0, 20))
    channel: str = field(metadata=_limits(_TEXT, 1, 20))
    resets: bool = field(metadata=_limits(_FLAG, 0, 1))
    drains: bool = field(metadata=_limits(_FLAG, 0, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept(Offer):
    """ACCEPT: answer to HELLO, with the negotiated limits."""

    ccsid: int = field(metadata=_limits(_INTEGER, 0, 65_535))


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation(EndOfBatch):
    """CONFIRM: answer to END OF BATCH; the batch is committed. refused: number of its undeliverable messages.

    An end of an earlier version does not send that: 0.
    """

    refused: int = field(default=0, metadata=_limits(_INTEGER, 0, 9_999))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal(ControlMessage):
    """REFUSE: why an end does not continue. sequence, batch_id: of the last batch that it committed, -1 if unknown."""

    reason: int = field(metadata=_limits(_INTEGER, 0, 1 << 31))
    text: str = field(metadata=_limits(_TEXT, 0, 1_000))
    sequence: int = field(metadata=_limits(_INTEGER, -1, _LARGEST))
    batch_id: bytes = field(metadata=_limits(_BYTES, 0, 32))


def hello(role: str, q_mgr_name: str, definition: dict[str, Any], *, drains: bool = False) -> Hello:
    """Return the HELLO for a channel by an end that leaves the sequence numbers to the other."""
    return Hello(
        version=VERSION,
        role=role,
        channel=definition["name"],
        q_mgr_name=q_mgr_name,
        max_message_length=definition["max_msg_length"],
        batch_size=definition["batch_size"],
        heartbeat_ms=definition["heartbeat_interval"] * 1000,
        sequence=0,
        batch_id=b"",
        resets=False,
        drains=drains,
    )


def accept(
    qmgr: QueueManager, max_message_length: int, batch_size: int, heartbeat_ms: int, *, sequence: int, batch_id: bytes
) -> Accept:
    """Return the ACCEPT of a queue manager. The limits: as ``negotiate`` gives them."""
    return Accept(
        version=VERSION,
        q_mgr_name=qmgr.name,
        ccsid=qmgr.coded_char_set_id,
        max_message_length=max_message_length,
        batch_size=batch_size,
        heartbeat_ms=heartbeat_ms,
        sequence=sequence,
        batch_id=batch_id,
    )


def encode(message: ControlMessage) -> bytes:
    """Return the payload of a control message."""
    values: dict[str, object] = {}
    for one in fields(message):
        value = getattr(message, one.name)
        values[one.name] = value.hex() if isinstance(value, bytes) else value
    return dumps(values).encode("utf-8")


def decode(kind: type[T], payload: bytes) -> T:
    """Parse a control payload; ignore fields that this version does not know. Raises LinkError."""
    try:
        values = loads(payload)
        if not isinstance(values, dict):
            raise ValueError("no object")
        return kind(
            **{
                one.name: _value(values[one.name], *one.metadata["limits"])
                for one in fields(kind)
                if one.name in values or one.default is MISSING
            }
        )
    except KeyError as error:
        raise LinkError(f"the other end sent a {kind.__name__} without {error}") from error
    except (ValueError, RecursionError) as error:
        raise LinkError(f"the other end sent a {kind.__name__} that cannot be read") from error


def _value(value: object, kind: str, least: int, most: int) -> object:
    """Check a JSON value, and return it as the value of the record. Raises ValueError."""
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
    raise ValueError(f"{value!r} is not a valid {kind}")


#: sequence, flags, expiry (tenths of a second), encoding, CCSID, length of the properties and of the data in bytes.
_HEAD = Struct(">QBiiiII")
HEAD_LENGTH = _HEAD.size
_FAST = 1


class Head(NamedTuple):
    """Head of a message; its properties (JSON, UTF-8) and its data with the MQXQH follow.

    sequence: of the message on this channel.  is_fast: it is outside the batch.  expiry: what is left, in tenths of a
    second, -1 unlimited.  encoding, ccsid: of the MQXQH.  The lengths are in bytes.
    """

    sequence: int
    is_fast: bool
    expiry: int
    encoding: int
    ccsid: int
    properties_length: int
    data_length: int


def encode_head(head: Head) -> bytes:
    return _HEAD.pack(*head)


def decode_head(payload: bytes) -> Head:
    """Parse the head at the beginning of a payload. Raises LinkError."""
    try:
        sequence, flags, *rest = _HEAD.unpack_from(payload)
    except StructError as error:
        raise LinkError("the other end sent a message without a head") from error
    return Head(sequence, bool(flags & _FAST), *rest)


def negotiate(offer: Hello, max_message_length: int, batch_size: int, heartbeat_ms: int) -> tuple[int, int, int]:
    """Return the negotiated limits: the smaller length and batch (REF-10), and the more frequent heartbeat.

    An end without a heartbeat (0) leaves it to the other.
    """
    beats = [beat for beat in (offer.heartbeat_ms, heartbeat_ms) if beat > 0]
    return (
        min(offer.max_message_length, max_message_length),
        min(offer.batch_size, batch_size),
        min(beats, default=0),
    )
