"""Quarantine of a job of ``mqx pipeline``: where unreadable records are written, and how many there are."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from mqtools.arrow.damage import Quarantine
from mqtools.errors import MQError
from mqtools.operations.archive_files import is_uri

from ..shared.command_session import PARTLY, Session, UsageError

_SET_ASIDE = "--quarantine DIR skips what cannot be read"


class QuarantineSummary:
    """Quarantine of one run. folder: None for none.  run: name of its file there, unique unless given."""

    def __init__(self, folder: str | None, what: str, run: str = "") -> None:
        self.folder = None if folder is None else os.path.abspath(folder)
        self.run = f"{what}-{run or f'{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{os.getpid()}'}"
        self.before = self._number()

    @property
    def options(self) -> dict[str, str]:
        """Options for a read."""
        return {} if self.folder is None else {"quarantine": self.folder, "run": self.run}

    def leave_out(self, file: str, why: Exception) -> None:
        """Quarantine an archive file that cannot be read. Raise the error where there is no quarantine."""
        words = why.text if isinstance(why, MQError) else str(why)
        if self.folder is None and isinstance(why, MQError):
            raise MQError(words, why.reason, hint=_SET_ASIDE) from why
        if self.folder is None:
            raise UsageError(words, _SET_ASIDE) from why
        place = file if is_uri(file) else os.path.abspath(file)
        Quarantine(self.folder, self.run).add({"file": place, "reason": words.removeprefix(f"{file}: ")})

    def totals(self) -> dict[str, object]:
        """Return the number of lines written, where there is a quarantine."""
        return {} if self.folder is None else {"quarantined": self._number() - self.before}

    def settle(self, session: Session, status: int) -> int:
        """Print where the lines are; return the exit status: 9 where there are any, else the given one."""
        number = self._number() - self.before
        if self.folder is None or not number:
            return status
        session.note(f"quarantined {number}: unreadable records are in {Quarantine(self.folder, self.run).path}")
        return PARTLY

    def _number(self) -> int:
        return 0 if self.folder is None else len(Quarantine(self.folder, self.run).lines())
