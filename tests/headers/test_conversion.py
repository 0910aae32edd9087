"""Conversion on get: which messages are converted, what is returned when one cannot be, text, exits."""

from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mqtools.constants import reasons as rc
from mqtools.errors import MQError
from mqtools.headers import charsets
from mqtools.headers.conversion import Conversion, convert, needs_conversion, register, unregister
from mqtools.message import MQMD

from ..errors import fails

LITTLE, BIG, ZOS = 546, 273, 785
CCSIDS = sorted({*charsets._CODECS, *charsets._EBCDIC, *charsets._EBCDIC_PACKAGE, *charsets._UTF_16})
#: Sets whose codec reads X'15' and X'25' both as a line feed.
ONE_LINE_END = [
    *(277, 278, 280, 284, 285, 297, 420, 838, 870, 871, 1025, 1112, 1122, 1123),
    *range(1141, 1150),
]  # fmt: skip


def text_md(ccsid: int = 1208, encoding: int = LITTLE, format: str = "MQSTR") -> MQMD:
    return MQMD(format=format, coded_char_set_id=ccsid, encoding=encoding)


def unconverted(md: MQMD, data: bytes, conversion: Conversion) -> int:
    """The reason of a conversion that gave the message back as it was."""
    assert (conversion.md, conversion.data) == (md, data)
    assert conversion.error is not None
    return conversion.reason


@pytest.fixture
def my_format() -> Iterator[str]:
    yield "MYFMT"
    unregister("MYFMT")


@pytest.mark.parametrize(("ccsid", "words"), [(939, "mqx lacks it"), (33722, "mqx lacks it"), (7, "it is unknown")])
def test_a_character_set_that_ibm_has_is_told_from_one_that_is_unknown(ccsid: int, words: str) -> None:
    for md, to_ccsid in ((text_md(ccsid), 1208), (text_md(), ccsid)):
        error = convert(md, b"x", to_ccsid=to_ccsid, to_encoding=LITTLE).error
        assert error is not None
        assert error.text == f"CCSID {ccsid} is not convertible: {words}"


@pytest.mark.conformance("TRUNC-13")
def test_registered_exit_is_used_until_another_replaces_it(my_format: str) -> None:
    register(my_format + "   ", lambda data, *_: data + b" registered")
    md = text_md(format=my_format)
    assert convert(md, b"x", to_ccsid=819, to_encoding=LITTLE).data == b"x registered"
    register(my_format, lambda data, *_: data + b" later")
    assert convert(md, b"x", to_ccsid=819, to_encoding=LITTLE).data == b"x later"
    unregister(my_format)
    assert convert(md, b"x", to_ccsid=819, to_encoding=LITTLE).reason == rc.MQRC_FORMAT_ERROR


@pytest.mark.parametrize("format", ["", "   ", "MQSTR", "MQEVENT ", "MQDEAD", "MQHRF2", "MQHXYZ"])
def test_format_that_is_built_in_or_a_header_takes_no_exit(format: str) -> None:
    with fails(rc.MQRC_FORMAT_ERROR):
        register(format, lambda data, *_: data)


def test_exit_that_fails_leaves_the_message_as_it_was(my_format: str) -> None:
    def own_reason(*_: object) -> bytes:
        raise MQError("no such set", rc.MQRC_TARGET_CCSID_ERROR)

    def broken(*_: object) -> bytes:
        raise ZeroDivisionError

    md = text_md(format=my_format)
    for converter, reason in ((own_reason, 2115), (broken, 2119), (lambda *_: "text", 2119)):
        register(my_format, converter)  # type: ignore[arg-type]
        got = convert(md, b"x", to_ccsid=819, to_encoding=LITTLE)
        assert unconverted(md, b"x", got) == reason


@pytest.mark.conformance("TRUNC-18")
@pytest.mark.parametrize(
    ("own", "ccsid", "encoding", "needed"),
    [
        (1208, 1208, LITTLE, False),
        (1208, 819, LITTLE, True),
        (1208, 1208, BIG, True),
        (0, 1208, LITTLE, False),
        (1208, 0, LITTLE, False),
        (1208, -3, LITTLE, False),
        (-1, 1208, LITTLE, True),
    ],
)
def test_conversion_is_needed_when_ccsid_or_encoding_differ(own: int, ccsid: int, encoding: int, needed: bool) -> None:
    assert needs_conversion(text_md(own), ccsid, encoding) is needed


def test_queue_managers_own_ccsid_is_the_default_given() -> None:
    assert not needs_conversion(text_md(819), 0, LITTLE, default_ccsid=819)
    got = convert(text_md(0), b"\xe9", to_ccsid=1208, to_encoding=LITTLE, default_ccsid=819)
    assert got.data == "é".encode()
    back = convert(text_md(1208), "é".encode(), to_ccsid=0, to_encoding=LITTLE, default_ccsid=819)
    assert (back.data, back.md.coded_char_set_id) == (b"\xe9", 819)


