"""The browser's screen: layout, focus, status and key dispatch. What the keys do is in controllers, one per subject.

A controller has its own state and is reached by its name, so that methods of two controllers cannot clash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import AwaitMount
from textual.widgets import Static

from mqtools.admin.depths import depths
from mqtools.formats.terminal import visible
from mqtools.operations.queue_pages import arrival_numbers
from mqtools.tui.actions import Actions
from mqtools.tui.dead_letters import DeadLetters
from mqtools.tui.detail_loader import DetailLoader
from mqtools.tui.detail_pane import DetailPane
from mqtools.tui.dialogs import Dialog, TextDialog
from mqtools.tui.export import Export
from mqtools.tui.footer import KeysLine, keys_always, keys_for
from mqtools.tui.health import FILE_GONE, explain_refusal, read_health
from mqtools.tui.keymap import BY_ID, KEYS, Key
from mqtools.tui.locks import Locks
from mqtools.tui.marks import Marks
from mqtools.tui.message_list import MessageList
from mqtools.tui.messages_pane import MessagesPane
from mqtools.tui.movement import PANES, Movement
from mqtools.tui.outcome import format_count
from mqtools.tui.prompts import Prompts
from mqtools.tui.queues_pane import QueuesPane
from mqtools.tui.state import COLUMNS, TIMES
from mqtools.tui.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mqtools.operations.message_view import Database
    from mqtools.operations.queue_search import Filter
    from mqtools.tui.row import Row
    from mqtools.tui.session import Session

#: Terminal sizes: from _WIDE columns everything fits; below _NARROW columns or _LOW lines one pane is shown at a time.
_WIDE = 120
_NARROW, _LOW = 70, 16


class Browser(Screen[None]):
    """Queues, messages and one message in full, with the controllers that the keys call.

    pane: name of the one with the focus.  health: of the queue manager, as ``read_health`` returns it.
    """

    BINDINGS = [Binding(key.keys, f"press('{key.id}')", key.short or key.words, id=key.id, show=False) for key in KEYS]
    AUTO_FOCUS = None

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.queues = QueuesPane()
        self.messages = MessagesPane()
        self.messages.times = session.state[TIMES]
        self.messages.columns = session.state[COLUMNS].split(",")
        self.detail = DetailPane()
        self.is_paused = False
        self.pane = "queues"
        self.health = ""
        self._is_single = False
        self._top, self._filter_line, self.job_line = (
            Static("", id=name, markup=False) for name in ("top", "filter", "job")
        )
        self._keys_line = KeysLine()
        self._is_reading_queues = False
        self._opening: AwaitMount | None = None
        self._later: list[tuple[Dialog[Any], Callable[[Any], None] | None]] = []
        self.message_list = MessageList(
            session.reader,
            session.path,
            session.deliver,
            self.messages,
            moved=self.show_current,
            failed=self.fail,
            closed=self.close_queue,
        )
        self.detail_loader = DetailLoader(session.reader, self.detail, shown=self._show_owner, failed=self.fail)
        self.work = Work(self)
        self.marks = Marks(self, self.work)
        actions = Actions(self, self.work, self.marks)
        self._movement = Movement(self)
        self._controllers: dict[str, object] = {
            "movement": self._movement,
            "prompts": Prompts(self),
            "marks": self.marks,
            "locks": Locks(self, self.work),
            "actions": actions,
            "dead_letters": DeadLetters(self, self.work, self.marks, actions),
            "export": Export(self, self.work, self.marks),
            "work": self.work,
        }
        self.messages.is_ours = self.marks.is_ours

    def compose(self) -> ComposeResult:
        """Yield the panes and the lines around them."""
        yield self._top
        with Horizontal(id="panes"):
            yield self.queues
            with Vertical(id="right"):
                yield self.messages
                yield self.detail
        yield self._filter_line
        yield self.job_line
        yield self._keys_line

    def on_mount(self) -> None:
        """Start reading."""
        self._read_queues()
        if self.session.q_name:
            self.focus_pane("messages")
            self.open_queue(self.session.q_name, self.session.filter)
        else:
            self.focus_pane("queues")
        self.show_status()

    def on_unmount(self) -> None:
        """Cancel work whose result nobody would see."""
        self.message_list.cancel_search()
        self.work.cancel_all()

    # -- keys

    def command(self, key: Key) -> Callable[..., Any]:
        """Return the method of a controller that a key calls."""
        name, _, method = key.action.partition(".")
        found: Callable[..., Any] = getattr(self._controllers[name], method)
        return found

    async def action_press(self, id: str) -> None:
        """Run the action of a keymap entry. A dialog that it opens has the focus before the next key is handled."""
        key = BY_ID[id]
        if self._refuse(key):
            return
        if key.action.startswith("app."):
            await self.app.run_action(key.action)
            self._opening = AwaitMount(self.app.screen, [self.app.screen])
        else:
            self.command(key)(*([] if key.value is None else [key.value]))
        opening, self._opening = self._opening, None
        if opening is not None:
            await opening

    def _refuse(self, key: Key) -> bool:
        reason = explain_refusal(self.session, self.health) if key.writes else ""
        if reason:
            self.say(f"cannot {key.id.replace('.', ' ')}: {reason}", "warning")
        return bool(reason)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that change something in a read-only session; see ``on_key``."""
        return not (self.session.read_only and action == "press" and BY_ID[str(parameters[0])].writes)

    def on_key(self, event: events.Key) -> None:
        """Explain why a key is disabled."""
        for key in KEYS:
            keys = self.session.keys.get(key.id, key.keys).split(",")
            if key.writes and event.key in (one.strip() for one in keys):
                self._refuse(key)

    # -- dialogs and notes

    def show(self, dialog: Dialog[Any], answer: Callable[[Any], None] | None = None) -> None:
        """Open a dialog. answer: takes its result."""
        if self.is_low:
            self.app.clear_notifications()
        self.app.push_screen(dialog, answer)
        self._opening = AwaitMount(dialog, [dialog])

    def show_when_free(self, dialog: Dialog[Any], answer: Callable[[Any], None] | None = None) -> None:
        """Open a dialog with the result of a job as soon as no other dialog is open."""
        if self.app.screen is self:
            self.show(dialog, answer)
        else:
            self._later.append((dialog, answer))

    def on_screen_resume(self) -> None:
        """Open a dialog that waited for another one to be closed."""
        if self._later:
            self.show(*self._later.pop(0))

    def read(self, title: str, lines: list[str]) -> None:
        """Show a text in a dialog."""
        self.show(TextDialog(title, lines))

    @property
    def is_low(self) -> bool:
        """Whether the terminal has so few lines that a note would hide a dialog."""
        return bool(self.app.size.height < _LOW)

    def fail(self, error: Exception, action: str = "") -> None:
        """Show an error. action: what failed."""
        hint = getattr(error, "hint", None)
        self.say(f"{action}: {error}" if action else str(error), "error", hint or "")

    def say(self, text: str, severity: str = "information", hint: str = "") -> None:
        """Show a notification for some seconds; on a low terminal with a dialog open, in the dialog's border."""
        text = visible(text + (f" ({hint})" if hint else ""), "\n")
        dialog = self.app.screen
        if self.is_low and isinstance(dialog, Dialog):
            dialog.tell(text)
        else:
            self.notify(text, severity=severity, markup=False, timeout=8)  # type: ignore[arg-type]

    def ask(self, question: Callable[[Database], Any], answer: Callable[[Any], None]) -> None:
        """Run a query in the reader thread. answer: takes the value; an error is shown instead."""
        self.session.reader.ask(question, lambda v: self.fail(v) if isinstance(v, Exception) else answer(v))

    # -- results of the reader

    def changed(self) -> None:
        """Read everything again: the file may have changed."""
        self.work.show_progress()
        self._read_queues()
        if not self.is_paused and self.health != FILE_GONE:
            self.detail_loader.invalidate()
            self.message_list.renew()

    def _read_queues(self) -> None:
        if not self._is_reading_queues:
            self._is_reading_queues = True
            self.session.reader.ask(self._read, self._show_queues)

    def _read(self, db: Database) -> tuple[str, list[dict[str, object]], dict[str, int]]:
        """Read the state of the queue manager and its queues; runs in the reader's thread."""
        health = read_health(db, self.session.file)
        return (health, [], {}) if health == FILE_GONE else (health, depths(db, ()), arrival_numbers(db))

    def _show_queues(self, value: Any) -> None:
        self._is_reading_queues = False
        if isinstance(value, Exception):
            self.fail(value)
            return
        health, rows, arrivals = value
        if health != self.health:
            self.health = health
            self.show_status()
            if health:
                self.say(f"{self.session.q_mgr_name}: {health}", "error")
        if health == FILE_GONE or (self.is_paused and self.queues.rows):
            return
        self.queues.show(rows, arrivals)
        if self.messages.q_name and self.pane != "queues":
            self.queues.point_at(self.messages.q_name)

    def show_status(self) -> None:
        """Update the title line and the status of the list."""
        flags = [self.health] if self.health else []
        flags += ["paused"] if self.is_paused else ["follow"] if self.message_list.follows else []
        if self.session.read_only:
            flags.append("read-only")
        self.messages.flags = flags
        state = " · ".join(flags) if flags else "live"
        where = f" · {visible(self.session.path)}" if self.app.size.width >= _WIDE else ""
        self._top.update(f" mqx · {visible(self.session.q_mgr_name)} · {state}{where}")
        self._top.set_class(bool(self.health), "-broken")
        self._show_filter()
        self._show_keys()
        self.messages.refresh()

    def _show_filter(self) -> None:
        line, wanted = self._filter_line, self.message_list.filter
        line.display = wanted is not None
        if wanted is not None:
            found = format_count(self.messages.total, "hit")
            how_far = ""
            if self.message_list.is_searching:
                how_far = f" in {format_count(self.message_list.searched or 0)} searched so far, esc stops"
            line.update(f" filter: {visible(wanted.words)} · {found}{how_far}")

    # -- queue and message

    def open_queue(self, q_name: str, wanted: Filter | None = None) -> None:
        """List the messages of a queue."""
        self._show_nothing_of(q_name)
        self.message_list.open(q_name, wanted)
        self.detail.lines.needle = "" if wanted is None else wanted.needle
        self.show_status()

    def close_queue(self) -> None:
        """Return to the queues: the queue that was listed has been deleted."""
        q_name = self.messages.q_name
        self.message_list.close()
        self._show_nothing_of("")
        self.marks.forget(q_name)
        self.say(f"queue {q_name} was deleted", "warning")
        self.focus_pane("queues")
        self.show_status()

    def _show_nothing_of(self, q_name: str) -> None:
        self.messages.q_name = q_name
        self.messages.ours = self.marks.on(q_name)
        self.messages.range_from = None
        self.messages.owner = ""
        self.messages.window.clear()
        self.messages.total = 0
        self.detail_loader.clear()
        self.session.watch(q_name)

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.messages.window.current

    def show_current(self) -> None:
        """Show the message under the cursor in the detail pane."""
        self._show_filter()
        self._show_keys()
        self.detail_loader.show(self.current, self.messages.times)

    def _show_owner(self, owner: str) -> None:
        self.messages.owner = owner
        self.messages.refresh()

    # -- the footer and the mouse

    def _show_keys(self) -> None:
        self._keys_line.show(keys_for(self, self._movement.words_for_back()), keys_always(self.session))

    def press(self, id: str) -> None:
        """Run the action of a keymap entry as if its key had been pressed."""
        self.call_later(self.action_press, id)

    def on_keys_line_pressed(self, event: KeysLine.Pressed) -> None:
        """Run the action of the key that was clicked."""
        self.press(event.id)

    def on_queues_pane_opened(self) -> None:
        """Open the queue that was clicked."""
        self.command(BY_ID["open"])()

    def on_messages_pane_opened(self) -> None:
        """Open the message that was double-clicked."""
        self.focus_pane("detail")

    def on_messages_pane_moved(self) -> None:
        """Show the message that was clicked."""
        self.message_list.follows = False
        self.message_list.move(0)

    def on_messages_pane_resized(self) -> None:
        """Read more rows when there is more room."""
        self.message_list.move(0)

    def on_detail_pane_resized(self) -> None:
        """Lay the message out for the new width."""
        self.show_current()

    # -- panes and sizes

    def on_resize(self) -> None:
        """Show one pane at a time when there is no room for three."""
        width, height = self.app.size
        self.set_class(width >= _WIDE, "-wide")
        self._is_single = width < _NARROW or height < _LOW
        self.set_class(self._is_single, "-single")
        self._arrange()
        self.show_status()

    def on_descendant_focus(self) -> None:
        """Show the pane that has the focus."""
        if self.focused is not None and self.focused.id in PANES:
            self.pane = self.focused.id
            self._arrange()

    def on_descendant_blur(self) -> None:
        """Restore the focus: a pane that is shown again loses it to the late event of having been hidden."""
        self.call_after_refresh(self._keep_focus)

    def _keep_focus(self) -> None:
        if self.focused is None and self.app.screen is self:
            self.focus_pane(self.pane)

    def _arrange(self) -> None:
        """Show all panes, or only the one with the focus where there is no room."""
        for name in PANES:
            self.query_one(f"#{name}").display = not self._is_single or self.pane == name
        self.query_one("#right").display = not self._is_single or self.pane != "queues"
        self._show_keys()
        self.queues.refresh()
        self.messages.refresh()

    def focus_pane(self, name: str) -> None:
        """Focus a pane. name: of PANES."""
        self.pane = name
        self._arrange()
        {"queues": self.queues, "messages": self.messages, "detail": self.detail}[name].focus()
