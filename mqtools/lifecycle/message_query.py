"""The messages that a lifecycle verb is about: how the store seeks them, and the search for them."""

from __future__ import annotations

from collections.abc import Callable

from mqtools.mqi.get import search
from mqtools.mqi.get.long_search import LongSearch
from mqtools.mqi.transaction import Work
from mqtools.predicates import ANYTHING, Predicate
from mqtools.records import Record
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue


class MessageQuery(Record):
    """The messages that a lifecycle verb is about.

    fields: equalities that the store seeks by.  predicate: what else it narrows by, None for nothing.  accept: the test
    of what it finds, None for no other.  matches: that part of it that may be asked outside of the transaction, where
    the search may take long: None where it is done in the transaction.  long_search: the search that may.
    """

    __slots__ = ("fields", "predicate", "accept", "matches", "long_search")

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
        self.long_search: LongSearch | None = None

    def first(self, work: Work, queue: Queue) -> StoredMessage | None:
        """Return the first unlocked one in the order of delivery; None also where the search is paused."""
        if self.matches is None or not work.is_outermost:
            return search.first_available(work, queue, self.fields, predicate=self.predicate, accept=self.accept)
        if self.long_search is None or self.long_search.queue.id != queue.id:  # the name may mean another queue by now
            self.long_search = LongSearch(queue, self.fields, self.predicate or ANYTHING, self.matches)
        return search.first_available(work, queue, self.fields, accept=self.accept, long_search=self.long_search)

    @property
    def is_paused(self) -> bool:
        """Whether the search has to scan ahead outside of the transaction, and then go on in another one."""
        return self.long_search is not None and self.long_search.is_paused
