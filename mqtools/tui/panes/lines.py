"""Scrollable lines of plain text: only those on the screen are drawn, without markup; elements of a tree fold."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

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


class _Piece(NamedTuple):
    """A line of the screen. line: index of the line that it is a part of.  begin, end: the part.  front: before it."""

    line: int
    begin: int
    end: int
    front: str


class LinesView(ScrollView, ChangedLines, can_focus=False):
    """A list of lines, already safe to show, wrapped to the width.

    needle: highlighted in them, ignoring case.  at_words: break between words.  syntax: of ``highlight``.
    has_cursor: whether the cursor is shown, which only lines with folds have.
    """

    DEFAULT_CSS = "LinesView { overflow-x: hidden; scrollbar-gutter: stable; scrollbar-size: 0 1; }"

    def __init__(self, *, id: str | None = None, at_words: bool = False) -> None:
        super().__init__(id=id)
        self._at_words = at_words
        self._given: list[str] = []
        self._folds: Folds = {}
        self._folded: set[int] = set()
        self._pieces: list[_Piece] = []
        self._texts: list[str] = []
        self._coloured: dict[int, CutCells] = {}  # lines that were drawn
        self._is_numbered = False
        self._cursor = 0  # index of a piece
        self._width = 0
        self.needle = ""
        self.syntax = ""
        self.has_cursor = False
        self._hit_line = -1

    @property
    def text(self) -> str:
        """The lines as they are on the screen, as one text."""
        return "\n".join(self._texts)

    @property
    def is_tree(self) -> bool:
        """Whether there is something to fold."""
        return bool(self._folds)

    def show(
        self, lines: list[str], folds: Folds | None = None, *, is_numbered: bool = False, keep_place: bool = False
    ) -> None:
        """Replace the lines.

        folds: of ``folds.find_folds``.  is_numbered: with their numbers.  keep_place: keep the scroll position and what
        is folded, instead of going to the top.
        """
        self._given, self._folds, self._is_numbered = lines, folds or {}, is_numbered
        self._folded = self._folded & self._folds.keys() if keep_place else set()
        self._lay_out()
        self._hit_line = -1
        if not keep_place:
            self._cursor = 0
            self.scroll_to(0, 0, animate=False)
        self.refresh()

    # -- layout

    def _lay_out(self) -> None:
        self._width = self.scrollable_content_region.width  # without the scroll bar
        width = max(_LEAST_WIDTH, self._width)
        self._pieces, self._texts, self._coloured = [], [], {}
        for number in unfolded(len(self._given), self._folds, self._folded):
            self._lay_out_line(number, width)
        self._cursor = max(0, min(self._cursor, len(self._pieces) - 1))
        self.virtual_size = Size(width, max(1, len(self._pieces)))

    def _lay_out_line(self, number: int, width: int) -> None:
        front = self._front(number, width)
        at = 0
        for text in wrap_lines([self._body(number)], width - len(front), at_words=self._at_words):
            self._pieces.append(_Piece(number, at, at + len(text), front))
            self._texts.append(front + text)
            at += len(text)
            front = " " * len(front)

    def _front(self, number: int, width: int) -> str:
        """Return number, indentation and sign of a line, at most half of the width."""
        if not self._folds:
            return ""
        counted = f"{number + 1:>{len(str(len(self._given)))}} " if self._is_numbered else ""
        sign = _NO_SIGN if number not in self._folds else _FOLDED if number in self._folded else _UNFOLDED
        room = max(0, width // 2 - len(counted) - len(sign))
        return counted + " " * min(indent_of(self._given[number]), room) + sign

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
        if self.scrollable_content_region.width != self._width:
            line = self._line_of(self._cursor)
            self._lay_out()
            self._cursor = self._piece_of(line)
            self.refresh()

    def _line_of(self, piece: int) -> int:
        return self._pieces[piece].line if piece < len(self._pieces) else 0

    def _piece_of(self, line: int) -> int:
        """Return the first piece of a line; of a line that is folded away, that of what it is in."""
        found = bisect_left(self._pieces, line, key=lambda piece: piece.line)
        if found < len(self._pieces) and self._pieces[found].line == line:
            return found
        return max(0, found - 1)

    # -- movement

    def move(self, by: int) -> None:
        """Move the cursor by lines of the screen; scroll where there is no cursor."""
        if not self._folds:
            self.scroll_to(y=self.scroll_y + by, animate=False)
            return
        self._point_at(self._cursor + by)

    def _point_at(self, piece: int) -> None:
        self._cursor = max(0, min(len(self._pieces) - 1, piece))
        top, height = int(self.scroll_offset.y), max(1, self.size.height)
        if not top <= self._cursor < top + height:
            self.scroll_to(y=self._cursor - (0 if self._cursor < top else height - 1), animate=False)
        self.refresh()

    def go_to_line(self, number: int) -> None:
        """Scroll to a line. number: before wrapping and folding, from 0."""
        self._unfold_around([number])
        place = self._piece_of(number)
        self._cursor = place
        self.scroll_to(y=place, animate=False)
        self.refresh()

    def go_to_hit(self, by: int) -> bool:
        """Scroll to the next line with the needle, or to the previous one; return False when there is none.

        What is folded around hits is unfolded.
        """
        needle = self.needle.casefold()
        if needle and self._folded:
            self._unfold_around([number for number, line in enumerate(self._given) if needle in line.casefold()])
        hits = [number for number, line in enumerate(self._texts) if needle and needle in line.casefold()]
        if not hits:
            return False
        later = [number for number in hits if (number > self._hit_line if by > 0 else number < self._hit_line)]
        self._hit_line = (later[0] if by > 0 else later[-1]) if later else (hits[0] if by > 0 else hits[-1])
        self._cursor = self._hit_line
        self.scroll_to(y=max(0, self._hit_line - 1), animate=False)
        self.refresh()
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

    def _unfold_around(self, lines: list[int]) -> None:
        """Unfold what hides some lines, in ascending order."""
        opened = {
            opened for opened in self._folded if bisect_right(lines, opened) < bisect_right(lines, self._folds[opened])
        }
        if opened:
            self._fold(self._folded - opened, self._line_of(self._cursor))

    def _fold(self, folded: set[int], line: int) -> None:
        """Fold some elements and no others; the cursor goes to a line."""
        self._folded = folded
        self._hit_line = -1
        self._lay_out()
        self._point_at(self._piece_of(line))

    # -- mouse and drawing

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        place = -1 if at is None else at.y + int(self.scroll_offset.y)
        if at is None or not self._folds or not 0 <= place < len(self._pieces):
            return
        self._point_at(place)
        piece = self._pieces[place]
        if piece.line in self._folds and not piece.begin and 0 <= at.x - len(piece.front) + len(_NO_SIGN) < 2:
            self.toggle_fold(piece.line)

    def draw_line(self, y: int) -> Strip:
        place, found = y + int(self.scroll_offset.y), colours.colours_of(self.app)
        if place >= len(self._pieces):
            return draw_cells([], found, self.size.width)
        is_current = self.has_cursor and self.is_tree and place == self._cursor
        ground = colours.CURSOR if is_current else colours.PLAIN
        return draw_cells(mark_hits(self._line_cells(place), self.needle), found, self.size.width, ground)

    def _line_cells(self, place: int) -> list[Cell]:
        if not self.syntax:
            return [(self._texts[place], colours.TEXT)]
        piece = self._pieces[place]
        sign = max(0, len(piece.front) - len(_NO_SIGN))
        front: list[Cell] = [(piece.front[:sign], colours.DIM), (piece.front[sign:], colours.KEY)]
        if piece.line not in self._coloured:
            self._coloured[piece.line] = CutCells(self._cells(piece.line))
        return [*front, *self._coloured[piece.line].cut(piece.begin, piece.end)]
