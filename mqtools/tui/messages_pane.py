"""The messages pane: heading, rows, and a status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from mqtools.formats.phrases import grouped
from mqtools.formats.terminal import visible
from mqtools.mqi.identity import now_ms
from mqtools.tui import times
from mqtools.tui.columns import USUAL, fit
from mqtools.tui.lines import format_cell
from mqtools.tui.outcome import format_count
from mqtools.tui.row import Row
from mqtools.tui.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable

#: Above the times of arrival.
_HEADINGS = {times.UTC_TIME: "time UTC", times.LOCAL_TIME: "local", times.AGE: "age"}
#: Lines that are not rows: heading and status line.
_FRAME = 2


class MessagesPane(Widget, can_focus=True):
    """Draws a window of rows. What it shows is set from outside; it reads nothing itself.

    ours: keys of the messages marked by this session.  is_ours: also true while marking is under way.  range_from:
    order key where a range was begun.  total: messages of the list.  owner: holder of the message under the cursor, in
    words. is_reading: the rows are being read.  columns: ids.
    """

    COMPONENT_CLASSES = {
        "messages--heading",
        "messages--cursor",
        "messages--cursor-elsewhere",
        "messages--gone",
        "messages--marked",
        "messages--held",
        "messages--place",
    }

    class Moved(Message):
        """The cursor was moved by mouse."""

    class Opened(Message):
        """A row was double-clicked."""

    class Resized(Message):
        """The number of visible rows has changed."""

    def __init__(self) -> None:
        super().__init__(id="messages")
        self.window = Window()
        self.ours: set[int] = set()
        self.is_ours: Callable[[int], bool] = lambda seq: seq in self.ours
        self.range_from: int | None = None
        self.total = 0
        self.q_name = ""
        self.owner = ""
        self.flags: list[str] = []
        self.is_reading = False
        self.times = times.UTC_TIME
        self.columns: list[str] = list(USUAL)

    def on_resize(self, event: events.Resize) -> None:
        """Adapt the window to the number of lines."""
        self.window.resize(event.size.height - _FRAME)
        self.post_message(self.Resized())
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the mouse."""
        if self.window.point_at(event.y - 1):
            self.refresh()
            self.post_message(self.Opened() if event.chain > 1 else self.Moved())

    def on_mouse_scroll_down(self, _: events.MouseScrollDown) -> None:
        """Scroll down."""
        self._scroll(3)

    def on_mouse_scroll_up(self, _: events.MouseScrollUp) -> None:
        """Scroll up."""
        self._scroll(-3)

    def _scroll(self, by: int) -> None:
        self.window.scroll(by)
        self.refresh()
        self.post_message(self.Moved())

    # -- drawing

    def render_line(self, y: int) -> Strip:
        """Draw a line of the screen."""
        width, height = self.size
        if y == 0:
            return self._strip(self._heading(width), "messages--heading", width)
        if y == height - 1:
            return self._strip(self._place(), "messages--place", width)
        place = self.window.top + y - 1
        if place >= len(self.window.rows):
            return self._strip(self._empty() if y == 1 else "", None, width)
        row = self.window.rows[place]
        return self._strip(self._row(row, width), self._class_of(row, place == self.window.cursor), width)

    def _empty(self) -> str:
        if self.window.rows or not self.q_name:
            return ""
        return "  …" if self.is_reading else "  no messages"

    def _strip(self, text: str, component: str | None, width: int) -> Strip:
        style = self.rich_style if component is None else self.get_component_rich_style(component)
        return Strip([Segment(format_cell(text, width), style)], width)

    def _class_of(self, row: Row, is_current: bool) -> str | None:
        if is_current:
            return "messages--cursor" if self.has_focus else "messages--cursor-elsewhere"
        if row.gone_at is not None:
            return "messages--gone"
        if self.is_ours(row.seq) or self._is_in_range(row):
            return "messages--marked"
        return "messages--held" if row.state != 1 else None

    def _is_in_range(self, row: Row) -> bool:
        current = self.window.current
        if self.range_from is None or current is None:
            return False
        first, last = sorted((self.range_from, current.order_key))
        return first <= row.order_key <= last

    def _heading(self, width: int) -> str:
        above = self._above()
        columns = fit(self.columns, width).heading(_HEADINGS[self.times])
        return format_cell(columns, max(0, width - len(above))) + above if above else columns

    def _above(self) -> str:
        number = self.window.number_of(self.window.top, self.total)
        return f" ↑ {format_count(number - 1, 'row')} above" if number is not None and number > 1 else ""

    def _row(self, row: Row, width: int) -> str:
        now = now_ms()
        state = row.state_word(now, is_ours=self.is_ours(row.seq))
        if self._is_in_range(row):
            state = f">{state}"
        return fit(self.columns, width).row(row, state, (now, self.times))

    def _place(self) -> str:
        window = self.window
        words = [visible(self.q_name)] if self.q_name else []
        if window.rows:
            words.append(self._number())
        if self.ours:
            words.append(f"{grouped(len(self.ours))} marked")
        if self.range_from is not None:
            words.append("range")
        words += self.flags
        current = window.current
        if self.owner and current is not None and current.gone_at is None:
            words.append(self.owner)
        return " · ".join(words)

    def _number(self) -> str:
        """Return the number of the row under the cursor, with a tilde if it is approximate."""
        window, current = self.window, self.window.current
        if current is not None and current.gone_at is not None:
            return f"gone; {grouped(self.total)} there"
        number = window.number_of(window.cursor, self.total)
        counted = "…" if number is None else f"{'~' if window.is_near else ''}{grouped(number)}"
        return f"{counted} of {grouped(self.total)}"
