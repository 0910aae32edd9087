"""The message list: reads pages of rows through the reader thread and keeps the window up to date.

Nothing here blocks. Invariant: an answer counts only in the turn in which its query was made; a late one is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from copy import copy
from dataclasses import KW_ONLY, dataclass
from functools import partial
from threading import Event
from time import monotonic
from typing import Any, NamedTuple

from mqtools.mqi.identity import now_ms
from mqtools.operations.views.message_view import Database
from mqtools.operations.views.queue_pages import HitPages, QueueDeleted, QueuePages
from mqtools.operations.views.queue_search import MessageFilter, Search
from mqtools.operations.views.sorted_pages import SortedPages, SortOrder
from mqtools.tui.background import goto
from mqtools.tui.background.reader import SomeReader, read_in_thread
from mqtools.tui.background.source import BEGIN, page_again, page_before, page_behind
from mqtools.tui.display.window import AHEAD, QueuePage, Window
from mqtools.tui.panes.messages_pane import MessagesPane

#: Least pause between two counts: seconds, and multiples of the time that counting took.
_LEAST_COUNT_S = 1.0
_COUNT_PAUSE = 20


class Listing(NamedTuple):
    """List of messages that is kept to be shown again. window: copy of the rows.  is_whole: the search had ended."""

    filter: MessageFilter | None
    source: QueuePages | None
    arrivals: Search | SortedPages | None
    window: Window
    total: int
    is_whole: bool


@dataclass(eq=False)
class MessageList:
    """The messages of one queue, or the hits of a filter, in a pane.

    reader: of the file, or of a queue as it was.  moved: called when another row may be under the cursor.
    failed: takes an error.  closed: called when the queue was deleted.
    """

    reader: SomeReader
    pane: MessagesPane
    _: KW_ONLY
    moved: Callable[[], None]
    failed: Callable[[Exception], None]
    closed: Callable[[], None]

    def __post_init__(self) -> None:
        self._turn = self._version = 0  # version: of the file, at the last read
        self._count_again_at = 0.0
        self._is_asking = self._is_stale = self.follows = False
        self._is_new = False  # the rows are still those of the list before
        self._arrivals: Search | SortedPages | None = None
        self._cancelled = Event()
        self.source: QueuePages | None = None
        self.filter: MessageFilter | None = None
        self.searched: int | None = None
        self.place_before: int | None = None  # order key of the row under the cursor before the filter

    @property
    def _limit(self) -> int:
        return max(20, self.pane.window.height * (1 + AHEAD))

    # -- queue and filter

    def open(self, q_name: str, wanted: MessageFilter | None = None, place: int | None = None) -> None:
        """List a queue, or the hits of a filter on it. place: order key to go to, None for the beginning."""
        self.cancel_search()
        self.filter, self.searched = wanted, None
        self.source, self._arrivals = None, None  # they belong to the queue that was listed before
        self._is_new = True
        self.pane.is_reading = True
        self._turn += 1
        limit = self._limit
        read = goto.read_first if place is None else partial(goto.read_place, place=place)

        def begin(db: Database) -> tuple[QueuePages, goto.PositionPage | Search]:
            if wanted is None:
                source = QueuePages(db, q_name)
                return source, read(db, source, limit)
            hits = HitPages(db, q_name)
            return hits, Search(db, hits, wanted)

        def begun(value: tuple[QueuePages, goto.PositionPage | Search]) -> None:
            self.source, found = value
            self._is_new = isinstance(found, Search)  # until there is a hit
            if isinstance(found, Search):
                self._arrivals = found
                self._search(found.wanted)
            else:
                self._show_page(found)

        self._ask(begin, begun)

    def switch(self, reader: SomeReader, source: QueuePages, place: int) -> None:
        """List what another reader has of the queue, without a filter. place: order key to go to.

        The rows stay on the screen until the new ones are there.
        """
        self.cancel_search()
        self.reader, self.source = reader, source
        self.filter, self._arrivals = None, None
        self.follows = False
        self._load(partial(goto.read_place, place=place))

    @property
    def order(self) -> SortOrder | None:
        """The order of the list; None for that of delivery."""
        return self.source.order if isinstance(self.source, SortedPages) else None

    @property
    def unsorted(self) -> tuple[QueuePages | None, Search | None]:
        """What is listed in the order of delivery, and the search for later hits."""
        if isinstance(self.source, SortedPages):
            return self.source.base, self.source.search
        return self.source, self._arrivals if isinstance(self._arrivals, Search) else None

    def show_sorted(self, source: SortedPages) -> None:
        """List messages in another order, from the first on."""
        self.source = self._arrivals = source
        self.first()

    def deliver_order(self) -> None:
        """List the messages in the order of delivery again, with the cursor on the same one."""
        row = self.pane.window.current
        self.source, self._arrivals = self.unsorted
        self._load(partial(goto.read_place_of, seq=-1 if row is None else row.seq))

    @property
    def is_shown(self) -> bool:
        """Whether the rows are those of the queue and the filter that were opened last."""
        return self.source is not None and not self._is_new

    def keep(self) -> Listing:
        """Return what is listed, for ``restore``."""
        window = copy(self.pane.window)
        if self.filter is None and window.current is not None and self.order is None:
            self.place_before = window.current.order_key
        window.rows = list(window.rows)
        is_whole = self.filter is None or self._cancelled.is_set()
        return Listing(self.filter, self.source, self._arrivals, window, self.pane.total, is_whole)

    def restore(self, before: Listing) -> None:
        """List again what was listed before, with the line under the cursor where it was."""
        self.cancel_search()
        self._turn += 1
        self._is_asking = self._is_stale = self._is_new = False
        self.filter, self.source, self._arrivals = before.filter, before.source, before.arrivals
        before.window.resize(self.pane.window.height)
        self.pane.window, self.pane.total = before.window, before.total
        if self.filter is not None and not before.is_whole:
            self._search(self.filter)
        self._shown()
        self.renew()

    def close(self) -> None:
        """List nothing; drop the answers that are under way."""
        self.cancel_search()
        self.filter, self.source, self._arrivals = None, None, None
        self.follows = self._is_asking = self._is_stale = self._is_new = False
        self._turn += 1

    def _take_error(self, error: Exception) -> None:
        if isinstance(error, QueueDeleted):
            self.closed()
        else:
            self.failed(error)

    def _search(self, wanted: MessageFilter) -> None:
        cancelled = self._cancelled = Event()
        source = self.source
        assert isinstance(source, HitPages)

        def found(searched: Any) -> None:
            if not cancelled.is_set():
                self.searched = searched
                self._renew_hits(source)

        def done(value: Any) -> None:
            if cancelled.is_set():
                return
            if isinstance(value, Exception):
                self._take_error(value)
            self.cancel_search()
            self._renew_hits(source)

        read_in_thread(
            self.reader,
            lambda db: Search(db, source, wanted).run(db, cancelled.is_set),
            progress=found,
            answer=done,
            cancelled=cancelled,
        )

    def _renew_hits(self, source: HitPages) -> None:
        """Show the hits so far; the rows before them stay until there is one, or the search has ended."""
        if not self._is_new:
            self.renew()
        elif source.keys or self._cancelled.is_set():
            self.first()
        else:
            self.moved()

    @property
    def is_searching(self) -> bool:
        return self.searched is not None and not self._cancelled.is_set()

    def cancel_search(self) -> None:
        self.pane.is_reading = False
        self._cancelled.set()
        self.searched = None

    # -- position

    def first(self) -> None:
        self._load(goto.read_first)

    def last(self) -> None:
        self._load(goto.read_last)

    def go_to(self, position: goto.Position, landed: Callable[[str], None]) -> None:
        """Go to a position. landed: takes a remark about it, if there is one."""
        window, known = self.pane.window, None
        number = window.number_of(window.cursor, self.pane.total)
        if window.current is not None and window.current.gone_at is None and number is not None and not window.is_near:
            known = (number, window.current.order_key)
        self._load(lambda db, source, limit: goto.read_position(db, source, position, known, limit), landed)

    def _load(
        self,
        read: Callable[[Database, QueuePages, int], goto.PositionPage],
        landed: Callable[[str], None] | None = None,
        *,
        follows: bool = False,
    ) -> None:
        """Replace the rows by those at another position. follows: drop them if following has stopped by then."""
        source, limit = self.source, self._limit
        if source is None:
            return
        self._turn += 1

        def take(found: goto.PositionPage) -> None:
            if follows and not self.follows:
                self._is_stale = True
                return
            self._show_page(found)
            if landed is not None and found.words:
                landed(found.words)

        self._ask(lambda db: read(db, source, limit), take)

    def _show_page(self, found: goto.PositionPage) -> None:
        window = self.pane.window
        self.pane.total = found.total
        self.pane.is_reading = self.filter is not None and not self._cancelled.is_set()
        window.show(found.page, found.cursor)
        window.count_from(found.number, is_near=found.is_near)

    def drop(self, keys: Collection[int]) -> None:
        """Remove the rows of messages that this session has removed."""
        if self.pane.window.drop(keys):
            self._shown()

    def move(self, by: int) -> None:
        self.pane.window.move(by)
        self._shown()

    def _shown(self) -> None:
        """Draw, and read more rows when the screen comes near the end of those in memory."""
        self.pane.draw()
        self.moved()
        window = self.pane.window
        if self._is_asking or self._is_new:
            return
        if self._is_stale:
            self.renew()
        elif window.rows:
            if window.wants_behind:
                self._extend(page_behind, window.rows[-1].order_key)
            elif window.wants_before:
                self._extend(page_before, window.rows[0].order_key)
            elif window.number_of(window.cursor, self.pane.total) is None or (
                window.is_near and monotonic() >= self._count_again_at
            ):
                self._count()

    def _extend(self, read: Callable[[Database, QueuePages, int, int], QueuePage], place: int) -> None:
        source, limit = self.source, self._limit
        assert source is not None

        def take(page: QueuePage) -> None:
            window = self.pane.window
            window.count_on(self.pane.total)
            if read is page_behind:
                window.extend_behind(page.rows, at_end=page.at_end)
            else:
                window.extend_before(page.rows, at_start=page.at_start)

        self._ask(lambda db: read(db, source, place, limit), take)

    def _count(self) -> None:
        """Count the messages before the window; under constant traffic only from time to time."""
        source, window = self.source, self.pane.window
        assert source is not None
        place = window.rows[0].order_key

        def count(db: Database) -> tuple[int, float]:
            began = monotonic()
            return source.count_before(db, place), monotonic() - began

        def take(value: tuple[int, float]) -> None:
            number, took_s = value
            if window.rows and window.rows[0].order_key == place:
                window.counted, window.is_old = number + 1, False
                self._count_again_at = monotonic() + max(_LEAST_COUNT_S, took_s * _COUNT_PAUSE)

        self._ask(count, take)

    def _ask(self, question: Callable[[Database], Any], take: Callable[[Any], None]) -> None:
        """Run a query about the rows; until its answer only a new turn changes them."""
        turn = self._turn
        self._is_asking = True

        def answer(value: Any) -> None:
            if turn != self._turn:
                return
            self._is_asking = False
            self._is_new = self.source is None  # nothing is opened yet: the rows are still those of the list before
            if isinstance(value, Exception):
                self.pane.is_reading = self.is_searching
                self._take_error(value)
                return
            take(value)
            self._shown()

        self.reader.ask(question, answer)

    # -- changes

    def renew(self) -> None:
        """Read the listed rows again; the line under the cursor stays where it is on the screen."""
        source, window = self.source, self.pane.window
        if source is None or self._is_new:
            return
        if self._is_asking:
            self._is_stale = True
            return
        self._is_stale = False
        if self.follows:
            self._load(goto.read_last, follows=True)
            return
        arrivals = self._arrivals
        first, last = (window.rows[0].order_key, window.rows[-1].order_key) if window.rows else (0, 0)
        at_start, limit, is_empty = window.at_start, self._limit, not window.rows

        def reread(db: Database) -> tuple[QueuePage, int, int]:
            version = db.version()
            if arrivals is not None:
                arrivals.search_arrivals(db)
            if is_empty:
                return page_behind(db, source, BEGIN, limit), source.total(db), version
            return page_again(db, source, first, last, at_start=at_start), source.total(db), version

        def take(value: tuple[QueuePage, int, int]) -> None:
            page, total, version = value
            number = window.number_of(window.cursor, self.pane.total)
            is_near = window.is_old or (version, total) != (self._version, self.pane.total)
            self._version, self.pane.total = version, total
            if is_empty:
                window.show(page)
            else:
                window.renew(page, now_ms())
                window.count_from(number, is_near=is_near)

        self._ask(reread, take)
