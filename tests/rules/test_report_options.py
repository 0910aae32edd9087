"""Report options and feedback: which reports they ask for, and which identifiers replies take over."""

from __future__ import annotations

import pytest

from mqtools.constants import message as c
from mqtools.message import MQMD
from mqtools.rules import reports
from mqtools.rules.reports import report_data_wanted

from ..errors import fails
from .originals import original

#: kind, plain, with data, with full data, patterns that are none of them
FAMILIES = [
    ("coa", 0x100, 0x300, 0x700, (0x200, 0x400, 0x500, 0x600)),
    ("cod", 0x800, 0x1800, 0x3800, (0x1000, 0x2000, 0x2800, 0x3000)),
    ("exception", 0x1000000, 0x3000000, 0x7000000, (0x2000000, 0x4000000, 0x5000000, 0x6000000)),
    ("expiration", 0x200000, 0x600000, 0xE00000, (0x400000, 0x800000, 0xA00000, 0xC00000)),
]


@pytest.mark.conformance("RPT-40")
@pytest.mark.parametrize(("kind", "plain", "with_data", "full", "invalid"), FAMILIES)
def test_options_are_compared_as_a_whole(
    kind: str, plain: int, with_data: int, full: int, invalid: tuple[int, ...]
) -> None:
    assert [report_data_wanted(v, kind) for v in (0, plain, with_data, full)] == [0, 1, 2, 3]
    assert [report_data_wanted(v, kind) for v in invalid] == [0, 0, 0, 0]


def test_a_kind_that_does_not_exist_is_refused() -> None:
    with fails(2061):
        report_data_wanted(0, "arrival")


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


@pytest.mark.conformance("RPT-33", "TYPES-13")
def test_replies_and_reports_go_to_the_reply_to_queue() -> None:
    assert reports.reply_destination(original()) == ("R", "QM2")
    assert reports.reply_destination(MQMD()) == ("", "")
