"""The status bar: queue manager, its state, totals of its queues, and the time."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip

from mqtools.formats.terminal import visible
from mqtools.mqi.identity import now_ms
from mqtools.tui.display import colours, times
from mqtools.tui.display.cells import Cell, draw_cells
from mqtools.tui.panes.changed_lines import ChangedLines

LIVE, STALE, PAUSED, PAST = "LIVE", "STALE", "PAUSED", "PAST"
#: First word of a state -> sign and role; other states, such as ENDED, are dangers.
_STATES = {
    LIVE: ("●", colours.GOOD),
    STALE: ("○", colours.WARN),
    PAUSED: ("‖", colours.WARN),
    PAST: ("◴", colours.WARN),
}
_OTHER = ("✗", colours.DANGER)
_GAP: Cell = ("  ", colours.TEXT)
_BEGINNING: Cell = (" mqx  ", colours.DIM)
_BETWEEN: Cell = (" │ ", colours.DIM)
#: Part of the width that the names of the tabs may have.
_TABS_PART = 0.5


class StatusBar(ChangedLines):
    """Draws the status, which is set from outside."""

    class Pointed(Message):
        """Another tab was clicked. by: places from that in front."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self) -> None:
        super().__init__(id="top")
        self._shown: tuple[str, Sequence[str], Sequence[Cell]] = (LIVE, (), ())
        self._names: Sequence[str] = ("",)
        self._front = 0

    def show(self, names: Sequence[str], front: int, state: str, flags: Sequence[str], totals: Sequence[Cell]) -> None:
        """Show a status.

        names: of the queue managers that are open.  front: index of that in front, to which the rest belongs.
        flags: words behind the state.  totals: cells, dropped from the right for lack of room.
        """
        self._names, self._front, self._shown = names, front, (state, flags, totals)
        self.refresh()

    def _tabs(self) -> list[list[Cell]]:
        """Return the cells of each tab; of that in front alone, with its number, where there is no room for all."""
        state, names = self._shown[0], [visible(name) for name in self._names]
        sign, role = _STATES.get(state.partition(" ")[0], _OTHER)
        front: list[Cell] = [(names[self._front], colours.TITLE), (f" {sign} {state}", role)]
        if sum(cell_len(name) + len(_BETWEEN[0]) for name in names) > self.size.width * _TABS_PART:
            return [[*front, (f" {self._front + 1} of {len(names)}", colours.DIM)] if len(names) > 1 else front]
        return [front if place == self._front else [(name, colours.DIM)] for place, name in enumerate(names)]

    def on_click(self, event: events.Click) -> None:
        tabs, at = self._tabs(), cell_len(_BEGINNING[0])
        for place, tab in enumerate(tabs):
            end = at + sum(cell_len(text) for text, _ in tab)
            if at <= event.x < end and len(tabs) == len(self._names) and place != self._front:
                self.post_message(self.Pointed(place - self._front))
            at = end + len(_BETWEEN[0])

    def draw_line(self, _: int) -> Strip:
        state, flags, totals = self._shown
        cells: list[Cell] = [_BEGINNING]
        for place, tab in enumerate(self._tabs()):
            cells += [_BETWEEN, *tab] if place else tab
        for flag in flags:
            cells += [_GAP, (flag, colours.KEY)]
        now = "now " if state.startswith(PAST) else ""
        clock = f"{now}{times.to_datetime(now_ms(), times.UTC_TIME):%H:%M} UTC "
        width, used = self.size.width, sum(cell_len(text) for text, _ in cells)
        for number, (text, role) in enumerate(totals):
            labelled = text if number else now + text
            used += cell_len(labelled) + len(_GAP[0])
            if used > width:
                break
            cells += [_GAP, (labelled, role)]
        else:
            if used + len(clock) + 2 <= width:
                cells += [(" " * (width - used - len(clock)), colours.TEXT), (clock, colours.DIM)]
        return draw_cells(cells, colours.colours_of(self.app), width, colours.BAR)
