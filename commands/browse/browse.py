"""Implementation of ``mqx browse``: read pages of a queue and print them without changing anything."""

from __future__ import annotations

import sys

from mqtools.constants.reasons import MQRC_GET_INHIBITED, MQRC_OBJECT_DAMAGED
from mqtools.errors import MessageDamaged, MQError, StorageError
from mqtools.operations.queue_manager_view import Queue, QueueManagerView, open_view
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import (
    StoredMessage,
    browsable_queue,
    data_read_along,
    first_held,
    load_data,
    load_message,
    lock_id_of,
)

from ..shared import messages as _messages
from ..shared.command_session import NOTHING_THERE, STORAGE, Session
from ..shared.read_only import release_dead
from .request import BrowseRequest


def browse_messages(session: Session, request: BrowseRequest) -> int:
    """Print messages in delivery order; return 3 when there are none."""
    shape = request.shape or _messages.Shape()
    writer = _messages.writer(
        session,
        default="plain" if request.follow else "",
        separator=b"" if request.limit == 1 and not request.follow else request.separator,
        force=request.force,
        with_state=request.all_states,
        shape=shape,
    )
    limit = None if shape.needs_body(session.list_output) else _messages.PREVIEW_BYTES
    if request.follow or (session.is_elsewhere and request.group_options is None):
        from .follow import follow

        return follow(session, request, writer, limit)
    if request.group_options is not None:
        from .groups import browse_groups

        return browse_groups(session, request, writer)
    if request.mark or request.unmarked:
        from .marks import browse_with_marks

        return browse_with_marks(session, request, writer, limit)
    view = _open_view(session, request)
    writer.q_mgr_name, writer.ccsid = view.name, view.ccsid
    queue = _readable(view, request)
    if request.at is None and not request.all_states and first_held(view, queue.id, 1):
        release_dead(session)  # what a dead process holds any program could get
    shown, damaged = 0, False
    for stored in select(
        view, queue.id, request.selection, limit=request.limit, all_states=request.all_states, with_data=True
    ):
        try:
            data = _load(view, stored, limit)
        except (StorageError, MessageDamaged) as error:
            session.report_error(error)
            damaged = True
            continue
        if data is None:
            continue
        writer.write_stored(stored, data, queue.name, lock_id_of(view, stored))
        shown += 1
    writer.finish()
    if not (shown or damaged or request.all_states) and request.at is None and sys.stderr.isatty():
        from ..shared.holder_hint import print_holder_hint

        print_holder_hint(view, session, queue.name, request.selection)
    return STORAGE if damaged else 0 if shown else NOTHING_THERE


def _open_view(session: Session, request: BrowseRequest) -> QueueManagerView:
    """Open the queue manager as it is, or as it was."""
    if request.at is None:
        return open_view(session.qmgr)
    from ..shared.past import open_past

    return open_past(session, [request.queue], request.at)


def _load(view: QueueManagerView, stored: StoredMessage, limit: int | None) -> bytes | None:
    """Return at most limit bytes of the data of a message; None when it is gone.

    Raise StorageError for a part that is missing, MessageDamaged for other damage.
    """
    data = data_read_along(view, stored)
    if data is not None:
        return data if limit is None else data[:limit]
    wanted = stored.data_length if limit is None else min(limit, stored.data_length)
    found = ""
    try:
        data = load_data(view, stored.seq, limit)
        if len(data) >= wanted:
            return data
        found = f"{len(data)} bytes"
    except StorageError as error:
        found = error.text
    except MessageDamaged:
        if load_message(view, stored.seq) is None:
            return None
        raise
    if load_message(view, stored.seq) is None:
        return None
    raise StorageError(
        f"message {stored.md.msg_id.hex().upper()} should have {stored.data_length} bytes: {found}",
        MQRC_OBJECT_DAMAGED,
        hint="mqx doctor --thorough checks the file for damage",
    )


def _readable(view: QueueManagerView, request: BrowseRequest) -> Queue:
    """Return the queue to read.

    Raise MQError: MQRC_NOT_AUTHORIZED; MQRC_GET_INHIBITED, unless all states or the past are requested.
    """
    try:
        return browsable_queue(view, request.queue, although_inhibited=request.all_states or request.at is not None)
    except MQError as error:
        if error.reason != MQRC_GET_INHIBITED:
            raise
        raise MQError(error.text, error.reason, hint="--all-states reads the queue nevertheless") from error
