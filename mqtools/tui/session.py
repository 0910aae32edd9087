"""One session of the browser: queue manager, queue, the threads that work for it, and what it remembers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from queue import Empty, Queue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import App

from mqtools.configuration import protection, settings
from mqtools.operations.views.message_view import open_database, queue_manager_name
from mqtools.operations.views.queue_search import MessageFilter
from mqtools.tui import keymap
from mqtools.tui.background.file_identity import FileIdentity
from mqtools.tui.background.reader import Reader
from mqtools.tui.help import format_keys
from mqtools.tui.state import FILTERS, read_state, write_state

if TYPE_CHECKING:
    from mqtools.tui.background.mirror_thread import MirrorThread
    from mqtools.tui.background.writer import SessionWriter

#: Time for which keys are dropped (seconds).
_DROP_KEYS_S = 0.3
#: Longest time that the first drawing waits for what it shows (seconds).
_FIRST_S = 0.1


class BrowserSession:
    """One session: queue manager, optional queue, and the threads that read and write its file.

    keys: ids to keys where they are not the default.  program: command line that starts mqx, for actions that need the
    terminal.  notifies: whether new dead letters are announced.  drop_keys_until: keys that were typed before that are
    dropped, by ``time.monotonic``.  elsewhere: keeps the file up to date as the mirror of a queue manager elsewhere;
    None for one of ours.  place: for -m.  title: names the queue manager.
    """

    def __init__(
        self,
        path: str,
        q_name: str = "",
        *,
        read_only: bool = False,
        wanted: MessageFilter | None = None,
        elsewhere: MirrorThread | None = None,
    ) -> None:
        self.path = path
        self.elsewhere = elsewhere
        self.place = path if elsewhere is None else elsewhere.name
        self.q_name = q_name
        self.read_only = read_only
        self.filter = wanted
        self.notifies = settings.value_of(settings.TUI_NOTIFY) != settings.OFF
        self.keys: dict[str, str] = {}
        self.program: list[str] = []
        self.drop_keys_until = 0.0
        self.state = read_state()
        self._app: App[Any] | None = None
        self._changed: Callable[[], None]
        self._failed: Callable[[Exception], None]
        self._delivered: Queue[Callable[[], None]] = Queue()
        self._is_shown = False  # until then what is delivered waits
        self.file = FileIdentity(path)
        db = open_database(path, read_only=True)
        self.q_mgr_name = queue_manager_name(db)
        db.close()
        is_named_so = elsewhere is None or elsewhere.name == self.q_mgr_name
        self.title = self.q_mgr_name if is_named_so else f"{self.q_mgr_name} at {self.place}"
        self.reader = Reader(path, self.deliver, lambda: self._changed(), self.file)
        self._writer: SessionWriter | None = None
        self._watched = q_name
        self._is_whole = False  # whether what only keys need is imported

    def of_another(self, path: str, q_name: str) -> BrowserSession:
        """Return a session of another queue manager, with the settings of this one. Raises MQError."""
        other = BrowserSession(path, q_name, read_only=not protection.allows_changes(path))
        other.keys, other.program, other.state = self.keys, self.program, self.state
        return other

    def begin(self, app: App[Any], *, changed: Callable[[], None], failed: Callable[[Exception], None]) -> None:
        """Start the threads.

        app: runs the calls that the threads deliver.  changed: called there when the file may have changed.
        failed: takes the error when what is remembered cannot be written.
        """
        self._app, self._changed, self._failed = app, changed, failed
        self.reader.start()
        if self.elsewhere is not None:
            self.elsewhere.start(self.deliver, failed)

    def import_the_rest(self) -> None:
        """Import in a thread, once, what the first key would wait for; then start the writer."""
        if self._is_whole:
            return
        self._is_whole = True

        def run() -> None:
            import_module("mqtools.tui.controllers.by_key")
            self.deliver(self._start_writer)

        Thread(target=run, name="mqx-import", daemon=True).start()

    def _start_writer(self) -> None:
        _ = self.writer

    @property
    def writer(self) -> SessionWriter | None:
        """The thread that writes, started when it is first asked for; None in a read-only session."""
        if self._writer is None and self._app is not None and not self.read_only:
            from mqtools.tui.background.writer import SessionWriter  # here: the first rows do not wait for it

            self._writer = SessionWriter(self.path, self.deliver, self.file, self.elsewhere)
            self._writer.watched = self._watched
            self._writer.start()
        return self._writer

    def end(self) -> None:
        self._app = None
        if self.elsewhere is not None:
            self.elsewhere.stop()
        self.reader.stop()
        if self._writer is not None:
            self._writer.stop()

    def deliver(self, call: Callable[[], None]) -> None:
        """Run a call in the thread that draws; drop it when the application has ended."""
        app = self._app
        if app is not None and app.is_running:
            self._delivered.put(call)
            app.post_message(events.Callback(callback=self._take))

    def show(self, number: int) -> None:
        """Run what was delivered while the screen was built. number: of the answers that it is worth waiting for."""
        self._is_shown, until = True, monotonic() + _FIRST_S
        for _ in range(number):
            self._take(max(0.0, until - monotonic()))
        while not self._delivered.empty():
            self._take()

    def _take(self, timeout_s: float = 0.0) -> None:
        """Run the next call that is delivered, within a time."""
        if not self._is_shown:
            return
        try:
            call = self._delivered.get(timeout_s > 0, timeout_s)
        except Empty:
            return
        if self._app is not None and self._app.is_running:  # it may have begun to end since
            call()

    def remember(self, name: str, value: str) -> None:
        """Save a setting for the next session. name: of ``state``."""
        if self.state[name] == value and name != FILTERS:
            return
        self.state[name] = value

        def remembered(answer: Any) -> None:
            if isinstance(answer, Exception):
                self._failed(answer)

        self.reader.ask(lambda _: write_state({name: value}), remembered)

    def keys_of(self, id: str) -> str:
        """Return the configured keys of a keymap entry."""
        return self.keys.get(id, keymap.BY_ID[id].keys)

    def first_key(self, id: str) -> str:
        """Return the first configured key of a keymap entry by its name for display."""
        return format_keys(self.keys_of(id).split(",")[0])

    def drop_keys(self) -> None:
        """Drop keys for a moment: a dialog for which they were typed has closed without a key."""
        self.drop_keys_until = monotonic() + _DROP_KEYS_S

    def watch(self, q_name: str) -> None:
        """Let the threads read the holders of a queue's messages, or the changes of a queue elsewhere."""
        self._watched = q_name
        if self.elsewhere is not None:
            self.elsewhere.watch(q_name)
        if self._writer is not None:
            self._writer.watched = q_name
