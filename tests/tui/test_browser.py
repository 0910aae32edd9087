"""The browser without changing anything: what is listed, what is shown in full, where the keys lead."""

from __future__ import annotations

import threading

import pytest

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.message import Property
from mqtools.store import database
from mqtools.tui.help import format_keys, help_lines
from mqtools.tui.keymap import KEYS


def test_a_row_shows_priority_type_length_and_the_beginning_of_the_data(qm, browse):
    qm.put("hello", priority=7)

    async def story(screen):
        (row,) = [row for row in screen.rows if row]
        assert row.split()[1:] == ["7", "datagram", "5", "hello"]
        assert "Q · 1 of 1" in screen.text

    browse(story)


def test_with_a_queue_the_first_message_is_under_the_cursor_and_shown_in_full(qm, browse):
    qm.put("first")
    qm.put("second")

    async def story(screen):
        assert screen.cursor_line == (0, "first")
        await screen.until(lambda: screen.detail == "first")

    browse(story)


def test_without_a_queue_the_list_of_queues_has_the_focus_and_enter_goes_in(qm, browse):
    qm.put("on R", "R")

    async def story(screen):
        assert screen.app.browser.pane == "queues"
        await screen.press("j", "j", "enter")
        await screen.until(lambda: screen.cursor_line == (0, "on R"))
        assert screen.app.browser.pane == "messages"

    browse(story, "")


def test_queues_show_depth_and_percent_full(qm, browse):
    qm.define("SMALL", max_q_depth=4)
    qm.put("x", "SMALL")

    async def story(screen):
        def depth_of_small():
            (line,) = [line for line in screen.text.splitlines() if " SMALL " in line]
            return line.split()[2:4]

        await screen.until(lambda: depth_of_small() == ["1", "25%"])

    browse(story, "")


def test_the_ends_of_a_long_queue_are_a_key_away(qm, browse):
    for number in range(500):
        qm.put(f"message {number}")

    async def story(screen):
        await screen.press("G")
        await screen.until(lambda: screen.cursor_line[1] == "message 499")
        assert "500 of 500" in screen.place
        await screen.press("g")
        await screen.until(lambda: screen.cursor_line == (0, "message 0"))

    browse(story)


def test_paging_from_end_to_end_passes_every_message_and_counts_right(qm, browse):
    for number in range(60):
        qm.put(f"message {number}", priority=number % 10)

    async def story(screen):
        window = screen.app.browser.messages.window
        await screen.press("G")
        await screen.until(lambda: "60 of 60" in screen.place)
        assert not window.at_start
        seen = []
        while True:
            seen.append(window.current.order_key)
            if window.at_start and window.cursor == 0:
                break
            await screen.press("k")
            await screen.until(lambda: not screen.app.browser.message_list._is_asking)
        assert len(seen) == 60
        assert not window.at_end
        assert seen == sorted(seen, reverse=True)
        assert "1 of 60" in screen.place

    browse(story, size=(120, 20))


JSON, XML = b'{"a": [1, "b"]}', b'<a><b x="1">t</b><c/></a>'


@pytest.mark.parametrize(
    ("key", "data", "expected"),
    [
        ("1", JSON, '{"a": [1, "b"]}'),
        ("2", b"AB\xc1", "00000000:  4142 C1"),
        ("3", JSON, '{\n  "a": [\n    1,\n    "b"\n  ]\n}'),
        ("3", b"no", "the body is not JSON: "),
        ("4", XML, '<a>\n  <b x="1">t</b>\n  <c></c>\n</a>'),
        ("4", b"no", "the body is not XML: "),
        ("4", b'<!DOCTYPE a [<!ENTITY b "x">]><a>&b;</a>', "the body is not XML: it defines entities"),
        ("5", b"x", "ReplyToQ         : 'R"),
        ("6", b"x", "colour : red"),
    ],
)
def test_tabs_show_a_message_in_several_ways(qm, browse, key, data, expected):
    qm.put(data, reply_to_q="R", properties={"colour": Property(MQTYPE_STRING, "red")})

    async def story(screen):
        await screen.press(key)
        await screen.until(lambda: expected in screen.detail)

    browse(story)


def test_the_hex_tab_has_ascii_and_ebcdic_columns_where_there_is_room(qm, browse):
    qm.put(bytes.fromhex("C8C5D3D3D6 40414243"))

    async def story(screen):
        await screen.until(
            lambda: "'.....@ABC       ' 'HELLO ...'" in screen.detail.replace("'HELLO ...       '", "'HELLO ...'")
        )

    browse(story, size=(160, 40))


