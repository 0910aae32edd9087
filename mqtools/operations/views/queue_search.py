"""Search of a queue for a selection or a text, batch by batch, and of later arrivals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.headers.formats import is_header_format
from mqtools.mqi.identity import now_ms
from mqtools.operations import pushdown
from mqtools.operations.message_parts import split_at_body
from mqtools.operations.selection import EVERYTHING, Selection, compile_selection, select
from mqtools.operations.views.message_view import decode_for_display
from mqtools.operations.views.queue_pages import HitPages
from mqtools.predicates import ANYTHING, every
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import COLUMNS, StoredMessage, from_row
from mqtools.store.scans import pages
from mqtools.store.scans.filtered_scan import SHORT_DATA, QueueScan, ScanBatch, scan_batches

_PAGE = 500
#: Columns that are read where only the data matters.
_OF_DATA = f"seq, format, encoding, coded_char_set_id, {SHORT_DATA}"


class MessageFilter(NamedTuple):
    """Filter of messages.

    words: as typed.  text: searched in the whole data, ignoring case; empty for none.
    """

    words: str
    selection: Selection = EVERYTHING
    text: str = ""

    @property
    def needle(self) -> str:
        return self.text or self.selection.grep


class Search:
    """Search of a queue on one connection; adds the hits to a source as they are found.

    searched: messages examined so far.  wanted: the filter.
    """

    def __init__(self, db: Database, source: HitPages, wanted: MessageFilter) -> None:
        self.searched = 0
        self.source = source
        self.wanted = wanted
        self._text = wanted.text.casefold()
        self._bytes = wanted.text.lower().encode("ascii") if wanted.text.isascii() else b""
        self._test = compile_selection(db, source.queue_id, wanted.selection)
        of_text = pushdown.of_letters(wanted.text) if self._bytes else ANYTHING
        self._predicate = every([self._test.predicate(now_ms()), of_text])
        self._newest = pages.last_arrival(db, source.queue_id)

    def run(self, db: Database, is_cancelled: Callable[[], bool]) -> Iterator[int]:
        """Search the queue; yield the number of messages examined after each batch."""
        if self._has_place_or_index:
            found = select(db, self.source.queue_id, self.wanted.selection, all_states=True, with_expired=True)
            self.source.add(_key(stored) for stored in found if self._has_text(db, stored))
            self.searched = self.source.total(db)
            yield self.searched
            return
        is_of_data = self.wanted.selection.is_everything
        columns = _OF_DATA if is_of_data else COLUMNS
        scan = QueueScan(self.source.queue_id, self._predicate, columns, held=True, priority=self._test.priority)
        for each in scan_batches(db, scan):
            self.source.add(self._hits_in_data(db, each) if is_of_data else self._hits(db, each))
            self.searched += each.looked_at
            yield self.searched
            if is_cancelled():
                return

    def _hits(self, db: Database, found: ScanBatch) -> Iterator[tuple[int, int]]:
        candidates = (from_row(row[1:]) for row in found.rows)
        return (_key(stored) for stored in candidates if self._holds(db, stored))

    def _hits_in_data(self, db: Database, found: ScanBatch) -> Iterator[tuple[int, int]]:
        return ((row[0], row[1]) for row in found.rows if self._is_in(db, *row[1:]))

    def _is_in(self, db: Database, seq: int, format: str, encoding: int, ccsid: int, data: bytes | None) -> bool:
        if data is None:
            data = messages.load_data(db, seq)
        if self._bytes and ccsid == DEFAULT_CCSID and not is_header_format(format):
            return self._bytes in data.lower()  # ASCII in UTF-8 is ASCII
        return self._text in search_text(format, encoding, ccsid, data)

    @property
    def _has_place_or_index(self) -> bool:
        chosen = self.wanted.selection
        return bool(self._test.seek) or chosen.first is not None or chosen.last is not None

    def search_arrivals(self, db: Database) -> None:
        while True:
            arrived = pages.arrived_after(db, self.source.queue_id, self._newest, _PAGE)
            self.source.add(_key(stored) for stored in arrived if self._holds(db, stored))
            if arrived:
                self._newest = arrived[-1].seq
            if len(arrived) < _PAGE:
                return

    def _holds(self, db: Database, stored: StoredMessage) -> bool:
        return self._test.holds(stored, now_ms()) and self._has_text(db, stored)

    def _has_text(self, db: Database, stored: StoredMessage) -> bool:
        md = stored.md
        return not self._text or self._is_in(db, stored.seq, md.format, md.encoding, md.coded_char_set_id, None)


def _key(stored: StoredMessage) -> tuple[int, int]:
    return stored.order_key, stored.seq


def search_text(format: str, encoding: int, ccsid: int, data: bytes) -> str:
    """Return the data as text for a search: headers byte by byte, the body in its character set, case folded."""
    headers, body, encoding, ccsid = split_at_body(data, format, encoding, ccsid)
    return (headers.decode("latin-1") + decode_for_display(body, ccsid, encoding)).casefold()
