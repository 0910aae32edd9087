"""Helpers for tests of groups and segments: put members, get them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_LAST_SEGMENT, MQMF_MSG_IN_GROUP, MQMF_SEGMENT
from mqtools.constants.options import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQPMO_LOGICAL_ORDER,
)
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle

from ..conftest import QM, fails, take

G, K, L = b"G" * 24, b"K" * 24, b"L" * 24
LOGICAL, COMPLETE = MQGMO_LOGICAL_ORDER, MQGMO_COMPLETE_MSG
ALL_MSGS, ALL_SEGMENTS = MQGMO_ALL_MSGS_AVAILABLE, MQGMO_ALL_SEGMENTS_AVAILABLE
NOTHING = MQRC_NO_MSG_AVAILABLE


def member(qm: QM, group: bytes, seq: int, *, last: bool = False, data: str = "", **fields: Any) -> MQMD:
    """Put a message of a group; its data is G1, G2, …"""
    flags = MQMF_MSG_IN_GROUP | (MQMF_LAST_MSG_IN_GROUP if last else 0)
    body = data or f"{chr(group[0])}{seq}"
    return qm.put(body, group_id=group, msg_seq_number=seq, msg_flags=flags, **fields)


def members(qm: QM, group: bytes, *order: int, size: int = 3, **fields: Any) -> list[MQMD]:
    """Put messages of a group in some order, by their numbers."""
    return [member(qm, group, seq, last=seq == size, **fields) for seq in order or range(1, size + 1)]


def part(
    qm: QM, group: bytes, offset: int, data: str | bytes, *, last: bool = False, flags: int = 0, **fields: Any
) -> MQMD:
    """Put a segment of a logical message. flags: of its group, if it is in one."""
    flags |= MQMF_SEGMENT | (MQMF_LAST_SEGMENT if last else 0)
    return qm.put(data, group_id=group, offset=offset, msg_flags=flags, **fields)


def parts(qm: QM, group: bytes, *data: str | bytes, flags: int = 0, **fields: Any) -> list[MQMD]:
    """Put all segments of a logical message."""
    made, offset = [], 0
    for number, piece in enumerate(data, 1):
        made.append(part(qm, group, offset, piece, last=number == len(data), flags=flags, **fields))
        offset += len(piece)
    return made


def put(handle: Handle, flags: int, data: bytes = b"x", options: int = MQPMO_LOGICAL_ORDER, **fields: Any) -> MQMD:
    """Put a message with these flags, in logical order unless the options say otherwise; return its descriptor."""
    message = Message(data, MQMD(msg_flags=flags, **fields))
    handle.put(message, options)
    return message.md


def take_by(handle: Handle, options: int, match_options: int, **fields: Any) -> GetResult:
    """Get or browse by match options."""
    return handle.get(options, md=MQMD(**fields), match_options=match_options)


def take_all(handle: Handle, options: int = 0) -> list[bytes]:
    """Get until there is nothing more."""
    found = []
    while True:
        try:
            found.append(take(handle, options))
        except NoMessageAvailable:
            return found


def nothing() -> pytest.RaisesExc[MQError]:
    """Expect that no message is available."""
    return fails(NOTHING)


def failing(call: Callable[..., object], at: int, error: Exception) -> Callable[..., object]:
    """Make a function fail on its n-th call, from 1 on."""
    calls = [0]

    def wrapped(*arguments: object, **more: object) -> object:
        calls[0] += 1
        if calls[0] == at:
            raise error
        return call(*arguments, **more)

    return wrapped
