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
from mqtools.rules.reports import derive_report, report_data_wanted

A, B, NEW = b"A" * 24, b"B" * 24, b"N" * 24
GROUP = b"G" * 24
DATA = bytes(range(250))

#: kind, plain, with data, with full data, patterns that are none of them
FAMILIES = [
    ("coa", 0x100, 0x300, 0x700, (0x200, 0x400, 0x500, 0x600)),
    ("cod", 0x800, 0x1800, 0x3800, (0x1000, 0x2000, 0x2800, 0x3000)),
    ("exception", 0x1000000, 0x3000000, 0x7000000, (0x2000000, 0x4000000, 0x5000000, 0x6000000)),
    ("expiration", 0x200000, 0x600000, 0xE00000, (0x400000, 0x800000, 0xA00000, 0xC00000)),
]
FEEDBACK = {"coa": 259, "cod": 260, "expiration": 258, "exception": 2053}


def original(**fields: object) -> MQMD:
    values: dict[str, object] = {
        "report": c.MQRO_COA,
        "expiry": 600,
        "encoding": 273,
        "coded_char_set_id": 819,
        "format": "MQSTR",
        "priority": 7,
        "persistence": 1,
        "msg_id": A,
        "correl_id": B,
        "backout_count": 3,
        "reply_to_q": "R",
        "reply_to_q_mgr": "QM2",
        "user_identifier": "ana",
        "accounting_token": b"T" * 32,
        "appl_identity_data": "identity",
        "put_appl_type": 6,
        "put_appl_name": "app",
        "put_date": "20260101",
        "put_time": "01020304",
        "appl_origin_data": "orig",
    }
    return MQMD(**{**values, **fields})  # type: ignore[arg-type]


def report(md: MQMD | None = None, data: bytes = DATA, **changes: object) -> tuple[MQMD, bytes]:
    arguments: dict[str, object] = {
        "feedback": c.MQFB_COA,
        "data_option": 1,
        "header_length": 0,
        "q_mgr_name": "QM1",
        "new_msg_id": NEW,
        "put_date": "20261120",
        "put_time": "10111213",
        "remaining_expiry": 580,
    }
    return derive_report(md or original(), data, **{**arguments, **changes})  # type: ignore[arg-type]


@pytest.mark.conformance("RPT-40")
@pytest.mark.parametrize(("kind", "plain", "with_data", "full", "invalid"), FAMILIES)
def test_options_are_compared_as_a_whole(
    kind: str, plain: int, with_data: int, full: int, invalid: tuple[int, ...]
) -> None:
    assert [report_data_wanted(v, kind) for v in (0, plain, with_data, full)] == [0, 1, 2, 3]
    assert [report_data_wanted(v, kind) for v in invalid] == [0, 0, 0, 0]


@pytest.mark.conformance("RPT-16")
@pytest.mark.parametrize(("kind", "plain", "with_data", "full", "invalid"), FAMILIES)
def test_a_family_asks_for_its_own_report_only(
    kind: str, plain: int, with_data: int, full: int, invalid: tuple[int, ...]
) -> None:
    for other in reports.REPORT_KINDS:
        for value in (plain, with_data, full, *invalid):
            if other != kind:
                assert report_data_wanted(value, other) == 0


@pytest.mark.conformance("RPT-13")
def test_several_kinds_can_be_asked_for_together() -> None:
    asked = c.MQRO_COA | c.MQRO_COD_WITH_DATA | c.MQRO_EXPIRATION_WITH_FULL_DATA | c.MQRO_PAN | c.MQRO_DISCARD_MSG
    wanted = {kind: report_data_wanted(asked, kind) for kind in reports.REPORT_KINDS}
    assert wanted == {"coa": 1, "cod": 2, "expiration": 3, "exception": 0, "pan": 1, "nan": 0, "activity": 0}


@pytest.mark.parametrize(
    ("asked", "exception"),
    [
        pytest.param(c.MQRO_COD | c.MQRO_EXCEPTION, 1, id="RPT-14"),
        pytest.param(c.MQRO_COD, 0, id="RPT-15"),
    ],
)
def test_delivery_report_does_not_imply_exception_report(asked: int, exception: int) -> None:
    assert report_data_wanted(asked, "cod") == 1
    assert report_data_wanted(asked, "exception") == exception


def test_a_kind_that_does_not_exist_is_refused() -> None:
    with pytest.raises(MQError) as failure:
        report_data_wanted(0, "arrival")
    assert failure.value.reason == 2061


@pytest.mark.parametrize(
    ("kind", "made_by"),
    [
        pytest.param("exception", {"message channel agent", "application"}, id="RPT-01"),
        pytest.param("expiration", {"queue manager"}, id="RPT-02"),
        pytest.param("coa", {"queue manager"}, id="RPT-03"),
        pytest.param("cod", {"queue manager"}, id="RPT-04"),
        pytest.param("pan", {"application"}, id="RPT-06"),
        pytest.param("nan", {"application"}, id="RPT-07"),
    ],
)
def test_each_kind_names_its_makers(kind: str, made_by: set[str]) -> None:
    assert set(reports.REPORT_KINDS[kind].made_by) == made_by


