"""Results of the search of all queues: rows of several queues in a table, as they are found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Event
from typing import Any, TypeAlias

from rich.cells import cell_len
from textual.widgets import Static

from mqtools.formats.phrases import counted, grouped
from mqtools.formats.terminal import visible
from mqtools.mqi.identity import now_ms
from mqtools.tui.background.queues_search import MOST, FoundMessage, QueuesSearched
from mqtools.tui.dialogs.table import TableDialog
from mqtools.tui.display import colours, times
from mqtools.tui.display.cells import Cell, cut_middle, format_cell, mark_hits
from mqtools.tui.display.outcome import format_count
from mqtools.tui.panes.table_view import TableView

#: Begins a search. Takes what shows its progress, what shows its end, and what cancels it.
BeginSearch: TypeAlias = Callable[[Callable[[Any], None], Callable[[Any], None], Event], None]

#: Cells of the columns, and the least width with the time.
_QUEUE_PART, _TIME, _WITH_TIME = 0.3, 11, 50
#: Characters in front of a hit that is far behind the beginning of a body.
_IN_FRONT = 12


class QueuesSearchDialog(TableDialog[FoundMessage, FoundMessage]):
    """Hits on all queues. The answer is the one to go to; leaving the dialog cancels the search.

    begin: starts it.  number: of queues.  needle: text that is highlighted.  form: of times.
    """

    box = "dialog table reading -whole"

    def __init__(self, words: str, begin: BeginSearch, number: int, needle: str, form: str) -> None:
        super().__init__(f"Search of all queues: {words}", "enter: go there   esc: back", TableView(self._layout))
        self._begin = begin
        self._number = number
        self._needle = needle
        self._form = form
        self._searched = QueuesSearched()

    def on_mount(self) -> None:
        self._say("searching")
        self._begin(self._receive, self._end, self._stopped)

    def _say(self, state: str) -> None:
        found = self._searched
        how_far = f"{found.queues} of {counted(self._number, 'queue')}, {format_count(found.messages)}"
        hits = format_count(len(found.hits), "hit")
        self.query_one(Static).update(visible(f"{self._title} · {hits} · {state}: {how_far}"))

    def _show(self, found: QueuesSearched) -> None:
        self._searched = found
        self._table.show(found.hits)
        self._say("searching")

    def _end(self, value: Any) -> None:
        self._receive(value)
        if not self.is_attached:
            return
        self._say("stopped" if isinstance(value, Exception) else "searched")
        if not isinstance(value, Exception) and not value.hits:
            self._explain("no message matches", *self._limits())

    def _limits(self) -> list[str]:
        """Return what the results leave out, in words."""
        found, words = self._searched, []
        if len(found.hits) >= MOST:
            words.append(f"stopped at {grouped(MOST)} hits: search for more words")
        elif found.cut:
            words.append(f"more hits on {', '.join(found.cut)}: / filters there")
        if found.unread:
            words.append(f"not readable: {', '.join(found.unread)}")
        return words

    def _about_row(self, row: FoundMessage) -> Iterable[str]:
        return f"MsgId {row.row.md.msg_id.hex().upper()}", *self._limits()

    def on_table_view_chosen(self) -> None:
        self.finish(self._table.current)

    def _layout(self, hit: FoundMessage | None, width: int) -> list[Cell]:
        q_width, has_time = int(width * _QUEUE_PART), width >= _WITH_TIME
        if hit is None:
            time = format_cell(f"time {self._form}", _TIME) if has_time else ""
            return [(f"{format_cell('queue', q_width)} {time}data", colours.DIM)]
        row = hit.row
        cells: list[Cell] = [(f"{format_cell(cut_middle(visible(hit.q_name), q_width), q_width)} ", colours.KEY)]
        if has_time:
            cells.append((format_cell(times.format_short(row.put_at, now_ms(), self._form), _TIME), colours.DIM))
        if row.is_dead:
            cells.append((f"{row.kind} ", colours.DANGER))
        text = row.words
        left = width - sum(cell_len(one) for one, _ in cells)
        at = text.casefold().find(self._needle.casefold()) if self._needle else -1
        if at + len(self._needle) > left:
            text = f"…{text[max(0, at - _IN_FRONT) :]}"
        return [*cells, *mark_hits([(format_cell(text, left), colours.TEXT)], self._needle)]
