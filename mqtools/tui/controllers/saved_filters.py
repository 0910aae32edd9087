"""Key for filters with a name: save the present one, choose one again, forget one."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from mqtools.formats.jsontext import dumps
from mqtools.tui.controllers.controller import Controller, check_at_once
from mqtools.tui.dialogs.search import SearchDialog, SearchItem
from mqtools.tui.dialogs.standard import InputDialog
from mqtools.tui.display.filter import parse_filter
from mqtools.tui.state import FILTERS, read_state


class SavedFilters(Controller):
    """The filters that are saved under names, in the state file of the browser."""

    def choose(self) -> None:
        """Show the saved filters; apply or forget one, or save the present one."""
        browser = self.browser
        wanted = browser.message_list.filter

        def show(saved: dict[str, str]) -> None:
            entries = (
                [] if wanted is None else [SearchItem(self._ask_for_name, f"save the present filter: {wanted.words}")]
            )
            for name, words in saved.items():
                entries.append(SearchItem(partial(check_at_once(parse_filter), words, self._apply), words, name))
            entries += [SearchItem(partial(self._forget, name), f"forget {name}") for name in saved]
            if not entries:
                browser.say(f"no filter is saved: filter with {browser.session.first_key('filter')}, then save it here")
            else:
                browser.show(SearchDialog("Saved filters", entries), lambda act: act())

        self._read(show)

    def _ask_for_name(self) -> None:
        self.browser.show(InputDialog("Name of this filter"), self._save)

    def _forget(self, name: str) -> None:
        self._read(lambda saved: self._write({one: saved[one] for one in saved if one != name}, f"forgot {name}"))

    def _apply(self, value: Any) -> None:
        if isinstance(value, Exception):
            self.browser.fail(value)
        else:
            self.browser.open_queue(self.browser.messages.q_name, value)
            self.browser.focus_pane("messages")

    def _save(self, name: str) -> None:
        wanted = self.browser.message_list.filter
        if wanted is not None:
            self._read(lambda saved: self._write({**saved, name: wanted.words}, f"saved as {name}"))

    def _read(self, take: Callable[[dict[str, str]], None]) -> None:
        """Read the saved filters from the file: another session may have saved some."""
        self.browser.ask(lambda _: json.loads(read_state()[FILTERS]), take, is_live=True)

    def _write(self, saved: dict[str, str], words: str) -> None:
        self.browser.session.remember(FILTERS, dumps(saved))
        self.browser.say(words)
