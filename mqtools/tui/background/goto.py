"""Go to a position in the list: parsing of the input, and the page around the row.

Cost does not grow with depth: numbers are exact up to a limit (see ``source``), times are found by bisection.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from mqtools.formats.phrases import grouped
from mqtools.formats.times import parse_time
from mqtools.formats.units import parse_duration_s, parse_percent
from mqtools.operations.stored_messages import load_message
from mqtools.operations.views.message_view import Database
from mqtools.operations.views.queue_pages import END, QueuePages
from mqtools.tui.background.source import BEGIN, page_at, page_before, page_behind
from mqtools.tui.display.outcome import format_count
from mqtools.tui.display.times import LOCAL_TIME, to_datetime
from mqtools.tui.display.window import QueuePage


class Position(NamedTuple):
    """Requested position; exactly one field is set.

    number: of a message, from 1; negative from the end, -1 is the last.  part: of the list, 0 to 1.  at_ms: of the
    first message that arrived then or later, in milliseconds since 1970.
    """

    number: int = 0
    part: float | None = None
    at_ms: int | None = None


class PositionPage(NamedTuple):
    """Page around a position.

    cursor: index of the row in the page.  number: of that row, None if unknown.  is_near: the number is approximate.
    total: messages of the list.  words: remark for the operator, maybe empty.
    """

    page: QueuePage
    cursor: int
    total: int
    number: int | None = None
    is_near: bool = False
    words: str = ""


def read_place(db: Database, source: QueuePages, limit: int, place: int) -> PositionPage:
    """Read the rows around an order key; the cursor is on the first at or after it, else on the last."""
    page, cursor = page_at(db, source, place, limit)
    return PositionPage(page, cursor, source.total(db))


def read_first(db: Database, source: QueuePages, limit: int) -> PositionPage:
    return PositionPage(page_behind(db, source, BEGIN, limit), 0, source.total(db))


def read_last(db: Database, source: QueuePages, limit: int) -> PositionPage:
    return PositionPage(page_before(db, source, END, limit), limit, source.total(db))


def read_place_of(db: Database, source: QueuePages, limit: int, seq: int) -> PositionPage:
    """Read the rows around a message by its key; the last ones when it is gone."""
    stored = load_message(db, seq)
    return read_place(db, source, limit, END if stored is None else stored.order_key)


def parse_position(text: str, now_ms: int, times: str) -> Position:
    """Parse a position: ``500``, ``-1``, ``50%``, ``14:30``, ``2026-11-22 14:30``, ``10m``, ``-10m``, ``10m ago``.

    A time is in UTC unless it has an offset or the list shows local times; without a date it is the most recent one.
    An age is counted back from now. Raises ValueError.
    """
    word = text.strip()
    if word.lstrip("+-").isdecimal() and word.isascii():
        return _number(word)
    if word.endswith("%"):
        return Position(part=parse_percent(word) / 100)
    at = _instant(word, now_ms, times)
    if at is not None:
        return Position(at_ms=at)
    try:
        return Position(at_ms=now_ms - round(parse_duration_s(word.removesuffix("ago").removeprefix("-")) * 1000))
    except ValueError:
        forms = "a number (500, -1), a part (50%), a time (14:30, 2026-11-22 14:30), an age (15m, 3d)"
        raise ValueError(f"{text!r} is not a position: use {forms}") from None


def parse_instant(text: str, now_ms: int) -> int:
    """Parse an instant as ``parse_time`` does, or an age without a sign, as ``15m``. Raises ValueError."""
    word = text.strip()
    is_age = word.isalnum() and word[0].isdecimal() and word[-1].isalpha()
    return parse_time(f"-{word}" if is_age else word, now_ms)


def _number(word: str) -> Position:
    try:
        number = int(word)
    except ValueError:  # several signs, or thousands of digits
        number = 0
    if number == 0:
        raise ValueError(f"{word[:20]} is not a message number: 1 is the first, -1 the last")
    return Position(number=number)


def _instant(word: str, now_ms: int, times: str) -> int | None:
    """Parse a date, a time, or both to milliseconds since 1970; return None for anything else."""
    now = to_datetime(now_ms, times)
    try:
        if "-" in word:
            at = datetime.fromisoformat(word)
        else:
            alone = time.fromisoformat(word if ":" in word else "")
            at = datetime.combine(now.date(), alone)
    except ValueError:
        return None
    try:
        if at.tzinfo is None:
            at = at.astimezone() if times == LOCAL_TIME else at.replace(tzinfo=UTC)
        if "-" not in word and at > now:
            at -= timedelta(days=1)
        return round(at.timestamp() * 1000)
    except (OverflowError, OSError) as error:
        raise ValueError(f"{word} is outside the calendar") from error


def read_position(
    db: Database, source: QueuePages, position: Position, known: tuple[int, int] | None, limit: int
) -> PositionPage:
    """Read the page around a position. known: number and order key of a row, if one is known."""
    with db.reading():
        if position.at_ms is not None:
            return _read_since(db, source, position.at_ms, limit)
        total = source.total(db)
        number = position.number if position.part is None else 1 + round(position.part * (total - 1))
        wanted = number if number > 0 else total + 1 + number
        reached = max(1, min(total, wanted))
        words = "" if reached == wanted else f"there {'is' if total == 1 else 'are'} {format_count(total)}"
        place, is_near = source.place_of(db, reached, total, known)
        page, cursor = page_at(db, source, place, limit)
        if is_near:
            words = f"near {grouped(reached)}: numbers far from both ends are estimated; repeat to come nearer"
        return PositionPage(page, cursor, total, number=reached, is_near=is_near, words=words)


def _read_since(db: Database, source: QueuePages, at_ms: int, limit: int) -> PositionPage:
    place = source.first_since(db, at_ms)
    page, cursor = page_at(db, source, END if place is None else place, limit)
    words = "no message has arrived since; this is the last" if place is None and page.rows else ""
    return PositionPage(page, cursor, source.total(db), words=words)
