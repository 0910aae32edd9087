"""Filters of the live browser: which messages they find, and how they read a queue."""

from __future__ import annotations

import stat
import threading
import tracemalloc

import pytest

from mqtools.constants.properties import MQTYPE_INT64, MQTYPE_STRING
from mqtools.message import Property
from mqtools.operations.views.queue_pages import HitPages
from mqtools.operations.views.queue_search import Search
from mqtools.tui.dialogs.search import SearchDialog
from mqtools.tui.dialogs.standard import InputDialog
from mqtools.tui.display.cells import find_hits, mark_hits
from mqtools.tui.display.colours import HIT, TEXT, colours_of
from mqtools.tui.display.filter import describe_kind, parse_filter
from mqtools.tui.state import FILTERS, read_state, write_state

from ..rows import CHUNK

ACROSS = b"x" * (CHUNK - 2) + b"Across"


def search(qm, line):
    source = HitPages(qm.connection.db, "Q")
    return Search(qm.connection.db, source, parse_filter(line)), source


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("acme", {0, 1, 2, 3}),
        ("ACRoss", {4}),
        ("hex 4163726f", {4}),
        ("größe", {5}),
        ("STRASSE", {6}),
        ("where n > 4 AND Root.MQMD.CodedCharSetId = 819", {1}),
        ("where n > 4 AND Root.MQMD.CodedCharSetId * 1 = 819", {1}),
        ("where n IS NULL AND n > 1", set()),
    ],
)
def test_a_filter_finds_text_in_any_character_set_and_across_chunks(qm, line, found):
    five = {"n": Property(MQTYPE_INT64, 5)}
    ids = [
        qm.put("for Acme"),
        qm.put("ACME", coded_char_set_id=819, properties=five),
        qm.put("acme".encode("cp500"), coded_char_set_id=500),
        qm.put(b"MDE \0\0\0\2\0\0\0\x48" + b"\0\0\2\x22\0\0\3\x33MQSTR   " + bytes(44) + b"aCme", format="MQHMDE"),
        qm.put(ACROSS),
        qm.put("GRÖSSE größe"),
        qm.put("straße".encode("latin-1"), coded_char_set_id=819),
    ]
    one, source = search(qm, line)

    assert list(one.run(qm.connection.db, lambda: False))[-1] == len(ids)

    hits = {stored.md.msg_id for stored in source.behind(qm.connection.db, -1, 99)}
    assert hits == {ids[number] for number in found}


def test_long_data_is_looked_at_message_by_message(qm):
    for _ in range(100):
        qm.put(b"x" * 200_000 + b"needle", coded_char_set_id=7)
    one, source = search(qm, "needle")
    tracemalloc.start()
    list(one.run(qm.connection.db, lambda: False))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert source.total(qm.connection.db) == 100
    assert peak < 5_000_000  # of twenty million bytes that lie there


def test_a_search_holds_no_transaction_and_ends_when_it_is_cancelled(qm):
    for number in range(70):
        qm.put(str(number))
    one, _ = search(qm, "where n = 5")
    pieces = one.run(qm.connection.db, lambda: True)

    assert next(pieces) == 64
    assert not qm.connection.db.in_transaction
    assert list(pieces) == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("needle", ""),
        ("TRUE", ""),
        ("4711", ""),
        ("<Document>", ""),
        ('id="5"', ""),
        ("text a = b", ""),
        ("Root.MQMD.Priority > 4", "by selector"),
        ("colour LIKE 'r%'", "by selector"),
        ("a is null", "by selector"),
        ("where colour", "by selector"),
        ("hex 00FF", "by bytes"),
    ],
)
def test_a_line_is_a_selector_where_it_compares_something_and_is_valid_else_text(line, kind):
    wanted = parse_filter(line)
    assert describe_kind(wanted) == kind
    assert wanted.text == (line.removeprefix("text ") if not kind else "")


async def test_a_filter_is_applied_while_it_is_typed_and_escape_gives_back_what_was_there(qm, browse):
    qm.put_numbered(30)
    async with browse() as screen:
        messages = screen.app.browser.messages
        await screen.until(lambda: "1 of 30" in screen.place)
        await screen.press(*"jjj")
        await screen.press("slash", *"e 29")
        await screen.until(lambda: "1 of 1" in screen.place and screen.rows[0].endswith("message 29"))
        await screen.until(lambda: "filter: e 29 · 1 hit" in screen.text and screen.detail == "message 29")
        await screen.press("backspace", "backspace")
        await screen.until(lambda: "1 of 30" in screen.place)  # "e" and the blank
        await screen.press("x")
        await screen.until(lambda: "no message matches" in screen.text and "0 hits" in screen.text)
        assert screen.detail == ""
        await screen.press("escape")
        await screen.until(lambda: "4 of 30" in screen.place and screen.detail == "message 3")
        assert screen.app.browser.message_list.filter is None
        assert messages.needle == ""


