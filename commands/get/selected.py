"""Gets of selected messages: find their keys first, then get each by its key."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from mqtools.constants.options import MQMO_MATCH_MSG_TOKEN, MQWI_UNLIMITED
from mqtools.errors import NoMessageAvailable
from mqtools.lifecycle.message_search import readable_queue
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import search
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.operations.browsed_queue import PREVIEW_BYTES, BrowsedQueue
from mqtools.operations.key_snapshot import release_dead_holders
from mqtools.operations.selection import EVERYTHING, select
from mqtools.operations.stored_messages import StoredMessage, first_held

from ..browse.groups import first_segments
from ..shared.command_session import Session
from ..shared.holder_hint import print_holder_hint
from .request import GetRequest


def get_selected(connection: QueueManagerConnection, handle: OpenQueue, request: GetRequest) -> Iterator[GetResult]:
    """Yield the selected messages, and wait for more if requested."""
    if connection.file is None:
        return _get_elsewhere(connection, handle, request)
    assert isinstance(handle, Handle)
    return _get_here(connection.file, handle, request)


def _get_elsewhere(connection: QueueManagerConnection, handle: OpenQueue, request: GetRequest) -> Iterator[GetResult]:
    """Yield the selected messages of a queue that is browsed, each got when it has been found."""
    selection = request.selection or EVERYTHING
    with BrowsedQueue(connection, request.queue) as browsed:
        found = browsed.select(selection, max_length=PREVIEW_BYTES)
        if request.wait_ms and selection.first is selection.last is None:
            found = browsed.arrivals(selection, wait_ms=request.wait_ms, max_length=PREVIEW_BYTES)
        keys: Iterable[int] = (stored.seq for stored in found)
        if request.group_options is not None and request.group_options.is_whole:
            keys = _first_segments(list(found), browsed)
        for seq in keys:
            result = _get_one(handle, request, seq)
            if result is not None:
                yield result


def _first_segments(found: list[StoredMessage], browsed: BrowsedQueue) -> list[int]:
    """Return the first segment of the logical message of each message, once each."""
    firsts = {
        (stored.md.group_id, stored.md.msg_seq_number): stored.seq
        for stored in browsed.select(max_length=0)
        if stored.md.offset == 0
    }
    keys = (
        stored.seq if stored.md.offset == 0 else firsts.get((stored.md.group_id, stored.md.msg_seq_number), 0)
        for stored in found
    )
    return [seq for seq in dict.fromkeys(keys) if seq]


def _get_here(connection: Connection, handle: Handle, request: GetRequest) -> Iterator[GetResult]:
    """Yield the selected messages by their keys, and wait for more if requested."""
    readable_queue(connection, request.queue)
    places = request.selection is not None and (request.selection.first or request.selection.last)
    left = request.limit
    lost: set[int] = set()
    look = _key_finder(connection, handle, request, lost)
    deadline = _deadline(request)
    last_look = False
    while True:
        keys = look(left)
        for seq in keys:
            result = _get_one(handle, request, seq)
            if result is None:
                lost.add(seq)  # another program was faster
                continue
            left = None if left is None else left - 1
            deadline = _deadline(request)
            yield result
        if places:
            return  # they are of the queue as it was
        if keys and (request.wait_ms or (left and lost)):
            last_look = False
            continue
        if not request.wait_ms or last_look:
            return
        last_look = not handle.wait_for_arrival(deadline, lambda: bool(look(len(lost) + 1)))
        lost.clear()  # a lost message may have come back


def _deadline(request: GetRequest) -> float | None:
    """Return the end of the wait for the next message, by ``time.monotonic``; None for no limit."""
    return None if request.wait_ms == MQWI_UNLIMITED else time.monotonic() + request.wait_ms / 1000


def _get_one(handle: OpenQueue, request: GetRequest, seq: int) -> GetResult | None:
    """Return one message by its key; None when it is gone."""
    try:
        return handle.get(
            request.options,
            msg_token=search.token_of(seq),
            max_length=request.max_length,
            **{**request.parameters(), "match_options": MQMO_MATCH_MSG_TOKEN},
        )
    except NoMessageAvailable:
        return None


def _key_finder(
    connection: Connection, handle: Handle, request: GetRequest, lost: set[int]
) -> Callable[[int | None], list[int]]:
    """Return a function that finds the keys of the messages selected now, without those in ``lost``.

    Its argument is the number of keys needed. Dead holders are released first.
    """

    def look(limit: int | None) -> list[int]:
        if first_held(connection, handle.queue_id, 1):
            release_dead_holders(connection, handle.queue_id)
        return [seq for seq in _keys(connection, handle, request, limit) if seq not in lost]

    return look


def _keys(connection: Connection, handle: Handle, request: GetRequest, limit: int | None) -> list[int]:
    """Return a snapshot of the keys of the selected messages."""
    selection = request.selection or EVERYTHING
    with connection.reading():
        if request.group_options is not None and request.group_options.is_whole:
            chosen = select(connection, handle.queue_id, selection, with_expired=True)
            return list(islice(first_segments(connection, (stored.seq for stored in chosen)), limit))
        chosen = select(connection, handle.queue_id, selection, limit=limit, with_expired=True)
        return [stored.seq for stored in chosen]


def print_hint(connection: QueueManagerConnection, session: Session, request: GetRequest) -> None:
    """Print who holds the messages that were requested, where that is known."""
    if connection.file is not None:
        print_holder_hint(connection.file, session, request.queue, request.selection or EVERYTHING)
