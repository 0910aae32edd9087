"""Bytes that clients and queue managers of IBM MQ have exchanged, read and written again."""

from __future__ import annotations

import re

import pytest

from mqtools.clients.wire import calls, handshake, spi, streaming
from mqtools.clients.wire.calls import ApiHeader, read_api
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import Splitter, WireSegment

NAME = "QM1".ljust(48).encode().hex()
QUEUE = "DEV.QUEUE.1".ljust(48).encode().hex()


def unhex(text: str) -> bytes:
    """Read hexadecimal digits; ``xx*n`` is the byte xx n times."""
    return bytes.fromhex(re.sub(r"(\w\w)\*(\d+)", lambda found: found[1] * int(found[2]), text))


def one_segment(text: str) -> WireSegment:
    (segment,) = Splitter().feed(unhex(text))
    assert segment.pack() == unhex(text)
    return segment


def reread(layout, segment: WireSegment) -> dict:
    """Read a body, check that it is written as it came, and return its values."""
    values = layout.read(Cursor(segment.body, segment.order))
    assert layout.write(values, segment.order) == segment.body
    return values


def reread_call(layout, segment: WireSegment) -> tuple[ApiHeader, dict]:
    """The same for a call, behind its API header."""
    api, body = read_api(segment)
    values = layout.read(body)
    assert api.pack(layout.write(values, segment.order), segment.order) == segment.body
    return api, values


IDENTIFICATION = (
    "49442020 11 26 00 {error} 0000 0000 ec7f0000 00004000 00000000"
    + "DEV.APP.SVRCONN".ljust(20).encode().hex()
    + "51003303"
    + NAME
    + "2c010000 0000 00 00 00ff 00 ff*15 0000 00000000 0a000000 {capability} 0000 01000000 06000000 13000000"
    + b"MQMM09040300".hex()
    + NAME
    + "0100 0000 ff*16 aa*12"
)


def test_initial_data_of_a_queue_manager_that_has_not_settled():
    text = "54534820 0000010c 02 01 02 00 00*8 11010000 3303 0000" + IDENTIFICATION
    segment = one_segment(text.format(error="90", capability="2008"))
    values = reread(handshake.INITIAL_DATA, segment)
    assert (segment.encoding, segment.ccsid, segment.conversation) == (273, 819, 0)
    assert (values["FapLevel"], values["IniErrFlag1"], values["HeartbeatInterval"]) == (17, 0x90, 300)
    assert (values["ConversationsPerSocket"], values["CapFlag3"], values["ECapFlag3"]) == (10, 0x20, 8)


def test_initial_data_of_a_queue_manager_that_has_settled():
    text = "5453484d 00000114 00000001 00000000 02 01 00 00 00*8 22020000 3303 0000" + IDENTIFICATION
    segment = one_segment(text.format(error="00", capability="2000"))
    assert segment.conversation == 1
    assert reread(handshake.INITIAL_DATA, segment)["ProductId"] == b"MQMM09040300"


@pytest.mark.parametrize("length", [44, 102, 208, 240])
def test_initial_data_of_every_fap_level_is_read(length):
    whole = unhex(IDENTIFICATION.format(error="00", capability="2000"))
    assert handshake.INITIAL_DATA.read(Cursor(whole[:length], "<"))["FapLevel"] == 17


def test_the_answer_to_a_login_is_a_header():
    segment = one_segment("5453484d 00000024 00000001 00000000 02 05 40 00 00*8 22020000 3303 0000")
    assert (segment.name, segment.flags, segment.body) == ("STATUS_DATA", 0x40, b"")


@pytest.mark.parametrize("extra", ["", "00*8"], ids=["FAP 12", "FAP 17"])
def test_user_and_password(extra):
    text = f"43415554 01000000 03000000 08000000 03000000 08000000 {extra} 617070 7061737377307264 00"
    assert handshake.read_login(Cursor(unhex(text), "<")) == (b"app", b"passw0rd")


def test_the_reply_of_mqconn_has_the_connection_id():
    text = (
        "5453484d 0000020c 00000001 00000000 02 91 30 00 00*8 11010000 3303 0000 00000204 00*12 "
        + NAME
        + "20*28 1c000000 00*32 07000000 00002000 46434e4f 03000000 01000000 414d5143"
        + b"QM1".ljust(12).hex()
        + "aa*8 00*104 4d514354 00*124 00*12 00*72"
    )
    api, values = reread_call(handshake.CONNECT, one_segment(text))
    assert (api.comp_code, api.reason, values["connect"]["ApplType"]) == (0, 0, 28)
    assert values["fcno"]["ConnectionArea"][:24] == b"AMQCQM1         " + b"\xaa" * 8


OD_2 = "4f442020 02000000 05000000 20*48 20*48 20*48 20*12 00*4 01000000 00*24"


def test_the_reply_of_mqopen_for_the_queue_manager():
    text = (
        "5453484d 00000154 00000001 00000000 02 93 30 00 00*8 11010000 3303 0000"
        f"0000014c 00*8 02000000 {OD_2} 20200000 464f5041 02000000 54000000 ff*16 20*48 54000000 00000000"
    )
    api, values = reread_call(calls.OPEN, one_segment(text))
    assert (api.handle, values["options"], values["attributes"]["DefReadAhead"]) == (2, 0x2020, -1)


