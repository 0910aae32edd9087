"""Conversion of header chains: each part in its own form, and described truly whatever could be converted."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import reasons as rc
from mqtools.headers.bridges import MQCIH, MQDH, MQIIH, MQWIH, pack_mqcih, pack_mqdh, pack_mqiih, pack_mqwih
from mqtools.headers.chain import prefix_dlh, prefix_xqh, walk
from mqtools.headers.conversion import convert
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh
from mqtools.headers.mqmde import MQMDE, pack_mqmde
from mqtools.headers.mqrfh import MQRFH, pack_mqrfh
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh
from mqtools.headers.mqxqh import MQXQH, pack_mqxqh
from mqtools.message import MQMD

from .chains import walk_sound

LITTLE, BIG, ZOS = 546, 273, 785
DESCRIPTION: dict[str, Any] = {"format": "MQSTR", "encoding": ZOS, "coded_char_set_id": 500}
#: Format to a header that describes EBCDIC text behind it, and how the header is written.
HEADERS: dict[str, tuple[Any, Any]] = {
    "MQHMDE": (MQMDE(**DESCRIPTION, group_id=bytes(range(24)), msg_seq_number=7), pack_mqmde),
    "MQDEAD": (MQDLH(**DESCRIPTION, reason=2053, dest_q_name="ORDERS", put_date="20261120"), pack_mqdlh),
    "MQXMIT": (
        MQXQH(
            remote_q_name="R",
            msg_desc=MQMD(**DESCRIPTION, version=1, msg_id=b"\xc1" * 24, correl_id=b"A" * 24, reply_to_q="BACK"),
        ),
        pack_mqxqh,
    ),
    "MQHRF": (MQRFH(**DESCRIPTION, name_value_string='Name "a ""b"""'), pack_mqrfh),
    "MQHRF2": (MQRFH2(**DESCRIPTION, folders=["<usr><a>é</a></usr>", "<jms><Dst>q</Dst></jms>"]), pack_mqrfh2),
    "MQHREF": (
        MQRMH(**DESCRIPTION, object_type="FLATFILE", object_instance_id=b"\x81" * 24, src_env="/a/", dest_name="ö"),
        pack_mqrmh,
    ),
    "MQIMS": (MQIIH(format="MQSTR", l_term_override="TERM", tran_instance_id=b"\xc1" * 16), pack_mqiih),
    "MQCICS": (MQCIH(format="MQSTR", facility=b"\xc1" * 8, transaction_id="TRN1", cursor_position=3), pack_mqcih),
    "MQHWIH": (MQWIH(**DESCRIPTION, service_name="SVC", msg_token=b"\x81" * 16), pack_mqwih),
}
RESERVED = {"MQIMS", "MQCICS"}


def zos_md(format: str, ccsid: int = 500) -> MQMD:
    return MQMD(format=format, encoding=ZOS, coded_char_set_id=ccsid)


def of(header: Any) -> Any:
    """What of a record describes what follows: the record, or the descriptor in an MQXQH."""
    return header.msg_desc if hasattr(header, "msg_desc") else header


def body_of(md: MQMD, data: bytes) -> tuple[str, int, int, bytes]:
    chain = walk_sound(data, md.format, md.encoding, md.coded_char_set_id)
    return chain.body_format, chain.body_encoding, chain.body_ccsid, data[chain.body_offset :]


@pytest.mark.conformance("TRUNC-22")
@pytest.mark.parametrize("format", HEADERS)
def test_header_and_text_behind_it_are_converted_and_described(format: str) -> None:
    record, pack = HEADERS[format]
    data = pack(record, ZOS, 500) + "é!".encode("cp500")
    got = convert(zos_md(format), data, to_ccsid=819, to_encoding=LITTLE)
    assert (got.reason, got.md) == (rc.MQRC_NONE, MQMD(format=format, encoding=LITTLE, coded_char_set_id=819))
    [header] = walk_sound(got.data, format, LITTLE, 819).headers
    if format not in RESERVED:
        assert (of(header.record).encoding, of(header.record).coded_char_set_id) == (LITTLE, 819)
        of(header.record).encoding, of(header.record).coded_char_set_id = ZOS, 500
    assert header.record == record
    assert body_of(got.md, got.data)[3] == b"\xe9!"


