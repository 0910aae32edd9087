"""Putting dead-letter and transmission headers and extensions on messages, and taking them off."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants import message as c
from mqtools.constants.reasons import (
    MQRC_DLH_ERROR,
    MQRC_MDE_ERROR,
    MQRC_XQH_ERROR,
)
from mqtools.headers.chain import (
    prefix_dlh,
    prefix_xqh,
    read_dlh,
    strip_dlh,
    strip_xqh,
    walk,
    without_envelope,
)
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh
from mqtools.headers.mqmde import needs_mqmde, prefix_mqmde, strip_mqmde
from mqtools.headers.mqxqh import MQXQH
from mqtools.message import MQMD

from ..errors import fails

LITTLE, BIG = 546, 273
NOW = {"put_date": "20261120", "put_time": "08154233"}


def _descriptors() -> st.SearchStrategy[MQMD]:
    return st.builds(
        MQMD,
        report=st.sampled_from([0, c.MQRO_COA | c.MQRO_EXCEPTION]),
        encoding=st.sampled_from([LITTLE, BIG, 785]),
        coded_char_set_id=st.sampled_from([1208, 819, 500]),
        format=st.sampled_from(["", "MQSTR", "MQHRF2", "MQDEAD", "MQHMDE"]),
        msg_id=st.binary(min_size=24, max_size=24),
        expiry=st.sampled_from([-1, 100]),
        priority=st.integers(0, 9),
        persistence=st.integers(0, 1),
        appl_identity_data=st.sampled_from(["", "identity é"]),
        group_id=st.sampled_from([bytes(24), b"G" * 24]),
        msg_seq_number=st.integers(1, 3),
        offset=st.sampled_from([0, 1000]),
        msg_flags=st.sampled_from([0, c.MQMF_MSG_IN_GROUP, c.MQMF_MSG_IN_GROUP | c.MQMF_LAST_MSG_IN_GROUP]),
        original_length=st.sampled_from([-1, 500]),
    )


@pytest.mark.conformance("BEY-65")
def test_dead_letter_keeps_the_descriptor_and_says_where_and_why() -> None:
    md = MQMD(
        format="MQSTR", encoding=BIG, coded_char_set_id=819, msg_id=b"M" * 24, correl_id=b"C" * 24, report=c.MQRO_COA,
        persistence=1, expiry=600,
    )  # fmt: skip
    dead, data = prefix_dlh(
        md, b"data", reason=2053, dest_q_name="ORDERS", dest_q_mgr_name="QM1", put_appl_type=c.MQAT_QMGR,
        put_appl_name="amqrmppa", **NOW,
    )  # fmt: skip
    assert len(data) == 172 + 4
    assert dead == md.replace(format="MQDEAD", encoding=LITTLE, coded_char_set_id=1208)
    assert read_dlh(dead, data) == MQDLH(
        reason=2053, dest_q_name="ORDERS", dest_q_mgr_name="QM1", encoding=BIG, coded_char_set_id=819, format="MQSTR",
        put_appl_type=c.MQAT_QMGR, put_appl_name="amqrmppa", **NOW,
    )  # fmt: skip


@pytest.mark.conformance("BEY-74")
@settings(deadline=None)
@given(md=_descriptors(), body=st.binary(max_size=50), written=st.sampled_from([(LITTLE, 1208), (BIG, 500)]))
def test_message_without_its_dead_letter_header_is_the_original(
    md: MQMD, body: bytes, written: tuple[int, int]
) -> None:
    dead, data = prefix_dlh(md, body, reason=2053, dest_q_name="Q", encoding=written[0], ccsid=written[1])
    assert strip_dlh(dead, data) == (md, body)


@pytest.mark.conformance("BEY-67")
@pytest.mark.parametrize(
    ("md", "damage"),
    [
        (MQMD(format="MQSTR"), None),
        (MQMD(format="MQDEAD"), (0, b"dlh ")),
        (MQMD(format="MQDEAD"), (4, b"\2\0\0\0")),
        (MQMD(format="MQDEAD"), (171, b"")),
        (MQMD(format="MQDEAD", encoding=0), None),
        (MQMD(format="MQDEAD", coded_char_set_id=37), None),
        (MQMD(format="MQDEAD", coded_char_set_id=930), None),
    ],
    ids=["format", "eye-catcher", "version", "length", "encoding", "wrong CCSID", "unknown CCSID"],
)
def test_bad_dead_letter_header_is_refused(md: MQMD, damage: tuple[int, bytes] | None) -> None:
    data = bytearray(pack_mqdlh(MQDLH(), LITTLE, 1208))
    if damage is not None:
        offset, wrong = damage
        data[offset:] = wrong + data[offset + len(wrong) :] if wrong else b""
    for attempt in (read_dlh, strip_dlh):
        with fails(MQRC_DLH_ERROR):
            attempt(md, bytes(data))


def test_dead_letter_header_with_a_name_too_long_is_refused() -> None:
    with fails(MQRC_DLH_ERROR):
        prefix_dlh(MQMD(), b"", reason=0, dest_q_name="Q" * 49)


def _to_transmission_queue(md: MQMD, body: bytes, **written: int) -> tuple[MQMD, bytes]:
    return prefix_xqh(
        md, body, remote_q_name="Q", remote_q_mgr_name="QM2", q_mgr_name="Q" * 40, msg_id=b"N" * 24, **NOW, **written
    )


@pytest.mark.conformance("BEY-90")
def test_transmission_message_has_two_descriptors() -> None:
    md = MQMD(
        report=c.MQRO_COA | c.MQRO_COD | c.MQRO_EXCEPTION, format="MQSTR", encoding=BIG, coded_char_set_id=819,
        msg_id=b"M" * 24, correl_id=b"C" * 24, reply_to_q="R", reply_to_q_mgr="QM1", user_identifier="ana", priority=4,
        persistence=1, backout_count=3, put_appl_name="app", appl_origin_data="orig", expiry=50, feedback=260,
        accounting_token=b"T" * 32, appl_identity_data="identity", msg_type=4,
    )  # fmt: skip
    separate, data = _to_transmission_queue(md, b"data")
    assert len(data) == 428 + 4
    assert separate == MQMD(
        report=c.MQRO_EXCEPTION, format="MQXMIT", encoding=LITTLE, coded_char_set_id=1208, msg_id=b"N" * 24,
        correl_id=b"M" * 24, reply_to_q="R", reply_to_q_mgr="QM1", user_identifier="ana", priority=4, persistence=1,
        put_appl_type=c.MQAT_QMGR, put_appl_name="Q" * 28, expiry=50, feedback=260, accounting_token=b"T" * 32,
        appl_identity_data="identity", msg_type=4, **NOW,
    )  # fmt: skip
    (header,) = walk(data, "MQXMIT", LITTLE, 1208).headers
    assert header.record == MQXQH(remote_q_name="Q", remote_q_mgr_name="QM2", msg_desc=md.replace(version=1))


def test_without_its_envelope_a_dead_message_of_a_transmission_queue_is_what_was_put() -> None:
    md = MQMD(format="MQSTR", encoding=BIG, coded_char_set_id=819, priority=3)
    sent, carried = _to_transmission_queue(md, b"data")
    dead, data = prefix_dlh(sent.replace(expiry=600), carried, reason=2053, dest_q_name="Q")
    assert without_envelope(dead, data) == (md.replace(version=2, expiry=600), b"data")
    assert without_envelope(md, b"data") == (md, b"data")


@pytest.mark.parametrize("format_name", ["MQDEAD", "MQXMIT"])
def test_a_damaged_envelope_stays(format_name: str) -> None:
    md = MQMD(format=format_name)
    assert without_envelope(md, b"data") == (md, b"data")


def test_group_fields_travel_in_an_mqmde_behind_the_transmission_header() -> None:
    md = MQMD(format="MQSTR", encoding=BIG, coded_char_set_id=819, group_id=b"G" * 24, msg_seq_number=2)
    _, data = _to_transmission_queue(md, b"data")
    chain = walk(data, "MQXMIT", LITTLE, 1208)
    assert [header.struc_id for header in chain.headers] == ["XQH", "MDE"]
    assert (chain.body_offset, chain.body_format, chain.body_encoding, chain.body_ccsid) == (500, "MQSTR", BIG, 819)
    embedded: Any = chain.headers[0].record
    assert (embedded.msg_desc.version, embedded.msg_desc.format) == (1, "MQHMDE")


@settings(deadline=None)
@given(md=_descriptors(), body=st.binary(max_size=50), written=st.sampled_from([(LITTLE, 1208), (BIG, 500)]))
def test_message_from_a_transmission_queue_is_the_original(md: MQMD, body: bytes, written: tuple[int, int]) -> None:
    separate, data = _to_transmission_queue(md, body, encoding=written[0], ccsid=written[1])
    assert strip_xqh(separate, data) == (md, body)


@pytest.mark.parametrize(
    ("md", "length"), [(MQMD(format="MQSTR"), 432), (MQMD(format="MQXMIT"), 427), (MQMD(format="MQXMIT"), 3)]
)
def test_bad_transmission_header_is_refused(md: MQMD, length: int) -> None:
    _, data = _to_transmission_queue(MQMD(), b"data")
    with fails(MQRC_XQH_ERROR):
        strip_xqh(md, data[:length])


def test_damaged_mqmde_behind_a_transmission_header_is_refused() -> None:
    separate, data = _to_transmission_queue(MQMD(msg_seq_number=2), b"data")
    with fails(MQRC_MDE_ERROR):
        strip_xqh(separate, data[:499])


@pytest.mark.conformance("BEY-94")
@pytest.mark.parametrize(
    ("fields", "needed"),
    [
        ({}, False),
        ({"priority": 9, "format": "MQSTR"}, False),
        ({"group_id": b"G" * 24}, True),
        ({"msg_seq_number": 2}, True),
        ({"offset": 1}, True),
        ({"msg_flags": 1}, True),
        ({"original_length": 0}, True),
        ({"version": 1, "msg_seq_number": 2}, False),
    ],
)
def test_extension_is_needed_when_a_version_2_field_says_something(fields: dict[str, Any], needed: bool) -> None:
    assert needs_mqmde(MQMD(**fields)) is needed


@pytest.mark.conformance("BEY-94")
@settings(deadline=None)
@given(md=_descriptors(), body=st.binary(max_size=50), written=st.sampled_from([(LITTLE, 1208), (BIG, 500)]))
def test_version_1_descriptor_with_extension_says_all_of_version_2(
    md: MQMD, body: bytes, written: tuple[int, int]
) -> None:
    first, data = prefix_mqmde(md, body, *written)
    assert (first.version, first.format, len(data)) == (1, "MQHMDE", 72 + len(body))
    assert not needs_mqmde(first.replace(version=2))
    assert strip_mqmde(first, data) == (md, body)
