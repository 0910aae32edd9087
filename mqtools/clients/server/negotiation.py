"""Negotiation of a channel: what the client and the queue manager agree on."""

from __future__ import annotations

import os
from dataclasses import dataclass

from mqtools.clients.wire.codes import Flags, StatusCode
from mqtools.clients.wire.pieces import Values
from mqtools.clients.wire.segments import LEAST_TRANSMISSION_SIZE, TRANSMISSION_SIZE, ProtocolError
from mqtools.headers.fields import field

#: Highest FAP level that is agreed. From 13 on clients protect passwords by an algorithm that is not published.
FAP_LEVEL = 12
#: Lowest FAP level that is served, and the first with conversations that share a socket.
_LOWEST_LEVEL, _SHARING_LEVEL = 4, 9
#: Length of INITIAL_DATA below the level of sharing, and from it on.
_SHORT_LENGTH, _LENGTH = 102, 208

#: Greatest HBINT. A longer one is more than ``poll`` takes in milliseconds.
_LONGEST_HEARTBEAT_S = 999_999

#: Bit of CapFlag1: the other end is an MQI client.
_IS_CLIENT = 0x20
#: Bit of CapFlag2 that is refused: distribution lists.
_REFUSED_2 = 0x01
#: Bits of CapFlag3 that are granted: generated connection tags.
_GRANTED_3 = 0x20

#: Field that was lowered or raised to its bit in IniErrFlag1.
_ERROR_BITS = {
    "MaxTransmissionSize": 0x04,
    "FapLevel": 0x08,
    "MaxMsgSize": 0x10,
    "MaxMsgsPerBatch": 0x20,
    "SeqWrapValue": 0x40,
    "HeartbeatInterval": 0x80,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOffer:
    """Offer of the queue manager on a channel.

    max_msg_length: in bytes.  heartbeat_s: 0 for none.  conversations: that may share a socket, 0 for a plain channel.
    """

    q_mgr_name: str
    q_mgr_id: str
    ccsid: int
    max_msg_length: int
    heartbeat_s: int
    conversations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The agreed values. reply: INITIAL_DATA with them.  flags: of its segment.  length: of its body in bytes."""

    reply: Values
    flags: Flags
    length: int

    @property
    def conversations(self) -> int:
        """Return how many conversations may share the socket, 0 for a plain channel."""
        return int(self.reply["ConversationsPerSocket"])


def agree(sent: Values, length: int, offer: ClientOffer) -> Agreement:
    """Return what is agreed with a client that sent INITIAL_DATA. length: of that in bytes.

    Raises ProtocolError: NEGOTIATION_FAILED, FAP_LEVEL; CHANNEL_WRONG_TYPE for a message channel.
    """
    if not sent["CapFlag1"] & _IS_CLIENT:
        raise ProtocolError("the caller is a message channel", StatusCode.CHANNEL_WRONG_TYPE)
    if sent["FapLevel"] < _LOWEST_LEVEL:
        raise ProtocolError(f"FAP level {sent['FapLevel']} is not served", StatusCode.FAP_LEVEL)
    if sent["MaxTransmissionSize"] < LEAST_TRANSMISSION_SIZE or sent["MaxMsgSize"] < 0 or sent["HeartbeatInterval"] < 0:
        raise ProtocolError("INITIAL_DATA has impossible sizes", StatusCode.NEGOTIATION_FAILED)
    reply = dict(sent)
    reply["FapLevel"] = min(sent["FapLevel"], FAP_LEVEL)
    reply["MaxTransmissionSize"] = min(sent["MaxTransmissionSize"], TRANSMISSION_SIZE)
    reply["MaxMsgSize"] = min(sent["MaxMsgSize"], offer.max_msg_length)
    both_beat = offer.heartbeat_s and sent["HeartbeatInterval"]
    longer_s = min(max(offer.heartbeat_s, sent["HeartbeatInterval"]), _LONGEST_HEARTBEAT_S)
    reply["HeartbeatInterval"] = longer_s if both_beat else 0
    reply["MaxMsgsPerBatch"] = reply["SeqWrapValue"] = 0
    reply["IniErrFlag1"] = sum(bit for name, bit in _ERROR_BITS.items() if reply[name] != sent[name])
    reply["IniErrFlag2"] = reply["ECapFlag1"] = reply["EFLLength"] = 0
    reply["CapFlag2"], reply["ECapFlag2"] = sent["CapFlag2"] & ~_REFUSED_2, sent["CapFlag2"] & _REFUSED_2
    reply["CapFlag3"], reply["ECapFlag3"] = sent["CapFlag3"] & _GRANTED_3, sent["CapFlag3"] & ~_GRANTED_3
    shares = reply["FapLevel"] >= _SHARING_LEVEL
    reply["ConversationsPerSocket"] = max(0, min(sent["ConversationsPerSocket"], offer.conversations)) if shares else 0
    reply["HdrCompressionList"], reply["MsgCompressionList"] = b"\0\xff", b"\0".ljust(16, b"\xff")
    reply["QMgrName"], reply["QMgrId"] = field(offer.q_mgr_name, 48), field(offer.q_mgr_id, 48)
    reply["CCSID"], reply["ProcessId"], reply["ThreadId"] = offer.ccsid, os.getpid(), 1
    reply["ProductId"] = b"MQMM09040000"
    reply["PasswordAlgorithms"], reply["Random"] = bytes(20), bytes(12)
    differs = reply["IniErrFlag1"] or reply["ECapFlag2"] or reply["ECapFlag3"]
    return Agreement(
        reply=reply,
        flags=Flags.ERROR if differs else Flags(0),
        length=min(length, _LENGTH if shares else _SHORT_LENGTH),
    )
