"""The queues: read through the reader thread with the health of the queue manager, sorted, previewed."""

from __future__ import annotations

from time import monotonic
from typing import Any

from mqtools.formats.units import human_age
from mqtools.operations.views.message_view import Database
from mqtools.operations.views.queue_overview import overview
from mqtools.operations.views.queue_pages import arrival_numbers
from mqtools.tui.controllers.controller import BrowserScreen, Controller
from mqtools.tui.display.outcome import format_count
from mqtools.tui.health import FILE_GONE, LOST, explain_gone, read_health
from mqtools.tui.panes.status_bar import LIVE, STALE

#: Time that the cursor stays on a queue before it is previewed (seconds).
_PREVIEW_S = 0.15
#: Age of the last read that makes the display stale (seconds).
_STALE_S = 3.0


class QueueList(Controller):
    """Keeps the queues pane up to date. health: of the queue manager, as ``read_health`` returns it."""

    def __init__(self, browser: BrowserScreen) -> None:
        super().__init__(browser)
        self.health = ""
        self._is_reading = False
        self._dead_letters: int | None = None  # None before the first read
        self._read_at = monotonic()

    def read(self) -> None:
        if not self._is_reading:
            self._is_reading = True
            self.browser.session.reader.ask(self._read, self._show)

    @property
    def freshness(self) -> str:
        """The state of the display for the status bar: live, or stale with the age of the last read."""
        age_s = monotonic() - self._read_at
        return f"{STALE} {human_age(age_s)}" if age_s > _STALE_S else LIVE

    def show_age(self) -> None:
        """Show how old the display is, while it is stale."""
        if self.freshness != LIVE:
            self.browser.show_status()

    def _read(self, db: Database) -> tuple[str, list[dict[str, Any]], dict[str, int]]:
        """Read the state of the queue manager and its queues; runs in the reader's thread."""
        elsewhere = self.browser.session.elsewhere
        if elsewhere is not None:
            return (LOST if elsewhere.is_lost else ""), elsewhere.rows, {}
        health = read_health(db, self.browser.session.file)
        return (health, [], {}) if health == FILE_GONE else (health, overview(db), arrival_numbers(db))

    def _show(self, value: Any) -> None:
        self._is_reading = False
        browser = self.browser
        if isinstance(value, Exception):
            browser.fail(value)
            return
        health, rows, arrivals = value
        if rows:
            self._announce_dead_letters(rows)
        if browser.is_behind:
            return
        self._read_at = monotonic()
        if health != self.health:
            self.health = health
            if health:
                about = explain_gone(browser.session) if health == FILE_GONE else ""
                browser.say(f"{browser.session.q_mgr_name}: {health}", "error", about)
        if health != FILE_GONE and not (browser.is_paused and browser.queues.every):
            is_first = not browser.queues.every
            browser.queues.show(rows, arrivals)
            browser.fit_panes()
            if browser.messages.q_name and browser.pane != "queues":
                browser.queues.point_at(browser.messages.q_name)
            elif is_first:
                self.preview()
        browser.show_status()

    def _announce_dead_letters(self, rows: list[dict[str, Any]]) -> None:
        """Ring the bell when there are more dead letters than at the last read, where the setting asks for it."""
        names = [row["name"] for row in rows if row["is_dead_letter"]]
        number, before = sum(row["depth"] for row in rows if row["is_dead_letter"]), self._dead_letters
        self._dead_letters = number
        if before is not None and number > before and self.browser.session.notifies:
            self.browser.app.bell()
            self.browser.say(f"{format_count(number - before, 'new dead letter')} on {', '.join(names)}", "warning")

    # -- preview

    def preview_soon(self) -> None:
        """List the queue under the cursor when the cursor has stayed there for a moment."""
        row = self.browser.queues.current
        if row is not None:
            name = row["name"]
            self.browser.set_timer(_PREVIEW_S, lambda: self._preview_if_still(name))

    def _preview_if_still(self, name: str) -> None:
        row = self.browser.queues.current
        if row is not None and row["name"] == name:
            self.preview()

    def preview(self) -> None:
        """List the queue under the cursor, as long as the queues have the focus."""
        browser, row = self.browser, self.browser.queues.current
        if row is not None and browser.pane == "queues" and row["name"] != browser.messages.q_name:
            browser.open_queue(row["name"])
