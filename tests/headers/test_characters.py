"""Character fields: whatever bytes they hold come back from the text that stands for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.headers.characters import decode_field, encode_field, escape, field_as_text, is_escaped
from mqtools.headers.charsets import field_codec
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh, unpack_mqdlh
from mqtools.headers.mqrfh import pack_mqrfh, unpack_mqrfh
from mqtools.headers.mqxqh import pack_mqxqh, unpack_mqxqh

#: UTF-8, sets of one byte with and without holes, one of two bytes, EBCDIC with holes below X'80'.
CCSIDS = (1208, 819, 1252, 437, 1253, 943, 37, 424, 1386, 1047)


@pytest.mark.parametrize("ccsid", CCSIDS)
@given(raw=st.binary(max_size=48))
def test_any_bytes_come_back_from_their_text(ccsid: int, raw: bytes) -> None:
    codec = field_codec(ccsid)
    text = decode_field(raw, codec)
    text.encode("utf-8")  # the store, JSON and Spark can hold it
    assert encode_field(text, codec) == raw


@given(text=st.text(max_size=12))
def test_text_of_utf_8_reads_as_itself(text: str) -> None:
    assert field_as_text(decode_field(text.encode(), "utf_8"), "utf_8") == text


def test_what_is_no_text_is_escaped_byte_by_byte_and_the_rest_is_readable() -> None:
    assert decode_field(b"Jos\xe9", "utf_8") == "Jos\U0010ffe9"
    assert decode_field(b"Jos\xe9", "latin_1") == "José"
    assert field_as_text("Jos\U0010ffe9", "utf_8") is None


def test_a_character_of_the_range_of_escapes_is_escaped_itself() -> None:
    raw = "\U0010ffe9".encode()
    assert decode_field(raw, "utf_8") == escape(raw)
    assert is_escaped("a\U0010ffe9")
    assert not is_escaped("é\ue000\U0010fe00")


@given(raw=st.binary(min_size=48, max_size=48).filter(lambda raw: b"\0" not in raw))
def test_headers_keep_the_bytes_of_their_fields(raw: bytes) -> None:
    dlh = bytearray(pack_mqdlh(MQDLH(), 546, 1208))
    dlh[12:60] = raw
    assert pack_mqdlh(unpack_mqdlh(bytes(dlh), 546, 1208), 546, 1208) == bytes(dlh)
    xqh = bytearray(b"XQH \x01\0\0\0" + raw + raw + b"MD  \x01\0\0\0" + bytes(316))
    xqh[104 + 100 : 104 + 148] = raw  # ReplyToQ of the descriptor in it
    again = pack_mqxqh(unpack_mqxqh(bytes(xqh), 546, 1208), 546, 1208)
    assert again[:104] == bytes(xqh[:104])
    assert again[204:252] == raw
    rfh = b"RFH \x01\0\0\0" + (32 + len(raw)).to_bytes(4, "little") + bytes(20) + raw
    kept = pack_mqrfh(unpack_mqrfh(rfh, 546, 1208), 546, 1208)[32:]
    assert kept.rstrip(b" ") == raw.rstrip(b" ")
