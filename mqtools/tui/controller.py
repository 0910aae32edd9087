"""Base of the controllers, and what they need of the screen: the arrows point from the screen to its controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from textual.app import App
    from textual.containers import Vertical
    from textual.widgets import Static

    from mqtools.operations.message_view import Database
    from mqtools.operations.queue_search import Filter
    from mqtools.tui.detail_pane import DetailPane
    from mqtools.tui.dialogs import Dialog
    from mqtools.tui.keymap import Key
    from mqtools.tui.message_list import MessageList
    from mqtools.tui.messages_pane import MessagesPane
    from mqtools.tui.past import Past
    from mqtools.tui.queues_pane import QueuesPane
    from mqtools.tui.row import Row
    from mqtools.tui.session import Session


class BrowserScreen(Protocol):
    """The screen as its controllers see it: panes, notes, dialogs, and what is listed. ``Browser`` documents them."""

    session: Session
    queues: QueuesPane
    messages: MessagesPane
    detail: DetailPane
    right: Vertical
    message_list: MessageList
    job_line: Static
    past: Past
    pane: str
    is_paused: bool

    @property
    def app(self) -> App[Any]: ...
    @property
    def current(self) -> Row | None: ...

    def ask(
        self, question: Callable[[Database], Any], answer: Callable[[Any], None], *, is_live: bool = False
    ) -> None: ...
    def changed(self) -> None: ...
    def command(self, key: Key) -> Callable[..., Any]: ...
    def fail(self, error: Exception, action: str = "") -> None: ...
    def fit_queues(self) -> None: ...
    def focus_pane(self, name: str) -> None: ...
    def leave_for(self, q_mgr_name: str, q_name: str = "") -> None: ...
    def narrow(self, wanted: Filter | None) -> None: ...
    def open_queue(self, q_name: str, wanted: Filter | None = None, place: int | None = None) -> None: ...
    def press(self, id: str) -> None: ...
    def read(self, title: str, lines: list[str]) -> None: ...
    def say(self, text: str, severity: str = "information", hint: str = "") -> None: ...
    def select_queues(self, wanted: str, /) -> None: ...
    def set_timer(self, delay: float, callback: Callable[[], Any], /) -> Any: ...
    def show(self, dialog: Dialog[Any], answer: Callable[[Any], None] | None = None) -> None: ...
    def show_current(self) -> None: ...
    def show_needle(self) -> None: ...
    def show_status(self) -> None: ...
    def show_when_free(self, dialog: Dialog[Any], answer: Callable[[Any], None] | None = None) -> None: ...


class Controller:
    """Handles the keys of one subject. browser: the screen, whose panes it reads and changes."""

    def __init__(self, browser: BrowserScreen) -> None:
        self.browser = browser
