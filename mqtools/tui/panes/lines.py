"""Scrollable lines of plain text: only those on the screen are drawn, without markup; elements of a tree fold."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from time import monotonic
from typing import Any

from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from mqtools.tui.display import colours
from mqtools.tui.display.cells import Cell, CutCells, draw_cells, mark_hits, wrap_lines
from mqtools.tui.display.folds import Folds, around, below_the_top, indent_of, summary, unfolded
from mqtools.tui.display.highlight import highlight
from mqtools.tui.panes.changed_lines import ChangedLines

#: Least width that lines are wrapped to (cells).
_LEAST_WIDTH = 20
#: In front of a line that opens an element, folded or not, and of one that opens none.
_FOLDED, _UNFOLDED, _NO_SIGN = "▸ ", "▾ ", "  "
#: Time in which lines are laid out at once, pause until the next (seconds), and lines between two looks at the clock.
_SLICE_S, _PAUSE_S, _BETWEEN = 0.015, 0.01, 200
#: Lines whose height a dialog depends on.
_MOST_MEASURED = 500
#: Lines of a dialog that are not text.
_FRAME = 4


class LinesView(ScrollView, ChangedLines, can_focus=False):
    """A list of lines, already safe to show, wrapped to the width.

    needle: highlighted in them, ignoring case.  at_words: break between words.  syntax: of ``highlight``.
    has_cursor: whether the cursor is shown, which only lines with folds have.
    """

    DEFAULT_CSS = "LinesView { overflow-x: hidden; scrollbar-gutter: stable; scrollbar-size: 0 1; }"

    def __init__(self, *, id: str | None = None, at_words: bool = False) -> None:
        super().__init__(id=id)
        self._at_words = at_words
        self._given: Sequence[str] = []
        self._folds: Folds = {}
        self._folded: set[int] = set()
        self._pieces: dict[int, list[str]] = {}  # of each line, when it is broken between words
        # Of each line of the screen, also those that are not on it: the index of the line that it is a part of, and
        # where that part begins. Arrays, because a long body has a million of them.
        self._lines_of = array("L")
        self._begins = array("L")
        self._laying_out: Iterator[None] = iter(())
        self._wanted: int | None = None  # the line that the cursor goes to as soon as it is laid out
        self._coloured: dict[int, CutCells] = {}  # lines that were drawn
        self._is_numbered = False
        self._cursor = 0  # index of a line of the screen
        self._width = 0
        self.needle = ""
        self.syntax = ""
        self.has_cursor = False
        self._hit_line = -1

    @property
    def is_tree(self) -> bool:
        """Whether there is something to fold."""
        return bool(self._folds)

    def show(
        self, lines: Sequence[str], folds: Folds | None = None, *, is_numbered: bool = False, keep_place: bool = False
    ) -> None:
        """Replace the lines.

        folds: of ``folds.find_folds``.  is_numbered: with their numbers.  keep_place: keep the scroll position and what
        is folded, instead of going to the top.
        """
        self._given, self._folds, self._is_numbered = lines, folds or {}, is_numbered
        self._folded = self._folded & self._folds.keys() if keep_place else set()
        self._lay_out(wanted=self._line_of(self._cursor) if keep_place else None)
        self._hit_line = -1
        if not keep_place:
            self._cursor = 0
            self.scroll_to(0, 0, animate=False)
        self.refresh()

    def get_content_height(self, *sizes: Any) -> int:
        """Return the lines, wrapped to the width, that fit the dialog."""
        width = max(_LEAST_WIDTH, sizes[2] - 1)
        lines = wrap_lines(self._given[:_MOST_MEASURED], width, at_words=self._at_words)
        return max(1, min(len(lines), self.app.size.height * 9 // 10 - _FRAME))

    # -- layout

    def _lay_out(self, first: int = 0, *, wanted: int | None) -> None:
        """Lay out the lines from one on: as many as take a moment, and the others in further moments.

        wanted: line that the cursor goes to, None to leave it.
        """
        self._width = self.scrollable_content_region.width  # without the scroll bar
        place = bisect_left(self._lines_of, first)
        del self._lines_of[place:], self._begins[place:]
        self._coloured = {}
        self._wanted = wanted
        self._laying_out = self._lay_out_lines(first, max(_LEAST_WIDTH, self._width))
        self._go_on(self._laying_out)

    def _go_on(self, laying_out: Iterator[None]) -> None:
        if laying_out is not self._laying_out:
            return
        until = monotonic() + _SLICE_S
        for _ in laying_out:
            if monotonic() >= until:
                self.set_timer(_PAUSE_S, partial(self._go_on, laying_out))
                break
        self._cursor = max(0, min(self._cursor, len(self._lines_of) - 1))
        self._measure()
        self._go_to_wanted()

    def _measure(self) -> None:
        """Set the size for scrolling: the same for all that fits, because another size repaints everything."""
        self.virtual_size = Size(
            max(_LEAST_WIDTH, self._width), self.line_count if self.line_count > self.size.height else 1
        )

    @property
    def line_count(self) -> int:
        """Number of lines that are laid out."""
        return len(self._lines_of)

    def _lay_out_lines(self, first: int, width: int) -> Iterator[None]:
        """Lay out lines; yield after some of them."""
        for number, line in enumerate(unfolded(len(self._given), self._folds, self._folded, first), 1):
            if not number % _BETWEEN:
                yield
            text = self._given[line]
            if len(text) <= width // 2 and text.isascii() and not (self._at_words or line in self._folded):
                self._lines_of.append(line)  # it fits whatever is in front
                self._begins.append(0)
                continue
            room = width - self._front_width(line, width)
            body = self._body(line)
            at = 0
            is_short = len(body) <= room and body.isascii()
            pieces = [body] if is_short else wrap_lines([body], room, at_words=self._at_words)
            if self._at_words:
                self._pieces[line] = pieces
            for place, text in enumerate(pieces):
                self._lines_of.append(line)
                self._begins.append(place if self._at_words else at)
                at += len(text)

    def _go_to_wanted(self) -> None:
        """Put the cursor on the line where it was to go, if that is laid out by now."""
        if self._wanted is not None and self._lines_of and self._lines_of[-1] >= self._wanted:
            self._cursor, self._wanted = self._place_of(self._wanted), None
            self._show_cursor_line()

    def _front_width(self, number: int, width: int) -> int:
        """Return the cells of number, indentation and sign of a line, at most half of the width."""
        if not self._folds:
            return 0
        counted = len(str(len(self._given))) + 1 if self._is_numbered else 0
        room = max(0, width // 2 - counted - len(_NO_SIGN))
        return counted + min(indent_of(self._given[number]), room) + len(_NO_SIGN)

    def _front(self, number: int, width: int) -> str:
        """Return number, indentation and sign of a line."""
        if not self._folds:
            return ""
        counted = f"{number + 1:>{len(str(len(self._given)))}} " if self._is_numbered else ""
        sign = _NO_SIGN if number not in self._folds else _FOLDED if number in self._folded else _UNFOLDED
        return counted.ljust(self._front_width(number, width) - len(sign)) + sign

    def _body(self, number: int) -> str:
        """Return the text of a line, without indentation where there are signs; of a folded element what is left."""
        return "".join(text for text, _ in self._cells(number)) if number in self._folded else self._plain(number)

    def _plain(self, number: int) -> str:
        line = self._given[number]
        return line.lstrip(" ") if self._folds else line

    def _cells(self, number: int) -> list[Cell]:
        cells = highlight(self._plain(number), self.syntax)
        if number in self._folded:
            words, closing = summary(self._given, number, self._folds[number])
            cells = [*cells, (words, colours.DIM), *highlight(closing, self.syntax)]
        return cells

    def on_resize(self) -> None:
        """Wrap the lines to the new width."""
        self._measure()
        if self.scrollable_content_region.width != self._width:
            self._lay_out(wanted=self._line_of(self._cursor))
            self.refresh()

    def _line_of(self, place: int) -> int:
        return self._lines_of[place] if place < len(self._lines_of) else 0

    def _place_of(self, line: int) -> int:
        """Return the first line of the screen of a line; of a line that is folded away, that of what it is in."""
        found = bisect_left(self._lines_of, line)
        if found < len(self._lines_of) and self._lines_of[found] == line:
            return found
        return max(0, found - 1)

    # -- movement

    def move(self, by: int) -> None:
        """Move the cursor by lines of the screen; scroll where there is no cursor."""
        if not self._folds:
            self.scroll_to(y=self.scroll_y + by, animate=False)
            return
        self._point_at(self._cursor + by)

    def _point_at(self, place: int) -> None:
        self._wanted = None
        self._cursor = max(0, min(len(self._lines_of) - 1, place))
        self._show_cursor_line()

    def _show_cursor_line(self) -> None:
        if self._folds:
            top, height = int(self.scroll_offset.y), max(1, self.size.height)
            if not top <= self._cursor < top + height:
                self.scroll_to(y=self._cursor - (0 if self._cursor < top else height - 1), animate=False)
        self.refresh()

    def go_to_line(self, number: int) -> None:
        """Scroll to a line. number: before wrapping and folding, from 0."""
        self._unfold_around(number)
        self._scroll_to_place(self._place_of(number), number)

    def _scroll_to_place(self, place: int, line: int, above: int = 0) -> None:
        """Scroll to a part of a line, or to it as soon as it is laid out."""
        self._cursor = place
        self.scroll_to(y=max(0, place - above), animate=False)
        self.refresh()
        if not self._lines_of or self._lines_of[-1] < line:
            self._wanted = line

    def go_to_hit(self, by: int) -> bool:
        """Scroll to the next line with the needle, or to the previous one; return False when there is none.

        What is folded around it is unfolded.
        """
        needle, number = self.needle.casefold(), len(self._given)
        order = range(self._hit_line + 1, number) if by > 0 else range(self._hit_line - 1, -1, -1)
        around = range(number) if by > 0 else range(number - 1, -1, -1)  # past the end the other one is the first
        found = (line for lines in (order, around) for line in lines if needle in self._given[line].casefold())
        hit = next(found, None) if needle else None
        if hit is None:
            return False
        self._hit_line = hit
        self._unfold_around(hit)
        body, place = self._body(hit).casefold(), self._place_of(hit)
        at = body.find(needle)
        while place + 1 < len(self._lines_of) and self._lines_of[place + 1] == hit and self._begins[place + 1] <= at:
            place += 1
        self._scroll_to_place(place, hit, above=1)
        return True

    # -- folds

    def toggle_fold(self, line: int | None = None) -> None:
        """Fold or unfold what a line opens, else what it is in. line: None for the one under the cursor."""
        wanted = self._line_of(self._cursor) if line is None else line
        opened = wanted if wanted in self._folds else next(reversed(around(wanted, self._folds)), None)
        if opened is not None:
            self._fold(self._folded ^ {opened}, opened)

    def toggle_all(self) -> None:
        """Unfold all that is folded; where nothing is, fold all below the top."""
        line = self._line_of(self._cursor)
        self._fold(set() if self._folded else below_the_top(self._given, self._folds), line)

    def _unfold_around(self, line: int) -> None:
        """Unfold what hides a line."""
        opened = {opened for opened in self._folded if opened < line <= self._folds[opened]}
        if opened:
            hit, cursor = self._hit_line, self._line_of(self._cursor)
            self._fold(self._folded - opened, cursor)
            self._hit_line = hit

    def _fold(self, folded: set[int], line: int) -> None:
        """Fold some elements and no others; the cursor goes to a line."""
        first = min(self._folded ^ folded, default=0)
        self._folded = folded
        self._hit_line = -1
        self._lay_out(first, wanted=line)
        self._show_cursor_line()

    # -- mouse and drawing

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        place = -1 if at is None else at.y + int(self.scroll_offset.y)
        if at is None or not self._folds or not 0 <= place < len(self._lines_of):
            return
        self._point_at(place)
        line = self._lines_of[place]
        front = self._front_width(line, max(_LEAST_WIDTH, self._width))
        if line in self._folds and not self._begins[place] and 0 <= at.x - front + len(_NO_SIGN) < 2:
            self.toggle_fold(line)

    def draw_line(self, y: int) -> Strip:
        place, found = y + int(self.scroll_offset.y), colours.colours_of(self.app)
        if place >= len(self._lines_of):
            return draw_cells([], found, self.size.width)
        is_current = self.has_cursor and self.is_tree and place == self._cursor
        ground = colours.CURSOR if is_current else colours.PLAIN
        return draw_cells(mark_hits(self._line_cells(place), self.needle), found, self.size.width, ground)

    def _line_cells(self, place: int) -> list[Cell]:
        line, begin = self._lines_of[place], self._begins[place]
        if self._at_words:
            return [(self._pieces[line][begin], colours.TEXT)]
        is_last = place + 1 >= len(self._lines_of) or self._lines_of[place + 1] != line
        width = max(_LEAST_WIDTH, self._width)
        front = self._front(line, width)
        shown = front if not begin else " " * len(front)
        sign = max(0, len(shown) - len(_NO_SIGN))
        if line not in self._coloured:
            self._coloured[line] = CutCells(self._cells(line))
        end = sys.maxsize if is_last else self._begins[place + 1]
        body = self._coloured[line].cut(begin, end)
        return [(shown[:sign], colours.DIM), (shown[sign:], colours.KEY), *body] if shown else body
