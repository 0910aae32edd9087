"""The browser without changing anything: what is listed, and what is shown in full."""

from __future__ import annotations

import json
import time

import pytest

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.message import Property


async def test_a_row_shows_priority_type_length_and_the_beginning_of_the_data(qm, browse):
    qm.put("hello", priority=7)
    async with browse() as screen:
        (row,) = [row for row in screen.rows if row]
        assert row.split()[1:] == ["7", "datagram", "5", "hello"]
        assert "Q · 1 of 1" in screen.text


async def test_with_a_queue_the_first_message_is_under_the_cursor_and_shown_in_full(qm, browse):
    qm.put("first")
    qm.put("second")
    async with browse() as screen:
        assert screen.cursor_line == (0, "first")
        await screen.until(lambda: screen.detail == "first")


async def test_without_a_queue_the_list_of_queues_has_the_focus_and_enter_goes_in(qm, browse):
    qm.put("on R", "R")
    async with browse("") as screen:
        assert screen.app.browser.pane == "queues"
        await screen.press("j", "j", "enter")
        await screen.until(lambda: screen.cursor_line == (0, "on R"))
        assert screen.app.browser.pane == "messages"


async def test_queues_show_depth_and_percent_full(qm, browse):
    qm.define("SMALL", max_q_depth=4)
    qm.put("x", "SMALL")
    async with browse("") as screen:

        def depth_of_small():
            (line,) = [line for line in screen.text.splitlines() if " SMALL " in line]
            return [word for word in line.split("┃")[1].split() if word.isdigit() or word.endswith("%")]

        await screen.until(lambda: depth_of_small() == ["1", "25%"])


async def test_the_ends_of_a_long_queue_are_a_key_away(qm, browse):
    qm.put_numbered(500)
    async with browse() as screen:
        await screen.press("G")
        await screen.until(lambda: screen.cursor_line[1] == "message 499")
        assert "500 of 500" in screen.place
        await screen.press("g")
        await screen.until(lambda: screen.cursor_line == (0, "message 0"))


async def test_paging_from_end_to_end_passes_every_message_and_counts_right(qm, browse):
    for number in range(90):
        qm.put(f"message {number}", priority=number % 10)
    async with browse(size=(120, 20)) as screen:
        window = screen.app.browser.messages.window
        await screen.press("G")
        await screen.until(lambda: "90 of 90" in screen.place)
        assert not window.at_start
        seen = []
        while True:
            seen.append(window.current.order_key)
            if window.at_start and window.cursor == 0:
                break
            await screen.press("k")
            await screen.until(lambda: not screen.app.browser.message_list._is_asking)
        assert len(seen) == 90
        assert not window.at_end
        assert seen == sorted(seen, reverse=True)
        assert "1 of 90" in screen.place


JSON, XML = b'{"a": [1, "b"]}', b'<a><b x="1">t</b><c/></a>'


@pytest.mark.parametrize(
    ("key", "data", "expected"),
    [
        ("1", JSON, '{"a": [1, "b"]}'),
        ("1", b"", "no data"),
        ("2", b"AB\xc1", "00000000:  4142 C1"),
        ("3", JSON, '{\n  "a": [\n    1,\n    "b"\n  ]\n}'),
        ("3", b"no", "the body is not JSON: "),
        ("3", b"[" * 300 + b"]" * 300, "the body is not shown as JSON: it is nested deeper than 200 levels"),
        ("4", XML, '<a>\n  <b x="1">t</b>\n  <c></c>\n</a>'),
        ("4", b"no", "the body is not XML: "),
        ("4", b'<!DOCTYPE a [<!ENTITY b "x">]><a>&b;</a>', "the body is not shown as XML: it defines entities"),
        ("5", b"x", "ReplyToQ         : 'R"),
        ("6", b"x", "colour : red"),
    ],
)
async def test_tabs_show_a_message_in_several_ways(qm, browse, key, data, expected):
    qm.put(data, reply_to_q="R", properties={"colour": Property(MQTYPE_STRING, "red")})
    async with browse() as screen:
        await screen.press(key)
        await screen.until(lambda: expected in f"{screen.about}{screen.detail}")


