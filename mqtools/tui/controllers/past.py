"""Keys for the past of a queue: steps on its time line, an instant by its time, and back to the present.

A step loads the queue as it was in a thread; the list stays as it is until that is ready, and the next step cancels it.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from mqtools.formats.times import parse_time
from mqtools.mqi.identity import now_ms
from mqtools.operations.journal.time_line import TimeLine, has_journal, read_time_line, step
from mqtools.operations.views.message_view import Database
from mqtools.operations.views.queue_pages import QueuePages
from mqtools.tui.background.reader import read_in_thread
from mqtools.tui.controllers.controller import BrowserScreen, Controller
from mqtools.tui.display import times
from mqtools.tui.panes.time_line_pane import TimeLinePane

if TYPE_CHECKING:
    from mqtools.tui.background.past_reader import PastReader

#: Least pause between two readings of the time line: seconds, and multiples of the time that one took.
_LEAST_PAUSE_S = 1.0
_PAUSE = 20
#: Lengths of the time line (milliseconds), None for all of it.
_ZOOMS = (None, 300_000, 3_600_000, 86_400_000)
_PRESENT = "this is the present"
#: Ids of keys that have to do with the present only.
PRESENT_ONLY = ("follow",)
#: Maximum age of a view of the past in seconds. Its refresh lets the log move into the file.
_LONGEST_VIEW_S = 60.0


class PastController(Controller):
    """The past of the queue that is listed. at: the instant that is listed, None for the present."""

    def __init__(self, browser: BrowserScreen, pane: TimeLinePane) -> None:
        super().__init__(browser)
        self.at: int | None = None
        self._pane = pane
        self._reader: PastReader | None = None
        self._loading: PastReader | None = None
        self._loaded_at = 0.0
        self._steps = 0  # asked for, and not made yet
        self._is_stepping = False
        self._reading = Event()  # of the time line; set to cancel it
        self._is_reading = self._is_zooming = False
        self._read_again_at = 0.0

    # -- state

    @property
    def _target(self) -> int | None:
        """The instant that is listed, or will be as soon as it is loaded."""
        return self.at if self._loading is None else self._loading.at

    @property
    def state(self) -> str:
        """The state for the status bar, empty for the present."""
        at, form = self._target, self.browser.messages.times
        if at is None:
            return ""
        shown = times.to_datetime(at, form)
        is_today = shown.date() == times.to_datetime(now_ms(), form).date()
        words = f"{shown:%H:%M:%S}" if is_today else f"{shown:%Y-%m-%d %H:%M:%S}"
        words += f".{at % 1000:03}" if at % 1000 else ""
        return f"PAST {words}" + ("" if form == times.LOCAL_TIME else " UTC")

    def refusal(self) -> str:
        """Return why what changes something, or looks at the present, is refused; empty in the present."""
        back = self.browser.session.first_key("live")
        return f"the list shows the past, {self.state.removeprefix('PAST ')}; {back} goes back" if self.state else ""

    @property
    def as_it_was(self) -> str:
        """Words to follow the name of the queue that is listed, empty for the present."""
        return f" as it was at {self.state.removeprefix('PAST ')}" if self.state else ""

    # -- keys

    def step(self, by: int) -> None:
        """Go to just before an event. by: number of events, negative for earlier ones."""
        self._steps += by
        if not self._is_stepping:
            self._make_steps()

    def _make_steps(self) -> None:
        browser, q_name, target, by = self.browser, self.browser.messages.q_name, self._target, self._steps
        self._steps = 0
        if by > 0 and target is None:
            browser.say(_PRESENT)
        if not by or not q_name or (by > 0 and target is None):
            return
        at = now_ms() if target is None else target

        def found(value: Any) -> None:
            self._is_stepping = False
            if isinstance(value, Exception):
                browser.fail(value)
            elif value is not None:
                self.go_to(q_name, value)
            elif by > 0:
                self.live()
            else:
                self.go_to(q_name, max(0, (at if self._pane.line is None else self._pane.line.begin) - 1))
            self._make_steps()

        self._is_stepping = True
        browser.session.reader.ask(lambda db: step(db, q_name, at, by), found)

    def step_bar(self, by: int) -> None:
        line, target = self._pane.line, self._target
        if line is None or not self.browser.messages.q_name:
            self.step(by)
            return
        if by > 0 and target is None:
            self.browser.say(_PRESENT)
            return
        now = len(line.depths) if target is None else line.bar_of(target)
        bar = now + by
        if bar >= len(line.depths):
            self.live()
        else:
            self.go_to(line.q_name, line.instant_of(max(0, bar)))

    def point_at(self, bar: int) -> None:
        """Go to the end of an interval of the time line; to the present for the last one."""
        line = self._pane.line
        if line is not None and bar >= len(line.depths) - 1:
            self.live()
        elif line is not None:
            self.go_to(line.q_name, line.instant_of(bar + 1))

    def live(self) -> None:
        """Go back to the present, to the message under the cursor if it is still there."""
        if self._target is None:
            return
        browser, row, was_sorted = self.browser, self.browser.current, self.browser.message_list.order is not None
        self.leave()
        browser.open_queue(browser.messages.q_name, place=None if row is None or was_sorted else row.order_key)

    # -- the queue as it was

    def go_to(self, q_name: str, at: int, msg_id: bytes | None = None) -> None:
        """Show a queue as it was at an instant. msg_id: of a message to go to, None for the one under the cursor."""
        browser = self.browser
        if at >= now_ms():
            self.live()
            return
        if browser.messages.q_name != q_name:
            browser.open_queue(q_name)
        if self._loading is not None:
            self._loading.stop()
        from mqtools.tui.background.past_reader import PastReader  # here: the first rows do not wait for it

        row = browser.current
        wanted = msg_id or (None if row is None else row.md.msg_id)
        self._loading = PastReader(
            browser.session.path,
            q_name,
            at,
            browser.session.deliver,
            browser.session.file.check,
            msg_id=wanted,
            ready=lambda reader, pages, place: self._show(reader, pages, place, is_sought=msg_id is not None),
            failed=self._fail,
        )
        self._loading.start()
        self._draw()

    def _show(self, reader: PastReader, pages: QueuePages, place: int | None, *, is_sought: bool) -> None:
        browser, row = self.browser, self.browser.current
        before, self._reader, self._loading = self._reader, reader, None
        self.at, self._loaded_at = reader.at, monotonic()
        if before is not None:
            before.stop()
        if is_sought:
            browser.focus_pane("messages")
            if place is None:
                browser.say("the message was not there then")
        at_cursor = -1 if row is None else row.order_key
        browser.messages.range_from = None
        browser.detail.lines.needle = browser.messages.needle = ""
        browser.message_list.switch(reader, pages, at_cursor if place is None else place)
        self._draw()

    def _fail(self, error: Exception, earliest: str | None) -> None:
        """Show why the past cannot be listed; offer the earliest time that can."""
        loading, self._loading = self._loading, None
        if loading is None or earliest is None:
            self.browser.fail(error)
        else:
            at = parse_time(earliest, now_ms())
            question = f"{str(error).partition(';')[0]}.\nShow it at the earliest time, {earliest}?"
            self.browser.confirm(question, "Earliest", lambda: self.go_to(loading.q_name, at))
        self._draw()

    def leave(self) -> None:
        """Forget the past that is listed; another list replaces it."""
        for reader in (self._reader, self._loading):
            if reader is not None:
                reader.stop()
        self._reader = self._loading = self.at = None
        self.browser.message_list.reader = self.browser.session.reader
        self._steps = 0
        self._draw()

    def _draw(self) -> None:
        self._pane.at, self.browser.messages.at = self._target, self.at
        self._pane.refresh()
        self.browser.queues.show_past(is_past=self._target is not None)
        self.browser.show_status()

    # -- the time line

    def forget(self) -> None:
        """Leave the past and drop the time line: another queue is listed."""
        self.leave()
        self._reading.set()
        self._is_reading = False
        self._read_again_at = 0.0
        self._pane.show(None)

    def arrange(self) -> None:
        self._pane.fit()
        if self._pane.line is not None and len(self._pane.line.depths) != self._pane.bars:
            self._read_again_at = 0.0

    def zoom(self) -> None:
        """Show another length of time: 5 minutes, an hour, a day, or all."""
        if self._pane.line is None:
            self.browser.say("there is no time line here")
            return
        self._pane.zoom = _ZOOMS[(_ZOOMS.index(self._pane.zoom) + 1) % len(_ZOOMS)]
        self._reading.set()
        self._is_reading, self._read_again_at, self._is_zooming = False, 0.0, True
        self.renew()

    def renew(self) -> None:
        """Read the time line again, unless the past is listed, and refresh an old view of the past."""
        reader = self._reader
        if reader is not None and self._loading is None and monotonic() - self._loaded_at > _LONGEST_VIEW_S:
            self.go_to(reader.q_name, reader.at)
        is_frozen = self._target is not None and self._pane.line is not None and not self._is_zooming
        if is_frozen or self._is_reading or monotonic() < self._read_again_at:
            return
        q_name, session = self.browser.messages.q_name, self.browser.session
        if not q_name or self._pane.bars < 1:
            return
        cancelled = self._reading = Event()
        self._is_reading = True

        def look(value: Any) -> None:
            if cancelled.is_set():
                return
            if value is True:
                self._read(q_name, cancelled)
            else:
                self._take(None, 0)

        session.reader.ask(lambda db: has_journal(db, q_name), look)

    def _read(self, q_name: str, cancelled: Event) -> None:
        """Read the time line of a queue with a journal in a thread: it may take a moment."""
        session, number, zoom, began = self.browser.session, self._pane.bars, self._pane.zoom, monotonic()

        def read(db: Database) -> Iterator[TimeLine | None]:
            yield read_time_line(db, q_name, number, now_ms(), zoom)

        def show(value: Any) -> None:
            if not cancelled.is_set():
                self._take(None if isinstance(value, Exception) else value, monotonic() - began)

        read_in_thread(
            session.reader,
            read,
            progress=lambda _: None,
            answer=show,
            cancelled=cancelled,
        )

    def _take(self, line: TimeLine | None, took_s: float) -> None:
        """Show a time line that was read, unless the past has been entered since."""
        self._is_reading = False
        self._read_again_at = monotonic() + max(_LEAST_PAUSE_S, took_s * _PAUSE)
        if self._target is None or self._pane.line is None or self._is_zooming:
            self._is_zooming = False
            self._pane.show(line)
