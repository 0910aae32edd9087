"""The message under the cursor: reads it through the reader thread into the detail pane. Nothing here blocks."""

from __future__ import annotations

from threading import Event
from typing import Any

from mqtools.operations.views.message_view import Database
from mqtools.tui.background import detail_reader
from mqtools.tui.background.reader import read_in_thread
from mqtools.tui.controllers.controller import BrowserScreen, Controller
from mqtools.tui.display.row import Row
from mqtools.tui.display.tabs import JSON, LONGEST_TREE, STEP, XML, Detail
from mqtools.tui.display.times import to_datetime


class DetailLoader(Controller):
    """Loads the message under the cursor."""

    def __init__(self, browser: BrowserScreen) -> None:
        super().__init__(browser)
        self.pane = browser.detail
        self._row: Row | None = None
        self._of: tuple[object, ...] = ()
        self._laying_out = Event()  # set to cancel it
        self._is_reading = self._is_wanted = self._has_failed = False

    def clear(self) -> None:
        self._laying_out.set()
        self._row = None
        self._of = ()
        self.pane.show(None)

    def invalidate(self) -> None:
        """Have the message read again: it may have been edited, or its owner changed.

        Very long data is not read again, only when its beginning changes: that would take too long.
        """
        shown = self.pane.detail
        is_long = shown is not None and shown.tab in (JSON, XML) and shown.length > LONGEST_TREE
        if self.pane.limit <= LONGEST_TREE and not is_long and not self._has_failed:
            self._of = self._of[:1]

    def show(self, row: Row | None, times: str) -> None:
        """Show the message of a row, if it is not shown already. times: form of instants, of ``times.ALL``."""
        self._row = row
        pane = self.pane
        if row is None:
            self._show_owner("")
        elif row.gone_at is not None:
            self._show_owner("")
            if pane.detail is not None and pane.detail.seq == row.seq:
                pane.detail = pane.detail._replace(owner="")
                pane.mark_gone(f"gone at {to_datetime(row.gone_at, times):%H:%M:%S}")
        else:
            pane.gone = ""
            self._want(row)

    def _lay_out_the_rest(self, begun: Detail) -> None:
        """Lay out all of a long body as JSON or XML, in a thread; its beginning is shown meanwhile."""
        self._laying_out.set()
        if begun.tab not in (JSON, XML) or begun.shown >= begun.length or begun.kind != begun.tab:
            self.pane.show_progress("")
            return
        cancelled = self._laying_out = Event()

        def progress(value: Any) -> None:
            if not cancelled.is_set():
                self.pane.show_progress(f"laying out, {value.part:.0%}")

        def done(value: Any) -> None:
            if cancelled.is_set():
                return
            self.pane.show_progress("")
            if isinstance(value, Exception):
                self.browser.fail(value)
            elif value is not None and value.whole is not None:
                self.pane.show(value.whole, gone=self.pane.gone)

        self.pane.show_progress("laying out")
        read_in_thread(
            self.browser.message_list.reader,
            lambda db: detail_reader.read_whole_tree(db, begun.seq, begun.tab, begun),
            progress=progress,
            answer=done,
            cancelled=cancelled,
        )

    def _show_owner(self, owner: str) -> None:
        self.browser.messages.owner = owner
        self.browser.messages.draw()

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
        at = self.browser.messages.at
        self._is_reading = True

        def read(db: Database) -> Detail | None:
            return detail_reader.read_detail(db, seq, tab, width=width, limit=limit, before=before, at=at)

        self.browser.message_list.reader.ask(read, lambda value: self._take(seq, value))

    def _take(self, seq: int, value: Any) -> None:
        self._is_reading = False
        self._has_failed = isinstance(value, Exception)
        row = self._row
        if isinstance(value, Exception):
            self.browser.fail(value)
        elif value is None:
            self._of = self._of[:1]  # it was gone before it was read
        elif row is not None and row.seq == seq:
            self.pane.show(value, gone=self.pane.gone if row.gone_at is not None else "")
            self._lay_out_the_rest(value)
            self.browser.fit_panes()
            self._show_owner("" if row.gone_at is not None else value.owner)
        is_wanted, self._is_wanted = self._is_wanted, False
        if is_wanted and row is not None and row.gone_at is None:
            self._want(row)
