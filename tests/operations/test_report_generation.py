"""Derivation of reports, replies and forwarded messages: descriptor, data, properties and target."""

from __future__ import annotations

from itertools import product

import pytest

from mqtools.constants import message as c
from mqtools.constants import reasons as rc
from mqtools.constants.properties import (
    MQCOPY_NONE,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from mqtools.constants.structures import MQMDE_LENGTH_2
from mqtools.headers.mqmde import unpack_mqmde
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.message import Message, Property
from mqtools.operations.reports.generation import FORWARD, REPLY, Order, check_order, derive

from ..errors import fails
from .originals import ANSWERS, OTHER, B, original


def made(order, message=None):
    return derive(order, message or original(), "QM1")


# What is made


@pytest.mark.conformance("RPT-06", "RPT-07", "RPT-29", "RPT-30")
@pytest.mark.parametrize(
    ("feedback", "asked", "is_asked"),
    [
        pytest.param(c.MQFB_PAN, c.MQRO_PAN, True, id="RPT-06"),
        pytest.param(c.MQFB_NAN, c.MQRO_NAN, True, id="RPT-07"),
        pytest.param(65600, c.MQRO_PAN, True, id="RPT-06-own-code"),
        pytest.param(65600, c.MQRO_NAN, True, id="RPT-07-own-code"),
        pytest.param(65600, 0, False, id="RPT-30"),
        pytest.param(c.MQFB_PAN, c.MQRO_NAN, False, id="pan-for-nan"),
        pytest.param(c.MQFB_COA, c.MQRO_COA, True, id="coa"),
        pytest.param(rc.MQRC_Q_FULL, c.MQRO_EXCEPTION, True, id="RPT-29"),
        pytest.param(rc.MQRC_Q_FULL, c.MQRO_PAN, False, id="exception-unasked"),
    ],
)
def test_report_carries_its_feedback_and_knows_whether_it_was_asked_for(feedback, asked, is_asked):
    report = made(Order(feedback=feedback), original(asked))
    md = report.message.md
    assert (md.msg_type, md.feedback, report.is_asked) == (c.MQMT_REPORT, feedback, is_asked)
    assert (report.q_name, report.q_mgr_name) == (ANSWERS, "QM1")


FAMILIES = {
    c.MQFB_COA: (c.MQRO_COA, c.MQRO_COA_WITH_DATA, c.MQRO_COA_WITH_FULL_DATA),
    c.MQFB_COD: (c.MQRO_COD, c.MQRO_COD_WITH_DATA, c.MQRO_COD_WITH_FULL_DATA),
    c.MQFB_EXPIRATION: (c.MQRO_EXPIRATION, c.MQRO_EXPIRATION_WITH_DATA, c.MQRO_EXPIRATION_WITH_FULL_DATA),
    rc.MQRC_Q_FULL: (c.MQRO_EXCEPTION, c.MQRO_EXCEPTION_WITH_DATA, c.MQRO_EXCEPTION_WITH_FULL_DATA),
}


@pytest.mark.conformance("ACT-47", "RPT-11", "AMB-04")
@pytest.mark.parametrize(("feedback", "amount"), list(product(FAMILIES, range(3))))
def test_the_originals_own_option_decides_how_much_of_its_data_a_report_has(feedback, amount):
    asked = FAMILIES[feedback][amount] | c.MQRO_PAN
    for other, options in FAMILIES.items():
        asked |= options[2 - amount] if other != feedback else 0
    report = made(Order(feedback=feedback), original(asked, data=b"x" * 250))
    assert report.message.data == b"x" * (0, 100, 250)[amount]


@pytest.mark.parametrize("feedback", [c.MQFB_PAN, c.MQFB_NAN, 65600, c.MQFB_COA])
def test_a_report_has_no_data_where_nothing_says_otherwise(feedback):
    assert made(Order(feedback=feedback), original(c.MQRO_PAN | c.MQRO_NAN)).message.data == b""


def test_given_text_is_the_data_of_a_report_in_utf_8():
    report = made(Order(feedback=c.MQFB_NAN, text="nö"), original(data=b"\xc8", format="BIN", coded_char_set_id=500))
    md = report.message.md
    assert (report.message.data, md.format, md.coded_char_set_id) == ("nö".encode(), "MQSTR", 1208)


def test_given_bytes_that_are_no_text_have_no_format():
    assert made(Order(REPLY, data=b"\xff\0")).message.md.format == ""


def with_rfh2(body):
    header = pack_mqrfh2(MQRFH2(encoding=273, coded_char_set_id=500, format="MQSTR"), 546, 1208)
    return header, Message(header + body, original().md.replace(format="MQHRF2", encoding=546))


@pytest.mark.conformance("RSEG-10", "RSEG-11")
@pytest.mark.parametrize(("asked", "body"), [(0, 0), (c.MQRO_COA, 0), (0x300, 100), (0x700, 250)])
def test_headers_in_front_of_the_data_always_go_into_a_report(asked, body):
    header, message = with_rfh2(b"x" * 250)
    message.md.report = asked
    report = made(Order(feedback=c.MQFB_COA), message)
    assert report.message.data == header + b"x" * body
    assert report.message.md.format == "MQHRF2"


@pytest.mark.conformance("RSEG-10")
def test_given_text_stands_behind_the_headers_in_their_character_set():
    header, message = with_rfh2(b"old")
    assert made(Order(feedback=c.MQFB_NAN, text="new"), message).message.data == header + "new".encode("cp500")


@pytest.mark.conformance("RSEG-16", "RSEG-33", "ACT-42")
def test_report_about_a_segment_is_a_segment_of_the_same_place():
    place = {"group_id": B, "msg_seq_number": 2, "offset": 10, "msg_flags": c.MQMF_SEGMENT}
    md = made(Order(feedback=c.MQFB_PAN), original(data=b"x" * 20, **place)).message.md
    assert {name: getattr(md, name) for name in place} == place
    assert md.original_length == 20


@pytest.mark.conformance("RSEG-15")
@pytest.mark.parametrize(
    "flags",
    [
        c.MQMF_SEGMENT,
        c.MQMF_LAST_SEGMENT,
        c.MQMF_MSG_IN_GROUP,
        c.MQMF_LAST_MSG_IN_GROUP,
        c.MQMF_SEGMENTATION_ALLOWED,
    ],
)
def test_report_put_with_a_version_1_descriptor_begins_with_an_mqmde(flags):
    place = {"group_id": B, "msg_seq_number": 2, "offset": 10, "msg_flags": flags}
    asked = original(c.MQRO_NAN, data=b"x" * 20, **place)
    usual = made(Order(feedback=c.MQFB_NAN, text="no"), asked).message
    message = made(Order(feedback=c.MQFB_NAN, text="no", md_version=1), asked).message
    assert (message.md.version, message.md.format, message.data[:4]) == (1, "MQHMDE", b"MDE ")
    extension = unpack_mqmde(message.data, message.md.encoding, message.md.coded_char_set_id)
    for name in ("group_id", "msg_seq_number", "offset", "msg_flags", "original_length", "format"):
        assert getattr(extension, name) == getattr(usual.md, name)
    assert message.data[MQMDE_LENGTH_2:] == usual.data
    assert (message.md.msg_flags, message.md.original_length) == (0, -1)


@pytest.mark.conformance("RSEG-15")
@pytest.mark.parametrize("order", [Order(feedback=c.MQFB_NAN, md_version=1), Order(REPLY, text="y", md_version=1)])
def test_version_1_has_no_mqmde_where_there_is_nothing_to_say_in_it(order):
    message = made(order).message
    assert (message.md.version, message.md.format in ("MQSTR", "")) == (1, True)
    grouped = made(Order(REPLY, md_version=1), original(group_id=B, msg_flags=c.MQMF_MSG_IN_GROUP)).message
    assert (grouped.md.version, grouped.data) == (1, b"")


def test_reply_can_carry_feedback():
    assert made(Order(REPLY, feedback=65600)).message.md.feedback == 65600


@pytest.mark.conformance("TYPES-16", "ACT-12")
def test_forward_leaves_the_message_as_it_is():
    message = original(c.MQRO_COA | c.MQRO_PASS_CORREL_ID, expiry=600)
    forwarded = made(Order(FORWARD, to_q=OTHER, to_q_mgr="QM2"), message)
    assert forwarded.message == message
    assert (forwarded.q_name, forwarded.q_mgr_name) == (OTHER, "QM2")


def test_text_of_a_forward_is_written_as_the_original_was():
    message = original(data="old".encode("cp500"), coded_char_set_id=500)
    forwarded = made(Order(FORWARD, to_q=OTHER, text="new"), message).message
    assert (forwarded.data, forwarded.md) == ("new".encode("cp500"), message.md)


def test_text_that_the_originals_character_set_has_not_is_refused():
    with fails(rc.MQRC_NOT_CONVERTED):
        made(Order(FORWARD, to_q=OTHER, text="Ω"), original(coded_char_set_id=819))


@pytest.mark.conformance("ACT-16", "ACT-17", "ACT-18", "ACT-19")
def test_properties_of_the_order_win_and_a_null_takes_away():
    message = original()
    message.properties = {
        "old": Property(MQTYPE_STRING, "1"),
        "gone": Property(MQTYPE_STRING, "1"),
        "private": Property(MQTYPE_STRING, "1", copy_options=MQCOPY_NONE),
    }
    null = Property(MQTYPE_NULL, None)
    given = {"old": Property(MQTYPE_STRING, "2"), "private": Property(MQTYPE_STRING, "3"), "gone": null, "new": null}
    properties = made(Order(FORWARD, to_q=OTHER, properties=given), message).message.properties
    assert {name: value.value for name, value in properties.items()} == {"old": "2", "private": "3", "new": None}


def test_to_overrides_the_reply_to_queue_and_its_queue_manager():
    report = made(Order(feedback=c.MQFB_PAN, to_q=OTHER))
    assert (report.q_name, report.q_mgr_name) == (OTHER, "")


@pytest.mark.parametrize("order", [Order(feedback=c.MQFB_PAN), Order(REPLY)], ids=["report", "reply"])
def test_without_any_reply_to_queue_there_is_nowhere_to_go(order):
    with fails(rc.MQRC_MISSING_REPLY_TO_Q):
        made(order, original(reply_to_q=""))


@pytest.mark.conformance("ACT-45")
@pytest.mark.parametrize("feedback", [None, c.MQFB_NONE])
def test_a_report_needs_feedback(feedback):
    for call in (check_order, made):
        with fails(rc.MQRC_FEEDBACK_ERROR):
            call(Order(feedback=feedback))
    check_order(Order(REPLY, feedback=feedback))