@pytest.mark.parametrize(
    ("ccsid", "encoding", "to_ccsid", "to_encoding", "data", "reason"),
    [
        pytest.param(930, LITTLE, 1208, LITTLE, b"x", rc.MQRC_SOURCE_CCSID_ERROR, id="source set unknown"),
        pytest.param(-1, LITTLE, 1208, LITTLE, b"x", rc.MQRC_SOURCE_CCSID_ERROR, id="text cannot carry its own set"),
        pytest.param(1200, 0, 1208, LITTLE, b"x\0", rc.MQRC_SOURCE_INTEGER_ENC_ERROR, id="source byte order unknown"),
        pytest.param(1208, LITTLE, 99999, LITTLE, b"x", rc.MQRC_TARGET_CCSID_ERROR, id="target set unknown"),
        pytest.param(1208, LITTLE, -2, LITTLE, b"x", rc.MQRC_TARGET_CCSID_ERROR, id="target inherits from nothing"),
        pytest.param(1208, LITTLE, 1200, 0, b"x", rc.MQRC_TARGET_INTEGER_ENC_ERROR, id="target byte order unknown"),
        pytest.param(1208, LITTLE, 819, LITTLE, b"\xff", rc.MQRC_NOT_CONVERTED, id="no text"),
        pytest.param(1208, LITTLE, 819, LITTLE, "€".encode(), rc.MQRC_NOT_CONVERTED, id="target has no such character"),
        pytest.param(1200, LITTLE, 1208, LITTLE, b"x", rc.MQRC_NOT_CONVERTED, id="half a character"),
    ],
)
def test_text_that_cannot_be_converted_is_returned_as_it_is_with_the_reason(
    ccsid: int, encoding: int, to_ccsid: int, to_encoding: int, data: bytes, reason: int
) -> None:
    md = text_md(ccsid, encoding)
    got = convert(md, data, to_ccsid=to_ccsid, to_encoding=to_encoding)
    assert unconverted(md, data, got) == reason


@pytest.mark.parametrize(("ccsid", "data"), [(930, b"\x0e\x44\x0f"), (1208, b"\xff")])
def test_text_in_one_set_is_the_same_in_every_encoding_even_if_nobody_can_read_it(ccsid: int, data: bytes) -> None:
    got = convert(text_md(ccsid), data, to_ccsid=ccsid, to_encoding=BIG)
    assert (got.data, got.reason, got.md.encoding) == (data, rc.MQRC_NONE, BIG)


def test_utf_16_text_takes_the_byte_order_of_the_encoding() -> None:
    got = convert(text_md(1200, BIG), b"\0a\x20\xac", to_ccsid=1200, to_encoding=LITTLE)
    assert (got.data, got.md.encoding) == (b"a\0\xac\x20", LITTLE)
    assert convert(text_md(13488, BIG), b"\0a", to_ccsid=1200, to_encoding=ZOS).data == b"\0a"


@pytest.mark.conformance("COMPL-25")
def test_converted_segment_shows_its_new_ccsid_and_is_the_same_segment() -> None:
    md = text_md().replace(group_id=b"G" * 24, msg_seq_number=2, offset=100, msg_flags=2, original_length=4)
    got = convert(md, b"text", to_ccsid=819, to_encoding=LITTLE)
    assert got.md == md.replace(coded_char_set_id=819)


@pytest.mark.parametrize(
    ("ccsid", "x15", "x25"),
    [
        *((ccsid, "\x85", "\n") for ccsid in (37, 273, 290, 424, 500, 833, 875, 1026, 1097, 1140)),
        (1047, "\n", "\x85"),
        *((ccsid, "\n", "\n") for ccsid in ONE_LINE_END),
    ],
)
def test_ebcdic_ends_of_lines_go_the_way_of_the_codec(ccsid: int, x15: str, x25: str) -> None:
    got = convert(text_md(ccsid, ZOS), b"\x15\x25", to_ccsid=1208, to_encoding=LITTLE)
    assert got.data.decode() == x15 + x25
    line_feed = convert(text_md(), b"\n", to_ccsid=ccsid, to_encoding=ZOS)
    assert line_feed.data == (b"\x15" if ccsid == 1047 else b"\x25")


def test_nel_is_text_in_latin_1_and_not_convertible_where_there_is_none() -> None:
    md, data = text_md(37, ZOS), b"\x81\x15"
    assert convert(md, data, to_ccsid=819, to_encoding=LITTLE).data == b"a\x85"
    for ccsid in (437, 850, 1252, 1141):
        assert unconverted(md, data, convert(md, data, to_ccsid=ccsid, to_encoding=LITTLE)) == rc.MQRC_NOT_CONVERTED


@given(text=st.text(), source=st.sampled_from(CCSIDS), target=st.sampled_from(CCSIDS), encoding=st.sampled_from((1, 2)))
def test_text_that_both_sets_have_comes_back_as_it_was(text: str, source: int, target: int, encoding: int) -> None:
    first, second = charsets.codec_of(source, LITTLE), charsets.codec_of(target, encoding)
    assert first
    assert second
    # What only one of the two sets has is left out; so much of the text is always convertible.
    text = "".join(char for char in text if survives(char, first) and survives(char, second))
    md, data = text_md(source), text.encode(first)
    there = convert(md, data, to_ccsid=target, to_encoding=encoding)
    assert there.reason == rc.MQRC_NONE
    assert there.data == text.encode(second) or not data
    back = convert(there.md, there.data, to_ccsid=source, to_encoding=LITTLE)
    assert (back.md, back.data, back.reason) == (md, data, rc.MQRC_NONE)


def survives(char: str, codec: str) -> bool:
    try:
        return char.encode(codec).decode(codec) == char
    except UnicodeError:
        return False


@given(
    data=st.binary(max_size=80),
    ccsid=st.integers(-5, 2000),
    encoding=st.integers(-1, 2**33),
    to_ccsid=st.integers(-5, 2000),
    to_encoding=st.integers(-1, 2**33),
)
def test_no_text_and_no_number_raises(data: bytes, ccsid: int, encoding: int, to_ccsid: int, to_encoding: int) -> None:
    md = text_md(ccsid, encoding)
    got = convert(md, data, to_ccsid=to_ccsid, to_encoding=to_encoding)
    assume(got.error is not None)
    assert unconverted(md, data, got) in {2111, 2112, 2115, 2116, 2119}
