"""The time line of a queue: depth, puts and gets as bars over time, with the instant that is listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip

from mqtools.formats.phrases import grouped
from mqtools.operations.journal.time_line import TimeLine
from mqtools.tui.display import colours, times
from mqtools.tui.display.cells import Cell, draw_cells
from mqtools.tui.panes.changed_lines import ChangedLines

_BARS = " ▁▂▃▄▅▆▇█"
#: Cells of the names of the lines, and of the numbers behind them.
_NAME, _NUMBER = 7, 8
#: Lines of the terminal from which all lines are drawn, and from which the depth is.
_FULL, _LEAST = 30, 16


class TimeLinePane(ChangedLines):
    """Draws a time line. line: what it shows, None for nothing.  at: the instant that is listed, None for the present.

    times: returns the form of times.
    """

    @dataclass
    class Pointed(Message):
        """An interval was clicked. bar: its index."""

        bar: int

    def __init__(self, form: Callable[[], str]) -> None:
        super().__init__(id="time-line")
        self.line: TimeLine | None = None
        self.at: int | None = None
        self._form = form

    @property
    def bars(self) -> int:
        """Number of the intervals for which there is room."""
        return max(0, self.app.size.width - _NAME - _NUMBER - 1)

    def show(self, line: TimeLine | None) -> None:
        self.line = line
        self.fit()
        self.refresh()

    def fit(self) -> None:
        """Show as many lines as there is room for: none on a low terminal."""
        height = self.app.size.height
        self.display = self.line is not None and height >= _LEAST
        self.styles.height = 4 if height >= _FULL else 2

    @property
    def _cursor(self) -> int:
        """The index of the interval that is listed, the last one for the present."""
        assert self.line is not None
        return len(self.line.depths) - 1 if self.at is None else self.line.bar_of(self.at)

    def draw_line(self, y: int) -> Strip:
        """Draw a line: depth, puts, gets, and the times below."""
        width, found, line = self.size.width, colours.colours_of(self.app), self.line
        if line is None:
            return draw_cells([], found, width)
        if y == self.size.height - 1:
            return draw_cells(self._axis(line), found, width, colours.BAR)
        name, values = (("depth", line.depths), ("puts", line.puts), ("gets", line.gets))[y]
        return draw_cells(self._bars_of(name, values), found, width)

    def _bars_of(self, name: str, values: Sequence[int]) -> list[Cell]:
        highest, cursor = max(1, *values), self._cursor
        role = colours.MARK if name == "depth" else colours.TEXT
        drawn = "".join(_BARS[-(-value * (len(_BARS) - 1) // highest)] for value in values)
        here = drawn[cursor] if drawn[cursor] != " " else "·"
        return [
            (f" {name:{_NAME - 1}}", colours.DIM),
            (drawn[:cursor], role),
            (here, colours.WARN),
            (drawn[cursor + 1 :], role),
            (f"{grouped(values[cursor]):>{_NUMBER}}", colours.TEXT),
        ]

    def _axis(self, line: TimeLine) -> list[Cell]:
        begin, end = self._time(line.begin), self._time(line.end)
        mark = f"▲ {self._time(self.at)}" if self.at is not None else "▲"
        left = len(begin) + (0 if line.is_whole else 2)
        place = min(max(self._cursor, left + 1), len(line.depths) - (cell_len(mark) if self.at is not None else 1))
        cells: list[Cell] = [(f" {'time':{_NAME - 1}}", colours.DIM)]
        cells += [
            ("" if line.is_whole else "… ", colours.DIM),
            (begin, colours.TEXT),
            (" " * (place - left), colours.DIM),
        ]
        cells.append((mark, colours.WARN))
        room = len(line.depths) + _NUMBER - place - cell_len(mark)
        return [*cells, (f"{end:>{room}}" if room > len(end) else "", colours.TEXT)]

    def _time(self, at: int) -> str:
        line, form = self.line, self._form()
        assert line is not None
        is_long = line.end - line.begin >= 86_400_000
        return f"{times.to_datetime(at, form):{'%m-%d %H:%M' if is_long else '%H:%M:%S'}}"

    def on_click(self, event: events.Click) -> None:
        bar = event.x - _NAME
        if self.line is not None and 0 <= bar < len(self.line.depths):
            self.post_message(self.Pointed(bar))
