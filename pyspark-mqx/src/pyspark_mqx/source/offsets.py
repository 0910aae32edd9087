"""Offsets of a stream in journals, and the events that it has lost: rules without Spark.

An offset has, for the path of each queue manager's file, the QMID and the number of the last event read. Event numbers
are never reused. But a file can be moved, recreated under its name, restored from a copy or removed. And a journal
keeps its events only for a limited time.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from mqtools.arrow.ranges import find_paths, is_pattern, q_mgr_words
from mqtools.arrow.whole_files import write_json
from mqtools.configuration import locate
from mqtools.constants.reasons import MQRC_NO_RECORD_AVAILABLE
from mqtools.errors import MQError
from mqtools.store import queues
from mqtools.store.messages import journal
from mqtools.store.open_database import open_database

if TYPE_CHECKING:
    from collections.abc import Mapping

    #: Path to ``id`` (QMID), ``from`` (the event before the first to read), ``seq`` (the last that was read), and
    #: ``gone`` if the file no longer exists and that was accepted.
    Offset = dict[str, dict[str, Any]]

_GONE = "gone"


@dataclass(slots=True, frozen=True)
class Journal:
    """State of the journal of a file. first, last: numbers of its oldest event, if it has any, and of the last."""

    q_mgr_name: str
    q_mgr_identifier: str
    first: int
    last: int


@dataclass(slots=True, frozen=True)
class EventGap:
    """Lost events of a file. first, last: their numbers; last is None if it cannot be known."""

    path: str
    first: int
    last: int | None
    reason: str

    @property
    def events(self) -> int:
        """Return how many events are known to be lost."""
        return 0 if self.last is None else self.last - self.first + 1

    def __str__(self) -> str:
        if self.last is None:
            return f"{self.path}: {self.reason}; its events from {self.first} on have not been read"
        return f"{self.path}: {self.reason}; events {self.first} to {self.last} ({self.events}) have not been read"


@dataclass(slots=True, frozen=True)
class Piece:
    """Events of one file in a batch: behind ``after`` up to ``last``.

    is_whole: every event is required; otherwise events that expire while the stream starts are not missed.
    """

    path: str
    q_mgr_name: str
    after: int
    last: int
    is_whole: bool

    def gap(self, first: int) -> EventGap | None:
        """Return the part that is lost when the journal begins with an event, None if nothing is."""
        if not self.is_whole or first <= self.after + 1:
            return None
        return EventGap(
            self.path, self.after + 1, min(first - 1, self.last), "the journal has removed them by age or size"
        )


def absolute_words(text: str) -> str:
    """Return names, paths and patterns of queue managers in a form that means the same to every process.

    Raises MQError: MQRC_Q_MGR_NAME_ERROR if a name has no file.
    """
    each = [locate.path_of(word) if is_pattern(word) else locate.find(word or None) for word in q_mgr_words(text)]
    return ",".join(map(os.path.abspath, each))


def read_journals(text: str) -> dict[str, Journal]:
    """Return the state of the journals of queue managers. text: as in the option ``qmgr``. Raises MQError."""
    found = {}
    for path in find_paths(text):
        with closing(open_database(path, read_only=True)) as db, db.reading():
            about = queues.read_qmgr(db)
            name, identifier = str(about["q_mgr_name"]), str(about["q_mgr_identifier"])
            found[path] = Journal(name, identifier, *journal.span(db))
    return found


def identifier_of(path: str) -> str:
    """Return the QMID of the queue manager in a file. Raises MQError."""
    return read_journals(path)[path].q_mgr_identifier


def advance(start: Offset, there: Mapping[str, Journal], room: int | None) -> tuple[Offset, list[EventGap]]:
    """Return the end of the next batch, or the start if there is nothing new, and the lost events.

    there: as ``read_journals`` returns it.  room: events of a batch at most, None for all.
    """
    known = follow_moves(start, there)
    gaps = [gap for path, entry in known.items() if (gap := _gap(path, entry, there.get(path))) is not None]
    end = {path: {**entry, _GONE: True} for path, entry in known.items() if path not in there}
    for path, now in there.items():
        begun, read = _read_of(known, path, now)
        step = now.last - read if room is None else min(now.last - read, room)
        end[path] = {"id": now.q_mgr_identifier, "from": begun, "seq": read + step}
        room = None if room is None else room - step
    return (start if end == known else dict(sorted(end.items()))), gaps


def _read_of(known: Offset, path: str, now: Journal) -> tuple[int, int]:
    """Return the event before the first of a file, and the last read; a new file begins with its oldest."""
    entry = known.get(path)
    if entry is None or entry["id"] != now.q_mgr_identifier:
        return now.first - 1, now.first - 1
    return int(entry["from"]), min(int(entry["seq"]), now.last)


def _gap(path: str, entry: Mapping[str, Any], now: Journal | None) -> EventGap | None:
    """Return the lost events of a file that was read before, None if there are none."""
    after = int(entry["seq"]) + 1
    if entry.get(_GONE):
        return None
    if now is None:
        return EventGap(path, after, None, "this queue manager is no longer among those that are followed")
    if now.q_mgr_identifier != entry["id"]:
        return EventGap(path, after, None, f"it was replaced by another queue manager ({now.q_mgr_identifier})")
    if now.last < after - 1:
        return EventGap(path, now.last + 1, None, f"restored from a copy: its journal ends before event {after - 1}")
    return None


def follow_moves(offset: Offset, there: Mapping[str, Journal]) -> Offset:
    """Return an offset with the new path of each file that has moved."""
    new = {now.q_mgr_identifier: path for path, now in there.items() if path not in offset}
    known = {}
    for path, entry in offset.items():
        if path not in there and entry["id"] in new:
            known[new[entry["id"]]] = {name: value for name, value in entry.items() if name != _GONE}
        else:
            known[path] = entry
    return known


def plan_pieces(
    start: Offset, end: Offset, there: Mapping[str, Journal], *, is_new: bool
) -> tuple[list[Piece], list[EventGap]]:
    """Return the pieces of the batch between two offsets, always the same, and the lost events among them.

    is_new: the batch has just been planned, and is not repeated.
    """
    start, end = follow_moves(start, there), follow_moves(end, there)
    found, gaps = [], []
    for path, entry in end.items():
        before = start.get(path, {})
        is_known = before.get("id") == entry["id"]
        after, last = int(before["seq"] if is_known else entry["from"]), int(entry["seq"])
        if last <= after:
            continue
        now = there.get(path)
        if now is None or now.q_mgr_identifier != entry["id"]:
            gaps.append(EventGap(path, after + 1, last, "this queue manager no longer exists"))
        else:
            found.append(Piece(path, now.q_mgr_name, after, last, is_known or not is_new))
    return found, gaps


def count_unread(position: Offset, there: Mapping[str, Journal]) -> int:
    """Return the number of events that a stream has still to read."""
    known = follow_moves(position, there)
    return sum(now.last - _read_of(known, path, now)[1] for path, now in there.items())


def record_gaps(gaps: list[EventGap], folder: str) -> None:
    """Record each gap once in a folder; without a folder a gap is an error. Raises MQError."""
    for gap in gaps:
        if not folder:
            raise MQError(str(gap), MQRC_NO_RECORD_AVAILABLE)
        content = asdict(gap)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        name = sha256(json.dumps(content).encode()).hexdigest()[:32]
        write_json(os.path.join(folder, f"{name}.json"), content)


def pop_gaps(folder: str) -> list[EventGap]:
    """Return each gap recorded in a folder, and delete the records."""
    paths = [entry.path for entry in os.scandir(folder)] if os.path.isdir(folder) else []
    found = []
    for path in sorted(path for path in paths if path.endswith(".json")):
        with open(path, encoding="utf-8") as file:
            found.append(EventGap(**json.load(file)))
        os.unlink(path)
    return found
