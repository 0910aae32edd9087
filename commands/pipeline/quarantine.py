"""What a job of ``mqx pipeline`` could not read: where it is written down, and how much it was."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from mqtools.pipeline.source.damage import Quarantine

from ..shared.command_session import PARTLY, Session, UsageMistake

_SET_ASIDE = "--quarantine DIR sets aside what cannot be read, and reads the rest of the archive"


class QuarantineSummary:
    """The quarantine of one run. folder: None for none.  run: name of its file there, no other's unless given.

    left_out: files of archives that cannot be read, as paths with the current folder before them.
    """

    def __init__(self, folder: str | None, what: str, run: str = "") -> None:
        self.folder = None if folder is None else os.path.abspath(folder)
        self.run = f"{what}-{run or f'{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{os.getpid()}'}"
        self.before = self._number()
        self.left_out: set[str] = set()

    @property
    def options(self) -> dict[str, str]:
        """The options of a read."""
        return {} if self.folder is None else {"quarantine": self.folder, "run": self.run}

    def leave_out(self, file: str, why: UsageMistake) -> None:
        """Set aside a file of an archive that cannot be read. Raises the mistake where there is no quarantine."""
        if self.folder is None:
            raise UsageMistake(str(why), _SET_ASIDE)
        path = os.path.abspath(file)
        self.left_out.add(path)
        Quarantine(self.folder, self.run).unreadable(path, str(why).removeprefix(f"{file}: "))

    def totals(self) -> dict[str, object]:
        """Give how many lines were written, where there is a quarantine."""
        return {} if self.folder is None else {"quarantined": self._number() - self.before}

    def settle(self, session: Session, status: int) -> int:
        """Say where the lines are; give the exit status: 9 where there are any, else the one given."""
        number = self._number() - self.before
        if self.folder is None or not number:
            return status
        session.note(f"quarantined {number}: what could not be read is in {Quarantine(self.folder, self.run).path}")
        return PARTLY

    def _number(self) -> int:
        return 0 if self.folder is None else len(Quarantine(self.folder, self.run).lines())
