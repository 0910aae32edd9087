"""Outcomes of originals: the one that reports prove for a message, its segments, or a group (RSEG-27).

A report about a segment stands at the segment's place in its group, a single report about a whole message over all
its segments. So both are laid side by side, and what no report and no original covers is a gap. Lengths and offsets
count application data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace

from mqtools.constants.message import (
    MQFMT_MD_EXTENSION,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMT_REPORT,
    MQOL_UNDEFINED,
)
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import MQError
from mqtools.headers.mqmde import strip_mqmde
from mqtools.message import MQMD
from mqtools.rules.descriptor import GROUP_FLAGS, NOT_ASKED, SEGMENT_FLAGS
from mqtools.rules.groups import segment_length
from mqtools.rules.reports import kind_of_feedback, report_data_wanted

ACTED, REFUSED, FAILED, EXPIRED, DELIVERED, ARRIVED = "acted", "refused", "failed", "expired", "delivered", "arrived"
SILENT, UNASKED, PENDING = "silent", "unasked", "pending"

#: Kind of report to what it proves, the strongest first: of several reports about a part the first row counts. A
#: kind that is not here proves nothing. An exception takes precedence over a delivery: an application that cannot
#: process what it got reports that after the queue manager has confirmed the delivery.
PROOFS = {
    "pan": ACTED,
    "nan": REFUSED,
    "exception": FAILED,
    "expiration": EXPIRED,
    "cod": DELIVERED,
    "coa": ARRIVED,
}

#: Outcomes of a part that its reader has, and of one that it will never have, or does not want.
REACHED = (ACTED, DELIVERED)
LOST = (REFUSED, FAILED, EXPIRED)


@dataclass(slots=True, frozen=True)
class Observation:
    """One observation: an original on its queue, or a report about one.

    md: with its place in group and message.  length: bytes of the original's data that it covers, None where a
    report about an unsegmented message does not say.  state: of an original (constants/states.py), None for a
    report.
    """

    md: MQMD
    length: int | None
    state: int | None = None

    @property
    def end(self) -> int | None:
        """Return the offset behind it; None if its length is not known."""
        return None if self.length is None else self.md.offset + self.length

    @property
    def is_end(self) -> bool:
        """Return whether its logical message ends with it."""
        return not self.md.msg_flags & SEGMENT_FLAGS or self.md.msg_flags & MQMF_LAST_SEGMENT != 0


@dataclass(slots=True, frozen=True)
class Part:
    """Outcome of one part of an original, or of a gap in it.

    msg_seq_number, to_seq_number: the same but for a gap of whole messages; to_seq_number is None where the
    number of missing messages is unknown.  length: bytes, None where that is not known.  feedback: of the report
    that proves the outcome, 0 without one.  state: of the original while it is there, else None.  msg_id: of that
    original.
    reports: number of reports about the part.  is_orphan: a segment on the queue, of a message that will never be
    whole.
    """

    msg_seq_number: int
    to_seq_number: int | None
    offset: int
    length: int | None
    outcome: str = SILENT
    _: KW_ONLY
    feedback: int = 0
    state: int | None = None
    msg_id: bytes = b""
    reports: int = 0
    is_orphan: bool = False


def report_place(md: MQMD, data: bytes) -> MQMD:
    """Return the descriptor of a report with the position of its original.

    A queue manager that does not support segmentation takes the MQMDE of a segment for data. The data of its report
    then begins with the MQMDE, if it has at least 100 bytes; otherwise the segment is unknown.
    Source: RSEG-30, RSEG-31, RSEG-32.
    """
    if md.group_id != MQGI_NONE or md.format != MQFMT_MD_EXTENSION:
        return md
    try:
        return strip_mqmde(md, data)[0]
    except MQError:
        return md  # cut off, or no MQMDE at all


def observe_report(md: MQMD, data_length: int) -> Observation:
    """Return the observation of a report. data_length: bytes of its own application data."""
    if not md.msg_flags & SEGMENT_FLAGS:
        return Observation(md, None)
    return Observation(md, segment_length(md.replace(msg_type=MQMT_REPORT), data_length))


def observe_original(md: MQMD, data_length: int, state: int) -> Observation:
    """Return the observation of an original. data_length: bytes of its data, used if its put recorded none."""
    return Observation(md, data_length if md.original_length == MQOL_UNDEFINED else md.original_length, state)


def parts_of(observations: Sequence[Observation], *, is_group: bool) -> list[Part]:
    """Return the parts of a message or a group in order, gaps included, each with its outcome.

    observations: with one GroupId, or of one message.  is_group: all messages with the GroupId are meant, otherwise one
    logical message.
    Source: RSEG-26, RSEG-27, RSEG-28.
    """
    parts: list[Part] = []
    last_seq: int | None = None
    following = 1
    by_number: dict[int, list[Observation]] = {}
    for observation in observations:
        by_number.setdefault(observation.md.msg_seq_number, []).append(observation)
        if observation.md.msg_flags & MQMF_LAST_MSG_IN_GROUP:
            last_seq = max(last_seq or 0, observation.md.msg_seq_number)
    # A segmented message by itself has a GroupId too, and is in no group.
    is_group = is_group and any(observation.md.msg_flags & GROUP_FLAGS for observation in observations)
    for number in sorted(by_number):
        if is_group and number > following:
            parts.append(Part(following, number - 1, 0, None))
        parts += _of_message(number, by_number[number])
        following = number + 1
    if is_group and (last_seq is None or following <= last_seq):
        parts.append(Part(following, last_seq, 0, None))
    return parts


def _of_message(number: int, observations: list[Observation]) -> list[Part]:
    at: dict[int, list[Observation]] = {}
    for observation in observations:
        at.setdefault(observation.md.offset, []).append(observation)
    offsets = sorted(at)
    lengths = {
        offset: _shortest(at[offset], following)
        for offset, following in zip(offsets, [*offsets[1:], None], strict=True)
    }
    # Only these can cover more than the part that they begin at.
    wide = [
        observation
        for observation in observations
        if observation.is_end or observation.length is None or observation.length != lengths[observation.md.offset]
    ]
    parts = []
    for offset, length in _places(lengths, observations):
        part = Part(number, number, offset, length)
        behind = [observation for observation in wide if observation.md.offset < offset and _reaches(observation, part)]
        parts.append(_proved(part, [*at.get(offset, ()), *behind]))
    return _with_orphans(parts)


def _shortest(observations: Iterable[Observation], following: int | None) -> int | None:
    """Return the shortest length that these observations state, up to the offset of the next part."""
    lengths = [observation.length for observation in observations if observation.length is not None]
    if following is not None:
        lengths.append(following - next(iter(observations)).md.offset)
    return min(lengths, default=None)


def _places(lengths: dict[int, int | None], observations: Iterable[Observation]) -> list[tuple[int, int | None]]:
    """Return offset and length of each part: the observed ones, the gaps between, and the rest behind them."""
    places: list[tuple[int, int | None]] = []
    at = 0
    for offset, length in lengths.items():
        if offset > at:
            places.append((at, offset - at))
        places.append((offset, length))
        at = offset + (length or 0)
    ends = [observation.end or 0 for observation in observations if observation.is_end]
    if not ends:
        places.append((at, None))
    elif max(ends) > at:
        places.append((at, max(ends) - at))
    return places


def _proved(part: Part, observations: list[Observation]) -> Part:
    original = next((observation for observation in observations if observation.state is not None), None)
    about = [observation.md.feedback for observation in observations if observation.state is None]
    outcome, feedback = proof(about)
    if original is not None:
        part = replace(part, state=original.state, msg_id=original.md.msg_id)
        if outcome == SILENT and not asks_for_reports(original.md.report):
            outcome = UNASKED
    return replace(part, outcome=outcome, feedback=feedback, reports=len(about))


def _reaches(observation: Observation, part: Part) -> bool:
    """Return whether an observation that begins in front of a part covers it too."""
    if observation.end is None or part.length is None:
        return observation.end is None
    end = part.offset + part.length
    # An empty last segment begins where the one before it ends.
    return end < observation.end or (end == observation.end and (part.length > 0 or observation.is_end))


def proof(feedback: Iterable[int]) -> tuple[str, int]:
    """Return the outcome that reports with these feedback codes prove together, and its code; SILENT and 0 if none."""
    by_kind: dict[str | None, int] = {}
    for code in feedback:
        by_kind.setdefault(kind_of_feedback(code), code)
    for kind, outcome in PROOFS.items():
        if kind in by_kind:
            return outcome, by_kind[kind]
    return SILENT, 0


def asks_for_reports(report: int) -> bool:
    """Return whether a Report field requests any report that proves something."""
    return any(report_data_wanted(report, kind) != NOT_ASKED for kind in PROOFS)


def _with_orphans(parts: list[Part]) -> list[Part]:
    """Return parts with the segments of a message that lost another part marked as orphans (RSEG-28)."""
    is_broken = any(part.outcome in LOST and part.state is None for part in parts)
    return [replace(part, is_orphan=is_broken and part.state is not None) for part in parts]


def outcome_of(parts: Iterable[Part]) -> str:
    """Return the outcome of the whole: DELIVERED, FAILED, or PENDING if neither is proved or nothing is known.

    Source: RSEG-27.
    """
    outcomes = {part.outcome for part in parts}
    if outcomes and outcomes <= set(REACHED):
        return DELIVERED
    return FAILED if outcomes & set(LOST) else PENDING