@pytest.mark.parametrize("format", HEADERS)
def test_converted_header_is_what_would_have_been_written_there(format: str) -> None:
    record, pack = HEADERS[format]
    data = pack(record, ZOS, 500)
    got = convert(zos_md(format), data, to_ccsid=1208, to_encoding=LITTLE)
    # Nothing is behind the header: what it says of data that is elsewhere stays true.
    assert (got.data, got.reason) == (pack(record, LITTLE, 1208), rc.MQRC_NONE)


@pytest.mark.parametrize("format", HEADERS)
@pytest.mark.parametrize(("ccsid", "encoding"), [(1208, LITTLE), (819, BIG), (1047, BIG), (1200, LITTLE)])
def test_header_with_text_comes_back_as_it_was(format: str, ccsid: int, encoding: int) -> None:
    record, pack = HEADERS[format]
    md, data = zos_md(format), pack(record, ZOS, 500) + "Text é".encode("cp500")
    there = convert(md, data, to_ccsid=ccsid, to_encoding=encoding)
    back = convert(there.md, there.data, to_ccsid=500, to_encoding=ZOS)
    assert (there.reason, back.reason) == (rc.MQRC_NONE, rc.MQRC_NONE)
    assert (back.md, back.data) == (md, data)


@pytest.mark.conformance("TRUNC-22")
@pytest.mark.parametrize(
    ("format", "ccsid", "body", "cause"),
    [
        pytest.param("MQSTR", 1208, b"\xff\xfe", rc.MQRC_NOT_CONVERTED, id="no text"),
        pytest.param("MQSTR", 930, b"\x0e\x44\x0f", rc.MQRC_SOURCE_CCSID_ERROR, id="unknown set"),
        pytest.param("", 1208, b"data", rc.MQRC_FORMAT_ERROR, id="no format"),
        pytest.param("MYFMT", 0, b"data", rc.MQRC_FORMAT_ERROR, id="no exit, set inherited"),
        pytest.param("MQHRF2", 500, b"RFH damaged", rc.MQRC_FORMAT_ERROR, id="damaged header"),
    ],
)
def test_header_is_converted_and_says_what_the_payload_behind_it_is(
    format: str, ccsid: int, body: bytes, cause: int
) -> None:
    dlh = MQDLH(reason=2053, dest_q_name="Q", format=format, encoding=BIG, coded_char_set_id=ccsid)
    data = pack_mqdlh(dlh, ZOS, 500) + body
    got = convert(zos_md("MQDEAD"), data, to_ccsid=819, to_encoding=LITTLE)
    assert got.reason == rc.MQRC_NOT_CONVERTED
    assert got.error is not None
    assert got.error.reason == cause
    assert got.md == MQMD(format="MQDEAD", encoding=LITTLE, coded_char_set_id=819)
    assert got.data == pack_mqdlh(dlh.replace(coded_char_set_id=ccsid or 500), LITTLE, 819) + body


@pytest.mark.conformance("TRUNC-22")
@pytest.mark.parametrize("reserved", sorted(RESERVED))
def test_header_that_cannot_describe_its_payload_stays_with_it(reserved: str) -> None:
    record, pack = HEADERS[reserved]
    bridge = pack(record.replace(format="MYFMT"), ZOS, 500) + b"\xff"
    md = zos_md(reserved)
    alone = convert(md, bridge, to_ccsid=819, to_encoding=LITTLE)
    assert (alone.md, alone.data, alone.reason) == (md, bridge, rc.MQRC_FORMAT_ERROR)
    # Behind an MQDLH, which can describe it, the MQDLH is converted.
    dlh = MQDLH(format=reserved, encoding=ZOS, coded_char_set_id=500)
    dead = convert(zos_md("MQDEAD"), pack_mqdlh(dlh, ZOS, 500) + bridge, to_ccsid=819, to_encoding=LITTLE)
    assert (dead.reason, dead.data) == (rc.MQRC_NOT_CONVERTED, pack_mqdlh(dlh, LITTLE, 819) + bridge)


