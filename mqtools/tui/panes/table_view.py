"""A table with a cursor, for dialogs: a heading and rows of cells, laid out for the width each time they are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.binding import Binding
from textual.message import Message

from mqtools.tui.panes.changed_lines import Item, Layout, RowsView

FAR = 1_000_000_000
#: Lines of a dialog that are not those of its table.
_BELOW = 9


#: Keys of the dialogs for the actions ``move`` and ``page``.
MOVES = [
    Binding("j,down", "move(1)", show=False),
    Binding("k,up", "move(-1)", show=False),
    Binding("pagedown,ctrl+d", "page(1)", show=False),
    Binding("pageup,ctrl+u", "page(-1)", show=False),
    Binding("g,home", f"move({-FAR})", show=False),
    Binding("G,end", f"move({FAR})", show=False),
]


class TableView(RowsView[Item]):
    """Draws rows that keys and the mouse choose from."""

    BINDINGS = [*MOVES, Binding("enter", "choose", show=False)]
    DEFAULT_CSS = "TableView { height: auto; background: $surface; }"

    class Chosen(Message):
        """The row under the cursor was chosen."""

    def __init__(self, layout: Layout[Item], rows: Sequence[Item] = ()) -> None:
        super().__init__("table", layout, rows)

    def get_content_height(self, *_: object) -> int:
        """Return the heading and the lines of the rows that fit above the lines about one."""
        return max(2, min(len(self.rows) + 1, self.app.size.height * 9 // 10 - _BELOW))

    def show(self, rows: Sequence[Item], cursor: int | None = None) -> None:
        """Replace the rows. cursor: index of the one under the cursor, None to leave it where it is."""
        if len(rows) != len(self.rows):
            self.refresh(layout=True)
        self.rows = rows
        self.move(0 if cursor is None else cursor - self.cursor)

    def action_move(self, by: int) -> None:
        self.move(by)

    def action_page(self, by: int) -> None:
        self.move(by * max(1, self.lines - 1))

    def action_choose(self) -> None:
        if self.rows:
            self.post_message(self.Chosen())

    def on_resize(self) -> None:
        self.move(0)

    def on_click(self, event: events.Click) -> None:
        place = self.top + event.y - 1
        if event.y > 0 and place < len(self.rows):
            self.move(place - self.cursor)
            if event.chain > 1:
                self.action_choose()
