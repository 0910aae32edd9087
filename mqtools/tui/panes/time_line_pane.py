"""The time line of a queue: depth, puts and gets as bars over time, with the instant that is listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip

from mqtools.formats.phrases import grouped
from mqtools.formats.units import human_age
from mqtools.operations.journal.time_line import TimeLine
from mqtools.tui.display import colours, times
from mqtools.tui.display.cells import Cell, draw_cells
from mqtools.tui.panes.changed_lines import ChangedLines

_BLANK = "\u2800"
#: Dots of a braille cell from below, left and right.
_LEFT, _RIGHT = (0, 0x40, 0x44, 0x46, 0x47), (0, 0x80, 0xA0, 0xB0, 0xB8)
#: Cells of the names and scales of the lines, and of the numbers behind them.
_NAME, _NUMBER = 16, 12
#: Least lines of the terminal to draw all lines, and to draw the depth.
_FULL, _LEAST = 30, 16


class TimeLinePane(ChangedLines):
    """Draws a time line. line: what it shows, None for nothing.  at: the instant that is listed, None for the present.

    zoom: length of what it shows at most, milliseconds; None for all.  times: returns the form of times.
    """

    @dataclass
    class Pointed(Message):
        """An interval was clicked. bar: its index."""

        bar: int

    def __init__(self, form: Callable[[], str]) -> None:
        super().__init__(id="time-line")
        self.line: TimeLine | None = None
        self.at: int | None = None
        self.zoom: int | None = None
        self._form = form

    @property
    def bars(self) -> int:
        """Number of the intervals for which there is room: two in each cell."""
        return 2 * max(0, self.app.size.width - _NAME - _NUMBER - 1)

    def show(self, line: TimeLine | None) -> None:
        self.line = line
        self.fit()
        self.refresh()

    def fit(self) -> None:
        """Show as many lines as there is room for: none on a low terminal."""
        height = self.app.size.height
        self.display = self.line is not None and height >= _LEAST
        self.styles.height = 4 if height >= _FULL else 2

    def _cursor_of(self, line: TimeLine) -> int:
        """Return the index of the interval that is listed, the last one for the present."""
        return len(line.depths) - 1 if self.at is None else line.bar_of(self.at)

    def draw_line(self, y: int) -> Strip:
        """Draw a line: depth, puts, gets, and the times below."""
        width, found, line = self.size.width, colours.colours_of(self.app), self.line
        if line is None:
            return draw_cells([], found, width)
        if y == self.size.height - 1:
            return draw_cells(self._axis(line), found, width, colours.BAR)
        name, values = (("depth", line.depths), ("puts", line.puts), ("gets", line.gets))[y]
        return draw_cells(self._bars_of(line, name, values), found, width)

    def _bars_of(self, line: TimeLine, name: str, values: Sequence[int]) -> list[Cell]:
        """Return a line in braille, two intervals in a cell, with its scale and the value at the cursor."""
        highest, bar = max(1, *values), self._cursor_of(line)
        cursor = bar // 2
        role = colours.MARK if name == "depth" else colours.TEXT
        drawn = braille(values, highest)
        here = drawn[cursor] if drawn[cursor] != _BLANK else "·"
        unit = "" if name == "depth" else f"/{_interval(line)}"
        scale = f"{name}{unit}".ljust(_NAME - 6) + f"{_short(max(values)):>4} "
        return [
            (f" {scale}", colours.DIM),
            (drawn[:cursor], role),
            (here, colours.WARN),
            (drawn[cursor + 1 :], role),
            (f"{grouped(values[bar]):>{_NUMBER}}", colours.TEXT),
        ]

    def _axis(self, line: TimeLine) -> list[Cell]:
        """Return the axis: the length of the time line, begin, the instant that is listed, end, and dead letters."""
        begin, end = self._time(line, line.begin), self._time(line, line.end)
        mark = f"▲ {self._time(line, self.at)}" if self.at is not None else "▲"
        number = len(line.depths) // 2
        cells: list[Cell] = [(" ", colours.DIM)] * number
        dead = {min(number - 1, bar // 2) for bar in line.dead}
        words = f"{'' if line.is_whole else '… '}{begin} "
        first = next((at for at in range(number) if dead.isdisjoint(range(at, at + len(words)))), number)
        _write(cells, first, words, colours.TEXT)
        place = min(max(self._cursor_of(line) // 2, first + len(words)), max(0, number - len(mark)))
        _write(cells, place, mark, colours.WARN)
        for at in dead:
            cells[at] = ("✉", colours.DANGER)
        zoom = human_age((line.end - line.begin) / 1000) if self.zoom is None else human_age(self.zoom / 1000)
        shown = f"{'all' if self.zoom is None else 'last'} {zoom}"
        return [(f" {shown:{_NAME - 1}}", colours.DIM), *cells, (f"{end:>{_NUMBER}}"[-_NUMBER:], colours.TEXT)]

    def _time(self, line: TimeLine, at: int) -> str:
        is_long = line.end - line.begin >= 86_400_000
        return f"{times.to_datetime(at, self._form()):{'%m-%d %H:%M' if is_long else '%H:%M:%S'}}"

    def on_click(self, event: events.Click) -> None:
        bar = 2 * (event.x - _NAME)
        if self.line is not None and 0 <= bar < len(self.line.depths):
            self.post_message(self.Pointed(bar))


def braille(values: Sequence[int], highest: int) -> str:
    """Return values as columns of dots, two in a cell; something of each that is not 0."""
    heights = [-(-value * 4 // highest) for value in values]
    pairs = zip(heights[::2], [*heights[1::2], 0], strict=False)
    return "".join(chr(ord(_BLANK) + _LEFT[left] + _RIGHT[right]) for left, right in pairs)


def _interval(line: TimeLine) -> str:
    """Return the length of an interval in words."""
    length_s = (line.end - line.begin) / len(line.depths) / 1000
    return human_age(length_s) if length_s >= 1 else f"{length_s * 1000:.0f}ms"


def _short(number: int) -> str:
    """Return a number in at most four cells."""
    for unit, size in (("", 1), ("k", 1000), ("M", 1_000_000)):
        if number < size * 1000:
            return f"{number // size}{unit}"
    return f"{number // 1_000_000_000}G"


def _write(cells: list[Cell], place: int, text: str, role: str) -> None:
    """Write a text over cells of one character."""
    for at, char in enumerate(text[: max(0, len(cells) - place)], place):
        cells[at] = (char, role)
