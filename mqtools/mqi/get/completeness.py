"""Check of a message that was found: are its group and its segments complete?

The completeness that the store keeps finds complete groups fast. It does not know of expiry, nor of a handle's own
locks, nor that reports go together by Feedback only: the members are checked one by one before they are returned.
"""

from __future__ import annotations

from mqtools.constants.message import MQOL_UNDEFINED
from mqtools.constants.options import MQGMO_COMPLETE_MSG
from mqtools.constants.states import ALONE
from mqtools.mqi.get import search
from mqtools.mqi.get.request import Attempt
from mqtools.rules import logical_get, reassembly
from mqtools.rules.descriptor import GROUP_FLAGS, SEGMENT_FLAGS
from mqtools.rules.groups import GroupPosition
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage


def members(attempt: Attempt, position: GroupPosition, stored: StoredMessage) -> list[StoredMessage] | None:
    """Return the physical messages that a call returns with one that was found; None when it is not complete.

    position: what the handle retains for calls of this kind. A member that has expired is discarded, and what it
    belongs to is incomplete from then on (COMPL-37).
    Source: AVAIL-01, AVAIL-11, AVAIL-12, AVAIL-16, AVAIL-25, COMPL-07, COMPL-33, COMPL-36.
    """
    if stored.completeness == ALONE:
        return [stored]
    if not logical_get.needs_message_complete(attempt.options, position):
        return [stored]
    needs_group = logical_get.needs_group_complete(attempt.options, position) and stored.md.msg_flags & GROUP_FLAGS
    if not needs_group and not stored.md.msg_flags & SEGMENT_FLAGS:
        return [stored]
    there = _available_members(attempt, stored, whole_group=bool(needs_group))
    if needs_group and not reassembly.group_covers((member.md, _length(member)) for member in there):
        return None
    segments = [member for member in there if member.md.msg_seq_number == stored.md.msg_seq_number]
    sizes = [(segment.md, _length(segment)) for segment in segments]
    if not attempt.options & MQGMO_COMPLETE_MSG:
        return [stored] if reassembly.covers([reassembly.piece_of(*size) for size in sizes]) else None
    chosen = reassembly.complete_set(sizes)
    # Another set, of reports of another kind, is found by its own first segment.
    return [segments[index] for index in chosen] if chosen and chosen[0] == 0 else None


def _available_members(attempt: Attempt, stored: StoredMessage, *, whole_group: bool) -> list[StoredMessage]:
    """Return the available members in the order of delivery, except that the one that was found is the first."""
    work, queue, handle_id = attempt.work, attempt.queue, attempt.handle.id
    number = None if whole_group else stored.md.msg_seq_number
    found = messages.of_group(work.db, queue.id, stored.md.group_id, number)
    others = [
        member for member in found if member.seq != stored.seq and search.is_there(work, queue, member, handle_id)
    ]
    return [stored, *others]


def _length(member: StoredMessage) -> int:
    """Return the bytes of application data of a member; of a segment the put has recorded them."""
    length = member.md.original_length
    return member.data_length if length == MQOL_UNDEFINED else length
