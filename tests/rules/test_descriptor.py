"""Descriptors accepted by a put, and the reasons for which others are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import message as c
from mqtools.constants import reasons as rc
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.rules.descriptor import (
    REPORT_FAMILIES,
    asks_for_report,
    check_descriptor,
    report_kind,
)

from ..errors import fails

SEGMENT_REPORT = {"msg_type": c.MQMT_REPORT, "msg_flags": c.MQMF_SEGMENT}
LAST_SEGMENT_REPORT = {"msg_type": c.MQMT_REPORT, "msg_flags": c.MQMF_LAST_SEGMENT}

#: Fields that a put refuses, and its reason; ten bytes of data, a local queue.
REFUSED = [
    pytest.param({"msg_type": 0}, rc.MQRC_MSG_TYPE_ERROR, id="TYPES-03-zero"),
    pytest.param({"msg_type": -1}, rc.MQRC_MSG_TYPE_ERROR, id="TYPES-03-negative"),
    pytest.param({"msg_type": 1_000_000_000}, rc.MQRC_MSG_TYPE_ERROR, id="TYPES-03-too-large"),
    pytest.param({"expiry": 0}, rc.MQRC_EXPIRY_ERROR, id="BEY-29-zero"),
    pytest.param({"expiry": -2}, rc.MQRC_EXPIRY_ERROR, id="BEY-29-negative"),
    pytest.param({"feedback": -5}, rc.MQRC_FEEDBACK_ERROR, id="RPT-31-negative"),
    pytest.param({"feedback": 1_000_000_000}, rc.MQRC_FEEDBACK_ERROR, id="RPT-31-too-large"),
    pytest.param(
        {"feedback": -5, "msg_type": c.MQMT_REPORT}, rc.MQRC_FEEDBACK_ERROR, id="RPT-31-whatever-the-type"
    ),
    pytest.param({"priority": -2}, rc.MQRC_PRIORITY_ERROR, id="BEY-44-negative"),
    pytest.param({"persistence": -1}, rc.MQRC_PERSISTENCE_ERROR, id="persistence-as-parent"),
    pytest.param({"persistence": 3}, rc.MQRC_PERSISTENCE_ERROR, id="persistence-3"),
    pytest.param({"report": 0x10000000}, rc.MQRC_REPORT_OPTIONS_ERROR, id="report-bit-of-the-reject-mask"),
    pytest.param({"report": 0x00008000}, rc.MQRC_REPORT_OPTIONS_ERROR, id="report-bit-of-the-xmit-mask"),
    pytest.param({"report": 0x10000008}, rc.MQRC_REPORT_OPTIONS_ERROR, id="report-failure-before-warning"),
    pytest.param({"report": 1 << 40}, rc.MQRC_REPORT_OPTIONS_ERROR, id="report-of-more-than-32-bits"),
    pytest.param({"msg_type": c.MQMT_REQUEST}, rc.MQRC_MISSING_REPLY_TO_Q, id="TYPES-06"),
    pytest.param({"msg_type": c.MQMT_REQUEST, "reply_to_q": "  "}, rc.MQRC_MISSING_REPLY_TO_Q, id="TYPES-06-blanks"),
    pytest.param({"report": c.MQRO_COA}, rc.MQRC_MISSING_REPLY_TO_Q, id="TYPES-05"),
    pytest.param({"msg_flags": 0x00000020}, rc.MQRC_MSG_FLAGS_ERROR, id="flag-of-the-reject-mask"),
    pytest.param({"msg_flags": 0x00001000}, rc.MQRC_MSG_FLAGS_ERROR, id="flag-of-the-xmit-mask"),
    pytest.param({"msg_flags": 1 << 40}, rc.MQRC_MSG_FLAGS_ERROR, id="flags-of-more-than-32-bits"),
    pytest.param({"msg_seq_number": 0}, rc.MQRC_MSG_SEQ_NUMBER_ERROR, id="BEY-19-sequence-zero"),
    pytest.param({"msg_seq_number": 1_000_000_000}, rc.MQRC_MSG_SEQ_NUMBER_ERROR, id="BEY-19-sequence-too-large"),
    pytest.param({"offset": -1}, rc.MQRC_OFFSET_ERROR, id="BEY-19-offset-negative"),
    pytest.param({"offset": 1_000_000_000}, rc.MQRC_OFFSET_ERROR, id="BEY-19-offset-too-large"),
    pytest.param(
        {"offset": 999_999_990, "msg_flags": c.MQMF_SEGMENT}, rc.MQRC_OFFSET_ERROR, id="segment-ends-too-far"
    ),
    pytest.param(SEGMENT_REPORT | {"original_length": 5}, rc.MQRC_ORIGINAL_LENGTH_ERROR, id="RSEG-35"),
    pytest.param(SEGMENT_REPORT, rc.MQRC_ORIGINAL_LENGTH_ERROR, id="RSEG-35-undefined"),
    pytest.param(LAST_SEGMENT_REPORT | {"original_length": 9}, rc.MQRC_ORIGINAL_LENGTH_ERROR, id="RSEG-35-last"),
    pytest.param({"version": 0}, rc.MQRC_MD_ERROR, id="version-0"),
    pytest.param({"version": 3}, rc.MQRC_MD_ERROR, id="version-3"),
    pytest.param({"priority": 2**31}, rc.MQRC_PRIORITY_ERROR, id="priority-no-mqlong"),
    pytest.param({"expiry": 2**31}, rc.MQRC_EXPIRY_ERROR, id="expiry-no-mqlong"),
    pytest.param({"encoding": 2**31}, rc.MQRC_MD_ERROR, id="encoding-no-mqlong"),
    pytest.param({"coded_char_set_id": -(2**31) - 1}, rc.MQRC_MD_ERROR, id="ccsid-no-mqlong"),
    pytest.param({"original_length": 10**30}, rc.MQRC_MD_ERROR, id="original-length-no-mqlong"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "reason"), REFUSED)
def test_put_refuses(fields, reason):
    with fails(reason):
        check_descriptor(MQMD(**fields), data_length=10)


ACCEPTED = [
    pytest.param({}, id="initial-values"),
    pytest.param({"msg_type": c.MQMT_REPLY}, id="TYPES-01-reply"),
    pytest.param({"msg_type": c.MQMT_REPORT}, id="TYPES-01-report"),
    pytest.param({"msg_type": c.MQMT_REQUEST, "reply_to_q": "REPLIES"}, id="TYPES-01-request"),
    pytest.param({"msg_type": 65536}, id="TYPES-02-first"),
    pytest.param({"msg_type": 999_999_999}, id="TYPES-02-last"),
    pytest.param({"msg_type": c.MQMT_DATAGRAM, "report": c.MQRO_NONE}, id="TYPES-04"),
    pytest.param({"report": c.MQRO_COA_WITH_DATA | c.MQRO_PAN, "reply_to_q": "R"}, id="RPT-22-with-a-queue"),
    pytest.param({"report": c.MQRO_PASS_MSG_ID | c.MQRO_PASS_CORREL_ID}, id="id-options-need-no-queue"),
    pytest.param({"report": c.MQRO_DISCARD_MSG | c.MQRO_PASS_DISCARD_AND_EXPIRY}, id="disposition-needs-no-queue"),
    pytest.param({"expiry": 1}, id="BEY-29-smallest"),
    pytest.param({"feedback": 1}, id="RPT-31-system-first"),
    pytest.param({"feedback": 999_999_999}, id="RPT-31-application-last"),
    pytest.param({"priority": 0}, id="BEY-44-lowest"),
    pytest.param({"priority": 9}, id="BEY-44-highest"),
    pytest.param({"persistence": c.MQPER_PERSISTENT}, id="persistent"),
    pytest.param({"msg_flags": 0x1F}, id="all-known-flags"),
    pytest.param({"msg_flags": 0x00100000}, id="flag-of-the-accept-mask-is-silent"),
    pytest.param({"msg_flags": -0x80000000}, id="signed-flag-of-the-accept-mask"),
    pytest.param({"msg_seq_number": 999_999_999, "offset": 999_999_999}, id="BEY-19-last"),
    pytest.param({"original_length": 3}, id="original-length-ignored-outside-segment-reports"),
    pytest.param(SEGMENT_REPORT | {"original_length": 10}, id="RSEG-35-just-enough"),
    pytest.param({"format": "MQSTR   " + " " * 20}, id="trailing-blanks-do-not-count"),
    pytest.param({"version": 1}, id="version-1"),
    pytest.param({"version": 1, "msg_flags": 0x20, "msg_seq_number": 0, "offset": -1}, id="version-1-has-no-position"),
]  # fmt: skip


@pytest.mark.parametrize("fields", ACCEPTED)
def test_put_accepts_without_a_warning(fields):
    assert check_descriptor(MQMD(**fields), data_length=10) == rc.MQRC_NONE


WARNED = [
    pytest.param({"priority": 12}, rc.MQRC_PRIORITY_EXCEEDS_MAXIMUM, id="BEY-44"),
    pytest.param({"report": 0x00000008}, rc.MQRC_UNKNOWN_REPORT_OPTION, id="bit-of-the-accept-mask"),
    pytest.param({"report": -0x80000000}, rc.MQRC_UNKNOWN_REPORT_OPTION, id="signed-bit-of-the-accept-mask"),
    pytest.param({"report": 8, "priority": 12}, rc.MQRC_UNKNOWN_REPORT_OPTION, id="the-option-goes-first"),
]


@pytest.mark.parametrize(("fields", "reason"), WARNED)
def test_put_accepts_with_a_warning(fields, reason):
    assert check_descriptor(MQMD(**fields), data_length=10) == reason


@pytest.mark.conformance("RSEG-34")
def test_report_about_a_segment_needs_no_data():
    assert check_descriptor(MQMD(**SEGMENT_REPORT, original_length=20), data_length=0) == rc.MQRC_NONE
    assert check_descriptor(MQMD(**LAST_SEGMENT_REPORT, original_length=0), data_length=0) == rc.MQRC_NONE


@pytest.mark.conformance("RSEG-35")
def test_report_about_a_segment_other_than_the_last_cannot_be_about_nothing():
    with fails(rc.MQRC_ORIGINAL_LENGTH_ERROR):
        check_descriptor(MQMD(**SEGMENT_REPORT, original_length=0), data_length=0)


def patterns(option):
    """Every pattern of a family but the four that mean something."""
    return [option * bits for bits in (2, 4, 5, 6)]


@pytest.mark.conformance("RPT-40")
@pytest.mark.parametrize("report", patterns(c.MQRO_COA) + patterns(c.MQRO_COD), ids=hex)
def test_broken_arrival_or_delivery_option_is_refused_unless_remote(report):
    md = MQMD(report=report)

    with fails(rc.MQRC_REPORT_OPTIONS_ERROR):
        check_descriptor(md, data_length=1)
    assert check_descriptor(md, data_length=1, to_remote=True) == rc.MQRC_UNKNOWN_REPORT_OPTION


@pytest.mark.conformance("RPT-40")
@pytest.mark.parametrize("report", patterns(c.MQRO_EXCEPTION) + patterns(c.MQRO_EXPIRATION), ids=hex)
def test_broken_exception_or_expiration_option_is_accepted_with_a_warning(report):
    assert not asks_for_report(report)
    assert check_descriptor(MQMD(report=report), data_length=1) == rc.MQRC_UNKNOWN_REPORT_OPTION


def test_options_for_a_transmission_queue_are_judged_at_the_far_end():
    assert check_descriptor(MQMD(report=0x8000), data_length=1, to_remote=True) == rc.MQRC_UNKNOWN_REPORT_OPTION
    assert check_descriptor(MQMD(msg_flags=0x1000), data_length=1, to_remote=True) == rc.MQRC_NONE
    with pytest.raises(MQError):
        check_descriptor(MQMD(report=0x00040000), data_length=1, to_remote=True)
    with pytest.raises(MQError):
        check_descriptor(MQMD(msg_flags=0x800), data_length=1, to_remote=True)


@pytest.mark.parametrize("field", ["msg_id", "correl_id", "group_id", "accounting_token"])
@pytest.mark.parametrize("change", [-1, 1], ids=["short", "long"])
def test_identifier_of_wrong_length_is_refused_by_name(field, change):
    length = len(getattr(MQMD(), field)) + change

    with fails(rc.MQRC_MD_ERROR, "".join(p.capitalize() for p in field.split("_"))):
        check_descriptor(MQMD(**{field: b"x" * length}), data_length=1)


LENGTHS = [
    ("format", 8), ("reply_to_q", 48), ("reply_to_q_mgr", 48), ("user_identifier", 12), ("appl_identity_data", 32),
    ("put_appl_name", 28), ("put_date", 8), ("put_time", 8), ("appl_origin_data", 4),
]  # fmt: skip


@pytest.mark.parametrize(("field", "length"), LENGTHS)
def test_text_longer_than_its_field_is_refused_by_name(field, length):
    assert check_descriptor(MQMD(**{field: "x" * length}), data_length=1) == rc.MQRC_NONE

    with fails(rc.MQRC_MD_ERROR, "".join(p.capitalize() for p in field.split("_"))):
        check_descriptor(MQMD(**{field: "x" * (length + 1)}), data_length=1)


@pytest.mark.parametrize("option", REPORT_FAMILIES, ids=hex)
def test_kinds_of_a_family_are_told_apart(option):
    mask = REPORT_FAMILIES[option]
    others = 0xFFFFFFFF & ~mask

    assert [report_kind(option * bits | others, mask) for bits in range(8)] == [0, 1, 0, 2, 0, 0, 0, 3]


@given(report=st.integers(-(1 << 31), (1 << 32) - 1), to_remote=st.booleans())
def test_any_report_word_is_accepted_warned_of_or_refused_by_the_masks(report, to_remote):
    known = (0, 1, 3, 7)
    unknown = report & ~0x0FE07FC7
    for shift in (8, 11, 21, 24):
        if report >> shift & 7 not in known:
            unknown |= report & 7 << shift
    refused = unknown & 0x101C0000 or (unknown & 0x0003FF00 and not to_remote)

    expected = rc.MQRC_REPORT_OPTIONS_ERROR if refused else rc.MQRC_UNKNOWN_REPORT_OPTION if unknown else rc.MQRC_NONE

    assert reason_of_put(MQMD(report=report, reply_to_q="R"), to_remote) == expected


def reason_of_put(md, to_remote):
    try:
        return check_descriptor(md, data_length=1, to_remote=to_remote)
    except MQError as error:
        return error.reason


def test_check_leaves_the_descriptor_as_it_is():
    md = MQMD(priority=12, msg_flags=c.MQMF_LAST_SEGMENT)

    check_descriptor(md, data_length=1)

    assert md == MQMD(priority=12, msg_flags=c.MQMF_LAST_SEGMENT)
