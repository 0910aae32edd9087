"""All queue managers at a glance, in a table; each can be opened."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from rich.cells import cell_len
from textual.binding import Binding
from textual.widgets import Static

from mqtools.formats.phrases import counted, grouped
from mqtools.formats.terminal import visible
from mqtools.operations.views.queue_manager_glance import QueueManagerGlance
from mqtools.tui.background.glance import ELSEWHERE
from mqtools.tui.dialogs.table import BeginReading, TableDialog
from mqtools.tui.display import colours
from mqtools.tui.display.cells import Cell, cut_middle, format_cell
from mqtools.tui.panes.table_view import TableView

#: Cells of the columns, from left to right; columns behind the last that fits are left out.
_STATE, _NUMBER, _CHANNELS, _LEAST_NAME = 11, 9, 9, 12
_COLUMNS = (("messages", _NUMBER), ("dead", _NUMBER), ("full", 6), ("channels", _CHANNELS), ("queues", 8))


#: State -> role; others need attention.
_ROLES = {"RUNNING": colours.GOOD, ELSEWHERE: colours.DIM}


class GlanceDialog(TableDialog[str, QueueManagerGlance]):
    """All queue managers of the home folder. The answer is the name of the one to open.

    current: name of the one in front.  opened: names of those that are open.
    """

    BINDINGS = [Binding("Q", "finish", "back")]

    def __init__(self, begin: BeginReading, current: str, opened: Collection[str]) -> None:
        super().__init__("Queue managers", "enter: open   esc: back", TableView(self._layout))
        self._begin = begin
        self._current = current
        self._opened = opened

    def on_mount(self) -> None:
        self._explain("reading …")
        self._begin(self._receive, self._stopped)

    def _show(self, value: Any) -> None:
        name = self._current if self._table.current is None else self._table.current.name
        names = [line.name for line in value]
        self._table.show(value, names.index(name) if name in names else None)
        dead, full = sum(line.dead for line in value), sum(len(line.full) for line in value)
        totals = [counted(sum(line.depth for line in value), "message", in_groups=True)]
        totals += [f"{grouped(dead)} dead"] if dead else []
        totals += [counted(full, "full queue")] if full else []
        self.query_one(Static).update(f"Queue managers · {len(value)} · {', '.join(totals)}")

    def _about_row(self, row: QueueManagerGlance) -> Iterable[str]:
        return row.problem, f"full: {', '.join(row.full)}" if row.full else "", " · ".join(row.waiting)

    def on_table_view_chosen(self) -> None:
        if self._table.current is not None:
            self.finish(self._table.current.name)

    def _layout(self, line: QueueManagerGlance | None, width: int) -> list[Cell]:
        shown = list(_COLUMNS)
        longest = max((cell_len(visible(one.name)) for one in self._table.rows), default=_LEAST_NAME)
        while shown and width - 2 - _STATE - sum(cells for _, cells in shown) < max(_LEAST_NAME, longest):
            shown.pop()
        left = max(1, width - 2 - _STATE - sum(cells for _, cells in shown))
        if line is None:
            headings = "".join(f"{heading:>{cells}}" for heading, cells in shown)
            return [(f"  {format_cell('queue manager', left)}{'state':{_STATE}}{headings}", colours.DIM)]
        name = format_cell(cut_middle(visible(line.name), left), left)
        sign = "● " if line.name in self._opened else "  "
        if line.problem:
            return [(sign, colours.KEY), (name, colours.TEXT), (visible(line.problem), colours.DANGER)]
        role = _ROLES.get(line.state, colours.WARN)
        cells: list[Cell] = [(sign, colours.KEY), (name, colours.TEXT), (format_cell(line.state, _STATE), role)]
        for heading, cells_wide in shown:
            text, role = _value(line, heading)
            cells.append((format_cell(text, cells_wide, right=True), role))
        return cells


def _value(line: QueueManagerGlance, heading: str) -> Cell:
    """Return what a line has in a column; a dot for nothing."""
    if heading == "channels":
        words = f"{line.running} ✗{len(line.waiting)}" if line.waiting else str(line.running or "·")
        return words, colours.WARN if line.waiting else colours.TEXT if line.running else colours.DIM
    number = {"messages": line.depth, "dead": line.dead, "full": len(line.full), "queues": line.queues}[heading]
    if not number:
        return "·", colours.DIM
    return grouped(number), colours.DANGER if heading in ("dead", "full") else colours.TEXT