async def test_the_hex_tab_has_ascii_and_ebcdic_columns_where_there_is_room(qm, browse):
    qm.put(bytes.fromhex("C8C5D3D3D6 40414243"))
    async with browse(size=(160, 40)) as screen:
        await screen.until(lambda: screen.app.browser.queues.size.width > 30)  # the queues have taken their room
        await screen.settle()
        await screen.until(lambda: "'.....@ABC       ' 'HELLO ...       '" in screen.detail)


async def test_text_is_shown_as_text_and_binary_as_hex_until_a_tab_is_chosen(qm, browse):
    qm.put(b"\0\1binary", format="")
    qm.put("text")
    async with browse() as screen:
        await screen.until(lambda: screen.detail.startswith("00000000:"))
        await screen.press("j")
        await screen.until(lambda: screen.detail == "text")
        await screen.press("5", "k")
        await screen.until(lambda: "MsgId" in screen.detail)


async def test_long_data_comes_piece_by_piece(qm, browse):
    qm.put("a" * 200_000)
    async with browse() as screen:
        await screen.until(lambda: "64.0 KiB of 195.3 KiB, + for more" in screen.about)
        await screen.press("n")
        assert "no hit in 64.0 KiB of 195.3 KiB, + for more; / searches" in screen.said
        await screen.press("plus")
        await screen.until(lambda: "128.0 KiB of" in screen.about)


async def test_the_beginning_of_long_json_is_there_at_once_and_the_rest_follows(qm, browse):
    items = [{"number": number, "text": "x" * 30} for number in range(30_000)]
    qm.put(json.dumps([*items, "needle"]))
    async with browse() as screen:
        await screen.press("3")
        await screen.until(lambda: screen.detail.startswith('[\n  {\n    "number": 0,'))
        await screen.until(lambda: "laying out" in screen.about or "needle" in screen.detail)
        await screen.until(lambda: screen.detail.endswith('  "needle"\n]'))
        await screen.until(lambda: "laying out" not in screen.about)
        await screen.press("enter", "slash")
        await screen.enter("needle")
        await screen.until(lambda: "needle" in screen.text)


async def test_long_text_that_only_begins_as_json_says_where_it_ends(qm, browse):
    qm.put("[" + "1, " * 200_000 + "oops]")
    async with browse() as screen:
        await screen.press("3")
        await screen.until(lambda: "the body is not JSON from here on" in screen.detail)


async def test_reports_about_a_message_are_named_with_its_headers(qm, browse):
    msg_id = qm.put("order", reply_to_q="R")
    qm.put("done", "R", correl_id=msg_id, msg_type=2)
    async with browse() as screen:
        await screen.press("6")
        await screen.until(lambda: "R : reply" in screen.detail)


async def test_enter_goes_into_the_message_and_escape_back_out_and_never_quits(qm, browse):
    qm.put("x")
    async with browse() as screen:
        await screen.press("enter")
        assert screen.app.browser.pane == "detail"
        await screen.press("escape")
        assert screen.app.browser.pane == "messages"
        await screen.press("escape")
        assert screen.app.browser.pane == "queues"
        await screen.press("escape", "escape")
        assert screen.app.browser.pane == "queues"
        assert screen.app.is_running


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("acme", ["for ACME"]),
        ("where colour = 'red'", ["red one"]),
        ("where Root.MQMD.Priority > 5", ["urgent"]),
        ("hex 757267", ["urgent"]),
        ("nothing like it", []),
    ],
)
async def test_a_filter_narrows_the_list(qm, browse, line, found):
    qm.put("for ACME")
    qm.put("red one", properties={"colour": Property(MQTYPE_STRING, "red")})
    qm.put("urgent", priority=9)
    async with browse() as screen:
        await screen.press("slash")
        await screen.enter(line)
        await screen.until(lambda: screen.app.browser.message_list.filter is not None)
        window = screen.app.browser.messages.window
        await screen.until(lambda: [row.beginning for row in window.rows] == found and not screen.is_searching)
        assert f"filter: {line}" in screen.text
        await screen.press("escape")
        await screen.until(lambda: len(window.rows) == 3)


