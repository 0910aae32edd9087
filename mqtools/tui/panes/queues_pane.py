"""The queues pane: signs, depth, fill level, oldest message, and rates of puts and gets of each queue."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from time import monotonic
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.strip import Strip

from mqtools.formats.phrases import grouped
from mqtools.formats.terminal import visible
from mqtools.formats.units import human_age
from mqtools.tui.display import colours
from mqtools.tui.display.cells import Cell, cut_middle, draw_cells, fit_cells, format_cell
from mqtools.tui.display.queue_rows import FULL, NEARLY_FULL, OLD_S, ORDERS, arrange, signs_of
from mqtools.tui.panes.changed_lines import TITLE_FRAME, RowsView, Titled

#: Samples of the rate that are kept, and the least time between two (seconds).
_SAMPLES = 24
_SAMPLE_S = 1.0
_BARS = " ▁▂▃▄▅▆▇█"
_BAR_ENDS = " ▏▎▍▌▋▊▉"
#: Lines below the list about the queue under the cursor, the first of them a rule; and the least height to show them.
_ABOUT, _HIGH = 4, 9
#: Cells in front of a name: gutter, sign, blank.
_SIGNS = 3
#: Least width of a name before a column is dropped.
_LEAST_NAME = 12


class _Column(NamedTuple):
    """A column behind the names. heading: above it.  width: cells."""

    heading: str
    width: int


#: Behind the depth, in display order; the last one is dropped first.
_COLUMNS = (_Column("", 8), _Column("full", 4), _Column("oldest", 6), _Column("puts", 8), _Column("gets", 8))


class QueuesPane(Titled, RowsView[dict[str, Any]], can_focus=True):
    """Draws rows of ``queue_overview`` and arrival rates. It reads nothing itself.

    order: of ``queue_rows.ORDERS``.  wanted: text that names must contain.
    """

    WHEEL = 1

    def __init__(self) -> None:
        super().__init__("queues", self._layout)
        self.every: list[dict[str, Any]] = []
        self.order = next(iter(ORDERS))
        self.wanted = ""
        self._puts: dict[str, deque[float]] = {}  # by queue, a second
        self._gets: dict[str, deque[float]] = {}
        self._sampled: dict[str, tuple[int, int]] = {}  # arrivals and depth by queue
        self._sampled_at = 0.0
        self._is_read = False
        self._is_past = False

    @property
    def names(self) -> list[str]:
        return [row["name"] for row in self.rows]

    def width_for(self, limit: int) -> int:
        """Return the cells that names and depths need with the border, and as many columns as fit into a limit."""
        width = _SIGNS + self._longest + self._depth.width + 1 + 2
        for column in _COLUMNS:
            if width + column.width + 1 > limit:
                break
            width += column.width + 1
        return width

    @property
    def _longest(self) -> int:
        return max((cell_len(visible(row["name"])) for row in self.every), default=0)

    @property
    def _depth(self) -> _Column:
        return _Column("depth", max([5, *(len(grouped(row["depth"])) for row in self.every)]))

    def show(self, rows: list[dict[str, Any]], arrivals: dict[str, int]) -> None:
        """Replace the rows; the cursor stays on its queue."""
        self.every, self._is_read = rows, True
        self._sample(arrivals)
        self.rearrange()

    def rearrange(self) -> None:
        """Sort and select the rows again; the cursor stays on its queue."""
        name = self.current["name"] if self.current else None
        self.rows = arrange(self.every, self.order, self.wanted)
        if name is not None:
            self.point_at(name)
        self.cursor = min(self.cursor, max(0, len(self.rows) - 1))
        self.keep_on_screen()
        self._head()
        self.refresh()

    def sort(self) -> None:
        orders = list(ORDERS)
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]
        self.rearrange()

    def select(self, wanted: str) -> None:
        """List only the queues whose name contains a text, or matches a pattern with ``*``; empty for all."""
        self.wanted = wanted.strip()
        self.rearrange()
        self.post_message(self.CursorMoved())

    def show_past(self, *, is_past: bool) -> None:
        """Label the queues as those of the present while the past of one is listed."""
        self._is_past = is_past
        self._head()

    def _head(self) -> None:
        now = " now" if self._is_past else ""
        selected = f"{len(self.rows)} of {len(self.every)} with {visible(self.wanted)} · " if self.wanted else ""
        title = f"Queues{now} · {selected}by {self.order}"
        is_narrow = not selected and self.size.width and cell_len(title) > self.size.width - TITLE_FRAME
        self.set_titles(Content(f"Queues{now}" if is_narrow else title))

    def _sample(self, arrivals: dict[str, int]) -> None:
        elapsed = monotonic() - self._sampled_at
        if self._sampled and elapsed < _SAMPLE_S:
            return
        now = {row["name"]: (arrivals.get(row["name"], 0), row["depth"]) for row in self.every}
        for name, (number, depth) in now.items():
            before, depth_before = self._sampled.get(name, (number, depth))
            for rates, count in ((self._puts, number - before), (self._gets, number - before - depth + depth_before)):
                rates.setdefault(name, deque(maxlen=_SAMPLES)).append(max(0, count) / elapsed)
        self._sampled, self._sampled_at = now, monotonic()

    def point_at(self, name: str) -> None:
        if name in self.names:
            self.cursor = self.names.index(name)
            self.keep_on_screen()

    @property
    def lines(self) -> int:
        return int(self.size.height) - 1 - (_ABOUT if self.size.height > _HIGH else 0)

    # -- the mouse and the size

    def on_resize(self, _: events.Resize) -> None:
        self.keep_on_screen()
        self._head()
        self.refresh()

    async def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is None:
            return
        if at.y == 0:
            self.order = self._order_at(at.x)
            self.rearrange()
            return
        place = self.top + at.y - 1
        if at.y <= self.lines and place < len(self.rows):
            self.move(place - self.cursor)
            await self.run_action("screen.press('open')")

    def _order_at(self, x: int) -> str:
        right = self.size.width
        for column in reversed(self._columns()):
            right -= column.width + 1
            if x >= right and column.heading in ("depth", "full", "oldest"):
                return "age" if column.heading == "oldest" else "depth"
        return "name"

    # -- drawing

    def draw_line(self, y: int) -> Strip:
        if y > self.lines:
            cells = self._about(y - self.lines - 1)
        elif y and not self.rows:
            cells = self._empty(y)
        else:
            return super().draw_line(y)
        return draw_cells(cells, colours.colours_of(self.app), self.size.width)

    def _empty(self, y: int) -> list[Cell]:
        """Return a line of the list without a queue: why there is none."""
        if not self._is_read or y > 2:
            return []
        why = ("no queue matches", "") if self.every else ("no queues", "mqx mqsc defines them")
        return [(f" {why[y - 1]}", colours.DIM)]

    def _columns(self) -> list[_Column]:
        """Return the columns that fit next to the longest name; the depth stays."""
        shown = [self._depth, *_COLUMNS]
        while len(shown) > 1 and self._name_width(shown) < max(_LEAST_NAME, self._longest):
            shown.pop()
        return shown

    def _name_width(self, shown: Iterable[_Column]) -> int:
        return max(1, int(self.size.width) - _SIGNS - sum(column.width + 1 for column in shown))

    def _layout(self, row: dict[str, Any] | None, _width: int) -> list[Cell]:
        shown = self._columns()
        width = self._name_width(shown)
        if row is None:
            headings = "".join(f" {column.heading:>{column.width}}" for column in shown)
            return [(f"{' ' * (_SIGNS - 1)}{format_cell('queue', width)}{headings}", colours.DIM)]
        signs = signs_of(row)
        sign, role = (signs[0].sign, signs[0].role) if signs else (" ", colours.TEXT)
        name = format_cell(cut_middle(visible(row["name"]), width), width)
        cells: list[Cell] = [(f"{sign} ", role), (name, colours.TEXT if row["depth"] else colours.DIM)]
        for column in shown:
            text, role = self._cell(row, column.heading)
            cells.append((f" {format_cell(text, column.width, right=True)}", role))
        return cells

    def _cell(self, row: dict[str, Any], heading: str) -> Cell:
        if heading == "depth":
            return (grouped(row["depth"]), colours.TEXT) if row["depth"] else ("·", colours.DIM)
        if heading == "full":
            return f"{row['percent_full']:.0f}%", _role_of_depth(row)
        if heading == "oldest":
            return _age(row), colours.WARN if (row["oldest_age_s"] or 0) >= OLD_S else colours.DIM
        if heading == "puts":
            return sparkline(self._puts.get(row["name"], ()), 8), colours.GOOD
        if heading == "gets":
            return sparkline(self._gets.get(row["name"], ()), 8), colours.KEY
        return depth_bar(row["depth"], max(one["depth"] for one in self.every), 8), _role_of_depth(row)

    def _about(self, number: int) -> list[Cell]:
        row = self.current
        if number == 0:
            return [("─" * self.size.width, colours.DIM)]
        if row is None:
            return []
        width = self.size.width
        if number == 1:
            depth, age = f" {grouped(row['depth'])}/{grouped(row['max_depth'])}  ", _age(row) or "-"
            cells = [(depth + self._fitting(depth, f"oldest {age}", f"{age} old", age), colours.TEXT)]
        elif number == 2:
            opens, uncommitted = f" in {row['open_input']} out {row['open_output']}  ", row["uncommitted"]
            in_doubt = f"◐ {grouped(uncommitted)}" if uncommitted else ""
            words = self._fitting(opens, f"uncommitted {uncommitted}", in_doubt)
            cells = [(opens, colours.TEXT), (words, colours.WARN if uncommitted else colours.DIM)]
        elif (rates := self._puts.get(row["name"])) and rates[-1]:
            rate = f"{rates[-1]:.1f}/s "
            cells = [(f" {rate}{sparkline(rates, max(4, width - len(rate) - 2))}", colours.GOOD)]
        else:
            cells = [(" " + " · ".join(sign.words for sign in signs_of(row)), colours.WARN)]
        return fit_cells(cells, width)

    def _fitting(self, front: str, *forms: str) -> str:
        """Return the first form of words for which there is room behind a text, else the last."""
        return next((words for words in forms if cell_len(front + words) <= self.size.width), forms[-1])


def _role_of_depth(row: dict[str, Any]) -> str:
    percent = row["percent_full"]
    return colours.DANGER if percent >= FULL else colours.WARN if percent >= NEARLY_FULL else colours.DIM


def depth_bar(depth: int, deepest: int, width: int) -> str:
    """Return a bar for a depth, that of the deepest queue over the whole width; something of it for any depth."""
    eighths = max(depth > 0, round(depth * width * 8 / max(1, deepest)))
    full, rest = divmod(eighths, 8)
    return f"{'█' * full + _BAR_ENDS[rest].strip():{width}}"


def _age(row: dict[str, Any]) -> str:
    return "" if row["oldest_age_s"] is None else human_age(row["oldest_age_s"])


def sparkline(values: Any, width: int) -> str:
    """Return the last values as bars, the highest at full height."""
    last = list(values)[-width:]
    highest = max(last, default=0)
    if not highest:
        return ""
    return "".join(_BARS[round(value / highest * (len(_BARS) - 1))] for value in last)
