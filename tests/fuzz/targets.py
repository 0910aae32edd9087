"""Targets for fuzzing: each parser of foreign bytes as a function of bytes, for hypothesis and by coverage.

A parser returns, or raises one of the errors it promises. Anything else is a fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mqtools.admin.mqsc.run import check_mqsc
from mqtools.channel import protocol
from mqtools.channel.transport import parse_address
from mqtools.clients.wire import calls, handshake, spi, streaming
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import Splitter, WireSegment
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.errors import MQError
from mqtools.formats import units
from mqtools.formats.jsonl_input import parse_line
from mqtools.formats.message_input import read_messages
from mqtools.formats.mistakes import Findings
from mqtools.formats.mqsc.script import parse_mqsc
from mqtools.formats.properties import parse_property
from mqtools.formats.terminal import visible
from mqtools.headers import charsets, pcf_bytes
from mqtools.headers.chain import strip_dlh, strip_xqh, walk
from mqtools.headers.characters import decode_field
from mqtools.message import MQMD
from mqtools.rules.reference import parse_reference
from mqtools.rules.security.address_patterns import parse_pattern
from mqtools.rules.security.distinguished_names import parse_subject
from mqtools.rules.selector.selector import compile_selector

_NATIVE = 546
_FORMATS = (
    "MQDEAD",
    "MQXMIT",
    "MQHRF",
    "MQHRF2",
    "MQHMDE",
    "MQIMS",
    "MQCICS",
    "MQHDIST",
    "MQHREF",
    "MQHWIH",
    "MQADMIN",
)


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def _walk_headers(data: bytes) -> None:
    format = _FORMATS[data[0] % len(_FORMATS)] if data else ""
    for encoding in (_NATIVE, 273):
        walk(data[1:], format, encoding, 819)


def _strip(data: bytes) -> None:
    strip_dlh(MQMD(format="MQDEAD"), data)
    strip_xqh(MQMD(format="MQXMIT"), data)


def _read_lines(form: str | None) -> Callable[[bytes], object]:
    def read(data: bytes) -> None:
        for _ in read_messages(_lines(data), Findings("input"), form):
            pass

    return read


def _lines(data: bytes) -> Iterator[bytes]:
    yield from data.splitlines(keepends=True)


def _decode_field(data: bytes) -> None:
    assert visible(decode_field(data, "ascii")).isprintable() or not data


#: Messages of the client protocol.
_MESSAGES = [
    message
    for module in (calls, handshake, spi, streaming)
    for name, message in vars(module).items()
    if name.isupper() and hasattr(message, "read")
]


def _read_segments(data: bytes) -> None:
    for segment in Splitter().feed(data):
        _MESSAGES[segment.kind % len(_MESSAGES)].read(Cursor(segment.body, segment.order))


#: Name to the parser; what begins like its input; the errors that it promises.
TARGETS: dict[str, tuple[Callable[[bytes], object], Iterable[bytes], tuple[type[Exception], ...]]] = {
    "selector": (_text(compile_selector), [b"a = 1 and b like 'x%' escape '\\'", b"x between 1 and 2"], (MQError,)),
    "rules table": (
        _text(parse_rules_table),
        [b"inputqm(' ')\nREASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(3)\n", b"ACTION(FWD) FWDQ(&DESTQ) HEADER(NO)"],
        (MQError,),
    ),
    "mqsc": (
        _text(parse_mqsc),
        [b"DEFINE QLOCAL('A') +\n MAXDEPTH(5)", b"DISPLAY QUEUE(*) WHERE(CURDEPTH GT 1)"],
        (MQError,),
    ),
    "mqsc of access": (
        _text(check_mqsc),
        [
            b"SET CHLAUTH('A.*') TYPE(SSLPEERMAP) SSLPEER('CN=A,O=\"B, C\"') ADDRESS('10.1-9.*') MCAUSER('x')",
            b"DISPLAY CHLAUTH(A) MATCH(RUNCHECK) ADDRESS('FE80::1') QMNAME(QM1) SSLPEER('CN=A')",
            b"SET AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('a','b') AUTHADD(PUT,GET) AUTHRMV(ALL)",
        ],
        (),
    ),
    "address pattern": (_text(parse_pattern), [b"10.0.0.1-5", b"2001:DB8::1", b"FE80:*"], (ValueError,)),
    "distinguished name": (_text(parse_subject), [b"CN=QM1,OU=a,OU=b", b'O="Acme, Inc"'], (ValueError,)),
    "dump": (_read_lines(None), [b"* qload\nA VER 2\nT hello\n", b"A RPT 0\nX 414243\n"], (MQError,)),
    "json lines": (parse_line, [b'{"data":"x","md":{"priority":3}}', b'{"data_base64":"AA=="}'], (MQError, ValueError)),
    "json file": (_read_lines("json"), [b'{"data":"x"}\n{"data":"y"}\n'], (MQError,)),
    "property": (_text(parse_property), [b"a=1", b"price:int32=5", b"x:bytes=0x00"], (MQError, ValueError)),
    "duration": (_text(units.parse_duration_s), [b"5s", b"1h30m"], (MQError, ValueError)),
    "expiry": (_text(units.parse_expiry), [b"600t", b"60s"], (MQError, ValueError)),
    "size": (_text(units.parse_size), [b"4M", b"100"], (MQError, ValueError)),
    "id": (_text(units.parse_id), [b"414D51", b"0x41"], (MQError, ValueError)),
    "address": (_text(parse_address), [b"host(1414)", b"exec:ssh x", b"unix:/x"], (MQError,)),
    "headers": (_walk_headers, [b"\0DLH \0\0\0\1", b"\3RFH \0\0\0\2"], (MQError,)),
    "envelopes": (_strip, [b"DLH \0\0\0\1", b"XQH \0\0\0\1"], (MQError,)),
    "pcf": (lambda data: pcf_bytes.unpack_pcf(data, _NATIVE), [b"\1\0\0\0\x24\0\0\0\1\0\0\0"], (MQError,)),
    "reference": (lambda data: parse_reference(MQMD(format="MQHREF"), data), [b"RMH \0\0\0\1"], (MQError,)),
    "channel hello": (lambda data: protocol.decode(protocol.Hello, data), [b'{"version":1}'], (MQError,)),
    "channel head": (protocol.decode_head, [bytes(40)], (MQError,)),
    "client segments": (
        _read_segments,
        [WireSegment(eyecatcher=b"TSHM", kind=kind, body=bytes(600)).pack() for kind in range(len(_MESSAGES))],
        (MQError,),
    ),
    "text": (lambda data: charsets.decode_text(data, 1208), [b"\xff\xfe", "é".encode()], (MQError, ValueError)),
    "field": (_decode_field, [b"ORDERS\0\xff"], ()),
    "shown text": (_text(lambda text: json.dumps(visible(text))), [b"\x1b[31m\x9b"], ()),
}


def run_target(name: str, data: bytes) -> None:
    """Run a parser on bytes; raises what is not one of its errors."""
    parse, _, expected = TARGETS[name]
    try:
        parse(data)
    except expected:
        return  # as promised


def seeds(name: str) -> list[bytes]:
    """Return inputs to begin with."""
    given: Any = TARGETS[name][1]
    return list(given)
