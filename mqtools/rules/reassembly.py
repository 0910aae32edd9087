"""Segmentation of logical messages, their completeness, and reassembly.

Lengths and offsets count application data: MQ headers are in front of it, not part of it. Reports about
segments count as the data they report on, with the bytes of their OriginalLength (RSEG-34).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mqtools.constants.message import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_SEGMENT,
    MQMT_REPORT,
)
from mqtools.constants.reasons import (
    MQRC_INCONSISTENT_CCSIDS,
    MQRC_INCONSISTENT_ENCODINGS,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_NONE,
    MQRC_UOW_NOT_AVAILABLE,
)
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD
from mqtools.rules.descriptor import SEGMENT_FLAGS
from mqtools.rules.groups import segment_length

#: Bytes: every segment that the queue manager makes, but the last, has a multiple of these (BEY-25). So no
#: number or character of up to this length that is aligned in the message is torn.
SEGMENT_UNIT = 16

#: Descriptor field in which all segments of a reassembled message agree, and the reason if they do not; an
#: earlier row takes precedence over a later one. Segments may differ in any field not listed. (COMPL-20, COMPL-21)
AGREEING_FIELDS = (
    ("coded_char_set_id", MQRC_INCONSISTENT_CCSIDS),
    ("encoding", MQRC_INCONSISTENT_ENCODINGS),
)


def segment(data_length: int, max_segment: int, header_length: int = 0) -> list[tuple[int, int]]:
    """Split a logical message into pieces that fit: return offset and length (bytes) of each, in order.

    data_length: bytes of application data.  max_segment: bytes that one physical message may have, headers
    included.  header_length: bytes of the MQ headers in front; they stay whole, with the first piece. A
    message that fits is one piece.
    Raises MQError: MQRC_MSG_TOO_BIG_FOR_Q, when less than 16 bytes of data fit in a piece.
    Source: BEY-21, BEY-25, RSEG-06.
    """
    if header_length + data_length <= max_segment:
        return [(0, data_length)]
    first, other = (room // SEGMENT_UNIT * SEGMENT_UNIT for room in (max_segment - header_length, max_segment))
    if first < SEGMENT_UNIT:
        raise MQError(f"the message cannot be cut into segments of at most {max_segment} bytes", MQRC_MSG_TOO_BIG_FOR_Q)
    pieces = [(0, first)]
    offset = first
    while offset < data_length:
        # The last segment needs no alignment: it may fill what is allowed.
        length = data_length - offset if data_length - offset <= max_segment else other
        pieces.append((offset, length))
        offset += length
    return pieces


def check_segmentation(pieces: int, uses_syncpoint: bool, has_unit_of_work: bool) -> None:
    """Check that the segments of a message may have their own unit of work.

    pieces: their number.  Raises MQError: MQRC_UOW_NOT_AVAILABLE.  Source: BEY-24.
    """
    if pieces > 1 and has_unit_of_work and not uses_syncpoint:
        raise MQError("the message must be segmented, which needs its own unit of work", MQRC_UOW_NOT_AVAILABLE)


def segment_fields(md: MQMD, pieces: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return msg_flags, offset and original_length of each segment of a message.

    md: of the whole, with its place; it may be a segment itself.  pieces: as ``segment`` gives them. One piece
    is no segmentation: it keeps what it had.  Source: BEY-21, LOGORD-02, LOGORD-03.
    """
    if len(pieces) == 1:
        return [{"msg_flags": md.msg_flags, "offset": md.offset, "original_length": md.original_length}]
    ends_message = not md.msg_flags & MQMF_SEGMENT or md.msg_flags & MQMF_LAST_SEGMENT
    whole = segment_length(md, sum(length for _, length in pieces))
    inner = md.msg_flags & ~MQMF_LAST_SEGMENT | MQMF_SEGMENT
    rows = [{"msg_flags": inner, "offset": md.offset + at, "original_length": length} for at, length in pieces]
    rows[-1]["original_length"] = whole - pieces[-1][0]
    if ends_message:
        rows[-1]["msg_flags"] = inner | MQMF_LAST_SEGMENT
    return rows


def piece_of(md: MQMD, data_length: int) -> tuple[int, int, bool]:
    """Return the piece that a physical message is: offset, length (bytes), whether it is the end.

    data_length: bytes of application data. An unsegmented message is all of it.
    """
    is_end = not md.msg_flags & SEGMENT_FLAGS or md.msg_flags & MQMF_LAST_SEGMENT != 0
    return md.offset, segment_length(md, data_length), is_end


def find_tiling(pieces: Sequence[tuple[int, int, bool]]) -> list[int] | None:
    """Return pieces that make up a whole, as indexes in order of offset; None if there are none.

    pieces: offset, length, whether it is the end. A piece may be there twice, as reports of two kinds are; the
    earlier is taken then.
    """
    completing: dict[int, int] = {}  # offset to the piece there that leads to the end
    for index in sorted(range(len(pieces)), key=lambda i: pieces[i][0], reverse=True):
        offset, length, is_end = pieces[index]
        if is_end or offset + length in completing:
            completing.setdefault(offset, index)
    if 0 not in completing:
        return None
    chosen = [completing[0]]
    while not pieces[chosen[-1]][2]:
        offset, length, _ = pieces[chosen[-1]]
        chosen.append(completing[offset + length])
    return chosen


def covers(pieces: Sequence[tuple[int, int, bool]]) -> bool:
    """Return whether pieces (offset, length, whether it is the end) make up a whole logical message.

    Of reports any kind counts (AVAIL-25).  Source: AVAIL-16, AVAIL-23, AVAIL-25, RSEG-24, RSEG-25.
    """
    return find_tiling(pieces) is not None


