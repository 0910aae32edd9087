"""The queues pane: depth, fill level, oldest message, open handles and arrival rate."""

from __future__ import annotations

from collections import deque
from time import monotonic
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from mqtools.formats.terminal import visible
from mqtools.formats.units import human_age
from mqtools.tui.lines import format_cell

if TYPE_CHECKING:
    from typing import Any

#: Samples of the rate that are kept, and the least time between two (seconds).
_SAMPLES = 24
_SAMPLE_S = 1.0
_BARS = " ▁▂▃▄▅▆▇█"
#: Lines below the list, about the queue under the cursor.
_ABOUT = 3
#: Width from which all columns are shown and words are not abbreviated.
_WIDE = 40


class QueuesPane(Widget, can_focus=True):
    """Draws rows of ``depths`` and arrival rates. It reads nothing itself."""

    COMPONENT_CLASSES = {
        "queues--heading",
        "queues--cursor",
        "queues--cursor-elsewhere",
        "queues--full",
        "queues--about",
    }

    class Moved(Message):
        """The cursor was moved to another queue."""

    class Opened(Message):
        """A queue was clicked."""

    def __init__(self) -> None:
        super().__init__(id="queues")
        self.rows: list[dict[str, Any]] = []
        self.cursor = 0
        self.top = 0
        self._rates: dict[str, deque[float]] = {}
        self._arrivals: dict[str, int] = {}
        self._sampled_at = 0.0

    @property
    def names(self) -> list[str]:
        """The names of all queues."""
        return [row["name"] for row in self.rows]

    @property
    def current(self) -> dict[str, Any] | None:
        """The queue under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def show(self, rows: list[dict[str, Any]], arrivals: dict[str, int]) -> None:
        """Replace the rows; the cursor stays on its queue."""
        name = self.current["name"] if self.current else None
        self.rows = rows
        self._sample(arrivals)
        if name is not None:
            self.point_at(name)
        self.cursor = min(self.cursor, max(0, len(rows) - 1))
        self.refresh()

    def _sample(self, arrivals: dict[str, int]) -> None:
        elapsed = monotonic() - self._sampled_at
        if self._arrivals and elapsed < _SAMPLE_S:
            return
        for name, number in arrivals.items():
            before = self._arrivals.get(name, number)
            self._rates.setdefault(name, deque(maxlen=_SAMPLES)).append(max(0, number - before) / elapsed)
        self._arrivals, self._sampled_at = arrivals, monotonic()

    def point_at(self, name: str) -> None:
        """Put the cursor on a queue."""
        if name in self.names:
            self.cursor = self.names.index(name)
            self._keep_on_screen()

    def move(self, by: int) -> None:
        """Move the cursor."""
        self.cursor = max(0, min(len(self.rows) - 1, self.cursor + by))
        self._keep_on_screen()
        self.refresh()
        self.post_message(self.Moved())

    def _keep_on_screen(self) -> None:
        height = max(1, self.lines)
        self.top = max(0, min(self.top, len(self.rows) - height))
        self.top = max(0, min(max(self.top, self.cursor - height + 1), self.cursor))

    @property
    def lines(self) -> int:
        """Number of queues that fit."""
        return int(self.size.height) - 1 - (_ABOUT if self.size.height > 8 else 0)

    def on_resize(self, _: events.Resize) -> None:
        """Keep the cursor on the screen."""
        self._keep_on_screen()

    def on_click(self, event: events.Click) -> None:
        """Open the queue under the mouse."""
        place = self.top + event.y - 1
        if 0 < event.y <= self.lines and place < len(self.rows):
            self.move(place - self.cursor)
            self.post_message(self.Opened())

    def on_mouse_scroll_down(self, _: events.MouseScrollDown) -> None:
        """Move down."""
        self.move(1)

    def on_mouse_scroll_up(self, _: events.MouseScrollUp) -> None:
        """Move up."""
        self.move(-1)

    # -- drawing

    def render_line(self, y: int) -> Strip:
        """Draw a line of the screen."""
        width = self.size.width
        if y == 0:
            return self._strip(_line(width, "queue", "depth", "full", "oldest", "rate"), "queues--heading")
        if y > self.lines:
            return self._strip(self._about(y - self.lines - 1), "queues--about")
        place = self.top + y - 1
        if place >= len(self.rows):
            return self._strip("", None)
        row = self.rows[place]
        style = None
        if place == self.cursor:
            style = "queues--cursor" if self.has_focus else "queues--cursor-elsewhere"
        elif row["percent_full"] >= 80:
            style = "queues--full"
        return self._strip(self._row(row, width), style)

    def _strip(self, text: str, component: str | None) -> Strip:
        style = self.rich_style if component is None else self.get_component_rich_style(component)
        return Strip([Segment(format_cell(text, self.size.width), style)], self.size.width)

    def _row(self, row: dict[str, Any], width: int) -> str:
        rates = self._rates.get(row["name"], ())
        return _line(
            width,
            visible(row["name"]),
            str(row["depth"]),
            f"{row['percent_full']:.0f}%",
            _age(row),
            sparkline(rates, 6),
        )

    def _about(self, number: int) -> str:
        row = self.current
        if row is None:
            return ""
        rates = self._rates.get(row["name"], ())
        rate = f"{rates[-1]:.1f}/s" if rates else ""
        uncommitted = "uncommitted" if self.size.width >= _WIDE else "uncom."
        return (
            f"oldest {_age(row) or '-'} of {row['max_depth']}",
            f"open in {row['open_input']} out {row['open_output']}, {uncommitted} {row['uncommitted']}",
            f"{rate} {sparkline(rates, max(4, self.size.width - len(rate) - 2))}",
        )[number]


def _age(row: dict[str, Any]) -> str:
    return "" if row["oldest_age_s"] is None else human_age(row["oldest_age_s"])


def _line(width: int, name: str, depth: str, full: str, oldest: str, rate: str) -> str:
    """Return a line of the columns; a narrow pane has fewer."""
    right = f" {format_cell(depth, 7, right=True)} {format_cell(full, 4, right=True)}"
    if width >= _WIDE:
        right += f" {format_cell(oldest, 6, right=True)} {format_cell(rate, 6)}"
    return format_cell(name, max(1, width - len(right))) + right


def sparkline(values: Any, width: int) -> str:
    """Return the last values as bars, the highest at full height."""
    last = list(values)[-width:]
    highest = max(last, default=0)
    if not highest:
        return ""
    return "".join(_BARS[round(value / highest * (len(_BARS) - 1))] for value in last)
