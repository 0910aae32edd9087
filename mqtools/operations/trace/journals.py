"""Events of traced messages in the journal of a queue manager."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.mqi import authority
from mqtools.operations.queue_manager_view import QueueManagerView
from mqtools.store import queues
from mqtools.store.messages import journal_events
from mqtools.store.scans import scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mqtools.rules.selector.selector import Selector
    from mqtools.store.messages.journal_events import Event

#: Messages that are examined by a selector at a time.
_PAGE = 1000


class JournalSource:
    """Journal of a queue manager, read without a connection to it."""

    is_live = True

    def __init__(self, path: str) -> None:
        self._view = QueueManagerView(path)
        self._db = self._view.db
        authority.check_reader_of_all(self._db, "BROWSE")
        self.name = self._view.name

    def close(self) -> None:
        """Close the file."""
        self._view.close()

    def version(self) -> int:
        """Return a number that changes when somebody else has changed the file; next to free."""
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

    def on_queues(self, field: str, ids: Iterable[bytes]) -> list[Event]:
        """Return the messages with one of some identifiers that lie on queues now, as events without a name."""
        with self._db.reading():
            return [self._named(event) for event in journal_events.on_queues(self._db, field, ids)]

    def ids_between(self, low: bytes, high: bytes) -> set[bytes]:
        """Return identifiers in a range; a few of them if there are many."""
        with self._db.reading():
            return journal_events.ids_between(self._db, low, high)

    def levels(self) -> dict[str, list[tuple[int, int]]]:
        """Return for each queue the values that its attribute JOURNAL has had, each with since when (milliseconds)."""
        return journal_events.levels(self._db)

    def removed_at(self) -> int | None:
        """Return when the latest event happened that is no longer kept (milliseconds), None where all are."""
        return journal_events.removed_at(self._db)

    def journaled_queues(self) -> list[str]:
        """List the queues that have a journal."""
        return queues.journaled_names(self._db)

    def selected_ids(self, selector: Selector) -> set[bytes]:
        """Return the message ids of the events and messages that a selector selects. Raises MQError."""
        found = {stored for stored in self._selected(selector, scan.JOURNAL)}
        for name in self._view.queue_names():
            queue = queues.by_name(self._db, name)
            if queue is not None:
                found.update(self._selected(selector, scan.MESSAGES, queue.id))
        return found

    def _selected(self, selector: Selector, table: str, queue_id: int | None = None) -> Iterator[bytes]:
        from mqtools.mqi.get import search

        with self._db.reading():
            bounds = scan.journal_bounds(self._db) if queue_id is None else scan.bounds(self._db, queue_id)
        if bounds is None:
            return
        wanted = scan.Scan(table, queue_id, [selector.predicate])
        after, last = bounds[0] - 1, bounds[1]
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
