"""Gets among groups and segments: the message to get, what must be complete, errors and warnings."""

from __future__ import annotations

from mqtools.constants.objects import MQIT_GROUP_ID
from mqtools.constants.options import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQMO_MATCH_MSG_TOKEN,
)
from mqtools.constants.reasons import (
    MQRC_INCONSISTENT_UOW,
    MQRC_INVALID_MSG_UNDER_CURSOR,
    MQRC_MATCH_OPTIONS_ERROR,
    MQRC_NONE,
    MQRC_Q_INDEX_TYPE_ERROR,
)
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.rules.groups import (
    ANY,
    BEHIND,
    BY_MATCH,
    NEXT,
    NO_POSITION,
    PREVIOUS,
    GroupPosition,
    incomplete_reason,
    position_after,
    segment_length,
    value_of,
)
from mqtools.rules.options.get import GROUP_OPTIONS, MATCHED_FIELDS, UNDER_CURSOR_OPTIONS, browses

#: Whether a group and a logical message are current, to what a get in logical order looks for in each field.
#: ANY and BY_MATCH look for nothing by themselves. Every combination has its row.
LOOKED_FOR: dict[tuple[bool, bool], dict[str, str | int]] = {
    # LOGORD-24
    (False, False): {
        "msg_id": BY_MATCH, "correl_id": BY_MATCH, "group_id": BY_MATCH, "msg_seq_number": 1, "offset": 0,
    },
    # LOGORD-25
    (False, True): {
        "msg_id": ANY, "correl_id": ANY, "group_id": PREVIOUS, "msg_seq_number": 1, "offset": BEHIND,
    },
    # LOGORD-26
    (True, False): {
        "msg_id": ANY, "correl_id": ANY, "group_id": PREVIOUS, "msg_seq_number": NEXT, "offset": 0,
    },
    # LOGORD-27
    (True, True): {
        "msg_id": ANY, "correl_id": ANY, "group_id": PREVIOUS, "msg_seq_number": PREVIOUS, "offset": BEHIND,
    },
}  # fmt: skip

#: Option, and whether with logical order a current group, a current logical message switch it off. Every
#: option listed wants the logical message complete, MQGMO_ALL_MSGS_AVAILABLE also the group; an option not
#: listed wants nothing complete. An option that is switched off implies nothing, too.
AVAILABILITY = (
    (MQGMO_ALL_MSGS_AVAILABLE, True, True),  # AVAIL-05, AVAIL-07, AVAIL-11, AMB-38
    (MQGMO_ALL_SEGMENTS_AVAILABLE, False, True),  # AVAIL-19, AVAIL-20, AVAIL-22, AMB-38
    (MQGMO_COMPLETE_MSG, False, False),  # COMPL-07, COMPL-24, COMPL-30
)


def wanted_by_logical_order(position: GroupPosition, options: int) -> dict[str, object]:
    """Return the fields, with values, that MQGMO_LOGICAL_ORDER selects by besides the match options.

    position: of the gets of the same kind, browsing or removing (LOGORD-29).  Without the option, nothing.
    Which match options count besides: ``selection_match_options``.
    Source: LOGORD-24 to LOGORD-28, BROWSE-23.
    """
    if not options & MQGMO_LOGICAL_ORDER:
        return {}
    position = _position_of_call(position, options)
    row = LOOKED_FOR[position.in_group, position.in_message]
    return {field: value_of(field, word, position) for field, word in row.items() if word not in (ANY, BY_MATCH)}


def selection_match_options(position: GroupPosition, options: int, match_options: int) -> int:
    """Return the match options (MQMO_*) that select the message; the others can only contradict it.

    A message token names one message: it chooses wherever the message id would.
    Source: LOGORD-22 to LOGORD-28.
    """
    if not options & MQGMO_LOGICAL_ORDER:
        return match_options
    position = _position_of_call(position, options)
    row = LOOKED_FOR[position.in_group, position.in_message]
    chosen = MQMO_MATCH_MSG_TOKEN if row["msg_id"] == BY_MATCH else 0
    for option, field, _ in MATCHED_FIELDS:
        if row[field] == BY_MATCH:
            chosen |= option
    return match_options & chosen


def _position_of_call(position: GroupPosition, options: int) -> GroupPosition:
    """Return the position that counts: MQGMO_BROWSE_FIRST starts without one (BROWSE-23)."""
    return NO_POSITION if options & MQGMO_BROWSE_FIRST else position


def check_get(
    position: GroupPosition, options: int, match_options: int, md_wanted: MQMD | None, uses_syncpoint: bool | None
) -> None:
    """Check a get in logical order for what fails whatever is on the queue; a browse is never checked.

    md_wanted: what the match options compare with.  uses_syncpoint: None where only the message can tell
    (MQGMO_SYNCPOINT_IF_PERSISTENT).
    Raises MQError: MQRC_INCONSISTENT_UOW, MQRC_MATCH_OPTIONS_ERROR.
    Source: LOGORD-14, LOGORD-23, LOGORD-33, LOGORD-35, LOGORD-49, LOGORD-51.
    """
    if not options & MQGMO_LOGICAL_ORDER or browses(options):
        return
    if position.is_open and uses_syncpoint is not None and uses_syncpoint != position.in_unit_of_work:
        side = "inside" if position.in_unit_of_work else "outside"
        raise MQError(f"the group or logical message was begun {side} a unit of work", MQRC_INCONSISTENT_UOW)
    if not options & UNDER_CURSOR_OPTIONS:
        _check_match(match_options, md_wanted, wanted_by_logical_order(position, options))