def group_covers(members: Iterable[tuple[MQMD, int]]) -> bool:
    """Return whether physical messages, each with its length of data, make up a whole group.

    Every logical message from 1 to the last of the group must be complete; of several that say they are the last,
    the first.
    Source: AVAIL-01, AVAIL-11, AVAIL-14.
    """
    messages: dict[int, list[tuple[int, int, bool]]] = {}
    last_seq = None
    for md, data_length in members:
        messages.setdefault(md.msg_seq_number, []).append(piece_of(md, data_length))
        if md.msg_flags & MQMF_LAST_MSG_IN_GROUP:
            last_seq = min(last_seq or md.msg_seq_number, md.msg_seq_number)
    complete = sum(1 for number, pieces in messages.items() if last_seq and number <= last_seq and covers(pieces))
    return complete == last_seq


@dataclass(slots=True, frozen=True)
class Segment:
    """Segment to be reassembled. data: bytes; the first header_length of them are MQ headers."""

    md: MQMD
    data: bytes
    header_length: int = 0

    @property
    def length(self) -> int:
        """Return the number of bytes of the logical message that the segment covers."""
        return segment_length(self.md, len(self.data) - self.header_length)


@dataclass(slots=True, frozen=True)
class AssembledMessage:
    """Logical message assembled from its segments, or from the first of them.

    segments: those it is made of, in order.  length: bytes of application data.  reason: MQRC_NONE, or the
    warning that says why the rest was left.
    """

    md: MQMD
    data: bytes
    length: int
    segments: tuple[Segment, ...]
    reason: int


def complete_set(members: Sequence[tuple[MQMD, int]]) -> list[int] | None:
    """Return what MQGMO_COMPLETE_MSG reassembles: indexes in order of offset, or None if nothing is complete.

    members: descriptor and data length of physical messages with one GroupId and MsgSeqNumber, in the order of
    delivery; that order decides which of several complete sets it is. Reports go together only when their
    Feedback is the same, and never with the messages they are about.
    Source: COMPL-04, COMPL-07, COMPL-26, RSEG-17 to RSEG-22, AVAIL-26.
    """
    kinds = [md.feedback if md.msg_type == MQMT_REPORT else None for md, _ in members]
    # A set can only be complete with its first segment; the one delivered first decides.
    for kind in dict.fromkeys(kind for kind, (md, _) in zip(kinds, members, strict=True) if md.offset == 0):
        of_kind = [index for index, other in enumerate(kinds) if other == kind]
        chosen = find_tiling([piece_of(*members[index]) for index in of_kind])
        if chosen is not None:
            return [of_kind[index] for index in chosen]
    return None


def check_reassembly(segments: int, is_persistent: bool, uses_syncpoint: bool, has_unit_of_work: bool) -> None:
    """Check that the removal of several persistent segments may have its own unit of work.

    segments: their number. A browse removes nothing and is not to be checked.
    Raises MQError: MQRC_UOW_NOT_AVAILABLE.  Source: COMPL-11, COMPL-13, COMPL-15 to COMPL-17.
    """
    if segments > 1 and is_persistent and has_unit_of_work and not uses_syncpoint:
        raise MQError("reassembly needs its own unit of work while another exists", MQRC_UOW_NOT_AVAILABLE)


def leading_run(descriptors: Sequence[MQMD]) -> tuple[int, int]:
    """Return how many segments from the first on agree with it, and the reason why the next one does not.

    descriptors: of a complete logical message, in order of offset.  The reason is MQRC_NONE when all agree.
    Source: COMPL-20 to COMPL-23.
    """
    first = descriptors[0]
    for number, md in enumerate(descriptors):
        for field, reason in AGREEING_FIELDS:
            if getattr(md, field) != getattr(first, field):
                return number, reason
    return len(descriptors), MQRC_NONE


def assembled_descriptor(first: MQMD, reason: int) -> MQMD:
    """Return the descriptor of a reassembled message: the first segment's, with the flags of an only one.

    reason: of ``leading_run``; when something was left, the flags do not say that this is the last.
    Source: COMPL-02, COMPL-18, COMPL-19, AMB-35.
    """
    is_whole = reason == MQRC_NONE and first.msg_flags & SEGMENT_FLAGS
    return first.replace(msg_flags=first.msg_flags | SEGMENT_FLAGS) if is_whole else first


def assemble(segments: Sequence[Segment]) -> AssembledMessage:
    """Return one message assembled from the segments of a logical message.

    segments: with one GroupId and MsgSeqNumber, in the order of delivery. Missing data of reports is filled
    with nulls; MQ headers are kept in front of the first segment's data only.
    Raises NoMessageAvailable when no set of segments is complete.
    Source: COMPL-01, COMPL-04, COMPL-07, COMPL-18 to COMPL-23, COMPL-26 to COMPL-28, RSEG-07, RSEG-08, RSEG-18.
    """
    chosen = complete_set([(part.md, len(part.data) - part.header_length) for part in segments])
    if chosen is None:
        raise NoMessageAvailable("segments of the logical message are missing")
    number, reason = leading_run([segments[index].md for index in chosen])
    run = tuple(segments[index] for index in chosen[:number])
    return AssembledMessage(
        assembled_descriptor(run[0].md, reason),
        run[0].data[: run[0].header_length] + b"".join(_padded(part) for part in run),
        sum(part.length for part in run),
        run,
        reason,
    )


def _padded(part: Segment) -> bytes:
    body = part.data[part.header_length :] if part.header_length else part.data
    return body.ljust(part.length, b"\0")
