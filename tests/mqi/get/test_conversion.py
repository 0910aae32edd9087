"""Data that a get returns: truncated, converted, or as it was put, and the descriptor that describes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQENC_NATIVE,
    MQENC_NORMAL,
    MQENC_S390,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_STRING,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_MSG_IN_GROUP,
)
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_CONVERT,
    MQGMO_LOGICAL_ORDER,
    MQGMO_SYNCPOINT,
)
from mqtools.headers.charsets import decode_text
from mqtools.headers.conversion import register, unregister
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh, unpack_mqdlh
from mqtools.message import MQMD
from mqtools.mqi.get.request import GetResult

from ..conftest import QM

G = b"G" * 24
CONVERT, ACCEPT, FIRST = MQGMO_CONVERT, MQGMO_ACCEPT_TRUNCATED_MSG, MQGMO_BROWSE_FIRST
FAILED, ACCEPTED = rc.MQRC_TRUNCATED_MSG_FAILED, rc.MQRC_TRUNCATED_MSG_ACCEPTED


def put(qm: QM, data: str | bytes, format: str = MQFMT_STRING, ccsid: int = 1208, **fields: object) -> MQMD:
    return qm.put(data, format=format, coded_char_set_id=ccsid, **fields)  # type: ignore[arg-type]


def get(
    qm: QM, options: int = CONVERT, ccsid: int = 819, encoding: int = MQENC_NATIVE, max_length: int | None = None
) -> GetResult:
    """Get what is there, whatever it is, into the given form."""
    md = MQMD(coded_char_set_id=ccsid, encoding=encoding)
    return qm.open().get(options, md=md, match_options=0, max_length=max_length)


# Truncation


@pytest.mark.conformance("TRUNC-01", "TRUNC-03", "TRUNC-07")
@pytest.mark.parametrize(("options", "reason", "left"), [(0, FAILED, 1), (ACCEPT, ACCEPTED, 0)])
def test_a_truncated_message_is_described_in_full(qm: QM, options: int, reason: int, left: int) -> None:
    put_md = put(qm, "z" * 100, correl_id=b"C" * 24, priority=3)
    result = get(qm, options, max_length=40)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, reason)
    assert (result.message.data, result.data_length) == (b"z" * 40, 100)
    md = result.message.md
    assert (md.msg_id, md.correl_id, md.priority) == (put_md.msg_id, b"C" * 24, 3)
    assert qm.depth() == left


@pytest.mark.conformance("BROWSE-16", "TRUNC-02", "TRUNC-04")
def test_a_truncated_browse_moves_the_cursor_only_when_accepted(qm: QM) -> None:
    qm.put("1" * 100)
    qm.put("2" * 100)
    handle = qm.open()
    assert handle.get(FIRST | ACCEPT, max_length=40).reason == ACCEPTED
    assert handle.get(MQGMO_BROWSE_NEXT, max_length=40).message.data == b"2" * 40
    assert handle.get(MQGMO_BROWSE_MSG_UNDER_CURSOR).message.data == b"1" * 100


@pytest.mark.conformance("TRUNC-05")
def test_of_several_warnings_there_is_one(qm: QM) -> None:
    put(qm, "€" * 40)
    result = get(qm, CONVERT | ACCEPT, max_length=40)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_NOT_CONVERTED)
    assert (result.message.data, result.data_length) == (("€" * 40).encode()[:40], 120)
    assert qm.depth() == 0


@pytest.mark.conformance("TRUNC-06")
@pytest.mark.parametrize("options", [0, CONVERT])
def test_accepting_truncation_of_what_fits_has_no_effect(qm: QM, options: int) -> None:
    put(qm, "z" * 40)
    result = get(qm, ACCEPT | options, max_length=40)
    assert (result.comp_code, result.reason, result.message.data) == (rc.MQCC_OK, rc.MQRC_NONE, b"z" * 40)


@pytest.mark.conformance("TRUNC-08")
def test_a_buffer_of_no_length_takes_the_message_unconverted(qm: QM) -> None:
    put(qm, "é")
    result = get(qm, CONVERT | ACCEPT, max_length=0)
    assert (result.reason, result.message.data, result.data_length) == (ACCEPTED, b"", 2)
    assert (result.message.md.coded_char_set_id, qm.depth()) == (1208, 0)


@pytest.mark.conformance("TRUNC-09")
def test_a_failed_truncation_takes_nothing_into_the_unit_of_work(qm: QM) -> None:
    put(qm, "z" * 100)
    assert get(qm, MQGMO_SYNCPOINT, max_length=40).reason == FAILED
    assert qm.open(connection=qm.connect()).get().data_length == 100


@pytest.mark.conformance("TRUNC-10")
@pytest.mark.parametrize("browse", [(0, 0), (FIRST, MQGMO_BROWSE_NEXT)], ids=["get", "browse"])
def test_a_failed_truncation_leaves_the_place_in_the_group(qm: QM, browse: tuple[int, int]) -> None:
    for seq, data in ((1, "1"), (2, "2" * 100), (3, "3")):
        flags = MQMF_MSG_IN_GROUP | (MQMF_LAST_MSG_IN_GROUP if seq == 3 else 0)
        qm.put(data, group_id=G, msg_seq_number=seq, msg_flags=flags)
    handle, (begin, go_on) = qm.open(), browse
    handle.get(MQGMO_LOGICAL_ORDER | begin)
    assert handle.get(MQGMO_LOGICAL_ORDER | go_on, max_length=40).reason == FAILED
    assert handle.get(MQGMO_LOGICAL_ORDER | go_on).message.data == b"2" * 100


# Conversion


@pytest.mark.conformance("TRUNC-11", "TRUNC-14")
def test_text_comes_in_the_form_that_the_descriptor_asks_for(qm: QM) -> None:
    put(qm, "é")
    result = get(qm, ccsid=819, encoding=MQENC_NORMAL)
    assert (result.message.data, result.data_length, result.reason) == (b"\xe9", 1, rc.MQRC_NONE)
    assert (result.message.md.coded_char_set_id, result.message.md.encoding) == (819, MQENC_NORMAL)


@pytest.mark.conformance("TRUNC-14")
@pytest.mark.parametrize("md", [None, MQMD()], ids=["no descriptor", "MQCCSI_Q_MGR"])
def test_without_a_wish_the_form_is_the_queue_managers(qm: QM, md: MQMD | None) -> None:
    put(qm, b"\xe9", ccsid=819, encoding=MQENC_S390)
    message = qm.open().get(CONVERT, md=md, match_options=0).message
    assert message.data == "é".encode()
    assert (message.md.coded_char_set_id, message.md.encoding) == (1208, MQENC_NATIVE)


@pytest.mark.conformance("TRUNC-12", "TRUNC-19")
def test_the_format_tells_text_from_what_nobody_knows(qm: QM) -> None:
    put(qm, "é")
    put(qm, "é", format="")
    assert get(qm).message.data == b"\xe9"
    result = get(qm)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_FORMAT_ERROR)
    assert (result.message.data, result.message.md.coded_char_set_id) == ("é".encode(), 1208)
    assert qm.depth() == 0


@pytest.fixture
def seen() -> Iterator[list[tuple[object, ...]]]:
    """What the conversion exit of the format MYFMT was called with."""
    calls: list[tuple[object, ...]] = []

    def converter(data: bytes, *forms: int) -> bytes:
        calls.append((data, *forms))
        return data[::-1]

    register("MYFMT", converter)
    yield calls
    unregister("MYFMT")


@pytest.mark.conformance("TRUNC-13")
def test_an_exit_converts_what_is_not_built_in(qm: QM, seen: list[tuple[object, ...]]) -> None:
    put(qm, "abc", format="MYFMT", encoding=MQENC_S390)
    result = get(qm, ccsid=500)
    assert seen == [(b"abc", 1208, MQENC_S390, 500, MQENC_NATIVE)]
    assert (result.message.data, result.reason) == (b"cba", rc.MQRC_NONE)
    assert result.message.md.coded_char_set_id == 500


@pytest.mark.conformance("TRUNC-13")
def test_an_exit_is_not_called_for_data_that_is_left_on_the_queue(qm: QM, seen: list[tuple[object, ...]]) -> None:
    put(qm, "abc", format="MYFMT")
    assert get(qm, ccsid=500, max_length=2).reason == FAILED
    assert seen == []


@pytest.mark.conformance("TRUNC-15")
@pytest.mark.parametrize(
    ("format", "data", "reason"),
    [("MYFMT", "abc", rc.MQRC_FORMAT_ERROR), (MQFMT_STRING, "€", rc.MQRC_NOT_CONVERTED)],
)
def test_what_cannot_be_converted_is_got_as_it_is(qm: QM, format: str, data: str, reason: int) -> None:
    put(qm, data, format=format, encoding=MQENC_S390)
    result = get(qm)
    assert (result.comp_code, result.reason, result.message.data) == (rc.MQCC_WARNING, reason, data.encode())
    assert (result.message.md.coded_char_set_id, result.message.md.encoding) == (1208, MQENC_S390)
    assert qm.depth() == 0


@pytest.mark.conformance("TRUNC-16")
@pytest.mark.parametrize("text", ["café", "日本"])
@pytest.mark.parametrize("options", [0, CONVERT])
@pytest.mark.parametrize("accept", [0, ACCEPT])
def test_the_descriptor_always_tells_how_to_read_the_data(qm: QM, text: str, options: int, accept: int) -> None:
    put(qm, text)
    message = get(qm, options | accept, max_length=6).message
    assert decode_text(message.data, message.md.coded_char_set_id, message.md.encoding) == text


@pytest.mark.conformance("TRUNC-17")
def test_without_conversion_the_wish_does_not_count(qm: QM) -> None:
    put(qm, "é", encoding=MQENC_S390)
    md = MQMD(coded_char_set_id=819, encoding=MQENC_NORMAL)
    message = qm.open().get(md=md, match_options=0).message
    assert (message.data, md.coded_char_set_id, md.encoding) == ("é".encode(), 1208, MQENC_S390)
    assert message.md is md


@pytest.mark.conformance("TRUNC-18")
@pytest.mark.parametrize(
    ("data", "ccsid", "max_length"),
    [
        pytest.param("é", 1208, None, id="the same form"),
        pytest.param("", 819, None, id="no data"),
        pytest.param("", 819, 0, id="no data and no buffer"),
    ],
)
@pytest.mark.parametrize("format", ["", "MYFMT", MQFMT_STRING])
def test_where_nothing_is_to_be_converted_nothing_warns(
    qm: QM, data: str, ccsid: int, max_length: int | None, format: str
) -> None:
    put(qm, data, format=format)
    result = get(qm, ccsid=ccsid, max_length=max_length)
    assert (result.comp_code, result.reason, result.message.data) == (rc.MQCC_OK, rc.MQRC_NONE, data.encode())
    assert result.message.md.coded_char_set_id == 1208


@pytest.mark.conformance("TRUNC-20")
@pytest.mark.parametrize("accept", [0, ACCEPT])
def test_what_fits_only_unconverted_comes_so_and_is_gone(qm: QM, accept: int) -> None:
    put(qm, b"\xe9" * 20 + b"e" * 20, ccsid=819)
    result = get(qm, CONVERT | accept, ccsid=1208, max_length=45)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_CONVERTED_MSG_TOO_BIG)
    assert (len(result.message.data), result.message.md.coded_char_set_id) == (40, 819)
    assert qm.depth() == 0


@pytest.mark.conformance("TRUNC-21")
@pytest.mark.parametrize("browse", [0, FIRST])
def test_what_is_too_long_and_not_to_be_truncated_comes_unconverted_and_stays(qm: QM, browse: int) -> None:
    put(qm, "é" * 50)
    result = get(qm, CONVERT | browse, max_length=40)
    assert (result.reason, result.message.data, result.data_length) == (FAILED, "é".encode() * 20, 100)
    assert (result.message.md.coded_char_set_id, qm.depth()) == (1208, 1)


def test_what_is_truncated_with_consent_is_converted(qm: QM) -> None:
    put(qm, "é" * 50)
    result = get(qm, CONVERT | ACCEPT, max_length=40)
    assert (result.reason, result.message.data) == (ACCEPTED, b"\xe9" * 40)
    assert (result.message.md.coded_char_set_id, qm.depth()) == (819, 0)


@pytest.mark.conformance("TRUNC-22")
def test_a_header_is_converted_and_tells_how_to_read_the_payload_that_is_not(qm: QM) -> None:
    dlh = MQDLH(reason=2053, dest_q_name="Q", format=MQFMT_STRING, encoding=MQENC_S390, coded_char_set_id=1208)
    put(qm, pack_mqdlh(dlh, MQENC_S390, 500) + "€".encode(), MQFMT_DEAD_LETTER_HEADER, 500, encoding=MQENC_S390)
    result = get(qm, ccsid=819)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_NOT_CONVERTED)
    assert (result.message.md.coded_char_set_id, result.message.md.encoding) == (819, MQENC_NATIVE)
    header = unpack_mqdlh(result.message.data[:172], MQENC_NATIVE, 819)
    assert (header.dest_q_name, header.coded_char_set_id, header.encoding) == ("Q", 1208, MQENC_S390)
    assert result.message.data[172:] == "€".encode()


@pytest.mark.conformance("TRUNC-23")
def test_identifiers_are_not_converted(qm: QM) -> None:
    ids = {"msg_id": bytes(range(1, 25)), "correl_id": b"\xff" * 24, "group_id": b"A" * 24}
    put(qm, "text", msg_flags=MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP, **ids)  # type: ignore[arg-type]
    message = get(qm, ccsid=500).message
    assert message.data == "text".encode("cp500")
    assert {name: getattr(message.md, name) for name in ids} == ids


@pytest.mark.conformance("TRUNC-24")
def test_a_browse_converts_a_copy(qm: QM) -> None:
    put(qm, "é")
    assert get(qm, FIRST | CONVERT).message.data == b"\xe9"
    message = get(qm, 0).message
    assert (message.data, message.md.coded_char_set_id) == ("é".encode(), 1208)


@pytest.mark.conformance("TRUNC-24")
def test_what_was_got_converted_and_backed_out_is_as_it_was_put(qm: QM) -> None:
    put(qm, "é")
    assert get(qm, MQGMO_SYNCPOINT | CONVERT).message.data == b"\xe9"
    qm.main.backout()
    assert get(qm, 0).message.data == "é".encode()


def test_a_converted_message_tells_what_remains_of_its_time(qm: QM, advance: Callable[[float], None]) -> None:
    put(qm, "é", expiry=100)
    advance(5)
    assert 40 <= get(qm).message.md.expiry <= 50
