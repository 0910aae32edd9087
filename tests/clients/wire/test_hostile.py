"""Segments and messages: read back as they were written, and any other bytes refused in one way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.clients.wire import calls, handshake, spi, streaming, xa
from mqtools.clients.wire.codes import CONTROL, MULTIPLEXED, PLAIN, Flags, SegmentType, StatusCode
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import Assembler, ProtocolError, Splitter, WireSegment, divide
from mqtools.headers.structures_message import OD

LAYOUTS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": layout
    for module in (calls, handshake, spi, streaming, xa)
    for name, layout in vars(module).items()
    if name.isupper() and hasattr(layout, "read")
}
ORDERS = st.sampled_from("<>")
SEGMENTS = st.builds(
    WireSegment,
    eyecatcher=st.sampled_from([PLAIN, CONTROL, MULTIPLEXED]),
    kind=st.integers(0, 255),
    flags=st.integers(0, 255),
    body=st.binary(max_size=60),
    order=ORDERS,
    encoding=st.integers(0, 2**32 - 1),
    ccsid=st.integers(0, 65535),
)
IDS = st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))


@given(st.lists(SEGMENTS), st.data())
def test_segments_come_out_as_they_went_in_however_the_stream_is_cut(sent, data):
    stream, splitter, got = b"".join(segment.pack() for segment in sent), Splitter(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        got += splitter.feed(stream[:size])
        stream = stream[size:]
    assert got == sent


@given(IDS)
def test_a_multiplexed_segment_has_its_ids(ids):
    sent = WireSegment(eyecatcher=MULTIPLEXED, kind=1, conversation=ids[0], request=ids[1])
    assert list(Splitter().feed(sent.pack())) == [sent]


@pytest.mark.parametrize(
    ("start", "status"),
    [
        (b"GET / HT", StatusCode.PROTOCOL_ID_ERROR),
        (b"TSH \0\0\0\x1b", StatusCode.PROTOCOL_LENGTH_ERROR),
        (b"TSHM\0\0\0\x23", StatusCode.PROTOCOL_LENGTH_ERROR),
        (b"TSHM\x7f\xff\xff\xff", StatusCode.PROTOCOL_LENGTH_ERROR),
    ],
)
def test_a_wrong_start_is_refused_before_more_is_read(start, status):
    with pytest.raises(ProtocolError) as error:
        list(Splitter().feed(start))
    assert error.value.status == status


def test_a_byte_order_that_does_not_exist_is_refused():
    whole = bytearray(WireSegment(eyecatcher=PLAIN, kind=1).pack())
    whole[8] = 3
    with pytest.raises(ProtocolError):
        list(Splitter().feed(bytes(whole)))


@given(st.binary(max_size=5000), st.integers(29, 200))
def test_a_call_of_several_segments_is_put_together(body, transmission_size):
    message = WireSegment(eyecatcher=MULTIPLEXED, kind=SegmentType.MQPUT, body=body, conversation=1)
    assembler = Assembler(10_000)
    *before, last = (assembler.add(part) for part in divide(message, transmission_size))
    assert set(before) <= {None}
    assert last == message


@pytest.mark.parametrize(
    "flags",
    [[Flags(0)], [Flags.LAST], [Flags.FIRST, Flags.FIRST], [Flags.FIRST, Flags.WHOLE]],
    ids=["middle", "last", "twice", "within another"],
)
def test_parts_in_a_wrong_order_are_refused(flags):
    parts = [WireSegment(eyecatcher=MULTIPLEXED, kind=SegmentType.MQPUT, flags=each) for each in flags]
    with pytest.raises(ProtocolError):
        list(map(Assembler(1000).add, parts))


@pytest.mark.parametrize("kind", [SegmentType.MQPUT, SegmentType.SPI])
def test_a_put_longer_than_the_limit_is_cut(kind):
    parts = divide(WireSegment(eyecatcher=MULTIPLEXED, kind=kind, body=bytes(200_000)), 32_000)
    *_, last = map(Assembler(1000).add, parts)
    assert (last.is_cut, len(last.body)) == (True, 1000 + 128 * 1024)


@pytest.mark.parametrize(("kind", "parts"), [(SegmentType.MQOPEN, 5), (SegmentType.MQPUT, 3300)])
def test_a_message_longer_than_the_limit_is_refused_while_it_comes(kind, parts):
    assembler, part = Assembler(1000), bytes(32_000)
    parts = [WireSegment(eyecatcher=MULTIPLEXED, kind=kind, flags=flags, body=part) for flags in (16, *[0] * parts)]
    with pytest.raises(ProtocolError) as error:
        list(map(assembler.add, parts))
    assert error.value.status == StatusCode.MESSAGE_LENGTH_ERROR


@pytest.mark.parametrize("name", LAYOUTS)
def test_any_bytes_are_read_or_refused(name):
    layout = LAYOUTS[name]

    @given(
        st.binary(max_size=700),
        ORDERS,
        st.sampled_from([b"", b"MD  \1\0\0\0", b"OD  \4\0\0\0", b"SPBI\1\0\0\0\xff\1\0\0"]),
    )
    def check(data, order, start):
        try:
            values = layout.read(Cursor(start + data, order))
        except ProtocolError:
            return
        assert layout.read(Cursor(layout.write(values, order), order)) == values or data

    check()


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=3, max_size=3), ORDERS, st.binary(max_size=20))
def test_the_strings_behind_a_structure_belong_to_it(texts, order, rest):
    values, strings = {**OD.initial(), "Version": 4}, b""
    for name, text in zip(("ObjectString", "SelectionString", "ResObjectString"), texts, strict=True):
        values |= {f"{name}VSOffset": 400 + len(strings), f"{name}VSLength": len(text)}
        strings += text + bytes(-len(text) % 4)
    sent = OD.packed(order).pack(values) + strings
    body = Cursor(sent + rest, order)
    assert calls.OD.read(body) == sent
    assert body.left == len(rest)


@pytest.mark.parametrize(("offset", "length"), [(8, 3), (400, 1000), (-4, 3), (2**31 - 1, 2**31 - 1)])
def test_a_string_outside_of_what_was_sent_is_refused(offset, length):
    values = {**OD.initial(), "Version": 4, "ObjectStringVSOffset": offset, "ObjectStringVSLength": length}
    with pytest.raises(ProtocolError):
        calls.OD.read(Cursor(OD.packed("<").pack(values) + bytes(20), "<"))


@given(st.binary(max_size=3000), st.integers(600, 1200), st.binary(max_size=48))
def test_a_long_message_is_in_segments_that_are_short_enough(data, transmission_size, q_name):
    message = streaming.AsyncMessage(
        handle=2, index=1, global_index=1, selection_index=1, md=b"MD  \2\0\0\0".ljust(364, b"\0"), data=data,
        total_length=len(data), q_name=q_name,
    )  # fmt: skip
    segments = list(message.segments(WireSegment(eyecatcher=MULTIPLEXED, kind=0x0E, conversation=3), transmission_size))
    assert all(len(segment.pack()) <= transmission_size + 8 for segment in segments)
    assert segments[0].flags & Flags.FIRST
    assert segments[-1].flags & Flags.LAST
    parts = streaming.MessageParts(len(data))
    *unfinished, first = map(parts.add, segments)
    assert (unfinished, first.data) == ([None] * (len(segments) - 1), data)
    assert first.q_name.rstrip() == q_name.rstrip()
