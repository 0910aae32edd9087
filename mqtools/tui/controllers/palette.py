"""The palette: actions, queues and queue managers in one list to be searched, what fits the context first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from mqtools.configuration import locate, remotes
from mqtools.formats.phrases import counted
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.dialogs.search import SearchDialog, SearchItem
from mqtools.tui.display.synonyms import SYNONYMS
from mqtools.tui.help import format_keys
from mqtools.tui.keymap import BY_ID, KEYS


@dataclass(eq=False)
class PaletteController(Controller):
    """The key that opens the palette, and what is chosen in it. search: looks for words on all queues."""

    search: Callable[[str], None]

    def show(self) -> None:
        """Show all that can be done and gone to; the queue managers as soon as they are known."""
        browser = self.browser
        entries = [*self._actions(), *self._queues()]
        last = None if browser.session.elsewhere is not None else self._search_item  # a mirror has one queue
        dialog = SearchDialog("What to do, or where to go", entries, last=last)

        def add(names: list[str]) -> None:
            others = [name for name in names if name not in (browser.session.q_mgr_name, browser.session.place)]
            dialog.add([SearchItem(partial(browser.tabs.open_tab, name), f"queue manager {name}") for name in others])

        browser.show(dialog, lambda act: act())
        browser.ask(lambda _: [*locate.list_names(), *sorted(remotes.read())], add, is_live=True)

    def _actions(self) -> Iterator[SearchItem]:
        """Yield the actions: those of the footer first, those that are disabled here last."""
        browser = self.browser
        ids = dict.fromkeys([*browser.keys_here(), *(key.id for key in KEYS)])
        enabled = {id: browser.check_action("press", (id,)) for id in ids}
        for id in sorted(ids, key=lambda id: not enabled[id]):
            key = BY_ID[id]
            if id != "palette" and not (key.writes and browser.session.read_only):
                yield SearchItem(
                    partial(browser.press, id),
                    key.words,
                    format_keys(browser.session.keys_of(id)),
                    f"{key.short} {SYNONYMS.get(id, '')}",
                )

    def _queues(self) -> Iterator[SearchItem]:
        for row in self.browser.queues.every:
            words = f"queue {row['name']} · {counted(row['depth'], 'message', in_groups=True)}"
            yield SearchItem(partial(self._open_queue, row["name"]), words, synonyms="open go browse")

    def _open_queue(self, name: str) -> None:
        self.browser.open_queue(name)
        self.browser.focus_pane("messages")

    def _search_item(self, typed: str) -> SearchItem:
        return SearchItem(partial(self.search, typed), f"search all queues for {typed}")
