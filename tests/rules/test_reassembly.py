"""Logical messages are cut into segments that fit, known to be complete, and put together again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import message as c
from mqtools.constants import reasons as r
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD
from mqtools.rules import reassembly
from mqtools.rules.reassembly import AssembledMessage, Segment, assemble, covers, segment

from .entries import entry

G = b"G" * 24
IN, LAST = c.MQMF_MSG_IN_GROUP, c.MQMF_MSG_IN_GROUP | c.MQMF_LAST_MSG_IN_GROUP
SEG, LAST_SEG, MAY = c.MQMF_SEGMENT, c.MQMF_SEGMENT | c.MQMF_LAST_SEGMENT, c.MQMF_SEGMENTATION_ALLOWED


def parts(*data: bytes, flags: int = 0, **fields: Any) -> list[Segment]:
    """Segments of one message; a field given as a list differs from segment to segment."""
    made, offset = [], 0
    for n, body in enumerate(data):
        own = {name: value[n] if isinstance(value, list) else value for name, value in fields.items()}
        kind = LAST_SEG if n == len(data) - 1 else SEG
        made.append(Segment(MQMD(group_id=G, offset=offset, msg_flags=flags | kind, **own), body))
        offset += len(body)
    return made


def reports(*lengths: int, data: tuple[bytes, ...] | None = None, feedback: int | list[int] = 259) -> list[Segment]:
    """Reports about segments of the given lengths, with as much of their data."""
    made, offset = [], 0
    for n, length in enumerate(lengths):
        md = MQMD(
            group_id=G,
            offset=offset,
            msg_flags=LAST_SEG if n == len(lengths) - 1 else SEG,
            msg_type=c.MQMT_REPORT,
            feedback=feedback[n] if isinstance(feedback, list) else feedback,
            original_length=length,
        )
        made.append(Segment(md, data[n] if data else b""))
        offset += length
    return made


L = parts(b"a" * 10, b"b" * 20, b"c" * 5)
WHOLE = b"a" * 10 + b"b" * 20 + b"c" * 5


def nothing(*segments: Segment) -> None:
    with pytest.raises(NoMessageAvailable) as caught:
        assemble(segments)
    assert caught.value.reason == r.MQRC_NO_MSG_AVAILABLE


class TestAssemble:
    @pytest.mark.parametrize("order", [entry("COMPL-01", [0, 1, 2]), entry("COMPL-04", [2, 0, 1]), [1, 2, 0]])
    def test_segments_become_one_message(self, order: list[int]) -> None:
        whole = assemble([L[n] for n in order])
        assert whole.data == WHOLE
        assert (whole.length, whole.reason) == (35, 0)
        assert whole.segments == tuple(L)

    @pytest.mark.conformance("COMPL-02")
    @pytest.mark.conformance("COMPL-18")
    def test_descriptor_is_that_of_the_first_segment(self) -> None:
        segments = parts(
            b"a", b"b", b"c", user_identifier=["u", "v", "w"], correl_id=[b"1" * 24, b"2" * 24, b"3" * 24],
            priority=[1, 2, 3], msg_id=[b"4" * 24, b"5" * 24, b"6" * 24],
        )  # fmt: skip
        whole = assemble(segments[::-1])
        assert whole.md == segments[0].md.replace(msg_flags=LAST_SEG)
        assert whole.md.offset == 0

    @pytest.mark.conformance("COMPL-19")
    @pytest.mark.parametrize("flags", [0, IN, LAST, MAY])
    def test_flags_say_that_it_is_the_only_segment(self, flags: int) -> None:
        assert assemble(parts(b"a", b"b", flags=flags)).md.msg_flags == flags | LAST_SEG

    def test_descriptors_of_the_segments_are_left_alone(self) -> None:
        segments = parts(b"a", b"b")
        assemble(segments)
        assert segments[0].md.msg_flags == SEG

    @pytest.mark.conformance("COMPL-10")
    def test_message_that_is_no_segment_stays_as_it_is(self) -> None:
        plain = Segment(MQMD(msg_flags=MAY), b"plain")
        assert assemble([plain]) == AssembledMessage(plain.md, b"plain", 5, (plain,), 0)

    @pytest.mark.conformance("COMPL-07")
    @pytest.mark.parametrize("missing", [0, 1, 2])
    def test_incomplete_message_is_none(self, missing: int) -> None:
        nothing(*(part for part in L if part is not L[missing]))

    @pytest.mark.conformance("COMPL-09")
    def test_it_is_one_when_the_missing_segment_has_arrived(self) -> None:
        assert assemble([L[0], L[2], L[1]]).data == WHOLE

    def test_empty_last_segment_completes_a_message(self) -> None:
        assert assemble(parts(b"a", b"")).data == b"a"
        nothing(parts(b"a", b"")[0])

    def test_segment_that_is_there_twice_is_used_once(self) -> None:
        copy = Segment(L[1].md, b"x" * 20)
        whole = assemble([L[0], L[1], copy, L[2]])
        assert whole.data == WHOLE
        assert len(whole.segments) == 3

    def test_headers_stay_in_front_of_the_first_segment_only(self) -> None:
        a, b = parts(b"a" * 10, b"b" * 5)
        whole = assemble([Segment(a.md, b"HEAD" + a.data, 4), Segment(b.md, b"TOP" + b.data, 3)])
        assert whole.data == b"HEAD" + b"a" * 10 + b"b" * 5
        assert whole.length == 15


class TestAgreement:
    @pytest.mark.parametrize(
        ("ccsids", "encodings", "used", "reason"),
        [
            entry("COMPL-20", [1208, 1208, 819], [546] * 3, 2, r.MQRC_INCONSISTENT_CCSIDS),
            entry("COMPL-21", [1208] * 3, [546, 546, 273], 2, r.MQRC_INCONSISTENT_ENCODINGS),
            entry("COMPL-22", [1208, 819, 1208], [546] * 3, 1, r.MQRC_INCONSISTENT_CCSIDS),
            entry("COMPL-25", [819, 1208, 1208], [546] * 3, 1, r.MQRC_INCONSISTENT_CCSIDS),
            pytest.param([1208, 1208, 819], [546, 273, 273], 1, r.MQRC_INCONSISTENT_ENCODINGS, id="first difference"),
            pytest.param([1208, 819, 819], [546, 273, 273], 1, r.MQRC_INCONSISTENT_CCSIDS, id="both at once"),
            pytest.param([1208] * 3, [546] * 3, 3, 0, id="none"),
        ],
    )
    def test_only_the_first_run_is_reassembled(
        self, ccsids: list[int], encodings: list[int], used: int, reason: int
    ) -> None:
        bodies = (b"a" * 10, b"b" * 20, b"c" * 5)
        segments = parts(*bodies, coded_char_set_id=ccsids, encoding=encodings, flags=LAST)
        whole = assemble(segments)
        assert whole.data == b"".join(bodies[:used])
        assert whole.segments == tuple(segments[:used])
        assert whole.reason == reason
        assert whole.length == len(whole.data)
        # AMB-35: what was left is not said to be the end.
        assert whole.md.msg_flags == (LAST | SEG if reason else LAST | LAST_SEG)

    def test_incomplete_message_gives_not_even_its_first_run(self) -> None:
        nothing(*parts(b"a", b"b", b"c", coded_char_set_id=[1208, 1208, 819])[:2])


class TestReports:
    @pytest.mark.conformance("COMPL-26")
    @pytest.mark.conformance("RSEG-17")
    def test_reports_with_all_data_become_one(self) -> None:
        whole = assemble(reports(10, 20, 5, data=(b"a" * 10, b"b" * 20, b"c" * 5)))
        assert whole.data == WHOLE
        assert whole.md.feedback == c.MQFB_COA

    @pytest.mark.parametrize(
        ("lengths", "kept", "expected"),
        [
            entry("COMPL-27", (10, 20, 5), (0, 0, 0), bytes(35)),
            entry("COMPL-28", (300, 300, 50), (100, 100, 50), (b"x" * 100 + bytes(200)) * 2 + b"x" * 50),
            entry("RSEG-07", (100, 100, 100), (100, 0, 0), b"x" * 100 + bytes(200)),
            entry("RSEG-08", (500, 500, 500), (100, 100, 100), (b"x" * 100 + bytes(400)) * 3),
            entry("RSEG-18", (10, 20, 5), (0, 0, 0), bytes(35)),
        ],
    )  # fmt: skip
    def test_missing_data_is_null(self, lengths: tuple[int, ...], kept: tuple[int, ...], expected: bytes) -> None:
        whole = assemble(reports(*lengths, data=tuple(b"x" * n for n in kept)))
        assert whole.data == expected
        assert whole.length == len(expected)

    @pytest.mark.conformance("RSEG-19")
    def test_missing_report_leaves_nothing(self) -> None:
        first, _, last = reports(10, 20, 5)
        nothing(first, last)

    @pytest.mark.conformance("RSEG-20")
    def test_kinds_are_never_mixed(self) -> None:
        coa, cod = reports(10, 20, 5), reports(10, 20, 5, feedback=c.MQFB_COD)
        queue = [cod[2], coa[0], cod[0], coa[1], cod[1], coa[2]]
        feedbacks = []
        while queue:
            whole = assemble(queue)
            feedbacks.append({part.md.feedback for part in whole.segments})
            queue = [part for part in queue if part not in whole.segments]
        assert feedbacks == [{c.MQFB_COA}, {c.MQFB_COD}]

    def test_complete_kind_is_found_behind_an_incomplete_one(self) -> None:
        coa, cod = reports(10, 20), reports(10, 20, feedback=c.MQFB_COD)
        assert assemble([coa[0], *cod]).md.feedback == c.MQFB_COD

    @pytest.mark.conformance("RSEG-21")
    @pytest.mark.conformance("AVAIL-26")
    def test_different_feedback_assembles_nothing(self) -> None:
        nothing(*reports(10, 20, 5, feedback=[2053, 2051, 2053]))

    @pytest.mark.conformance("RSEG-22")
    def test_exceptions_with_one_feedback_become_one(self) -> None:
        assert assemble(reports(10, 20, 5, feedback=2053)).length == 35

    def test_reports_are_no_segments_of_what_they_are_about(self) -> None:
        nothing(L[0], reports(10, 20, 5)[1], L[2])

    def test_header_of_a_report_is_not_counted(self) -> None:
        first, last = reports(250, 30)
        whole = assemble([Segment(first.md, b"RFH!" + b"x" * 100, 4), last])
        assert whole.data == b"RFH!" + b"x" * 100 + bytes(180)
        assert whole.length == 280


def pieces(*segments: Segment) -> list[tuple[int, int, bool]]:
    return [reassembly.piece_of(part.md, len(part.data)) for part in segments]


class TestCompleteness:
    @pytest.mark.parametrize(
        ("present", "expected"),
        [
            entry("AVAIL-16", [(0, 10, False), (30, 5, True)], False),
            entry("AVAIL-23", [(10, 20, False), (30, 5, True)], False),
            ([(0, 10, False), (10, 20, False)], False),
            ([(30, 5, True), (0, 10, False), (10, 20, False)], True),
            ([(0, 10, False), (10, 0, True)], True),
            ([(0, 10, True)], True),
            ([(0, 0, True)], True),
            ([(0, 0, False)], False),
            ([], False),
            pytest.param([(0, 10, False), (11, 5, True)], False, id="gap"),
            pytest.param([(0, 10, False), (9, 6, True)], False, id="overlap"),
            pytest.param([(0, 100, False), (0, 50, False), (50, 70, False), (120, 1, True)], True, id="two cuts"),
        ],
    )
    def test_pieces_cover_a_message(self, present: list[tuple[int, int, bool]], expected: bool) -> None:
        assert covers(present) == expected
        assert covers(present[::-1]) == expected

    @pytest.mark.conformance("AVAIL-25")
    @pytest.mark.conformance("RSEG-24")
    def test_one_report_of_whatever_kind_for_each_segment_is_enough(self) -> None:
        mixed = reports(10, 20, 5, feedback=[c.MQFB_COA, 2053, c.MQFB_COD])
        assert covers(pieces(*mixed))
        assert covers(pieces(*mixed, *reports(10, 20, 5)[:2]))

    @pytest.mark.conformance("RSEG-25")
    def test_two_reports_for_one_segment_stand_for_no_other(self) -> None:
        assert not covers(pieces(*reports(10, 20, 5)[:2], *reports(10, 20, 5, feedback=c.MQFB_COD)[:2]))

    @pytest.mark.conformance("RSEG-36")
    def test_original_length_counts_for_reports_only(self) -> None:
        md = MQMD(offset=0, msg_flags=SEG, original_length=99)
        assert reassembly.piece_of(md, 10) == (0, 10, False)
        assert reassembly.piece_of(md.replace(msg_type=c.MQMT_REPORT), 10) == (0, 99, False)
        assert reassembly.piece_of(md.replace(msg_type=c.MQMT_REPORT, original_length=-1), 10) == (0, 10, False)
        assert reassembly.piece_of(MQMD(msg_type=c.MQMT_REPORT, original_length=99), 10) == (0, 10, True)

    @pytest.mark.parametrize(
        ("members", "expected"),
        [
            entry("AVAIL-01", [(1, IN, 0), (2, IN, 0)], False),
            entry("AVAIL-01", [(3, LAST, 0), (1, IN, 0), (2, IN, 0)], True),
            entry("AVAIL-14", [(1, IN, 0), (3, LAST, 0)], False),
            entry("AVAIL-11", [(1, IN, 0), (2, LAST | SEG, 0)], False),
            entry("AVAIL-11", [(1, IN, 0), (2, LAST | SEG, 0), (2, LAST | LAST_SEG, 10)], True),
            ([(1, LAST, 0)], True),
            ([], False),
            pytest.param([(1, IN, 0), (2, LAST, 0), (3, IN, 0)], True, id="beyond the last"),
            pytest.param([(1, IN, 0), (3, LAST, 0), (4, IN, 0)], False, id="beyond the last, gap"),
        ],
    )
    def test_messages_cover_a_group(self, members: list[tuple[int, int, int]], expected: bool) -> None:
        described = [(MQMD(group_id=G, msg_seq_number=n, msg_flags=f, offset=at), 10) for n, f, at in members]
        assert reassembly.group_covers(described) == expected


@pytest.mark.parametrize(
    ("length", "max_segment", "header", "expected"),
    [
        entry("BEY-21", 250, 100, 0, [(0, 96), (96, 96), (192, 58)]),
        entry("BEY-25", 50, 20, 0, [(0, 16), (16, 16), (32, 18)]),
        entry("RSEG-06", 35, 16, 0, [(0, 16), (16, 16), (32, 3)]),
        entry("BEY-26", 250, 100, 0, [(0, 96), (96, 96), (192, 58)]),
        pytest.param(100, 100, 0, [(0, 100)], id="it fits"),
        pytest.param(0, 0, 0, [(0, 0)], id="empty"),
        pytest.param(60, 100, 40, [(0, 60)], id="it fits with its header"),
        pytest.param(61, 100, 40, [(0, 48), (48, 13)], id="header in the first"),
    ],
)
def test_message_is_cut_into_segments(
    length: int, max_segment: int, header: int, expected: list[tuple[int, int]]
) -> None:
    assert segment(length, max_segment, header) == expected


@pytest.mark.conformance("BEY-25")
@pytest.mark.parametrize(("length", "max_segment", "header"), [(16, 15, 0), (50, 100, 85), (1, 0, 0), (10, 100, 200)])
def test_segments_below_the_smallest_are_refused(length: int, max_segment: int, header: int) -> None:
    with pytest.raises(MQError) as caught:
        segment(length, max_segment, header)
    assert caught.value.reason == r.MQRC_MSG_TOO_BIG_FOR_Q


@pytest.mark.conformance("BEY-22")
@given(st.binary(min_size=1, max_size=600), st.integers(16, 120), st.randoms(use_true_random=False))
def test_what_the_queue_manager_cuts_it_puts_together(data: bytes, max_segment: int, random: Any) -> None:
    cut = segment(len(data), max_segment)
    assert all(length <= max_segment for _, length in cut)
    assert all(length >= 16 and length % 16 == 0 for _, length in cut[:-1])
    md = MQMD(group_id=G, msg_flags=MAY)
    rows = reassembly.segment_fields(md, cut)
    segments = [Segment(md.replace(**row), data[at : at + n]) for row, (at, n) in zip(rows, cut, strict=True)]
    random.shuffle(segments)
    whole = assemble(segments)
    assert whole.data == data
    assert md.msg_flags == MAY
    assert whole.md.msg_flags == (MAY | LAST_SEG if len(cut) > 1 else MAY)


class TestSegmentFields:
    @pytest.mark.conformance("BEY-21")
    def test_last_piece_is_the_last_segment(self) -> None:
        rows = reassembly.segment_fields(MQMD(msg_flags=LAST | MAY), [(0, 96), (96, 96), (192, 58)])
        assert [row["msg_flags"] for row in rows] == [LAST | MAY | SEG, LAST | MAY | SEG, LAST | MAY | LAST_SEG]
        assert [row["offset"] for row in rows] == [0, 96, 192]
        assert [row["original_length"] for row in rows] == [96, 96, 58]

    @pytest.mark.parametrize("kind", [SEG, LAST_SEG])
    def test_segment_can_be_cut_again(self, kind: int) -> None:
        rows = reassembly.segment_fields(MQMD(msg_flags=kind | MAY, offset=1000), [(0, 16), (16, 4)])
        assert [row["offset"] for row in rows] == [1000, 1016]
        assert [row["msg_flags"] for row in rows] == [SEG | MAY, kind | MAY]

    def test_pieces_of_a_report_stand_for_what_it_stood_for(self) -> None:
        md = MQMD(msg_flags=LAST_SEG | MAY, msg_type=c.MQMT_REPORT, original_length=300)
        rows = reassembly.segment_fields(md, [(0, 64), (64, 36)])
        assert [row["original_length"] for row in rows] == [64, 236]

    def test_one_piece_keeps_what_it_had(self) -> None:
        row = {"msg_flags": MAY, "offset": 0, "original_length": -1}
        assert reassembly.segment_fields(MQMD(msg_flags=MAY), [(0, 9)]) == [row]


#: Number of segments, persistent, in the unit of work, whether there is one; whether it is refused.
UNITS = [
    entry("COMPL-11", 3, True, True, True, False),
    entry("COMPL-13", 3, True, False, False, False),
    entry("COMPL-15", 2, True, False, True, True),
    entry("COMPL-16", 1, True, False, True, False),
    entry("COMPL-17", 2, False, False, True, False),
]


@pytest.mark.parametrize(("number", "persistent", "sync", "has_unit", "refused"), UNITS)
def test_unit_of_work_for_reassembly(number: int, persistent: bool, sync: bool, has_unit: bool, refused: bool) -> None:
    assert (reason(reassembly.check_reassembly, number, persistent, sync, has_unit) == 2255) == refused


@pytest.mark.conformance("BEY-24")
@pytest.mark.parametrize(
    ("number", "sync", "has_unit", "refused"),
    [(3, False, True, True), (3, True, True, False), (3, False, False, False), (1, False, True, False)],
)
def test_unit_of_work_for_segmentation(number: int, sync: bool, has_unit: bool, refused: bool) -> None:
    assert (reason(reassembly.check_segmentation, number, sync, has_unit) == 2255) == refused


def reason(call: Any, *args: Any) -> int:
    try:
        call(*args)
    except MQError as error:
        return error.reason
    return 0