def test_text_is_shown_as_text_and_binary_as_hex_until_a_tab_is_chosen(qm, browse):
    qm.put(b"\0\1binary", format="")
    qm.put("text")

    async def story(screen):
        await screen.until(lambda: screen.detail.startswith("00000000:"))
        await screen.press("j")
        await screen.until(lambda: screen.detail == "text")
        await screen.press("5", "k")
        await screen.until(lambda: "MsgId" in screen.detail)

    browse(story)


def test_long_data_comes_piece_by_piece(qm, browse):
    qm.put("a" * 200_000)

    async def story(screen):
        await screen.until(lambda: "64.0 KiB of 195.3 KiB, + for more" in screen.about)
        await screen.press("plus")
        await screen.until(lambda: "128.0 KiB of" in screen.about)

    browse(story)


def test_long_json_is_laid_out_when_asked_for(qm, browse):
    import json

    qm.put(json.dumps(["x" * 1000] * 1100))

    async def story(screen):
        await screen.press("3")
        await screen.until(lambda: "layout of 1.1 MiB takes a while; press + to start it" in screen.detail)
        await screen.press("plus")
        await screen.until(lambda: screen.detail.startswith('[\n  "xxx'))

    browse(story)


def test_reports_about_a_message_are_named_with_its_headers(qm, browse):
    msg_id = qm.put("order", reply_to_q="R")
    qm.put("done", "R", correl_id=msg_id, msg_type=2)

    async def story(screen):
        await screen.press("6")
        await screen.until(lambda: "R : reply" in screen.detail)

    browse(story)


def test_enter_goes_into_the_message_and_escape_back_out_and_never_quits(qm, browse):
    qm.put("x")

    async def story(screen):
        await screen.press("enter")
        assert screen.app.browser.pane == "detail"
        await screen.press("escape")
        assert screen.app.browser.pane == "messages"
        await screen.press("escape")
        assert screen.app.browser.pane == "queues"
        await screen.press("escape", "escape")
        assert screen.app.browser.pane == "queues"
        assert screen.app.is_running

    browse(story)


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
def test_a_filter_narrows_the_list(qm, browse, line, found):
    qm.put("for ACME")
    qm.put("red one", properties={"colour": Property(MQTYPE_STRING, "red")})
    qm.put("urgent", priority=9)

    async def story(screen):
        await screen.press("slash")
        screen.app.screen.query_one("Input").value = line
        await screen.press("enter")
        await screen.until(lambda: screen.app.browser.message_list.filter is not None)
        window = screen.app.browser.messages.window
        await screen.until(lambda: [row.beginning for row in window.rows] == found and not screen.is_searching)
        assert f"filter: {line}" in screen.text
        await screen.press("escape")
        await screen.until(lambda: len(window.rows) == 3)

    browse(story)


def test_a_filter_that_is_wrong_is_said_and_the_list_stays(qm, browse):
    qm.put("x")

    async def story(screen):
        await screen.press("slash")
        screen.app.screen.query_one("Input").value = "where ("
        await screen.press("enter")
        await screen.until(lambda: "MQRC_SELECTION_STRING_ERROR" in screen.said or "selector" in screen.said)
        assert screen.cursor_line == (0, "x")

    browse(story)


def test_what_comes_while_a_filter_is_on_is_listed_if_it_fits(qm, browse):
    qm.put("one cat")

    async def story(screen):
        await screen.press("slash")
        await screen.type("cat")
        await screen.press("enter")
        await screen.until(lambda: "1 of 1" in screen.place and screen.app.browser.message_list.filter)
        qm.put("a dog")
        qm.put("two cats")
        await screen.until(lambda: "1 of 2" in screen.place)
        assert [row.beginning for row in screen.app.browser.messages.window.rows] == ["one cat", "two cats"]

    browse(story)


def test_n_goes_to_the_next_hit_inside_a_long_body(qm, browse):
    qm.put("\n".join("needle" if line in (100, 300) else f"line {line}" for line in range(400)))

    async def story(screen):
        await screen.press("slash")
        await screen.type("needle")
        await screen.press("enter")
        await screen.until(lambda: "line 399" in screen.detail)
        lines = screen.app.browser.detail.lines
        for key, line in (("n", 99), ("n", 299), ("N", 99)):
            await screen.press(key)
            await screen.until(lambda line=line: lines.scroll_offset.y == line)

    browse(story)


def test_explain_says_what_the_reason_of_a_dead_letter_means(qm, browse):
    from mqtools.message import MQMD, Message

    qm.define("TINY", max_q_depth=1)
    qm.put("in the way", "TINY")
    qm.connection.put_each("TINY", [Message(b"x", MQMD())], dead_letter=True)

    async def story(screen):
        assert screen.rows[0].split()[0] == "!"
        assert "Q_FULL" in screen.rows[0]
        await screen.press("x")
        await screen.until(lambda: "MQRC_Q_FULL" in screen.text)

    browse(story, "DLQ")


