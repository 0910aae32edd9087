"""Puts among groups and segments: the position of a message, and whether it may have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from mqtools.constants.message import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_REPORT,
    MQOL_UNDEFINED,
)
from mqtools.constants.reasons import (
    MQRC_INCONSISTENT_PERSISTENCE,
    MQRC_INCONSISTENT_UOW,
    MQRC_NONE,
    MQRC_SEGMENT_LENGTH_ZERO,
    MQRC_SEGMENTS_NOT_SUPPORTED,
)
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.rules.descriptor import GROUP_FLAGS, SEGMENT_FLAGS, SEGMENTATION_FLAGS
from mqtools.rules.groups import (
    BEHIND,
    GIVEN,
    NEW,
    NEW_IF_NONE,
    NEXT,
    NO_POSITION,
    PREVIOUS,
    GroupPosition,
    incomplete_reason,
    position_after,
    resolve_flags,
    segment_length,
    value_of,
)

_Case: TypeAlias = tuple[bool | None, bool | None, bool | None, bool | None, bool | None]
_Place: TypeAlias = tuple[bytes | str, int | str, int | str]

#: A message in a group, a segment, one that may be segmented; a current group, a current logical message:
#: true, false, or None for either. To these: GroupId, MsgSeqNumber, Offset. A case without a row is refused.
#: (BEY-10, BEY-11, BEY-12)
PLACES_IN_LOGICAL_ORDER: tuple[tuple[_Case, _Place], ...] = (
    ((False, False, False, False, False), (MQGI_NONE, 1, 0)),
    ((False, False, True, False, False), (NEW, 1, 0)),
    ((False, True, None, False, False), (NEW, 1, 0)),
    ((False, True, None, False, True), (PREVIOUS, 1, BEHIND)),
    ((True, None, None, False, False), (NEW, 1, 0)),
    ((True, None, None, True, False), (PREVIOUS, NEXT, 0)),
    ((True, True, None, True, True), (PREVIOUS, PREVIOUS, BEHIND)),
)

#: The same for a put without logical order. Every case has its row. (BEY-20)
PLACES_WITHOUT: tuple[tuple[_Case, _Place], ...] = (
    ((False, False, False, None, None), (MQGI_NONE, 1, 0)),
    ((False, False, True, None, None), (NEW_IF_NONE, 1, 0)),
    ((False, True, None, None, None), (NEW_IF_NONE, 1, GIVEN)),
    ((True, False, None, None, None), (NEW_IF_NONE, GIVEN, 0)),
    ((True, True, None, None, None), (NEW_IF_NONE, GIVEN, GIVEN)),
)

_FIELDS = ("group_id", "msg_seq_number", "offset")


def supports_segments(profile: str) -> bool:
    """Return whether a queue manager of a profile has segments; profile zos treats them as data (RSEG-01)."""
    return profile != "zos"


def check_segments(msg_flags: int, profile: str) -> None:
    """Check that a queue manager has segments if a message is one or may be segmented.

    Raises MQError: MQRC_SEGMENTS_NOT_SUPPORTED.  Source: RSEG-01, AMB-37.
    """
    if msg_flags & SEGMENTATION_FLAGS and not supports_segments(profile):
        raise MQError(f"a queue manager of profile {profile} has no segments", MQRC_SEGMENTS_NOT_SUPPORTED)


def place_logically(
    position: GroupPosition, md: MQMD, data_length: int, uses_syncpoint: bool, new_group_id: Callable[[], bytes]
) -> tuple[dict[str, Any], GroupPosition]:
    """Return the descriptor fields of a message put with MQPMO_LOGICAL_ORDER, and the position after it.

    position: of the handle's puts.  md: the caller's, its persistence settled; its position fields are not looked at.
    data_length: bytes of application data.
    The fields are group_id, msg_seq_number, offset, msg_flags and original_length.
    Raises MQError: MQRC_INCOMPLETE_MSG, MQRC_INCOMPLETE_GROUP, MQRC_INCONSISTENT_PERSISTENCE,
    MQRC_INCONSISTENT_UOW, MQRC_SEGMENT_LENGTH_ZERO; then there is nothing new to retain.
    Source: BEY-10 to BEY-12, BEY-15 to BEY-18, RSEG-34, LOGORD-02 to LOGORD-07.
    """
    flags = resolve_flags(md.msg_flags)
    place = _continuation(position, flags)
    if place is None:
        what = "logical message" if position.in_message else "group"
        raise MQError(f"the message does not continue the {what} that is being put", incomplete_reason(position))
    reason = _inconsistency(position, md.persistence, uses_syncpoint)
    if reason:
        what = "persistence" if reason == MQRC_INCONSISTENT_PERSISTENCE else "syncpoint option"
        raise MQError(f"the group or logical message was begun with another {what}", reason)
    if flags & SEGMENT_FLAGS and not flags & MQMF_LAST_SEGMENT and md.msg_type != MQMT_REPORT and data_length == 0:
        raise MQError("a segment other than the last needs data", MQRC_SEGMENT_LENGTH_ZERO)
    fields = _fields(place, md, position, data_length, new_group_id)
    return fields, _position_after(md, fields, data_length, uses_syncpoint, logical=True)


def place_physically(
    position: GroupPosition, md: MQMD, data_length: int, uses_syncpoint: bool, new_group_id: Callable[[], bytes]
) -> tuple[dict[str, Any], GroupPosition, int]:
    """Return the fields of a message put without MQPMO_LOGICAL_ORDER, the position after it, and a warning.

    Arguments and fields are those of ``place_logically``, but here the caller's descriptor says the place. The
    warning is MQRC_NONE, or what the previous put, in logical order, makes of one that does not continue it:
    MQRC_INCOMPLETE_MSG, MQRC_INCOMPLETE_GROUP, MQRC_INCONSISTENT_PERSISTENCE, MQRC_INCONSISTENT_UOW.
    Source: BEY-13, BEY-18, BEY-20, LOGORD-04, LOGORD-05, RSEG-36.
    """
    flags = resolve_flags(md.msg_flags)
    place = _find(PLACES_WITHOUT, flags, position)
    assert place is not None
    fields = _fields(place, md, position, data_length, new_group_id)
    warning = MQRC_NONE
    if position.logical and position.is_open:
        warning = _warning(position, fields, md.persistence, uses_syncpoint)
    if not flags & (GROUP_FLAGS | SEGMENT_FLAGS):
        return fields, NO_POSITION, warning
    return fields, _position_after(md, fields, data_length, uses_syncpoint, logical=False), warning


def _find(table: tuple[tuple[_Case, _Place], ...], flags: int, position: GroupPosition) -> _Place | None:
    case = (
        flags & GROUP_FLAGS != 0,
        flags & SEGMENT_FLAGS != 0,
        flags & MQMF_SEGMENTATION_ALLOWED != 0,
        position.in_group,
        position.in_message,
    )
    for row, place in table:
        if all(wanted is None or wanted == given for wanted, given in zip(row, case, strict=True)):
            return place
    return None


def _continuation(position: GroupPosition, flags: int) -> _Place | None:
    """Return the position of a message in logical order; None if it cannot follow the previous one."""
    # All segments of a logical message agree whether it is the last of its group (MQRC_INCOMPLETE_MSG).
    if position.in_message and (flags ^ position.flags) & MQMF_LAST_MSG_IN_GROUP:
        return None
    return _find(PLACES_IN_LOGICAL_ORDER, flags, position)


def _inconsistency(position: GroupPosition, persistence: int, uses_syncpoint: bool) -> int:
    """Check what the messages of a group and the segments of a message have in common (BEY-15, BEY-16)."""
    if not position.is_open:
        return MQRC_NONE
    if persistence != position.persistence:
        return MQRC_INCONSISTENT_PERSISTENCE
    return MQRC_NONE if uses_syncpoint == position.in_unit_of_work else MQRC_INCONSISTENT_UOW


def _warning(position: GroupPosition, fields: dict[str, Any], persistence: int, uses_syncpoint: bool) -> int:
    place = _continuation(position, fields["msg_flags"])
    if place is None:
        return incomplete_reason(position)
    expected = [value_of(field, word, position) for field, word in zip(_FIELDS, place, strict=True)]
    if expected != [fields[field] for field in _FIELDS]:
        return incomplete_reason(position)
    return _inconsistency(position, persistence, uses_syncpoint)


def _fields(
    place: _Place, md: MQMD, position: GroupPosition, data_length: int, new_group_id: Callable[[], bytes]
) -> dict[str, Any]:
    flags = resolve_flags(md.msg_flags)
    fields: dict[str, Any] = {"msg_flags": flags, "original_length": _original_length(md, flags, data_length)}
    for field, word in zip(_FIELDS, place, strict=True):
        if word == NEW or (word == NEW_IF_NONE and md.group_id == MQGI_NONE):
            fields[field] = new_group_id()
        elif word in (GIVEN, NEW_IF_NONE):
            fields[field] = getattr(md, field)
        else:
            fields[field] = value_of(field, word, position)
    return fields


def _original_length(md: MQMD, flags: int, data_length: int) -> int:
    """Return OriginalLength: only a report about a segment states its own (RSEG-36)."""
    if not flags & SEGMENT_FLAGS:
        return MQOL_UNDEFINED
    return md.original_length if md.msg_type == MQMT_REPORT else data_length


def _position_after(
    md: MQMD, fields: dict[str, Any], data_length: int, uses_syncpoint: bool, *, logical: bool
) -> GroupPosition:
    placed = md.replace(**fields)
    return position_after(placed, segment_length(placed, data_length), uses_syncpoint=uses_syncpoint, logical=logical)
