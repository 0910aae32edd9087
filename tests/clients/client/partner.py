"""A partner that answers a client by a script: what a test says a queue manager sends."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Thread

from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.clients.wire import calls, handshake, spi, streaming
from mqtools.clients.wire.calls import ApiHeader, read_api
from mqtools.clients.wire.codes import MULTIPLEXED, NO_OBJECT, PLAIN, REPLY, Flags, SegmentType
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import Splitter, WireSegment
from mqtools.headers.mqmd import pack_mqmd
from mqtools.headers.structures_message import OD, PMO
from mqtools.message import MQMD

PATIENCE_S = 10
TOKEN = bytes(range(16))
#: Answer a segment: bytes, which may be none, or several times some.
Answer = Callable[[WireSegment], bytes | Iterator[bytes]]


def unhex(text: str) -> bytes:
    """Read hexadecimal digits; ``xx*n`` is the byte xx n times."""
    return bytes.fromhex(re.sub(r"(\w\w)\*(\d+)", lambda found: found[1] * int(found[2]), text))


@dataclass
class Partner:
    """Answers clients, one after the other. answers: by the type of a segment.  received: what clients have sent."""

    answers: Mapping[int, Answer]
    clients: int = 1
    received: list[WireSegment] = field(default_factory=list)
    listening: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    def __post_init__(self) -> None:
        self.thread = Thread(target=self._serve, daemon=True)
        self.thread.start()

    @property
    def options(self) -> ConnectionOptions:
        port = self.listening.getsockname()[1]
        return ConnectionOptions((HostPort("127.0.0.1", port),), "DEV.APP.SVRCONN", timeout_s=PATIENCE_S)

    def close(self) -> None:
        self.listening.close()

    def _serve(self) -> None:
        for _ in range(self.clients):
            with suppress(OSError), self.listening.accept()[0] as connected:
                splitter = Splitter(1 << 20)
                while data := connected.recv(1 << 16):
                    for segment in splitter.feed(data):
                        self.received.append(segment)
                        if segment.kind in self.answers:
                            answer = self.answers[segment.kind](segment)
                            for some in (answer,) if isinstance(answer, bytes) else answer:
                                connected.sendall(some)
        self.listening.close()  # who calls now is refused at once


@dataclass
class QueueManager:
    """What a queue manager of some byte order and character set answers. fap_level: that it agrees on.

    The identifiers of its structures are in its character set, as its names are.
    """

    order: str = "<"
    codec: str = "latin-1"
    ccsid: int = 819
    fap_level: int = 17
    data: bytes = b"hello"

    def text(self, words: str, length: int = 48) -> bytes:
        return words.ljust(length).encode(self.codec)

    def send(self, segment: WireSegment) -> bytes:
        raw = replace(segment, order=self.order, ccsid=self.ccsid).pack()
        return raw[:4].decode().encode(self.codec) + raw[4:]

    def reply(self, request: WireSegment, rest: bytes = b"", handle: int = 2) -> bytes:
        body = ApiHeader(handle=handle).pack(rest, self.order)
        return self.send(replace(request, kind=request.kind + REPLY, body=body, flags=Flags.WHOLE))

    def initial(self, segment: WireSegment) -> bytes:
        values = handshake.INITIAL_DATA.read(Cursor(segment.body, segment.order))
        values |= {"StrucId": self.text("ID", 4), "QMgrName": self.text("QM1"), "QMgrId": self.text("QM1_ID")}
        is_settled = segment.eyecatcher == MULTIPLEXED
        values |= {"FapLevel": self.fap_level, "CCSID": self.ccsid, "ConversationsPerSocket": 10}
        body = handshake.INITIAL_DATA.write(values, self.order)
        return self.send(replace(segment, body=body, flags=0 if is_settled else Flags.ERROR))

    def mqconn(self, segment: WireSegment) -> bytes:
        return self.reply(segment, segment.body[16:], 0)

    def spi(self, segment: WireSegment) -> bytes:
        _, body = read_api(segment)
        values = spi.SPI.read(body)
        start = spi.SPI.write(values, self.order)
        if values["Verb"] == 1:
            rest = spi.QUERY_REPLY.write(
                {"inout": {"Version": 1}, "out": {"Version": 1, "verbs": ((12, 1, 2, 2, 1),)}}, self.order
            )
            return self.reply(segment, start + self._blocks(rest, b"SPQU", b"SPQO"))
        od = OD.packed(self.order).pack({**OD.initial(), "StrucId": self.text("OD", 4), "Version": 2,
                                         "ObjectName": self.text("DEV.QUEUE.1")})[:200]  # fmt: skip
        out = {"Version": 2, "lpoo": spi.OPEN_OPTIONS.initial(), "od": od, "extra": b""}
        rest = spi.OPEN_REPLY.write({"inout": {"Version": 1}, "out": out}, self.order)
        return self.reply(segment, start + self._blocks(rest, b"SPOU", b"SPOO"), 6)

    def _blocks(self, raw: bytes, *names: bytes) -> bytes:
        for name in names:
            raw = raw.replace(name, name.decode().encode(self.codec), 1)
        return raw

    def put(self, segment: WireSegment) -> bytes:
        md = MQMD(version=1, msg_id=b"AMQ QM1".ljust(24, b"."), put_appl_name="mqx", format="MQSTR")
        pmo = {**PMO.initial(), "StrucId": self.text("PMO", 4), "Version": 2, "ResolvedQName": self.text("DEV.QUEUE.1")}
        raw = PMO.packed(self.order).pack({**pmo, "ResolvedQMgrName": self.text("QM1")})[:152]
        values = {"md": self.descriptor(md), "pmo": raw, "length": 5}
        return self.reply(segment, calls.PUT_REPLY.write(values, self.order), 6)

    def descriptor(self, md: MQMD) -> bytes:
        return pack_mqmd(md, encoding=546 if self.order == "<" else 273, ccsid=self.ccsid)

    def message(self, segment: WireSegment) -> bytes:
        request = streaming.REQUEST_MSGS.read(Cursor(segment.body, segment.order))
        md = MQMD(format="MQSTR", coded_char_set_id=self.ccsid, msg_id=b"m" * 24, put_appl_name="them")
        found = streaming.AsyncMessage(
            handle=request["Handle"], index=1, global_index=1, selection_index=request["selection"]["SelectionIndex"],
            md=self.descriptor(md), data=self.data, total_length=len(self.data), token=TOKEN,
            q_name=self.text("DEV.QUEUE.1", 13),
        )  # fmt: skip
        like = replace(segment, order=self.order)
        sent = b"".join(map(self.send, found.segments(like, 32_748)))
        notice = {"Version": 1, "Handle": request["Handle"], "Code": 11, "Value": 0}
        body = streaming.NOTIFICATION.write(notice, self.order)
        is_confirmed = segment.flags & Flags.CONFIRM_REQUEST
        answer = replace(segment, kind=SegmentType.NOTIFICATION, body=body, flags=Flags.WHOLE)
        return sent + (self.send(answer) if is_confirmed else b"")

    def inquired(self, segment: WireSegment) -> bytes:
        values = {"selectors": (2015,), "integers": (), "characters": self.text("QM1")}
        return self.reply(segment, calls.INQUIRE_REPLY.write(values, self.order))

    def answers(self) -> dict[int, Answer]:
        def opened(segment: WireSegment) -> bytes:
            _, body = read_api(segment)
            values = calls.OPEN.read(body)
            od = self.text("OD", 4) + values["od"][4:]
            if self.order != segment.order:
                od = OD.packed(self.order).pack({**OD.initial(), "StrucId": self.text("OD", 4), "Version": 2})[:200]
            return self.reply(segment, calls.OPEN.write({**values, "od": od}, self.order))

        return {
            SegmentType.INITIAL_DATA: self.initial,
            SegmentType.CONAUTH_INFO: lambda segment: self.send(replace(segment, kind=5, body=b"", flags=0x40)),
            SegmentType.MQCONN: self.mqconn,
            SegmentType.MQOPEN: opened,
            SegmentType.MQINQ: self.inquired,
            SegmentType.SPI: self.spi,
            SegmentType.MQPUT: self.put,
            SegmentType.REQUEST_MSGS: self.message,
            SegmentType.MQCLOSE: lambda segment: self.reply(segment, handle=NO_OBJECT),
            SegmentType.MQCMIT: lambda segment: self.reply(segment, handle=0),
            SegmentType.MQBACK: lambda segment: self.reply(segment, handle=0),
            SegmentType.MQDISC: lambda segment: self.reply(segment, handle=0),
        }


def status(code: int, flags: int = 0x0A) -> Answer:
    """Return an answer that refuses with a status code."""

    def answer(segment: WireSegment) -> bytes:
        body = (8).to_bytes(4, "little") + code.to_bytes(4, "little")
        eyecatcher = segment.eyecatcher if segment.eyecatcher == MULTIPLEXED else PLAIN
        return replace(segment, eyecatcher=eyecatcher, kind=5, flags=flags, body=body, order="<").pack()

    return answer
