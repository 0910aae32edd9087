"""What a job of ``mqx pipeline`` could not read: where it is written down, and how much it was."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from mqtools.pipeline.damage import Quarantine
from mqtools.records import Record

from ._session import PARTLY, Session


class Aside(Record):
    """The quarantine of one run. folder: None for none.  run: name of its file there, no other's."""

    __slots__ = ("folder", "run")

    def __init__(self, folder: str | None, what: str) -> None:
        self.folder = None if folder is None else os.path.abspath(folder)
        self.run = f"{what}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}"

    @property
    def options(self) -> dict[str, str]:
        """The options of a read."""
        return {} if self.folder is None else {"quarantine": self.folder, "run": self.run}

    def totals(self) -> dict[str, object]:
        """Give how many lines were written, where there is a quarantine."""
        return {} if self.folder is None else {"quarantined": len(Quarantine(self.folder, self.run).lines())}

    def settle(self, session: Session, status: int) -> int:
        """Say where the lines are; give the exit status: 9 where there are any, else the one given."""
        if self.folder is None:
            return status
        written = Quarantine(self.folder, self.run)
        number = len(written.lines())
        if not number:
            return status
        session.note(f"quarantined {number}: what could not be read is in {written.path}")
        return PARTLY
