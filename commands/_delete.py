"""What ``mqx delete`` does once its line is understood: fix the keys, ask, delete batch by batch."""

from __future__ import annotations

import sys

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.constants.states import LOCKED_FOR_BROWSE
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.qmgr.lifecycle import delete_message
from mqtools.records import Record
from mqtools.store import messages, trash

from . import _messages
from ._chosen import chosen_keys, hint_at_holder, locked_keys
from ._counts import OUTPUTS, check_output, counted, tell
from ._session import NOTHING_THERE, PARTLY, Session
from ._trash_use import removal_of, use_trash, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.qmgr.connection import Connection
    from mqtools.qmgr.selecting import Selection

#: Messages in one transaction.
_BATCH = 100


class DeleteRequest(Record):
    """One delete command.

    lock_id: delete among what it has locked; empty for among what is unlocked.  no_trash: keep nothing of it.
    """

    __slots__ = ("queue", "selection", "lock_id", "dry_run", "no_trash")

    def __init__(
        self,
        queue: str,
        selection: Selection,
        *,
        lock_id: bytes = b"",
        dry_run: bool = False,
        no_trash: bool = False,
    ) -> None:
        self.queue = queue
        self.selection = selection
        self.lock_id = lock_id
        self.dry_run = dry_run
        self.no_trash = no_trash


def delete_messages(session: Session, request: DeleteRequest) -> int:
    """Delete what the selection means now; 3 when that is nothing. A later arrival is never touched."""
    check_output(session, _messages.FORMATS if request.dry_run else OUTPUTS)
    with session.connect() as connection:
        use_trash(connection, no_trash=request.no_trash)
        seqs = _keys(connection, request)
        if seqs and request.dry_run:
            return _show(session, connection, request, seqs)
        if seqs and not request.selection.is_by_msg_id and not session.yes:
            session.confirm(f"delete {counted(len(seqs))} from {request.queue}{_for_good(connection, seqs)}")
        done = _Deleting(connection, request)
        try:
            for at in range(0, len(seqs), _BATCH):
                done.delete(seqs[at : at + _BATCH])
        except MQError as error:
            if not done.number:
                raise
            return _partly(session, error, done.number, request.queue)
        gone = len(seqs) - done.number
        also = f"; {gone} had gone meanwhile" if gone else ""
        text = f"deleted {counted(done.number)} from {request.queue}{also}{words(connection)}"
        tell(session, text, {"deleted": done.number, "removal": removal_of(connection)})
        if not done.number:
            hint_at_holder(connection, session, request.queue, request.selection)
            return NOTHING_THERE
    return 0


def _for_good(connection: Connection, seqs: list[int]) -> str:
    """Say before it happens what the trash will not keep."""
    if connection.trash is None:
        return " for good"
    found = (messages.by_seq(connection.db, seq) for seq in seqs)
    size = sum(trash.size_of(stored) for stored in found if stored is not None)
    return ", more than the trash has room for" if size > connection.trash.max_bytes else ""


def _keys(connection: Connection, request: DeleteRequest) -> list[int]:
    if request.lock_id:
        return locked_keys(connection, request.queue, request.lock_id, request.selection)
    return chosen_keys(connection, request.queue, request.selection)


class _Deleting:
    """Deleting in batches; number: of messages deleted for good so far."""

    def __init__(self, connection: Connection, request: DeleteRequest) -> None:
        self.number = 0
        self._connection = connection
        self._request = request

    def delete(self, seqs: list[int]) -> None:
        """Delete messages in one transaction, but for those that somebody else got or locked meanwhile."""
        with self._connection.work() as work:
            deleted = sum(map(self._delete_one, seqs))
            work.durable = deleted > 0
        self.number += deleted

    def _delete_one(self, seq: int) -> bool:
        try:
            delete_message(self._connection, self._request.queue, seq=seq, lock_id=self._request.lock_id)
        except NoMessageAvailable:
            return False
        except MQError as error:
            stored = messages.by_seq(self._connection.db, seq)
            if error.reason == MQRC_OBJECT_IN_USE and stored is not None and stored.state == LOCKED_FOR_BROWSE:
                return False
            raise  # the queue as a whole is in use
        return True


def _show(session: Session, connection: Connection, request: DeleteRequest, seqs: list[int]) -> int:
    """Show what would be deleted: the messages, or the count where JSON was asked for."""
    text = f"would delete {counted(len(seqs))} from {request.queue}"
    if session.output in OUTPUTS:
        tell(session, text, {"deleted": 0, "would_delete": len(seqs)})
        return 0
    writer = _messages.writer(session, default="table" if sys.stdout.isatty() else "plain")
    for seq in seqs:
        stored = messages.by_seq(connection.db, seq)
        if stored is not None:
            writer.write_stored(stored, messages.load_data(connection.db, seq), request.queue, request.lock_id or None)
    writer.finish()
    session.note(text)
    return 0


def _partly(session: Session, error: MQError, number: int, queue: str) -> int:
    session.complain(error, f"deleted before that: {counted(number)} from {queue}")
    return PARTLY