@pytest.mark.conformance("RPT-08")
def test_the_queue_manager_makes_neither_pan_nor_nan() -> None:
    md = original(report=c.MQRO_PAN | c.MQRO_NAN)
    assert not reports.makes_arrival_report(md)
    assert not reports.makes_delivery_report(md)


@pytest.mark.conformance("RPT-29", "RPT-30")
@pytest.mark.parametrize(
    ("feedback", "kind"),
    [
        (258, "expiration"),
        (259, "coa"),
        (260, "cod"),
        (269, "activity"),
        (275, "pan"),
        (276, "nan"),
        (2053, "exception"),
        (268, "exception"),
        (256, None),
        (0, None),
        (65536, None),
        (999999999, None),
    ],
)
def test_feedback_tells_the_kind_of_report(feedback: int, kind: str | None) -> None:
    assert reports.kind_of_feedback(feedback) == kind


@pytest.mark.conformance("RPT-37")
@pytest.mark.parametrize("format_name", ["MQDEAD", "MQXMIT"])
def test_no_arrival_or_delivery_report_for_a_message_in_transit(format_name: str) -> None:
    md = original(report=c.MQRO_COA | c.MQRO_COD)
    assert reports.makes_arrival_report(md)
    assert reports.makes_delivery_report(md)
    md.format = format_name
    assert not reports.makes_arrival_report(md)
    assert not reports.makes_delivery_report(md)


def test_arrival_and_delivery_are_asked_for_apart() -> None:
    assert not reports.makes_delivery_report(original(report=c.MQRO_COA_WITH_FULL_DATA))
    assert not reports.makes_arrival_report(original(report=c.MQRO_COD_WITH_DATA))


@pytest.mark.parametrize(
    ("exception", "discard", "report_sent", "becomes"),
    [
        pytest.param(False, False, False, "dead_letter", id="RPT-18-not-asked"),
        pytest.param(True, False, True, "dead_letter", id="RPT-18"),
        pytest.param(True, True, True, "discard", id="RPT-17"),
        pytest.param(False, True, False, "discard", id="RPT-19"),
    ],
)
def test_disposition_and_exception_report_are_independent(
    exception: bool, discard: bool, report_sent: bool, becomes: str
) -> None:
    asked = c.MQRO_EXCEPTION * exception | c.MQRO_DISCARD_MSG * discard
    assert (report_data_wanted(asked, "exception") > 0) is report_sent
    assert reports.disposition(asked) == becomes


@pytest.mark.parametrize(
    ("asked", "msg_id", "correl_id"),
    [
        pytest.param(0, NEW, A, id="RPT-24-RPT-26-TYPES-08-TYPES-10"),
        pytest.param(c.MQRO_PASS_MSG_ID, A, A, id="RPT-27-TYPES-11"),
        pytest.param(c.MQRO_PASS_CORREL_ID, NEW, B, id="RPT-25-TYPES-09"),
        pytest.param(c.MQRO_PASS_MSG_ID | c.MQRO_PASS_CORREL_ID, A, B, id="TYPES-12-TYPES-13-TYPES-17"),
    ],
)
def test_identifiers_follow_the_report_options(asked: int, msg_id: bytes, correl_id: bytes) -> None:
    md = original(report=c.MQRO_COA | asked)
    assert reports.derive_reply_ids(md, NEW) == (msg_id, correl_id)
    derived, _ = report(md)
    assert (derived.msg_id, derived.correl_id) == (msg_id, correl_id)
    field, value = reports.reply_match(md)
    assert {"msg_id": msg_id, "correl_id": correl_id}[field] == value


def test_replies_to_two_requests_are_told_apart_wherever_an_identifier_can_tell() -> None:
    for asked in (0, c.MQRO_PASS_MSG_ID, c.MQRO_PASS_MSG_ID | c.MQRO_PASS_CORREL_ID):
        one, other = original(report=asked), original(report=asked, msg_id=b"M" * 24)
        assert reports.reply_match(one) != reports.reply_match(other)


@pytest.mark.conformance("RSEG-31", "RSEG-32")
def test_an_mqmde_is_a_header_only_where_there_are_segments() -> None:
    extended, plain = original(format=c.MQFMT_MD_EXTENSION), original(format=c.MQFMT_RF_HEADER_2)
    assert reports.carried_headers(extended, 72, supports_segments=True) == 72
    assert reports.carried_headers(extended, 72, supports_segments=False) == 0
    assert reports.carried_headers(plain, 36, supports_segments=False) == 36


@pytest.mark.conformance("RPT-28")
def test_two_reports_share_a_passed_msg_id() -> None:
    md = original(report=c.MQRO_COA | c.MQRO_COD | c.MQRO_PASS_MSG_ID)
    arrival, _ = report(md, feedback=c.MQFB_COA)
    delivery, _ = report(md, feedback=c.MQFB_COD, new_msg_id=b"M" * 24)
    assert arrival.msg_id == delivery.msg_id == A
    assert (arrival.feedback, delivery.feedback) == (259, 260)


@pytest.mark.conformance("RPT-33", "TYPES-13")
def test_replies_and_reports_go_to_the_reply_to_queue() -> None:
    assert reports.reply_destination(original()) == ("R", "QM2")
    assert reports.reply_destination(MQMD()) == ("", "")


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
