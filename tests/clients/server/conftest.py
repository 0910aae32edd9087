"""A client without a socket: its segments go to a channel of the server, and what comes back is read."""

from __future__ import annotations

import os
import select
import socket
import time
from dataclasses import dataclass, field
from functools import partial
from struct import unpack_from

import pytest

from mqtools.admin import socket_owner
from mqtools.admin.admission import Peer
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.clients.server.channel import ClientChannel
from mqtools.clients.server.host import ClientHost
from mqtools.clients.wire import calls, handshake, spi, streaming
from mqtools.clients.wire.calls import ApiHeader, read_api
from mqtools.clients.wire.codes import CONTROL, MULTIPLEXED, PLAIN, Flags, SegmentType, Verb
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import Assembler, Splitter, WireSegment, divide
from mqtools.configuration import locate
from mqtools.constants import cmqc
from mqtools.headers.structures_message import GMO, MD, OD, PMO
from mqtools.mqi.connection import connect

from ...bindings.conftest import home

__all__ = ["home"]

CHANNEL = "TO.QM1"
PATIENCE_S = 10
LENGTHS = {OD: {1: 168, 2: 200, 3: 336, 4: 400}, PMO: {1: 128, 2: 152, 3: 176}, GMO: {1: 72, 2: 80, 3: 100}}
PROPOSAL = {
    **handshake.INITIAL_DATA.initial(),
    "FapLevel": 17,
    "CapFlag1": 0x26,
    "CapFlag2": 0x51,
    "CapFlag3": 0x28,
    "MaxTransmissionSize": 32748,
    "MaxMsgSize": 104857600,
    "CCSID": 819,
    "QMgrName": b"QM1".ljust(48),
    "HeartbeatInterval": 1,
    "ConversationsPerSocket": 999999999,
}


def sent(order, structure, **values):
    """Return the bytes of a structure of the MQI as a client sends it."""
    given = {**structure.initial(), **values}
    length = 324 + 40 * (given["Version"] - 1) if structure is MD else LENGTHS[structure][given["Version"]]
    return structure.packed(order).pack(given)[:length]


