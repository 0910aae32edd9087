"""Conversion of bodies with a structure: PCF messages, trigger messages and IMS variable strings."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import reasons as rc
from mqtools.headers.conversion import Conversion, convert
from mqtools.message import MQMD

LITTLE, BIG, ZOS = 546, 273, 785
ORDERS = {LITTLE: "<", BIG: ">", ZOS: ">"}


def longs(encoding: int, *values: int) -> bytes:
    return struct.pack(f"{ORDERS[encoding]}{len(values)}i", *values)


def pcf(encoding: int, *parameters: bytes, count: int | None = None) -> bytes:
    number = len(parameters) if count is None else count
    return longs(encoding, 1, 36, 1, 42, 1, 1, 0, 0, number) + b"".join(parameters)


def text(encoding: int, ccsid: int, raw: bytes, kind: tuple[int, ...] = (4,)) -> bytes:
    """An MQCFST, or with its operator an MQCFSF: (14, 16)."""
    padded = raw + bytes(-len(raw) % 4)
    front = 16 + 4 * len(kind) + len(padded)
    return longs(encoding, kind[0], front, 2016, *kind[1:], ccsid, len(raw)) + padded


def texts(encoding: int, ccsid: int, *strings: bytes) -> bytes:
    raw = b"".join(strings)
    padded = raw + bytes(-len(raw) % 4)
    return longs(encoding, 6, 24 + len(padded), 2015, ccsid, len(strings), len(strings[0])) + padded


def to_ascii(data: bytes, format: str = "MQADMIN", ccsid: int = 500) -> Conversion:
    md = MQMD(format=format, encoding=ZOS, coded_char_set_id=ccsid)
    return convert(md, data, to_ccsid=1208, to_encoding=LITTLE)


#: A parameter as it is in EBCDIC on z/OS, and as it is to be.
PARAMETERS = {
    "MQCFIN": (longs(ZOS, 3, 16, 20, -5), longs(LITTLE, 3, 16, 20, -5)),
    "MQCFST": (text(ZOS, 500, "é!".encode("cp500")), text(LITTLE, 1208, "é!".encode())),
    "MQCFST in its message's set": (text(ZOS, 0, "é".encode("cp500")), text(LITTLE, 0, "é".encode())),
    "MQCFST in a set of its own": (text(ZOS, 819, b"\xe9"), text(LITTLE, 1208, "é".encode())),
    "MQCFST in the set wanted": (text(ZOS, 1208, "é".encode()), text(LITTLE, 1208, "é".encode())),
    "MQCFST of an unknown set, empty": (text(ZOS, 930, b""), text(LITTLE, 1208, b"")),
    "MQCFIL": (longs(ZOS, 5, 24, 1029, 2, 7, -8), longs(LITTLE, 5, 24, 1029, 2, 7, -8)),
    "MQCFSL": (
        texts(ZOS, 500, "A   ".encode("cp500"), "éé  ".encode("cp500")),
        texts(LITTLE, 1208, b"A   ", "éé".encode()),
    ),
    "MQCFSL that grows": (texts(ZOS, 0, b"\x51\x51", b"\xc1\x40"), texts(LITTLE, 0, "éé".encode(), b"A   ")),
    "MQCFBS": (longs(ZOS, 9, 20, 7001, 4) + b"\x01\x02\x03\x04", longs(LITTLE, 9, 20, 7001, 4) + b"\x01\x02\x03\x04"),
    "MQCFIF": (longs(ZOS, 13, 20, 3, 4, 100), longs(LITTLE, 13, 20, 3, 4, 100)),
    "MQCFSF": (text(ZOS, 0, b"\xc1", (14, 18)), text(LITTLE, 0, b"A", (14, 18))),
    "MQCFBF": (
        longs(ZOS, 15, 24, 7001, 2, 4) + b"\xc1\x02\x03\x04",
        longs(LITTLE, 15, 24, 7001, 2, 4) + b"\xc1\x02\x03\x04",
    ),
    "MQCFIN64": (
        longs(ZOS, 23, 24, 745, 0) + struct.pack(">q", -9),
        longs(LITTLE, 23, 24, 745, 0) + struct.pack("<q", -9),
    ),
    "MQCFIL64": (
        longs(ZOS, 25, 32, 746, 2) + struct.pack(">2q", 1, 2**40),
        longs(LITTLE, 25, 32, 746, 2) + struct.pack("<2q", 1, 2**40),
    ),
}


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("format", ["MQADMIN", "MQPCF", "MQEVENT"])
def test_parameter_is_converted(name: str, format: str) -> None:
    before, after = PARAMETERS[name]
    got = to_ascii(pcf(ZOS, before, before), format)
    assert (got.data, got.reason, got.error) == (pcf(LITTLE, after, after), rc.MQRC_NONE, None)
    assert (got.md.coded_char_set_id, got.md.encoding) == (1208, LITTLE)


def test_groups_hold_the_parameters_that_follow_them() -> None:
    def message(encoding: int, number: int) -> bytes:
        group, inner = longs(encoding, 20, 16, 8001, 2), longs(encoding, 20, 16, 8002, 1)
        return pcf(encoding, group, inner, *[PARAMETERS["MQCFIN"][number]] * 3, count=2)

    got = to_ascii(message(ZOS, 0))
    assert (got.data, got.reason) == (message(LITTLE, 1), rc.MQRC_NONE)


def test_message_that_carries_its_sets_itself_is_converted_by_them() -> None:
    got = to_ascii(pcf(ZOS, text(ZOS, 500, b"\xc1"), text(ZOS, 819, b"A")), ccsid=-1)
    assert got.data == pcf(LITTLE, *[text(LITTLE, 1208, b"A")] * 2)
    without = pcf(ZOS, text(ZOS, 0, b"\xc1"))
    assert (to_ascii(without, ccsid=-1).data, to_ascii(without, ccsid=-1).reason) == (
        without,
        rc.MQRC_SOURCE_CCSID_ERROR,
    )


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"x" * 35, id="shorter than its header"),
        pytest.param(longs(ZOS, 1, 40, 1, 42, 1, 1, 0, 0, 0), id="header of another length"),
        pytest.param(longs(LITTLE, 1, 36, 1, 42, 1, 1, 0, 0, 0), id="byte order not as announced"),
        pytest.param(pcf(ZOS, count=-1), id="negative count"),
        pytest.param(pcf(ZOS, count=1), id="parameter missing"),
        pytest.param(pcf(ZOS, longs(ZOS, 3, 16, 1, 1), count=0), id="parameter too many"),
        pytest.param(pcf(ZOS, longs(ZOS, 99, 16, 1, 1)), id="unknown structure"),
        pytest.param(pcf(ZOS, longs(ZOS, 3, 12, 1, 1)), id="shorter than its fields"),
        pytest.param(pcf(ZOS, longs(ZOS, 3, 20, 1, 1)), id="longer than the data"),
        pytest.param(pcf(ZOS, longs(ZOS, 3, 20, 1, 1, 1)), id="more than its fields"),
        pytest.param(pcf(ZOS, longs(ZOS, 20, 16, 1, -1), longs(ZOS, 3, 16, 1, 1)), id="negative group"),
        pytest.param(pcf(ZOS, longs(ZOS, 4, 24, 1, 0, 5, 0)), id="text longer than its structure"),
        pytest.param(pcf(ZOS, longs(ZOS, 4, 24, 1, 0, -1, 0)), id="text of negative length"),
        pytest.param(pcf(ZOS, longs(ZOS, 6, 28, 1, 0, -1, -4, 0)), id="negative number of texts"),
        pytest.param(pcf(ZOS, longs(ZOS, 6, 24, 1, 0, 2**31 - 1, 0)), id="more empty texts than bytes"),
        pytest.param(pcf(ZOS, longs(ZOS, 23, 20, 1, 0, 0)), id="half a long integer"),
    ],
)
def test_data_that_is_not_pcf_is_a_format_error(data: bytes) -> None:
    got = to_ascii(data)
    assert (got.data, got.reason, got.md.coded_char_set_id) == (data, rc.MQRC_FORMAT_ERROR, 500)


@pytest.mark.parametrize(
    ("ccsid", "encoding", "to_ccsid", "to_encoding", "raw", "reason"),
    [
        (930, ZOS, 1208, LITTLE, b"\xc1", rc.MQRC_SOURCE_CCSID_ERROR),
        (500, 0, 1208, LITTLE, b"\xc1", rc.MQRC_SOURCE_INTEGER_ENC_ERROR),
        (500, ZOS, 930, LITTLE, b"\xc1", rc.MQRC_TARGET_CCSID_ERROR),
        (500, ZOS, 1208, 3, b"\xc1", rc.MQRC_TARGET_INTEGER_ENC_ERROR),
        (1208, ZOS, 500, ZOS, b"\xff", rc.MQRC_NOT_CONVERTED),
        (1208, ZOS, 500, ZOS, "日".encode(), rc.MQRC_NOT_CONVERTED),
    ],
)
def test_pcf_that_cannot_be_converted_is_returned_with_the_reason(
    ccsid: int, encoding: int, to_ccsid: int, to_encoding: int, raw: bytes, reason: int
) -> None:
    for parameter in (text(ZOS, 0, raw), texts(ZOS, 0, raw)):
        md = MQMD(format="MQPCF", encoding=encoding, coded_char_set_id=ccsid)
        got = convert(md, pcf(ZOS, parameter), to_ccsid=to_ccsid, to_encoding=to_encoding)
        assert (got.md, got.data, got.reason) == (md, pcf(ZOS, parameter), reason)


@given(
    strings=st.lists(st.text(alphabet="ABCxyz019 .é", min_size=1, max_size=12), min_size=1, max_size=5),
    ccsid=st.sampled_from([819, 1200, 500, 1047]),
    encoding=st.sampled_from([LITTLE, BIG]),
)
def test_pcf_comes_back_as_it_was(strings: list[str], ccsid: int, encoding: int) -> None:
    same_length = [string.ljust(12).encode("cp500") for string in strings]
    data = pcf(ZOS, *(text(ZOS, 500, string.encode("cp500")) for string in strings), texts(ZOS, 0, *same_length))
    md = MQMD(format="MQPCF", encoding=ZOS, coded_char_set_id=500)
    there = convert(md, data, to_ccsid=ccsid, to_encoding=encoding)
    back = convert(there.md, there.data, to_ccsid=500, to_encoding=ZOS)
    assert (there.reason, back.reason, back.md) == (rc.MQRC_NONE, rc.MQRC_NONE, md)
    if ccsid != 1200:  # two bytes a character make the strings of a list longer, and longer they stay
        assert back.data == data
    assert all(string.encode("cp500") in back.data for string in strings)


@given(
    edits=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 255)), max_size=8),
    format=st.sampled_from(["MQPCF", "MQTRIG"]),
    cut=st.integers(0, 40),
)
def test_damaged_bodies_never_raise(edits: list[tuple[int, int]], format: str, cut: int) -> None:
    data = bytearray(pcf(ZOS, *(before for before, _ in PARAMETERS.values())))
    for offset, byte in edits:
        data[offset] = byte
    whole = bytes(data[: len(data) - cut])
    got = to_ascii(whole, format)
    assert (got.reason == rc.MQRC_NONE) != (got.data == whole)


def trigger(encoding: int, codec: str, q_name: str = "Q.1", user_data: str = "é") -> bytes:
    def field(value: str, length: int) -> bytes:
        return value.encode(codec).ljust(length, " ".encode(codec))

    return (
        field("TM", 4)
        + longs(encoding, 1)
        + field(q_name, 48)
        + field("PROC", 48)
        + field("data", 64)
        + longs(encoding, 6)
        + field("/bin/x", 256)
        + field("env", 128)
        + field(user_data, 128)
    )


def test_trigger_message_is_converted_field_by_field() -> None:
    got = to_ascii(trigger(ZOS, "cp500"), "MQTRIG")
    assert (got.data, got.reason) == (trigger(LITTLE, "utf_8"), rc.MQRC_NONE)


def test_trigger_message_whose_text_does_not_fit_any_more_is_not_converted() -> None:
    data = trigger(ZOS, "cp500", q_name="é" * 25)
    got = to_ascii(data, "MQTRIG")
    assert (got.data, got.reason) == (data, rc.MQRC_CONVERTED_STRING_TOO_BIG)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(trigger(ZOS, "cp500")[:-1], id="too short"),
        pytest.param(trigger(ZOS, "cp500") + b"\0", id="too long"),
        pytest.param(trigger(ZOS, "utf_8"), id="not in the set announced"),
        pytest.param(trigger(LITTLE, "cp500"), id="not in the byte order announced"),
    ],
)
def test_data_that_is_no_trigger_message_is_a_format_error(data: bytes) -> None:
    got = to_ascii(data, "MQTRIG")
    assert (got.data, got.reason) == (data, rc.MQRC_FORMAT_ERROR)


def llzz(encoding: int, *strings: bytes) -> bytes:
    return b"".join(struct.pack(f"{ORDERS[encoding]}H", 4 + len(raw)) + b"\x01\xfe" + raw for raw in strings)


@pytest.mark.conformance("TRUNC-13")
@pytest.mark.parametrize("strings", [["TRAN é "], ["TRAN", "", "sécond  "]], ids=["one", "several"])
def test_ims_variable_strings_keep_their_flags_and_get_lengths_of_the_converted_text(strings: list[str]) -> None:
    data = llzz(ZOS, *(string.encode("cp500") for string in strings))
    got = to_ascii(data, "MQIMSVS")
    assert (got.reason, got.data) == (rc.MQRC_NONE, llzz(LITTLE, *(string.encode() for string in strings)))
    back = convert(got.md, got.data, to_ccsid=500, to_encoding=ZOS)
    assert (back.reason, back.data) == (rc.MQRC_NONE, data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\0", rc.MQRC_FORMAT_ERROR),
        (b"\0\x03\0", rc.MQRC_FORMAT_ERROR),
        (b"\0\x06\0\0A", rc.MQRC_FORMAT_ERROR),
        (llzz(ZOS, b"A") + b"\0\x05", rc.MQRC_FORMAT_ERROR),
        (llzz(ZOS, "é".encode("cp500") * 32763), rc.MQRC_CONVERTED_STRING_TOO_BIG),
    ],
    ids=["half a length", "too short", "too long", "no second one", "grows"],
)
def test_what_is_no_ims_variable_string_stays_unconverted(data: bytes, reason: int) -> None:
    got = to_ascii(data, "MQIMSVS")
    assert (got.reason, got.data) == (reason, data)
