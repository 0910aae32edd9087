"""Message groups and segments: the position that a handle retains from one call to the next.

A message with MQMF_MSG_IN_GROUP makes its group *current*, one with MQMF_SEGMENT its logical message, until
the last of them has passed. A handle retains this three times: for its puts, for its gets that remove and
for those that browse (LOGORD-41, LOGORD-42). A position is never changed: a call that succeeds replaces it,
one that fails leaves it (LOGORD-44, TRUNC-10), a back-out takes the earlier one up again (LOGORD-60).

Lengths are of application data: the MQ headers in front of it count neither here nor in Offset.
"""

from __future__ import annotations

from mqtools.constants.message import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_NONE,
    MQMF_SEGMENT,
    MQMT_REPORT,
    MQOL_UNDEFINED,
    MQPER_NOT_PERSISTENT,
)
from mqtools.constants.reasons import MQRC_INCOMPLETE_GROUP, MQRC_INCOMPLETE_MSG, MQRC_NONE
from mqtools.constants.structures import MQGI_NONE
from mqtools.message import MQMD
from mqtools.records import OptionRecord
from mqtools.rules.descriptor import SEGMENT_FLAGS
from mqtools.rules.options.open import INPUT_OPTIONS

#: Words of the tables of values in ``logical_get`` and ``logical_put``; any other entry is a literal value.
BY_MATCH = "as the match options say"
ANY = "any"
GIVEN = "the field of the caller's descriptor"
NEW = "new"
NEW_IF_NONE = "new if none is given"
PREVIOUS = "previous"
NEXT = "previous + 1"
BEHIND = "previous offset + previous segment length"

#: Flags that a message has, flags that it lacks, and whether it ends its group and its logical message.
#: A message that no row fits ends neither. (LOGORD-17, LOGORD-18, LOGORD-19, LOGORD-20)
TERMINATION = (
    (MQMF_LAST_MSG_IN_GROUP, MQMF_SEGMENT, True, False),
    (MQMF_LAST_MSG_IN_GROUP | MQMF_LAST_SEGMENT, MQMF_NONE, True, True),
    (MQMF_LAST_SEGMENT, MQMF_LAST_MSG_IN_GROUP, False, True),
)


def resolve_flags(msg_flags: int) -> int:
    """Return message flags with the implied ones: MQMF_MSG_IN_GROUP, MQMF_SEGMENT (BEY-18)."""
    if msg_flags & MQMF_LAST_MSG_IN_GROUP:
        msg_flags |= MQMF_MSG_IN_GROUP
    if msg_flags & MQMF_LAST_SEGMENT:
        msg_flags |= MQMF_SEGMENT
    return msg_flags


class GroupPosition(OptionRecord):
    """Position that a handle retains after the last message it put, got or browsed.

    offset, segment_length: bytes.  in_group, in_message: whether there is a current group, a current logical
    message.  in_unit_of_work: whether that call was part of one.  logical: whether it asked for logical order.
    flags: MsgFlags of the message.
    """

    group_id: bytes = MQGI_NONE
    msg_seq_number: int = 1
    offset: int = 0
    segment_length: int = 0
    in_group: bool = False
    in_message: bool = False
    in_unit_of_work: bool = False
    logical: bool = False
    flags: int = MQMF_NONE
    persistence: int = MQPER_NOT_PERSISTENT

    @property
    def is_open(self) -> bool:
        """Return whether a group or a logical message is current."""
        return self.in_group or self.in_message


#: Position of a handle at its open (LOGORD-15).
NO_POSITION = GroupPosition()


def position_after(md: MQMD, segment_length: int, *, uses_syncpoint: bool, logical: bool) -> GroupPosition:
    """Return the position after a message.

    md: the message's, as stored.  segment_length: bytes (see the function of that name).
    Source: LOGORD-12, LOGORD-16 to LOGORD-20, LOGORD-43.
    """
    flags = resolve_flags(md.msg_flags)
    ends_group, ends_message = ends_group_and_message(flags)
    return GroupPosition(
        md.group_id,
        md.msg_seq_number,
        md.offset,
        segment_length,
        in_group=bool(flags & MQMF_MSG_IN_GROUP) and not ends_group,
        in_message=bool(flags & MQMF_SEGMENT) and not ends_message,
        in_unit_of_work=uses_syncpoint,
        logical=logical,
        flags=flags,
        persistence=md.persistence,
    )


def ends_group_and_message(msg_flags: int) -> tuple[bool, bool]:
    """Return whether a message ends its group, and whether it ends its logical message.

    Source: LOGORD-17 to LOGORD-20.
    """
    flags = resolve_flags(msg_flags)
    for present, absent, ends_group, ends_message in TERMINATION:
        if flags & present == present and not flags & absent:
            return ends_group, ends_message
    return False, False


def segment_length(md: MQMD, data_length: int) -> int:
    """Return how many bytes a message advances the offset.

    data_length: bytes of its application data. A report about a segment has mostly none: there it is
    OriginalLength, unless that is undefined.  Source: RSEG-34, RSEG-36, LOGORD-03.
    """
    is_report_segment = md.msg_type == MQMT_REPORT and md.msg_flags & SEGMENT_FLAGS
    return md.original_length if is_report_segment and md.original_length != MQOL_UNDEFINED else data_length


def value_of(field: str, word: str | bytes | int, position: GroupPosition) -> bytes | int:
    """Return the value of a table's word about the previous message.

    field: group_id, msg_seq_number or offset.  word: PREVIOUS, NEXT, BEHIND, or the value itself.
    """
    if not isinstance(word, str):
        return word
    if word == NEXT:
        return position.msg_seq_number + 1
    if word == BEHIND:
        return position.offset + position.segment_length
    value: bytes | int = getattr(position, field)
    return value


def incomplete_reason(position: GroupPosition) -> int:
    """Return the reason for what is incomplete, the logical message before the group, or MQRC_NONE.

    Source: LOGORD-46, LOGORD-19, BEY-12.
    """
    if position.in_message:
        return MQRC_INCOMPLETE_MSG
    return MQRC_INCOMPLETE_GROUP if position.in_group else MQRC_NONE


def close_warning(get_position: GroupPosition, put_position: GroupPosition, open_options: int) -> int:
    """Return the reason of the warning of a close that leaves something incomplete, or MQRC_NONE.

    get_position: of the gets that remove.  open_options: MQOO_*; a handle not open for input has nothing to
    finish there.  Source: LOGORD-18, LOGORD-19, LOGORD-49, LOGORD-52, LOGORD-53, LOGORD-54, BEY-14.
    """
    reasons = [incomplete_reason(put_position) if put_position.logical else MQRC_NONE]
    if open_options & INPUT_OPTIONS and get_position.logical:
        reasons.append(incomplete_reason(get_position))
    return MQRC_INCOMPLETE_MSG if MQRC_INCOMPLETE_MSG in reasons else max(reasons)
