"""The footer: the important keys of the focused pane that fit; help and quit always.

One widget that draws a line: Textual's own footer has a widget for each key, and makes all of them again at each change
of focus. That costs more than everything else on the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.strip import Strip

from mqtools.tui.controllers.controller import BrowserScreen
from mqtools.tui.display import colours
from mqtools.tui.keymap import BY_ID, is_of_file
from mqtools.tui.panes.changed_lines import ChangedLines
from mqtools.tui.session import BrowserSession

#: Pane -> ids of the keys in its footer, the most important first; ``back`` is added by context.
_KEYS_OF_PANE = {
    "queues": "open filter sort put queue qmgr zoom theme palette",
    "messages": "open filter mark move copy delete lock trace past.event_before goto columns palette",
    "detail": "filter hit.next fold fold.all more goto yank edit zoom palette",
}
#: In the footer of a dead letter, and in the past, they come first.
_KEYS_OF_DEAD_LETTERS = "redrive explain groups rules queue"
_KEYS_OF_PAST = "past.earlier past.later past.event_before past.event_behind past.at past.zoom compare trace"
_ALWAYS = ("help", "quit")


class FooterKey(NamedTuple):
    """A key of the footer. id: of the keymap.  keys: their names for display.  words: what it does."""

    id: str
    keys: str
    words: str

    @property
    def width(self) -> int:
        return cell_len(f"{self.keys} {self.words}") + 2


def keys_for(browser: BrowserScreen, back: str) -> list[FooterKey]:
    """Return the keys for the pane with the focus. back: what escape does, empty for nothing."""
    session, row = browser.session, browser.current
    is_dead = browser.pane != "queues" and row is not None and row.is_dead
    is_past = bool(browser.past.state)
    words = _KEYS_OF_PANE[browser.pane]
    if is_dead:
        words = f"{_KEYS_OF_DEAD_LETTERS} {words}"
    if is_past:
        words = f"{_KEYS_OF_PAST} {words}"
    ids = dict.fromkeys(words.split())
    read_only = session.read_only or is_past
    hidden = {id for id in ids if session.elsewhere is not None and is_of_file(id)}
    keys = [_footer_key(session, id) for id in ids if id not in hidden and not (read_only and BY_ID[id].writes)]
    if browser.pane == "detail":
        keys = [key._replace(words="find") if key.id == "filter" else key for key in keys]
    return [_footer_key(session, "back", back), *keys] if back else keys


def _footer_key(session: BrowserSession, id: str, words: str = "") -> FooterKey:
    key = BY_ID[id]
    return FooterKey(id, session.first_key(id), words or key.short or key.words)


class KeysLine(ChangedLines):
    """Draws the keys; a click on one presses it. words_for_back: returns what escape does, empty for nothing."""

    def __init__(self, browser: BrowserScreen, words_for_back: Callable[[], str]) -> None:
        super().__init__(id="keys")
        self._browser, self._words_for_back = browser, words_for_back

    def _laid_out(self) -> list[tuple[int, FooterKey]]:
        """Return the keys that fit, each with its column."""
        last = [_footer_key(self._browser.session, id) for id in _ALWAYS]  # however narrow the line is
        at = max(0, self.size.width - sum(key.width for key in last))
        placed, left = [], 1
        for key in keys_for(self._browser, self._words_for_back()):
            if left + key.width > at:
                break
            placed.append((left, key))
            left += key.width
        for key in last:
            placed.append((at, key))
            at += key.width
        return placed

    def draw_line(self, _: int) -> Strip:
        found, segments, at = colours.colours_of(self.app), [], 0
        bar = found.style(colours.TEXT, colours.BAR)
        for column, key in self._laid_out():
            segments += [
                Segment(" " * (column - at), bar),
                Segment(key.keys, found.style(colours.KEY, colours.BAR)),
                Segment(f" {key.words}", bar),
            ]
            at = column + key.width - 2
        return Strip(segments).adjust_cell_length(self.size.width, bar)

    async def on_click(self, event: events.Click) -> None:
        for column, key in self._laid_out():
            if column <= event.x < column + key.width - 1:
                await self.run_action(f"screen.press('{key.id}')")
