"""What the browser writes to a terminal: only what has changed, so that it can be used over a slow line."""

from __future__ import annotations

import time

import pyte
from hypothesis import given
from hypothesis import strategies as st
from pyte.screens import Char
from rich.console import Console
from rich.style import Style

from mqtools.tui.short_styles import shorten

from .terminal import Terminal

IDLE_S = 5
COLOURS = {"COLORTERM": "truecolor"}


def written(terminal: Terminal) -> int:
    """Return how many characters have been written until now."""
    terminal.read()
    return terminal.written


def test_only_what_has_changed_is_written(qm):
    for number in range(30):
        qm.put(f'{{"payment": {number}, "debtor": {{"name": "ACME", "city": "Köln"}}, "amount": {number * 7}}}')
    # Both sizes at once: most of the time is waiting.
    terminals = [Terminal(qm.path, "Q", size=size, env=COLOURS) for size in ((120, 40), (200, 50))]
    try:
        for terminal in terminals:
            terminal.until("1 of 30[^|]*\n[^$]*Köln")
        time.sleep(2)  # until what keys need is imported, and the queues are there
        before = [written(terminal) for terminal in terminals]
        time.sleep(IDLE_S)
        for terminal, count in zip(terminals, before, strict=True):
            assert written(terminal) - count < 1000 * IDLE_S
        for number in range(2, 5):
            before = [terminal.written for terminal in terminals]
            for terminal in terminals:
                terminal.press("j")
            for terminal in terminals:
                terminal.until(f"{number} of 30")
            time.sleep(0.5)  # for the message in full
            for terminal, count in zip(terminals, before, strict=True):
                assert 0 < written(terminal) - count < 4000
    finally:
        for terminal in terminals:
            terminal.close()


PLACES = st.tuples(st.integers(1, 5), st.integers(1, 20)).map(lambda at: f"\x1b[{at[0]};{at[1]}H")
COLOUR = st.sampled_from([None, "red", "color(123)", "#010203", "#a0b0c0"])
FLAG = st.sampled_from([None, True])
STYLES = st.builds(Style, color=COLOUR, bgcolor=COLOUR, bold=FLAG, dim=FLAG, italic=FLAG, reverse=FLAG)
PIECES = st.one_of(PLACES, st.just("\r\n"), st.tuples(STYLES, st.text("ab ●", max_size=5)))


def test_what_another_program_has_left_of_its_style_ends_with_the_first_one():
    screen = pyte.Screen(20, 6)
    pyte.Stream(screen).feed("\x1b[1;7m" + shorten("\x1b[31ma\x1b[0m"))
    drawn = screen.buffer[0][0]
    assert (drawn.data, drawn.fg, drawn.bold, drawn.reverse) == ("a", "red", False, False)


def look(cell: Char) -> Char:
    """Return a cell as it looks: a space has no colour of its text."""
    blank = cell.data == " " and not cell.reverse
    return cell._replace(fg="default", bold=False, italics=False) if blank else cell


@given(st.lists(PIECES, max_size=30))
def test_shorter_styles_draw_the_same(pieces):
    console = Console(force_terminal=True, color_system="truecolor")
    system = console._color_system
    text = "".join(
        piece if isinstance(piece, str) else piece[0].render(piece[1], color_system=system) for piece in pieces
    )
    screens = []
    for output in (text, shorten(text)):
        screen = pyte.Screen(20, 6)
        pyte.Stream(screen).feed(output)
        drawn = [[look(screen.buffer[y][x]) for x in range(20)] for y in range(6)]
        screens.append((drawn, screen.cursor.x, screen.cursor.y))
    assert screens[0] == screens[1]
    assert len(shorten(text)) <= len(text)
