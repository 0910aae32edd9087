"""Walking from header to header."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants.reasons import (
    MQRC_DLH_ERROR,
    MQRC_HEADER_ERROR,
    MQRC_RFH_ERROR,
)
from mqtools.headers.bridges import MQCIH, MQDH, MQIIH, MQWIH, pack_mqcih, pack_mqdh, pack_mqiih, pack_mqwih
from mqtools.headers.chain import (
    Chain,
    header_length,
    walk,
)
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh
from mqtools.headers.mqmde import MQMDE, pack_mqmde
from mqtools.headers.mqrfh import MQRFH, pack_mqrfh
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh
from mqtools.headers.mqxqh import MQXQH, pack_mqxqh
from mqtools.message import MQMD

from .chains import walk_sound

LITTLE, BIG = 546, 273

#: Every kind of header: the format that announces it, its name in a chain, its record and how it is written.
KINDS: dict[str, tuple[str, Any, Any]] = {
    "MQHMDE": ("MDE", MQMDE, pack_mqmde),
    "MQDEAD": ("DLH", MQDLH, pack_mqdlh),
    "MQXMIT": ("XQH", MQXQH, pack_mqxqh),
    "MQHRF": ("RFH", MQRFH, pack_mqrfh),
    "MQHRF2": ("RFH2", MQRFH2, pack_mqrfh2),
    "MQHREF": ("RMH", MQRMH, pack_mqrmh),
    "MQIMS": ("IIH", MQIIH, pack_mqiih),
    "MQCICS": ("CIH", MQCIH, pack_mqcih),
    "MQHDIST": ("DH", MQDH, pack_mqdh),
    "MQHWIH": ("WIH", MQWIH, pack_mqwih),
}
RESERVED = {"MQIMS", "MQCICS"}


def _record(announced_by: str, **describing: Any) -> Any:
    record = KINDS[announced_by][1]
    return record(msg_desc=MQMD(version=1, **describing)) if record is MQXQH else record(**describing)


def _message(links: list[tuple[str, int, int]], body: tuple[str, int, int]) -> bytes:
    """Headers by format, encoding and CCSID, each describing the next, then the body's ten bytes."""
    data = b""
    for link, following in zip(links, [*links, body][1:], strict=True):
        format, encoding, ccsid = link
        triple = {"format": following[0], "encoding": following[1], "coded_char_set_id": following[2]}
        data += KINDS[format][2](_record(format, **triple), encoding, ccsid)
    return data + b"0123456789"


@st.composite
def links(draw: st.DrawFn) -> list[tuple[str, int, int]]:
    chosen: list[tuple[str, int, int]] = []
    for format in draw(st.lists(st.sampled_from(sorted(KINDS)), max_size=6)):
        pair = draw(st.sampled_from([(LITTLE, 1208), (BIG, 819), (BIG, 500), (LITTLE, 37), (785, 1047)]))
        if chosen and chosen[-1][0] in RESERVED:
            pair = chosen[-1][1:]
        chosen.append((format, *pair))
    return chosen


@settings(deadline=None)
@given(headers=links())
def test_walk_reads_each_header_with_what_its_predecessor_says(headers: list[tuple[str, int, int]]) -> None:
    body = ("MQSTR", *headers[-1][1:]) if headers and headers[-1][0] in RESERVED else ("MQSTR", BIG, 912)
    data = _message(headers, body)
    first = [*headers, body][0]
    chain = walk_sound(data, *first)
    assert [(h.format, h.encoding, h.ccsid) for h in chain.headers] == headers
    assert [h.struc_id for h in chain.headers] == [KINDS[h[0]][0] for h in headers]
    assert (chain.body_format, chain.body_encoding, chain.body_ccsid) == body
    assert data[chain.body_offset :] == b"0123456789"
    assert chain.error is None
    offset = 0
    for header in chain.headers:
        assert header.offset == offset
        offset += header.length
    assert offset == chain.body_offset


@settings(deadline=None)
@given(headers=links())
def test_message_cut_off_anywhere_still_walks(headers: list[tuple[str, int, int]]) -> None:
    data = _message(headers, ("MQSTR", LITTLE, 1208))[:-10]
    first = [*headers, ("MQSTR", LITTLE, 1208)][0]
    whole = walk(data, *first)
    ends = [header.offset + header.length for header in whole.headers]
    for length in range(0, len(data), 7):
        chain = walk(data[:length], *first)
        assert len(chain.headers) == sum(end <= length for end in ends)
        assert chain.error is not None
        assert chain.body_offset == max((end for end in ends if end <= length), default=0)


