"""Reference messages as rules: names, portions, what is missing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import reasons as rc
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh, split_logical_offset
from mqtools.message import MQMD
from mqtools.rules.reference import (
    ArrivalProgress,
    Portion,
    add_range,
    carried_portion,
    check_put,
    destination_path,
    missing_ranges,
    object_path,
    parse_reference,
    plan_portion,
    source_path,
)

from ..errors import fails

LITTLE, BIG = 546, 273


def reference(
    bulk: bytes = b"", md_encoding: int = LITTLE, md_ccsid: int = 1208, **fields: object
) -> tuple[MQMD, bytes]:
    values: dict[str, object] = {"coded_char_set_id": 1208, "src_name": "in", "dest_name": "out", **fields}
    data = pack_mqrmh(MQRMH(**values), md_encoding, md_ccsid)  # type: ignore[arg-type]
    return MQMD(format="MQHREF", encoding=md_encoding, coded_char_set_id=md_ccsid), data + bulk


# -- the message --------------------------------------------------------------------------------------------


@pytest.mark.conformance("REF-34")
def test_the_data_begins_behind_struc_length_and_is_as_long_as_the_rest() -> None:
    md, data = reference(b"x" * 500, src_name="s" * 16, dest_name="d" * 16)
    apart = parse_reference(md, data)
    assert (len(apart.header), len(apart.bulk), len(data)) == (140, 500, 640)
    assert apart.header + apart.bulk == data


@pytest.mark.conformance("REF-31")
@pytest.mark.parametrize(("encoding", "ccsid"), [(LITTLE, 1208), (BIG, 500)])
def test_header_and_object_have_each_their_own_character_set_and_encoding(encoding: int, ccsid: int) -> None:
    md, data = reference(b"\xe4", encoding, ccsid, coded_char_set_id=819, encoding=BIG, format="MQSTR")
    apart = parse_reference(md, data)
    assert (md.coded_char_set_id, apart.rmh.coded_char_set_id, apart.rmh.format) == (ccsid, 819, "MQSTR")
    assert (apart.rmh.dest_name, apart.bulk) == ("out", b"\xe4")


@pytest.mark.conformance("REF-32")
@pytest.mark.parametrize("encoding", [LITTLE, BIG])
def test_a_portion_is_written_over_that_of_the_header_and_nothing_else_changes(encoding: int) -> None:
    md, data = reference(md_encoding=encoding, flags=4, object_instance_id=b"I" * 24, object_type="FLATFILE")
    changed = parse_reference(md, data).header_for(Portion(3_000_000_123, 77, is_last=True))
    assert len(changed) == len(data)
    apart = parse_reference(md, changed)
    assert apart.portion == Portion(3_000_000_123, 77, is_last=True)
    assert (apart.rmh.data_logical_offset2, apart.rmh.data_logical_offset, apart.rmh.flags) == (3, 123, 5)
    back = parse_reference(md, apart.header_for(Portion(0, 0)))
    assert back.header == data


def test_an_offset_that_no_header_can_say_is_refused() -> None:
    md, data = reference()
    with fails(rc.MQRC_RMH_ERROR):
        parse_reference(md, data).header_for(Portion(2**31 * 10**9, 0))


@pytest.mark.parametrize("field", ["data_logical_length", "data_logical_offset", "data_logical_offset2"])
def test_negative_lengths_and_offsets_are_refused(field: str) -> None:
    md, data = reference(**{field: -1})
    with fails(rc.MQRC_RMH_ERROR, field):
        parse_reference(md, data)


# -- puts ---------------------------------------------------------------------------------------------------


@pytest.mark.conformance("REF-28", "AMB-30")
@pytest.mark.parametrize("flags", [1, 2, 4, 6])
def test_a_reference_message_is_no_segment_and_may_not_be_segmented(flags: int) -> None:
    md, data = reference()
    with fails(rc.MQRC_SEGMENTATION_NOT_ALLOWED):
        check_put(md.replace(msg_flags=flags), data)
    check_put(md.replace(msg_flags=flags, version=1), data)  # where there are no flags
    check_put(md.replace(msg_flags=8), data)


# -- names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("film.bin", ("film.bin",)),
        ("a/b/c", ("a", "b", "c")),
        ("./a//b", ("a", "b")),
        ("..a/b..", ("..a", "b..")),
        (".hidden", (".hidden",)),
        ("été/\u00a0x", ("été", "\u00a0x")),
    ],
)
def test_a_name_is_steps_from_the_root_folder(name: str, steps: tuple[str, ...]) -> None:
    assert object_path(name) == steps


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "/", "..", "../x", "a/../b", "a/..", "/etc/passwd", "//x", "a/", "a/.", "a\0b", "a\ufffdb", "a "),
        *(".mqx-1.log", ".mqx-0/x", "a/.mqx-part"),
    ],
)
def test_a_name_that_leads_elsewhere_or_is_ours_is_refused(name: str) -> None:
    with fails(rc.MQRC_RMH_ERROR):
        object_path(name)


@pytest.mark.parametrize(
    ("environment", "name", "steps"),
    [("", "b", ("b",)), ("a", "b", ("a", "b")), ("a/", "b   ", ("a", "b")), ("a  ", "b\0", ("a", "b"))],
)
def test_the_environment_is_a_folder_and_fillers_are_no_part_of_names(
    environment: str, name: str, steps: tuple[str, ...]
) -> None:
    assert source_path(MQRMH(src_env=environment, src_name=name)) == steps
    assert destination_path(MQRMH(dest_env=environment, dest_name=name)) == steps


@pytest.mark.parametrize(("environment", "name"), [("a", ""), ("/etc", "passwd"), ("a/..", "b"), ("", "/x")])
def test_an_environment_does_not_lead_elsewhere_either(environment: str, name: str) -> None:
    with fails(rc.MQRC_RMH_ERROR):
        source_path(MQRMH(src_env=environment, src_name=name))


# -- portions at a sender -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "taken", "follow_on"),
    [
        (Portion(0, 1500), Portion(0, 1000), Portion(1000, 500)),
        (Portion(0, 1500, True), Portion(0, 1000), Portion(1000, 500, True)),
        (Portion(0, 1000, True), Portion(0, 1000, True), None),
        (Portion(2500, 0), Portion(2500, 0, True), None),
        (Portion(0, 0, True), Portion(0, 1000), Portion(1000, 0, True)),
    ],
)
def test_what_a_message_calls_the_last_is_the_last_of_its_pieces(
    asked: Portion, taken: Portion, follow_on: Portion | None
) -> None:
    assert plan_portion(asked, 2500, 1000) == (taken, follow_on)


def test_no_portion_is_longer_than_its_field_can_say() -> None:
    assert plan_portion(Portion(0, 0), 2**33, 2**32)[0] == Portion(0, 2**31 - 1)


# -- portions at a receiver ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bulk", "fields", "portion"),
    [
        (b"abc", {}, Portion(0, 3)),
        (b"abc", {"data_logical_length": 2, "flags": 1}, Portion(0, 3, True)),
        (b"", {"flags": 1}, Portion(0, 0, True)),
        (b"", {"flags": 1, "data_logical_length": 5}, None),
        (b"", {"data_logical_length": 5}, None),
        (b"", {}, None),
    ],
)
def test_the_data_that_has_come_is_the_portion_whatever_the_header_says(
    bulk: bytes, fields: dict[str, object], portion: Portion | None
) -> None:
    assert carried_portion(parse_reference(*reference(bulk, **fields))) == portion


def test_portions_far_into_an_object_have_their_whole_offset() -> None:
    low, high = split_logical_offset(5_000_000_007)
    apart = parse_reference(*reference(b"x", data_logical_offset=low, data_logical_offset2=high))
    assert carried_portion(apart) == Portion(5_000_000_007, 1)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).map(sorted)))
def test_ranges_are_sets_of_bytes(pairs: list[list[int]]) -> None:
    ranges: list[tuple[int, int]] = []
    expected: set[int] = set()
    for begin, end in pairs:
        ranges = add_range(ranges, begin, end)
        expected |= set(range(begin, end))
    assert {byte for begin, end in ranges for byte in range(begin, end)} == expected
    assert all(end < begin for (_, end), (begin, _) in pairwise(ranges))
    missing = missing_ranges(ranges, 5, 30)
    assert {byte for begin, end in missing for byte in range(begin, end)} == set(range(5, 30)) - expected


@pytest.mark.conformance("REF-13", "REF-18")
@given(st.permutations([Portion(0, 1000), Portion(1000, 1000), Portion(2000, 500, True), Portion(500, 700)]))
def test_an_object_is_complete_when_all_its_bytes_are_there_in_whatever_order(portions: list[Portion]) -> None:
    progress = ArrivalProgress()
    assert not progress.is_complete
    for n, portion in enumerate(portions):
        progress.add(portion)
        progress.add(portion)
        needed = {0, 1000, 2000} - {one.offset for one in portions[: n + 1]}
        assert progress.is_complete is not bool(needed)
    assert (progress.length, progress.ranges, progress.missing) == (2500, [(0, 2500)], [])


def test_what_is_missing_is_known_up_to_the_end_once_that_is_known() -> None:
    progress = ArrivalProgress()
    progress.add(Portion(1000, 500))
    assert progress.missing == [(0, 1000)]
    progress.add(Portion(3000, 0, True))
    assert progress.missing == [(0, 1000), (1500, 3000)]


@pytest.mark.parametrize(
    "portion", [Portion(2000, 400, True), Portion(2000, 600, True), Portion(2400, 101), Portion(2500, 1)]
)
def test_a_portion_that_contradicts_the_length_is_of_another_object(portion: Portion) -> None:
    progress = ArrivalProgress()
    progress.add(Portion(2000, 500, True))
    with fails(rc.MQRC_RMH_ERROR, "contradicts"):
        progress.add(portion)
    before = ArrivalProgress()
    before.add(portion)
    with fails(rc.MQRC_RMH_ERROR, "contradicts"):
        before.add(Portion(2000, 500, True))
