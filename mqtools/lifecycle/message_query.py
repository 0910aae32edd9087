"""The messages that a lifecycle verb is about: how the store seeks them, and the search for them."""

from __future__ import annotations

from mqtools.mqi.get import search
from mqtools.predicates import ANYTHING
from mqtools.records import Record
from mqtools.store.messages import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mqtools.mqi.get.resumable_search import ResumableSearch
    from mqtools.mqi.transaction import ConnectionState, Work
    from mqtools.predicates import Predicate
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue


class MessageQuery(Record):
    """The messages that a lifecycle verb is about.

    fields: equalities that the store seeks by.  predicate: what else it narrows by, None for nothing.  accept: the test
    of what it finds, None for no other.  matches: that part of it that may be asked outside of the transaction, where
    the search may take long: None where it is done in the transaction.
    """

    __slots__ = ("fields", "predicate", "accept", "matches", "_search")

    def __init__(
        self,
        fields: dict[str, object],
        predicate: Predicate | None,
        accept: Callable[[StoredMessage], bool] | None,
        matches: Callable[[StoredMessage], bool] | None = None,
    ) -> None:
        self.fields = fields
        self.predicate = predicate
        self.accept = accept
        self.matches = None if messages.is_sought(fields) else matches
        self._search: ResumableSearch | None = None

    def first(self, work: Work, queue: Queue) -> StoredMessage | None:
        """Return the first unlocked one in the order of delivery; None also where the search is unfinished."""
        if self._may_pause(work):
            return next(self.found(work, queue), None)
        return search.first(work, queue, self.fields, predicate=self.predicate, accept=self.accept)

    def found(self, work: Work, queue: Queue) -> Iterator[StoredMessage]:
        """Yield the unlocked ones in the order of delivery, all of them unless the search is unfinished."""
        if not self._may_pause(work):
            return search.found(work, queue, self.fields, predicate=self.predicate, accept=self.accept)
        if self._search is None or self._search.queue_id != queue.id:  # the name may mean another queue by now
            from mqtools.mqi.get.resumable_search import ResumableSearch

            assert self.matches is not None
            self._search = ResumableSearch(queue.id, self.fields, self.predicate or ANYTHING, self.matches)
        return self._search.found(work, queue, accept=self.accept)

    def _may_pause(self, work: Work) -> bool:
        return self.matches is not None and work.is_outermost

    @property
    def is_unfinished(self) -> bool:
        """Whether the search has to go on outside of the transaction, and then be done again."""
        return self._search is not None and self._search.is_unfinished

    def resume(self, connection: ConnectionState, enough: int | None = 1) -> None:
        """Continue the search to so many messages, or to the end."""
        assert self._search is not None
        self._search.resume(connection.db, enough)
