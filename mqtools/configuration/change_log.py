"""Log of what was changed on queue managers elsewhere: JSON lines in a file of its owner's alone."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from mqtools.configuration.file import ConfigError
from mqtools.configuration.paths import home
from mqtools.errors import MQError
from mqtools.formats.jsontext import dumps

#: Outcomes of a line. A line is written before a commit, so that it is there whatever becomes of the commit.
COMMIT, BACKOUT, DONE, FAILED = "commit", "backout", "done", "failed"


class ChangeLog:
    """Log of one connection: a line for each unit of work, and for each change without one.

    where: user and machine for each line, None to write nothing.  refusal: raised for a change; None where it may be.
    """

    def __init__(self, where: dict[str, object] | None = None, refusal: MQError | None = None) -> None:
        self._where = where
        self._refusal = refusal
        self._unit: list[dict[str, object]] = []

    @staticmethod
    def path() -> str:
        return os.path.join(home(), "remote-changes.jsonl")

    def check(self) -> None:
        """Raise MQError where nothing may be changed."""
        if self._refusal is not None:
            raise self._refusal

    def add(self, action: str, name: str, msg_id: bytes = b"", *, is_final: bool = True) -> None:
        """Log a change: an action, the object, and the message. is_final: at once, else with the unit of work."""
        if self._where is None:
            return
        entry: dict[str, object] = {"action": action, "object": name}
        if msg_id:
            entry["msg_id"] = msg_id.hex().upper()
        if is_final:
            self._write(DONE, [entry])
        else:
            self._unit.append(entry)

    def end(self, outcome: str) -> None:
        """Write what the unit of work has changed, if anything, and forget it."""
        unit, self._unit = self._unit, []
        if unit:
            self._write(outcome, unit)

    def fail(self, words: str) -> None:
        """Write that a commit has failed: whether the unit before is final may be unknown."""
        self._write(FAILED, [{"action": COMMIT, "error": words}])

    def _write(self, outcome: str, changes: list[dict[str, object]]) -> None:
        if self._where is None:
            return
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = dumps({"at": at, **self._where, "outcome": outcome, "changes": changes}).encode("utf-8") + b"\n"
        try:
            os.makedirs(home(), mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self.path(), flags, 0o600)
            with open(descriptor, "ab", buffering=0) as file:
                file.write(line)
        except OSError as error:
            raise ConfigError(f"cannot log the change: {error.filename or self.path()}: {error.strerror}") from error
