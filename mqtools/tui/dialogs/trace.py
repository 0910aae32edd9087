"""The trace of a message: its events with their time line, read again while it is open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from mqtools.formats.terminal import visible
from mqtools.tui.dialogs.table import BeginReading, TableDialog
from mqtools.tui.display import colours, times
from mqtools.tui.display.cells import Cell, cut_middle, draw_cells, format_cell
from mqtools.tui.display.outcome import format_count
from mqtools.tui.panes.table_view import TableView

#: A row of a trace, as ``trace.rows`` makes it.
TraceRow: TypeAlias = "dict[str, object]"

#: Event -> sign and role. Others have a dot.
_EVENTS = {
    "put": ("→", colours.TEXT),
    "get": ("←", colours.GOOD),
    "browse_lock": ("⚿", colours.LOCKED),
    "unlock": ("○", colours.TEXT),
    "expire": ("∅", colours.DANGER),
    "dead_letter": ("✉", colours.DANGER),
    "report": ("◇", colours.TEXT),
    "channel_send": ("⇥", colours.TEXT),
    "channel_receive": ("⇤", colours.TEXT),
    "delete": ("✗", colours.DANGER),
    "move": ("↷", colours.TEXT),
    "copy": ("⧉", colours.TEXT),
    "edit": ("✎", colours.WARN),
    "restore": ("↶", colours.TEXT),
    "replay": ("⟳", colours.TEXT),
    "unknown": ("?", colours.DIM),
}
_OTHER = ("·", colours.TEXT)
#: Outcome -> role, where it is not that of the event.
_OUTCOMES = {"backed out": colours.WARN, "held (uncommitted)": colours.WARN, "unknown": colours.DIM}
#: Cells of the columns. From a width of cells on the rows have a column; below the last one times have no milliseconds.
_EVENT, _OUTCOME, _APPLICATION, _SINCE = 17, 19, 18, 10
_WITH_APPLICATION, _WITH_OUTCOME, _WITH_SINCE = 105, 76, 54


class TraceDialog(TableDialog["TraceRow | None", TraceRow]):
    """The events of a message. The answer is the event to go to.

    form: of times.
    """

    BINDINGS = [Binding("T", "finish", "back"), Binding("F", "follow", "follow")]
    box = "dialog table reading -whole"

    def __init__(self, title: str, begin: BeginReading, form: str) -> None:
        super().__init__(title, "enter: go there   F: follow   esc: back", TableView(self._layout))
        self._begin = begin
        self._form = times.UTC_TIME if form == times.AGE else form
        self._follows = False
        self._line = _EventLine(self._form)

    def widgets(self) -> ComposeResult:
        yield self._line
        yield from super().widgets()

    def on_mount(self) -> None:
        self._say("reading the journals …")
        self._begin(self._receive, self._stopped)

    def _say(self, text: str) -> None:
        follows = " · follow" if self._follows else ""
        self.query_one(Static).update(visible(f"Trace of {self._title} · {text}{follows}"))

    def _show(self, value: Any) -> None:
        was_empty = not self._table.rows
        self._table.show(value, len(value) - 1 if self._follows or was_empty else None)
        if not value:
            self._about.update("No journal has it, and it is on no queue now.")

    def _show_error(self, error: Exception) -> None:
        self._say(str(error))

    def _about_row(self, row: TraceRow) -> Iterable[str]:
        self._line.show(self._table.rows, self._table.cursor)
        self._say(format_count(len(self._table.rows), "event"))
        by = [row["holder"], row["appl_name"]]
        return str(row["detail"] or ""), " · ".join(str(one) for one in by if one)

    def on_table_view_chosen(self) -> None:
        self.finish(self._table.current)

    def action_follow(self) -> None:
        self._follows = not self._follows
        self._table.show(self._table.rows, len(self._table.rows) - 1 if self._follows else None)

    def _layout(self, row: TraceRow | None, width: int) -> list[Cell]:
        """Lay out an event; columns are dropped for lack of room."""
        has_since, is_short = width >= _WITH_SINCE, width < _WITH_SINCE
        if row is None:
            heading = f"time {self._form}"
            sign, name, outcome, by, role, end = " ", "event", "outcome", "application", colours.DIM, colours.DIM
            since, place = "after", "queue"
        else:
            at = instant_of(row)
            heading = f"{times.to_datetime(at, self._form):%H:%M:%S}" + ("" if is_short else f".{at % 1000:03}")
            since = _after(at - instant_of(self._table.rows[0]))
            name, outcome, by = str(row["event"]), str(row["outcome"]), str(row["appl_name"] or "")
            sign, role = _EVENTS.get(name, _OTHER)
            end = _OUTCOMES.get(outcome, role)
            place = f"{row['qmgr']}/{row['queue']}"
        cells: list[Cell] = [(format_cell(heading, 9 if is_short else 13), colours.DIM)]
        cells += [(format_cell(since, _SINCE, right=True) + "  ", colours.DIM)] if has_since else []
        cells.append((format_cell(f"{sign} {name}", _EVENT), role))
        cells += [(format_cell(outcome, _OUTCOME), end)] if width >= _WITH_OUTCOME else []
        cells += [(format_cell(visible(by), _APPLICATION), colours.TEXT)] if width >= _WITH_APPLICATION else []
        left = width - sum(cell_len(text) for text, _ in cells)
        cells.append((cut_middle(visible(place), left), colours.DIM if row is None else colours.TEXT))
        return cells


def instant_of(row: TraceRow) -> int:
    """Return when an event happened, in milliseconds since 1970."""
    return round(datetime.fromisoformat(str(row["at"])).timestamp() * 1000)


def _after(ms: int) -> str:
    """Return how long after the first event one happened."""
    if ms < 60_000:
        return f"+{ms / 1000:.3f}s"
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"+{hours}h{minutes:02}m" if hours else f"+{minutes}m{seconds:02}s"


class _EventLine(Widget):
    """Draws the events where they are in time, from the first to the last. form: of times."""

    DEFAULT_CSS = "_EventLine { height: 1; background: $surface; }"

    def __init__(self, form: str) -> None:
        super().__init__(id="events")
        self._form = form
        self._rows: Sequence[TraceRow] = ()
        self._cursor = 0

    def show(self, rows: Sequence[TraceRow], cursor: int) -> None:
        """Replace the events. cursor: index of the one that is highlighted."""
        self._rows, self._cursor = rows, cursor
        self.refresh()

    def render_line(self, _: int) -> Strip:
        width, found = self.size.width, colours.colours_of(self.app)
        if not self._rows:
            return draw_cells([], found, width)
        at = [instant_of(row) for row in self._rows]
        first, last = min(at), max(at)
        begin, end = (f"{times.to_datetime(one, self._form):%H:%M:%S}" for one in (first, last))
        length = max(2, width - len(begin) - len(end) - 2)
        line: list[Cell] = [("─", colours.DIM)] * length
        places = [(one - first) * (length - 1) // max(1, last - first) for one in at]
        for place, row in [*zip(places, self._rows, strict=True), (places[self._cursor], self._rows[self._cursor])]:
            line[place] = _EVENTS.get(str(row["event"]), _OTHER)
        line[places[self._cursor]] = (line[places[self._cursor]][0], colours.KEY)
        return draw_cells([(f"{begin} ", colours.DIM), *line, (f" {end}", colours.DIM)], found, width)
