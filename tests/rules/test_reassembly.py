"""Logical messages are cut into segments that fit, known to be complete, and put together again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import message as c
from mqtools.constants import reasons as r
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD
from mqtools.rules import reassembly
from mqtools.rules.reassembly import Segment, assemble, covers, segment

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
    @pytest.mark.conformance("COMPL-19")
    @pytest.mark.parametrize("flags", [0, IN, LAST, MAY])
    def test_flags_say_that_it_is_the_only_segment(self, flags: int) -> None:
        assert assemble(parts(b"a", b"b", flags=flags)).md.msg_flags == flags | LAST_SEG

    def test_descriptors_of_the_segments_are_left_alone(self) -> None:
        segments = parts(b"a", b"b")
        assemble(segments)
        assert segments[0].md.msg_flags == SEG

    def test_segment_that_is_there_twice_is_used_once(self) -> None:
        copy = Segment(L[1].md, b"x" * 20)
        whole = assemble([L[0], L[1], copy, L[2]])
        assert whole.data == WHOLE
        assert len(whole.segments) == 3


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
    def test_reports_are_no_segments_of_what_they_are_about(self) -> None:
        nothing(L[0], reports(10, 20, 5)[1], L[2])

    def test_header_of_a_report_is_not_counted(self) -> None:
        first, last = reports(250, 30)
        whole = assemble([Segment(first.md, b"RFH!" + b"x" * 100, 4), last])
        assert whole.data == b"RFH!" + b"x" * 100 + bytes(180)
        assert whole.length == 280


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
    def test_pieces_of_a_report_stand_for_what_it_stood_for(self) -> None:
        md = MQMD(msg_flags=LAST_SEG | MAY, msg_type=c.MQMT_REPORT, original_length=300)
        rows = reassembly.segment_fields(md, [(0, 64), (64, 36)])
        assert [row["original_length"] for row in rows] == [64, 236]
