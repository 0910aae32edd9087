"""A client that speaks the client protocol over a socket: one conversation, no multiplexing."""

from __future__ import annotations

import socket
from typing import Any

from mqtools.clients.wire import calls, handshake
from mqtools.clients.wire.calls import ApiHeader, read_api
from mqtools.clients.wire.codes import PLAIN, Flags, SegmentType
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import Splitter, WireSegment
from mqtools.constants.options import (
    MQGMO_NO_WAIT,
    MQGMO_SYNCPOINT,
    MQOO_INPUT_SHARED,
    MQPMO_SYNCPOINT,
)
from mqtools.headers import structures_message as mqi

CHANNEL = "DEV.APP.SVRCONN"
PATIENCE_S = 60


class Client:
    """A connected client. Replies are read by the caller where it sends only."""

    def __init__(self, connected: socket.socket, channel: str = CHANNEL) -> None:
        self.socket = connected
        self.socket.settimeout(PATIENCE_S)
        self._splitter = Splitter()
        values = {
            **handshake.INITIAL_DATA.initial(),
            "FapLevel": 8,
            "CapFlag1": 0x20,
            "MaxTransmissionSize": 32_748,
            "MaxMsgSize": 4_194_304,
            "ChannelName": channel.encode().ljust(20),
            "QMgrName": b"*".ljust(48),
            "CCSID": 1208,
        }
        flags: int = Flags.ERROR
        while flags & Flags.ERROR:
            self.send(SegmentType.INITIAL_DATA, handshake.INITIAL_DATA.write(values, "<")[:102])
            reply = self.receive()
            assert reply.kind == SegmentType.INITIAL_DATA, reply
            flags, values = reply.flags, handshake.INITIAL_DATA.read(Cursor(reply.body, "<"))
        connect = {"QMgrName": b"*".ljust(48), "ApplName": b"client".ljust(28), "ApplType": 28}
        zeros = {"AccountingToken": bytes(32), "Options": 0, "XOptions": 0}
        whole = {"length": 128, "connect": {**connect, **zeros}, "fcno": None, "rest": b""}
        assert self.call(SegmentType.MQCONN, handshake.CONNECT.write(whole, "<"))[0].reason == 0

    def send(self, kind: int, body: bytes = b"") -> None:
        self.socket.sendall(WireSegment(eyecatcher=PLAIN, kind=kind, body=body).pack())

    def receive(self) -> WireSegment:
        """Return the next segment. Raises EOFError when the server has closed."""
        while True:
            data = self.socket.recv(65_536)
            if not data:
                raise EOFError
            for segment in self._splitter.feed(data):
                return segment

    def send_call(self, kind: int, rest: bytes = b"", handle: int = 0) -> None:
        self.send(kind, ApiHeader(handle=handle).pack(rest, "<"))

    def reply(self) -> tuple[ApiHeader, Cursor]:
        return read_api(self.receive())

    def call(self, kind: int, rest: bytes = b"", handle: int = 0) -> tuple[ApiHeader, Cursor]:
        self.send_call(kind, rest, handle)
        return self.reply()

    def send_put(self, queue: str, data: bytes) -> None:
        """Send MQPUT1 of a persistent message, under syncpoint."""
        md = structure(mqi.MD, Version=2, Persistence=1)
        pmo = structure(mqi.PMO, Version=1, Options=MQPMO_SYNCPOINT)[:128]
        whole = {"od": self._od(queue), "md": md, "pmo": pmo, "data": data}
        self.send_call(SegmentType.MQPUT1, calls.PUT1.write(whole, "<"))

    def open(self, queue: str) -> int:
        """Return a handle for gets."""
        whole = {"od": self._od(queue), "options": MQOO_INPUT_SHARED, "attributes": None}
        api, _ = self.call(SegmentType.MQOPEN, calls.OPEN.write(whole, "<"))
        assert api.reason == 0
        return api.handle

    def send_get(self, handle: int) -> None:
        """Send MQGET without wait, under syncpoint."""
        gmo = structure(mqi.GMO, Version=1, Options=MQGMO_SYNCPOINT | MQGMO_NO_WAIT)[:72]
        whole = {"md": structure(mqi.MD, Version=2), "gmo": gmo, "length": 4096}
        self.send_call(SegmentType.MQGET, calls.GET.write(whole, "<"), handle)

    def _od(self, queue: str) -> bytes:
        return structure(mqi.OD, Version=1, ObjectName=queue)[:168]


def structure(layout: Any, **values: Any) -> bytes:
    """Return a structure of the MQI as it travels, with initial values but for those given."""
    packed = layout.packed("<")
    every = {**packed.initial(), **values}
    return packed.pack({name: value.encode() if isinstance(value, str) else value for name, value in every.items()})
