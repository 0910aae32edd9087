"""Groups of dead letters in a table. Each can be marked, redriven or moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from rich.cells import cell_len
from textual.binding import Binding

from mqtools.formats.phrases import grouped
from mqtools.formats.terminal import visible
from mqtools.formats.units import human_age, human_bytes
from mqtools.tui.background.groups import GroupRow
from mqtools.tui.dialogs.table import TableDialog, bar_of
from mqtools.tui.display import colours
from mqtools.tui.display.cells import Cell, cut_middle, format_cell
from mqtools.tui.display.outcome import format_count
from mqtools.tui.panes.table_view import TableView

#: Verbs of the answer.
MARK, REDRIVE, MOVE = "mark", "redrive", "move"
#: Action and its group.
GroupAnswer: TypeAlias = "tuple[str, GroupRow]"

_NUMBER, _BAR, _SIZE, _AGE, _REASON = 7, 11, 11, 8, 24
#: Least widths with bars, and with sizes and ages.
_WITH_BARS, _WITH_SIZES = 92, 60


class GroupsDialog(TableDialog[GroupAnswer, GroupRow]):
    """Groups of dead letters, with the meaning of the reason under the cursor, and what a redrive would find.

    room: returns in words what a redrive of a group would find.
    """

    BINDINGS = [Binding("r", f"take('{REDRIVE}')", "redrive"), Binding("m", f"take('{MOVE}')", "move")]

    def __init__(
        self, q_name: str, groups: Sequence[GroupRow], room: Callable[[GroupRow], str], *, can_write: bool
    ) -> None:
        self._whole = sum(group.letters.count for group in groups)
        has_letters = any(group.q_name for group in groups)
        keys = f"enter: mark   {'r: redrive   ' if has_letters else ''}m: move   " if can_write else ""
        title = f"{'Dead letters' if has_letters else 'Messages'} on {q_name} · {format_count(self._whole)}"
        super().__init__(title, f"{keys}esc: back", TableView(self._layout, groups))
        self._room = room
        self._can_write = can_write

    def _about_row(self, row: GroupRow) -> Iterable[str]:
        return self._room(row), row.meaning

    def on_table_view_chosen(self) -> None:
        self.action_take(MARK)

    def action_take(self, verb: str) -> None:
        group = self._table.current
        self.finish((verb, group) if group is not None and self._can_write else None)

    def _layout(self, group: GroupRow | None, width: int) -> list[Cell]:
        has_bars, has_sizes = width >= _WITH_BARS, width >= _WITH_SIZES
        reason_width = _REASON if has_sizes else _REASON // 2
        if group is None:
            cells = [
                f"{'count':>{_NUMBER}}",
                " " * (_BAR + 1) if has_bars else "",
                f"{'size':>{_SIZE}}{'oldest':>{_AGE}}" if has_sizes else "",
                f"  {'reason':{reason_width}} destination",
            ]
            return [("".join(cells), colours.DIM)]
        found: list[Cell] = [(f"{grouped(group.letters.count):>{_NUMBER}}", colours.TEXT)]
        if has_bars:
            found.append((f" {bar_of(group.letters.count, self._whole, _BAR - 1):{_BAR}}", colours.DANGER))
        if has_sizes:
            age = "" if group.oldest_age_s is None else human_age(group.oldest_age_s)
            found.append((f"{human_bytes(group.letters.bytes):>{_SIZE}}{age:>{_AGE}}", colours.DIM))
        found.append((f"  {format_cell(group.reason, reason_width)}", colours.DANGER if group.q_name else colours.DIM))
        back = f"  {group.letters.came_back} came back" if group.letters.came_back else ""
        left = width - sum(cell_len(text) for text, _ in found) - len(back) - 1
        found.append((f" {cut_middle(visible(group.target), max(6, left))}", colours.KEY))
        return [*found, (back, colours.WARN)]
