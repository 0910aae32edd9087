"""A filter that is applied while it is typed; escape gives back what was listed before."""

from __future__ import annotations

from typing import Any

from mqtools.errors import MQError
from mqtools.operations.views.queue_search import MessageFilter
from mqtools.tui.controllers.controller import BrowserScreen
from mqtools.tui.display.filter import parse_filter

#: Pause after a key before the filter is applied (seconds).
_PAUSE_S = 0.12
#: Answer of the prompt line for an empty line, which is not that of escape.
EVERYTHING = "\0"


class LiveFilter:
    """The filter of one queue, from the first key to enter or escape. Nothing in it waits for the file."""

    def __init__(self, browser: BrowserScreen) -> None:
        self._browser = browser
        self._q_name = browser.messages.q_name
        self._before = browser.message_list.keep()
        self._words = self._applied = self.first_words
        self._timer: Any = None

    @property
    def first_words(self) -> str:
        """The words of the filter that was there before; empty for none."""
        wanted = self._before.filter
        return "" if wanted is None else wanted.words

    def typed(self, line: str) -> None:
        """Apply a line soon; the search for the one before it stops at once."""
        words = line.strip()
        if words == self._words:
            return
        self._words = words
        self._stop_timer()
        if self._browser.message_list.is_searching:
            self._browser.message_list.cancel_search()
            self._applied = EVERYTHING  # its hits are not all
        self._timer = self._browser.set_timer(_PAUSE_S, self._apply)

    def check(self, line: str) -> str:
        """Return a line that is a filter. Raises ValueError, MQError."""
        parse_filter(line)
        return line

    def ended(self, answer: str) -> None:
        """Keep what is listed at enter, and put back what was there at escape."""
        self._stop_timer()
        if self._browser.messages.q_name != self._q_name:
            return
        if not answer:
            self._restore()
            return
        self._words = "" if answer == EVERYTHING else answer
        if self._words != self._applied or not self._browser.message_list.is_shown:
            self._browser.open_queue(self._q_name, self._parse())

    def _apply(self) -> None:
        if self._words == self._applied or self._browser.messages.q_name != self._q_name:
            return
        try:
            wanted = self._parse()
        except (MQError, ValueError):
            return  # not yet a filter: what is listed stays until it is one
        self._applied = self._words
        self._browser.message_list.open(self._q_name, wanted)  # the rows of before stay until there are hits
        self._browser.show_needle()

    def _parse(self) -> MessageFilter | None:
        return parse_filter(self._words) if self._words else None

    def _restore(self) -> None:
        if self._applied != self.first_words:
            self._browser.message_list.restore(self._before)
            self._browser.show_needle()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