@dataclass
class Client:
    """A client on one socket. order: of its integers.  fap_level: the highest that it proposes."""

    host: ClientHost
    order: str = "<"
    channel_name: str = CHANNEL
    fap_level: int = 17
    conversations: int = 999999999
    eyecatcher: bytes = PLAIN
    connected: socket.socket = field(default_factory=socket.socket)
    held: list[WireSegment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.channel = ClientChannel(self.host, Peer(address="127.0.0.1"), self.connected)
        self.splitter = Splitter()

    def send(self, *segments):
        """Send segments; keep what comes back."""
        for segment in segments:
            for _ in self.channel.receive(segment.pack()):
                pass
        self.take()

    def take(self):
        data = b"".join(self.channel.out)
        self.channel.out.clear()
        self.held += self.splitter.feed(data)

    def received(self):
        """Return and forget what has come back."""
        held, self.held = self.held, []
        return held

    def segment(self, kind, body=b"", conversation=1, request=0, flags=Flags.WHOLE, eyecatcher=b""):
        return WireSegment(
            eyecatcher=eyecatcher or self.eyecatcher, kind=kind, body=body, conversation=conversation, request=request,
            flags=flags, order=self.order, ccsid=819,
        )  # fmt: skip

    def propose(self, **changes):
        """Send INITIAL_DATA; return the answer, its flags, and its length."""
        values = {**PROPOSAL, "FapLevel": self.fap_level, "ConversationsPerSocket": self.conversations}
        values |= {"ChannelName": self.channel_name.encode().ljust(20), **changes}
        body = handshake.INITIAL_DATA.write(values, self.order)
        self.send(self.segment(SegmentType.INITIAL_DATA, body, flags=0x31))
        (answer,) = self.received()
        if answer.kind == SegmentType.STATUS_DATA:
            return unpack_from(answer.order + "2i", answer.body)[1], answer.flags, 0
        return handshake.INITIAL_DATA.read(Cursor(answer.body, answer.order)), answer.flags, len(answer.body)

    def negotiate(self):
        """Settle INITIAL_DATA in two rounds, and name the user."""
        agreed, flags, _ = self.propose()
        self.eyecatcher = MULTIPLEXED if agreed["ConversationsPerSocket"] else PLAIN
        if flags & Flags.ERROR:
            again, flags, _ = self.propose(**agreed)
            assert (flags, again["IniErrFlag1"]) == (0, 0)
        user = {**handshake.USERID_DATA.initial(), "UserId": b"ROOT", "LongUserId": b"root"}
        self.send(self.segment(SegmentType.USERID_DATA, handshake.USERID_DATA.write(user, self.order)))
        assert self.received() == []
        return agreed

    def call(self, kind, rest=b"", handle=0, conversation=1):
        """Call, and return the API header and the rest of the reply."""
        body = ApiHeader(handle=handle).pack(rest, self.order)
        self.send(*divide(self.segment(kind, body, conversation), self.channel.instance.transmission_size))
        return self.reply(kind, conversation)

    def reply(self, kind, conversation=1):
        """Return the API header and the rest of the reply that has come back."""
        assembler = Assembler(1 << 24)
        received = self.received()
        self.held = [each for each in received if each.kind == SegmentType.STATUS_DATA]  # may follow at once
        replies = [each for each in received if each.kind != SegmentType.STATUS_DATA]
        (reply,) = [whole for whole in map(assembler.add, replies) if whole is not None]
        assert (reply.kind, reply.flags) == (kind + 16, Flags.WHOLE)
        assert reply.conversation == (conversation if self.eyecatcher == MULTIPLEXED else 0)
        return read_api(reply)

    def mqconn(self, conversation=1, name="QM1", user=None, password=b""):
        """MQCONN; return completion code and reason."""
        if user is not None:
            login = handshake.write_login(user, password, self.order)
            self.send(self.segment(SegmentType.CONAUTH_INFO, login, conversation))
            (accepted,) = self.received()
            assert (accepted.kind, accepted.flags, accepted.body) == (SegmentType.STATUS_DATA, 0x40, b"")
        connect_values = {"QMgrName": name.encode().ljust(48), "ApplName": b"tests".ljust(28), "ApplType": 28}
        connect_values |= {"AccountingToken": b"", "Options": 7, "XOptions": 0}
        fcno = {"StrucId": b"FCNO", "Version": 2, "CapFlag": 0, "ConnectionArea": b""}
        values = {"length": 120, "connect": connect_values, "fcno": fcno, "rest": bytes(72)}
        api, body = self.call(
            SegmentType.MQCONN, handshake.CONNECT.write(values, self.order), conversation=conversation
        )
        self.connection_id = handshake.CONNECT.read(body)["fcno"]["ConnectionArea"][:24]
        return api.comp_code, api.reason

    def begin(self, conversation):
        """Start another conversation on the socket."""
        values = {"Conversation": conversation, "Request": 0, "Type": 1, "Parm1": 1, "Parm2": 2}
        body = streaming.SOCKET_ACTION.write(values, self.order)
        self.send(self.segment(SegmentType.SOCKET_ACTION, body, eyecatcher=CONTROL))
        (answer,) = self.received()
        assert streaming.SOCKET_ACTION.read(Cursor(answer.body, answer.order))["Type"] == 8

    def start(self, conversation):
        """Start another conversation on the socket, and connect it."""
        self.begin(conversation)
        assert self.mqconn(conversation) == (0, 0)

    def open(self, name="DEV.QUEUE.1", options=cmqc.MQOO_OUTPUT | cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_BROWSE, **values):
        """MQOPEN of a queue; return its handle."""
        od = sent(self.order, OD, Version=2, ObjectName=name.encode().ljust(48), **values)
        rest = calls.OPEN.write({"od": od, "options": options, "attributes": None}, self.order)
        api, _ = self.call(SegmentType.MQOPEN, rest)
        assert (api.comp_code, api.reason) == (0, 0)
        return api.handle

    def put(self, handle, data, options=cmqc.MQPMO_NO_SYNCPOINT, conversation=1, **md):
        """MQPUT; return completion code and reason."""
        parts = {"md": sent(self.order, MD, **md), "pmo": sent(self.order, PMO, Version=2, Options=options)}
        rest = calls.PUT.write({**parts, "data": data}, self.order)
        api, body = self.call(SegmentType.MQPUT, rest, handle, conversation)
        reply = calls.PUT_REPLY.read(body)
        assert api.comp_code or reply["length"] == len(data)
        return api.comp_code, api.reason

    def get_request(self, handle, options=cmqc.MQGMO_NO_SYNCPOINT, wait_ms=0, room=4096, conversation=1):
        gmo = sent(self.order, GMO, Version=3, Options=options, WaitInterval=wait_ms)
        rest = calls.GET.write({"md": sent(self.order, MD, Version=2), "gmo": gmo, "length": room}, self.order)
        return self.segment(SegmentType.MQGET, ApiHeader(handle=handle).pack(rest, self.order), conversation)

    def get(self, handle, **options):
        """MQGET; return reason and data."""
        self.send(self.get_request(handle, **options))
        return self.got()

    def got(self, conversation=1):
        api, body = self.reply(SegmentType.MQGET, conversation)
        length, data = calls.GET_REPLY.read(body)["data"]
        return api.reason, data[:length]

    def request(self, handle, *, confirm=False, flags=0, requested=1, seen=0, wait_ms=-1, most=4096, **given):
        """Send REQUEST_MSGS, confirmed or not."""
        options = given.pop("options", cmqc.MQGMO_NO_SYNCPOINT | cmqc.MQGMO_WAIT)
        flags |= streaming.SELECTION if given.pop("selected", True) else 0
        selection = {"SelectionIndex": 1, "MdVersion": 2, "CodedCharSetId": 1208, "Encoding": 546, "MsgSeqNumber": 0}
        selection |= {"Offset": 0, "MatchOptions": 0, **given}
        values = {"Version": 1, "Handle": handle, "ReceivedBytes": 0, "RequestedBytes": requested}
        values |= {"MaxMsgLength": most, "Options": options, "WaitInterval": wait_ms, "QueueStatus": 0}
        values |= {"RequestFlags": flags, "GlobalMessageIndex": seen}
        values["selection"] = selection if flags & streaming.SELECTION else None
        body = streaming.REQUEST_MSGS.write(values, self.order)
        header = Flags.WHOLE | (Flags.CONFIRM_REQUEST if confirm else 0)
        self.send(self.segment(SegmentType.REQUEST_MSGS, body, request=3 if confirm else 1, flags=header))
        return self.streamed()

    def streamed(self):
        """Return what has come as a stream: data of messages, and (code, value, request) of notifications."""
        events = []
        for each in self.received():
            body = Cursor(each.body, each.order)
            if each.kind == SegmentType.NOTIFICATION:
                values = streaming.NOTIFICATION.read(body)
                events.append((values["Code"], values["Value"], each.request))
            elif each.flags & Flags.FIRST:
                assert (each.kind, each.request) == (SegmentType.ASYNC_MESSAGE, 1)
                self.message = streaming.read_message(each)
                events.append(self.message.data)
            else:
                events[-1] += each.body[24:]
        return events

    def notify(self, code, value, *, confirm=False):
        body = streaming.NOTIFICATION.write(
            {"Version": 1, "Handle": 0xFFFFFFFF, "Code": code, "Value": value}, self.order
        )
        header = Flags.WHOLE | (Flags.CONFIRM_REQUEST if confirm else 0)
        self.send(self.segment(SegmentType.NOTIFICATION, body, request=3 if confirm else 1, flags=header))
        return self.streamed()

    def spi(self, verb, rest, handle=0, conversation=1):
        """Call an SPI verb; return the API header and a cursor behind what every reply begins with."""
        start = spi.SPI.write({"Verb": verb, "Version": 1, "MaxReplySize": 256}, self.order)
        api, body = self.call(SegmentType.SPI, start + rest, handle, conversation)
        assert spi.SPI.read(body)["Verb"] == verb
        return api, body

    def spi_open(self, name, options, **given):
        """Open a queue by SPI; return the API header and the values of the reply."""
        values = {"lpoo": {**spi.OPEN_OPTIONS.initial(), "Options": options, "LpiOptions": 0x20, **given}, "Version": 1}
        values["od"] = sent(self.order, OD, Version=2, ObjectName=name.encode().ljust(48))
        rest = spi.OPEN_INOUT.write({"Version": 1}, self.order) + spi.OPEN_IN.write(values, self.order)
        api, body = self.spi(Verb.OPEN, rest)
        spi.OPEN_INOUT.read(body)
        return api, spi.OPEN_OUT.read(body)

    def wait(self):
        """Sleep as the thread of the socket does, until a descriptor can be read, and look."""
        conversations = list(self.channel.conversations.values())
        poll = select.poll()
        for conversation in conversations:
            for descriptor, mask in conversation.descriptors():
                poll.register(descriptor, mask)
        times = [each.look_at for each in conversations if each.look_at is not None]
        left_s = min([PATIENCE_S, *(each - time.monotonic() for each in times)])
        poll.poll(max(0.0, left_s) * 1000)
        for conversation in conversations:
            self.channel.look(conversation)
        self.take()


@pytest.fixture
def notes():
    """What the operator is told."""
    return []


@pytest.fixture
def host(home, notes, monkeypatch):
    """The host of a channel; the kernel says that the sockets of its clients belong to the owner of the file."""
    mqsc("DEFINE CHANNEL(TO.QM1) CHLTYPE(SVRCONN)", "SET CHLAUTH(TO.QM1) TYPE(BLOCKUSER) USERLIST('none')")
    path = locate.find("QM1")
    monkeypatch.setattr(socket_owner, "find_user_id", lambda _: os.getuid())
    return ClientHost(path=path, connect=partial(connect, path), note=notes.append)


def mqsc(*commands):
    """Run MQSC commands, which all succeed."""
    with connect("QM1") as connection:
        assert not run_mqsc(connection, "\n".join(commands)).failed


def displayed(command):
    """Return the attributes of the objects that a DISPLAY command shows."""
    with connect("QM1") as connection:
        return [item.attributes for item in run_mqsc(connection, command).commands[0].objects]


def depth_of(queue):
    return int(displayed(f"DISPLAY QLOCAL({queue}) CURDEPTH")[0]["CURDEPTH"])


@pytest.fixture(params=["<", ">"], ids=["little", "big"])
def order(request):
    return request.param


@pytest.fixture
def client(host, order):
    """A client that has connected, multiplexed, in either byte order."""
    made = Client(host, order)
    made.negotiate()
    assert made.mqconn() == (0, 0)
    yield made
    made.channel.close()


@pytest.fixture
def little(host):
    """A client that has connected, in the usual byte order."""
    made = Client(host)
    made.negotiate()
    assert made.mqconn() == (0, 0)
    yield made
    made.channel.close()
