"""``mqx browse --mark`` and ``--unmarked``: several readers share a queue by the marks of its co-operating set.

A message is marked first and then shown, so that nobody else shows it meanwhile; one that could not be shown loses
its mark again. The marks stay, without a handle, until the interval MARKINT of the queue manager is over.
"""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_MSG_MARKED_BROWSE_CO_OP
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.lifecycle import message_search
from mqtools.mqi import browse_marks
from mqtools.mqi.recovery import recover_openers
from mqtools.operations.selection import select
from mqtools.store.messages import marks, messages

from ..shared.command_session import NOTHING_THERE, PARTLY, Terminated, UsageMistake
from ..shared.key_snapshot import release_dead_holders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.mqi.connection import Connection
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue

    from ..shared.command_session import Session
    from ..shared.messages import Writer
    from .request import BrowseRequest


def browse_with_marks(session: Session, request: BrowseRequest, writer: Writer, preview: int | None) -> int:
    """Show messages and mark them, or those alone that nobody marked, as the request says; 3 when there is none.

    preview: bytes of the data that are shown, None for all. A message that cannot be marked because it is marked
    already is not shown; unless marked ones are to be passed over that is a failure: 9, or 6 for all of them.
    """
    with session.connect() as connection:
        writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
        queue = message_search.readable_queue(connection.db, request.queue)
        release_dead_holders(connection, queue.id)
        _settle_marks(connection, queue)
        showing = _Showing(connection, queue, request, preview)
        shown = _show(showing, writer, request)
    if showing.refused and not shown:
        raise MQError(
            f"{counted(showing.refused)} on queue {queue.name} cannot be marked: marked already",
            MQRC_MSG_MARKED_BROWSE_CO_OP,
            hint="--unmarked passes over what is marked",
        )
    if showing.refused:
        session.note(f"{counted(shown)} marked, {showing.refused} marked already and not shown")
        return PARTLY
    return 0 if shown else NOTHING_THERE


def _settle_marks(connection: Connection, queue: Queue) -> None:
    """Remove the marks that have ended, and those of readers that died."""
    with connection.work() as work:
        if marks.any_on(work.db, queue.id):
            recover_openers(work, queue)
            marks.remove_ended(work.db, queue.id, work.now_ms)


def _show(showing: _Showing, writer: Writer, request: BrowseRequest) -> int:
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
    except (OSError, UsageMistake, KeyboardInterrupt, Terminated):
        if showing.unwritten:
            showing.unmark()
        raise
    return shown


class _Showing:
    """The messages of a queue on their way out.

    refused: how many were not shown because they are marked.  unwritten: what is marked here and was not written yet.
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
        """Mark one message after the other, if asked, and give it with the data that is shown."""
        for stored in select(self._connection.db, self._queue.id, self._request.selection):
            data = self._taken(stored.seq)
            if data is not None:
                yield stored, data

    def _taken(self, seq: int) -> bytes | None:
        """Give the data of a message that is still there and is to be shown, and mark it."""
        with self._connection.work() as work:
            stored = messages.by_seq(work.db, seq)
            if stored is None or stored.state != UNLOCKED:
                return None  # somebody has got it since it was found
            if browse_marks.is_marked_for_set(work, seq):
                self.refused += not self._request.unmarked
                return None
            if self._request.mark:
                self.unwritten.append(seq)  # a signal may come with the commit
                browse_marks.mark_for_set(work, self._queue.id, seq, stays=True)
            return messages.load_data(work.db, seq, self._preview)

    def unmark(self) -> None:
        """Take the marks off what was not shown."""
        with self._connection.work() as work:
            for seq in self.unwritten:
                browse_marks.unmark_for_set(work, self._queue.id, seq)
