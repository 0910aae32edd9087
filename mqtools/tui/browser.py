"""The screen of the browser: queues, messages, one message in full; what moves in it and what is read for it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Static

from mqtools.admin.depths import depths
from mqtools.errors import MQError
from mqtools.formats.terminal import visible
from mqtools.store.scans import pages
from mqtools.tui.detail import JSON, STEP, XML
from mqtools.tui.detail_pane import DetailPane
from mqtools.tui.filter import Filter
from mqtools.tui.keymap import BY_ID, KEYS
from mqtools.tui.listing import Listing
from mqtools.tui.messages_pane import MessagesPane
from mqtools.tui.queues_pane import QueuesPane
from mqtools.tui.showing import Showing
from mqtools.tui.state import COLUMNS, TIMES
from mqtools.tui.times import ALL
from mqtools.tui.verbs import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mqtools.store.database import Database
    from mqtools.tui.app import Session
    from mqtools.tui.row import Row

_WIDE = 120
_NARROW, _LOW = 70, 16
_PANES = ("queues", "messages", "detail")
#: First in the footer, so that they are seen however narrow it is, and last.
_FOOTER = {"help": 0, "quit": 0, "goto": 2, "columns": 2}
_WRITES = {key.action.partition("(")[0] for key in KEYS if key.writes}


class Browser(Screen[None]):
    """Reading: everything that the keys do without changing anything. What changes something is in ``actions``."""

    BINDINGS = [
        Binding(key.keys, key.action, key.short or key.words, id=key.id, show=bool(key.short))
        for key in sorted(KEYS, key=lambda key: _FOOTER.get(key.id, 1))
    ]
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
        self.ours: dict[str, set[int]] = {}
        self._is_reading_queues = False
        self.listing = Listing(
            session.reader,
            session.path,
            session.deliver,
            self.messages,
            moved=self._moved,
            failed=self.fail,
        )
        self.showing = Showing(session.reader, self.detail, shown=self._shown, failed=self.fail)

    def compose(self) -> ComposeResult:
        """Put the panes together."""
        yield Static("", id="top", markup=False)
        with Horizontal(id="panes"):
            yield self.queues
            with Vertical(id="right"):
                yield self.messages
                yield self.detail
        yield Static("", id="filter", markup=False)
        yield Static("", id="job", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to read."""
        self.session.reader.ask(_read_queues, self._show_queues)
        if self.session.q_name:
            self.messages.focus()
            self.open_queue(self.session.q_name, self.session.filter)
        else:
            self.queues.focus()
        self._say()

    # -- what the reader tells

    def changed(self) -> None:
        """Look again: something may have changed."""
        if self.is_paused:
            return
        if not self._is_reading_queues:
            self._is_reading_queues = True
            self.session.reader.ask(_read_queues, self._show_queues)
        self.showing.look_again()
        self.listing.renew()

    def _show_queues(self, value: Any) -> None:
        self._is_reading_queues = False
        if isinstance(value, Exception):
            self.fail(value)
            return
        self.queues.show(*value)
        if self.messages.q_name:
            self.queues.point_at(self.messages.q_name)

    def fail(self, error: Exception) -> None:
        """Say that something did not work."""
        hint = getattr(error, "hint", None)
        self.say(f"{error}" + (f" ({hint})" if hint else ""), severity="error")

    def say(self, text: str, severity: str = "information") -> None:
        """Say something for a while."""
        self.notify(visible(text, "\n"), severity=severity, markup=False, timeout=8)  # type: ignore[arg-type]

    def _say(self) -> None:
        """Say in the first line, and in that of the list, what is going on."""
        flags = ["paused"] if self.is_paused else ["follow"] if self.listing.follows else []
        if self.session.read_only:
            flags.append("read-only")
        self.messages.flags = flags
        state = " · ".join(flags) if flags else "live"
        where = f" · {visible(self.session.path)}" if self.app.size.width >= _WIDE else ""
        self.query_one("#top", Static).update(f" mqx · {visible(self.session.q_mgr_name)}{where} · {state}")
        self._say_filter()
        self.messages.refresh()

    def _say_filter(self) -> None:
        line, wanted = self.query_one("#filter", Static), self.listing.filter
        line.display = wanted is not None
        if wanted is not None:
            found = counted(self.messages.total, "hit")
            how_far = ""
            if self.listing.is_searching:
                how_far = f" in {counted(self.listing.searched or 0)} searched so far, esc stops"
            line.update(f" filter: {visible(wanted.words)} · {found}{how_far}")

    # -- which queue and which message

    def open_queue(self, q_name: str, wanted: Filter | None = None) -> None:
        """List a queue."""
        self.messages.q_name = q_name
        self.messages.ours = self.ours.setdefault(q_name, set())
        self.messages.range_from = None
        self.messages.window.rows = []
        self.messages.total = 0
        self.showing.clear()
        self.session.watch(q_name)
        self.listing.open(q_name, wanted)
        self.detail.lines.needle = "" if wanted is None else wanted.needle
        self._say()

    def on_queues_pane_opened(self) -> None:
        """Go into the queue that was chosen."""
        self.action_open()

    def on_messages_pane_opened(self) -> None:
        """Go into the message that was clicked twice."""
        self.detail.focus()

    def on_messages_pane_moved(self) -> None:
        """Show the message that was clicked."""
        self.listing.follows = False
        self.listing.move(0)

    def on_messages_pane_resized(self) -> None:
        """Read on where there is more room."""
        self.listing.move(0)

    def on_detail_pane_resized(self) -> None:
        """Have the message laid out for another width."""
        self._moved()

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.messages.window.current

    def _moved(self) -> None:
        """Show the message under the cursor."""
        self._say_filter()
        self.showing.show(self.current, self.messages.times)

    def _shown(self, owner: str) -> None:
        """Say who holds the message that is shown."""
        self.messages.owner = owner
        self.messages.refresh()

    # -- panes and sizes

    def on_resize(self) -> None:
        """Have one pane at a time where there is no room for three."""
        width, height = self.app.size
        self.set_class(width >= _WIDE, "-wide")
        self.set_class(width < _NARROW or height < _LOW, "-single")
        self._arrange()
        self._say()

    def on_descendant_focus(self) -> None:
        """Show the pane that has the focus."""
        self._arrange()

    def _arrange(self) -> None:
        for name in _PANES:
            self.set_class(self.pane == name, f"-at-{name}")
        self.queues.refresh()
        self.messages.refresh()

    @property
    def pane(self) -> str:
        """The name of the pane that has the focus."""
        focused: Widget | None = self.focused
        return focused.id if focused is not None and focused.id in _PANES else "messages"

    def _go_to(self, name: str) -> None:
        {"queues": self.queues, "messages": self.messages, "detail": self.detail}[name].focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Have no keys that change something when only reading."""
        return not (self.session.read_only and action in _WRITES)

    # -- keys

    def action_move(self, by: int) -> None:
        """Move in the pane that has the focus."""
        if self.pane == "queues":
            self.queues.move(by)
        elif self.pane == "detail":
            self.detail.lines.move(by)
        else:
            self._stop_following()
            self.listing.move(by)

    def action_page(self, by: int) -> None:
        """Move by a screen."""
        pane = {"queues": self.queues, "messages": self.messages, "detail": self.detail.lines}[self.pane]
        self.action_move(by * max(1, pane.size.height - 3))

    def action_first(self) -> None:
        """Go to the beginning."""
        if self.pane == "messages":
            self._stop_following()
            self.listing.first()
        else:
            self.action_move(-1_000_000_000)

    def action_last(self) -> None:
        """Go to the end."""
        if self.pane == "messages":
            self.listing.last()
        else:
            self.action_move(1_000_000_000)

    def action_pane(self, by: int) -> None:
        """Go to the pane before or behind."""
        self._go_to(_PANES[max(0, min(len(_PANES) - 1, _PANES.index(self.pane) + by))])

    def action_cycle(self, by: int) -> None:
        """Go round the panes."""
        self._go_to(_PANES[(_PANES.index(self.pane) + by) % len(_PANES)])

    def action_open(self) -> None:
        """Go into the queue or the message under the cursor."""
        if self.pane == "queues":
            row = self.queues.current
            if row is not None:
                if row["name"] != self.messages.q_name:
                    self.open_queue(row["name"])
                self.messages.focus()
        elif self.pane == "messages":
            self.detail.focus()

    def action_back(self) -> None:
        """Go back one thing: out of the message, a range, a search, the filter, the marks."""
        if self.pane == "detail":
            self.messages.focus()
        elif self.messages.range_from is not None:
            self.messages.range_from = None
            self._say()
        elif self.listing.is_searching:
            self.listing.cancel_search()
            self._say()
        elif self.listing.filter is not None:
            self.open_queue(self.messages.q_name)
        elif self.messages.ours:
            self.unmark_all()

    def unmark_all(self) -> None:
        """Take off all our marks on the queue: see ``Actions``."""

    def action_tab(self, tab: int) -> None:
        """Choose how the message is shown."""
        self.detail.chosen = tab
        self._moved()

    def action_more(self) -> None:
        """Show more of long data."""
        detail = self.detail.detail
        if detail is not None and detail.shown < detail.length:
            self.detail.limit = detail.length if detail.tab in (JSON, XML) else detail.shown + STEP
            self._moved()

    def action_hit(self, by: int) -> None:
        """Go to a hit in the body."""
        if not self.detail.lines.go_to_hit(by):
            self.say("no hit here; / searches")

    def action_follow(self) -> None:
        """Stay at the end of the queue, or no longer."""
        self.listing.follows = not self.listing.follows
        if self.listing.follows:
            self.listing.last()
        self._say()

    def _stop_following(self) -> None:
        if self.listing.follows:
            self.listing.follows = False
            self._say()

    def action_times(self) -> None:
        """Show times in UTC, in local time, or how long ago."""
        times = ALL[(ALL.index(self.messages.times) + 1) % len(ALL)]
        self.messages.times = times
        self.messages.refresh()
        self.session.remember(TIMES, times)

    def action_pause(self) -> None:
        """Let nothing move, or let it move again."""
        self.is_paused = not self.is_paused
        self._say()
        self.changed()


def _read_queues(db: Database) -> tuple[list[dict[str, object]], dict[str, int]]:
    return depths(db, ()), pages.arrival_numbers(db)


def keys_of(session: Session, id: str) -> str:
    """Give the keys of something as they are now."""
    return session.keys.get(id, BY_ID[id].keys)


__all__ = ["Browser", "MQError", "keys_of"]
