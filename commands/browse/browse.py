"""Implementation of ``mqx browse``: read pages of a queue and print them without changing anything."""

from __future__ import annotations

import sys

from mqtools.configuration.locate import find
from mqtools.constants.reasons import MQRC_GET_INHIBITED, MQRC_OBJECT_DAMAGED
from mqtools.errors import MQError, StorageError
from mqtools.mqi.resolution import resolve_for_get
from mqtools.operations.selection import select
from mqtools.store import holders, queues
from mqtools.store.database import open_database
from mqtools.store.messages import messages

from ..shared import messages as _messages
from ..shared.command_session import NOTHING_THERE, STORAGE, Session
from ..shared.read_only import release_dead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue

    from .request import BrowseRequest


def browse_messages(session: Session, request: BrowseRequest) -> int:
    """Print messages in delivery order; return 3 when there are none."""
    default = "table" if sys.stdout.isatty() else "plain"
    writer = _messages.writer(
        session, default=default, separator=request.separator, force=request.force, with_state=request.all_states
    )
    limit = _messages.PREVIEW_BYTES if (session.output or default) in ("table", "plain", "csv") else None
    if request.mark or request.unmarked:
        from .marks import browse_with_marks

        return browse_with_marks(session, request, writer, limit)
    db = open_database(find(session.qmgr), read_only=True)
    q_mgr = queues.qmgr(db)
    writer.q_mgr_name, writer.ccsid = q_mgr.name, q_mgr.coded_char_set_id
    queue = _readable(db, request)
    if not request.all_states and messages.held(db, queue.id, limit=1):
        release_dead(session)  # what a dead process holds any program could get
    shown, damaged = 0, False
    for stored in select(db, queue.id, request.selection, limit=request.limit, all_states=request.all_states):
        try:
            data = _load(db, stored, limit)
        except StorageError as error:
            session.report_error(error)
            damaged = True
            continue
        if data is None:
            continue
        writer.write_stored(stored, data, queue.name, _lock_id(db, stored))
        shown += 1
    writer.finish()
    return STORAGE if damaged else 0 if shown else NOTHING_THERE


def _load(db: Database, stored: StoredMessage, limit: int | None) -> bytes | None:
    """Return at most limit bytes of the data of a message; None when it is gone. Raise StorageError for damage."""
    wanted = stored.data_length if limit is None else min(limit, stored.data_length)
    found = ""
    try:
        data = messages.load_data(db, stored.seq, limit)
        if len(data) >= wanted:
            return data
        found = f"{len(data)} bytes"
    except StorageError as error:
        found = error.text
    if messages.by_seq(db, stored.seq) is None:
        return None
    raise StorageError(
        f"message {stored.md.msg_id.hex().upper()} should have {stored.data_length} bytes: {found}",
        MQRC_OBJECT_DAMAGED,
        hint="mqx doctor --thorough checks the file for damage",
    )


def _readable(db: Database, request: BrowseRequest) -> Queue:
    """Return the queue to read. Raise MQError: MQRC_GET_INHIBITED, unless all states are requested."""
    queue, path = resolve_for_get(db, request.queue)
    for definition in path:
        if definition.inhibit_get and not request.all_states:
            raise MQError(
                f"gets are inhibited on queue {definition.name}",
                MQRC_GET_INHIBITED,
                hint="--all-states reads the queue nevertheless",
            )
    return queue


def _lock_id(db: Database, stored: StoredMessage) -> bytes | None:
    if stored.lock_id is None:
        return None
    holder = holders.by_id(db, stored.lock_id)
    return holder.token if holder is not None else None
