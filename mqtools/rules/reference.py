"""Reference messages: their object, the portion of it that one carries, and what is missing.

A reference message begins with an MQRMH and names a portion of an object outside the queue manager. The sender appends
the data, and the receiver writes it away. On the queues at both ends there is only the header.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from mqtools.constants.message import (
    MQFMT_REF_MSG_HEADER,
)
from mqtools.constants.reasons import MQRC_RMH_ERROR, MQRC_SEGMENTATION_NOT_ALLOWED
from mqtools.constants.structures import MQMD_VERSION_1, MQRMHF_LAST
from mqtools.errors import MQError
from mqtools.headers.characters import is_escaped
from mqtools.headers.charsets import known_ccsid
from mqtools.headers.mqrmh import MQRMH, place_portion, struc_length, unpack_mqrmh
from mqtools.message import MQMD
from mqtools.rules.descriptor import SEGMENTATION_FLAGS

#: Bytes from the first up to, not with, the second.
Range: TypeAlias = tuple[int, int]

#: How the names of our own files in a receiving folder begin: no object is called so.
HIDDEN_PREFIX = ".mqx-"
#: The largest value of DataLogicalLength.
_MOST = (1 << 31) - 1


@dataclass(slots=True, frozen=True)
class Portion:
    """Part of an object. offset, length: bytes.  is_last: nothing follows it.

    A length of 0 in a message without data asks for the rest of the object (REF-33).
    """

    offset: int
    length: int
    is_last: bool = False

    @property
    def end(self) -> int:
        """Return the offset of the first byte behind the portion."""
        return self.offset + self.length


@dataclass(slots=True, frozen=True)
class Reference:
    """Parsed reference message: its MQRMH as a record and as bytes, and the object's data behind it."""

    rmh: MQRMH
    header: bytes
    bulk: bytes
    encoding: int

    @property
    def portion(self) -> Portion:
        rmh = self.rmh
        return Portion(rmh.logical_offset, rmh.data_logical_length, bool(rmh.flags & MQRMHF_LAST))

    def header_for(self, portion: Portion) -> bytes:
        """Return the header with another portion; every other byte of it is unchanged."""
        flags = self.rmh.flags & ~MQRMHF_LAST | (MQRMHF_LAST if portion.is_last else 0)
        return place_portion(self.header, self.encoding, flags, portion.length, portion.offset)


def is_reference(md: MQMD) -> bool:
    """Return whether the Format is that of a reference message; the data is not examined.  Source: REF-04."""
    return md.format == MQFMT_REF_MSG_HEADER


def parse_reference(md: MQMD, data: bytes) -> Reference:
    """Parse a reference message.

    Raises MQError: MQRC_RMH_ERROR for a damaged header, or one whose offset or length is impossible.
    Source: REF-30, REF-31, REF-34.
    """
    rmh = unpack_mqrmh(data, md.encoding, known_ccsid(md.coded_char_set_id))
    for name in ("data_logical_length", "data_logical_offset", "data_logical_offset2"):
        if getattr(rmh, name) < 0:
            raise MQError(f"MQRMH: {name} is {getattr(rmh, name)}", MQRC_RMH_ERROR)
    length = struc_length(data, md.encoding)
    return Reference(rmh, data[:length], data[length:], md.encoding)


def check_put(md: MQMD, data: bytes) -> None:
    """Check a reference message that is put.

    Raises MQError: MQRC_SEGMENTATION_NOT_ALLOWED for a segment or one that may be segmented, MQRC_RMH_ERROR for a
    damaged header.  Source: REF-28, REF-30, AMB-30.
    """
    if md.version != MQMD_VERSION_1 and md.msg_flags & SEGMENTATION_FLAGS:
        raise MQError("a reference message cannot be segmented", MQRC_SEGMENTATION_NOT_ALLOWED)
    parse_reference(md, data)


def object_path(name: str) -> tuple[str, ...]:
    """Return the path components from a root folder to an object.

    Raises MQError: MQRC_RMH_ERROR for a name that leads elsewhere (``..``, absolute), is none, is a folder's or ends in
    a blank, is not text, or belongs to the files we keep in a receiving folder.
    """
    steps = tuple(step for step in name.split("/") if step not in ("", "."))
    if "\0" in name or "\ufffd" in name or is_escaped(name):
        raise _bad_name(name, "is not text")
    if name.startswith("/"):
        raise _bad_name(name, "is not relative to the root folder")
    if ".." in steps:
        raise _bad_name(name, "leads out of the root folder")
    if not steps or name.endswith(("/", "/.", " ")):
        raise _bad_name(name, "names no file")
    if any(step.startswith(HIDDEN_PREFIX) for step in steps):
        raise _bad_name(name, "is kept for files on their way")
    return steps


