"""Base of the controllers, and what they need of the screen: the arrows point from the screen to its controllers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from mqtools.operations.views.message_view import Database
from mqtools.operations.views.queue_search import MessageFilter
from mqtools.tui.background.reader import value_or_error
from mqtools.tui.controllers.message_list import MessageList
from mqtools.tui.display.row import Row

if TYPE_CHECKING:
    from textual.app import App
    from textual.containers import Vertical

    from mqtools.tui.background.jobs import Jobs
    from mqtools.tui.dialogs.standard import Check, ConfirmDialog, Dialog
    from mqtools.tui.panes.changed_lines import NoteLine
    from mqtools.tui.panes.detail_pane import DetailPane
    from mqtools.tui.panes.messages_pane import MessagesPane
    from mqtools.tui.panes.queues_pane import QueuesPane
    from mqtools.tui.session import BrowserSession


class ListedPast(Protocol):
    """The past of the queue that is listed, as other controllers see it. ``Past`` documents it."""

    @property
    def state(self) -> str: ...
    @property
    def as_it_was(self) -> str: ...

    def arrange(self) -> None: ...
    def go_to(self, q_name: str, at: int, msg_id: bytes | None = None) -> None: ...
    def live(self) -> None: ...
    def refusal(self) -> str: ...


class Tabs(Protocol):
    """The tabs of the application. ``BrowserApp`` documents them."""

    @property
    def tabs(self) -> Mapping[str, BrowserScreen]: ...

    def open_tab(self, q_mgr_name: str, q_name: str = "") -> None: ...
    def step_tab(self, by: int) -> None: ...
    def close_tab(self) -> None: ...


class BrowserScreen(Protocol):
    """The screen as its controllers see it: panes, notes, dialogs, and what is listed. ``Browser`` documents them."""

    session: BrowserSession
    queues: QueuesPane
    messages: MessagesPane
    detail: DetailPane
    right: Vertical
    message_list: MessageList
    job_line: NoteLine
    pane: str
    is_behind: bool
    is_paused: bool

    @property
    def past(self) -> ListedPast: ...
    @property
    def app(self) -> App[Any]: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def tabs(self) -> Tabs: ...
    @property
    def current(self) -> Row | None: ...

    def act(self, id: str) -> None: ...
    def ask(
        self, question: Callable[[Database], Any], answer: Callable[[Any], None], *, is_live: bool = False
    ) -> None: ...
    def changed(self) -> None: ...
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None: ...
    def confirm(
        self, question: str, yes: str, act: Callable[[], object], *, is_loss: bool = False
    ) -> ConfirmDialog: ...
    def fail(self, error: Exception, action: str = "") -> None: ...
    def fit_panes(self) -> None: ...
    def focus_pane(self, name: str) -> None: ...
    def keys_here(self) -> list[str]: ...
    def open_queue(self, q_name: str, wanted: MessageFilter | None = None, place: int | None = None) -> None: ...
    def press(self, id: str) -> None: ...
    def say(self, text: str, severity: str = "information", hint: str = "") -> None: ...
    def set_timer(self, delay: float, callback: Callable[[], Any], /) -> Any: ...
    def show(
        self,
        dialog: Dialog[Any],
        answer: Callable[[Any], object] | None = None,
        check: Check | None = None,
        *,
        waits: bool = False,
    ) -> None: ...
    def show_current(self) -> None: ...
    def show_needle(self) -> None: ...
    def show_status(self) -> None: ...


def check_at_once(parse: Callable[[Any], Any]) -> Check:
    """Return a check of a dialog. parse: returns the answer. Raises MQError, OSError, ValueError: refused."""
    return lambda entry, take: take(value_or_error(partial(parse, entry)))


@dataclass(eq=False)
class Controller:
    """Handles the keys of one subject. browser: the screen, whose panes it reads and changes."""

    browser: BrowserScreen
