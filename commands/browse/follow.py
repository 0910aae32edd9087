"""Implementation of ``mqx browse --follow``, which leaves all messages on the queue, and of a browse elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from mqtools.constants.options import MQOO_BROWSE, MQOO_FAIL_IF_QUIESCING, MQWI_UNLIMITED
from mqtools.mqi.connection import Connection
from mqtools.mqi.handle import Handle
from mqtools.operations.arrivals import Arrivals
from mqtools.operations.browsed_queue import PREVIEW_BYTES, BrowsedQueue
from mqtools.operations.key_snapshot import release_dead_holders
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import StoredMessage, load_data, load_message

from ..shared.command_session import NOTHING_THERE, Session, Terminated
from ..shared.messages import MessageWriter
from .request import BrowseRequest


def follow(session: Session, request: BrowseRequest, writer: MessageWriter, preview: int | None) -> int:
    """Print the last messages of the queue, and each that arrives, until a signal or an error ends it.

    A queue elsewhere is printed without --follow, too.

    preview: bytes of data to print, None for all.
    """
    if session.is_elsewhere:
        return _browse_elsewhere(session, request, writer, preview)
    with session.connect(for_reader=True) as connection:
        writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
        handle = connection.open(request.queue, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)
        release_dead_holders(connection, handle.queue_id)
        try:
            for stored in _messages(connection, handle, request):
                if load_message(connection, stored.seq) is None:
                    continue  # another program has got it meanwhile
                writer.write_stored(stored, load_data(connection, stored.seq, preview), handle.q_name)
                writer.flush()
        except (KeyboardInterrupt, Terminated):
            writer.finish()  # a JSON array has an end
            raise
    return 0


def _browse_elsewhere(session: Session, request: BrowseRequest, writer: MessageWriter, preview: int | None) -> int:
    """Print messages that are on a queue elsewhere, and with --follow each that arrives. preview: as for ``follow``."""
    max_length, shown = None if preview is None else PREVIEW_BYTES, False
    with (
        session.connect_anywhere(changes=False, for_reader=request.follow) as connection,
        BrowsedQueue(connection, request.queue) as queue,
    ):
        writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
        found = queue.select(request.selection, limit=request.limit, max_length=max_length)
        try:
            for stored in _arrivals(queue, request, max_length) if request.follow else found:
                shown = True
                writer.write_stored(stored, (stored.data or b"")[:preview], queue.name)
                if request.follow:
                    writer.flush()
        except (KeyboardInterrupt, Terminated):
            writer.finish()
            raise
        writer.finish()
    if not shown:
        session.tell_person(f"no message on {queue.name}{'' if request.selection.is_everything else ' matches'}")
    return 0 if shown else NOTHING_THERE


def _arrivals(queue: BrowsedQueue, request: BrowseRequest, max_length: int | None) -> Iterator[StoredMessage]:
    """Yield the last messages of a queue elsewhere, and each that arrives."""
    there = queue.arrivals(request.selection, wait_ms=0, max_length=max_length)
    yield from there if request.limit is None else deque(there, request.limit)
    while True:
        yield from queue.arrivals(request.selection, wait_ms=MQWI_UNLIMITED, max_length=max_length)


def _messages(connection: Connection, handle: Handle, request: BrowseRequest) -> Iterator[StoredMessage]:
    arrivals = Arrivals(connection, handle.queue_id, request.selection, with_held=request.limit != 0)
    if request.limit != 0:
        there = select(connection, handle.queue_id, request.selection)
        before = (stored for stored in there if arrivals.covers(stored.seq))
        shown: Iterable[StoredMessage] = before if request.limit is None else deque(before, request.limit)
        for stored in shown:
            arrivals.forget(stored.seq)
            yield stored
    waiting: list[StoredMessage] = []

    def look() -> bool:
        waiting.extend(arrivals.take())
        return bool(waiting)

    while True:
        if not look():
            handle.wait_for_arrival(None, look)
            release_dead_holders(connection, handle.queue_id)
        yield from waiting
        waiting.clear()