_FORMATS = st.one_of(st.sampled_from([*KINDS, "MQHEPCF", "MQHXYZ", "MQSTR", ""]), st.text(max_size=8))


@settings(deadline=None)
@given(
    noise=st.binary(max_size=600),
    format=_FORMATS,
    encoding=st.integers(-(2**31), 2**31 - 1) | st.sampled_from([LITTLE, BIG]),
    ccsid=st.integers(-(2**31), 2**31 - 1) | st.sampled_from([1208, 37, 1047, 1200]),
)
def test_walk_of_any_bytes_raises_nothing_but_mqerror(noise: bytes, format: str, encoding: int, ccsid: int) -> None:
    chain = walk(noise, format, encoding, ccsid)
    assert 0 <= chain.body_offset <= len(noise)
    md = MQMD(format=format, encoding=encoding, coded_char_set_id=ccsid)
    assert header_length(md, noise) == chain.body_offset


@settings(deadline=None)
@given(data=st.data(), headers=links().filter(bool))
def test_walk_of_damaged_headers_raises_nothing_but_mqerror(
    data: st.DataObject, headers: list[tuple[str, int, int]]
) -> None:
    message = bytearray(_message(headers, ("", LITTLE, 1208)))
    for _ in range(data.draw(st.integers(1, 6))):
        message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    chain = walk(bytes(message), *headers[0])
    assert chain.body_offset == sum(header.length for header in chain.headers) <= len(message)


@pytest.mark.conformance("RSEG-12", "RSEG-13")
def test_unknown_header_is_skipped_by_its_struc_length() -> None:
    unknown = (
        b"EPH "
        + b"".join(number.to_bytes(4, "big") for number in (1, 40, LITTLE, 1208))
        + b"MQSTR   "
        + bytes(4)
        + b"8 bytes."
    )
    chain = walk_sound(unknown + b"body", "MQHEPCF", BIG, 819)
    assert [(h.struc_id, h.length) for h in chain.headers] == [("EPH", 40)]
    assert (chain.body_offset, chain.body_format, chain.body_ccsid) == (40, "MQSTR", 1208)


@pytest.mark.parametrize("length", [-1, 0, 31, 45, 2**31 - 1])
def test_unknown_header_with_an_impossible_length_is_body(length: int) -> None:
    unknown = b"EPH \0\0\0\1" + length.to_bytes(4, "big", signed=True) + bytes(32)
    chain = walk(unknown, "MQHEPCF", BIG, 819)
    assert (chain.headers, chain.body_offset) == ([], 0)
    assert chain.error is not None
    assert chain.error.reason == MQRC_HEADER_ERROR


@pytest.mark.conformance("RSEG-14")
@pytest.mark.parametrize("format", ["", "MQSTR", "MQADMIN", "MQEVENT", "MQTRIG", "MYFORMAT", "mqdead"])
def test_other_formats_are_the_body(format: str) -> None:
    assert walk(b"MQ", format, 0, 0) == Chain([], 0, format, 0, 0)
    assert header_length(MQMD(format=format), b"MQ") == 0


@pytest.mark.parametrize(("encoding", "ccsid"), [(0, 0), (0, -2)])
def test_header_that_says_nothing_of_its_successor_passes_its_own_on(encoding: int, ccsid: int) -> None:
    dlh = MQDLH(encoding=encoding, coded_char_set_id=ccsid, format="MQHRF2")
    data = pack_mqdlh(dlh, BIG, 500) + pack_mqrfh2(MQRFH2(format="MQSTR", encoding=0), BIG, 500)
    chain = walk_sound(data, "MQDEAD", BIG, 500)
    assert (chain.body_encoding, chain.body_ccsid, len(chain.headers)) == (BIG, 500, 2)


def test_ccsid_of_the_queue_manager_is_1208_for_a_header() -> None:
    data = _message([("MQDEAD", LITTLE, 1208)], ("MQSTR", LITTLE, 0))
    assert [h.ccsid for h in walk_sound(data, "MQDEAD", LITTLE, 0).headers] == [1208]


def test_damaged_header_carries_its_own_reason_and_words() -> None:
    data = _message([("MQHRF2", LITTLE, 1208)], ("MQDEAD", LITTLE, 1208)) + bytes(90)
    chain = walk(data, "MQHRF2", LITTLE, 1208)
    assert chain.error is not None
    assert (chain.error.reason, chain.error.text) == (MQRC_DLH_ERROR, "MQDLH: 100 bytes, 172 needed")
    swapped = walk(data, "MQHRF2", BIG, 1208)
    assert swapped.error is not None
    assert swapped.error.reason == MQRC_RFH_ERROR
