"""Key for the search of all queues."""

from __future__ import annotations

from functools import partial
from threading import Event
from typing import Any

from mqtools.operations.views.queue_search import MessageFilter
from mqtools.tui.background.queues_search import FoundMessage, search_queues
from mqtools.tui.background.reader import read_in_thread
from mqtools.tui.controllers.controller import BrowserScreen, Controller, check_at_once
from mqtools.tui.dialogs.prompt_line import PromptLine
from mqtools.tui.dialogs.queues_search import QueuesSearchDialog
from mqtools.tui.display.filter import parse_filter


class QueuesSearch(Controller):
    """Asks for words, searches all queues for them, and goes to the message that is chosen."""

    def __init__(self, browser: BrowserScreen) -> None:
        super().__init__(browser)
        self._lines: list[str] = []

    def ask(self) -> None:
        line = PromptLine("Search all queues:", self._lines, hint="text, selector, hex BYTES")
        self.browser.show(line, self._search, check_at_once(parse_filter))

    def search_for(self, words: str) -> None:
        """Search for a text. words: as they were typed elsewhere."""
        self._search(parse_filter(f"text {words}"))

    def _search(self, wanted: Any) -> None:
        if not isinstance(wanted, MessageFilter):
            return  # an empty line, or escape
        browser = self.browser
        begin = partial(self._begin, wanted, names := self._names())
        words = wanted.text or wanted.words
        dialog = QueuesSearchDialog(words, begin, len(names), wanted.needle, browser.messages.times)
        browser.show(dialog, self._go_to)

    def _names(self) -> list[str]:
        """Return the queues with messages: that which is listed first, those of the system last."""
        first = self.browser.messages.q_name
        names = [row["name"] for row in self.browser.queues.every if row["depth"] or row["uncommitted"]]
        return sorted(names, key=lambda name: (name != first, name.startswith("SYSTEM."), name))

    def _begin(self, wanted: MessageFilter, names: list[str], progress: Any, answer: Any, cancelled: Event) -> None:
        read_in_thread(
            self.browser.session.reader,
            lambda db: search_queues(db, names, wanted, cancelled.is_set),
            progress=progress,
            answer=answer,
            cancelled=cancelled,
        )

    def _go_to(self, hit: FoundMessage) -> None:
        self.browser.open_queue(hit.q_name, place=hit.row.order_key)
        self.browser.focus_pane("messages")
