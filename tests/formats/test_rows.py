"""Rows as plain text, CSV, JSON and tables."""

import csv
import io
import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.formats.rows import Column, write_rows

COLUMNS = [Column("msg_id", "MsgId"), Column("text", "Text"), Column("n", "N", "right")]
HOSTILE_TEXT = "\x1b[31m[/red]\t\n\u202e"


def written(rows: list[dict[str, object]], output: str, **options: object) -> str:
    out = io.StringIO()
    write_rows(rows, COLUMNS, output, out.write, **{"header": False, **options})  # type: ignore[arg-type]
    return out.getvalue()


def test_plain_is_tab_separated_without_a_header_unless_asked() -> None:
    rows: list[dict[str, object]] = [{"msg_id": b"\x41", "text": "a", "n": 5}, {"text": None, "n": True}]
    assert written(rows, "plain") == "41\ta\t5\n\t\ttrue\n"
    assert written(rows, "plain", header=True).startswith("msg_id\ttext\tn\n41")


def test_a_row_of_plain_stays_one_line_of_as_many_cells() -> None:
    assert written([{"text": HOSTILE_TEXT, "n": ["a", 1]}], "plain") == "\t␛[31m[/red]␉␊\\u202e\ta,1\n"


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_a_text_cell_of_csv_never_begins_a_formula(formula: str) -> None:
    assert next(csv.reader(io.StringIO(written([{"text": formula}], "csv"))))[1] == f"'{formula}"


def test_a_negative_number_of_csv_stays_a_number() -> None:
    assert written([{"n": -1}], "csv") == ",,-1\n"


def test_csv_quotes_what_needs_it_and_has_a_header_when_asked() -> None:
    assert written([{"text": 'a,"b"\nc', "n": 1}], "csv", header=True) == 'msg_id,text,n\n,"a,""b""\nc",1\n'


@given(st.lists(st.text(st.characters(exclude_categories=())), min_size=1))
def test_no_text_output_lets_a_control_through(texts: list[str]) -> None:
    rows: list[dict[str, object]] = [{"text": text} for text in texts]
    for output in ("plain", "csv"):
        shown = written(rows, output)
        assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs") and char not in "\t\n"]


@pytest.mark.parametrize("rows", [[], [{"n": 1}], [{"n": 1}, {"text": HOSTILE_TEXT, "extra": None}]])
def test_json_is_one_array_and_jsonl_an_object_a_line(rows: list[dict[str, object]]) -> None:
    assert json.loads(written(rows, "json")) == rows
    lines = written(rows, "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == rows


def test_json_streams_a_row_at_a_time() -> None:
    parts: list[str] = []

    def rows():  # type: ignore[no-untyped-def]
        yield {"n": 1}
        assert parts == ['{"n":1}\n']
        yield {"n": 2}

    write_rows(rows(), COLUMNS, "jsonl", parts.append, header=False)
    assert len(parts) == 2


def test_a_table_has_titles_and_aligned_columns() -> None:
    assert written([{"msg_id": "AB", "text": "x", "n": 12345}, {"n": 1}], "table", header=True) == (
        "MSGID  TEXT      N\nAB     x     12345\n                 1\n"
    )


def test_a_table_shows_markup_and_escapes_literally() -> None:
    assert written([{"text": HOSTILE_TEXT}], "table").strip() == "␛[31m[/red]␉␊\\u202e"


def test_a_table_without_a_width_cuts_nothing() -> None:
    long = "x" * 5000
    assert long in written([{"msg_id": "A" * 48, "text": long}], "table")


def test_a_narrow_table_cuts_the_middle_of_an_identifier_and_the_end_of_a_text() -> None:
    lines = written([{"msg_id": "A" * 24 + "B" * 24, "text": "word " * 20, "n": 1}], "table", width=60).splitlines()
    assert len(lines) == 1
    assert re.fullmatch("A+…B+  word .*…  1", lines[0])
    assert len(lines[0]) <= 60


def test_colour_is_there_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in written([{"n": 1}], "table", header=True, color=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b[1m" in written([{"n": 1}], "table", header=True, color=True)


def test_an_unknown_output_is_refused() -> None:
    with pytest.raises(ValueError, match="yaml"):
        written([], "yaml")
