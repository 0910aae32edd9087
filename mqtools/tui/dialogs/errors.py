"""The error log of the queue manager, read again while it is open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rich.cells import cell_len
from textual.binding import Binding
from textual.widgets import Static

from mqtools.admin.error_log import ErrorEntry
from mqtools.formats.phrases import counted
from mqtools.formats.terminal import visible
from mqtools.mqi.identity import now_ms
from mqtools.tui.dialogs.table import TableDialog
from mqtools.tui.display import colours, times
from mqtools.tui.display.cells import Cell, format_cell
from mqtools.tui.panes.table_view import TableView

#: Severity -> role. Others are plain.
_ROLES = {"W": colours.WARN, "E": colours.DANGER, "S": colours.DANGER, "T": colours.DANGER}
#: Cells of the columns. From a width of cells on there is room for the channel.
_TIME, _NUMBER, _TIMES, _CHANNEL, _WITH_CHANNEL = 9, 10, 7, 21, 70
#: Seconds between two looks at the log.
_LOOK_S = 0.5


class ErrorLogDialog(TableDialog[None, ErrorEntry]):
    """The entries of the error log, or of another log, the latest at the end.

    read: calls a function with the entries, or with an error.  form: of times.  name: of the log.
    """

    BINDINGS = [Binding("E,H", "finish", "back")]
    box = "dialog table reading -whole"

    def __init__(self, read: Callable[[Callable[[Any], None]], None], form: str, name: str = "Error log") -> None:
        super().__init__(name, "esc: back", TableView(self._layout))
        self._read = read
        self._form = form
        self._has_channels = self._has_times = False

    def on_mount(self) -> None:
        self._read(self._receive)
        self.set_interval(_LOOK_S, lambda: self._read(self._receive))

    def _show(self, value: Any) -> None:
        if value == self._table.rows:
            return
        self._has_channels = any(entry.channel for entry in value)
        self._has_times = any(entry.occurrences > 1 for entry in value)
        is_at_end = self._table.cursor >= len(self._table.rows) - 1
        self._table.show(value, len(value) - 1 if is_at_end else None)
        found = counted(len(value), "entry", "entries")
        self.query_one(Static).update(visible(f"{self._title} · {found}"))

    def _about_row(self, row: ErrorEntry) -> Iterable[str]:
        inserts = {**row.inserts, "program": row.program, "pid": str(row.pid)} if row.pid else {}
        return row.text, row.detail, row.action, " · ".join(f"{name} {value}" for name, value in inserts.items())

    def _layout(self, entry: ErrorEntry | None, width: int) -> list[Cell]:
        if entry is None:
            texts, role = (f"{self._form}", "number", "times", "channel", "what"), colours.DIM
        else:
            at = times.format_short(entry.last_at, now_ms(), self._form)
            again = f"{entry.occurrences}×" if entry.occurrences > 1 else ""
            texts = (at, entry.amq, again, visible(entry.channel), visible(entry.detail or entry.text))
            role = _ROLES.get(entry.severity, colours.TEXT)
        at, number, again, channel, what = texts
        cells: list[Cell] = [
            (format_cell(at, _TIME), colours.DIM),
            (format_cell(number, _NUMBER), role),
        ]
        cells += [(format_cell(again, _TIMES), colours.DIM)] if self._has_times else []
        if self._has_channels and width >= _WITH_CHANNEL:
            cells.append((format_cell(channel, _CHANNEL), colours.KEY if entry else role))
        left = width - sum(cell_len(text) for text, _ in cells)
        return [*cells, (format_cell(what, max(1, left)), colours.TEXT if entry else role)]
