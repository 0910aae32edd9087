"""Window on a queue: the rows in memory around the screen, and the cursor.

Rows are identified by the key of their message, never by their number. So arrivals and removals elsewhere do not move
the line under the cursor.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from mqtools.tui.display.row import Row

#: Screens of rows that are read ahead in each direction, and the most that are kept on a side.
AHEAD = 2
_KEPT = 4
#: Time that the row of a gone message stays on the screen (milliseconds), unless it is under the cursor.
GONE_STAYS_MS = 5_000


class QueuePage(NamedTuple):
    """Consecutive rows of a queue, and whether they reach its start and its end."""

    rows: list[Row]
    at_start: bool
    at_end: bool


class Window:
    """Rows in memory. top, cursor: indexes of the row at the top of the screen and of the one under the cursor.

    height: lines of the screen.  counted: number of the first row in the queue, where it had to be counted.
    is_old: the queue has changed since, so ``counted`` is approximate.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.at_start = True
        self.at_end = True
        self.top = 0
        self.cursor = 0
        self.height = 1
        self.counted: int | None = None
        self.is_old = False

    @property
    def current(self) -> Row | None:
        return self.rows[self.cursor] if self.rows else None

    def clear(self) -> None:
        self.show(QueuePage([], at_start=True, at_end=True))

    def resize(self, height: int) -> None:
        """Set the number of lines; keep the cursor on the screen, and leave no line empty that could have a row."""
        self.height = max(1, height)
        self.top = max(0, min(self.top, len(self.rows) - self.height))
        self._keep_cursor_on_screen()

    def show(self, page: QueuePage, cursor: int = 0) -> None:
        """Replace the rows by a page, with the cursor on one of them, in the middle of the screen if possible."""
        self.rows, self.at_start, self.at_end, self.counted = page.rows, page.at_start, page.at_end, None
        self.is_old = False
        self.cursor = max(0, min(len(self.rows) - 1, cursor))
        self.top = max(0, min(len(self.rows) - self.height, self.cursor - self.height // 2))

    def move(self, by: int) -> None:
        self.cursor = max(0, min(len(self.rows) - 1, self.cursor + by))
        self._keep_cursor_on_screen()

    def scroll(self, by: int) -> None:
        self.top = max(0, min(len(self.rows) - self.height, self.top + by))
        self.cursor = max(self.top, min(self.top + self.height - 1, self.cursor, max(0, len(self.rows) - 1)))

    def point_at(self, line: int) -> bool:
        """Put the cursor on a line of the screen; return False when it has no row."""
        if not 0 <= line < min(self.height, len(self.rows) - self.top):
            return False
        self.cursor = self.top + line
        return True

    def _keep_cursor_on_screen(self) -> None:
        self.top = max(0, min(max(self.top, self.cursor - self.height + 1), self.cursor))

    # -- paging

    @property
    def wants_behind(self) -> bool:
        """Whether rows after the last are needed soon."""
        return not self.at_end and len(self.rows) - self.top < self.height * (1 + AHEAD)

    @property
    def wants_before(self) -> bool:
        """Whether rows before the first are needed soon."""
        return not self.at_start and self.top < self.height * AHEAD

    def extend_behind(self, rows: list[Row], *, at_end: bool) -> None:
        """Append rows, and drop those far above the screen."""
        self.rows = self.rows + rows
        self.at_end = at_end
        surplus = self.top - self.height * _KEPT
        if surplus > 0:
            if self.counted is not None:
                self.counted += _live(self.rows[:surplus])
            del self.rows[:surplus]
            self.top, self.cursor = self.top - surplus, self.cursor - surplus
            self.at_start = False

    def extend_before(self, rows: list[Row], *, at_start: bool) -> None:
        """Prepend rows, and drop those far below the screen."""
        self.rows = rows + self.rows
        self.top, self.cursor = self.top + len(rows), self.cursor + len(rows)
        self.at_start = at_start
        if self.counted is not None:
            self.counted -= len(rows)
        self.resize(self.height)  # the new rows may fill lines that were empty below
        self._drop_far_below()

    def _drop_far_below(self) -> None:
        kept = self.top + self.height * (1 + _KEPT)
        if len(self.rows) > kept:
            del self.rows[kept:]
            self.at_end = False

    # -- changes

    def renew(self, page: QueuePage, now_ms: int) -> None:
        """Replace the rows by their current state; the line under the cursor stays where it is on the screen.

        page: from before the first row to after the last, without a gap.  A row on the screen whose message is gone
        stays for a while, shown as gone; neighbours that are gone become one row, but for the one under the cursor.
        """
        there = {row.seq for row in page.rows}
        current, line = self.current, self.cursor - self.top
        gone = self._to_keep(there, now_ms)
        for row in gone:
            row.gone_at = now_ms if row.gone_at is None else row.gone_at
        rows = sorted([*page.rows, *gone], key=lambda row: row.order_key)
        self.at_start, self.at_end, self.counted = page.at_start, page.at_end, None
        place = next((place for place, row in enumerate(rows) if current is not None and row.seq == current.seq), 0)
        above = _collapse(rows[:place])
        if len(above) < line:
            above = rows[:place]  # otherwise the line under the cursor would move up
        self.rows = [*above, *rows[place : place + 1], *_collapse(rows[place + 1 :])]
        self.cursor = len(above)
        self.top = max(0, self.cursor - line)
        self._drop_far_below()

    def drop(self, keys: Collection[int]) -> bool:
        """Remove rows; the cursor goes to the next one that is left. Return whether there were any."""
        left = [row for row in self.rows if row.seq not in keys]
        if len(left) == len(self.rows):
            return False
        before = sum(row.seq not in keys for row in self.rows[: self.cursor])
        line = self.cursor - self.top
        self.rows, self.cursor = left, max(0, min(before, len(left) - 1))
        self.top = max(0, min(self.cursor - line, len(left) - self.height))
        self._keep_cursor_on_screen()
        return True

    def _to_keep(self, there: Collection[int], now_ms: int) -> list[Row]:
        """Return the rows of gone messages that stay: on the screen for a while, under the cursor for good."""
        kept = []
        for place, row in enumerate(self.rows):
            on_screen = self.top <= place < self.top + self.height
            is_fresh = row.gone_at is None or now_ms - row.gone_at < GONE_STAYS_MS
            if row.seq not in there and (place == self.cursor or (on_screen and is_fresh)):
                kept.append(row)
        return kept

    # -- numbers

    def number_of(self, place: int, total: int) -> int | None:
        """Return the number of a row in the queue, from 1; None where it must be counted. total: of the queue."""
        before = _live(self.rows[:place])
        if self.at_start:
            return before + 1
        if self.at_end:
            return max(1, total - _live(self.rows[place:]) + 1)
        return None if self.counted is None else self.counted + before

    @property
    def is_near(self) -> bool:
        """Whether the numbers are approximate."""
        return self.is_old and not self.at_start and not self.at_end

    def count_on(self, total: int) -> None:
        """Fix the number of the first row before other rows are read. total: messages on the queue."""
        self.counted = self.number_of(0, total)

    def count_from(self, number: int | None, *, is_near: bool = True) -> None:
        """Set the number of the row under the cursor. is_near: the number is approximate."""
        self.counted = None if number is None else max(1, number - _live(self.rows[: self.cursor]))
        self.is_old = is_near and number is not None


def _live(rows: Sequence[Row]) -> int:
    """Return the number of rows whose message still exists."""
    return sum(row.gone_at is None for row in rows)


def _collapse(rows: Sequence[Row]) -> list[Row]:
    """Return rows in which neighbours that are gone are one row; it counts from when the last of them went."""
    found: list[Row] = []
    for row in rows:
        if row.gone_at is None or not found or found[-1].gone_at is None:
            found.append(row)
        else:
            last = found[-1]
            number, gone_at = last.gone_number + row.gone_number, max(last.gone_at or 0, row.gone_at)
            found[-1] = replace(last, gone_number=number, gone_at=gone_at)
    return found
