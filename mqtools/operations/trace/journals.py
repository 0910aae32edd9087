"""Events of traced messages in the journal of a queue manager."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from mqtools.constants.structures import MQMI_NONE
from mqtools.mqi import authority
from mqtools.mqi.get import search
from mqtools.operations.queue_manager_view import QueueManagerView
from mqtools.predicates import Condition
from mqtools.rules.selector.selector import Selector
from mqtools.store import queues
from mqtools.store.messages import history, journal_events
from mqtools.store.messages.journal_events import Event
from mqtools.store.messages.stored_message import ID_INDEXES
from mqtools.store.scans import key_ranges, scan

if TYPE_CHECKING:
    from mqtools.operations.trace.archives import ArchiveSource  # imports pyarrow

#: Where events come from: the journal of a queue manager, or an archive.
EventSource: TypeAlias = "JournalSource | ArchiveSource"

#: Messages that a selector examines at a time, and numbers of events in one search for them.
_PAGE, _STEP = 1000, 100_000
_ID_LENGTH = len(MQMI_NONE)


def _nothing(number: int) -> None:
    """Show no progress."""


def _sought(selector: Selector) -> dict[str, bytes]:
    """Return the identifiers that all events which a selector selects have, and that have an index."""
    return {
        field: value
        for field, value in selector.index_terms().items()
        if field in ID_INDEXES and isinstance(value, bytes) and len(value) == _ID_LENGTH and any(value)
    }


class JournalSource:
    """Journal of a queue manager, read without a connection to it."""

    is_live = True

    def __init__(self, path: str) -> None:
        self._view = QueueManagerView(path)
        self._db = self._view.db
        authority.check_reader_of_all(self._db, "BROWSE")
        self.name = self._view.name
        self._read_until = 0
        self._selected_events: set[bytes] = set()

    def close(self) -> None:
        self._view.close()

    def version(self) -> int:
        """Return a number that changes when another program has changed the file; next to free."""
        return self._db.version()

    def events(self, field: str, ids: Iterable[bytes]) -> list[Event]:
        """Return the events of the messages with one of some identifiers, and what is uncommitted of them now."""
        wanted = list(ids)
        with self._db.reading():
            found = [
                *journal_events.of_ids(self._db, field, wanted),
                *journal_events.held_of_ids(self._db, field, wanted),
            ]
        return [self._named(event) for event in found]

    def replays(self, ids: Iterable[bytes]) -> list[Event]:
        """Return the events of replays that gave a new id to a message with one of some ids."""
        with self._db.reading():
            return [self._named(event) for event in journal_events.replays_of_ids(self._db, ids)]

    def on_queues(self, field: str, ids: Iterable[bytes]) -> list[Event]:
        """Return the messages on queues that have one of some identifiers, as events without a name."""
        with self._db.reading():
            return [self._named(event) for event in journal_events.on_queues(self._db, field, ids)]

    def ids_between(self, low: bytes, high: bytes) -> set[bytes]:
        """Return identifiers in a range; a few of them if there are many."""
        with self._db.reading():
            return journal_events.ids_between(self._db, low, high)

    def levels(self) -> dict[str, list[tuple[int, int]]]:
        """Return for each queue the values that its attribute JOURNAL has had, each with since when (milliseconds)."""
        return journal_events.levels(self._db)

    def removed_at(self) -> int:
        """Return the time of the latest removed event (milliseconds), 0 if all are kept."""
        return history.removed_at(self._db)

    def journaled_queues(self) -> list[str]:
        return queues.journaled_names(self._db)

    def unread(self, selector: Selector) -> int:
        """Return how many events ``selected_ids`` reads at most; 0 where an identifier narrows them."""
        if _sought(selector):
            return 0
        with self._db.reading():
            first, last = scan.journal_bounds(self._db)
        return last - max(self._read_until, first - 1)

    def selected_ids(self, selector: Selector, advance: Callable[[int], None] = _nothing) -> set[bytes]:
        """Return the message ids of the events and messages that a selector, always the same, selects. Raises MQError.

        Events that were read are not read again.  advance: called with a number of events that have been read.
        """
        sought = _sought(selector)
        if sought:
            self._selected_events = self._of_identifiers(selector, sought)
        else:
            self._read_events(selector, advance)
        found = set(self._selected_events)
        narrowed = [*(Condition(field, "=", value) for field, value in sought.items()), selector.predicate]
        for name in self._view.queue_names():
            queue = queues.by_name(self._db, name)
            if queue is not None:
                found.update(self._on_queue(selector, scan.Scan(scan.MESSAGES, queue.id, narrowed)))
        return found

    def _of_identifiers(self, selector: Selector, sought: dict[str, bytes]) -> set[bytes]:
        field, value = next(iter(sought.items()))
        with self._db.reading():
            found = journal_events.messages_of_id(self._db, field, value)
        return {stored.md.msg_id for stored in found if search.selects(selector, stored, stored.put_at)}

    def _read_events(self, selector: Selector, advance: Callable[[int], None]) -> None:
        """Read the events that have not been read, in steps of so few that none takes long."""
        wanted = scan.Scan(scan.JOURNAL, None, [selector.predicate])
        with self._db.reading():
            first, last = scan.journal_bounds(self._db)
        begin = max(self._read_until, first - 1)
        for after in range(begin, last, _STEP):
            until = min(after + _STEP, last)
            self._selected_events.update(self._selected(selector, wanted, after, until))
            self._read_until = until
            advance(until - after)

    def _on_queue(self, selector: Selector, wanted: scan.Scan) -> Iterator[bytes]:
        assert wanted.queue_id is not None
        with self._db.reading():
            first, end = key_ranges.key_range(self._db, wanted.queue_id)
        yield from self._selected(selector, wanted, first - 1, end - 1)

    def _selected(self, selector: Selector, wanted: scan.Scan, after: int, last: int) -> Iterator[bytes]:
        while True:
            with self._db.reading():
                page = scan.stored_messages(self._db, wanted, after, last, _PAGE)
            for key, stored in page:
                after = key
                if search.selects(selector, stored, stored.put_at):
                    yield stored.md.msg_id
            if len(page) < _PAGE:
                return

    def _named(self, event: Event) -> Event:
        event.qmgr = self.name
        return event
