"""Widgets that write only what has changed to the terminal: a refresh compares the lines with those that were drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Self, TypeAlias, TypeVar

from rich.style import Style
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from mqtools.tui.display import colours
from mqtools.tui.display.cells import Cell, draw_cells, fit_cells

Item = TypeVar("Item")
Layout: TypeAlias = Callable[[Item | None, int], list[Cell]]
NO_TITLE = Content("")
#: Cells of a content's width that its title cannot have.
TITLE_FRAME = 4


class NoteLine(Static):
    """A line of text that takes room only while there is one: each update of a ``Static`` lays out the whole screen."""

    def __init__(self, id: str) -> None:
        super().__init__("", id=id, markup=False)
        self.display = False
        self._note = ""

    def show(self, text: str) -> None:
        """Replace the text."""
        if text != self._note:
            self._note = text
            self.display = bool(text)
            self.update(f" {text}")


class Titled(Widget):
    """Widget with titles in its border; a new title repaints its part of the border alone."""

    _title = _subtitle = NO_TITLE
    _title_part: tuple[int, int] | None = None  # while a title is set: its line, and the cells to repaint

    def set_titles(self, title: Content, subtitle: Content = NO_TITLE) -> None:
        """Set the titles of the upper and the lower border that have changed."""
        if not title.is_same(self._title):  # equality ignores colours
            width = max(self._title.cell_length, title.cell_length) + TITLE_FRAME
            self._title_part, self._title = (0, width), title
            self.border_title = title
        if not subtitle.is_same(self._subtitle):
            self._title_part, self._subtitle = (self.outer_size.height - 1, self.outer_size.width), subtitle
            self.border_subtitle = subtitle
        self._title_part = None

    def refresh(self, *regions: Region, **how: Any) -> Self:
        if self._title_part is None or not self.is_mounted:
            return super().refresh(*regions, **how)
        left, top = self.content_offset
        line, width = self._title_part
        return super().refresh(Region(-left, line - top, width, 1))


class ChangedLines(Widget):
    """Widget that draws lines.

    Invariant: a line is on the screen as it is in ``_drawn``; a line that is not there is repainted soon.
    """

    def __init__(self, *children: Widget, **options: Any) -> None:
        super().__init__(*children, **options)
        self._drawn: dict[int, Strip] = {}
        self._drawn_size = Size(0, 0)
        self._frame: object = None  # what the border and the ground were drawn from
        self._is_comparing = False

    def draw_line(self, _: int, /) -> Strip:
        """Return a line of the content as it is now: blank unless a widget draws one."""
        return Strip.blank(self.size.width)

    def render_line(self, y: int) -> Strip:
        if self._frame is None:
            self._frame = self._frame_now
        if self._drawn_size != self.size:
            self._drawn, self._drawn_size = {}, self.size
        if y not in self._drawn:
            self._drawn[y] = self.draw_line(y)
        return self._drawn[y]

    def refresh(self, *regions: Region, layout: bool = False, **how: Any) -> Self:
        """Repaint the lines that have changed; all of them when the border or the ground has changed."""
        if not regions and not layout and self._drawn:
            if not self._is_comparing:
                self._is_comparing = True
                self.call_next(self._compare)
            return self
        for y in [y for region in regions for y in region.line_range] or range(self._drawn_size.height):
            self._drawn.pop(y, None)
        return super().refresh(*regions, layout=layout, **how)

    @property
    def _frame_now(self) -> object:
        return (self.styles.border, self.styles.background, self.app.theme)

    def _compare(self) -> None:
        """Repaint the lines that are not as they were drawn."""
        self._is_comparing = False
        frame = self._frame_now
        if frame != self._frame or self.size != self._drawn_size:
            self._frame = frame
            self._drawn.clear()
            super().refresh()
            return
        lines = {y: self.draw_line(y) for y in range(self.size.height)}
        drawn, self._drawn = self._drawn, lines
        changed = [y for y, strip in lines.items() if drawn.get(y) != strip]
        if changed:
            super().refresh(*(_changed_region(y, drawn.get(y), lines[y]) for y in changed))


class RowsView(ChangedLines, Generic[Item], can_focus=True):
    """Draws rows, one a line, under a heading, with a cursor.

    layout: returns the cells of a row behind the cursor for a width, of the heading for None.  cursor, top: indexes of
    the row under the cursor, and of the first on the screen.
    """

    #: Rows that a turn of the mouse wheel moves the cursor by.
    WHEEL = 3

    class CursorMoved(Message):
        """Another row is under the cursor."""

    def __init__(self, id: str, layout: Layout[Item], rows: Sequence[Item] = ()) -> None:
        super().__init__(id=id)
        self._layout_of = layout
        self.rows = rows
        self.cursor = self.top = 0

    @property
    def lines(self) -> int:
        """Number of the lines for rows."""
        return int(self.size.height) - 1

    @property
    def current(self) -> Item | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def move(self, by: int) -> None:
        self.cursor = max(0, min(len(self.rows) - 1, self.cursor + by))
        self.keep_on_screen()
        self.refresh()
        self.post_message(self.CursorMoved())

    def keep_on_screen(self) -> None:
        """Scroll to the cursor, without a line that is empty while there are rows for it."""
        if self.lines < 1:
            return  # it has no size yet
        self.top = max(self.cursor - self.lines + 1, min(self.top, self.cursor))
        self.top = max(0, min(self.top, len(self.rows) - self.lines))

    def on_mouse_scroll_down(self) -> None:
        self.move(self.WHEEL)

    def on_mouse_scroll_up(self) -> None:
        self.move(-self.WHEEL)

    def draw_line(self, y: int) -> Strip:
        width, found = self.size.width, colours.colours_of(self.app)
        place = self.top + y - 1
        if y == 0:
            return draw_cells([(" ", colours.DIM), *self._layout_of(None, width - 1)], found, width)
        if place >= len(self.rows):
            return draw_cells([], found, width)
        is_current = place == self.cursor
        ground = (colours.CURSOR if self.has_focus else colours.ELSEWHERE) if is_current else colours.PLAIN
        gutter = ("▌" if is_current else " ", colours.KEY)
        cells = fit_cells(self._layout_of(self.rows[place], width - 1), width - 1)
        return draw_cells([gutter, *cells], found, width, ground)


def _changed_region(y: int, before: Strip | None, after: Strip) -> Region:
    """Return the part of a line from the first cell that has changed to the last."""
    whole = Region(0, y, after.cell_length, 1)
    if before is None or before.cell_length != after.cell_length:
        return whole
    old, new = _cells_of(before), _cells_of(after)
    if not len(old) == len(new) == after.cell_length:
        return whole  # characters of two cells
    places = [x for x, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    return Region(places[0], y, places[-1] - places[0] + 1, 1) if places else whole


def _cells_of(strip: Strip) -> list[tuple[str, Style | None]]:
    return [(character, text.style) for text in strip for character in text.text]