async def test_escape_gives_back_the_filter_that_was_there_and_enter_keeps_the_new_one(qm, browse):
    qm.put_numbered(30)
    async with browse() as screen:
        await screen.press("slash", *"e 1", "enter")
        await screen.until(lambda: "1 of 11" in screen.place)
        await screen.press("j", "slash", *"e 29")
        await screen.until(lambda: screen.rows[0].endswith("message 29"))
        await screen.press("escape")
        await screen.until(lambda: "2 of 11" in screen.place and "filter: e 1 · 11 hits" in screen.text)
        await screen.press("slash", *"e 2", "enter")
        await screen.until(lambda: "1 of 11" in screen.place and screen.rows[0].endswith("message 2"))
        await screen.press("slash", "up", "up")
        await screen.until(lambda: "filter: e 1 · 11 hits" in screen.text)
        await screen.press("down", "enter")
        await screen.until(lambda: "filter: e 2 · 11 hits" in screen.text)
        await screen.press("slash", "up", "up")  # entered again, a line is remembered once and last
        await screen.until(lambda: "filter: e 1 · 11 hits" in screen.text)
        await screen.press("up")
        await screen.until(lambda: "filter: e 1 · 11 hits" in screen.text)
        await screen.press("ctrl+u", "enter")
        await screen.until(lambda: "1 of 30" in screen.place)


async def test_a_selector_that_is_not_finished_changes_nothing_and_says_why_at_enter(qm, browse):
    qm.put("red one", properties={"colour": Property(MQTYPE_STRING, "red")})
    qm.put("plain")
    async with browse() as screen:
        await screen.until(lambda: "1 of 2" in screen.place)
        await screen.press("slash")
        await screen.enter("where colour = 'r")
        await screen.until(lambda: "has no closing quote" in screen.text)
        assert "1 of 2" in screen.place
        await screen.press("ctrl+u")
        await screen.type("colour = 'red'")
        await screen.until(lambda: "filter: colour = 'red' · 1 hit by selector" in screen.text)
        await screen.press("enter")
        await screen.until(lambda: "1 of 1" in screen.place)


async def test_no_row_of_the_list_before_is_under_the_cursor_when_enter_comes_before_the_hits(qm, browse, monkeypatch):
    qm.put_numbered(3)
    held = threading.Event()
    real = Search.run

    def run(self, *given):
        held.wait(60)
        return real(self, *given)

    async with browse() as screen:
        await screen.until(lambda: "1 of 3" in screen.place)
        monkeypatch.setattr(Search, "run", run)
        await screen.press("slash", *"e 2", "enter")
        await screen.until(lambda: "filter: e 2 · …" in screen.text)
        await screen.press("d")
        assert screen.app.browser.current is None
        assert "Delete" not in screen.text
        held.set()
        await screen.until(lambda: screen.cursor_line == (0, "message 2"))


async def test_hits_are_highlighted_in_the_rows_wherever_they_are_and_in_the_message(qm, browse):
    qm.put("x" * 300 + " Needle and needle " + "y" * 300)
    async with browse() as screen:
        await screen.press("slash", *"needle")
        await screen.until(lambda: "filter: needle · 1 hit" in screen.text)
        browser = screen.app.browser
        ground = colours_of(screen.app).style(TEXT, HIT).bgcolor
        await screen.until(lambda: "Needle and needle" in screen.rows[0])
        strip = browser.messages.draw_line(1)
        assert [part.text for part in strip if part.style.bgcolor == ground] == ["Needle", "needle"]
        lines = [browser.detail.lines.draw_line(y) for y in range(10)]
        assert [part.text for line in lines for part in line if part.style.bgcolor == ground] == ["Needle", "needle"]


def test_hits_are_found_ignoring_case_and_across_cells():
    assert find_hits("aXbxa", "x") == [(1, 2), (3, 4)]
    assert find_hits("aaa", "aa") == [(0, 2)]
    assert find_hits("anything", "") == []
    assert mark_hits([("ab", "one"), ("cd", "two")], "BC") == [("a", "one"), ("b", HIT), ("c", HIT), ("d", "two")]


async def test_there_is_room_for_what_is_typed_on_a_narrow_terminal(qm, browse):
    name = "A.QUEUE.WITH.A.LONG.NAME.THAT.FILLS.A.LINE"
    qm.define(name)
    qm.put("needle", name)
    async with browse(name, size=(40, 10)) as screen:
        await screen.press("slash", *"needle")
        await screen.until(lambda: "/ needle" in screen.text)


async def test_a_filter_is_saved_under_a_name_chosen_again_in_the_next_session_and_forgotten(qm, browse, tmp_path):
    qm.put("a needle")
    qm.put("hay")
    async with browse() as screen:
        await screen.press("slash")
        await screen.enter("needle")
        await screen.until(lambda: "1 of 1" in screen.place)
        await screen.press("b", opens=SearchDialog)
        await screen.press("enter", opens=InputDialog)
        await screen.enter("mine")
        await screen.until(lambda: "saved as mine" in screen.said)
    (state,) = (tmp_path / "state").rglob("tui.json")
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    async with browse() as screen:
        await screen.until(lambda: "1 of 2" in screen.place)
        await screen.press("b", opens=SearchDialog)
        await screen.until(lambda: "mine  needle" in screen.text)
        await screen.press("enter")
        await screen.until(lambda: "1 of 1" in screen.place)
        await screen.press("b", opens=SearchDialog)
        await screen.enter("forget mine")
        await screen.until(lambda: "forgot mine" in screen.said)
        await screen.press("escape", "b")
        await screen.until(lambda: "no filter is saved" in screen.said)


def test_a_damaged_list_of_saved_filters_counts_as_empty(qm, tmp_path):
    write_state({FILTERS: '{"a": 1}'})
    assert read_state()[FILTERS] == "{}"
