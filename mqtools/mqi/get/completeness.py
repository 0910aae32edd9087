"""Whether the group and the segments of a message that was found are all there, looked at one by one.

The standings that the store keeps find whole groups fast. They do not know of expiry, nor of a handle's own
locks, nor that reports go together by Feedback only: what is handed over is looked at.
"""

from __future__ import annotations

from mqtools.constants.completeness import ALONE
from mqtools.constants.message import MQOL_UNDEFINED
from mqtools.constants.options import MQGMO_COMPLETE_MSG
from mqtools.mqi.get import search
from mqtools.store.messages import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.get.request import GetRequest
    from mqtools.mqi.transaction import Work
    from mqtools.rules.groups import GroupPosition
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue


def members(
    work: Work, request: GetRequest, queue: Queue, position: GroupPosition, stored: StoredMessage
) -> list[StoredMessage] | None:
    """Give the physical messages that a call hands over with one that was found; None when it is not whole.

    position: what the handle retains for calls of this kind. A member that has expired is discarded, and what it
    belongs to is incomplete from then on (COMPL-37).
    Source: AVAIL-01, AVAIL-11, AVAIL-12, AVAIL-16, AVAIL-25, COMPL-07, COMPL-33, COMPL-36.
    """
    if stored.standing == ALONE:
        return [stored]
    from mqtools.rules import logical_get, reassembly
    from mqtools.rules.groups import GROUP_FLAGS, SEGMENT_FLAGS

    if not logical_get.needs_message_complete(request.options, position):
        return [stored]
    needs_group = logical_get.needs_group_complete(request.options, position) and stored.md.msg_flags & GROUP_FLAGS
    if not needs_group and not stored.md.msg_flags & SEGMENT_FLAGS:
        return [stored]
    there = _there(work, request, queue, stored, whole_group=bool(needs_group))
    if needs_group and not reassembly.group_covers((member.md, _length(member)) for member in there):
        return None
    segments = [member for member in there if member.md.msg_seq_number == stored.md.msg_seq_number]
    sizes = [(segment.md, _length(segment)) for segment in segments]
    if not request.options & MQGMO_COMPLETE_MSG:
        return [stored] if reassembly.covers([reassembly.piece_of(*size) for size in sizes]) else None
    chosen = reassembly.complete_set(sizes)
    # Another set, of reports of another kind, is found by its own first segment.
    return [segments[index] for index in chosen] if chosen and chosen[0] == 0 else None


def _there(
    work: Work, request: GetRequest, queue: Queue, stored: StoredMessage, *, whole_group: bool
) -> list[StoredMessage]:
    """The members that are there for the handle, in the order of delivery but for the one that was found: it leads."""
    number = None if whole_group else stored.md.msg_seq_number
    found = messages.of_group(work.db, queue.id, stored.md.group_id, number)
    others = [
        member
        for member in found
        if member.seq != stored.seq and search.is_there(work, queue, member, request.handle.id)
    ]
    return [stored, *others]


def _length(member: StoredMessage) -> int:
    """Bytes that a member stands for, MQ headers not counted: of a segment the put has written them down."""
    length = member.md.original_length
    return member.data_length if length == MQOL_UNDEFINED else length