@pytest.mark.conformance("TRUNC-22")
def test_chain_of_headers_in_different_forms_is_converted_to_one() -> None:
    md, data = MQMD(format="MQSTR", encoding=ZOS, coded_char_set_id=500), "Größe".encode("cp500")
    rfh = MQRFH2(format=md.format, encoding=ZOS, coded_char_set_id=500, folders=["<usr/>"], name_value_ccsid=1200)
    md, data = md.replace(format="MQHRF2", encoding=BIG, coded_char_set_id=819), pack_mqrfh2(rfh, BIG, 819) + data
    stamp: dict[str, Any] = {"put_date": "20261120", "put_time": "08154233"}
    md, data = prefix_dlh(md, data, reason=2053, dest_q_name="Q", **stamp, encoding=LITTLE, ccsid=1208)
    md = md.replace(group_id=b"\xc7" * 24)
    md, data = prefix_xqh(
        md,
        data,
        remote_q_name="R",
        remote_q_mgr_name="M",
        q_mgr_name="QM",
        msg_id=b"m" * 24,
        encoding=ZOS,
        ccsid=37,
        **stamp,
    )
    got = convert(md, data, to_ccsid=1208, to_encoding=BIG)
    assert got.reason == rc.MQRC_NONE
    chain = walk_sound(got.data, got.md.format, got.md.encoding, got.md.coded_char_set_id)
    assert [header.struc_id for header in chain.headers] == ["XQH", "MDE", "DLH", "RFH2"]
    assert {(header.encoding, header.ccsid) for header in chain.headers} == {(BIG, 1208)}
    assert body_of(got.md, got.data) == ("MQSTR", BIG, 1208, "Größe".encode())
    assert chain.headers[1].record.group_id == b"\xc7" * 24  # type: ignore[attr-defined]


def test_folders_keep_their_character_set_and_take_the_byte_order() -> None:
    folder = "<usr><a>é</a></usr>"
    for ccsid, expected in ((1208, folder.encode()), (1200, folder.encode("utf_16_le"))):
        data = pack_mqrfh2(MQRFH2(folders=[folder], name_value_ccsid=ccsid), BIG, 500)
        got = convert(
            MQMD(format="MQHRF2", encoding=BIG, coded_char_set_id=500), data, to_ccsid=819, to_encoding=LITTLE
        )
        assert int.from_bytes(got.data[32:36], "little") == ccsid
        assert got.data[40:].rstrip(b" \0") == expected.rstrip(b" \0")
        assert len(got.data) == len(data)


def test_folders_that_are_not_unicode_are_not_converted() -> None:
    data = pack_mqrfh2(MQRFH2(folders=["<usr/>"], name_value_ccsid=819), ZOS, 500)
    got = convert(zos_md("MQHRF2"), data, to_ccsid=819, to_encoding=LITTLE)
    assert (got.data, got.reason) == (data, rc.MQRC_SOURCE_CCSID_ERROR)


def test_strings_that_grow_make_their_header_longer() -> None:
    rmh = MQRMH(src_env="é", src_name="öö", dest_name="x")
    data = pack_mqrmh(rmh, BIG, 819)
    md = MQMD(format="MQHREF", encoding=BIG, coded_char_set_id=819)
    got = convert(md, data, to_ccsid=1208, to_encoding=LITTLE)
    assert got.data[108:] == "éööx".encode()
    read: Any = walk_sound(got.data, "MQHREF", LITTLE, 1208).headers[0].record
    assert (read.src_env, read.src_name, read.dest_env, read.dest_name) == ("é", "öö", "", "x")


