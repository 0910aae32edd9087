"""Start without a queue manager: the list of queue managers of the home folder, and one that is created."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.app import App

from mqtools.admin import queue_managers
from mqtools.configuration import locate, read_only
from mqtools.tui import themes
from mqtools.tui.controllers.controller import check_at_once
from mqtools.tui.dialogs.search import SearchDialog, SearchItem
from mqtools.tui.dialogs.standard import InputDialog

_CREATE = "/"  # not a name


def choose_queue_manager(*, has_mouse: bool) -> str | None:
    """Ask in the terminal for a queue manager; return its name, None when that was cancelled."""
    return StartApp(themes.few_colours()).run(mouse=has_mouse)


class StartApp(App[str]):
    """Choice of a queue manager. Returns its name, None when it was cancelled."""

    CSS_PATH = Path(__file__).with_name("browser.tcss")
    TITLE = "mqx"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, number_of_colours: int | None = None) -> None:
        """number_of_colours: as for ``BrowserApp``."""
        super().__init__(ansi_color=None if number_of_colours is None else True)
        theme = themes.DARK if number_of_colours is None else themes.OF_TERMINAL[number_of_colours]
        self.register_theme(theme)
        self.theme = theme.name

    def on_mount(self) -> None:
        self._choose()

    def _choose(self) -> None:
        names = locate.list_names()
        entries = [SearchItem(name, name) for name in names]
        if not read_only.is_set(read_only.READ_ONLY):
            entries.append(SearchItem(_CREATE, "create a queue manager, with the queues for developers"))
        title = "Which queue manager?" if names else "There is no queue manager yet"
        self.push_screen(SearchDialog(title, entries), self._take)

    def _take(self, name: str | None) -> None:
        if name != _CREATE:
            self.exit(name)
            return
        dialog = InputDialog("Name of the new queue manager", value="" if locate.list_names() else "QM1")
        dialog.check = check_at_once(_create)
        self.push_screen(dialog, self._created)

    def _created(self, name: Any) -> None:
        if name:
            self.exit(name)
        else:
            self._choose()


def _create(name: str) -> str:
    """Create a queue manager; return its name. Raises MQError, OSError."""
    queue_managers.create(name, developer=True)
    return name
