"""Search of several queues, one after the other: the hits so far after each batch of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mqtools.errors import MQError
from mqtools.operations.views.message_view import Database
from mqtools.operations.views.queue_pages import HitPages
from mqtools.operations.views.queue_search import MessageFilter, Search
from mqtools.tui.background.source import read_rows
from mqtools.tui.display.row import Row

#: Most hits of one queue, and of all.
MOST_OF_QUEUE, MOST = 200, 1000


class FoundMessage(NamedTuple):
    """A hit. q_name: the queue where it was found."""

    q_name: str
    row: Row


class QueuesSearched(NamedTuple):
    """Progress of a search.

    hits: so far.  queues, messages: examined completely, and so far.  cut: queues with more hits than are shown.
    unread: queues that cannot be read.
    """

    hits: tuple[FoundMessage, ...] = ()
    queues: int = 0
    messages: int = 0
    cut: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def search_queues(
    db: Database, q_names: Sequence[str], wanted: MessageFilter, is_cancelled: Callable[[], bool]
) -> Iterator[QueuesSearched]:
    """Search queues in their order; yield the progress after each batch, the last time with all hits."""
    so_far = QueuesSearched()
    for q_name in q_names:
        before = so_far
        try:
            for so_far in _search_queue(db, q_name, wanted, before, is_cancelled):
                yield so_far
        except MQError:  # deleted meanwhile, damaged, or without authority to browse
            so_far = so_far._replace(unread=(*so_far.unread, q_name))
        if is_cancelled() or len(so_far.hits) >= MOST:
            break
        so_far = so_far._replace(queues=so_far.queues + 1)
    yield so_far


def _search_queue(
    db: Database, q_name: str, wanted: MessageFilter, before: QueuesSearched, is_cancelled: Callable[[], bool]
) -> Iterator[QueuesSearched]:
    source = HitPages(db, q_name)
    limit = min(MOST_OF_QUEUE, MOST - len(before.hits))
    known: dict[int, FoundMessage] = {}
    for searched in Search(db, source, wanted).run(db, is_cancelled):
        keys = source.keys
        new = [key for key in keys if key not in known][: limit - len(known)]
        known |= {row.seq: FoundMessage(q_name, row) for row in read_rows(db, new)}
        hits = sorted(known.values(), key=lambda hit: hit.row.order_key)
        is_cut = len(keys) > limit
        cut = (*before.cut, q_name) if is_cut else before.cut
        yield before._replace(hits=(*before.hits, *hits), messages=before.messages + searched, cut=cut)
        if is_cut:
            return
