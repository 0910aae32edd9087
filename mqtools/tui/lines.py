"""Scrollable lines of plain text: only those on the screen are drawn, without markup."""

from __future__ import annotations

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from mqtools.tui.cells import draw_cells
from mqtools.tui.colours import colours_of
from mqtools.tui.highlight import highlight
from mqtools.tui.text_width import wrap_lines

#: Least width that lines are wrapped to (cells).
_LEAST_WIDTH = 20


class LinesView(ScrollView, can_focus=False):
    """A list of lines, already safe to show, wrapped to the width.

    needle: highlighted in them, ignoring case.  at_words: break between words.  syntax: of ``highlight``.
    """

    DEFAULT_CSS = "LinesView { overflow-x: hidden; scrollbar-gutter: stable; scrollbar-size: 0 1; }"

    def __init__(self, *, id: str | None = None, at_words: bool = False) -> None:
        super().__init__(id=id)
        self._at_words = at_words
        self._given: list[str] = []
        self._lines: list[str] = []
        self._width = 0
        self.needle = ""
        self.syntax = ""
        self._hit_line = -1

    @property
    def text(self) -> str:
        """The wrapped lines as one text."""
        return "\n".join(self._lines)

    def show(self, lines: list[str], *, keep_place: bool = False) -> None:
        """Replace the lines. keep_place: keep the scroll position, instead of going to the top."""
        self._given = lines
        self._lay_out()
        self._hit_line = -1
        if not keep_place:
            self.scroll_to(0, 0, animate=False)
        self.refresh()

    def _lay_out(self) -> None:
        self._width = self.scrollable_content_region.width  # without the scroll bar
        width = max(_LEAST_WIDTH, self._width)
        self._lines = wrap_lines(self._given, width, at_words=self._at_words)
        self.virtual_size = Size(width, max(1, len(self._lines)))

    def on_resize(self) -> None:
        """Wrap the lines to the new width."""
        if self.scrollable_content_region.width != self._width:
            self._lay_out()
            self.refresh()

    def move(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_y + by, animate=False)

    def go_to_line(self, number: int) -> None:
        """Scroll to a line. number: before wrapping, from 0."""
        above = wrap_lines(self._given[:number], max(_LEAST_WIDTH, self._width), at_words=self._at_words)
        self.scroll_to(y=len(above), animate=False)

    def go_to_hit(self, by: int) -> bool:
        """Scroll to the next line with the needle, or to the previous one; return False when there is none."""
        needle = self.needle.casefold()
        hits = [number for number, line in enumerate(self._lines) if needle and needle in line.casefold()]
        if not hits:
            return False
        later = [number for number in hits if (number > self._hit_line if by > 0 else number < self._hit_line)]
        self._hit_line = (later[0] if by > 0 else later[-1]) if later else (hits[0] if by > 0 else hits[-1])
        self.scroll_to(y=max(0, self._hit_line - 1), animate=False)
        self.refresh()
        return True

    def render_line(self, y: int) -> Strip:
        """Draw a line of the screen."""
        number = y + self.scroll_offset.y
        line = self._lines[number] if number < len(self._lines) else ""
        cells = highlight(line, self.syntax)
        return draw_cells(cells, colours_of(self.app), self.size.width, needle=self.needle)
