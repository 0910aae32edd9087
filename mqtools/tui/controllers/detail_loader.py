"""The message under the cursor: reads it through the reader thread into the detail pane. Nothing here blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from mqtools.operations.views.message_view import Database
from mqtools.tui.background.reader import SomeReader
from mqtools.tui.display.row import Row
from mqtools.tui.display.tabs import LONGEST_TREE, STEP, Detail
from mqtools.tui.display.times import to_datetime

if TYPE_CHECKING:
    from mqtools.tui.panes.detail_pane import DetailPane


@dataclass(slots=True, eq=False)
class DetailLoader:
    """Loads the message under the cursor.

    listed: returns the reader of the list, and the instant that is listed, None for the present.  shown: called when
    the display changes; takes the owner of the message in words.  failed: takes an error.
    """

    listed: Callable[[], tuple[SomeReader, int | None]]
    pane: DetailPane
    _: KW_ONLY
    shown: Callable[[str], None]
    failed: Callable[[Exception], None]
    _row: Row | None = field(default=None, init=False)
    _of: tuple[object, ...] = field(default=(), init=False)
    _is_reading: bool = field(default=False, init=False)
    _is_wanted: bool = field(default=False, init=False)
    _has_failed: bool = field(default=False, init=False)

    def clear(self) -> None:
        self._row = None
        self._of = ()
        self.pane.show(None)

    def invalidate(self) -> None:
        """Have the message read again: it may have been edited, or its owner changed.

        Very long data is not read again, only when its beginning changes: that would take too long.
        """
        if self.pane.limit <= LONGEST_TREE and not self._has_failed:
            self._of = self._of[:1]

    def show(self, row: Row | None, times: str) -> None:
        """Show the message of a row, if it is not shown already. times: form of instants, of ``times.ALL``."""
        self._row = row
        pane = self.pane
        if row is None:
            self.shown("")
        elif row.gone_at is not None:
            self.shown("")
            if pane.detail is not None and pane.detail.seq == row.seq:
                pane.detail = pane.detail._replace(owner="")
                pane.mark_gone(f"gone at {to_datetime(row.gone_at, times):%H:%M:%S}")
        else:
            pane.gone = ""
            self._want(row)

    def _want(self, row: Row) -> None:
        pane = self.pane
        if self._of[:1] != (row.seq,):
            pane.limit = STEP
        wanted = (row.seq, row.state, row.md, row.data, pane.chosen, pane.line_width, pane.limit)
        if wanted == self._of:
            return
        if self._is_reading:
            self._is_wanted = True
            return
        self._of = wanted
        self._read(row.seq)

    def _read(self, seq: int) -> None:
        pane = self.pane
        tab, width, limit, before = pane.chosen, pane.line_width, pane.limit, pane.detail
        reader, at = self.listed()
        self._is_reading = True

        def read(db: Database) -> Detail | None:
            from mqtools.tui.background import detail_reader  # here: the first rows do not wait for it

            return detail_reader.read_detail(db, seq, tab, width=width, limit=limit, before=before, at=at)

        reader.ask(read, lambda value: self._take(seq, value))

    def _take(self, seq: int, value: Any) -> None:
        self._is_reading = False
        self._has_failed = isinstance(value, Exception)
        row = self._row
        if isinstance(value, Exception):
            self.failed(value)
        elif value is None:
            self._of = self._of[:1]  # it was gone before it was read
        elif row is not None and row.seq == seq:
            self.pane.show(value, gone=self.pane.gone if row.gone_at is not None else "")
            self.shown("" if row.gone_at is not None else value.owner)
        is_wanted, self._is_wanted = self._is_wanted, False
        if is_wanted and row is not None and row.gone_at is None:
            self._want(row)
