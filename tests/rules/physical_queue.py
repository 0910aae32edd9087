"""A queue of physical messages and one handle on it, worked by nothing but the rules of groups and segments."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.constants import message as c
from mqtools.constants import options as mq
from mqtools.constants import reasons as r
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.rules import groups, logical_get, reassembly
from mqtools.rules.groups import NO_POSITION, GroupPosition

G, K, L = b"G" * 24, b"K" * 24, b"L" * 24
PLAIN, IN, LAST = 0, c.MQMF_MSG_IN_GROUP, c.MQMF_MSG_IN_GROUP | c.MQMF_LAST_MSG_IN_GROUP
SEG, LAST_SEG = c.MQMF_SEGMENT, c.MQMF_SEGMENT | c.MQMF_LAST_SEGMENT
LOGICAL = mq.MQGMO_LOGICAL_ORDER
ALL_MSGS, ALL_SEGMENTS = mq.MQGMO_ALL_MSGS_AVAILABLE, mq.MQGMO_ALL_SEGMENTS_AVAILABLE
COMPLETE, FIRST, NEXT = mq.MQGMO_COMPLETE_MSG, mq.MQGMO_BROWSE_FIRST, mq.MQGMO_BROWSE_NEXT
MATCH_ALL = sum(option for option, _, _ in logical_get.MATCHED_FIELDS)


def message(
    group_id: bytes = MQGI_NONE, seq: int = 1, offset: int = 0, flags: int = PLAIN, length: int = 10, **fields: Any
) -> tuple[MQMD, int]:
    place = {"group_id": group_id, "msg_seq_number": seq, "offset": offset, "msg_flags": flags}
    return MQMD(msg_id=fields.pop("msg_id", b"M" * 24), **{**place, **fields}), length


def group(group_id: bytes, size: int) -> list[tuple[MQMD, int]]:
    return [message(group_id, n, flags=LAST if n == size else IN) for n in range(1, size + 1)]


def segments(group_id: bytes, *lengths: int, seq: int = 1, flags: int = 0) -> list[tuple[MQMD, int]]:
    made, offset = [], 0
    for n, length in enumerate(lengths):
        kind = LAST_SEG if n == len(lengths) - 1 else SEG
        made.append(message(group_id, seq, offset, flags | kind, length))
        offset += length
    return made


X = message(msg_id=b"X" * 24)
Y = message(msg_id=b"Y" * 24)


class Queue:
    """The least that can be asked: messages in physical order, one handle, nothing but the rules."""

    def __init__(self, *messages: tuple[MQMD, int]) -> None:
        self.messages = list(messages)
        self.got = NO_POSITION
        self.browsed = NO_POSITION
        self.warning = 0

    def get(
        self, options: int = LOGICAL, *, match: int = 0, md: MQMD | None = None, sync: bool = False
    ) -> tuple[MQMD, int]:
        logical_get.check_get(self.got, options, match, md, sync)
        found = self._find(self.got, options, match, md)
        logical_get.check_found(self.got, options, match, md, found[0], sync)
        self.messages.remove(found)
        self.got, self.warning = logical_get.after_get(self.got, options, *found, sync)
        return found

    def browse(self, options: int, *, match: int = 0, md: MQMD | None = None) -> tuple[MQMD, int]:
        logical_get.check_get(self.browsed, options, match, md, False)
        found = self._find(self.browsed, options, match, md)
        logical_get.check_found(self.browsed, options, match, md, found[0], False)
        self.browsed = logical_get.after_browse(options, *found)
        return found

    def _find(self, position: GroupPosition, options: int, match: int, md: MQMD | None) -> tuple[MQMD, int]:
        wanted = logical_get.wanted_by_logical_order(position, options)
        chosen = logical_get.selection_match_options(position, options, match)
        for option, field, any_value in logical_get.MATCHED_FIELDS:
            if chosen & option and getattr(md, field) != any_value:
                assert field not in wanted
                wanted[field] = getattr(md, field)
        for found in self.messages:
            if all(getattr(found[0], f) == v for f, v in wanted.items()) and self._available(position, options, found):
                return found
        raise MQError("nothing", r.MQRC_NO_MSG_AVAILABLE)

    def _available(self, position: GroupPosition, options: int, found: tuple[MQMD, int]) -> bool:
        md = found[0]
        mine = [one for one in self.messages if one[0].group_id == md.group_id]
        in_group = md.msg_flags & groups.GROUP_FLAGS
        if in_group and logical_get.needs_group_complete(options, position) and not reassembly.group_covers(mine):
            return False
        pieces = [reassembly.piece_of(*one) for one in mine if one[0].msg_seq_number == md.msg_seq_number]
        is_segment = md.msg_flags & groups.SEGMENT_FLAGS
        needs = is_segment and logical_get.needs_message_complete(options, position)
        return not needs or reassembly.covers(pieces)

    def all(self, options: int = LOGICAL) -> list[tuple[MQMD, int]]:
        got = []
        while True:
            try:
                got.append(self.get(options))
            except MQError as error:
                if error.reason != r.MQRC_NO_MSG_AVAILABLE:
                    raise
                return got
            assert self.warning == 0


def reason_of(call: Any, *args: Any, **named: Any) -> int:
    with pytest.raises(MQError) as caught:
        call(*args, **named)
    return caught.value.reason


G1, G2, G3 = group(G, 3)
K1, K2, K3 = group(K, 3)
P1, P2 = group(b"P" * 24, 2)
S1, S2, S3 = segments(L, 10, 20, 5)