def test_inquiries():
    selectors = "1f000000 20000000 02000000 df070000 f0070000 11010000"
    asked = f"000000cd 00*8 02000000 06000000 04000000 64000000 {selectors}"
    _, body = read_api(WireSegment(eyecatcher=b"TSHM", kind=0x89, body=unhex(asked)))
    values = calls.INQUIRE.read(body)
    assert values == {"selectors": (31, 32, 2, 2015, 2032, 273), "integers": 4, "characters": 100}
    assert calls.INQUIRE.write(values, "<") == unhex(asked)[16:]
    answer = (
        "5453484d 000000c8 00000001 00000000 02 99 30 00 00*8 11010000 3303 0000 000000c0 00*8 02000000"
        f"06000000 04000000 60000000 {selectors} af030000 03000000 33030000 01000000 {NAME} {NAME}"
    )
    _, values = reread_call(calls.INQUIRE_REPLY, one_segment(answer))
    assert values["integers"] == (943, 3, 819, 1)


def test_the_length_word_of_a_call_counts_the_short_header():
    assert ApiHeader(handle=2).pack(calls.CLOSE.write({"options": 0}, "<"), "<").hex().startswith("00000030")
    assert ApiHeader(handle=0xFFFFFFFF).pack(b"", "<") == unhex("0000002c 00*8 ffffffff")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("03000000 00000000 01000000 01000000 02000000", (3, 0, 1, 1, 2)),
        ("03000000 00000000 08000000 06000000 14000000", (3, 0, 8, 6, 20)),
        ("03000000 00000000 02000000 00*8", (3, 0, 2, 0, 0)),
    ],
)
def test_socket_actions(text, values):
    segment = WireSegment(eyecatcher=b"TSHC", kind=0x0C, body=unhex(text))
    assert tuple(reread(streaming.SOCKET_ACTION, segment).values()) == values


def test_the_list_of_spi_verbs():
    rows = "01000000 02000000 02000000 02000000 01000000"
    text = f"53505155 01000000 0c000000 5350514f 01000000 24000000 01000000 {rows}"
    body = Cursor(unhex(text), "<")
    inout, out = spi.QUERY_INOUT.read(body), spi.QUERY_OUT.read(body)
    assert out["verbs"] == ((1, 2, 2, 2, 1),)
    assert spi.QUERY_INOUT.write(inout, "<") + spi.QUERY_OUT.write(out, "<") == unhex(text)


def test_the_reply_of_an_spi_open_describes_the_queue():
    extra = f"00000008 00000024 00000003 00000000 {QUEUE}"
    text = (
        "53504f4f 02000000 6c010000 4c504f4f 03000000 10200000 20000000 00000000 01000000 00*8 "
        + b"SYSTEM.PROTECTION.ERROR.QUEUE".ljust(48).hex()
        + f"2c010000 40000000 {OD_2} {extra}"
    )
    values = reread(spi.OPEN_OUT, WireSegment(eyecatcher=b"TSHM", kind=0x9C, body=unhex(text)))
    assert (values["lpoo"]["ExtraOffset"], len(values["od"]), len(values["extra"])) == (300, 200, 64)


def test_a_request_for_messages():
    text = (
        "01000000 06000000 00000000 01000000 ffffffff 05600002 30750000 00000000 18000000 00000000"
        "0100 0200 b8040000 11010000 00000000 00000000 03000000 aa*24 bb*24"
    )
    values = reread(streaming.REQUEST_MSGS, WireSegment(eyecatcher=b"TSHM", kind=0x0E, body=unhex(text)))
    assert (values["Handle"], values["Options"], values["WaitInterval"]) == (6, 0x02006005, 30_000)
    selection = values["selection"]
    assert (selection["CodedCharSetId"], selection["CorrelId"], selection["MsgToken"]) == (
        1208,
        b"\xbb" * 24,
        bytes(16),
    )


def test_a_message_of_a_stream():
    md = "4d442020 02000000 00*356"
    text = (
        "01000000 06000000 01000000 01000000 24000000 0000 0100 00000000 24000000 24000000 cc*16 0100 15"
        + b"DEV.QUEUE.LONGER.NAM".ljust(21).hex()
        + f"{md} dd*36"
    )
    message = streaming.read_message(WireSegment(eyecatcher=b"TSHM", kind=0x0D, body=unhex(text)))
    assert (message.handle, message.index, message.token) == (6, 1, b"\xcc" * 16)
    assert (message.data, message.total_length, message.status) == (b"\xdd" * 36, 36, 1)
    (segment,) = message.segments(WireSegment(eyecatcher=b"TSHM", kind=0x0E), 32_748)
    assert (segment.body, segment.request, segment.flags) == (unhex(text), 1, 0x30)
    assert len(segment.pack()) == 512


def test_a_put_and_its_reply():
    md = "4d442020 01000000" + " 00*316"
    pmo = "504d4f20 02000000 44200200 ffffffff 00000000 01000000 00*8 " + QUEUE + NAME + " 00*24"
    asked = f"00000214 00*8 02000000 {md} {pmo} 03000000 aabbcc 00"
    values = reread_call(calls.PUT, WireSegment(eyecatcher=b"TSHM", kind=0x86, body=unhex(f"00000210{asked[8:]}")))[1]
    assert (len(values["pmo"]), values["data"]) == (152, b"\xaa\xbb\xcc")
    answer = f"0000020c 00*8 02000000 {md} {pmo} 10010000"
    segment = WireSegment(eyecatcher=b"TSHM", kind=0x96, body=unhex(answer))
    assert reread_call(calls.PUT_REPLY, segment)[1]["length"] == 272
    assert len(segment.pack()) == 532
