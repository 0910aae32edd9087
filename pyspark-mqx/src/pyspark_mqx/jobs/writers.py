"""Records of who wrote which events into a folder, so that no two writers write the same events.

Each record is a file, which has one writer at a time. ``journal-QMID`` belongs to ``archive --journal``: the ``queues``
of that queue manager, and the ``last`` of its events. ``stream-ID`` has the last ``batch`` of the stream with that
identifier, the ``end`` of that (an offset), and its ``queues``. Queues are names and patterns; none means all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark_mqx.jobs.output_files import FolderTarget
    from pyspark_mqx.source.offsets import Offset

    #: From each QMID to the event before the first, and the last.
    Spans = Mapping[str, tuple[int, int]]

_ARCHIVED, _STREAMED = "journal-", "stream-"


def archive_note(identifier: str) -> str:
    """Return the name of the record of what was archived of a QMID; its lock has this name too."""
    return f"{_ARCHIVED}{quote(identifier, safe='')}"


def message_lock(identifier: str) -> str:
    """Return the name of the lock of who adds messages of a QMID that are new."""
    return f"messages-{quote(identifier, safe='')}"


def stream_note(identifier: str) -> str:
    """Return the name of the record of a stream."""
    return f"{_STREAMED}{quote(identifier, safe='')}"


def archive_notes(target: FolderTarget) -> dict[str, dict[str, Any]]:
    """Return what was archived by QMID: ``queues`` and ``last``."""
    return {unquote(name): note for name, note in target.notes(_ARCHIVED).items()}


def stream_notes(target: FolderTarget) -> dict[str, dict[str, Any]]:
    """Return the record of each stream by its identifier."""
    return {unquote(name): note for name, note in target.notes(_STREAMED).items()}


def spans_of(offset: Offset) -> Spans:
    """Return the events that a stream has read at an offset."""
    return {str(entry["id"]): (int(entry["from"]), int(entry["seq"])) for entry in offset.values()}


def check(target: FolderTarget, writer: str, queues: Sequence[str], spans: Spans) -> None:
    """Check that no other writer wrote the events about to be written. writer: identifier of a stream, or empty.

    Raises MQError: MQRC_OBJECT_CHANGED.
    """
    for other, its_queues, its_spans in _other_writers(target, writer):
        for identifier in spans.keys() & its_spans.keys():
            first = max(spans[identifier][0], its_spans[identifier][0]) + 1
            last = min(spans[identifier][1], its_spans[identifier][1])
            if first <= last and _may_share(queues, its_queues):
                raise MQError(
                    f"{target.folder}: events {first} to {last} of {identifier} are there already, from {other}",
                    MQRC_OBJECT_CHANGED,
                    hint="give each archive and each stream of them a folder of its own",
                )


def _other_writers(target: FolderTarget, writer: str) -> Iterator[tuple[str, Sequence[str], Spans]]:
    """Yield what each other writer has written: its name, its queues, its events."""
    for identifier, note in archive_notes(target).items() if writer else ():
        yield "archive --journal", note["queues"], {identifier: (0, note["last"])}
    for identifier, note in stream_notes(target).items():
        if identifier != writer:
            yield "another stream", note["queues"], spans_of(note["end"])


def _may_share(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether names and patterns can mean the same queue; patterns are compared up to their ``*``."""
    return not one or not other or any(_may_be_one(left, right) for left in one for right in other)


def _may_be_one(left: str, right: str) -> bool:
    begin, is_left_open, _ = left.partition("*")
    its_begin, is_right_open, _ = right.partition("*")
    if is_left_open and is_right_open:
        return begin.startswith(its_begin) or its_begin.startswith(begin)
    if is_left_open:
        return right.startswith(begin)
    return left.startswith(its_begin) if is_right_open else left == right
