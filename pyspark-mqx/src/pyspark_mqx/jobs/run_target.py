"""Outputs of runs: files are written aside, and all of them count or none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Protocol


class AnyRun(Protocol):
    """One run into an output."""

    @property
    def data(self) -> str:
        """Return the folder that the files are written to; it does not exist yet."""

    def seal(
        self,
        notes: dict[str, dict[str, Any]] | None = None,
        *,
        replaces: bool = False,
        expected: int | None = None,
        check: Callable[[], None] | None = None,
    ) -> int:
        """Make the files count, all of them; return the number of rows.

        notes: records to publish with the files.  replaces: the files of the previous result are deleted.
        expected: number of rows; raises MQError if it differs, and the files count for nothing.
        check: called again where others may have written meanwhile.
        """

    def undo(self) -> bool:
        """Undo a run that failed, for ever; return False if its files count."""

    def publish(self) -> int:
        """Let readers see the files; return the number of rows in all of them."""

    def end(self) -> None:
        """Delete what the run has left aside."""

    def discard(self) -> None:
        """Delete a run that was undone."""

    def unlock(self) -> None:
        """Let another process finish the run, unless it has ended."""


class RunTarget(ABC):
    """Output of runs."""

    @abstractmethod
    def begin(self, claim: dict[str, Any], holds: Iterable[str] = ()) -> AnyRun:
        """Begin a run, and record what it is about to lock. holds: names whose locks this target holds."""

    @abstractmethod
    def forget_replaced(self) -> None:
        """Delete what is left of results that were replaced."""

    def write_run(
        self,
        write: Callable[[str], object],
        notes: dict[str, dict[str, Any]] | None = None,
        *,
        replaces: bool = False,
        holds: Iterable[str] = (),
        check: Callable[[], None] | None = None,
    ) -> int:
        """Write files in a run that locks nothing, and publish them; return the number of rows.

        write: called with the folder to write into, which does not exist yet.  notes, replaces: as for ``AnyRun.seal``.
        holds: as for ``begin``.  check: called first, and when others have written meanwhile; raises where there is
        nothing to write.  The files of a failed run are deleted.
        """
        if check is not None:
            check()
        run = self.begin({}, holds)
        try:
            write(run.data)
            rows = run.seal(notes, replaces=replaces, check=check)
        except BaseException:
            if run.undo():
                run.discard()
            raise
        try:
            run.publish()
            run.end()
        finally:
            run.unlock()  # a run that could not be published is finished by the next, of this process too
        if replaces:
            self.forget_replaced()
        return rows