def source_path(rmh: MQRMH) -> tuple[str, ...]:
    """Return the path components of the object at the sender. Raises MQError as ``object_path``."""
    return object_path(_joined(rmh.src_env, rmh.src_name))


def destination_path(rmh: MQRMH) -> tuple[str, ...]:
    """Return the path components of the object at the receiver. Raises MQError as ``object_path``."""
    return object_path(_joined(rmh.dest_env, rmh.dest_name))


def _joined(environment: str, name: str) -> str:
    """Return the path of a name in an environment, a folder; both may be padded with blanks or nulls."""
    folder, file = environment.rstrip(" \0"), name.rstrip(" \0")
    if not folder or not file:
        return file
    return folder + file if folder.endswith("/") else f"{folder}/{file}"


def _bad_name(name: str, why: str) -> MQError:
    return MQError(f"object name {name!r} {why}", MQRC_RMH_ERROR)


def plan_portion(asked: Portion, object_length: int, room: int) -> tuple[Portion, Portion | None]:
    """Return the portion that a message carries, and the portion for a follow-on message or None.

    asked: by the message.  object_length, room: bytes of the object, and of data that fit behind the header.
    The last portion is the one that reaches the end of the object, or of what the message calls the last.
    Raises MQError: MQRC_RMH_ERROR when the object is shorter, or not a byte fits.
    Source: REF-09, REF-12, REF-14, REF-15, REF-33.
    """
    end = asked.end if asked.length else object_length
    if asked.offset > object_length or end > object_length:
        raise MQError(
            f"the object has {object_length} bytes, no portion of {asked.length} at {asked.offset}", MQRC_RMH_ERROR
        )
    is_last = asked.is_last or end == object_length
    wanted = end - asked.offset
    taken = min(wanted, room, _MOST)
    if taken == wanted:
        return Portion(asked.offset, taken, is_last), None
    if taken < 1:
        raise MQError("no data fits behind the header within the channel's maximum length", MQRC_RMH_ERROR)
    follow_on = Portion(asked.offset + taken, asked.length - taken if asked.length else 0, asked.is_last)
    return Portion(asked.offset, taken), follow_on


def carried_portion(reference: Reference) -> Portion | None:
    """Return the portion whose data a message has; None for a message that still has no data.

    How much data there is counts, not what the header says: a conversion on the way may have changed it. The last
    portion of an object may be empty.
    """
    asked = reference.portion
    if not reference.bulk and not (asked.is_last and asked.length == 0):
        return None
    return Portion(asked.offset, len(reference.bulk), asked.is_last)


def add_range(ranges: list[Range], begin: int, end: int) -> list[Range]:
    """Return sorted disjoint ranges with one more range merged in."""
    if begin == end:
        return ranges
    apart = [one for one in ranges if one[1] < begin or one[0] > end]
    touched = [one for one in ranges if one[1] >= begin and one[0] <= end]
    begin = min([begin, *(one[0] for one in touched)])
    end = max([end, *(one[1] for one in touched)])
    return sorted([*apart, (begin, end)])


def missing_ranges(ranges: list[Range], begin: int, end: int) -> list[Range]:
    """Return the gaps between sorted disjoint ranges, between two offsets."""
    known = [one for one in ranges if one[1] > begin and one[0] < end]
    edges = [begin, *chain.from_iterable(known), end]
    return [gap for gap in zip(edges[::2], edges[1::2], strict=True) if gap[0] < gap[1]]


class ArrivalProgress:
    """Progress of an object's arrival. ranges: sorted, disjoint.  length: bytes, None until the last portion.

    A portion counts once, in any order and number (REF-13, REF-18, REF-19).
    """

    def __init__(self) -> None:
        self.ranges: list[Range] = []
        self.length: int | None = None

    def add(self, portion: Portion) -> None:
        """Add a portion. Raises MQError as ``check``."""
        self.check(portion)
        self.ranges = add_range(self.ranges, portion.offset, portion.end)
        if portion.is_last:
            self.length = portion.end

    def check(self, portion: Portion) -> None:
        """Check that a portion belongs to the object. Raises MQError: MQRC_RMH_ERROR."""
        end = max([portion.end, *(end for _, end in self.ranges[-1:])])
        length = portion.end if portion.is_last else self.length
        if (self.length is not None and length != self.length) or (length is not None and end > length):
            raise MQError(f"portion {portion.offset} to {portion.end} contradicts the object's length", MQRC_RMH_ERROR)

    @property
    def is_complete(self) -> bool:
        """Return whether every byte has arrived, and the end is known."""
        return self.length is not None and not self.missing

    @property
    def missing(self) -> list[Range]:
        """Return the known missing ranges."""
        known = self.ranges[-1][1] if self.ranges else 0
        return missing_ranges(self.ranges, 0, known if self.length is None else self.length)
