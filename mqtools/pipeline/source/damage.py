"""What cannot be read: an error that says where it is, or a line about it in a folder while the read goes on.

A line is JSON with ``file``, ``queue``, ``seq`` (of a journal ``event_seq``) and ``reason``. Where pages of the file
are damaged nobody knows which messages were on them: the line has the first number, and the last as ``last_seq``. A
file that cannot be opened has just its name and the reason. Each is there once, however often tasks and jobs are
repeated.
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

    from mqtools.pipeline.source.key_range import Range

    Line = dict[str, object]

_HINT = "the option quarantine (--quarantine DIR) sets aside what cannot be read, and reads the rest"

#: Fields of a line by which it is the same as another.
_IDENTITY = ("file", "queue", "seq", "event_seq", "last_seq", "last_event_seq")


class Damaged(StorageError):
    """Raised where messages cannot be read; says which, and in what file."""

    reason = MQRC_OBJECT_DAMAGED


class Damage:
    """What is done with what cannot be read: here it ends the read."""

    #: Whether reading goes on.
    is_expected = False

    def rows(self, span: Range, first: int, last: int, error: Exception) -> None:
        """A message cannot be read, or those from a number to another. Raises Damaged."""
        one = "event" if span.queue_id is None else "message"
        which = f"{one} {first}" if first == last else f"{one}s {first} to {last}"
        of = f" of queue {span.queue}" if span.queue else ""
        verb = "is" if first == last else "are"
        raise Damaged(f"{span.path}: {which}{of} {verb} damaged: {_words(error)}; {_HINT}") from error

    def is_noted(self, path: str, queue: str) -> Callable[[int], bool]:  # noqa: ARG002 - here nothing is
        """Give what tells of the messages of a queue whether they have been written down."""
        return lambda seq: False  # noqa: ARG005

    def file(self, path: str, error: StorageError) -> None:  # noqa: ARG002 - its words name it
        """A file cannot be opened. Raises StorageError."""
        raise StorageError(error.text, error.reason, hint=_HINT) from error


class Quarantine(Damage):
    """Writes it down in ``FOLDER/NAME.jsonl``. Tasks and jobs may use one file at the same time."""

    is_expected = True

    def __init__(self, folder: str, name: str) -> None:
        self.path = os.path.join(folder, f"{name}.jsonl")
        self._known: dict[tuple[object, ...], Line] = {}
        self._end = 0

    def rows(self, span: Range, first: int, last: int, error: Exception) -> None:
        """Write down a message, or those from a number to another."""
        key = "event_seq" if span.queue_id is None else "seq"
        upto = {f"last_{key}": last} if last > first else {}
        self.add({"file": span.path, "queue": span.queue, key: first, **upto, "reason": _words(error)})

    def file(self, path: str, error: StorageError) -> None:
        """Write down a file that cannot be opened."""
        self.add({"file": path, "reason": str(error)})

    def unreadable(self, path: str, reason: str) -> None:
        """Write down a file of an archive that cannot be read."""
        self.add({"file": path, "reason": reason})

    def lines(self) -> list[Line]:
        """Read what has been written down, by anybody."""
        if os.path.exists(self.path):
            with open(self.path, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                self._read_on(file)
        return list(self._known.values())

    def is_noted(self, path: str, queue: str) -> Callable[[int], bool]:
        """Give what tells of the messages of a queue whether they have been written down."""
        found = [line for line in self.lines() if (line["file"], line.get("queue")) == (path, queue)]
        single = {line.get("seq") for line in found if "last_seq" not in line}
        spans = [range(int(str(line["seq"])), int(str(line["last_seq"])) + 1) for line in found if "last_seq" in line]
        return lambda seq: seq in single or any(seq in span for span in spans)

    def add(self, line: Line) -> None:
        """Write down anything, once: what its first fields say is what it is known by."""
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        number = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(number, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._read_on(file)
            if _identity(line) in self._known:
                return
            file.seek(self._end)
            file.truncate()  # who was killed may have left half a line
            self._end += file.write(json.dumps(line).encode() + b"\n")
            self._known[_identity(line)] = line

    def _read_on(self, file: IO[bytes]) -> None:
        """Read what others have added."""
        file.seek(self._end)
        for text in file:
            if not text.endswith(b"\n"):
                return
            line = json.loads(text)
            self._known[_identity(line)] = line
            self._end += len(text)


def damage_of(options: Mapping[str, str]) -> Damage:
    """Give what the options ``quarantine`` (a folder) and ``run`` (a name in it) of a read mean."""
    folder = options.get("quarantine", "")
    return Quarantine(folder, options.get("run", "read")) if folder else Damage()


def _identity(line: Line) -> tuple[object, ...]:
    return tuple(line.get(name) for name in _IDENTITY)


def _words(error: Exception) -> str:
    """What is wrong, without the name of the file and the damaged text itself."""
    if isinstance(error, StorageError) and error.__cause__ is not None:
        return str(error.__cause__).partition(" with text ")[0]
    return str(error)
