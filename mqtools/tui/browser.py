"""The browser's screen: layout, focus, status and key dispatch. Controllers, one per subject, act on keys.

A controller has its own state and is reached by its name, so that methods of two controllers cannot clash.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal

from mqtools.formats.terminal import visible
from mqtools.operations.views.queue_search import MessageFilter
from mqtools.tui.controllers.controller import BrowserScreen
from mqtools.tui.controllers.layout import PANES, PaneLayout
from mqtools.tui.controllers.marks import Marks
from mqtools.tui.controllers.movement import Movement
from mqtools.tui.controllers.past import PastController
from mqtools.tui.controllers.queue_list import QueueList
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.display.columns import column_of
from mqtools.tui.display.filter import describe_kind
from mqtools.tui.display.outcome import format_count
from mqtools.tui.display.queue_rows import totals
from mqtools.tui.footer import KeysLine, keys_for
from mqtools.tui.health import FILE_GONE
from mqtools.tui.key_guard import KeyGuard
from mqtools.tui.keymap import BY_ID, KEYS
from mqtools.tui.panes.changed_lines import NoteLine
from mqtools.tui.panes.status_bar import PAUSED, StatusBar
from mqtools.tui.panes.time_line_pane import TimeLinePane
from mqtools.tui.session import BrowserSession

if TYPE_CHECKING:
    from mqtools.tui.controllers.detail_loader import DetailLoader


class Browser(BrowserScreen):
    """Queues, messages and one message in full, with the controllers that the keys call."""

    past: PastController

    BINDINGS = [Binding(key.keys, f"press('{key.id}')", key.short or key.words, id=key.id, show=False) for key in KEYS]
    AUTO_FOCUS = ""  # none: it would come after the focus that on_mount sets

    def __init__(self, session: BrowserSession) -> None:
        super().__init__(session)
        self._top = StatusBar()
        self._filter_line = NoteLine("filter")
        self._time_line = TimeLinePane(lambda: self.messages.times)
        self.past = PastController(self, self._time_line)
        self._guard = KeyGuard(self)
        self.work = WorkController(self)
        self.marks = Marks(self, self.work)
        self._movement, self._layout, self.queue_list = Movement(self), PaneLayout(self), QueueList(self)
        self._keys_line = KeysLine(self, self._movement.words_for_back)
        self.messages.mark_of, self.messages.is_marking = self.marks.letter_of, self.marks.is_marking

    def compose(self) -> ComposeResult:
        yield self._top
        with Horizontal(id="panes"):
            yield self.queues
            with self.right:
                yield self.messages
                yield self.detail
        self._time_line.display = False
        yield from (self._time_line, self._filter_line, self.job_line)  # shown only at times
        yield self._keys_line

    def begin(self, app: App[Any]) -> None:
        """Start the threads of the session, and read what is shown first."""
        self.session.begin(app, changed=self.changed, failed=self.fail)
        if self.session.q_name:
            self._show_nothing_of(self.session.q_name)
            self.message_list.open(self.session.q_name, self.session.filter)
        self.queue_list.read()

    def on_mount(self) -> None:
        self.focus_pane("messages" if self.session.q_name else "queues")
        self.show_needle()
        self.past.renew()
        self.session.show(2 if self.session.q_name else 1)
        self.set_interval(1, self.queue_list.show_age)

    def on_unmount(self) -> None:
        """Cancel work whose result would not be shown."""
        self.message_list.cancel_search()
        self.past.forget()
        for job in self.jobs.going_on:
            job.cancelled.set()

    # -- keys

    @cached_property
    def _by_key(self) -> dict[str, Callable[[], object]]:
        """Actions of the keymap entries, by their ids."""
        from mqtools.tui.controllers.by_key import actions_by_key

        return actions_by_key(self, self.past, self.work, self.marks, self._movement, self._layout)

    @cached_property
    def detail_loader(self) -> DetailLoader:
        from mqtools.tui.controllers.detail_loader import DetailLoader  # here: the first rows do not wait for it

        return DetailLoader(self)

    def act(self, id: str) -> None:
        self._by_key[id]()

    def action_press(self, id: str) -> None:
        """Run the action of a keymap entry."""
        if not self._guard.refuses(BY_ID[id], self.queue_list.health):
            self.act(id)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "press" or self._guard.is_enabled(str(parameters[0]))

    # -- results of the reader

    def changed(self) -> None:
        """Read everything again: the file may have changed. Behind another tab that waits until it is in front.

        Dead letters are announced behind another tab too.
        """
        if not self.is_in_front:
            self.is_behind = True
            if self.session.notifies:
                self.queue_list.read()
            return
        self.work.show_progress()
        self.queue_list.read()
        if self.queue_list.health != FILE_GONE:
            self.past.renew()
        if not self.is_paused and not self.past.state and self.queue_list.health != FILE_GONE:
            self.detail_loader.invalidate()
            self.message_list.renew()
            self.marks.renew()

    def show_status(self) -> None:
        """Update the status bar, the border of the list, and the footer."""
        health, is_paused = self.queue_list.health, self.is_paused
        flags = ["follow"] if self.message_list.follows and not is_paused else []
        if (order := self.message_list.order) is not None:
            flags.append(
                f"sorted by {column_of(order.column).name}{' ▼' if order.descending else ''}, not as delivered"
            )
        flags += ["read-only"] if self.session.read_only or self.past.state else []
        past = [self.past.state] if self.past.state else []
        self.messages.flags = [*([health] if health else []), *past, *(["paused"] if is_paused else []), *flags]
        state = health or self.past.state or (PAUSED if is_paused else self.queue_list.freshness)
        tabs = list(self.tabs.tabs.values())
        names, place = [tab.session.title for tab in tabs], tabs.index(self) if self in tabs else 0
        self._top.show(names, place, state, flags, totals(self.queues.every))
        self._show_filter()
        self._keys_line.refresh()
        self.messages.draw()

    def _show_filter(self) -> None:
        wanted, text = self.message_list.filter, ""
        self.messages.if_empty = "no messages" if wanted is None else "no message matches"
        if wanted is not None:
            found = format_count(self.messages.total, "hit") if self.message_list.is_shown else "…"
            how_far = ""
            if self.message_list.is_searching:
                searched, key = format_count(self.message_list.searched or 0), self.session.first_key("back")
                how_far = f" in {searched} searched so far, {key} stops"
                self.messages.if_empty += " so far"
            kind = describe_kind(wanted)
            text = f"filter: {visible(wanted.words)} · {found}{f' {kind}' if kind else ''}{how_far}"
        self._filter_line.show(text)

    # -- queue and message

    def open_queue(self, q_name: str, wanted: MessageFilter | None = None, place: int | None = None) -> None:
        """List the messages of a queue: as they were, if that is listed. place: order key to go to."""
        if q_name != self.messages.q_name:
            self.past.forget()
        self._show_nothing_of(q_name)
        self.message_list.open(q_name, wanted, place)
        self.show_needle()
        self.past.renew()

    def close_queue(self) -> None:
        """Return to the queues: the queue that was listed has been deleted."""
        q_name = self.messages.q_name
        self.past.forget()
        self.message_list.close()
        self._show_nothing_of("")
        self.marks.forget(q_name)
        self.say(f"queue {q_name} was deleted", "warning")
        self.focus_pane("queues")
        self.show_status()

    def _show_nothing_of(self, q_name: str) -> None:
        if self.messages.q_name:
            self.detail_loader.clear()
        self.messages.show_queue(q_name)
        self.messages.ours = self.marks.on(q_name)
        self.session.watch(q_name)

    def show_current(self) -> None:
        """Show the message under the cursor in the detail pane."""
        self._show_filter()
        self._keys_line.refresh()
        if "detail_loader" in vars(self):
            self._show_detail()
        elif self.message_list.is_shown:
            self.call_after_refresh(self._show_detail)  # the first rows do not wait for it

    def _show_detail(self) -> None:
        if self.message_list.is_shown:
            self.session.import_the_rest()
        if self.messages.window.rows:
            self.detail_loader.show(self.current, self.messages.times)
        else:
            self.detail_loader.clear()

    # -- the footer and the mouse

    def keys_here(self) -> list[str]:
        """Return the ids of the keys that the footer names, the most important first."""
        return [key.id for key in keys_for(self, "")]

    def press(self, id: str) -> None:
        """Run the action of a keymap entry as if its key had been pressed."""
        self.call_later(self.action_press, id)

    def on_messages_pane_moved(self) -> None:
        self.message_list.follows = False
        self.message_list.move(0)

    def on_messages_pane_resized(self) -> None:
        self.message_list.move(0)

    def on_detail_pane_width_changed(self) -> None:
        self.show_current()

    def on_rows_view_cursor_moved(self) -> None:
        self.queue_list.preview_soon()

    def on_status_bar_pointed(self, event: StatusBar.Pointed) -> None:
        self.tabs.step_tab(event.by)

    def on_time_line_pane_pointed(self, event: TimeLinePane.Pointed) -> None:
        self.past.point_at(event.bar)

    # -- panes and sizes

    def fit_panes(self) -> None:
        self._layout.fit_queues()
        self._layout.split()

    def on_resize(self) -> None:
        self._layout.arrange()
        self.show_status()

    def on_descendant_focus(self) -> None:
        if self.focused is not None and self.focused.id in PANES and self.focused.id != self.pane:
            self.focus_pane(self.focused.id)

    def on_descendant_blur(self) -> None:
        """Restore the focus: a pane that is shown again loses it to the late event of having been hidden."""
        self.call_after_refresh(self._keep_focus)

    def _keep_focus(self) -> None:
        if self.focused is None and self.app.screen is self:
            self.focus_pane(self.pane)

    def focus_pane(self, name: str) -> None:
        """Focus a pane. name: of PANES."""
        self.pane = name
        self._layout.arrange()
        self._keys_line.refresh()
        self.set_focus(self._layout.pane(name))  # at once: a late event about another pane must not count
