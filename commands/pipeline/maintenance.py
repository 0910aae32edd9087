"""Implementation of ``mqx pipeline compact`` and ``expire``."""

from __future__ import annotations

import os

from pyspark_mqx.jobs import maintenance as jobs
from pyspark_mqx.jobs.durable_files import folder_mode

from mqtools.operations.archive_files import local_place

from ..shared.command_session import Session
from .job import print_totals


def compact(session: Session, folder: str, *, mode: int, keep: float) -> int:
    """Join small files, and print how many."""
    os.umask(0o777 & ~folder_mode(mode))
    done = jobs.compact(local_place(folder), keep_hours=round(keep / 3600))
    print_totals(session, {"joined": done.files, "written": done.added, "deleted": done.deleted})
    return 0


def expire(session: Session, folder: str, *, older: float, keep: float, dry_run: bool) -> int:
    """Remove old days, and print how many rows."""
    place = local_place(folder)
    if not dry_run:
        session.confirm(f"remove old messages and events of {place}")
    done = jobs.expire(place, older, keep_hours=round(keep / 3600), is_dry=dry_run)
    totals = {"removed": done.rows, "files": done.files, "deleted": done.deleted}
    print_totals(session, ({"dry_run": True} if dry_run else {}) | totals)
    return 0
