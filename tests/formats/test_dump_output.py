"""A dump as it is written: line by line what dmpmqmsg writes, and a comment for what its form cannot hold."""

from __future__ import annotations

import json

import pytest

from mqtools.formats.dump.display import parse_display
from mqtools.formats.dump.writer import dump_header, dump_message
from mqtools.message import MQMD

from ..descriptors import FILLED


def written(data: bytes, *words: str, md: MQMD | None = None, **more: object) -> list[str]:
    """The lines of a message, without its attribute lines unless a descriptor is given."""
    text = b"".join(dump_message(md or MQMD(), data, parse_display(words), **more)).decode("utf-8")
    assert text.endswith("\n\n")
    return [line for line in text.splitlines()[:-1] if md is not None or line[:2] != "A "]


def test_a_header_names_the_queue_and_ends_with_a_blank_line() -> None:
    assert dump_header("QM1", "MY.DLQ", "Tue Nov 10 14:02:11 2026") == (
        b"* QLOAD Version:8.0 Created:Tue Nov 10 14:02:11 2026\n* Qmgr  = QM1\n* Queue = MY.DLQ\n\n"
    )


def test_every_field_has_its_line_in_the_order_of_dmpmqmsg_with_all_trailing_blanks() -> None:
    assert written(b"\xff", md=FILLED) == [
        "A VER 2",
        "A RPT 128",
        "A MST 4",
        "A EXP 36000",
        "A FDB 259",
        "A ENC 273",
        "A CCS 500",
        "A FMT MQSTR   ",
        "A PRI 7",
        "A PER 1",
        f"A MSI {bytes(range(24)).hex().upper()}",
        f"A COI {'43' * 24}",
        "A BOC 3",
        f"A RTQ {'REPLIES':48}",
        f"A RTM {'QM2':48}",
        "A USR ana         ",
        f"A ACC {'AB' * 32}",
        f"A AIX {b'identity'.ljust(32).hex().upper()}",
        "A PAT 6",
        f"A PAN {'prog':28}",
        "A PTD 20261110",
        "A PTT 14021100",
        "A AOX 6F722020",
        f"A GRP {'47' * 24}",
        "A MSQ 2",
        "A OFF 10",
        "A MSF 10",
        "A ORL 99",
        "X FF",
    ]


def test_application_data_is_readable_where_asked_for() -> None:
    lines = written(b"", "c", md=FILLED)
    assert f"A AID {'identity':32}" in lines
    assert "A AOD or  " in lines
    assert not [line for line in lines if line[2:5] in ("AIX", "AOX")]


def test_a_flag_word_is_signed_as_on_the_wire() -> None:
    assert "A RPT -2147483648" in written(b"", md=MQMD(report=1 << 31))


def test_hex_has_25_bytes_a_line_unless_told_otherwise() -> None:
    data = bytes(range(60))
    assert written(data) == ["X " + data[at : at + 25].hex().upper() for at in (0, 25, 50)]
    assert written(data, "w40") == ["X " + data[at : at + 40].hex().upper() for at in (0, 40)]


def test_long_data_has_no_seam_where_its_blocks_meet() -> None:
    data = bytes(range(256)) * 1000
    lines = written(data)
    assert b"".join(bytes.fromhex(line[2:]) for line in lines) == data
    assert {len(line) for line in lines[:-1]} == {52}


@pytest.mark.parametrize("words", [(), ("a",), ("A",), ("p",), ("t",)])
def test_an_empty_message_has_one_data_line_without_bytes(words: tuple[str, ...]) -> None:
    assert written(b"", *words) == ["X "]


def test_the_column_of_characters_stands_where_that_of_a_full_line_stands() -> None:
    assert written(b"hello\x00~world!", "aw10") == [
        "X 68656C6C6F007E776F72  <hello.~wor>",
        "X 6C6421" + "  " * 7 + "  <ld!>",
    ]


def test_printable_strings_have_hex_between_them_and_escapes_for_quote_and_tilde() -> None:
    assert written(b'say "~"\x00\xffok', "p") == ['S "say ~"~~~""', "X 00FF", 'S "ok"']


def test_a_string_has_at_most_two_less_than_twice_the_width() -> None:
    assert written(b"x" * 50, "p") == [f'S "{"x" * 48}"', 'S "xx"']


def test_invariant_strings_leave_to_hex_what_code_pages_disagree_about() -> None:
    assert written(b"a-b=c;d", "A") == ['S "a-b=c"', "X 3B", 'S "d"']


def test_text_ends_its_lines_at_every_kind_of_end_and_has_hex_for_the_rest() -> None:
    assert written(b"one\r\n\ntwo\x01three\rfour", "t") == ["T one", "T ", "T two", "X 01", "T three", "T four"]


def test_an_index_is_a_comment_and_no_descriptor_is_n() -> None:
    assert written(b"x", "iN", number=12) == ["* Index 12", "N", "X 78"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("put_appl_name", "two\nlines"),
        ("user_identifier", "a\0b"),
        ("put_date", "1234567\r"),
        ("reply_to_q", "é" * 40),
        ("appl_identity_data", "ü" * 20),
        ("put_time", "12 "),
    ],
)
def test_what_a_line_cannot_hold_exactly_is_kept_in_a_comment(field: str, value: str) -> None:
    lines = written(b"x", md=MQMD(**{field: value}))
    assert lines[0].startswith("* mqx {")
    assert json.loads(lines[0][6:]) == {"md": {field: value}}
    assert len(lines) == 1 + 28 + 1
    assert not [line for line in lines[1:] if "\0" in line]


def test_what_a_line_holds_has_no_comment() -> None:
    exact = MQMD(reply_to_q="é" * 24, appl_identity_data="a\nb\0c", put_appl_name=" leading")
    assert written(b"x", md=exact)[0] == "A VER 2"
