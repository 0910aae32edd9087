"""Every structure: its layout, writing and reading it back in all byte orders and character sets, and damage."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants import reasons as rc
from mqtools.errors import MQError
from mqtools.headers import bridges, mqdlh, mqmd, mqmde, mqrfh, mqrfh2, mqrmh, mqxqh
from mqtools.headers.layout import Layout
from mqtools.message import MQMD

from ..errors import fails

LITTLE, BIG, ZOS = 546, 273, 785
CCSIDS = (1208, 819, 437, 37, 500, 1047)


def _pack_md(md: MQMD, encoding: int, ccsid: int) -> bytes:
    return mqmd.pack_mqmd(md, None, encoding, ccsid)


class Structure(NamedTuple):
    record: type
    layout: Layout[Any]
    pack: Callable[..., bytes]
    unpack: Callable[..., Any]
    reason: int
    lengths: dict[int, int]


STRUCTURES = {
    "MQMD": Structure(MQMD, mqmd.LAYOUT, _pack_md, mqmd.unpack_mqmd, rc.MQRC_MD_ERROR, {1: 324, 2: 364}),
    "MQMDE": Structure(mqmde.MQMDE, mqmde.LAYOUT, mqmde.pack_mqmde, mqmde.unpack_mqmde, rc.MQRC_MDE_ERROR, {2: 72}),
    "MQDLH": Structure(mqdlh.MQDLH, mqdlh.LAYOUT, mqdlh.pack_mqdlh, mqdlh.unpack_mqdlh, rc.MQRC_DLH_ERROR, {1: 172}),
    "MQXQH": Structure(mqxqh.MQXQH, mqxqh.LAYOUT, mqxqh.pack_mqxqh, mqxqh.unpack_mqxqh, rc.MQRC_XQH_ERROR, {1: 428}),
    "MQRFH": Structure(mqrfh.MQRFH, mqrfh.LAYOUT, mqrfh.pack_mqrfh, mqrfh.unpack_mqrfh, rc.MQRC_RFH_ERROR, {1: 32}),
    "MQRFH2": Structure(
        mqrfh2.MQRFH2, mqrfh2.LAYOUT, mqrfh2.pack_mqrfh2, mqrfh2.unpack_mqrfh2, rc.MQRC_RFH_ERROR, {2: 36}
    ),
    "MQRMH": Structure(mqrmh.MQRMH, mqrmh.LAYOUT, mqrmh.pack_mqrmh, mqrmh.unpack_mqrmh, rc.MQRC_RMH_ERROR, {1: 108}),
    "MQIIH": Structure(
        bridges.MQIIH, bridges.IIH_LAYOUT, bridges.pack_mqiih, bridges.unpack_mqiih, rc.MQRC_IIH_ERROR, {1: 84}
    ),
    "MQCIH": Structure(
        bridges.MQCIH,
        bridges.CIH_LAYOUT,
        bridges.pack_mqcih,
        bridges.unpack_mqcih,
        rc.MQRC_HEADER_ERROR,
        {1: 164, 2: 180},
    ),
    "MQDH": Structure(
        bridges.MQDH, bridges.DH_LAYOUT, bridges.pack_mqdh, bridges.unpack_mqdh, rc.MQRC_HEADER_ERROR, {1: 48}
    ),
    "MQWIH": Structure(
        bridges.MQWIH, bridges.WIH_LAYOUT, bridges.pack_mqwih, bridges.unpack_mqwih, rc.MQRC_HEADER_ERROR, {1: 120}
    ),
}
every_structure = pytest.mark.parametrize("structure", STRUCTURES.values(), ids=STRUCTURES)

#: Characters that all the CCSIDs of these tests have.
_ALPHABET = "ABCXYZabcxyz0189 .,/_%&'\"<>()=+-*é"


def _texts(length: int) -> st.SearchStrategy[str]:
    # An é is two bytes in 1208, so half the length always fits.
    return (
        st.text(_ALPHABET, max_size=max(length // 2, 1))
        .map(lambda text: text.rstrip(" "))
        .filter(lambda text: len(text.encode()) <= length)
    )


def _fields(layout: Layout[Any], version: int, names: tuple[str, ...]) -> dict[str, st.SearchStrategy[Any]]:
    drawn: dict[str, st.SearchStrategy[Any]] = {}
    for field in layout.fields_in(version):
        if field.name in names and field.name != "version":
            drawn[field.name] = {
                str: _texts(field.length),
                bytes: st.binary(min_size=field.length, max_size=field.length),
            }.get(type(field.initial), st.integers(-(2**31), 2**31 - 1))
    return drawn


@st.composite
def records(draw: st.DrawFn, structure: Structure) -> Any:
    version = draw(st.sampled_from(sorted(structure.lengths)))
    extra: dict[str, st.SearchStrategy[Any]] = {
        "name_value_string": _texts(60),
        "folders": st.lists(_texts(60), max_size=3),
        "name_value_ccsid": st.sampled_from([1208, 1200, 13488, 17584]),
        "records": st.binary(max_size=40),
        "msg_desc": st.builds(MQMD, version=st.just(1), **_fields(mqmd.LAYOUT, 1, MQMD.__slots__)),
        **{name: st.text(_ALPHABET, max_size=30) for name in mqrmh.STRINGS},
    }
    names = structure.record.__slots__  # type: ignore[attr-defined]
    fields = {name: strategy for name, strategy in extra.items() if name in names}
    fields = {**_fields(structure.layout, version, names), **fields}
    return structure.record(version=version, **{name: draw(strategy) for name, strategy in fields.items()})


@every_structure
def test_fields_follow_each_other_without_gaps(structure: Structure) -> None:
    offset = 0
    for field in structure.layout.fields:
        assert field.offset == offset
        offset += field.length
    embedded = 324 if structure.record is mqxqh.MQXQH else 0
    assert offset + embedded == structure.lengths[max(structure.lengths)]


@every_structure
def test_initial_record_has_the_length_and_identifier_of_its_structure(structure: Structure) -> None:
    for version, length in structure.lengths.items():
        data = structure.pack(structure.record(version=version), BIG, 1208)
        assert len(data) == length
        assert data[:4] == structure.layout.struc_id.encode()
        assert data[4:8] == version.to_bytes(4, "big")


@pytest.mark.slow
@every_structure
@settings(deadline=None)
@given(data=st.data(), encoding=st.sampled_from([LITTLE, BIG, ZOS]), ccsid=st.sampled_from(CCSIDS))
def test_reading_what_was_written_is_the_identity(
    structure: Structure, data: st.DataObject, encoding: int, ccsid: int
) -> None:
    record = data.draw(records(structure))
    in_front = data.draw(st.binary(max_size=5))
    packed = structure.pack(record, encoding, ccsid)
    read = structure.unpack(in_front + packed + b"body", encoding, ccsid, len(in_front))
    assert read == record
    assert structure.pack(read, encoding, ccsid) == packed


@every_structure
@pytest.mark.parametrize("ccsid", [1208, 500])
def test_data_cut_off_anywhere_is_refused_with_the_structures_reason(structure: Structure, ccsid: int) -> None:
    data = structure.pack(_full(structure), LITTLE, ccsid)
    for length in range(len(data)):
        with pytest.raises(MQError) as caught:
            structure.unpack(data[:length], LITTLE, ccsid)
        assert caught.value.reason == structure.reason, length


def _full(structure: Structure) -> Any:
    record = structure.record()
    for name, value in (
        ("name_value_string", "NAME value"),
        ("folders", ["<usr><a>1</a></usr>"]),
        ("records", b"records "),
        ("src_name", "source"),
    ):
        if name in structure.record.__slots__:  # type: ignore[attr-defined]
            setattr(record, name, value)
    return record


@every_structure
@pytest.mark.parametrize(
    ("offset", "wrong", "words"),
    [(0, b"XXXX", "StrucId"), (4, b"\x63\0\0\0", "version is 99"), (4, b"\0\0\0\1", "version")],
    ids=["identifier", "version", "version in the other byte order"],
)
def test_wrong_identifier_or_version_is_refused(structure: Structure, offset: int, wrong: bytes, words: str) -> None:
    data = bytearray(structure.pack(structure.record(), LITTLE, 1208))
    data[offset : offset + 4] = wrong
    with fails(structure.reason, words) as caught:
        structure.unpack(bytes(data), LITTLE, 1208)
    assert caught.value.text.startswith(structure.layout.name)


@every_structure
@pytest.mark.parametrize(("encoding", "ccsid"), [(0, 1208), (3, 1208), (15, 1208), (LITTLE, 930), (LITTLE, 0)])
def test_encoding_without_byte_order_or_unknown_ccsid_is_refused(
    structure: Structure, encoding: int, ccsid: int
) -> None:
    data = structure.pack(structure.record(), LITTLE, 1208)
    for attempt in (
        lambda: structure.pack(structure.record(), encoding, ccsid),
        lambda: structure.unpack(data, encoding, ccsid),
    ):
        with fails(structure.reason):
            attempt()


@every_structure
@settings(deadline=None)
@given(noise=st.binary(max_size=500), start=st.booleans())
def test_any_bytes_give_a_record_or_an_mqerror(structure: Structure, noise: bytes, start: bool) -> None:
    if start:
        noise = structure.pack(structure.record(), LITTLE, 1208)[:8] + noise
    assert _reason_of_reading(structure, noise) in (0, structure.reason, rc.MQRC_RFH_FORMAT_ERROR)


def _reason_of_reading(structure: Structure, data: bytes) -> int:
    try:
        structure.unpack(data, LITTLE, 1208)
    except MQError as error:
        return error.reason
    return 0


@pytest.mark.parametrize("name", sorted(set(STRUCTURES) - {"MQMD", "MQDLH", "MQXQH"}))
def test_impossible_struc_length_is_refused(name: str) -> None:
    structure = STRUCTURES[name]
    data = bytearray(structure.pack(structure.record(), LITTLE, 1208))
    for length in (-1, 0, len(data) - 4, len(data) + 4, 2**31 - 1):
        data[8:12] = length.to_bytes(4, "little", signed=True)
        with fails(structure.reason, "StrucLength"):
            structure.unpack(bytes(data), LITTLE, 1208)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dest_q_name": "Q" * 49}, "dest_q_name is 49 bytes long, 48 fit"),
        ({"dest_q_name": "é" * 25}, "dest_q_name is 50 bytes long"),
        ({"format": "MQSTRINGS"}, "format"),
        ({"reason": 2**31}, "reason is 2147483648"),
        ({"reason": "MQRC_Q_FULL"}, "reason is 'MQRC_Q_FULL'"),
        ({"version": 2}, "version is 2, not 1"),
        ({"put_appl_name": "\ud800"}, "put_appl_name cannot be written"),
    ],
)
def test_value_that_does_not_fit_is_refused_and_never_cut(changes: dict[str, Any], words: str) -> None:
    with fails(rc.MQRC_DLH_ERROR, words):
        mqdlh.pack_mqdlh(mqdlh.MQDLH(**changes), LITTLE, 1208)


def test_too_many_bytes_in_an_identifier_are_refused_and_too_few_padded_with_zeros() -> None:
    with pytest.raises(MQError, match="msg_id has 25 bytes, 24 fit"):
        mqmd.pack_mqmd(MQMD(msg_id=bytes(25)))
    assert mqmd.pack_mqmd(MQMD(msg_id=b"abc"))[48:72] == b"abc" + bytes(21)


def test_text_is_padded_with_the_blanks_of_its_character_set() -> None:
    assert mqmd.pack_mqmd(MQMD(reply_to_q="R"), ccsid=1208)[100:148] == b"R" + b" " * 47
    assert mqmd.pack_mqmd(MQMD(reply_to_q="R"), ccsid=37)[100:148] == b"\xd9" + b"\x40" * 47


def test_null_ends_a_text_and_leading_blanks_stay() -> None:
    data = bytearray(mqmd.pack_mqmd(MQMD()))
    data[100:148] = b"  A B \0rest".ljust(48, b"\0")
    assert mqmd.unpack_mqmd(bytes(data), LITTLE, 1208).reply_to_q == "  A B"


def test_nulls_of_a_dead_letter_header_are_kept_on_request() -> None:
    data = bytearray(mqdlh.pack_mqdlh(mqdlh.MQDLH(), LITTLE, 1208))
    data[12:60] = b"A.B".ljust(48, b"\0")
    assert mqdlh.unpack_mqdlh(bytes(data), LITTLE, 1208).dest_q_name == "A.B"
    assert mqdlh.unpack_mqdlh(bytes(data), LITTLE, 1208, keep_nulls=True).dest_q_name == "A.B" + "\0" * 45


def test_text_cut_inside_a_character_keeps_its_bytes() -> None:
    data = bytearray(mqmd.pack_mqmd(MQMD()))
    data[276:304] = ("x" * 27 + "é").encode()[:28]
    md = mqmd.unpack_mqmd(bytes(data), LITTLE, 1208)
    assert md.put_appl_name == "x" * 27 + "\U0010ffc3"
    assert mqmd.pack_mqmd(md) == bytes(data)


def test_version_1_descriptor_leaves_the_version_2_fields_out() -> None:
    data = mqmd.pack_mqmd(MQMD(group_id=b"G" * 24, msg_seq_number=7), version=1)
    assert len(data) == 324
    assert mqmd.unpack_mqmd(data, LITTLE, 1208) == MQMD(version=1)


@pytest.mark.conformance("BEY-66")
def test_dead_letter_header_has_blank_padded_names_identifier_and_version() -> None:
    dlh = mqdlh.MQDLH(reason=2053, dest_q_name="ORDERS", dest_q_mgr_name="QM1", encoding=273, format="MQSTR")
    data = mqdlh.pack_mqdlh(dlh, LITTLE, 1208)
    assert len(data) == 172
    assert data[:12] == b"DLH \x01\0\0\0\x05\x08\0\0"
    assert data[12:60] == b"ORDERS".ljust(48)
    assert data[60:108] == b"QM1".ljust(48)
    assert data[108:116] == b"\x11\x01\0\0\0\0\0\0"
    assert data[116:124] == b"MQSTR   "


@pytest.mark.conformance("BEY-93")
@pytest.mark.parametrize(
    ("offset", "wrong"),
    [(0, b"MDX "), (4, b"\1\0\0\0"), (8, b"\x44\0\0\0"), (8, b"\x4c\0\0\0")],
    ids=["StrucId", "Version 1", "StrucLength 68", "StrucLength 76"],
)
def test_bad_descriptor_extension_is_refused(offset: int, wrong: bytes) -> None:
    data = bytearray(mqmde.pack_mqmde(mqmde.MQMDE(), LITTLE, 1208) + b"body")
    data[offset : offset + 4] = wrong
    with fails(rc.MQRC_MDE_ERROR):
        mqmde.unpack_mqmde(bytes(data), LITTLE, 1208)


@pytest.mark.conformance("BEY-90")
def test_transmission_header_has_the_descriptor_at_its_place() -> None:
    md = MQMD(version=1, encoding=BIG, coded_char_set_id=819, format="MQSTR")
    data = mqxqh.pack_mqxqh(mqxqh.MQXQH(remote_q_name="Q", remote_q_mgr_name="QM2", msg_desc=md), LITTLE, 1208)
    assert len(data) == 428
    assert data[8:56] == b"Q".ljust(48)
    assert data[104:108] == b"MD  "
    assert data[128:144] == b"\x11\x01\0\0\x33\x03\0\0MQSTR   "


def test_transmission_header_with_a_version_2_descriptor_is_refused() -> None:
    data = bytearray(mqxqh.pack_mqxqh(mqxqh.MQXQH(), LITTLE, 1208))
    data[108] = 2
    with fails(rc.MQRC_XQH_ERROR):
        mqxqh.unpack_mqxqh(bytes(data) + bytes(100), LITTLE, 1208)