async def test_what_comes_while_a_filter_is_on_is_listed_if_it_fits(qm, browse):
    qm.put("one cat")
    async with browse() as screen:
        await screen.press("slash")
        await screen.enter("cat")
        await screen.until(lambda: "1 of 1" in screen.place and screen.app.browser.message_list.filter)
        qm.put("a dog")
        qm.put("two cats")
        await screen.until(lambda: "1 of 2" in screen.place)
        assert [row.beginning for row in screen.app.browser.messages.window.rows] == ["one cat", "two cats"]


async def test_n_goes_to_the_next_hit_inside_a_long_body(qm, browse):
    qm.put("\n".join("needle" if line in (100, 300) else f"line {line}" for line in range(400)))
    async with browse() as screen:
        await screen.press("slash")
        await screen.enter("needle")
        await screen.until(lambda: "1 hit" in screen.text and "line 399" in screen.detail)
        lines = screen.app.browser.detail.lines
        for key, line in (("n", 99), ("n", 299), ("N", 99)):
            await screen.press(key)
            await screen.until(lambda line=line: lines.scroll_offset.y == line)


async def test_explain_says_what_the_reason_of_a_dead_letter_means(letters, browse):
    async with browse("DLQ") as screen:
        assert screen.rows[0].split()[0] == "!"
        assert "Q_FULL" in screen.rows[0]
        await screen.press("x")
        await screen.until(lambda: "MQRC_Q_FULL" in screen.text)


async def test_times_are_in_utc_in_local_time_or_ages_and_that_is_remembered(qm, browse, tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        qm.put("x")
        async with browse() as screen:
            assert "time UTC" in screen.text
            in_utc = screen.rows[0].split()[0]
            await screen.press("u")
            assert "local" in screen.text
            minutes = [int(part[:2]) * 60 + int(part[3:5]) for part in (in_utc, screen.rows[0].split()[0])]
            assert (minutes[1] - minutes[0]) % (24 * 60) == 330
            await screen.press("u")
            await screen.until(lambda: (tmp_path / "state/mqx/tui.json").exists())
            await screen.until(lambda: '"age"' in (tmp_path / "state/mqx/tui.json").read_text())
        async with browse() as screen:
            assert " age " in screen.text
    finally:
        monkeypatch.undo()
        time.tzset()


async def test_the_theme_is_remembered_and_one_that_t_does_not_offer_is_not_taken(qm, browse, tmp_path):
    path = tmp_path / "state/mqx/tui.json"
    async with browse() as screen:
        screen.app.theme = "nord"
        await screen.until(lambda: path.exists() and "nord" in path.read_text())
    async with browse() as screen:
        assert screen.app.theme == "nord"
    for damaged in ('{"theme": "no such", "times": 7}', '{"theme": "ansi-dark"}', '{"theme": "monokai"}', "no JSON"):
        path.write_text(damaged)
        async with browse() as screen:
            assert screen.app.theme == "mqx-dark"


async def test_the_body_of_the_message_is_searched_without_a_filter(qm, browse):
    qm.put("\n".join("needle" if line == 300 else f"line {line}" for line in range(400)))
    async with browse() as screen:
        await screen.until(lambda: "line 399" in screen.detail)
        await screen.press("enter", "slash")
        await screen.enter("NEEDLE")
        await screen.until(lambda: screen.app.browser.detail.lines.scroll_offset.y == 299)
        assert screen.app.browser.message_list.filter is None