def test_bulk_data_that_is_elsewhere_is_described_as_before() -> None:
    rmh = MQRMH(format="MQSTR", coded_char_set_id=0, encoding=0, src_name="file")
    got = convert(zos_md("MQHREF"), pack_mqrmh(rmh, ZOS, 500), to_ccsid=1208, to_encoding=LITTLE)
    read: Any = walk_sound(got.data, "MQHREF", LITTLE, 1208).headers[0].record
    assert (read.encoding, read.coded_char_set_id) == (ZOS, 500)


def test_text_that_grows_stays_in_its_field_while_there_is_room() -> None:
    data = pack_mqdlh(MQDLH(dest_q_name="é" * 24, put_appl_name="ö"), LITTLE, 819)
    md = MQMD(format="MQDEAD", coded_char_set_id=819)
    got = convert(md, data, to_ccsid=1208, to_encoding=LITTLE)
    assert (got.reason, len(got.data), got.data[12:60]) == (rc.MQRC_NONE, 172, ("é" * 24).encode())


def test_text_that_grows_past_its_field_is_not_cut() -> None:
    data = pack_mqdlh(MQDLH(dest_q_name="é" * 25), LITTLE, 819)
    md = MQMD(format="MQDEAD", coded_char_set_id=819)
    got = convert(md, data, to_ccsid=1208, to_encoding=LITTLE)
    assert (got.md, got.data, got.reason) == (md, data, rc.MQRC_CONVERTED_STRING_TOO_BIG)


def test_nulls_behind_a_text_stay_nulls() -> None:
    data = bytearray(pack_mqdlh(MQDLH(dest_q_name="Q"), ZOS, 500))
    data[13:60] = bytes(47)
    got = convert(zos_md("MQDEAD"), bytes(data), to_ccsid=819, to_encoding=LITTLE)
    assert got.data[12:60] == b"Q" + bytes(47)
    # A text that becomes shorter is filled up with what was behind it.
    data = bytearray(pack_mqdlh(MQDLH(dest_q_name="é"), LITTLE, 1208))
    data[14:60] = bytes(46)
    got = convert(MQMD(format="MQDEAD", coded_char_set_id=1208), bytes(data), to_ccsid=819, to_encoding=LITTLE)
    assert got.data[12:60] == b"\xe9" + bytes(47)


@pytest.mark.conformance("TRUNC-22")
def test_payload_that_already_is_what_is_asked_for_needs_no_format() -> None:
    dlh = MQDLH(format="", encoding=LITTLE, coded_char_set_id=1208)
    got = convert(zos_md("MQDEAD"), pack_mqdlh(dlh, ZOS, 500) + b"\xff", to_ccsid=1208, to_encoding=LITTLE)
    assert (got.data, got.reason) == (pack_mqdlh(dlh, LITTLE, 1208) + b"\xff", rc.MQRC_NONE)


@pytest.mark.parametrize(
    ("string", "expected"),
    # "aé" is padded to 4 bytes in 819; in 1208 the text is 3 bytes long, and 4 again with one blank.
    [("aé", "aé "), ("éé", "éé"), ("ééa", "ééa   "), ("ab", "ab  ")],
)
def test_name_value_string_that_grows_fills_a_multiple_of_four_bytes(string: str, expected: str) -> None:
    md = MQMD(format="MQHRF", encoding=LITTLE, coded_char_set_id=819)
    data = pack_mqrfh(MQRFH(name_value_string=string), LITTLE, 819)
    got = convert(md, data, to_ccsid=1208, to_encoding=LITTLE)
    assert got.data[32:] == expected.encode()
    assert int.from_bytes(got.data[8:12], "little") == len(got.data)


def test_folders_whose_set_is_left_open_are_utf_8() -> None:
    rfh = MQRFH2(folders=["<usr><a>é</a></usr>"], name_value_ccsid=0)
    got = convert(zos_md("MQHRF2"), pack_mqrfh2(rfh, ZOS, 500), to_ccsid=819, to_encoding=LITTLE)
    assert (got.data[36:], got.reason) == (pack_mqrfh2(rfh, LITTLE, 819)[36:], rc.MQRC_NONE)


