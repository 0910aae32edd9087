"""The messages pane: heading and rows; its border says where the cursor is, and what is marked."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from mqtools.formats.phrases import grouped
from mqtools.formats.terminal import visible
from mqtools.mqi.identity import now_ms
from mqtools.tui.display import colours, times
from mqtools.tui.display.cells import Cell, draw_cells
from mqtools.tui.display.columns import STATE, USUAL, ColumnLayout, Seen, fit
from mqtools.tui.display.outcome import format_count
from mqtools.tui.display.row import Row
from mqtools.tui.display.window import Window
from mqtools.tui.panes.changed_lines import ChangedLines, Titled

#: Above the times of arrival.
_HEADINGS = {times.UTC_TIME: "time UTC", times.LOCAL_TIME: "local", times.AGE: "age"}
#: Letter of the state column -> its role.
_LETTERS = {
    "L": colours.LOCKED,
    "U": colours.WARN,
    "M": colours.MARK,
    "m": colours.WARN,
    "E": colours.DIM,
    "!": colours.DANGER,
    ">": colours.MARK,
}


class MessagesPane(Titled, ChangedLines, can_focus=True):
    """Draws a window of rows, which is set from outside; reads nothing itself.

    ours: keys of the messages marked by this session.  mark_of: returns the letter of the mark of a message.
    is_marking: whether marking is under way on a queue.  range_from: order key where a range was begun.  total:
    messages of the list.  owner: holder of the message under the cursor, in words.  is_reading: the rows are being
    read.  columns: ids.  needle: text that is highlighted, ignoring case.
    if_empty: what an empty list says.
    clicked: column whose heading was clicked, until that is handled.
    at: the instant that is listed, milliseconds since 1970; None for the present.
    """

    class Moved(Message):
        """The cursor was moved by mouse."""

    class Resized(Message):
        """The number of visible rows has changed."""

    def __init__(self) -> None:
        super().__init__(id="messages")
        self.window = Window()
        self.ours: set[int] = set()
        self.mark_of: Callable[[Row], str] = lambda _: ""
        self.is_marking: Callable[[str], bool] = lambda _: False
        self.range_from: int | None = None
        self.total = 0
        self.q_name = ""
        self.owner = ""
        self.flags: list[str] = []
        self.is_reading = False
        self.times = times.UTC_TIME
        self.columns: list[str] = list(USUAL)
        self.needle = ""
        self.if_empty = ""
        self.clicked = ""
        self._seen = Seen()
        self.at: int | None = None

    def on_resize(self) -> None:
        self.window.resize(self.size.height - 1)
        self.post_message(self.Resized())
        self.draw()

    async def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is not None and at.y == 0:
            self.clicked = self.layout_of_columns.at(at.x)
            await self.run_action("screen.press('sort')")
        elif at is not None and self.window.point_at(at.y - 1):
            self.draw()
            if event.chain > 1:
                await self.run_action("screen.press('open')")
            else:
                self.post_message(self.Moved())

    def on_mouse_scroll_down(self, _: events.MouseScrollDown) -> None:
        self._scroll(3)

    def on_mouse_scroll_up(self, _: events.MouseScrollUp) -> None:
        self._scroll(-3)

    def show_queue(self, q_name: str) -> None:
        """Show nothing yet of a queue. q_name: empty for none."""
        if q_name != self.q_name:
            self._seen = Seen()
        self.q_name = q_name
        self.range_from = None
        self.owner = ""
        self.window.clear()
        self.total = 0

    @property
    def layout_of_columns(self) -> ColumnLayout:
        """The columns that there is room for."""
        return fit(self.columns, self.size.width, self._seen)

    def _scroll(self, by: int) -> None:
        self.window.scroll(by)
        self.draw()
        self.post_message(self.Moved())

    # -- drawing

    def draw(self) -> None:
        """Draw rows and border again."""
        self._seen.add(self.window.rows)
        self.set_titles(Content(self._place()))
        self.refresh()

    def draw_line(self, y: int) -> Strip:
        width, found = self.size.width, colours.colours_of(self.app)
        if y == 0:
            return draw_cells(self._heading(width), found, width)
        place = self.window.top + y - 1
        if place >= len(self.window.rows):
            return draw_cells(self._empty() if y == 1 else [], found, width)
        row = self.window.rows[place]
        is_current, is_struck = place == self.window.cursor, row.gone_at is not None
        ground = (colours.CURSOR if self.has_focus else colours.ELSEWHERE) if is_current else colours.PLAIN
        cells = self._gone(row) if is_struck and not is_current else self._row(row, is_current=is_current)
        is_struck = is_struck and is_current
        return draw_cells(cells, found, width, ground, strike=is_struck)

    def _empty(self) -> list[Cell]:
        if self.window.rows or not self.q_name:
            return []
        return [("  …" if self.is_reading else f"  {self.if_empty}", colours.DIM)]

    def _gone(self, row: Row) -> list[Cell]:
        return [(f"{' ' * STATE} ┄┄ {grouped(row.gone_number)} gone ┄┄", colours.DIM)]

    def _is_in_range(self, row: Row) -> bool:
        current = self.window.current
        if self.range_from is None or current is None:
            return False
        first, last = sorted((self.range_from, current.order_key))
        return first <= row.order_key <= last

    def _heading(self, width: int) -> list[Cell]:
        above = self._above()
        columns = self.layout_of_columns.heading(_HEADINGS[self.times])
        left = max(0, width - cell_len(above))
        return [(f"{columns[:left]:{left}}", colours.DIM), (above, colours.KEY)]

    def _above(self) -> str:
        number = self.window.number_of(self.window.top, self.total)
        return f" ↑ {format_count(number - 1, 'row')} above" if number is not None and number > 1 else ""

    def _row(self, row: Row, *, is_current: bool) -> list[Cell]:
        now = now_ms() if self.at is None else self.at
        state = row.state_word(now, self.mark_of(row) if self.at is None else "")
        if self._is_in_range(row):
            state = f">{state}"
        cells: list[Cell] = [("▌" if is_current else " ", colours.KEY)]
        cells += [(letter, _LETTERS.get(letter, colours.DIM)) for letter in state[: STATE - 1]]
        cells.append((" " * (STATE - 1 - len(state)), colours.TEXT))
        return [*cells, *self.layout_of_columns.row(row, (now, self.times), self._seen, self.needle)]

    def _place(self) -> str:
        window = self.window
        words = [visible(self.q_name)] if self.q_name else []
        if window.rows:
            words.append(self._number())
        if self.at is None:  # nothing is marked in the past
            words += self._marked()
        if self.range_from is not None:
            words.append("range")
        words += self.flags
        current = window.current
        if self.owner and current is not None and current.gone_at is None:
            words.append(self.owner)
        return " · ".join(words)

    def _marked(self) -> list[str]:
        if self.is_marking(self.q_name):
            return [f"marking, {grouped(len(self.ours))} so far"]
        return [f"{grouped(len(self.ours))} marked"] if self.ours else []

    def _number(self) -> str:
        """Return the number of the row under the cursor, with a tilde if it is approximate."""
        window, current = self.window, self.window.current
        if current is not None and current.gone_at is not None:
            return f"gone; {grouped(self.total)} left"
        number = window.number_of(window.cursor, self.total)
        counted = "…" if number is None else f"{'~' if window.is_near else ''}{grouped(number)}"
        return f"{counted} of {grouped(self.total)}"
