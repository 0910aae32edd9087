"""The browser's keys and sizes: where keys lead, and what fits on terminals of any size."""

from __future__ import annotations

import pytest

from mqtools.tui.help import format_keys, help_entries, help_lines
from mqtools.tui.keymap import KEYS

# -- keys ---------------------------------------------------------------------------------------------------


async def test_the_help_lists_every_key(qm, browse):
    async with browse() as screen:
        await screen.press("question_mark")
        await screen.until(lambda: "Moving" in screen.text)
        await screen.press("end")
        await screen.until(lambda: "3/? before" in screen.text)
    text = "\n".join(help_lines(help_entries({"quit": "Q"}, {}, read_only=False)))
    assert all(f"{format_keys(key.keys)}" in text for key in KEYS if key.id != "quit")
    assert "  Q  " in text
    assert all(format_keys(key.keys).isascii() for key in KEYS)


def test_no_key_has_two_meanings():
    keys = [one for key in KEYS for one in key.keys.split(",") if key.id != "live"]  # where it does, lock does nothing
    assert sorted(keys) == sorted(set(keys))


async def test_keys_can_be_changed_in_the_configuration(qm, browse, tmp_path):
    (tmp_path / "config" / "mqx").mkdir(parents=True)
    config = tmp_path / "config" / "mqx" / "config.toml"
    config.write_text('[keymap]\n"move.last" = "Z"\n"nonsense" = "b"\n"follow" = "d"\n')
    for number in range(3):
        qm.put(f"{number}")
    async with browse() as screen:
        await screen.press("Z")
        await screen.until(lambda: screen.cursor_line[1] == "2")
        await screen.press("g")
        await screen.until(lambda: screen.cursor_line[1] == "0")
        await screen.press("G")
        assert screen.cursor_line[1] == "0"
        assert "keymap.nonsense: unknown id" in screen.said
        assert "keymap.follow: d is already the key of delete" in screen.said


# -- sizes --------------------------------------------------------------------------------------------------


async def test_at_80_by_24_all_three_panes_are_there(qm, browse):
    qm.put("hello there")
    async with browse(size=(80, 24)) as screen:
        await screen.until(lambda: screen.detail == "hello there")
        lines = screen.text.splitlines()
        assert len(lines) <= 24
        assert any("Q · 1 of 1" in line for line in lines)
        assert any("hello there" in line and "datagram" in line for line in lines)
        assert "‹1 text›" in screen.text
        assert any("✉ DLQ " in line for line in lines)


@pytest.mark.parametrize("size", [(60, 15), (40, 10), (20, 5), (8, 2), (1, 1)])
async def test_small_terminals_have_one_pane_at_a_time_and_nothing_breaks(qm, browse, size):
    qm.put_numbered(50)
    async with browse(size=size) as screen:
        keys = "j k G g enter 2 tab tab space question_mark escape d n m escape p escape h h enter"
        for key in keys.split():
            await screen.press(key)
        await screen.pilot.resize_terminal(100, 30)
        await screen.until(lambda: "‹2 hex›" in screen.text)
        await screen.pilot.resize_terminal(*size)
        await screen.press("j")


async def test_a_message_is_laid_out_for_the_width_that_it_is_shown_in(qm, browse):
    qm.put("x" * 70)
    async with browse(size=(40, 10)) as screen:
        await screen.until(lambda: screen.app.browser.detail.detail)
        await screen.press("enter")
        await screen.until(lambda: "x" * 39 in screen.text)
        await screen.pilot.resize_terminal(80, 24)
        await screen.until(lambda: "x" * 41 in screen.text)


async def test_at_80_by_24_a_dead_letter_shows_its_body_and_the_queues_give_way(letters, qm, browse):
    async with browse("DLQ", size=(80, 24)) as screen:
        panes = screen.app.browser
        await screen.until(lambda: "→ TINY  one" in screen.text)
        assert panes.messages.layout_of_columns.data_width >= 26
        assert panes.messages.size.width > panes.queues.size.width * 2
        await screen.press("h")
        await screen.until(lambda: panes.queues.size.width > 30)


@pytest.mark.parametrize(("size", "line"), [((80, 24), "'0123456789abcdef'"), ((140, 40), "'0123456789abcdef' ")])
async def test_hex_has_sixteen_bytes_a_line_wherever_they_fit(qm, browse, size, line):
    qm.put(b"0123456789abcdef" * 4, format="")
    async with browse(size=size) as screen:
        await screen.press("enter", "2")
        await screen.until(lambda: line in screen.text)


async def test_the_split_follows_the_content(qm, browse):
    qm.put("short")
    qm.put("long\n" * 30)
    async with browse(size=(120, 40)) as screen:
        panes = screen.app.browser
        await screen.until(lambda: panes.messages.outer_size.height == 5)  # as many lines as there are messages
        qm.put_numbered(40)
        await screen.until(lambda: panes.messages.outer_size.height > 25)
        await screen.press("j")
        await screen.until(lambda: panes.detail.outer_size.height > 15)
        before = panes.detail.outer_size.height
        await screen.press("enter")
        await screen.until(lambda: panes.detail.outer_size.height > before)


@pytest.mark.parametrize(("width", "is_beside"), [(120, False), (180, True)])
async def test_the_message_is_beside_the_list_where_that_is_wide(qm, browse, width, is_beside):
    qm.put("hello")
    async with browse(size=(width, 40)) as screen:
        panes = screen.app.browser
        await screen.until(lambda: (panes.messages.region.y == panes.detail.region.y) == is_beside)
