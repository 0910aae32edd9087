"""Sort of a list of messages by a column. Runs in a thread of its own, then in that of the reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from time import sleep
from typing import Any

from mqtools.errors import MessageDamaged
from mqtools.formats.phrases import grouped
from mqtools.operations.stored_messages import load_data
from mqtools.operations.views.message_view import Database, StoredMessage
from mqtools.operations.views.queue_pages import QueuePages
from mqtools.operations.views.queue_search import Search
from mqtools.operations.views.sorted_pages import SortedPages, SortOrder
from mqtools.tui.background.source import BEGIN
from mqtools.tui.display.columns import DATA, SEQUENCE, Seen, column_of
from mqtools.tui.display.outcome import Outcome
from mqtools.tui.display.row import BEGINNING_BYTES, Row, make_row
from mqtools.tui.display.times import UTC_TIME

#: Most messages that are sorted.
MOST = 100_000
#: Messages at a time, and the pause until the next (seconds): the thread that draws needs the interpreter, too.
_PAGE, _PAUSE_S = 100, 0.001
#: Column to what is compared where that is not its text.
_VALUES: dict[str, Callable[[Row], Any]] = {
    "time": lambda row: row.put_at,
    "expiry": lambda row: inf if row.expires_at is None else row.expires_at,
    "length": lambda row: row.length,
    "msg_id": lambda row: row.md.msg_id.hex(),
    "correl_id": lambda row: row.md.correl_id.hex(),
    "group_id": lambda row: row.md.group_id.hex(),
    SEQUENCE: lambda row: row.md.msg_seq_number,
    DATA: lambda row: row.beginning,
}


def order_by(column: str, *, descending: bool) -> SortOrder:
    return SortOrder(column, descending, partial(_value_of, column))


def _value_of(column: str, db: Database, stored: StoredMessage) -> tuple[int, Any]:
    """Return what is compared: numbers come before texts, and what is missing comes last."""
    try:
        row = make_row(stored, load_data(db, stored.seq, BEGINNING_BYTES))
    except MessageDamaged:
        return (2, "")
    value = _VALUES[column](row) if column in _VALUES else column_of(column).text(row, (0, UTC_TIME), Seen())
    if not isinstance(value, str):
        return (0, value)
    try:
        number = float(value)
    except ValueError:
        return (1 if value else 2, value.casefold())
    return (0, number) if number == number else (1, value)  # not a NaN


def sort_pages(
    db: Database, source: QueuePages, search: Search | None, order: SortOrder, take: Callable[[SortedPages], None]
) -> Iterator[Outcome]:
    """Sort a list; yield how many messages were read. take: takes the result.

    Raises ValueError: there are more than MOST.
    """
    outcome = Outcome(source.total(db))
    found: list[tuple[Any, int]] = []
    place = BEGIN
    while page := source.behind(db, place, _PAGE):
        if len(found) > MOST:
            raise ValueError(f"more than {grouped(MOST)} messages cannot be sorted; filter them first")
        found += [(order.key_of(db, stored), stored.seq) for stored in page]
        place = page[-1].order_key
        outcome.done = len(found)
        sleep(_PAUSE_S)
        yield outcome
    take(SortedPages(source, search, order, found))
    yield outcome
