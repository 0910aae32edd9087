"""The application: its threads, its signals, its end."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from pathlib import Path

from textual import events
from textual.app import App, SystemCommand
from textual.screen import Screen

from mqtools.store import queues
from mqtools.store.database import open_database
from mqtools.tui import keymap
from mqtools.tui.actions import Actions
from mqtools.tui.filter import Filter
from mqtools.tui.help import key_words
from mqtools.tui.keeper import Keeper
from mqtools.tui.reader import Reader
from mqtools.tui.state import THEME, read_state, write_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

#: Signals that end the browser, with the status that they end it with.
_ENDINGS = {signal.SIGTERM: 143, signal.SIGHUP: 143, signal.SIGINT: 130}


class Session:
    """What one browser is about: a queue manager, perhaps a queue, and the threads that deal with it.

    keys: ids to keys where they are not the default.  program: words that start mqx, for what needs the terminal.
    """

    def __init__(self, path: str, q_name: str = "", *, read_only: bool = False, wanted: Filter | None = None) -> None:
        self.path = path
        self.q_name = q_name
        self.read_only = read_only
        self.filter = wanted
        self.keys: dict[str, str] = {}
        self.program: list[str] = []
        self.state = read_state()
        self._app: Browsing | None = None
        db = open_database(path, read_only=True)
        self.q_mgr_name = queues.qmgr(db).name
        db.close()
        self.reader = Reader(path, self.deliver, self._changed)
        self.keeper = None if read_only else Keeper(path, self.deliver)

    def begin(self, app: Browsing) -> None:
        """Start the threads; what they find is delivered to the application."""
        self._app = app
        self.reader.start()
        if self.keeper is not None:
            self.keeper.start()

    def end(self) -> None:
        """Let go of everything and stop the threads."""
        self._app = None
        self.reader.stop()
        if self.keeper is not None:
            self.keeper.stop()

    def deliver(self, call: Callable[[], None]) -> None:
        """Hand a call over to the thread that draws; dropped when it has ended."""
        app = self._app
        if app is not None and app.is_running:
            app.post_message(events.Callback(callback=partial(self._take, call)))

    def _take(self, call: Callable[[], None]) -> None:
        if self._app is not None and self._app.is_running:  # it may have begun to end since
            call()

    def _changed(self) -> None:
        if self._app is not None:
            self._app.browser.changed()

    def remember(self, name: str, value: str) -> None:
        """Have something remembered for the next time. name: of ``state``."""
        if self.state[name] == value:
            return
        self.state[name] = value
        state = dict(self.state)

        def remembered(answer: Any) -> None:
            if isinstance(answer, Exception) and self._app is not None:
                self._app.browser.fail(answer)

        self.reader.ask(lambda _: write_state(state), remembered)

    def watch(self, q_name: str) -> None:
        """Let the keeper look whether somebody has died who holds messages of a queue."""
        if self.keeper is not None:
            self.keeper.watched = q_name


class Browsing(App[None]):
    """The browser over one queue manager."""

    CSS_PATH = Path(__file__).with_name("browser.tcss")
    TITLE = "mqx"
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.browser = Actions(session)
        self.crash: Exception | None = None

    def on_mount(self) -> None:
        """Begin."""
        self.session.keys, wrong = keymap.configured()
        self.set_keymap(self.session.keys)
        if self.session.state[THEME] in self.available_themes:
            self.theme = self.session.state[THEME]
        self.theme_changed_signal.subscribe(self, lambda theme: self.session.remember(THEME, theme.name))
        self._heed_signals()
        self.session.begin(self)
        self.push_screen(self.browser)
        for text in wrong:
            self.notify(text, severity="warning", markup=False)

    def _heed_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number, status in _ENDINGS.items():
            try:
                loop.add_signal_handler(number, partial(self.exit, return_code=status))
            except (RuntimeError, ValueError):
                return  # not the main thread, as in tests

    def on_unmount(self) -> None:
        """Let go of everything."""
        self.session.end()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer every key of the browser by its words."""
        if screen is self.browser:
            for key in keymap.KEYS:
                if key.id != "palette" and not (self.session.read_only and key.writes):
                    yield SystemCommand(key.words, self._key_of(key), partial(self._do, key.action))

    def _key_of(self, key: keymap.Key) -> str:
        return f"key {key_words(self.session.keys.get(key.id, key.keys))}"

    async def _do(self, action: str) -> None:
        await self.run_action(action, self.browser)

    def _handle_exception(self, error: Exception) -> None:
        """Keep an error for who started us: a traceback here would print what messages hold."""
        self.crash = self.crash or error
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        self._exit_renderables.clear()
