"""Reports as HTML: names from messages are text, and nothing comes from elsewhere."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from mqtools.pipeline.jobs import html_report

HOSTILE = "<script>alert(1)</script>\x1b]52;c;x\x07&\"'"


def test_a_page_is_one_file_in_which_names_are_text(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"reason": HOSTILE, "count": 3}, {"reason": None, "count": 1}]
    path = tmp_path / "page.html"
    parts = [
        html_report.bars(HOSTILE, [(HOSTILE, 3), ("x", 0)]),
        html_report.columns("depth", [(HOSTILE, 2)]),
        html_report.table(rows),
    ]
    html_report.write(str(path), HOSTILE, parts)
    page = path.read_text(encoding="utf-8")
    assert "<script" not in page
    assert "\x1b" not in page
    assert "http" not in page
    assert path.stat().st_mode & 0o077 == 0
    tree = ElementTree.fromstring(page.replace("<!DOCTYPE html>", "").replace('<meta charset="utf-8">', ""))
    assert len(tree.findall(".//svg")) == 2
    assert [cell.text for cell in tree.findall(".//td[@class='n']")] == ["3", "1"]
    assert "alert(1)" in "".join(tree.itertext())


def test_a_long_name_is_cut_where_it_ends_and_whole_on_pointing_at_it() -> None:
    page = html_report.bars("x", [("MQRC_Q_FULL / " + "Q" * 90, 3)])
    tree = ElementTree.fromstring(f"<p>{page}</p>")
    label = next(each for each in tree.iter("text") if each.find("title") is not None)
    assert (label.text or "").startswith("MQRC_Q_FULL / QQQ")
    assert (label.text or "").endswith("Q…")
    assert label.get("x") == "0"
    assert label.findtext("title") == "MQRC_Q_FULL / " + "Q" * 90


def test_without_values_there_is_still_a_page() -> None:
    assert html_report.table([]) == "<p>No rows.</p>"
    assert "<svg" in html_report.bars("x", [])
    assert "at most 0" in html_report.columns("x", [("1", 0.0)])


def test_numbers_are_exact_where_they_are_whole() -> None:
    page = html_report.bars("x", [("a", 1234567.0)]) + html_report.columns("x", [("a", 7654321)])
    assert ">1234567<" in page
    assert "a: 7654321<" in page
    assert ">0.333333<" in html_report.table([{"p99_s": 1 / 3}])
