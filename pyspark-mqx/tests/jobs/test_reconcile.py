"""Reconcile: what became of each original. One run has the originals and reports of all cases; a test looks at its own.

Numbers stand for messages: all bytes of their identifiers are that number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pyspark.sql import functions as F
from pyspark_mqx.jobs import reconcile, report_positions

from mqtools.constants import message as c
from mqtools.constants.reasons import MQRC_PUT_INHIBITED, MQRC_Q_FULL
from mqtools.headers.mqmde import MQMDE, pack_mqmde, prefix_mqmde
from mqtools.message import MQMD
from mqtools.rules.report_outcomes import report_place

pytestmark = pytest.mark.usefixtures("spark")

Laid = tuple[bytes, dict[str, Any]]
Case = tuple[Sequence[Laid], Sequence[Laid]]
Frame = Callable[..., Any]
Rows = dict[int, Any]

NONE = "00" * 24
LAST = c.MQMF_SEGMENT | c.MQMF_LAST_SEGMENT
PLACE = ("group_id", "msg_seq_number", "offset", "msg_flags", "original_length")


def ident(number: int) -> bytes:
    return bytes([number]) * 24


def message(number: int, length: int = 4, **fields: Any) -> Laid:
    return b"x" * length, {"msg_type": c.MQMT_DATAGRAM, "msg_id": ident(number), **fields}


def segment(number: int, group: int, offset: int, length: int, flags: int = c.MQMF_SEGMENT) -> Laid:
    fields = {"group_id": ident(group), "msg_flags": flags, "offset": offset, "original_length": length}
    return message(number, length, report=c.MQRO_COD, **fields)


def report(about: int, feedback: int, **fields: Any) -> Laid:
    return b"", {"msg_type": c.MQMT_REPORT, "feedback": feedback, "correl_id": ident(about), **fields}


def report_on(original: Laid, number: int, feedback: int, encoding: int, ccsid: int) -> Laid:
    """The report on a segment as it is where there are no segments: its place stands in its data."""
    place = {name: value for name, value in original[1].items() if name in PLACE}
    md, data = prefix_mqmde(MQMD(version=2, **report(number, feedback, **place)[1]), b"", encoding, ccsid)
    return data, {name: getattr(md, name) for name in MQMD.__slots__}


BOTH = c.MQRO_COA | c.MQRO_COD
PROVED: Case = (
    [*(message(n, report=BOTH) for n in range(1, 8)), message(8), message(9, report=BOTH)],
    [
        report(1, c.MQFB_COA),
        report(2, c.MQFB_COA),
        report(2, c.MQFB_COD),
        report(3, c.MQFB_COD),
        report(3, c.MQFB_PAN),
        report(4, c.MQFB_COD),
        report(4, c.MQFB_NAN),
        report(5, c.MQFB_COA),
        report(5, MQRC_Q_FULL),
        report(6, c.MQFB_EXPIRATION),
        report(9, 70_000),  # an application's own feedback proves nothing
        report(10, c.MQFB_COD),
        (b"", {"msg_type": c.MQMT_REPLY, "correl_id": ident(7)}),  # a reply is no report
    ],
)

PASSES = c.MQRO_COD | c.MQRO_PASS_CORREL_ID
PASSED: Case = (
    [
        message(21, report=PASSES, correl_id=ident(25)),
        message(22, report=PASSES | c.MQRO_PASS_MSG_ID, correl_id=ident(26)),
    ],
    [
        report(25, c.MQFB_COD),
        report(26, c.MQFB_COD, msg_id=ident(22)),
        report(26, c.MQFB_COD, msg_id=ident(23)),  # of another with this CorrelId
    ],
)

IN_GROUP = {"group_id": ident(30), "report": c.MQRO_COD, "msg_flags": c.MQMF_MSG_IN_GROUP}
IN_PARTS: Case = (
    [
        segment(31, 30, 0, 10),
        segment(32, 30, 10, 10, LAST),
        message(33, msg_seq_number=2, **IN_GROUP),
        message(34, msg_seq_number=3, **{**IN_GROUP, "msg_flags": c.MQMF_MSG_IN_GROUP | c.MQMF_LAST_MSG_IN_GROUP}),
    ],
    [
        report(31, c.MQFB_COD, msg_flags=LAST, original_length=20, group_id=ident(30)),  # one for all of it
        report(33, MQRC_Q_FULL, msg_seq_number=2, **IN_GROUP),
        report(39, c.MQFB_COA, msg_seq_number=9, **IN_GROUP),
    ],
)

EMPTY_LAST: Case = (
    [segment(41, 40, 0, 10), segment(42, 40, 10, 0, LAST)],
    [report(41, c.MQFB_COD, msg_flags=c.MQMF_SEGMENT, original_length=10, group_id=ident(40))],
)

SEGMENTS = [segment(51 + n, 50, 10 * n, 10) for n in range(4)]
DATA, CUT = report_on(SEGMENTS[2], 63, c.MQFB_COD, 273, 500)
IN_ITS_DATA: Case = (
    SEGMENTS,
    [
        report_on(SEGMENTS[0], 61, c.MQFB_COD, 546, 1208),
        report_on(SEGMENTS[1], 62, c.MQFB_EXPIRATION, 273, 500),
        (DATA[:71], CUT),
        (b"", {**CUT, "correl_id": ident(64)}),
        report(65, c.MQFB_COD, msg_flags=LAST, offset=2**31 - 1, original_length=2**31 - 1, group_id=ident(50)),
    ],
)

PASSED_IN_GROUP = {**IN_GROUP, "group_id": ident(70), "report": PASSES}
NAMED: Case = (
    [
        message(71, **{**IN_GROUP, "group_id": ident(70)}),
        message(
            72, msg_seq_number=2, **{**PASSED_IN_GROUP, "report": PASSES | c.MQRO_PASS_MSG_ID}, correl_id=ident(76)
        ),
        message(73, msg_seq_number=3, **PASSED_IN_GROUP, correl_id=ident(77)),
        message(74, msg_seq_number=4, **PASSED_IN_GROUP, correl_id=ident(77)),
        segment(81, 80, 0, 10),
        segment(82, 80, 10, 0, LAST),
    ],
    [
        report(71, c.MQFB_PAN),
        report(71, c.MQFB_COD, **{**IN_GROUP, "group_id": ident(70)}),
        report(76, c.MQFB_NAN, msg_id=ident(72)),
        report(77, c.MQFB_PAN),  # about one of two
        report(81, c.MQFB_COD),
    ],
)

MISSING: Case = (
    [],
    [
        report(91, c.MQFB_COA, msg_flags=c.MQMF_SEGMENT, original_length=10, group_id=ident(90)),
        report(91, c.MQFB_COD, msg_flags=LAST, original_length=20, group_id=ident(90)),  # one for all of it
        report(92, c.MQFB_COA, msg_flags=LAST, offset=10, original_length=10, group_id=ident(90)),
    ],
)

SHARED: Case = (
    [
        *(message(n, report=PASSES, correl_id=ident(105)) for n in (101, 102)),
        *(message(n, report=PASSES | c.MQRO_COA, correl_id=ident(115)) for n in (111, 112)),
        message(121, report=c.MQRO_COA),
        message(122, report=PASSES, correl_id=ident(121)),  # a reply to it
        message(123, correl_id=ident(121)),
        *(message(n, report=PASSES | c.MQRO_EXCEPTION, correl_id=ident(135)) for n in (131, 132)),
    ],
    [
        *(report(105, c.MQFB_COD, msg_id=ident(106)) for _ in range(2)),  # about one of two, archived twice
        *(report(115, c.MQFB_COD, msg_id=ident(n)) for n in (116, 117)),
        report(115, c.MQFB_COA, msg_id=ident(118)),
        report(121, c.MQFB_COD, msg_id=ident(124)),
        report(135, MQRC_Q_FULL, msg_id=ident(136)),
        report(135, MQRC_PUT_INHIBITED, msg_id=ident(137)),
    ],
)

CASES = (PROVED, PASSED, IN_PARTS, EMPTY_LAST, IN_ITS_DATA, NAMED, MISSING, SHARED)


@pytest.fixture(scope="module")
def rows(frame: Frame) -> Rows:
    """The rows of all cases, by the numbers of their messages."""
    return reconciled(frame, *([one for case in CASES for one in case[side]] for side in (0, 1)))


def reconciled(frame: Frame, originals: Sequence[Laid], reports: Sequence[Laid]) -> Rows:
    """The rows of some originals and reports, by the numbers of their messages."""
    sent, about = frame(reconcile.NEEDED, *originals), frame(reconcile.NEEDED, *reports)
    found = reconcile.reconcile(sent, about, frame(reconcile.EXTENDED, *reports)).collect()
    numbered = {int(row.msg_id[:2], 16): row for row in found}
    assert len(numbered) == len(found)
    return numbered


def outcomes(rows: Rows, *numbers: int) -> dict[int, str]:
    """Outcome by number; that of a report without an original has a sign."""
    return {number: f"{row.outcome}{' *' * row.orphan}" for number, row in rows.items() if number in numbers}


def test_each_original_has_the_first_outcome_that_is_proved(rows: Rows) -> None:
    assert outcomes(rows, *range(1, 20)) == {
        1: "arrived",
        2: "delivered",
        3: "acted",
        4: "refused",
        5: "failed",
        6: "expired",
        7: "silent",
        8: "unasked",
        9: "silent",
        10: "delivered *",
    }
    assert (rows[5].reason, rows[5].reports, rows[4].reason, rows[7].reports) == ("MQRC_Q_FULL", 2, None, 0)


def test_a_row_says_where_and_when(rows: Rows) -> None:
    row = rows[2]
    assert [at.second for at in (row.sent_at, row.arrived_at, row.delivered_at, row.reported_at)] == [2, 2, 3, 3]
    assert (row.queue, row.group_id, row.msg_seq_number, row.offset) == ("Q", NONE, 1, 0)
    assert (rows[10].queue, rows[10].sent_at) == (None, None)
    assert (rows[34].group_id, rows[34].msg_seq_number, rows[32].offset) == (ident(30).hex().upper(), 3, 10)


def test_originals_that_pass_their_identifiers_on_are_followed(rows: Rows) -> None:
    assert outcomes(rows, *range(20, 30)) == {21: "delivered", 22: "delivered", 26: "delivered *"}
    assert [rows[number].reports for number in (21, 22, 26)] == [1, 1, 1]


@pytest.mark.conformance("RPT-27")
def test_reports_by_a_correl_id_that_originals_share_prove_something_of_all_or_none(rows: Rows) -> None:
    assert outcomes(rows, *range(101, 140)) == {
        101: "silent",
        102: "silent",
        105: "delivered *",
        111: "delivered",
        112: "delivered",
        115: "arrived *",
        121: "silent",  # asks for no COD: that is about the reply
        122: "delivered",
        123: "unasked",
        131: "failed",
        132: "failed",
    }
    assert [rows[number].reports for number in (101, 105, 111, 115, 122, 131)] == [0, 2, 1, 1, 1, 1]
    assert rows[111].delivered_at == rows[112].delivered_at == rows[111].reported_at
    assert (rows[131].reason, rows[132].reason) == (None, None)  # of one each, and nobody knows which


def test_a_report_stands_for_the_segments_that_it_covers(rows: Rows) -> None:
    assert outcomes(rows, *range(30, 40)) == {
        31: "delivered",
        32: "delivered",
        33: "failed",
        34: "silent",
        39: "arrived *",
    }


@pytest.mark.conformance("RSEG-31")
def test_a_report_without_a_place_is_about_the_original_that_it_names(rows: Rows) -> None:
    assert outcomes(rows, *range(71, 90)) == {
        71: "acted",
        72: "refused",
        73: "silent",
        74: "silent",
        77: "acted *",
        81: "delivered",
        82: "silent",
    }
    assert (rows[71].reports, rows[71].group_id) == (2, ident(70).hex().upper())


def test_a_segment_that_is_missing_is_one_row(rows: Rows) -> None:
    assert outcomes(rows, 91, 92) == {91: "delivered *", 92: "arrived *"}
    assert (rows[91].reports, rows[91].arrived_at is None, rows[91].delivered_at is None) == (2, False, False)


def test_an_empty_last_segment_is_not_the_one_before_it(rows: Rows) -> None:
    assert outcomes(rows, 41, 42) == {41: "delivered", 42: "silent"}


@pytest.mark.conformance("RSEG-30", "RSEG-31")
def test_the_place_of_a_report_may_stand_in_its_data(rows: Rows) -> None:
    """Of one that is cut off, and of one without data, nobody can tell the segment; no place is too far away."""
    assert outcomes(rows, *range(51, 70)) == {
        51: "delivered",
        52: "expired",
        53: "silent",
        54: "silent",
        63: "delivered *",
        64: "delivered *",
        65: "delivered *",
    }


ALONE = {
    "no place, no identifiers passed on": (*PROVED, "delivered", 2, NONE),
    "one identifier passed on": (*SHARED, "delivered", 111, NONE),
    "both identifiers passed on": (*PASSED, "delivered", 22, NONE),
    "places of originals": (IN_PARTS[0], [], "silent", 33, ident(30).hex().upper()),
    "places of reports": ([], IN_PARTS[1], "arrived *", 39, ident(30).hex().upper()),
    "places in data": ([], IN_ITS_DATA[1][:1], "delivered *", 61, ident(50).hex().upper()),
}


@pytest.mark.parametrize("case", ALONE)
def test_what_is_there_is_found_without_the_rest(frame: Frame, case: str) -> None:
    """The plan has just what the messages need."""
    originals, reports, outcome, number, group = ALONE[case]
    found = reconciled(frame, originals, reports)
    assert outcomes(found, number) == {number: outcome}
    assert found[number].group_id == group


MDE = pack_mqmde(MQMDE(group_id=ident(1), msg_seq_number=7, offset=300, msg_flags=2, original_length=-1), 546, 819)
EXTENDED = {"msg_type": c.MQMT_REPORT, "format": "MQHMDE", "encoding": 546, "coded_char_set_id": 819}
MDES: Sequence[Laid] = [
    (MDE, EXTENDED),
    (MDE + b"data", EXTENDED),
    (pack_mqmde(MQMDE(offset=2**31 - 1), 273, 500), {**EXTENDED, "encoding": 273, "coded_char_set_id": 500}),
    (MDE, {**EXTENDED, "encoding": 273}),  # its length is then none
    (MDE, {**EXTENDED, "encoding": 0}),
    (b"DLH " + MDE[4:], EXTENDED),
    (MDE[:4] + b"\1" + MDE[5:], EXTENDED),  # of another version
    (MDE[:8] + b"\1" + MDE[9:], EXTENDED),  # of another length
    (MDE[:71], EXTENDED),
    (b"", EXTENDED),
    (MDE, {**EXTENDED, "group_id": ident(2)}),
]


@pytest.mark.conformance("RSEG-30")
def test_an_mqmde_is_read_as_elsewhere(frame: Frame) -> None:
    wanted = []
    for data, fields in MDES:
        md = report_place(MQMD(**fields), data)
        wanted.append((md.group_id.hex().upper(), *(getattr(md, name) for name in PLACE[1:])))
    found = report_positions.with_extension(frame(reconcile.EXTENDED, *MDES)).orderBy("seq").collect()
    assert [tuple(row[name] for name in PLACE) for row in found] == wanted
    assert [row.data_length for row in found[:3]] == [0, 4, 0]


def test_a_group_is_accounted_for_by_its_parts(spark: Any) -> None:
    parts = [
        ("AA", "delivered", 1, False),
        ("AA", "acted", 2, False),
        ("BB", "delivered", 1, False),
        ("BB", "expired", 1, False),
        ("BB", "silent", 0, False),
        ("CC", "delivered", 1, False),
        ("CC", "silent", 0, False),
        ("DD", "unasked", 0, False),
        ("EE", "arrived", 1, True),
        (NONE, "failed", 1, False),
    ]
    values = ", ".join(str(part) for part in parts)
    given = spark.sql(f"select 'QM1' as qmgr, * from values {values} as t(group_id, outcome, reports, orphan)")
    assert sorted(tuple(row) for row in reconcile.by_group(given).collect()) == [
        ("QM1", "AA", 2, 2, 0, "delivered"),
        ("QM1", "BB", 3, 2, 1, "failed"),
        ("QM1", "CC", 2, 1, 1, "pending"),
        ("QM1", "DD", 1, 0, 1, "unasked"),
    ]


def test_what_has_no_place_in_a_group_is_known_by_its_identifiers(frame: Frame) -> None:
    """As in Parquet of others, whose columns are fewer."""
    about = (b"", {"msg_type": c.MQMT_REPORT, "feedback": c.MQFB_COD, "correl_id": ident(1)})
    sent, reports = (frame(reconcile.NEEDED, one) for one in (message(1), about))
    nothing = {name: F.lit(None).cast(sent.schema[name].dataType) for name in PLACE}
    (row,) = reconcile.reconcile(sent.withColumns(nothing), reports.withColumns(nothing)).collect()
    assert (row.msg_id, row.group_id, row.outcome, row.orphan) == (ident(1).hex(), NONE, "delivered", False)