def test_times_are_in_utc_in_local_time_or_ages_and_that_is_remembered(qm, browse, tmp_path, monkeypatch):
    import time

    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        qm.put("x")

        async def story(screen):
            assert "time UTC" in screen.text
            in_utc = screen.rows[0].split()[0]
            await screen.press("u")
            assert "local" in screen.text
            minutes = [int(part[:2]) * 60 + int(part[3:5]) for part in (in_utc, screen.rows[0].split()[0])]
            assert (minutes[1] - minutes[0]) % (24 * 60) == 330
            await screen.press("u")
            await screen.until(lambda: (tmp_path / "state/mqx/tui.json").exists())
            await screen.until(lambda: '"age"' in (tmp_path / "state/mqx/tui.json").read_text())

        async def next_time(screen):
            assert " age " in screen.text

        browse(story)
        browse(next_time)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_theme_is_remembered_and_one_that_does_not_exist_is_not_taken(qm, browse, tmp_path):
    path = tmp_path / "state/mqx/tui.json"

    async def choose(screen):
        screen.app.theme = "nord"
        await screen.until(lambda: path.exists() and "nord" in path.read_text())

    async def next_time(screen):
        assert screen.app.theme == "nord"
        path.write_text('{"theme": "no such", "times": 7}')

    async def damaged(screen):
        assert screen.app.theme == "textual-dark"
        path.write_text("no JSON")

    for story in (choose, next_time, damaged, damaged):
        browse(story)


def test_the_body_of_the_message_is_searched_without_a_filter(qm, browse):
    qm.put("\n".join("needle" if line == 300 else f"line {line}" for line in range(400)))

    async def story(screen):
        await screen.until(lambda: "line 399" in screen.detail)
        await screen.press("enter", "slash")
        screen.app.screen.query_one("Input").value = "NEEDLE"
        await screen.press("enter")
        await screen.until(lambda: screen.app.browser.detail.lines.scroll_offset.y == 299)
        assert screen.app.browser.message_list.filter is None

    browse(story)


# -- keys ---------------------------------------------------------------------------------------------------


def test_the_help_lists_every_key(qm, browse):
    async def story(screen):
        await screen.press("question_mark")
        await screen.until(lambda: "Moving" in screen.text)

    browse(story)
    text = "\n".join(help_lines({"quit": "Q"}, read_only=False))
    assert all(f"{format_keys(key.keys)}" in text for key in KEYS if key.id != "quit")
    assert "  Q  " in text


def test_no_key_has_two_meanings():
    keys = [one for key in KEYS for one in key.keys.split(",") if key.id != "live"]  # where it does, lock does nothing
    assert sorted(keys) == sorted(set(keys))


def test_keys_can_be_changed_in_the_configuration(qm, browse, tmp_path):
    (tmp_path / "config" / "mqx").mkdir(parents=True)
    config = tmp_path / "config" / "mqx" / "config.toml"
    config.write_text('[keymap]\n"move.last" = "Z"\n"nonsense" = "b"\n"follow" = "d"\n')
    for number in range(3):
        qm.put(f"{number}")

    async def story(screen):
        await screen.press("Z")
        await screen.until(lambda: screen.cursor_line[1] == "2")
        await screen.press("g")
        await screen.until(lambda: screen.cursor_line[1] == "0")
        await screen.press("G")
        assert screen.cursor_line[1] == "0"
        assert "keymap.nonsense: unknown id" in screen.said
        assert "keymap.follow: d is already the key of delete" in screen.said

    browse(story)


# -- sizes --------------------------------------------------------------------------------------------------


def test_at_80_by_24_all_three_panes_are_there(qm, browse):
    qm.put("hello there")

    async def story(screen):
        await screen.until(lambda: screen.detail == "hello there")
        lines = screen.text.splitlines()
        assert len(lines) <= 24
        assert any("Q · 1 of 1" in line for line in lines)
        assert any("hello there" in line and "datagram" in line for line in lines)
        assert "‹1 text›" in screen.text
        assert any("✉ DLQ " in line for line in lines)

    browse(story, size=(80, 24))


@pytest.mark.parametrize("size", [(60, 15), (40, 10), (20, 5), (8, 2), (1, 1)])
def test_small_terminals_have_one_pane_at_a_time_and_nothing_breaks(qm, browse, size):
    for number in range(50):
        qm.put(f"message {number}")

    async def story(screen):
        keys = [
            "j",
            "k",
            "G",
            "g",
            "enter",
            "2",
            "tab",
            "tab",
            "space",
            "question_mark",
            "escape",
            "d",
            "n",
            "m",
            "escape",
        ]
        for key in [*keys, "p", "escape", "h", "h", "enter"]:
            await screen.press(key)
        await screen.pilot.resize_terminal(100, 30)
        await screen.until(lambda: "‹2 hex›" in screen.text)
        await screen.pilot.resize_terminal(*size)
        await screen.press("j")

    browse(story, size=size)


