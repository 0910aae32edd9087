"""Implementation of ``mqx pipeline migrate``."""

from __future__ import annotations

from pyspark_mqx.jobs import migrate as jobs

from ..shared.command_session import Session
from .frames import check_writable
from .job import print_totals


def migrate(session: Session, folder: str, mode: int) -> int:
    """Make the archive a table, and print the number of its rows."""
    check_writable(folder, "DIR")
    rows = jobs.migrate(folder.rstrip("/"), mode)
    print_totals(session, {"read": rows, "written": rows})
    return 0
