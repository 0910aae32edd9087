"""Base of the dialogs with a table: lines about the row under the cursor, and bars for parts of a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Event
from typing import Any, Generic, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Static

from mqtools.formats.terminal import visible
from mqtools.tui.dialogs.standard import Answer, Dialog
from mqtools.tui.panes.changed_lines import Item
from mqtools.tui.panes.table_view import TableView

#: Begins to read rows. Takes what shows them, or an error, and what ends it.
BeginReading: TypeAlias = Callable[[Callable[[Any], None], Event], None]


class TableDialog(Dialog[Answer], Generic[Answer, Item]):
    """A table, with lines about the row under the cursor."""

    BINDINGS = [Binding("escape,q", "finish", "back")]
    AUTO_FOCUS = "#table"
    box = "dialog table reading -wide"

    def __init__(self, title: str, keys: str, table: TableView[Item]) -> None:
        super().__init__(title, keys)
        self._table = table
        self._about = Static(id="meaning", markup=False)
        self._stopped = Event()  # set to end what reads the rows

    def widgets(self) -> ComposeResult:
        yield self._table
        yield self._about

    def on_unmount(self) -> None:
        self._stopped.set()

    def on_rows_view_cursor_moved(self) -> None:
        row = self._table.current
        if row is not None:
            self._explain(*self._about_row(row))

    def _about_row(self, _: Item, /) -> Iterable[str]:
        """Return the lines about a row: none unless a dialog has some."""
        return ()

    def _receive(self, value: Any) -> None:
        """Show what was read, or the error; nothing while the dialog is being removed."""
        if not self.is_attached:
            return
        if isinstance(value, Exception):
            self._show_error(value)
        else:
            self._show(value)

    def _show(self, value: Any) -> None:
        """Show the rows that were read."""
        self._table.show(value)

    def _show_error(self, error: Exception) -> None:
        self._explain(str(error))

    def _explain(self, *words: str) -> None:
        """Show what is known of the row under the cursor. words: those that are not empty have a line each."""
        self._about.update(visible("\n".join(one for one in words if one), "\n"))


def bar_of(part: int, whole: int, width: int) -> str:
    """Return a bar for a part of a whole; something of it for any part at all."""
    full = 0 if not part else max(1, round(part * width / max(1, whole)))
    return "█" * full + "░" * (width - full)
