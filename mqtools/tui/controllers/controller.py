"""Base of the browser's screen, and of its controllers: the arrows point from the screen to its controllers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual.containers import Vertical
from textual.screen import Screen

from mqtools.formats.terminal import visible
from mqtools.operations.views.message_view import Database
from mqtools.operations.views.queue_search import MessageFilter
from mqtools.tui.background.jobs import Jobs
from mqtools.tui.background.reader import value_or_error
from mqtools.tui.controllers.message_list import MessageList
from mqtools.tui.display.row import Row
from mqtools.tui.panes.changed_lines import NoteLine
from mqtools.tui.panes.detail_pane import DetailPane
from mqtools.tui.panes.messages_pane import MessagesPane
from mqtools.tui.panes.queues_pane import QueuesPane
from mqtools.tui.session import BrowserSession
from mqtools.tui.state import COLUMNS, TIMES

if TYPE_CHECKING:
    from mqtools.tui.dialogs.standard import Check, ConfirmDialog, Dialog


#: Time that a notification is shown (seconds).
_SHOWN_S = 8


class ListedPast(Protocol):
    """The past of the queue that is listed, as other controllers see it. ``PastController`` documents it."""

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


class BrowserScreen(Screen[None]):
    """The screen as its controllers see it: panes, dialogs, notes, and what is listed. ``Browser`` has the rest.

    pane: name of the one with the focus.  right: holds the messages and the detail.  is_behind: something has changed
    that is not shown yet, because another tab is in front.
    """

    past: ListedPast

    def __init__(self, session: BrowserSession) -> None:
        super().__init__()
        self.session = session
        self.queues = QueuesPane()
        self.messages = MessagesPane()
        self.messages.times = session.state[TIMES]
        self.messages.columns = session.state[COLUMNS].split(",")
        self.detail = DetailPane(session.first_key)
        self.is_paused = False
        self.pane = "queues"
        self.right = Vertical(id="right")
        self.job_line, self.jobs = NoteLine("job"), Jobs()
        self.is_behind = False
        self._later: list[tuple[Dialog[Any], Callable[[Any], object] | None]] = []
        self._said, self._said_until = "", 0.0  # the last notification, and when it ends by ``time.monotonic``
        self._told: list[tuple[str, str]] = []  # notifications in the border of a dialog, with their severity
        self.message_list = MessageList(
            session.reader, self.messages, moved=self.show_current, failed=self.fail, closed=self.close_queue
        )

    @property
    def tabs(self) -> Tabs:
        return cast("Tabs", self.app)

    @property
    def is_in_front(self) -> bool:
        """Whether it is the screen of the tab in front, maybe under a dialog."""
        return self in self.app.screen_stack

    @property
    def current(self) -> Row | None:
        return self.messages.window.current

    # -- of the whole screen

    @abstractmethod
    def act(self, id: str) -> None: ...
    @abstractmethod
    def changed(self) -> None: ...
    @abstractmethod
    def close_queue(self) -> None: ...
    @abstractmethod
    def fit_panes(self) -> None: ...
    @abstractmethod
    def focus_pane(self, name: str) -> None: ...
    @abstractmethod
    def keys_here(self) -> list[str]: ...
    @abstractmethod
    def open_queue(self, q_name: str, wanted: MessageFilter | None = None, place: int | None = None) -> None: ...
    @abstractmethod
    def press(self, id: str) -> None: ...
    @abstractmethod
    def show_current(self) -> None: ...
    @abstractmethod
    def show_status(self) -> None: ...

    # -- dialogs and notes

    def show(
        self,
        dialog: Dialog[Any],
        answer: Callable[[Any], object] | None = None,
        check: Check | None = None,
        *,
        waits: bool = False,
    ) -> None:
        """Open a dialog, in another tab when that is in front again.

        answer: takes its result, unless it was cancelled.  check: of what is entered.  waits: until no other is open.
        """

        def take(value: Any) -> None:
            if answer is not None and value is not None:
                answer(value)

        dialog.check, dialog.closed_late = check or dialog.check, self.session.drop_keys
        if not self.is_in_front or (waits and self.app.screen is not self):
            self._later.append((dialog, answer))
            return
        if dialog.box:
            self.app.clear_notifications()  # they would hide a part of it
            dialog.told = self._said if monotonic() < self._said_until else ""
        self.app.push_screen(dialog, take)

    def confirm(self, question: str, yes: str, act: Callable[[], object], *, is_loss: bool = False) -> ConfirmDialog:
        """Ask for confirmation, then act. yes: what the button says.  is_loss: messages are lost."""
        from mqtools.tui.dialogs.standard import ConfirmDialog

        dialog = ConfirmDialog(question, yes, is_loss=is_loss)
        self.show(dialog, lambda _: act())
        return dialog

    def on_screen_resume(self) -> None:
        """Open a dialog that waited for another one to be closed; read what has changed behind another tab."""
        if self.is_behind:
            self.is_behind = False
            self.changed()
        if self._later:
            self.show(*self._later.pop(0))
            return
        told, self._told = self._told, []
        for text, severity in told:
            self.say(text, severity)

    def fail(self, error: Exception, action: str = "") -> None:
        """Show an error. action: what failed."""
        self.say(f"{action}: {error}" if action else str(error), "error", getattr(error, "hint", None) or "")

    def say(self, text: str, severity: str = "information", hint: str = "") -> None:
        """Show a notification for some seconds; with a dialog open in its border, and again when it has closed."""
        text, screen = text + (f" ({hint})" if hint else ""), self.app.screen
        shown = visible(text, "\n")
        if not self.is_in_front:
            shown = f"{self.session.q_mgr_name}: {shown}"
        elif screen is not self and cast("Dialog[Any]", screen).tell(shown):
            self._told.append((text, severity))
            return
        if shown == self._said:
            self.app.clear_notifications()  # a repeated one replaces the one before
        self._said, self._said_until = shown, monotonic() + _SHOWN_S
        self.notify(shown, severity=severity, markup=False, timeout=_SHOWN_S)  # type: ignore[arg-type]

    def ask(self, question: Callable[[Database], Any], answer: Callable[[Any], None], *, is_live: bool = False) -> None:
        """Run a query on what is listed, or on the present. answer: takes the value; an error is shown instead."""
        reader = self.session.reader if is_live else self.message_list.reader
        reader.ask(question, lambda v: self.fail(v) if isinstance(v, Exception) else answer(v))

    def show_needle(self) -> None:
        """Highlight the text that the list is filtered by."""
        wanted = self.message_list.filter
        self.detail.lines.needle = self.messages.needle = "" if wanted is None else wanted.needle
        self.detail.lines.refresh()
        self.show_status()


def check_at_once(parse: Callable[[Any], Any]) -> Check:
    """Return a check of a dialog. parse: returns the answer. Raises MQError, OSError, ValueError: refused."""
    return lambda entry, take: take(value_or_error(partial(parse, entry)))


@dataclass(eq=False)
class Controller:
    """Handles the keys of one subject. browser: the screen, whose panes it reads and changes."""

    browser: BrowserScreen
