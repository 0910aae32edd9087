"""Lines that are too wide go on in the next one, by cells and not by characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mqtools.tui.display.cells import format_cell, wrap_lines


@pytest.mark.parametrize(
    ("line", "width", "cut"),
    [
        ("abc", 5, ["abc"]),
        ("", 5, [""]),
        ("abcdefg", 3, ["abc", "def", "g"]),
        ("日本語", 4, ["日本", "語"]),
        ("日本語", 3, ["日", "本", "語"]),
    ],
)
def test_a_line_is_cut_where_the_cells_end(line, width, cut):
    assert wrap_lines([line], width) == cut


def test_words_stay_whole_and_an_indent_goes_on():
    assert wrap_lines(["    one two three"], 12, at_words=True) == ["    one two ", "    three"]


@pytest.mark.parametrize("line", [" " * 50, " " * 30 + "x" * 60, "x" * 60])
def test_an_indent_wider_than_the_line_comes_to_an_end(line):
    assert "".join(wrap_lines([line], 20, at_words=True)).count("x") == line.count("x")


@given(st.text(), st.integers(2, 30))
def test_nothing_is_lost_and_nothing_is_too_wide(line, width):
    pieces = wrap_lines([line], width)
    assert "".join(pieces) == line
    assert all(cell_len(piece) <= width or len(piece) == 1 for piece in pieces)


@given(st.text(st.characters(exclude_categories=("Cc", "Cs"))), st.integers(1, 30))
def test_a_cell_has_just_its_width(text, width):
    assert cell_len(format_cell(text, width)) == width
