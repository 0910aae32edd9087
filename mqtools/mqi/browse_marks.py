"""Marks of the co-operating set: set and removed by a browse, or without a handle by browsers of messages.

A mark of the set ends with the interval MARKINT of the queue manager, with the message, and with the last
handle opened with MQOO_CO_OP; one that stays does not need a handle.
"""

from __future__ import annotations

from collections.abc import Collection

from mqtools.mqi.transaction import Work
from mqtools.store.messages import marks


def mark_for_set(work: Work, queue_id: int, seq: int, *, stays: bool = False) -> None:
    """Mark a message for the co-operating set for MARKINT from now on; an existing mark is renewed (MARK-24).

    seq: key of the message.  stays: though no handle of the set is open; without a limit of MARKINT the mark
    stays until a program removes it or gets the message.
    """
    interval_ms = work.qmgr.msg_mark_browse_interval
    until = None if interval_ms < 0 else work.now_ms + interval_ms
    marks.add(work.db, queue_id, seq, marks.STAYING if stays else marks.CO_OPERATING, until)


def unmark_for_set(work: Work, queue_id: int, seq: int) -> None:
    """Remove the mark of the co-operating set from a message and wake waiters for unmarked ones (MARK-33)."""
    marks.remove_of_set(work.db, queue_id, seq)
    work.wake(queue_id)


def unmark_all_for_set(work: Work, queue_id: int, seqs: Collection[int]) -> None:
    """Remove the mark of the co-operating set from many messages of a queue."""
    marks.remove_all_of_set(work.db, queue_id, seqs)
    work.wake(queue_id)


def is_marked_for_set(work: Work, seq: int) -> bool:
    """Return whether a message is marked for the co-operating set."""
    return marks.is_marked(work.db, seq, marks.CO_OPERATING, co_op=True, now_ms=work.now_ms)