def test_a_message_is_laid_out_for_the_width_that_it_is_shown_in(qm, browse):
    qm.put("x" * 70)

    async def story(screen):
        await screen.until(lambda: screen.app.browser.detail.detail)
        await screen.press("enter")
        await screen.until(lambda: "x" * 39 in screen.text)
        await screen.pilot.resize_terminal(80, 24)
        await screen.until(lambda: "x" * 41 in screen.text)

    browse(story, size=(40, 10))


# -- the thread that draws ----------------------------------------------------------------------------------


def test_the_thread_that_draws_never_calls_the_database(qm, browse, monkeypatch):
    for number in range(30):
        qm.put(f"message {number}")
    drawing = threading.get_ident()
    calls = []
    for name in ("all", "one", "run", "run_many"):
        real = getattr(database.Database, name)

        def guarded(self, *given, real=real):
            if threading.get_ident() == drawing and self is not qm.connection.db:
                calls.append(given[0])
            return real(self, *given)

        monkeypatch.setattr(database.Database, name, guarded)

    async def story(screen):
        calls.clear()  # what was read before the screen was taken
        browser, steps = (
            screen.app.browser,
            (
                ("j", lambda: screen.cursor_line == (1, "message 1")),
                ("2", lambda: screen.detail.startswith("00000000:")),
                ("6", lambda: "no headers" in screen.detail),
                ("space", lambda: qm.is_marked()[1]),
                ("L", lambda: "locked: nobody else" in screen.said),
                ("G", lambda: screen.cursor_line[1] == "message 29"),
                ("g", lambda: screen.cursor_line == (0, "message 0")),
                ("x", lambda: screen.app.screen is not browser),
                ("escape", lambda: screen.app.screen is browser),
                ("slash", lambda: screen.app.screen is not browser),
                ("1", lambda: screen.app.screen.query_one("Input").value == "1"),
                ("enter", lambda: "1 of 12" in screen.place and not screen.is_searching),
                ("escape", lambda: "1 of 30" in screen.place),
                ("asterisk", lambda: "29 marked" in screen.place),
                ("number_sign", lambda: screen.app.screen is not browser),
                ("5", lambda: screen.app.screen.query_one("Input").value == "5"),
                ("enter", lambda: "5 of 30" in screen.place),
                ("C", lambda: screen.app.screen is not browser),
                ("space", lambda: True),
                ("enter", lambda: screen.app.screen is browser),
                ("d", lambda: "Delete 29 messages from Q?" in screen.text),
                ("y", lambda: "deleted 29 messages" in screen.said),
            ),
        )
        for key, has_come in steps:
            await screen.press(key)
            await screen.until(has_come)
        assert calls == []

    browse(story)


def test_keys_answer_while_a_query_takes_long(qm, browse, monkeypatch):
    from mqtools.tui.background import detail_reader

    for number in range(30):
        qm.put(f"message {number}")
    asked, answered = threading.Event(), threading.Event()
    monkeypatch.setattr(detail_reader, "read_detail", lambda *a, **b: (asked.set(), answered.wait(100), None)[2])

    async def story(screen):
        await screen.press("j")
        await screen.until(asked.is_set)
        await screen.press("j", "j")
        assert screen.cursor_line[0] == 3
        assert not answered.is_set()
        answered.set()

    browse(story)


@pytest.mark.parametrize("thread", ["reader", "writer"])
def test_an_error_that_nobody_expects_ends_the_browser_whichever_thread_meets_it(qm, browse, thread):
    qm.put("x")

    def fail(_):
        raise ZeroDivisionError

    async def story(screen):
        session = screen.app.session
        ask = session.reader.ask if thread == "reader" else session.writer.do
        ask(fail, lambda _: None)
        await screen.until(lambda: screen.app.crash)

    with pytest.raises(ZeroDivisionError):
        browse(story)


def test_reading_only_writes_not_a_byte_and_has_no_keys_that_would(qm, browse):
    from pathlib import Path

    qm.put("x")
    qm.connection.db.run("pragma wal_checkpoint(truncate)")
    before = {path.name: path.read_bytes() for path in Path(qm.path).parent.glob("QM1.db*") if path.is_file()}
    before.pop("QM1.db-shm", None)

    async def story(screen):
        assert "read-only" in screen.text
        await screen.press("space", "L", "d", "y", "p", "escape", "asterisk", "m")
        await screen.pilot.pause(0.5)
        assert screen.app.screen is screen.app.browser
        after = {name: (Path(qm.path).parent / name).read_bytes() for name in before}
        assert after == before

    browse(story, read_only=True)
