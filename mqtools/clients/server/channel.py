"""Server-connection channel without its socket: bytes of a client in, bytes for it out."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from mqtools.admin import channels, client_channels
from mqtools.admin.admission import AdmissionError, Peer, check_channel
from mqtools.calls.objects import q_mgr_attribute
from mqtools.clients.server.calls import answer
from mqtools.clients.server.conversation import ChannelInstance, Conversation, RefusedChannelError, like
from mqtools.clients.server.host import ClientHost, InstanceLimits
from mqtools.clients.server.negotiation import Agreement, ClientOffer, agree
from mqtools.clients.wire import handshake, streaming
from mqtools.clients.wire.codes import CONTROL, MULTIPLEXED, PLAIN, Flags, SegmentType, SocketAction, StatusCode
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import (
    FIRST_CALL,
    MULTIPLEXED_BYTES,
    Assembler,
    ProtocolError,
    Splitter,
    WireSegment,
)
from mqtools.constants.objects import MQCA_Q_MGR_IDENTIFIER
from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_SSL_PEER_NAME_MISMATCH,
    MQRC_UNKNOWN_CHANNEL_NAME,
)
from mqtools.errors import MQError
from mqtools.headers.fields import read_characters
from mqtools.mqi import client_connections
from mqtools.store import queues

#: Conversation of a plain channel, and the first of a multiplexed one.
_PLAIN, _FIRST = 0, 1
#: Messages that a client may send for INITIAL_DATA to be settled.
_MOST_ROUNDS = 3
#: MQCONN calls that are refused before the channel ends.
_MOST_REFUSALS = 5


class ClientChannel:
    """One instance of a server-connection channel.

    out: bytes for the client.  is_over: close the socket after ``out`` was sent.
    is_connected: a conversation has begun its calls, though it may have ended since.  conversations: by number.
    calls: how many were answered.  heartbeat_s, idle_limit_s: HBINT as agreed, and DISCINT.
    """

    def __init__(self, host: ClientHost, peer: Peer, connected: socket.socket | None = None) -> None:
        self.instance = ChannelInstance(host=host, peer=peer, connected=connected)
        self.conversations: dict[int, Conversation] = {}
        self.out: list[bytes] = []
        self.is_over = False
        self.is_connected = False
        self.calls = 0
        self.heartbeat_s = 0
        self.idle_limit_s = 0
        self._offer: ClientOffer | None = None
        self._agreed: Agreement | None = None
        self._rounds = 0
        self._is_counted = False
        self._splitter = Splitter()
        self._assembler = Assembler(0)
        self._last = WireSegment(eyecatcher=PLAIN, kind=SegmentType.INITIAL_DATA)

    @property
    def is_busy(self) -> bool:
        """Return whether a unit of work is in progress. May be called by another thread."""
        return any(conversation.is_busy for conversation in list(self.conversations.values()))

    @property
    def most_conversations(self) -> int:
        """Return how many conversations may share the socket."""
        return 0 if self._agreed is None else self._agreed.conversations

    def receive(self, data: bytes) -> Iterator[None]:
        """Take bytes of the client; yield after each segment, so that what is in ``out`` can be sent.

        Errors of the protocol end the channel, after the client was told.
        """
        try:
            for segment in self._splitter.feed(data):
                if self.is_over:
                    return
                self._last = segment
                self._take(segment)
                yield
        except ProtocolError as error:
            self.instance.report(error.number if isinstance(error, RefusedChannelError) else "AMQ9999E", error)
            self.refuse(error.status)

    def refuse(self, status: StatusCode) -> None:
        """End the channel with a status code."""
        last = self._last
        eyecatcher = MULTIPLEXED if self.instance.is_multiplexed else PLAIN
        body = streaming.write_status(status, last.order)
        flags = Flags.ERROR | Flags.CLOSE_CHANNEL
        self.send(like(last, SegmentType.STATUS_DATA, body, eyecatcher=eyecatcher, flags=flags))
        self.is_over = True

    def send(self, segment: WireSegment) -> None:
        """Add a segment to what goes to the client."""
        ccsid = self.instance.ccsid
        self.out.append((segment if segment.ccsid == ccsid else replace(segment, ccsid=ccsid)).pack())

    def close(self) -> None:
        """End all conversations: units of work that are in progress are backed out."""
        for conversation in list(self.conversations.values()):
            self._end(conversation)
        if self._is_counted:
            self._is_counted = False
            self.instance.host.instances.remove(self.instance.name, self.instance.peer.address)

    def _take(self, segment: WireSegment) -> None:
        if segment.kind >= FIRST_CALL or segment.kind in _CONVERSING:
            self._take_call(segment)
            return
        taker = _TAKERS.get(segment.kind)
        if taker is None:
            raise ProtocolError(f"a segment of type {segment.name}", StatusCode.PROTOCOL_SEGMENT_TYPE)
        if self._agreed is None and segment.kind not in (SegmentType.INITIAL_DATA, SegmentType.STATUS_DATA):
            raise ProtocolError("INITIAL_DATA is the first segment", StatusCode.PROTOCOL_SEGMENT_TYPE)
        taker(self, segment)

    def _take_call(self, segment: WireSegment) -> None:
        conversation = self._conversation(segment)
        if conversation.session is None and segment.flags & Flags.WHOLE != Flags.WHOLE:
            raise ProtocolError("a long call before MQCONN", StatusCode.PROTOCOL_SEGMENT_ERROR)
        whole = self._assembler.add(segment)
        if whole is None:
            return
        self.calls += 1
        answer(conversation, whole)
        self.is_connected = self.is_connected or bool(conversation.connection_id)
        if self.instance.refusals >= _MOST_REFUSALS:
            self.refuse(StatusCode.SECURITY_FAILURE)

    def _conversation(self, segment: WireSegment) -> Conversation:
        number = segment.conversation if self.instance.is_multiplexed else _PLAIN
        conversation = self.conversations.get(number)
        if conversation is None:
            raise ProtocolError(f"conversation {number} does not exist", StatusCode.CONV_ID_ERROR)
        return conversation

    def _end(self, conversation: Conversation) -> None:
        """End a conversation; what is in progress is backed out, here or by those who need it."""
        del self.conversations[conversation.number]
        self._assembler.forget(conversation.number)
        with suppress(MQError):
            conversation.end()

    def look(self, conversation: Conversation) -> None:
        """Search for messages; end the channel when all its connections were ended from outside."""
        conversation.look()
        connected = [each for each in self.conversations.values() if each.session is not None]
        if connected and all(each.is_ended for each in connected):
            self.refuse(StatusCode.USER_CLOSED)

    def _begin(self, number: int) -> None:
        self.conversations[number] = Conversation(self.instance, number, self.send, self.conversations)

    def _negotiate(self, segment: WireSegment) -> None:
        """Answer INITIAL_DATA. A client whose proposal differs repeats it as it was answered."""
        self._rounds += 1
        if self.conversations and self._rounds > _MOST_ROUNDS:
            raise ProtocolError("INITIAL_DATA is not settled", StatusCode.NEGOTIATION_FAILED)
        if self.is_connected:
            raise ProtocolError("INITIAL_DATA after MQCONN", StatusCode.PROTOCOL_SEGMENT_TYPE)
        sent = handshake.INITIAL_DATA.read(Cursor(segment.body, segment.order))
        if self._offer is None:
            self._offer = self._find_offer(read_characters(sent["ChannelName"]))
        agreed = self._agreed = agree(sent, len(segment.body), self._offer)
        reply = agreed.reply
        instance = self.instance
        instance.transmission_size, instance.max_msg_length = reply["MaxTransmissionSize"], reply["MaxMsgSize"]
        self._splitter.most = instance.transmission_size + MULTIPLEXED_BYTES
        self._assembler = Assembler(instance.max_msg_length)
        self.heartbeat_s = reply["HeartbeatInterval"]
        own = like(segment, SegmentType.INITIAL_DATA, flags=agreed.flags, order="<")
        self.send(replace(own, body=handshake.INITIAL_DATA.write(reply, "<")[: agreed.length]))
        instance.is_multiplexed = agreed.conversations > 0
        self.conversations.clear()
        self._begin(_FIRST if instance.is_multiplexed else _PLAIN)

    def _find_offer(self, channel_name: str) -> ClientOffer:
        """Return the offer of the channel that the client names.

        Raises ProtocolError: as ``_status_of``, CHANNEL_UNAVAILABLE, QM_UNAVAILABLE.
        """
        instance = self.instance
        instance.name = channel_name
        try:
            with instance.host.connect() as connection:
                check_channel(connection, channel_name, instance.peer)
                definition = channels.find_channel(connection.db, channel_name)
                known = queues.read_qmgr(connection.db)
                instance.q_mgr_name, instance.ccsid = connection.name, connection.ccsid
                is_stopped = client_channels.is_stopped(connection.db, channel_name)
                limits = InstanceLimits(definition["max_instances"], definition["max_instances_per_client"])
                others = (
                    client_connections.addresses_elsewhere(connection.db, channel_name) if limits.is_limited else []
                )
        except AdmissionError as error:
            raise RefusedChannelError(error.text, _status_of(error), error.number) from error
        except MQError as error:
            raise ProtocolError(error.text, StatusCode.QM_UNAVAILABLE) from error
        if is_stopped:
            raise RefusedChannelError(f"channel {channel_name} is stopped", StatusCode.CHANNEL_UNAVAILABLE, "AMQ9999E")
        instance.definition = definition
        instance.limits = limits
        if not instance.host.instances.add(channel_name, instance.peer.address, limits, others):
            words = f"channel {channel_name} has as many instances as MAXINST or MAXINSTC allow"
            raise RefusedChannelError(words, StatusCode.CHANNEL_UNAVAILABLE, "AMQ9513E")
        self._is_counted = True
        self.idle_limit_s = definition["disconnect_interval"]
        return ClientOffer(
            q_mgr_name=instance.q_mgr_name,
            q_mgr_id=str(q_mgr_attribute(known, MQCA_Q_MGR_IDENTIFIER)),
            ccsid=instance.ccsid,
            max_msg_length=definition["max_msg_length"] or int(str(known["max_msg_length"])),
            heartbeat_s=definition["heartbeat_interval"],
            conversations=definition["sharing_conversations"],
        )

    def _take_user(self, segment: WireSegment) -> None:
        values = handshake.USERID_DATA.read(Cursor(segment.body, segment.order))
        instance = self.instance
        instance.user = read_characters(values["LongUserId"]) or read_characters(values["UserId"])
        instance.password = values["Password"].rstrip(b" \0") or None

    def _take_login(self, segment: WireSegment) -> None:
        conversation = self._conversation(segment)
        user, conversation.password = handshake.read_login(Cursor(segment.body, segment.order))
        conversation.user = read_characters(user)
        self.send(like(segment, SegmentType.STATUS_DATA, flags=Flags.REQUEST_ACCEPTED))

    def _take_socket_action(self, segment: WireSegment) -> None:
        values = streaming.SOCKET_ACTION.read(Cursor(segment.body, segment.order))
        number, kind = values["Conversation"], values["Type"]
        if kind == SocketAction.START_CONVERSATION:
            self._start_conversation(segment, number)
        elif kind == SocketAction.END_CONVERSATION:
            if number in self.conversations:
                self._end(self.conversations[number])
            self.is_over = bool(segment.flags & Flags.CLOSE_CHANNEL) or not self.conversations
        else:
            raise ProtocolError(f"a socket action of type {kind}", StatusCode.SOCKET_ACTION_TYPE)

    def _start_conversation(self, segment: WireSegment, number: int) -> None:
        assert self._agreed is not None
        if number in self.conversations or len(self.conversations) >= self._agreed.conversations:
            raise ProtocolError(f"conversation {number} is one too many", StatusCode.CONV_ID_ERROR)
        self._begin(number)
        values = {"Conversation": number, "Request": 0, "Type": SocketAction.START_ACCEPTED}
        values |= {"Parm1": threading.get_native_id(), "Parm2": os.getpid()}
        body = streaming.SOCKET_ACTION.write(values, segment.order)
        own = like(segment, SegmentType.SOCKET_ACTION, body, eyecatcher=MULTIPLEXED, flags=Flags(0))
        self.send(replace(own, conversation=number))

    def _take_heartbeat(self, segment: WireSegment) -> None:
        if segment.flags & Flags.CONFIRM_REQUEST:
            self.send(like(segment, SegmentType.HEARTBEAT, flags=Flags.WHOLE))

    def ask_for_heartbeat(self) -> None:
        """Ask the client for a sign of life."""
        eyecatcher = CONTROL if self.instance.is_multiplexed else PLAIN
        flags = Flags.WHOLE | Flags.CONFIRM_REQUEST
        self.send(like(self._last, SegmentType.HEARTBEAT, eyecatcher=eyecatcher, flags=flags))

    def _take_status(self, segment: WireSegment) -> None:
        self.is_over = bool(segment.flags & (Flags.CLOSE_CHANNEL | Flags.ERROR))


def _status_of(error: AdmissionError) -> StatusCode:
    """Return the status code that tells a client why it cannot use a channel."""
    if error.number == "AMQ9637E":
        return StatusCode.SSL_CLIENT_CERTIFICATE
    return _STATUSES.get(error.reason, StatusCode.CIPHER_SPEC)


#: Reason that a channel is refused with to its status code. All others are about TLS.
_STATUSES = {
    MQRC_UNKNOWN_CHANNEL_NAME: StatusCode.NO_CHANNEL,
    MQRC_CHANNEL_CONFIG_ERROR: StatusCode.CHANNEL_WRONG_TYPE,
    MQRC_SSL_PEER_NAME_MISMATCH: StatusCode.PEER_NAME,
}
#: Types below those of calls that belong to a conversation.
_CONVERSING = (SegmentType.REQUEST_MSGS, SegmentType.NOTIFICATION)
_TAKERS: dict[int, Callable[[ClientChannel, WireSegment], None]] = {
    SegmentType.INITIAL_DATA: ClientChannel._negotiate,
    SegmentType.USERID_DATA: ClientChannel._take_user,
    SegmentType.CONAUTH_INFO: ClientChannel._take_login,
    SegmentType.SOCKET_ACTION: ClientChannel._take_socket_action,
    SegmentType.HEARTBEAT: ClientChannel._take_heartbeat,
    SegmentType.STATUS_DATA: ClientChannel._take_status,
}
