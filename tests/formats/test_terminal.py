"""Text for a terminal: which characters are shown, which are escaped."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.formats.terminal import is_harmless, visible, visible_bytes

HOSTILE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
any_text = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b]52;c;ZXZpbA==\x07", "␛]52;c;ZXZpbA==␇"),
        ("\x00\x1f\x7f", "␀␟␡"),
        ("\x9b31m", "\\x9b31m"),
        ("\x85", "\\x85"),
        ("user\u202egpj.exe", "user\\u202egpj.exe"),
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("line\u2028para\u2029", "line\\u2028para\\u2029"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("\ue000", "\\ue000"),
        ("soft\u00adhyphen", "soft\\xadhyphen"),
        ("\u3164\ufe0f\u034f", "\\u3164\\ufe0f\\u034f"),
    ],
)
def test_hostile_characters_become_visible(hostile: str, shown: str) -> None:
    assert visible(hostile) == shown


@pytest.mark.parametrize("text", ["", "plain ASCII [/] \\n", "Grüße, 世界", "no\u00a0break\u3000wide", "👍 é e\u0301"])
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_newline_and_tab_stay_only_where_kept() -> None:
    assert visible("a\tb\nc\r") == "a␉b␊c␍"
    assert visible("a\tb\nc\r", keep="\n\t") == "a\tb\nc␍"
    assert visible("a\tb\nc", keep="\n") == "a␉b\nc"


def test_nothing_but_newline_and_tab_can_be_kept() -> None:
    assert visible("\x1b\u202e", keep="\x1b\u202e") == "␛\\u202e"


def test_a_control_picture_in_the_text_is_not_taken_for_a_control() -> None:
    assert visible("␛") == "\\u241b" != visible("\x1b")


@given(any_text, st.sampled_from(["", "\n", "\t", "\n\t"]))
def test_output_holds_no_control_or_format_character(text: str, keep: str) -> None:
    assert not [char for char in visible(text, keep) if unicodedata.category(char) in HOSTILE and char not in keep]


def test_every_code_point_is_judged_by_its_category() -> None:
    wrong = [hex(code) for code in range(0x110000) if is_harmless(code) and unicodedata.category(chr(code)) in HOSTILE]
    assert wrong == []


def test_bytes_show_as_the_text_of_their_ccsid() -> None:
    assert visible_bytes("Grüße\x1b".encode("cp500"), 500) == "Grüße␛"
    assert visible_bytes("hi".encode("utf-16-be"), 1200, 273) == "hi"


@given(st.binary(), st.integers(-4, 70000))
def test_bytes_of_any_ccsid_can_be_shown(data: bytes, ccsid: int) -> None:
    assert not [char for char in visible_bytes(data, ccsid) if unicodedata.category(char) in HOSTILE]


def test_bytes_that_are_no_text_show_in_hex_escapes() -> None:
    assert visible_bytes(b"ab\xff\x1b", 1208) == "ab\\xff␛"
