"""The status bar: queue manager, its state, totals of its queues, and the time."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
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


class StatusBar(ChangedLines):
    """Draws the status, which is set from outside."""

    def __init__(self) -> None:
        super().__init__(id="top")
        self._shown: tuple[str, str, Sequence[str], Sequence[Cell]] = ("", LIVE, (), ())

    def show(self, name: str, state: str, flags: Sequence[str], totals: Sequence[Cell]) -> None:
        """Show a status. flags: words behind the state.  totals: cells, dropped from the right for lack of room."""
        self._shown = (name, state, flags, totals)
        self.refresh()

    @property
    def text(self) -> str:
        return self.draw_line(0).text.rstrip()

    def draw_line(self, _: int) -> Strip:
        name, state, flags, totals = self._shown
        sign, role = _STATES.get(state.partition(" ")[0], _OTHER)
        cells: list[Cell] = [(" mqx  ", colours.DIM), (visible(name), colours.TITLE), (f" {sign} {state}", role)]
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