def check_found(
    position: GroupPosition,
    options: int,
    match_options: int,
    md_wanted: MQMD | None,
    found_md: MQMD,
    uses_syncpoint: bool,
) -> None:
    """Check a message that was found against the match options, the position and the cursor.

    Call it before the message is removed; it includes ``check_get``. Match options do not count for the message
    under the cursor. Only there a get can meet a message out of order, or the middle of one that must be complete.
    Raises MQError: MQRC_INCONSISTENT_UOW, MQRC_MATCH_OPTIONS_ERROR, MQRC_INCOMPLETE_MSG, MQRC_INCOMPLETE_GROUP,
    MQRC_INVALID_MSG_UNDER_CURSOR.
    Source: LOGORD-14, LOGORD-23, LOGORD-33, LOGORD-35, LOGORD-49, LOGORD-51, COMPL-29, COMPL-33.
    """
    if options & MQGMO_COMPLETE_MSG and options & UNDER_CURSOR_OPTIONS and found_md.offset:
        raise MQError("the cursor is not on the first segment", MQRC_INVALID_MSG_UNDER_CURSOR)
    if not options & MQGMO_LOGICAL_ORDER or browses(options):
        return
    check_get(position, options, match_options, md_wanted, uses_syncpoint)
    if not options & UNDER_CURSOR_OPTIONS:
        _check_match(match_options, md_wanted, {field: getattr(found_md, field) for _, field, _ in MATCHED_FIELDS})
    elif position.is_open and not is_next(position, found_md):
        raise MQError("the message under the cursor is not the next in logical order", incomplete_reason(position))


def _check_match(match_options: int, md_wanted: MQMD | None, values: dict[str, object]) -> None:
    if md_wanted is None:
        return
    for option, field, any_value in MATCHED_FIELDS:
        if match_options & option and field in values:
            value = getattr(md_wanted, field)
            if value not in (any_value, values[field]):
                text = f"the next message in logical order has another {field} than the match options ask for"
                raise MQError(text, MQRC_MATCH_OPTIONS_ERROR)


def check_index_type(options: int, index_type: int, profile: str) -> None:
    """Check that a queue of the profile "zos" is indexed by group id for group and segment options.

    index_type: MQIT_*.  Raises MQError: MQRC_Q_INDEX_TYPE_ERROR.
    Source: LOGORD-57, LOGORD-59, COMPL-38, COMPL-39, AVAIL-15, AVAIL-29.
    """
    if profile == "zos" and options & GROUP_OPTIONS and index_type != MQIT_GROUP_ID:
        raise MQError("groups and segments need a queue with index type GROUPID", MQRC_Q_INDEX_TYPE_ERROR)


def is_next(position: GroupPosition, md: MQMD) -> bool:
    """Return whether a message is the next in logical order.

    Source: LOGORD-48, AMB-40.
    """
    wanted = wanted_by_logical_order(position, MQGMO_LOGICAL_ORDER)
    return all(getattr(md, field) == value for field, value in wanted.items())


def after_get(
    position: GroupPosition, options: int, found_md: MQMD, data_length: int, uses_syncpoint: bool
) -> tuple[GroupPosition, int]:
    """Return the position after a destructive get, and the reason of a warning or MQRC_NONE.

    position: before the call.  data_length: bytes of application data; of a reassembled message, all of it.
    Only a get without logical order warns, and only after one with it.
    Source: LOGORD-08, LOGORD-40, LOGORD-43 to LOGORD-50, AMB-01, AMB-39, AMB-40.
    """
    logical = options & MQGMO_LOGICAL_ORDER != 0
    warning = MQRC_NONE
    if position.logical and position.is_open and not logical:
        if not is_next(position, found_md):
            warning = incomplete_reason(position)
        elif uses_syncpoint != position.in_unit_of_work:
            warning = MQRC_INCONSISTENT_UOW
    return _after(options, found_md, data_length, uses_syncpoint), warning


def after_browse(options: int, found_md: MQMD, data_length: int) -> GroupPosition:
    """Return the position after a browse that returned a message; a browse never warns.

    data_length: bytes of application data; of a reassembled message, all of it.
    Source: LOGORD-29, LOGORD-42, LOGORD-51, BROWSE-22, BROWSE-24.
    """
    return _after(options, found_md, data_length, uses_syncpoint=False)


def _after(options: int, found_md: MQMD, data_length: int, uses_syncpoint: bool) -> GroupPosition:
    # A reassembled report keeps the OriginalLength of its first segment (COMPL-18), so its data counts.
    length = data_length if options & MQGMO_COMPLETE_MSG else segment_length(found_md, data_length)
    logical = options & MQGMO_LOGICAL_ORDER != 0
    return position_after(found_md, length, uses_syncpoint=uses_syncpoint, logical=logical)


def needs_group_complete(options: int, position: GroupPosition) -> bool:
    """Return whether a message in a group may be returned only when the whole group is available.

    Source: AVAIL-01, AVAIL-05 to AVAIL-07, AMB-38.
    """
    return _in_effect(options, position) & MQGMO_ALL_MSGS_AVAILABLE != 0


def needs_message_complete(options: int, position: GroupPosition) -> bool:
    """Return whether a segment may be returned only when its whole logical message is available.

    Source: AVAIL-11, AVAIL-12, AVAIL-16, AVAIL-19 to AVAIL-22, COMPL-01, COMPL-07, COMPL-30, AMB-38.
    """
    return _in_effect(options, position) != 0


def _in_effect(options: int, position: GroupPosition) -> int:
    position = _position_of_call(position, options)
    effective = 0
    for option, off_in_group, off_in_message in AVAILABILITY:
        is_off = (off_in_group and position.in_group) or (off_in_message and position.in_message)
        if options & option and not (is_off and options & MQGMO_LOGICAL_ORDER):
            effective |= option
    return effective