@pytest.mark.parametrize(
    ("ccsid", "encoding", "to_ccsid", "to_encoding", "reason"),
    [
        (930, ZOS, 1208, LITTLE, rc.MQRC_SOURCE_CCSID_ERROR),
        (500, 0, 1208, LITTLE, rc.MQRC_SOURCE_INTEGER_ENC_ERROR),
        (500, ZOS, 930, LITTLE, rc.MQRC_TARGET_CCSID_ERROR),
        (500, ZOS, 1208, 4, rc.MQRC_TARGET_INTEGER_ENC_ERROR),
        (819, ZOS, 1208, LITTLE, rc.MQRC_FORMAT_ERROR),
        (500, BIG + 1, 1208, LITTLE, rc.MQRC_FORMAT_ERROR),
    ],
)
def test_header_in_a_form_that_nobody_knows_is_returned_with_the_reason(
    ccsid: int, encoding: int, to_ccsid: int, to_encoding: int, reason: int
) -> None:
    data = pack_mqdlh(MQDLH(), ZOS, 500)
    md = MQMD(format="MQDEAD", coded_char_set_id=ccsid, encoding=encoding)
    got = convert(md, data, to_ccsid=to_ccsid, to_encoding=to_encoding)
    assert (got.md, got.data, got.reason) == (md, data, reason)


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("MQHDIST", pack_mqdh(MQDH(), ZOS, 500)),
        ("MQHXYZ", pack_mqdh(MQDH(), ZOS, 500)),
        ("MQHWIH", pack_mqwih(MQWIH(), ZOS, 500)[:8] + b"\0\0\0\x7c" + pack_mqwih(MQWIH(), ZOS, 500)[12:] + b"more"),
    ],
    ids=["distribution header", "unknown header", "longer than it is defined"],
)
def test_header_that_is_not_understood_is_a_format_error(format: str, data: bytes) -> None:
    got = convert(zos_md(format), data + b"body", to_ccsid=819, to_encoding=LITTLE)
    assert (got.data, got.reason) == (data + b"body", rc.MQRC_FORMAT_ERROR)


@given(
    format=st.sampled_from([*HEADERS, "MQHDIST", "MQHXYZ"]),
    follows=st.sampled_from([*HEADERS, "MQSTR", "MQPCF", "MQTRIG", "", "MYFMT"]),
    edits=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 255)), max_size=6),
    tail=st.binary(max_size=40),
    target=st.sampled_from([(819, LITTLE), (1200, BIG), (37, LITTLE), (930, LITTLE), (1208, 0), (1208, 2**40 + 1)]),
)
def test_damaged_headers_never_raise_and_what_is_returned_is_described(
    format: str, follows: str, edits: list[tuple[int, int]], tail: bytes, target: tuple[int, int]
) -> None:
    record, pack = HEADERS.get(format, (MQDH(**DESCRIPTION), pack_mqdh))
    record = (
        record.replace(msg_desc=record.msg_desc.replace(format=follows))
        if format == "MQXMIT"
        else record.replace(format=follows)
    )
    data = bytearray(pack(record, ZOS, 500) + tail)
    for offset, byte in edits:
        data[offset % len(data)] = byte
    md = zos_md(format)
    got = convert(md, bytes(data), to_ccsid=target[0], to_encoding=target[1])
    if got.md == md:
        assert got.data == bytes(data)
        assert got.reason > 0
        return
    assert (got.md.coded_char_set_id, got.md.encoding) == target
    before = walk(bytes(data), format, ZOS, 500)
    after = walk(got.data, format, target[1], target[0])
    assert [header.format for header in after.headers] == [header.format for header in before.headers]
    assert after.body_format == before.body_format
    if got.reason:
        assert (after.body_ccsid, after.body_encoding) == (before.body_ccsid, before.body_encoding)
        assert got.data[after.body_offset :] == data[before.body_offset :]
