"""The detail pane: tabs in its border, a line about the message, and the lines of the current tab."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from mqtools.formats.units import human_bytes
from mqtools.tui.display import colours
from mqtools.tui.display.tabs import DESCRIPTOR, HEADERS, HEX, JSON, STEP, TABS, TEXT, XML, Detail
from mqtools.tui.panes.changed_lines import TITLE_FRAME, NoteLine, Titled
from mqtools.tui.panes.lines import LinesView

#: Tab -> syntax of its lines.
_SYNTAX = {JSON: "json", XML: "xml", DESCRIPTOR: "fields", HEADERS: "fields"}
#: Tabs in the order in which their names are dropped for lack of room.
_GIVES_WAY = (HEX, DESCRIPTOR, HEADERS, XML, JSON, TEXT)
#: Column of the border where the tabs begin.
_TABS_AT = 3


class DetailPane(Vertical, Titled, can_focus=True):
    """Shows one message.

    lines: of the tab.  chosen: the tab that was chosen, None for the default of the message.  limit: bytes of the data
    that are requested.  progress: of its layout, in words.  gone: in words since when the message is gone, else empty.
    """

    class WidthChanged(Message):
        """The width of the lines has changed."""

    def __init__(self, key_of: Callable[[str], str]) -> None:
        """key_of: returns the key of a keymap entry by its name for display."""
        super().__init__(id="detail")
        self._key_of = key_of
        self.detail: Detail | None = None
        self.chosen: int | None = None
        self.limit = STEP
        self.gone = ""
        self.progress = ""
        self.lines = LinesView(id="lines")
        self._about_line = NoteLine("about")
        self._width = 0

    def compose(self) -> ComposeResult:
        yield self._about_line
        yield self.lines

    def on_mount(self) -> None:
        self._head()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._head())

    @property
    def line_width(self) -> int:
        return max(20, self.size.width - 1)

    @property
    def line_count(self) -> int:
        """Number of lines that the message needs."""
        return max(1, self.lines.line_count) + self._about_line.display

    @property
    def part(self) -> str:
        """How much of the data is shown, in words; empty when that is all."""
        detail = self.detail
        if detail is None or detail.shown >= detail.length:
            return ""
        return f"{human_bytes(detail.shown)} of {human_bytes(detail.length)}, {self._key_of('more')} for more"

    def on_resize(self) -> None:
        if self.size.width != self._width:
            self._width = self.size.width
            self._head()
            self.post_message(self.WidthChanged())

    async def on_click(self, event: events.Click) -> None:
        if event.screen_y != self.region.y:
            return
        at = self.region.x + _TABS_AT
        for number, label in self._labels():
            if at <= event.screen_x < at + len(label):
                await self.run_action(f"screen.press('tab.{TABS[number].lower()}')")
            at += len(label)

    def show(self, detail: Detail | None, *, gone: str = "") -> None:
        """Show a tab; keep the scroll position for the same message and tab."""
        before = self.detail
        same = before is not None and detail is not None and (before.seq, before.tab) == (detail.seq, detail.tab)
        if detail is None:
            self.lines.syntax = ""
            self.lines.show([])
        else:
            # Text is coloured as what it is.
            self.lines.syntax = _SYNTAX.get(detail.kind if detail.tab == TEXT else detail.tab, "")
            if not (same and before is not None and before.lines == detail.lines):
                is_numbered = detail.tab in (JSON, XML)
                self.lines.show(detail.lines, detail.folds, is_numbered=is_numbered, keep_place=same)
        self.detail, self.gone = detail, gone
        self._head()

    def mark_gone(self, gone: str) -> None:
        """Show that the message is gone; keep its contents."""
        self.gone = gone
        self._head()

    def show_progress(self, words: str) -> None:
        """Show how far the layout of a long body is; empty when it is done."""
        if words != self.progress:
            self.progress = words
            self._head()

    def on_focus(self) -> None:
        self._show_cursor(is_shown=True)

    def on_blur(self) -> None:
        self._show_cursor(is_shown=False)

    def _show_cursor(self, *, is_shown: bool) -> None:
        self.lines.has_cursor = is_shown
        self.lines.refresh()

    def _labels(self) -> list[tuple[int, str]]:
        """Return the tabs with their labels: numbers only, where there is no room, first of those for other bodies."""
        chosen = 0 if self.detail is None else self.detail.tab
        names = self._names()
        for tab in sorted(_GIVES_WAY, key=lambda tab: not self._is_dim(tab)):
            if sum(len(f" {n} {name}".rstrip()) + 1 for n, name in names.items()) <= self.size.width - TITLE_FRAME:
                break
            if tab != chosen:
                names[tab] = ""
        texts = [(n, f"{n} {name}".rstrip()) for n, name in names.items()]
        return [(n, f"‹{text}›" if n == chosen else f" {text} ") for n, text in texts]

    def _names(self) -> dict[int, str]:
        number = 0 if self.detail is None else self.detail.headers
        return {**TABS, HEADERS: f"{TABS[HEADERS]}({number})"} if number else dict(TABS)

    def _is_dim(self, tab: int) -> bool:
        """Return whether the body has nothing for a tab."""
        detail = self.detail
        return detail is not None and tab in (JSON, XML) and tab not in (detail.kind, detail.tab)

    def _head(self) -> None:
        detail = self.detail
        dim = colours.colours_of(self.app).style(colours.DIM).color
        style = f"{dim.name} not bold" if dim is not None else "not bold"
        labels = [(label, style) if self._is_dim(n) else label for n, label in self._labels()]
        self.set_titles(Content.assemble(*labels), Content("" if detail is None else detail.msg_id))
        about = "" if detail is None else self._about(detail)
        self._about_line.show(about)

    def _about(self, detail: Detail) -> str:
        reason, _, more = detail.reason.partition(" · ")
        hint = f"{self._key_of('explain')} explains" if reason else ""  # in front of what a narrow pane cuts off
        empty = "" if detail.length else "no data"
        words = [text for text in (self.gone or detail.owner, reason, hint, more, empty) if text]
        if self.progress:
            words.append(self.progress)
        elif self.part:
            words.append(self.part)
        return " · ".join(words)
