"""CCSIDs: which are convertible, in what byte order, and what happens to text that is not."""

import codecs

import pytest

from mqtools.constants.reasons import MQRC_NOT_CONVERTED, MQRC_SOURCE_CCSID_ERROR
from mqtools.errors import MQError
from mqtools.headers import charsets
from mqtools.headers.charsets import codec_of, decode_text, encode_text, field_codec, is_ebcdic

from ..errors import fails

LITTLE, BIG = 546, 273
ALL = sorted({*charsets._CODECS, *charsets._EBCDIC_PACKAGE, *charsets._UTF_16})


@pytest.mark.parametrize("ccsid", ALL)
def test_every_listed_ccsid_has_a_codec_that_python_knows(ccsid: int) -> None:
    codec = codec_of(ccsid)
    assert codec is not None
    assert codecs.lookup(codec)
    assert decode_text(encode_text("QUEUE.1 ", ccsid), ccsid) == "QUEUE.1 "


@pytest.mark.parametrize("ccsid", [0, -1, -2, -3, 930, 939, 1364, 1388, 999999])
def test_unknown_ccsid_has_no_codec_and_converting_it_fails(ccsid: int) -> None:
    assert codec_of(ccsid) is None
    with fails(MQRC_SOURCE_CCSID_ERROR) as caught:
        encode_text("x", ccsid)
    assert str(ccsid) in caught.value.text


@pytest.mark.parametrize(
    ("ccsid", "encoding", "expected"),
    [
        (819, LITTLE, b"\xe9"),
        (1208, LITTLE, b"\xc3\xa9"),
        (437, LITTLE, b"\x82"),
        (850, LITTLE, b"\x82"),
        (1252, LITTLE, b"\xe9"),
        (912, LITTLE, b"\xe9"),
        (923, LITTLE, b"\xe9"),
        (5348, LITTLE, b"\xe9"),
        (37, BIG, b"\x51"),
        (500, BIG, b"\x51"),
        (1047, BIG, b"\x51"),
        (1140, BIG, b"\x51"),
        (297, BIG, b"\xc0"),
        (1200, BIG, b"\x00\xe9"),
        (1200, LITTLE, b"\xe9\x00"),
        (13488, BIG, b"\x00\xe9"),
        (17584, LITTLE, b"\xe9\x00"),
        (1200, 785, b"\x00\xe9"),
    ],
)
def test_text_has_the_bytes_of_its_ccsid_and_encoding(ccsid: int, encoding: int, expected: bytes) -> None:
    assert encode_text("é", ccsid, encoding) == expected
    assert decode_text(expected, ccsid, encoding) == "é"


@pytest.mark.parametrize(("ccsid", "expected"), [(923, b"\xa4"), (5348, b"\x80"), (1140, b"\x9f")])
def test_euro_sets_have_the_euro_sign(ccsid: int, expected: bytes) -> None:
    assert encode_text("€", ccsid) == expected


def test_utf_16_without_byte_order_is_not_convertible() -> None:
    assert codec_of(1200, 0) is None
    with pytest.raises(MQError, match="byte order"):
        decode_text(b"\0a", 1200, 0)


def test_text_that_the_set_has_not_is_not_converted() -> None:
    with fails(MQRC_NOT_CONVERTED):
        encode_text("€", 819)


def test_bytes_that_are_no_text_are_not_converted() -> None:
    with fails(MQRC_NOT_CONVERTED):
        decode_text(b"\xff\xfe", 1208)


@pytest.mark.parametrize(("ccsid", "is_one"), [(930, True), (1388, True), (0, False), (-2, False)])
def test_sets_without_a_codec_are_known_as_ebcdic_or_not(ccsid: int, is_one: bool) -> None:
    assert is_ebcdic(ccsid) is is_one


@pytest.mark.parametrize("ccsid", ALL)
def test_ebcdic_is_exactly_where_the_blank_is_0x40(ccsid: int) -> None:
    assert is_ebcdic(ccsid) == (" ".encode(field_codec(ccsid)) == b"\x40")


def test_fields_under_utf_16_are_read_as_1208() -> None:
    assert codecs.lookup(field_codec(1200)).name == "utf-8"
