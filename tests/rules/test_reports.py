"""Reports and reply identifiers follow from the original's descriptor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import message as c
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.rules import reports
from mqtools.rules.reports import report_data_wanted

from .originals import DATA, NEW, A, original, report

GROUP = b"G" * 24
FEEDBACK = {"coa": 259, "cod": 260, "expiration": 258, "exception": 2053}


@pytest.mark.parametrize(
    ("option", "length"),
    [
        pytest.param(0, 0, id="nobody-asked"),
        pytest.param(1, 0, id="RPT-11"),
        pytest.param(2, 100, id="RPT-10"),
        pytest.param(3, 250, id="RPT-09"),
    ],
)
@pytest.mark.parametrize("kind", sorted(FEEDBACK))
def test_every_kind_carries_what_was_asked_for(kind: str, option: int, length: int) -> None:
    md, data = report(feedback=FEEDBACK[kind], data_option=option)
    assert data == DATA[:length]
    assert md.feedback == FEEDBACK[kind]


@pytest.mark.conformance("RPT-12")
def test_short_data_comes_whole() -> None:
    assert report(data=b"x" * 60, data_option=2)[1] == b"x" * 60


@pytest.mark.conformance("RSEG-10", "RSEG-11")
@pytest.mark.parametrize(("option", "length"), [(1, 36), (2, 136), (3, 286)])
def test_headers_come_in_addition_to_the_data(option: int, length: int) -> None:
    whole = b"H" * 36 + DATA
    md, data = report(original(format="MQHRF2"), whole, data_option=option, header_length=36)
    assert data == whole[:length]
    assert md.format == "MQHRF2"


@pytest.mark.conformance("RPT-38", "RPT-20")
def test_descriptor_of_a_report() -> None:
    md, _ = report()
    assert md == MQMD(
        report=0,
        msg_type=c.MQMT_REPORT,
        expiry=-1,
        feedback=259,
        encoding=273,
        coded_char_set_id=819,
        format="MQSTR",
        priority=7,
        persistence=1,
        msg_id=NEW,
        correl_id=A,
        backout_count=0,
        reply_to_q="",
        reply_to_q_mgr="QM1",
        user_identifier="ana",
        accounting_token=b"T" * 32,
        appl_identity_data="identity",
        put_appl_type=c.MQAT_QMGR,
        put_appl_name="QM1",
        put_date="20261120",
        put_time="10111213",
        appl_origin_data="",
    )


@pytest.mark.conformance("RPT-20")
@pytest.mark.parametrize("persistence", [0, 1])
def test_report_is_as_persistent_as_its_original(persistence: int) -> None:
    assert report(original(persistence=persistence))[0].persistence == persistence


def test_original_stays_as_it_was() -> None:
    md = original(msg_flags=c.MQMF_SEGMENT)
    report(md)
    assert md == original(msg_flags=c.MQMF_SEGMENT)


@pytest.mark.conformance("RPT-39", "ACT-22", "ACT-24")
@pytest.mark.parametrize(
    ("asked", "report_field", "expiry"),
    [
        (0, 0, -1),
        (c.MQRO_DISCARD_MSG, 0, -1),
        (c.MQRO_PASS_DISCARD_AND_EXPIRY, 0, 580),
        (c.MQRO_DISCARD_MSG | c.MQRO_PASS_DISCARD_AND_EXPIRY, c.MQRO_DISCARD_MSG, 580),
    ],
)
def test_discard_and_expiry_are_inherited_only_when_passed(asked: int, report_field: int, expiry: int) -> None:
    md, _ = report(original(report=c.MQRO_COD | asked), feedback=c.MQFB_COD)
    assert (md.report, md.expiry) == (report_field, expiry)


@pytest.mark.parametrize("remaining", [0, -1])
def test_an_expiry_that_has_run_out_is_not_inherited(remaining: int) -> None:
    md, _ = report(original(report=c.MQRO_PASS_DISCARD_AND_EXPIRY), feedback=258, remaining_expiry=remaining)
    assert md.expiry == c.MQEI_UNLIMITED


@pytest.mark.conformance("RPT-41")
@given(st.integers(0, 0xFFFFFFFF))
def test_a_report_asks_for_no_report(asked: int) -> None:
    md, _ = report(original(report=asked))
    assert all(report_data_wanted(md.report, kind) == 0 for kind in reports.REPORT_KINDS)
    assert not reports.makes_delivery_report(md)


@pytest.mark.conformance("TYPES-14")
def test_the_maker_is_named() -> None:
    long_name = "QUEUE.MANAGER.WITH.A.VERY.LONG.NAME"
    assert report(q_mgr_name=long_name)[0].put_appl_name == long_name[:28]
    channel, _ = report(put_appl_type=c.MQAT_CHANNEL_INITIATOR, put_appl_name="mqx channel")
    assert (channel.put_appl_type, channel.put_appl_name) == (30, "mqx channel")


@pytest.mark.conformance("RSEG-26", "RSEG-33", "RSEG-16")
def test_report_about_a_segment_is_a_segment() -> None:
    flags = c.MQMF_SEGMENT | c.MQMF_MSG_IN_GROUP
    segment = original(version=1, group_id=GROUP, msg_seq_number=4, offset=10, msg_flags=flags, original_length=250)
    md, data = report(segment, b"H" * 36 + DATA, header_length=36)
    assert (md.group_id, md.msg_seq_number, md.offset, md.msg_flags) == (GROUP, 4, 10, flags)
    assert (md.version, md.original_length, data) == (2, 250, b"H" * 36)


def test_length_of_a_segment_that_was_read_in_part_is_that_of_the_whole() -> None:
    segment = original(group_id=GROUP, msg_flags=c.MQMF_LAST_SEGMENT)
    md, data = report(segment, b"H" * 36 + DATA[:100], header_length=36, data_option=2, data_length=536)
    assert (md.original_length, len(data)) == (500, 136)


@pytest.mark.conformance("RSEG-08", "COMPL-28")
def test_each_segment_gives_a_hundred_bytes_of_its_own() -> None:
    lengths = [300, 300, 50]
    derived = [report(original(msg_flags=c.MQMF_SEGMENT), b"x" * n, data_option=2) for n in lengths]
    assert [md.original_length for md, _ in derived] == lengths
    assert [len(data) for _, data in derived] == [100, 100, 50]


def test_report_about_a_message_in_a_group_keeps_its_place_without_a_length() -> None:
    md, _ = report(original(group_id=GROUP, msg_seq_number=2, msg_flags=c.MQMF_LAST_MSG_IN_GROUP))
    assert (md.group_id, md.msg_seq_number, md.msg_flags) == (GROUP, 2, c.MQMF_LAST_MSG_IN_GROUP)
    assert md.original_length == c.MQOL_UNDEFINED


def test_report_about_a_whole_message_is_in_no_group() -> None:
    md, _ = report(original(version=1, group_id=GROUP, msg_seq_number=9, offset=5, msg_flags=1, original_length=7))
    assert (md.version, md.group_id, md.msg_seq_number) == (1, MQGI_NONE, 1)
    assert (md.offset, md.msg_flags, md.original_length) == (0, 0, -1)


@pytest.mark.conformance("RPT-31", "ACT-45")
@pytest.mark.parametrize("feedback", [0, -5, 1000000000])
def test_feedback_that_says_nothing_is_refused(feedback: int) -> None:
    with pytest.raises(MQError) as failure:
        report(feedback=feedback)
    assert failure.value.reason == 2014


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [({"header_length": 251}, 2142), ({"header_length": -1}, 2142), ({"data_option": 4}, 2061)],
)
def test_arguments_that_cannot_be_are_refused(arguments: dict[str, object], reason: int) -> None:
    with pytest.raises(MQError) as failure:
        report(**arguments)
    assert failure.value.reason == reason


@given(st.binary(max_size=300), st.integers(0, 3), st.integers(0, 300))
def test_report_data_is_a_beginning_of_the_original(data: bytes, option: int, header_length: int) -> None:
    header_length = min(header_length, len(data))
    _, carried = report(data=data, data_option=option, header_length=header_length)
    assert data.startswith(carried)
    assert len(carried) >= header_length
