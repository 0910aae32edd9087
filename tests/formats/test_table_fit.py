"""Tables that fit the terminal: which columns stay, what is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mqtools.formats.rows import Column, write_rows
from mqtools.formats.table_fit import END, MIDDLE, NEVER, FitColumn, fit, shorten

COLUMNS = st.builds(FitColumn, st.integers(0, 9), st.sampled_from((MIDDLE, END, NEVER)), st.integers(1, 60))


def table(rows, columns, width):
    lines: list[str] = []
    write_rows(rows, columns, "table", lines.append, header=True, width=width)
    return [line.rstrip("\n") for line in lines]


@given(st.lists(COLUMNS, min_size=1, max_size=8), st.integers(1, 120))
def test_a_table_is_never_wider_than_the_terminal(columns, width):
    widths = fit(columns, width)
    kept = [each for each in widths if each]
    assert kept
    assert sum(kept) + 2 * (len(kept) - 1) <= max(width, 1)
    assert all(got <= column.width for got, column in zip(widths, columns, strict=True))


def test_what_fits_is_not_cut():
    columns = [FitColumn(0, MIDDLE, 48), FitColumn(1, NEVER, 24)]
    assert fit(columns, 74) == [48, 24]


def test_the_least_important_column_goes_first():
    columns = [FitColumn(0, NEVER, 30), FitColumn(2, NEVER, 20), FitColumn(1, NEVER, 20)]
    assert fit(columns, 60) == [30, 0, 20]


@given(st.text(max_size=40), st.integers(0, 40), st.sampled_from((MIDDLE, END)))
def test_a_shortened_text_has_room(text, width, cut):
    assert cell_len(shorten(text, width, cut, cell_len)) <= width


def test_the_middle_of_a_name_is_cut():
    assert shorten("PAYMENTS.INBOUND.EUROPE.URGENT", 15, MIDDLE) == "PAYMENT….URGENT"
    assert shorten("a sentence of words", 10, END) == "a sentenc…"


def test_a_column_without_values_goes_before_those_with():
    columns = [Column("queue"), Column("confirm_id"), Column("messages", align="right")]
    rows = [{"queue": "ORDERS", "confirm_id": None, "messages": 3}]
    assert [line.split() for line in table(rows, columns, 20)] == [["QUEUE", "MESSAGES"], ["ORDERS", "3"]]
    assert table([], columns, 20) == ["QUEUE  CONFIRM_ID"]


def test_an_identifier_keeps_beginning_and_end_on_80_columns():
    rows = [{"msg_id": "414D5120" + "0" * 32 + "25600002", "put_at": "2026-11-24T17:54:01.320Z", "data": "x" * 60}]
    columns = [Column("msg_id", rank=0), Column("put_at", rank=1), Column("data", cut=END, rank=2)]
    (heading, line) = table(rows, columns, 80)
    assert heading.split() == ["MSG_ID", "PUT_AT", "DATA"]
    assert line.startswith("414D5120")
    assert "25600002  2026-11-24T17:54:01.320Z" in line
    assert cell_len(line) <= 80


def test_wide_characters_count_as_two_cells():
    (_, line) = table([{"name": "字" * 40}], [Column("name")], 30)
    assert cell_len(line) <= 30


def test_without_a_width_nothing_is_cut():
    assert "x" * 500 in table([{"data": "x" * 500}], [Column("data")], None)[1]
