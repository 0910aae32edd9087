"""Rows of the message list, read page by page.

All of this runs in a reader thread, never in the one that draws.
"""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.errors import MessageDamaged
from mqtools.operations.stored_messages import load_data, load_message
from mqtools.operations.views.message_view import Database, StoredMessage, marked_keys, queue_manager_name
from mqtools.operations.views.queue_pages import END, QueuePages
from mqtools.tui.display.row import BEGINNING_BYTES, Row, make_row
from mqtools.tui.display.window import QueuePage

#: Place in front of the first row.
BEGIN = -1
#: Rows read at a time when a window is renewed, and the most before it.
_BEYOND = 200


def page_behind(db: Database, source: QueuePages, place: int, limit: int) -> QueuePage:
    """Read the rows after an order key; the first ones after BEGIN."""
    with db.reading():
        found = source.behind(db, place, limit)
        return QueuePage(_rows(db, found), at_start=place == BEGIN, at_end=len(found) < limit)


def page_before(db: Database, source: QueuePages, place: int, limit: int) -> QueuePage:
    """Read the rows before an order key; the last ones before END."""
    with db.reading():
        found = source.before(db, place, limit)
        return QueuePage(_rows(db, found), at_start=len(found) < limit, at_end=place == END)


def page_at(db: Database, source: QueuePages, place: int, limit: int) -> tuple[QueuePage, int]:
    """Read the rows around an order key; return them and the index of the first at or after it, else of the last."""
    with db.reading():
        found = source.behind(db, place - 1, limit)
        in_front = source.before(db, place, limit)
        rows = _rows(db, in_front + found)
        cursor = len(in_front) if found else max(0, len(rows) - 1)
        return QueuePage(rows, at_start=len(in_front) < limit, at_end=len(found) < limit), cursor


def page_again(db: Database, source: QueuePages, place: int, last: int, *, at_start: bool) -> QueuePage:
    """Read rows again, with what has arrived before, among and after them.

    place, last: order keys of the first and the last.  at_start: there was nothing before them.
    """
    with db.reading():
        found = source.behind(db, place - 1, _BEYOND)
        at_end = len(found) < _BEYOND
        while not at_end and found[-1].order_key <= last:
            more = source.behind(db, found[-1].order_key, _BEYOND)
            at_end = len(more) < _BEYOND
            found += more
        if at_start:
            in_front = source.before(db, place, _BEYOND)
            at_start = len(in_front) < _BEYOND
            found = in_front + found
        return QueuePage(_rows(db, found), at_start=at_start, at_end=at_end)


def read_rows(db: Database, keys: Sequence[int]) -> list[Row]:
    """Read the rows of messages by their keys; those that are gone are left out."""
    found = [load_message(db, seq) for seq in keys]
    return _rows(db, [stored for stored in found if stored is not None])


def _rows(db: Database, found: list[StoredMessage]) -> list[Row]:
    marked, q_mgr_name = marked_keys(db, found), queue_manager_name(db)
    rows = []
    for stored in found:
        try:
            row = make_row(stored, load_data(db, stored.seq, BEGINNING_BYTES), q_mgr_name)
        except MessageDamaged:  # the other messages remain readable
            row = make_row(stored, b"")
            row.beginning = "(the message is damaged)"
        row.is_marked = stored.seq in marked
        rows.append(row)
    return rows
