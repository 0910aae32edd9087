"""The detail pane: tabs, a status line, and the lines of the current tab."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from mqtools.formats.units import human_bytes
from mqtools.tui.detail import STEP, TABS, Detail
from mqtools.tui.lines import LinesView


class DetailPane(Vertical, can_focus=True):
    """Shows one message.

    lines: of the tab.  chosen: the tab that was chosen, None for the default of the message.  limit: bytes of the data
    that are requested.  gone: in words since when the message is gone, else empty.
    """

    class Resized(Message):
        """The width of the lines has changed."""

    def __init__(self) -> None:
        super().__init__(id="detail")
        self.detail: Detail | None = None
        self.chosen: int | None = None
        self.limit = STEP
        self.gone = ""
        self.lines = LinesView(id="lines")
        self._tabs = Static("", id="tabs", markup=False)
        self._about_line = Static("", id="about", markup=False)
        self._width = 0

    def compose(self) -> ComposeResult:
        """Yield tabs, status line and lines."""
        yield self._tabs
        yield self._about_line
        yield self.lines

    @property
    def line_width(self) -> int:
        """Visible characters of a line."""
        return max(20, self.size.width - 1)

    def on_resize(self) -> None:
        """NumberedKey ``Resized`` when the width has changed."""
        if self.size.width != self._width:
            self._width = self.size.width
            self.post_message(self.Resized())

    def show(self, detail: Detail | None, *, gone: str = "") -> None:
        """Show a tab; keep the scroll position for the same message and tab."""
        before = self.detail
        same = before is not None and detail is not None and (before.seq, before.tab) == (detail.seq, detail.tab)
        if not (same and before is not None and detail is not None and before.lines == detail.lines):
            self.lines.show([] if detail is None else detail.lines, keep_place=same)
        self.detail, self.gone = detail, gone
        self._head()

    def mark_gone(self, gone: str) -> None:
        """Show that the message is gone; keep its contents."""
        self.gone = gone
        self._head()

    def _head(self) -> None:
        detail = self.detail
        names = [f"[{n} {name}]" if detail and n == detail.tab else f" {n} {name} " for n, name in TABS.items()]
        self._tabs.update("".join(names))
        self._about_line.update("" if detail is None else self._about(detail))

    def _about(self, detail: Detail) -> str:
        words = [text for text in (self.gone or detail.owner,) if text]
        if detail.shown < detail.length:
            words.append(f"{human_bytes(detail.shown)} of {human_bytes(detail.length)}, + for more")
        return " · ".join([*words, detail.msg_id])
