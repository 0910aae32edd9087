"""The dry run of a rules table: a table of what would be done, with totals and bars, and the messages of each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Static

from mqtools.formats.phrases import grouped
from mqtools.formats.terminal import visible
from mqtools.tui.background.rules_run import DISCARD, LEFT, DryRun, DryRunMessage, DryRunRow
from mqtools.tui.dialogs.standard import Answer, Dialog, make_literal
from mqtools.tui.display import colours
from mqtools.tui.display.cells import Cell
from mqtools.tui.display.outcome import format_count
from mqtools.tui.display.text_width import format_cell
from mqtools.tui.panes.table_view import TableView

#: Action -> sign and role: only what loses messages is a danger.
_ACTIONS = {
    DISCARD: ("✗", colours.DANGER),
    "FWD": ("→", colours.GOOD),
    "RETRY": ("↻", colours.GOOD),
    "IGNORE": ("·", colours.DIM),
    LEFT: ("·", colours.DIM),
}
_OTHER = ("·", colours.TEXT)
#: Of a row whose puts fail.
_FAILS = ("!", colours.WARN)
_NUMBER, _BAR, _ACTION = 8, 12, 12
#: Least width with bars.
_WITH_BARS = 60
#: Cells of an identifier and of a reason.
_ID, _REASON = 17, 24


def bar_of(part: int, whole: int, width: int = _BAR - 2) -> str:
    """Return a bar for a part of a whole; something of it for any part at all."""
    full = 0 if not part else max(1, round(part * width / max(1, whole)))
    return "█" * full + "░" * (width - full)


class TableDialog(Dialog[Answer]):
    """A table between lines of text, with a line about the row under the cursor. keys: what the last line says."""

    AUTO_FOCUS = "#table"

    def __init__(self, above: Sequence[str], table: TableView[Any], keys: str) -> None:
        super().__init__()
        self._above = above
        self._table = table
        self._about = Static(id="meaning", markup=False)
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        with Vertical(classes="dialog table reading -wide"):
            yield from map(make_literal, self._above)
            yield self._table
            yield self._about
            yield make_literal(self._keys)

    def _explain(self, *words: str) -> None:
        """Show what is known of the row under the cursor. words: those that are not empty have a line each."""
        self._about.update(visible("\n".join(one for one in words if one), "\n"))


class DryRunDialog(TableDialog[str]):
    """The dry run of a rules table. The answer is RUN, or the id of a message to go to, in hex; empty for neither."""

    RUN = "run"
    BINDINGS = [Binding("escape,q", "finish", "back"), Binding("exclamation_mark", "run", "run it")]

    def __init__(self, title: str, seen: DryRun, *, can_run: bool, is_whole: bool) -> None:
        table: TableView[DryRunRow] = TableView(self._layout, seen.rows())
        above = (f"{title}: nothing is done yet", seen.totals(is_whole=is_whole))
        super().__init__(above, table, f"enter: its messages   {'!: runs it   ' if can_run else ''}esc: back")
        self._whole = seen.done
        self._can_run = can_run

    def on_table_view_cursor_moved(self) -> None:
        """Show the rule of the row under the cursor, or why no rule takes its first message."""
        row = self._table.current
        if row is not None:
            self._explain(row.rule, "" if row.is_total or not row.messages else row.messages[0].why)

    def on_table_view_chosen(self) -> None:
        """Show the messages of the row under the cursor."""
        row = self._table.current
        if row is not None:
            self.app.push_screen(_MessagesDialog(row), lambda msg_id: self.finish(msg_id) if msg_id else None)

    def action_run(self) -> None:
        """Answer that the table is to be run."""
        if self._can_run:
            self.finish(self.RUN)

    def _layout(self, row: DryRunRow | None, width: int) -> list[Cell]:
        has_bars = width >= _WITH_BARS
        if row is None:
            bar = " " * _BAR if has_bars else ""
            return [(f"{'count':>{_NUMBER}} {bar} {'action':{_ACTION}} what happens to them", colours.DIM)]
        sign, role = _FAILS if row.fails else _ACTIONS.get(row.action, _OTHER)
        cells: list[Cell] = [(f"{grouped(row.number):>{_NUMBER}} ", colours.TEXT)]
        if has_bars:
            cells.append((f"{bar_of(row.number, self._whole):{_BAR}}", role))
        cells.append((f" {format_cell(f'{sign} {row.action}', _ACTION)}", role))
        if row.is_total:
            return [*cells, (" all of these:", colours.DIM)]
        cells += [(visible(f" → {row.target} "), colours.KEY)] if row.target else []
        cells += [(f" fails with {row.fails} ", colours.WARN)] if row.fails else []
        return [*cells, (visible(f" {row.rule or 'no rule takes them'}"), colours.TEXT if row.rule else colours.DIM)]


def _words_of(row: DryRunRow) -> str:
    to = f" → {row.target}" if row.target else ""
    return f"{format_count(row.number)}: {row.action}{to}"


class _MessagesDialog(TableDialog[str]):
    """Messages of a row of a dry run. The answer is the id of the one to go to, in hex."""

    BINDINGS = [Binding("escape,q", "finish", "back")]

    def __init__(self, row: DryRunRow) -> None:
        table: TableView[DryRunMessage] = TableView(self._layout, row.messages)
        first = f"; the first {len(row.messages)}" if row.number > len(row.messages) else ""
        super().__init__([_words_of(row) + first], table, "enter: go to it   esc: back")

    def on_table_view_cursor_moved(self) -> None:
        """Show the whole reason of the message under the cursor."""
        message = self._table.current
        if message is not None:
            self._explain(message.msg_id, message.why)

    def on_table_view_chosen(self) -> None:
        """Answer with the message under the cursor."""
        message = self._table.current
        self.finish("" if message is None else message.msg_id)

    def _layout(self, message: DryRunMessage | None, width: int) -> list[Cell]:
        if message is None:
            return [(f"{'message id':{_ID}}  {'reason':{_REASON}} why", colours.DIM)]
        cells: list[Cell] = [(f"…{message.msg_id[1 - _ID :]}  ", colours.TEXT)]
        cells.append((format_cell(message.reason, _REASON), colours.DANGER))
        left = width - sum(cell_len(text) for text, _ in cells)
        return [*cells, (visible(f" {message.why}")[:left], colours.DIM)] if left > 0 else cells
