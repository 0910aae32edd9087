"""Groups and segments on one queue in plain Python: a list of messages, and everything worked out anew each time.

Two connections, each with one handle, that do not wait, lock or move a browse cursor but to the beginning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_LAST_SEGMENT, MQMF_MSG_IN_GROUP, MQMF_SEGMENT
from mqtools.constants.options import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQGMO_SYNCPOINT,
)
from mqtools.constants.reasons import (
    MQRC_INCOMPLETE_GROUP,
    MQRC_INCOMPLETE_MSG,
    MQRC_INCONSISTENT_UOW,
    MQRC_MATCH_OPTIONS_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_UOW_NOT_AVAILABLE,
)
from mqtools.constants.states import GET_UNCONFIRMED, PUT_UNCONFIRMED, UNLOCKED

Place = tuple[bytes | None, int, int]


class Refused(Exception):
    """Raised when a call fails, with its reason; the model is as it was before."""

    def __init__(self, reason: int) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(eq=False)
class Physical:
    """A physical message. data: its number, as often as it has bytes.  group_id: None when it is by itself."""

    data: bytes
    group_id: bytes | None
    seq: int
    offset: int
    flags: int
    persistent: bool
    state: int
    owner: int | None

    @property
    def is_segment(self) -> bool:
        return bool(self.flags & MQMF_SEGMENT)

    @property
    def is_end(self) -> bool:
        return not self.is_segment or bool(self.flags & MQMF_LAST_SEGMENT)


@dataclass(frozen=True)
class Position:
    """What a handle retains. after: where the current message, or the current logical message, ends."""

    group_id: bytes | None = None
    seq: int = 1
    after: int = 0
    in_group: bool = False
    in_message: bool = False
    held: bool = False
    logical: bool = False

    @property
    def is_open(self) -> bool:
        return self.in_group or self.in_message

    @property
    def next(self) -> Place:
        if self.in_message:
            return self.group_id, self.seq, self.after
        return self.group_id, self.seq + 1, 0

    @property
    def unfinished(self) -> int:
        return MQRC_INCOMPLETE_MSG if self.in_message else MQRC_INCOMPLETE_GROUP


@dataclass
class Connected:
    """A connection with its handle. before: the position that a back-out goes back to, if it goes back."""

    got: Position = Position()
    before: Position | None = None
    in_unit_of_work: bool = False


@dataclass
class Answer:
    """What a get gives. offset, flags: of the descriptor."""

    data: bytes
    reason: int
    offset: int
    flags: int


def tile(pieces: list[Physical], offset: int = 0) -> list[Physical] | None:
    """Choose pieces that follow one another to the end; the earlier one where two would do."""
    for piece in pieces:
        if piece.offset == offset:
            if piece.is_end:
                return [piece]
            rest = tile(pieces, offset + len(piece.data))
            if rest is not None:
                return [piece, *rest]
    return None


def is_whole_group(members: Iterable[Physical]) -> bool:
    """Return whether every logical message up to one that says it is the last is whole."""
    there = list(members)
    lasts = [member.seq for member in there if member.flags & MQMF_LAST_MSG_IN_GROUP]
    return any(
        all(tile([member for member in there if member.seq == seq]) for seq in range(1, last + 1)) for last in lasts
    )


@dataclass
class Model:
    """The queue, in the order of delivery, and who uses it."""

    queue: list[Physical] = field(default_factory=list)
    connected: list[Connected] = field(default_factory=lambda: [Connected(), Connected()])

    def put(self, who: int, message: Physical, *, held: bool) -> None:
        message.state, message.owner = (PUT_UNCONFIRMED, who) if held else (UNLOCKED, None)
        self.connected[who].in_unit_of_work |= held
        self.queue.append(message)

    def commit(self, who: int) -> None:
        self._settle(who, gone=GET_UNCONFIRMED)
        self.connected[who].before = None

    def backout(self, who: int) -> None:
        self._settle(who, gone=PUT_UNCONFIRMED)
        user = self.connected[who]
        if user.before is not None:
            user.got, user.before = user.before, None

    def _settle(self, who: int, *, gone: int) -> None:
        self.queue = [message for message in self.queue if message.owner != who or message.state != gone]
        for message in self.queue:
            if message.owner == who:
                message.state, message.owner = UNLOCKED, None
        self.connected[who].in_unit_of_work = False

    # Gets

    def get(self, who: int, options: int, match: dict[str, object]) -> Answer:
        """Get or browse. match: group_id and msg_seq_number, none, one or both of them."""
        user, browses = self.connected[who], bool(options & MQGMO_BROWSE_FIRST)
        position = Position() if browses else user.got
        held = bool(options & MQGMO_SYNCPOINT)
        if options & MQGMO_LOGICAL_ORDER and not browses:
            self._check(position, match, held=held)
        parts = self._choose(options, match, position)
        if len(parts) > 1 and not (browses or held) and user.in_unit_of_work and any(p.persistent for p in parts):
            raise Refused(MQRC_UOW_NOT_AVAILABLE)
        reason = MQRC_NONE
        if not browses:
            reason = self._retain(user, options, parts, held=held)
            self._remove(who, parts, held=held)
        first = parts[0]
        whole = MQMF_SEGMENT | MQMF_LAST_SEGMENT if options & MQGMO_COMPLETE_MSG and first.is_segment else 0
        return Answer(b"".join(part.data for part in parts), reason, first.offset, first.flags | whole)

    def _check(self, position: Position, match: dict[str, object], *, held: bool) -> None:
        if position.is_open and position.held != held:
            raise Refused(MQRC_INCONSISTENT_UOW)
        wanted: dict[str, object] = {"msg_seq_number": 1}
        if position.is_open:
            wanted = {"group_id": position.next[0], "msg_seq_number": position.next[1]}
        if any(match.get(name, value) != value for name, value in wanted.items()):
            raise Refused(MQRC_MATCH_OPTIONS_ERROR)

    def _choose(self, options: int, match: dict[str, object], position: Position) -> list[Physical]:
        for candidate in self._there():
            if self._fits(candidate, options, match, position):
                parts = self._parts(candidate, options, position)
                if parts is not None:
                    return parts
        raise Refused(MQRC_NO_MSG_AVAILABLE)

    def _there(self) -> list[Physical]:
        return [message for message in self.queue if message.state == UNLOCKED]

    def _fits(self, message: Physical, options: int, match: dict[str, object], position: Position) -> bool:
        if options & MQGMO_COMPLETE_MSG and message.offset:
            return False
        fits_group = match.get("group_id", message.group_id) == message.group_id
        if not options & MQGMO_LOGICAL_ORDER:
            return fits_group and match.get("msg_seq_number", message.seq) == message.seq
        if position.is_open:
            return (message.group_id, message.seq, message.offset) == position.next
        return fits_group and (message.group_id is None or (message.seq, message.offset) == (1, 0))

    def _parts(self, message: Physical, options: int, position: Position) -> list[Physical] | None:
        """Return what is handed over with a message, or None when something is missing that has to be there."""
        if message.group_id is None:
            return [message]
        logical = options & MQGMO_LOGICAL_ORDER
        needs_group = options & MQGMO_ALL_MSGS_AVAILABLE and not (logical and position.is_open)
        needs_message = needs_group or options & MQGMO_COMPLETE_MSG
        if options & MQGMO_ALL_SEGMENTS_AVAILABLE and not (logical and position.in_message):
            needs_message = 1
        group = [other for other in self._there() if other.group_id == message.group_id]
        if needs_group and message.flags & MQMF_MSG_IN_GROUP and not is_whole_group(group):
            return None
        others = [other for other in group if other.seq == message.seq and other is not message]
        tiles = tile([message, *others])
        if needs_message and tiles is None:
            return None
        if options & MQGMO_COMPLETE_MSG and message.is_segment:
            return tiles if tiles and tiles[0] is message else None
        return [message]

    def _retain(self, user: Connected, options: int, parts: list[Physical], *, held: bool) -> int:
        before, first, logical = user.got, parts[0], bool(options & MQGMO_LOGICAL_ORDER)
        is_last_segment = bool(options & MQGMO_COMPLETE_MSG) or first.is_end
        after = Position(
            first.group_id,
            first.seq,
            first.offset + sum(len(part.data) for part in parts),
            in_group=bool(first.flags & MQMF_MSG_IN_GROUP)
            and not (first.flags & MQMF_LAST_MSG_IN_GROUP and is_last_segment),
            in_message=first.is_segment and not is_last_segment,
            held=held,
            logical=logical,
        )
        if before.is_open or after.is_open:
            if held and user.before is None:
                user.before = before
            user.got = after
        if logical or not (before.logical and before.is_open):
            return MQRC_NONE
        if (first.group_id, first.seq, first.offset) != before.next:
            return before.unfinished
        return MQRC_NONE if held == before.held else MQRC_INCONSISTENT_UOW

    def _remove(self, who: int, parts: list[Physical], *, held: bool) -> None:
        self.connected[who].in_unit_of_work |= held
        for part in parts:
            part.state, part.owner = GET_UNCONFIRMED, who
        if not held:
            self.queue = [message for message in self.queue if message not in parts]
