"""Pages: an overview of what matters, numbers that can be read back, small whatever is in them; names are text."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pyspark_mqx.jobs import html_report, pages

HOSTILE = "<script>alert(1)</script>\x1b]52;c;x\x07&\"'"
BEGIN = datetime(2026, 11, 1, tzinfo=UTC)


def tree_of(path: Path) -> ElementTree.Element:
    """Parse a page."""
    page = path.read_text(encoding="utf-8").replace("<!DOCTYPE html>", "")
    return ElementTree.fromstring(re.sub("<meta [^>]*>", "", page))


def numbers_of(path: Path) -> dict[str, str]:
    """Return the large numbers of a page, with what changed."""
    tree = tree_of(path)
    return {
        each.findtext("dt") or "": "".join(each.find("dd").itertext())  # type: ignore[union-attr]
        for each in tree.iter("div")
    }


def test_a_page_is_one_file_in_which_names_are_text(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"reason": HOSTILE, "count": 3}, {"reason": None, "count": 1}]
    path = tmp_path / "page.html"
    parts = [
        html_report.bars(HOSTILE, [(HOSTILE, 3), ("x", 0)]),
        html_report.chart(HOSTILE, "messages", [BEGIN], [(HOSTILE, [2.0])]),
        html_report.details(HOSTILE, [html_report.table(rows)], is_open=True),
        html_report.numbers({HOSTILE: HOSTILE}),
    ]
    html_report.write(str(path), HOSTILE, parts, {HOSTILE: 1})
    page = path.read_text(encoding="utf-8")
    assert "<script" not in page
    assert "\x1b" not in page
    assert "http" not in page
    assert path.stat().st_mode & 0o077 == 0
    tree = tree_of(path)
    assert len([each for each in tree.iter("svg") if each.get("role") == "img"]) == 1
    assert [each.findtext("svg/text") for each in tree.iter("li")] == ["3", "0"]
    assert [cell.text for cell in tree.findall(".//td[@class='n']")] == ["3", "1"]
    assert "alert(1)" in "".join(tree.itertext())


def test_a_long_name_is_whole_on_pointing_at_it() -> None:
    name = "MQRC_Q_FULL / " + "Q" * 90
    (label,) = ElementTree.fromstring(f"<p>{html_report.bars('x', [(name, 3)])}</p>").iter("span")
    assert (label.text, label.get("title")) == (name, name)


def test_one_hour_is_a_bar() -> None:
    puts, gets = re.findall(
        r'class="l h s\d" d="([^"]*)"', html_report.chart("x", "", [BEGIN], [("a", [2.0]), ("b", [1.0])])
    )
    assert (puts, gets) == ("M50 176V10", "M100 176V93")
    assert 'class="l h' not in html_report.chart("x", "", [BEGIN, BEGIN], [("a", [2.0, 1.0])])


def test_without_values_there_is_still_a_page(tmp_path: Path) -> None:
    assert html_report.table([]) == "<p>No rows.</p>"
    assert "<li" not in html_report.bars("x", [])
    assert "at most 0" in html_report.chart("x", "messages", [], [("puts", [])])
    pages.write_stats(str(tmp_path / "a"), "x", [])
    pages.write_triage(str(tmp_path / "b"), "x", ["reason"], [])
    pages.write_reconcile(str(tmp_path / "c"), "x", [])


def test_numbers_have_separators_and_are_exact_where_they_are_whole() -> None:
    page = html_report.bars("x", [("a", 1234567.0)])
    assert ">1,234,567<" in page
    assert ">0.333<" in html_report.table([{"p99_s": 1 / 3}])


@pytest.mark.parametrize(
    ("highest", "ticks"),
    [(0, [0, 1]), (1, [0, 0.5, 1]), (7, [0, 2, 4, 6, 8]), (100, [0, 50, 100]), (1234, [0, 500, 1000, 1500])],
)
def test_axes_have_round_ticks(highest: float, ticks: list[float]) -> None:
    assert html_report._ticks(highest) == ticks


def hours(qmgr: str, queue: str, number: int, puts: int = 10, gets: int = 10) -> list[dict[str, Any]]:
    waited = {"put_to_get_p50_s": 0.5, "p99_s": 2.5} if gets else {"put_to_get_p50_s": None, "p99_s": None}
    return [
        {
            "qmgr": qmgr,
            "queue": queue,
            "hour": BEGIN + timedelta(hours=n),
            "puts": puts,
            "gets": gets,
            "depth": (puts - gets) * (n + 1),
            **waited,
        }
        for n in range(number)
    ]


def test_a_page_of_stats_begins_with_the_fleet_and_its_worst_queue(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    rows = [*hours("QM1", "ORDERS", 5), *hours("QM2", "ORDERS", 5, gets=0), *hours("QM1", "A", 2)]
    pages.write_stats(str(path), "Queues", rows)
    assert numbers_of(path) == {
        "queue managers": "2",
        "queues": "3",
        "puts": "120",
        "gets": "70",
        "depth": "50",
        "worst p99, seconds": "2.5",
    }
    first = tree_of(path).findall(".//table/tr")[1]
    assert [cell.text for cell in first] == ["QM2", "ORDERS", "50", "0", "50", "50", None, "nothing was got"]
    assert path.read_text(encoding="utf-8").count("<h3>Waiting times") == 2, "nothing was got from the third"
    pages.write_stats(str(path), "Queues", rows[:-1])
    assert numbers_of(path)["puts"] == "110 −10"
    assert numbers_of(path)["depth"] == "50 unchanged"
    assert "Changes are against the run of 20" in path.read_text(encoding="utf-8")


def test_a_page_is_small_whatever_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    rows = [row for n in range(500) for row in hours(f"QM{n % 7}", f"Q{n}", 168 if n < 45 else 2, gets=n % 10)]
    pages.write_stats(str(path), "Queues", rows)
    assert path.stat().st_size < 3_000_000
    assert "460 queues together" in path.read_text(encoding="utf-8")
    groups = [{"qmgr": "QM1", "reason": f"R{n}", "count": 1, "bytes": 5} for n in range(5000)]
    pages.write_triage(str(path), "Dead letters", ["reason"], groups, {"RETRY": 3})
    assert path.stat().st_size < 300_000
    assert "The first 500 of 5,000 rows" in path.read_text(encoding="utf-8")
    assert "The first 30 of 5,000, and the others together." in path.read_text(encoding="utf-8")
    assert ("others", "4,970") in [(bar.findtext("span"), bar.findtext("svg/text")) for bar in tree_of(path).iter("li")]


@pytest.mark.parametrize(("span", "points"), [(1, 2), (199, 200), (24 * 30, 121), (24 * 365 * 56, 57)])
def test_long_times_are_added_up(span: int, points: int) -> None:
    rows = [{"at": BEGIN}, {"at": BEGIN + timedelta(hours=span)}]
    times, step = pages._times(rows)
    assert len(times) <= pages._MOST_POINTS
    assert abs(len(times) - points) <= 2, (len(times), step)


def test_a_page_of_outcomes_shows_where_messages_are_lost(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    counted = [
        {"qmgr": "QM1", "queue": "ORDERS", "outcome": "delivered", "orphan": False, "count": 1000},
        {"qmgr": "QM2", "queue": "ORDERS", "outcome": "silent", "orphan": False, "count": 3},
        {"qmgr": "QM1", "queue": "X", "outcome": "failed", "reason": "MQRC_Q_FULL", "orphan": False, "count": 2},
        {"qmgr": "HUB", "queue": None, "outcome": "delivered", "orphan": True, "count": 7},
    ]
    pages.write_reconcile(str(path), "Outcomes", counted)
    found = numbers_of(path)
    assert (found["originals"], found["reports without original"], found["silent"]) == ("1,005", "7", "3")
    assert ("MQRC_Q_FULL", "2") in [
        (bar.findtext("span"), bar.findtext("svg/text")) for bar in tree_of(path).iter("li")
    ]
    first = tree_of(path).findall(".//table/tr")[1]
    assert [cell.text for cell in first] == ["QM2", "ORDERS", "3", "0", "3", "0"]
