"""Frames and what is said in them: bounded, checked, and read back as they were written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.channel import frames, protocol
from mqtools.channel.errors import LinkError
from mqtools.channel.protocol import EndOfBatch, Head, Hello, Refusal

from . import conftest

HELLO = replace(conftest.HELLO, channel="A.TO.B", heartbeat_ms=300_000, sequence=7, batch_id=b"\x01\x02")


@given(st.lists(st.tuples(st.sampled_from([frames.MESSAGE, frames.DATA]), st.binary(max_size=300))), st.data())
def test_frames_come_out_as_they_went_in_however_they_are_cut(sent, data):
    stream = b"".join(frames.encode(kind, payload) for kind, payload in sent)
    decoder, got = frames.Decoder(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        decoder.feed(stream[:size])
        stream = stream[size:]
        while (frame := decoder.next()) is not None:
            got.append(frame)
    assert got == sent


@pytest.mark.parametrize("kind", [kind for kind in frames.LIMITS if kind not in (frames.MESSAGE, frames.DATA)])
def test_a_frame_longer_than_its_kind_may_be_is_refused_before_it_comes(kind):
    decoder = frames.Decoder()
    decoder.feed(frames.encode(frames.DATA, b"")[:2] + bytes([kind, 0]) + (frames.LIMITS[kind] + 1).to_bytes(4, "big"))
    with pytest.raises(LinkError):
        decoder.next()


@pytest.mark.parametrize(
    "words",
    [
        b"S",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"MX\x00\x00\x00\x00\x00\x00",
        b"MX\xff\x00\x00\x00\x00\x00",
        b"MX\x01\x01\x00\x00\x00\x00",
    ],
)
def test_what_is_no_frame_is_refused_at_its_first_bytes(words):
    decoder = frames.Decoder()
    decoder.feed(words)
    with pytest.raises(LinkError):
        decoder.next()


@pytest.mark.parametrize(
    "said",
    [HELLO, EndOfBatch(sequence=3, batch_id=b"x" * 16), Refusal(reason=2053, text="full", sequence=-1, batch_id=b"")],
)
def test_what_is_said_reads_back(said):
    assert protocol.decode(type(said), protocol.encode(said)) == said


def test_fields_that_a_later_version_adds_are_passed_over():
    payload = protocol.encode(HELLO).replace(b"{", b'{"compression":"zstd",', 1)
    assert protocol.decode(Hello, payload) == HELLO


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"[" * 8000,
        protocol.encode(HELLO).replace(b'"batch_size":50', b'"batch_size":0'),
        protocol.encode(HELLO).replace(b'"batch_size":50', b'"batch_size":true'),
        protocol.encode(HELLO).replace(b'"batch_size":50', b'"batch_size":1e400'),
        protocol.encode(HELLO).replace(b'"sequence":7', b'"sequence":-1'),
        protocol.encode(HELLO).replace(b'"sequence":7', b'"sequence":99999999999999999999'),
        protocol.encode(HELLO).replace(b'"A.TO.B"', b'"A.NAME.THAT.IS.TOO.LONG"'),
        protocol.encode(HELLO).replace(b'"A.TO.B"', b'"\\ud800"'),
        protocol.encode(HELLO).replace(b'"0102"', b'"0x"'),
        protocol.encode(HELLO).replace(b"false", b"0"),
    ],
    ids=range(14),
)
def test_what_cannot_be_read_is_an_error_of_the_link(payload):
    with pytest.raises(LinkError):
        protocol.decode(Hello, payload)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_head_or_an_error_of_the_link(payload):
    try:
        head = protocol.decode_head(payload)
    except LinkError:
        assert len(payload) < protocol.HEAD_LENGTH
    else:
        assert head.data_length >= 0


def test_the_head_of_a_message_reads_back():
    head = Head(1 << 40, True, -1, 273, 1208, 17, 1 << 31)
    assert protocol.decode_head(protocol.encode_head(head) + b"body") == head


@pytest.mark.conformance("REF-10")
def test_what_is_agreed_is_the_smaller_of_both_ends():
    assert protocol.negotiate(HELLO, 1000, 60, 5000) == (1000, 50, 5000)
    assert protocol.negotiate(HELLO, 1 << 26, 10, 0) == (4_194_304, 10, 300_000)
    assert protocol.negotiate(replace(HELLO, heartbeat_ms=0), 1, 1, 0) == (1, 1, 0)
