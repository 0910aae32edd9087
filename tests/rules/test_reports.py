"""Reports and reply identifiers follow from the original's descriptor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import message as c
from mqtools.constants.structures import MQGI_NONE
from mqtools.rules import reports
from mqtools.rules.reports import report_data_wanted

from ..errors import fails
from .originals import DATA, NEW, A, original, report

GROUP = b"G" * 24


@pytest.mark.conformance("RPT-38", "RPT-20")
def test_descriptor_of_a_report() -> None:
    md, _ = report()
    assert md == original().replace(
        report=0,
        msg_type=c.MQMT_REPORT,
        expiry=-1,
        feedback=259,
        msg_id=NEW,
        correl_id=A,
        backout_count=0,
        reply_to_q="",
        reply_to_q_mgr="QM1",
        put_appl_type=c.MQAT_QMGR,
        put_appl_name="QM1",
        put_date="20261120",
        put_time="10111213",
        appl_origin_data="",
    )


def test_original_stays_as_it_was() -> None:
    md = original(msg_flags=c.MQMF_SEGMENT)
    report(md)
    assert md == original(msg_flags=c.MQMF_SEGMENT)


@pytest.mark.parametrize("remaining", [0, -1])
def test_an_expiry_that_has_run_out_is_not_inherited(remaining: int) -> None:
    md, _ = report(original(report=c.MQRO_PASS_DISCARD_AND_EXPIRY), feedback=258, remaining_expiry=remaining)
    assert md.expiry == c.MQEI_UNLIMITED


@pytest.mark.conformance("RPT-41")
@given(st.integers(0, 0xFFFFFFFF))
def test_a_report_asks_for_no_report(asked: int) -> None:
    md, _ = report(original(report=asked))
    assert all(report_data_wanted(md.report, kind) == 0 for kind in reports.REPORT_KINDS)
    assert not reports.makes_report(md, "cod")


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


def test_report_about_a_message_in_a_group_keeps_its_place_without_a_length() -> None:
    md, _ = report(original(group_id=GROUP, msg_seq_number=2, msg_flags=c.MQMF_LAST_MSG_IN_GROUP))
    assert (md.group_id, md.msg_seq_number, md.msg_flags) == (GROUP, 2, c.MQMF_LAST_MSG_IN_GROUP)
    assert md.original_length == c.MQOL_UNDEFINED


def test_report_about_a_whole_message_is_in_no_group() -> None:
    md, _ = report(original(version=1, group_id=GROUP, msg_seq_number=9, offset=5, msg_flags=1, original_length=7))
    assert (md.version, md.group_id, md.msg_seq_number) == (1, MQGI_NONE, 1)
    assert (md.offset, md.msg_flags, md.original_length) == (0, 0, -1)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [({"header_length": 251}, 2142), ({"header_length": -1}, 2142), ({"data_option": 4}, 2061)],
)
def test_arguments_that_cannot_be_are_refused(arguments: dict[str, object], reason: int) -> None:
    with fails(reason):
        report(**arguments)
