"""The palette: actions, queues and queue managers in one list to be searched, what fits the context first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mqtools.configuration import locate, remotes
from mqtools.formats.phrases import counted
from mqtools.tui.controllers.controller import BrowserScreen, Controller
from mqtools.tui.dialogs.search import SearchDialog, SearchItem
from mqtools.tui.display.synonyms import SYNONYMS
from mqtools.tui.keymap import BY_ID, KEYS

#: Kinds of the answers that are not ids of the keymap: each is in front of a name, the last one of words.
_QUEUE, _Q_MGR, _SEARCH = "queue ", "queue manager ", "search all queues for "


class PaletteController(Controller):
    """The key that opens the palette, and what is chosen in it.

    open_queue_manager: goes to a queue manager by its name.  search: looks for words on all queues.
    """

    def __init__(
        self, browser: BrowserScreen, open_queue_manager: Callable[[str], None], search: Callable[[str], None]
    ) -> None:
        super().__init__(browser)
        self._open_queue_manager = open_queue_manager
        self._search = search

    def show(self) -> None:
        """Show all that can be done and gone to; the queue managers as soon as they are known."""
        browser = self.browser
        entries = [*self._actions(), *self._queues()]
        last = None if browser.session.elsewhere is not None else _search_item  # a mirror has one queue
        dialog = SearchDialog("What to do, or where to go", entries, last=last)

        def add(names: list[str]) -> None:
            others = [name for name in names if name not in (browser.session.q_mgr_name, browser.session.place)]
            dialog.add([SearchItem(_Q_MGR + name, _Q_MGR + name) for name in others])

        browser.show(dialog, self._take)
        browser.ask(lambda _: [*locate.list_names(), *sorted(remotes.read())], add, is_live=True)

    def _actions(self) -> Iterator[SearchItem]:
        """Yield the actions: those of the footer first, those that are disabled here last."""
        browser = self.browser
        ids = dict.fromkeys([*browser.keys_here(), *(key.id for key in KEYS)])
        enabled = {id: browser.check_action("press", (id,)) for id in ids}
        for id in sorted(ids, key=lambda id: not enabled[id]):
            key = BY_ID[id]
            if id != "palette" and not (key.writes and browser.session.read_only):
                yield SearchItem(id, key.words, browser.session.shown_keys(id), f"{key.short} {SYNONYMS.get(id, '')}")

    def _queues(self) -> Iterator[SearchItem]:
        for row in self.browser.queues.every:
            depth = counted(row["depth"], "message", in_groups=True)
            yield SearchItem(_QUEUE + row["name"], f"{_QUEUE}{row['name']} · {depth}", synonyms="open go browse")

    def _take(self, answer: str) -> None:
        if answer.startswith(_Q_MGR):
            self._open_queue_manager(answer.removeprefix(_Q_MGR))
        elif answer.startswith(_SEARCH):
            self._search(answer.removeprefix(_SEARCH))
        elif answer.startswith(_QUEUE):
            self.browser.open_queue(answer.removeprefix(_QUEUE))
            self.browser.focus_pane("messages")
        else:
            self.browser.press(answer)


def _search_item(typed: str) -> SearchItem:
    return SearchItem(_SEARCH + typed, _SEARCH + typed)
