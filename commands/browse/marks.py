"""Implementation of ``mqx browse --mark`` and ``--unmarked``: several readers share a queue by co-operative marks.

A message is marked before it is printed, so that no other reader prints it meanwhile; a message that could not be
printed is unmarked. The marks stay, without a handle, until the queue manager's interval MARKINT is over.
"""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.constants.reasons import MQRC_MSG_MARKED_BROWSE_CO_OP
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.lifecycle import message_search
from mqtools.mqi import browse_marks
from mqtools.mqi.connection import Connection
from mqtools.operations.browse_and_mark import remove_ended_marks
from mqtools.operations.key_snapshot import release_dead_holders
from mqtools.operations.queue_manager_view import Queue
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import StoredMessage, load_data, load_message

from ..shared.command_session import NOTHING_THERE, PARTLY, Session, Terminated, UsageError
from ..shared.messages import MessageWriter
from .request import BrowseRequest


def browse_with_marks(session: Session, request: BrowseRequest, writer: MessageWriter, preview: int | None) -> int:
    """Print messages and mark them, or print only unmarked ones, as requested; return 3 when there are none.

    preview: bytes of data to print, None for all. With --mark alone a message that is already marked is not printed,
    which is a failure: 9, or 6 when it is true of all of them.
    """
    with session.connect() as connection:
        writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
        queue = message_search.readable_queue(connection, request.queue)
        release_dead_holders(connection, queue.id)
        remove_ended_marks(connection, queue)
        showing = _MarkedMessages(connection, queue, request, preview)
        shown = _show(showing, writer, request)
    if showing.refused and not shown:
        raise MQError(
            f"{counted(showing.refused)} on queue {queue.name} cannot be marked: already marked",
            MQRC_MSG_MARKED_BROWSE_CO_OP,
            hint="--unmarked skips marked messages",
        )
    if showing.refused:
        session.note(f"{counted(shown)} marked, {showing.refused} skipped: already marked")
        return PARTLY
    return 0 if shown else NOTHING_THERE


def _show(showing: _MarkedMessages, writer: MessageWriter, request: BrowseRequest) -> int:
    shown = 0
    try:
        for stored, data in showing.messages():
            writer.write_stored(stored, data, showing.q_name)
            if not writer.is_holding:
                showing.unwritten.clear()
            shown += 1
            if shown == request.limit:
                break
        writer.finish()
    except (OSError, UsageError, KeyboardInterrupt, Terminated):
        if showing.unwritten:
            showing.unmark()
        raise
    return shown


class _MarkedMessages:
    """Messages of a queue to print.

    refused: number not printed because they are marked.  unwritten: messages marked here and not written yet.
    """

    def __init__(self, connection: Connection, queue: Queue, request: BrowseRequest, preview: int | None) -> None:
        self.q_name = queue.name
        self.refused = 0
        self.unwritten: list[int] = []
        self._connection = connection
        self._queue = queue
        self._request = request
        self._preview = preview

    def messages(self) -> Iterator[tuple[StoredMessage, bytes]]:
        """Yield each message with the data to print; mark it first, if requested."""
        for stored in select(self._connection, self._queue.id, self._request.selection):
            data = self._mark_and_load(stored.seq)
            if data is not None:
                yield stored, data

    def _mark_and_load(self, seq: int) -> bytes | None:
        """Mark a message and return its data; None when it is gone or not to be printed."""
        with self._connection.work() as work:
            stored = load_message(work, seq)
            if stored is None or stored.state != UNLOCKED:
                return None  # another program has got it since it was found
            if browse_marks.is_marked_for_set(work, seq):
                self.refused += not self._request.unmarked
                return None
            if self._request.mark:
                self.unwritten.append(seq)  # a signal may come with the commit
                browse_marks.mark_for_set(work, self._queue.id, seq, stays=True)
            return load_data(work, seq, self._preview)

    def unmark(self) -> None:
        """Remove the marks of messages that were not printed."""
        with self._connection.work() as work:
            for seq in self.unwritten:
                browse_marks.unmark_for_set(work, self._queue.id, seq)
