"""A table with a cursor, for dialogs: a heading and rows of cells, laid out for the width each time they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.strip import Strip

from mqtools.tui.display import colours
from mqtools.tui.display.cells import Cell, draw_cells, fit_cells
from mqtools.tui.panes.changed_lines import ChangedLines

Item = TypeVar("Item")

_FAR = 1_000_000_000
#: Lines of a dialog that are not those of its table.
_BELOW = 9


class TableView(ChangedLines, Generic[Item], can_focus=True):
    """Draws items, one a line, under a heading.

    layout: returns the cells of an item for a width, of the heading for None.  cursor: index of the item under it.
    """

    BINDINGS = [
        Binding("j,down", "move(1)", show=False),
        Binding("k,up", "move(-1)", show=False),
        Binding("pagedown,ctrl+d", "page(1)", show=False),
        Binding("pageup,ctrl+u", "page(-1)", show=False),
        Binding("g,home", f"move({-_FAR})", show=False),
        Binding("G,end", f"move({_FAR})", show=False),
        Binding("enter", "choose", show=False),
    ]
    DEFAULT_CSS = "TableView { height: auto; background: $surface; }"

    class CursorMoved(Message):
        """Another item is under the cursor."""

    class Chosen(Message):
        """The item under the cursor was chosen."""

    def __init__(self, layout: Callable[[Item | None, int], list[Cell]], items: Sequence[Item] = ()) -> None:
        super().__init__(id="table")
        self._layout_of = layout
        self.items: Sequence[Item] = items
        self.cursor = 0
        self._first = 0

    def get_content_height(self, *_: object) -> int:
        """Return the heading and the lines of the items that fit above the lines about one."""
        return max(2, min(len(self.items) + 1, self.app.size.height * 9 // 10 - _BELOW))

    @property
    def current(self) -> Item | None:
        return self.items[self.cursor] if self.cursor < len(self.items) else None

    def show(self, items: Sequence[Item], cursor: int | None = None) -> None:
        """Replace the items. cursor: index of the one under the cursor, None to leave it where it is."""
        if len(items) != len(self.items):
            self.refresh(layout=True)
        self.items = items
        self.action_move(0 if cursor is None else cursor - self.cursor)

    def action_move(self, by: int) -> None:
        self.cursor = max(0, min(len(self.items) - 1, self.cursor + by))
        lines = max(1, self.size.height - 1)
        self._first = max(self.cursor - lines + 1, min(self._first, self.cursor))
        self._first = max(0, min(self._first, len(self.items) - lines))
        self.refresh()
        self.post_message(self.CursorMoved())

    def action_page(self, by: int) -> None:
        self.action_move(by * max(1, self.size.height - 2))

    def action_choose(self) -> None:
        if self.items:
            self.post_message(self.Chosen())

    def on_resize(self) -> None:
        self.action_move(0)

    def on_mouse_scroll_down(self, _: events.MouseScrollDown) -> None:
        self.action_move(3)

    def on_mouse_scroll_up(self, _: events.MouseScrollUp) -> None:
        self.action_move(-3)

    def on_click(self, event: events.Click) -> None:
        place = self._first + event.y - 1
        if event.y > 0 and place < len(self.items):
            self.action_move(place - self.cursor)
            if event.chain > 1:
                self.action_choose()

    def draw_line(self, y: int) -> Strip:
        width, found = self.size.width, colours.colours_of(self.app)
        if y == 0:
            return draw_cells([(" ", colours.DIM), *self._layout_of(None, width - 1)], found, width)
        place = self._first + y - 1
        if place >= len(self.items):
            return draw_cells([], found, width)
        is_current = place == self.cursor
        ground = (colours.CURSOR if self.has_focus else colours.ELSEWHERE) if is_current else colours.PLAIN
        gutter = ("▌" if is_current else " ", colours.KEY)
        cells = fit_cells(self._layout_of(self.items[place], width - 1), width - 1)
        return draw_cells([gutter, *cells], found, width, ground)
