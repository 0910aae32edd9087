"""Removal of messages from a queue: by a get, at once or until it is confirmed, or by a deletion."""

from __future__ import annotations

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.states import UNLOCKED
from mqtools.message import MQMD
from mqtools.mqi import units_of_work
from mqtools.mqi.transaction import Work
from mqtools.rules import states
from mqtools.store.definition_cache import PERFORMANCE_EVENTS
from mqtools.store.messages import marks, messages
from mqtools.store.messages.stored_message import CHUNK, StoredMessage
from mqtools.store.queues import Queue

#: In the journal: the message can be restored.
TO_TRASH = "trashed"


def take_off(
    work: Work,
    queue: Queue,
    stored: StoredMessage,
    expiry: int,
    holder_id: int | None,
    *,
    report_holder_id: int | None = None,
) -> bytes:
    """Get a message: remove it, or hold it until it is confirmed; report its delivery; return its data.

    expiry: what remains of its time, tenths of a second.  holder_id: unit of work or confirm id, None to
    remove it at once.  report_holder_id: holder of the report, if another than that of the get.
    """
    data = messages.data_of(work.db, stored)
    remove(work, queue, stored, states.GET, holder_id=holder_id)
    if stored.md.report:
        report_whole(work, stored.md, data, expiry, holder_id if report_holder_id is None else report_holder_id)
    return data


def remove(
    work: Work,
    queue: Queue,
    stored: StoredMessage,
    event: str,
    *,
    holder_id: int | None = None,
    detail: str | None = None,
) -> None:
    """Remove a message, with its marks and its event in the journal; that of a held get goes with its confirmation.

    event: GET of states, whose data was read before, DELETE or EXPIRE.  holder_id: unit of work or confirm id of a get,
    None to remove it at once.  detail: for the journal.
    """
    if event != states.EXPIRE and work.qmgr.events & PERFORMANCE_EVENTS:
        work.change_depth(queue, -1)
    held, got_at = holder_id is not None, work.now_ms if event == states.GET else None
    after = units_of_work.count(work, queue.id, stored.state, states.GET_HELD if held else event, got_at=got_at)
    if queue.marks:
        marks.remove_of_message(work.db, queue.id, stored.seq)
    if queue.journal:
        from mqtools.mqi import journal

        is_long, then = stored.data_length > CHUNK, after if held else None
        journal.note(work, queue, stored.seq, event, after=then, held=held, detail=detail, is_long=is_long)
    if held:
        messages.set_state(work.db, stored, after, holder_id, stored.lock_id)
    else:
        messages.remove(work.db, stored)
        work.durable |= stored.md.persistence == MQPER_PERSISTENT


def report_whole(work: Work, md: MQMD, data: bytes, expiry: int, holder_id: int | None) -> None:
    """Report the delivery of a message that asks for it, once however many segments it was in (RSEG-04)."""
    from mqtools.mqi.report_messages import report_delivery

    report_delivery(work, md, lambda: data, expiry, holder_id)


def delete(work: Work, queue: Queue, stored: StoredMessage) -> None:
    """Delete a message without reading it; no report is made (LIFE-31, LIFE-32).

    A connection that has a trash keeps it there.
    """
    detail = None
    if work.connection.trash is not None:
        from mqtools.mqi import trash

        detail = TO_TRASH if trash.keep(work, queue, stored, trash.DELETE) else None
    move_off(work, queue, stored, detail)


def move_off(work: Work, queue: Queue, stored: StoredMessage, detail: str | None = None) -> None:
    """Remove a message from its queue in the transaction that puts it elsewhere. detail: for the journal."""
    remove(work, queue, stored, states.DELETE, detail=detail)


def move_rows_off(work: Work, queue: Queue, seqs: list[int], persistence: int) -> None:
    """Remove short unlocked messages, as ``move_off``, from a queue without journal and marks.

    persistence: MQPER_PERSISTENT where any of them is.
    """
    from mqtools.store.messages import relocation

    relocation.remove(work.db, seqs)
    count_rows_off(work, queue, len(seqs), persistence)


def count_rows_off(work: Work, queue: Queue, number: int, persistence: int) -> None:
    """Count messages that were removed as ``move_rows_off`` does."""
    if work.qmgr.events & PERFORMANCE_EVENTS:
        work.change_depth(queue, -number)
    work.durable |= persistence == MQPER_PERSISTENT
    units_of_work.count(work, queue.id, UNLOCKED, states.DELETE, number)
