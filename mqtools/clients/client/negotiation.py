"""Negotiation of a channel by a client: what it proposes, and whether it can accept the answer."""

from __future__ import annotations

import os
from dataclasses import dataclass

from mqtools.clients.client.errors import ConnectionBroken
from mqtools.clients.client.options import ConnectionOptions
from mqtools.clients.wire.pieces import Values
from mqtools.clients.wire.segments import LEAST_TRANSMISSION_SIZE, TRANSMISSION_SIZE
from mqtools.headers.fields import field

#: FAP levels: the highest, and the last one with unprotected passwords. The later protection is not published.
HIGHEST_LEVEL, LAST_PLAIN_LEVEL = 17, 12
#: First level with conversations that share a socket, with password algorithms, and with version 3 and 4 of FCNO.
_SHARING_LEVEL, _ALGORITHMS_LEVEL = 9, 11
#: Longest message that is accepted, in bytes: the most that MAXMSGL may be.
MAX_MSG_LENGTH = 104_857_600
#: CapFlag1: this is a client; it converts, and takes long messages in parts. CapFlag2: XA and SPI. CapFlag3: tags.
_CAPABILITIES = {"CapFlag1": 0x26, "CapFlag2": 0x50, "CapFlag3": 0x20}
#: Conversations that may share the socket: as many as the queue manager likes. One is used.
_CONVERSATIONS = 999_999_999
#: The letters of the base Java classes, whose exchanges this client makes, and a version.
_PRODUCT = b"MQJB09040100"
#: Length of INITIAL_DATA by FAP level, the highest first.
_LENGTHS = ((_ALGORITHMS_LEVEL, 240), (_SHARING_LEVEL, 208), (4, 102))


@dataclass(frozen=True, slots=True)
class Terms:
    """The agreed values. conversations: 0 for a plain channel.  heartbeat_s: 0 for none."""

    fap_level: int
    transmission_size: int
    max_msg_length: int
    heartbeat_s: int
    conversations: int


def initial_length(fap_level: int) -> int:
    """Return the length of INITIAL_DATA in bytes."""
    return next(length for level, length in _LENGTHS if fap_level >= level)


def proposal(options: ConnectionOptions, initial: Values) -> Values:
    """Return the values of the first INITIAL_DATA. initial: all its fields, empty."""
    level = HIGHEST_LEVEL if options.password is None else LAST_PLAIN_LEVEL
    return {
        **initial,
        **_CAPABILITIES,
        "FapLevel": level,
        "MaxTransmissionSize": TRANSMISSION_SIZE,
        "MaxMsgSize": MAX_MSG_LENGTH,
        "ChannelName": field(options.channel, 20),
        "CCSID": 1208,
        "QMgrName": field(options.q_mgr_name or "*", 48),
        "HeartbeatInterval": options.heartbeat_s,
        "EFLLength": initial_length(level) - 102,
        "HdrCompressionList": b"\0\xff",
        "MsgCompressionList": b"\0".ljust(16, b"\xff"),
        "ConversationsPerSocket": _CONVERSATIONS,
        "ProcessId": os.getpid(),
        "ThreadId": 1,
        "TraceId": 1,
        "ProductId": _PRODUCT,
        "QMgrId": field("CANNED_DATA", 48),
        "PasswordAlgorithms": b"\0\1\0\0" + b"\xff" * 16,
        "Random": os.urandom(12),
    }


def accept(proposed: Values, answer: Values) -> Terms:
    """Return the terms of an answer. Raises ConnectionBroken where the answer raises what was proposed."""
    level, size = answer["FapLevel"], answer["MaxTransmissionSize"]
    is_possible = (
        4 <= level <= proposed["FapLevel"]
        and LEAST_TRANSMISSION_SIZE <= size <= proposed["MaxTransmissionSize"]
        and 0 <= answer["MaxMsgSize"] <= proposed["MaxMsgSize"]
        and answer["HeartbeatInterval"] >= 0
        and 0 <= answer["ConversationsPerSocket"] <= proposed["ConversationsPerSocket"]
    )
    if not is_possible:
        raise ConnectionBroken("the queue manager's answer to INITIAL_DATA is impossible")
    return Terms(
        level,
        size,
        answer["MaxMsgSize"],
        answer["HeartbeatInterval"],
        answer["ConversationsPerSocket"] if level >= _SHARING_LEVEL else 0,
    )
