"""Damaged data: an error that names the message, or a line in a quarantine file while the read continues.

A line is JSON with ``file``, ``queue``, ``seq`` (of a journal ``event_seq``) and ``reason``. If pages of the
file are damaged, the messages on them are unknown: the line has the first number, and the last as ``last_seq``. The
line of a file that cannot be opened has its name and the reason only. Repeated tasks and jobs add no second line.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import IO, TYPE_CHECKING

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mqtools.arrow.key_range import Range

    Line = dict[str, object]

_HINT = "use the option quarantine (--quarantine DIR) to quarantine damaged data and read the rest"

#: Fields that identify a line.
_IDENTITY = ("file", "queue", "seq", "event_seq", "last_seq", "last_event_seq")


class Damaged(StorageError):
    """Raised when messages cannot be read; names them and their file."""

    reason = MQRC_OBJECT_DAMAGED


class Damage:
    """Policy for damaged data: here it ends the read."""

    #: Whether the read continues.
    is_quarantine = False

    def rows(self, span: Range, first: int, last: int, error: Exception) -> None:
        """Handle a message that cannot be read, or a range of them. Raises Damaged."""
        one = "event" if span.queue_id is None else "message"
        which = f"{one} {first}" if first == last else f"{one}s {first} to {last}"
        of = f" of queue {span.queue}" if span.queue else ""
        verb = "is" if first == last else "are"
        raise Damaged(f"{span.path}: {which}{of} {verb} damaged: {_words(error)}; {_HINT}") from error

    def quarantine_filter(self, path: str, queue: str) -> Callable[[int], bool]:  # noqa: ARG002 - nothing is in quarantine here
        """Return a function that tells by its number whether a message of a queue is in quarantine."""
        return lambda seq: False  # noqa: ARG005

    def file(self, path: str, error: StorageError) -> None:  # noqa: ARG002 - its words name it
        """Handle a file that cannot be opened. Raises StorageError."""
        raise StorageError(error.text, error.reason, hint=_HINT) from error


class Quarantine(Damage):
    """Policy that writes a line to ``FOLDER/NAME.jsonl``. Tasks and jobs may use one file at the same time."""

    is_quarantine = True

    def __init__(self, folder: str, name: str) -> None:
        self.path = os.path.join(folder, f"{name}.jsonl")
        self._known: dict[tuple[object, ...], Line] = {}
        self._end = 0

    def rows(self, span: Range, first: int, last: int, error: Exception) -> None:
        """Add a line for a message, or for a range of messages."""
        key = "event_seq" if span.queue_id is None else "seq"
        upto = {f"last_{key}": last} if last > first else {}
        self.add({"file": span.path, "queue": span.queue, key: first, **upto, "reason": _words(error)})

    def file(self, path: str, error: StorageError) -> None:
        """Add a line for a file that cannot be opened."""
        self.add({"file": path, "reason": str(error)})

    def lines(self) -> list[Line]:
        """Read all lines, whoever wrote them."""
        if os.path.exists(self.path):
            with open(self.path, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                self._read_on(file)
        return list(self._known.values())

    def quarantine_filter(self, path: str, queue: str) -> Callable[[int], bool]:
        """Return a function that tells by its number whether a message of a queue is in quarantine."""
        found = [line for line in self.lines() if (line["file"], line.get("queue")) == (path, queue)]
        single = {line.get("seq") for line in found if "last_seq" not in line}
        spans = [range(int(str(line["seq"])), int(str(line["last_seq"])) + 1) for line in found if "last_seq" in line]
        return lambda seq: seq in single or any(seq in span for span in spans)

    def add(self, line: Line) -> None:
        """Add a line, unless one with the same identity is there."""
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        number = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(number, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._read_on(file)
            if _identity(line) in self._known:
                return
            file.seek(self._end)
            file.truncate()  # a killed process may have left half a line
            self._end += file.write(json.dumps(line).encode() + b"\n")
            self._known[_identity(line)] = line

    def _read_on(self, file: IO[bytes]) -> None:
        """Read the lines that others have added."""
        file.seek(self._end)
        for text in file:
            if not text.endswith(b"\n"):
                return
            line = json.loads(text)
            self._known[_identity(line)] = line
            self._end += len(text)


def damage_of(options: Mapping[str, str]) -> Damage:
    """Return the policy that the options ``quarantine`` (a folder) and ``run`` (a name in it) ask for."""
    folder = options.get("quarantine", "")
    return Quarantine(folder, options.get("run", "read")) if folder else Damage()


def _identity(line: Line) -> tuple[object, ...]:
    return tuple(line.get(name) for name in _IDENTITY)


def _words(error: Exception) -> str:
    """Return the cause, without the name of the file and the damaged text itself."""
    if isinstance(error, StorageError) and error.__cause__ is not None:
        return str(error.__cause__).partition(" with text ")[0]
    return str(error)
