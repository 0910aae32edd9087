"""Keys for movement: lines, pages, panes, tabs of a message, follow, pause, and the form of times."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mqtools.tui.controllers.controller import Controller
from mqtools.tui.controllers.layout import PANES
from mqtools.tui.display.tabs import STEP
from mqtools.tui.display.times import ALL
from mqtools.tui.panes.detail_pane import DetailPane
from mqtools.tui.state import TIMES

_FAR = 1_000_000_000


def no_hit(pane: DetailPane) -> str:
    """Return in words that a text was not found in a message, as far as it is read and laid out."""
    if pane.progress:
        return f"no hit yet: {pane.progress}"
    return f"no hit in {pane.part}" if pane.part else "no hit here"


class Movement(Controller):
    """Keys that change only what is displayed."""

    def move(self, by: int) -> None:
        """Move the cursor of the pane that has the focus."""
        browser = self.browser
        if browser.pane == "queues":
            browser.queues.move(by)
        elif browser.pane == "detail":
            browser.detail.lines.move(by)
        else:
            self.stop_following()
            browser.message_list.move(by)

    def page(self, by: int) -> None:
        browser = self.browser
        heights = {
            "queues": browser.queues.lines,
            "messages": browser.messages.window.height,
            "detail": browser.detail.lines.size.height,
        }
        self.move(by * max(1, heights[browser.pane] - 1))

    def go_first(self) -> None:
        if self.browser.pane == "messages":
            self.stop_following()
            self.browser.message_list.first()
        else:
            self.move(-_FAR)

    def go_last(self) -> None:
        if self.browser.pane == "messages":
            self.browser.message_list.last()
        else:
            self.move(_FAR)

    def change_pane(self, by: int, *, cycles: bool) -> None:
        """Go to another pane. cycles: behind the last is the first; else stop there."""
        place, last = PANES.index(self.browser.pane) + by, len(PANES) - 1
        self.browser.focus_pane(PANES[place % len(PANES) if cycles else max(0, min(last, place))])

    def open(self) -> None:
        """Open the queue or the message under the cursor; in a message fold or unfold."""
        browser = self.browser
        if browser.pane == "queues":
            row = browser.queues.current
            if row is not None:
                if row["name"] != browser.messages.q_name:
                    browser.open_queue(row["name"])
                browser.focus_pane("messages")
        elif browser.pane == "messages":
            browser.focus_pane("detail")
        else:
            self.fold(every=False)

    def go_back(self) -> None:
        """Go back one step. Marks stay: they may have taken long to find."""
        words, go = self._back()
        go()
        if not words:
            self.browser.say(f"nothing to go back to; {self.browser.session.first_key('quit')} quits")

    def words_for_back(self) -> str:
        """Return what ``go_back`` would do, for the footer; empty for nothing."""
        return self._back()[0]

    def _back(self) -> tuple[str, Callable[[], object]]:
        """Return the way back in words, and its call: from a message, range, search, order, filter, past, or list."""
        browser, listed = self.browser, self.browser.message_list
        if browser.pane == "detail":
            return "messages", partial(browser.focus_pane, "messages")
        if browser.pane == "queues":
            return "all queues" if browser.queues.wanted else "", partial(browser.queues.select, "")
        if browser.messages.range_from is not None:
            return "end range", self._end_range
        if listed.is_searching:
            return "stop search", self._stop_search
        if listed.order is not None:
            return "unsort", listed.deliver_order
        if listed.filter is not None:
            return "no filter", self._drop_filter
        return ("live", browser.past.live) if browser.past.state else ("queues", partial(browser.focus_pane, "queues"))

    def _end_range(self) -> None:
        self.browser.messages.range_from = None
        self.browser.show_status()

    def _stop_search(self) -> None:
        self.browser.message_list.cancel_search()
        self.browser.show_status()

    def _drop_filter(self) -> None:
        row, messages = self.browser.current, self.browser.messages
        place = self.browser.message_list.place_before if row is None else row.order_key
        self.browser.open_queue(messages.q_name, place=place)

    def show_tab(self, tab: int) -> None:
        """Show a tab of the message. tab: of ``detail``."""
        self.browser.detail.chosen = tab
        self.browser.show_current()

    def show_more(self) -> None:
        pane = self.browser.detail
        detail = pane.detail
        if detail is not None and detail.shown < detail.length:
            pane.limit = detail.shown + STEP
            self.browser.show_current()
        else:
            self.browser.say("all of the data is shown")

    def fold(self, *, every: bool) -> None:
        """Fold or unfold the element under the cursor, or all, from any pane."""
        lines = self.browser.detail.lines
        if not lines.is_tree:
            self.browser.say("nothing to fold here: tab 3 shows JSON, 4 XML, 6 headers")
        elif every:
            lines.toggle_all()
        else:
            lines.toggle_fold()

    def go_to_hit(self, by: int) -> None:
        if not self.browser.detail.lines.go_to_hit(by):
            self.browser.say(f"{no_hit(self.browser.detail)}; {self.browser.session.first_key('filter')} searches")

    def toggle_follow(self) -> None:
        message_list = self.browser.message_list
        message_list.follows = not message_list.follows
        if message_list.follows:
            message_list.last()
        self.browser.show_status()

    def stop_following(self) -> None:
        if self.browser.message_list.follows:
            self.browser.message_list.follows = False
            self.browser.show_status()

    def change_times(self) -> None:
        pane = self.browser.messages
        pane.times = ALL[(ALL.index(pane.times) + 1) % len(ALL)]
        pane.draw()
        self.browser.session.remember(TIMES, pane.times)

    def toggle_pause(self) -> None:
        self.browser.is_paused = not self.browser.is_paused
        self.browser.show_status()
        self.browser.changed()
