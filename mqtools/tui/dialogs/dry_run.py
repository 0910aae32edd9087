"""The dry run of a rules table: a table of what would be done, with totals and bars, and the messages of each row."""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.binding import Binding

from mqtools.formats.phrases import grouped
from mqtools.formats.terminal import visible
from mqtools.tui.background.rules_run import DISCARD, LEFT, DryRun, DryRunMessage, DryRunRow
from mqtools.tui.dialogs.standard import make_literal
from mqtools.tui.dialogs.table import TableDialog, bar_of
from mqtools.tui.display import colours
from mqtools.tui.display.cells import Cell, format_cell
from mqtools.tui.display.outcome import format_count
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


class DryRunDialog(TableDialog[str, DryRunRow]):
    """The dry run of a rules table. The answer is RUN, or the id of a message to go to, in hex; empty for neither."""

    RUN = "run"
    BINDINGS = [Binding("exclamation_mark", "run", "run it")]

    def __init__(self, title: str, seen: DryRun, *, can_run: bool, is_whole: bool) -> None:
        keys = f"enter: its messages   {'!: runs it   ' if can_run else ''}esc: back"
        super().__init__(f"{title}: nothing is done yet", keys, TableView(self._layout, seen.rows()))
        self._totals = seen.totals(is_whole=is_whole)
        self._whole = seen.done
        self._can_run = can_run

    def widgets(self) -> ComposeResult:
        yield make_literal(self._totals)
        yield from super().widgets()

    def _about_row(self, row: DryRunRow) -> Iterable[str]:
        return row.rule, "" if row.is_total or not row.messages else row.messages[0].why

    def on_table_view_chosen(self) -> None:
        row = self._table.current
        if row is not None:
            self.app.push_screen(_MessagesDialog(row), lambda msg_id: self.finish(msg_id) if msg_id else None)

    def action_run(self) -> None:
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
            cells.append((f"{bar_of(row.number, self._whole, _BAR - 2):{_BAR}}", role))
        cells.append((f" {format_cell(f'{sign} {row.action}', _ACTION)}", role))
        if row.is_total:
            return [*cells, (" all of these:", colours.DIM)]
        cells += [(visible(f" → {row.target} "), colours.KEY)] if row.target else []
        cells += [(f" fails with {row.fails} ", colours.WARN)] if row.fails else []
        return [*cells, (visible(f" {row.rule or 'no rule takes them'}"), colours.TEXT if row.rule else colours.DIM)]


class _MessagesDialog(TableDialog[str, DryRunMessage]):
    """Messages of a row of a dry run. The answer is the id of the one to go to, in hex."""

    def __init__(self, row: DryRunRow) -> None:
        to = f" → {row.target}" if row.target else ""
        first = f"; the first {len(row.messages)}" if row.number > len(row.messages) else ""
        title = f"{format_count(row.number)}: {row.action}{to}{first}"
        super().__init__(title, "enter: go to it   esc: back", TableView(self._layout, row.messages))

    def _about_row(self, row: DryRunMessage) -> Iterable[str]:
        return row.msg_id, row.why

    def on_table_view_chosen(self) -> None:
        message = self._table.current
        self.finish("" if message is None else message.msg_id)

    def _layout(self, message: DryRunMessage | None, _: int) -> list[Cell]:
        if message is None:
            return [(f"{'message id':{_ID}}  {'reason':{_REASON}} why", colours.DIM)]
        cells: list[Cell] = [(f"…{message.msg_id[1 - _ID :]}  ", colours.TEXT)]
        cells.append((format_cell(message.reason, _REASON), colours.DANGER))
        return [*cells, (visible(f" {message.why}"), colours.DIM)]
