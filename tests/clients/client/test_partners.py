"""Queue managers of other kinds, as scripts: recorded bytes at FAP level 17, and EBCDIC with big-endian integers.

The recorded bytes are those of exchanges between an IBM client and IBM queue managers, with our names in them. The
partner in EBCDIC is made up: nothing of it was seen on a wire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from mqtools.clients.client.connect import connect_remote
from mqtools.clients.wire import handshake, spi, streaming
from mqtools.clients.wire.calls import INQUIRE, read_api
from mqtools.clients.wire.codes import SegmentType
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import WireSegment
from mqtools.constants.options import (
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.message import MQMD, Message

from .partner import TOKEN, Answer, Partner, QueueManager, unhex

Script = Callable[[Mapping[int, Answer]], Partner]
NAME, QUEUE = ("QM1".ljust(48).encode().hex(), "DEV.QUEUE.1".ljust(48).encode().hex())
IDENTIFICATION = (
    "49442020 11 26 00 {error} 0000 0000 ec7f0000 00004000 00000000"
    + "DEV.APP.SVRCONN".ljust(20).encode().hex()
    + "50{refused}3303"
    + NAME
    + "2c010000 0000 00 00 00ff 00 ff*15 0000 00000000 0a000000 2000 0000 01000000 06000000 13000000"
    + b"MQMM09040300".hex()
    + NAME
    + "0100 0000 ff*16 aa*12"
)
OD = f"4f442020 02000000 01000000 {QUEUE} 20*48 20*48 20*12 00*4 01000000 00*24"
OD_OF_Q_MGR = "4f442020 02000000 05000000 20*48 20*48 20*48 20*12 00*4 01000000 00*24"
FOPA = "464f5041 02000000 54000000 ff*16 20*48 54000000 00000000"
VERBS = (
    "01000000 02000000 02000000 02000000 01000000 02000000 01000000 03000000 01000000 01000000"
    "06000000 01000000 01000000 01000000 01000000 0c000000 01000000 02000000 02000000 01000000"
)
EXTRA = (
    f"00000008 00000024 00000003 00000000 00000001 00000001 00000000 00000000 00000001 00000004 00000044"
    f"00000006 00000333 00000030 {QUEUE}"
)
ERROR_QUEUE = b"SYSTEM.PROTECTION.ERROR.QUEUE".ljust(48).hex()
MD_1 = "4d442020 01000000 00*16 22020000 b8040000 20*8 00*8 414d5120514d31202020202020202020aabbccdd00000001 00*252"
MD_2 = (
    "4d442020 02000000 00000000 08000000 ffffffff 00000000 11010000 b8040000 4d5153545220*3 04000000 01000000"
    "414d5120514d31202020202020202020aabbccdd00000001 00*24 00000000 20*48 20*48 726f6f7420*8 00*32 20*32 "
    "1c000000 6a617661 20*24 32303236313132383138303030303030 20*4 00*24 01000000 00000000 00000000 ffffffff"
)
PMO = f"504d4f20 02000000 44200200 ffffffff 00000000 01000000 00*8 {QUEUE} {NAME} 00*24"


def multiplexed(kind: str, flags: str, request: str, body: str, encoding: str = "11010000") -> bytes:
    """Return a segment as a queue manager on Linux sends it."""
    raw = unhex(body)
    length = (36 + len(raw)).to_bytes(4, "big").hex()
    return unhex(f"5453484d {length} 00000001 {request} 02 {kind} {flags} 00 00*8 {encoding} 3303 0000") + raw


def call(kind: str, rest: str = "", handle: str = "00*4") -> Answer:
    """Return the answer of a call, whose length counts a header of 28 bytes."""
    length = (28 + 16 + len(unhex(rest))).to_bytes(4, "big").hex()
    return lambda _: multiplexed(kind, "30", "00000000", f"{length} 00*8 {handle} {rest}")


def initial(segment: WireSegment) -> bytes:
    if segment.eyecatcher == b"TSH ":
        head = unhex("54534820 0000010c 02 01 02 00 00*8 11010000 3303 0000")
        return head + unhex(IDENTIFICATION.format(error="90", refused="00"))
    body = IDENTIFICATION.format(error="00", refused="00")
    return multiplexed("01", "00", "00000000", body, "22020000")


def connected(segment: WireSegment) -> bytes:
    whole = segment.body[16:]
    assert len(segment.body) == 488  # of 524 bytes, the header not counted
    fcno = unhex("46434e4f 03000000 01000000 414d5143514d3120202020202020202001020304 05060708 00*104")
    body = whole[:120] + fcno + bytes(len(whole) - 260)
    return multiplexed("91", "30", "00000000", "00000204 00*12 " + body.hex())


def verb(segment: WireSegment) -> bytes:
    values = spi.SPI.read(read_api(segment)[1])
    if values["Verb"] == 1:
        verbs = f"01000000 01000000 00010000 53505155 01000000 0c000000 5350514f 01000000 60000000 04000000 {VERBS}"
        return call("9c", verbs)(segment)
    opened = (
        f"0c000000 02000000 28010000 53504f55 01000000 0c000000 53504f4f 02000000 94010000 4c504f4f 03000000 10200000"
        f"20000000 00000000 01000000 00*8 {ERROR_QUEUE} 2c010000 68000000 {OD} {EXTRA}"
    )
    return call("9c", opened, "02000000")(segment)


def message(segment: WireSegment) -> bytes:
    index = streaming.REQUEST_MSGS.read(Cursor(segment.body, segment.order))["selection"]["SelectionIndex"]
    body = (
        f"01000000 02000000 01000000 01000000 05000000 0000 {index.to_bytes(2, 'little').hex()} 00000000 05000000"
        f"05000000 {TOKEN.hex()} 0100 0d {'DEV.QUEUE.1'.ljust(13).encode().hex()} {MD_2} 68656c6c6f"
    )
    return multiplexed("0d", "30", "00000001", body, "22020000")


RECORDED: dict[int, Answer] = {
    SegmentType.INITIAL_DATA: initial,
    SegmentType.MQCONN: connected,
    SegmentType.MQOPEN: call("93", f"{OD_OF_Q_MGR} 20200000 {FOPA}", "04000000"),
    SegmentType.MQINQ: call("99", f"01000000 00000000 30000000 df070000 {NAME}", "04000000"),
    SegmentType.MQCLOSE: call("94", "", "ff*4"),
    SegmentType.SPI: verb,
    SegmentType.MQPUT: call("96", f"{MD_1} {PMO} 05000000", "02000000"),
    SegmentType.REQUEST_MSGS: message,
    SegmentType.MQCMIT: call("9a"),
    SegmentType.MQDISC: call("92"),
}


@pytest.fixture
def script() -> Iterator[Script]:
    """Begin to answer a client by a script."""
    partners: list[Partner] = []

    def begin(answers: Mapping[int, Answer]) -> Partner:
        partners.append(Partner(answers))
        return partners[-1]

    yield begin
    for partner in partners:
        partner.close()


PARTNERS = {
    "recorded": RECORDED,
    "little-endian": QueueManager().answers(),
    "FAP 12": QueueManager(fap_level=12).answers(),
    "EBCDIC, made up": QueueManager(">", "cp500", 500, data="hello".encode("cp500")).answers(),
}


@pytest.mark.parametrize("name", PARTNERS)
def test_a_client_puts_and_gets_with_a_partner_of_another_kind(script: Script, name: str) -> None:
    partner = script(PARTNERS[name])
    with connect_remote(partner.options, appl_name="mqx") as connection:
        assert connection.name == "QM1"
        assert connection.inquire([2015]) == ["QM1"]
        queue = connection.open("DEV.QUEUE.1", MQOO_OUTPUT | MQOO_INPUT_SHARED)
        assert queue.q_name == "DEV.QUEUE.1"
        sent = Message(b"hello", MQMD(format="MQSTR"))
        put = queue.put(sent, MQPMO_SYNCPOINT)
        assert (put.resolved_q_name, put.resolved_q_mgr_name) == ("DEV.QUEUE.1", "QM1")
        assert sent.md.msg_id.startswith(b"AMQ QM1")
        connection.commit()
        got = queue.get(MQGMO_SYNCPOINT | MQGMO_WAIT, wait_ms=5000)
        assert (got.message.md.format, got.msg_token, got.resolved_q_name) == ("MQSTR", TOKEN, "DEV.QUEUE.1")
        assert got.message.data in (b"hello", "hello".encode("cp500"))
        connection.commit()
        queue.close()
    partner.thread.join(10)  # it reads to the end
    kinds = [segment.kind for segment in partner.received]
    assert kinds[:4] == [SegmentType.INITIAL_DATA] * 2 + [SegmentType.USERID_DATA, SegmentType.MQCONN]
    assert kinds[-2:] == [SegmentType.MQDISC, SegmentType.SOCKET_ACTION]


def test_the_client_sends_what_the_java_client_was_seen_to_send(script: Script) -> None:
    partner = script(RECORDED)
    with connect_remote(partner.options) as connection:
        connection.inquire([2015])
        with connection.open("DEV.QUEUE.1", MQOO_OUTPUT | MQOO_INPUT_SHARED) as queue:
            queue.get(MQGMO_WAIT, wait_ms=30_000)
    partner.thread.join(10)  # it reads to the end
    sent = partner.received
    by_kind = {segment.kind: segment for segment in sent}
    first, second = sent[:2]
    assert (first.eyecatcher, first.order, first.flags, len(first.pack())) == (b"TSH ", ">", 0x31, 268)
    assert (second.eyecatcher, second.order, second.flags, len(second.pack())) == (b"TSHM", "<", 0x31, 276)
    assert (second.conversation, second.request, second.ccsid) == (1, 0, 819)
    proposed = handshake.INITIAL_DATA.read(Cursor(second.body, "<"))
    assert (proposed["FapLevel"], proposed["MaxMsgSize"], proposed["HeartbeatInterval"]) == (17, 4_194_304, 300)
    assert (proposed["ConversationsPerSocket"], proposed["IniErrFlag1"]) == (10, 0)
    lengths = {kind: len(segment.pack()) for kind, segment in by_kind.items()}
    assert lengths[SegmentType.USERID_DATA] == 168
    assert lengths[SegmentType.MQCONN] == 524
    assert lengths[SegmentType.MQOPEN] == 340
    assert lengths[SegmentType.MQCLOSE] == 56
    api, body = read_api(by_kind[SegmentType.MQINQ])
    assert (api.handle, INQUIRE.read(body)["characters"]) == (4, 48)
    assert by_kind[SegmentType.MQCLOSE].body[:4].hex() == "00000038"  # counts the header as it is
    request = streaming.REQUEST_MSGS.read(Cursor(by_kind[SegmentType.REQUEST_MSGS].body, "<"))
    assert (request["RequestedBytes"], request["WaitInterval"], request["RequestFlags"]) == (1, 30_000, 0x18)
    assert by_kind[SegmentType.REQUEST_MSGS].flags == 0x30
    last = sent[-1]
    assert (last.eyecatcher, last.flags, len(last.pack())) == (b"TSHC", 0x38, 48)
