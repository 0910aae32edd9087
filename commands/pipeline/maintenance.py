"""Implementation of ``mqx pipeline migrate``, ``compact``, ``expire`` and ``prepare``."""

from __future__ import annotations

import os

from pyspark_mqx.jobs import maintenance as jobs
from pyspark_mqx.jobs import migrate as migration
from pyspark_mqx.jobs.durable_files import folder_mode
from pyspark_mqx.session import class_cache
from pyspark_mqx.session import session as sessions

from mqtools.operations.archive_files import local_place

from ..shared.command_session import Session
from ..shared.progress import StatusLine
from .frames import check_writable
from .job import print_totals


def migrate(session: Session, folder: str, mode: int) -> None:
    """Make the archive a table, and print the number of its rows."""
    check_writable(folder, "DIR")
    rows = migration.migrate(folder.rstrip("/"), mode)
    print_totals(session, {"read": rows, "written": rows})


def compact(session: Session, folder: str, *, mode: int, keep: float) -> None:
    """Join small files, and print how many."""
    os.umask(0o777 & ~folder_mode(mode))
    print_totals(session, jobs.compact(local_place(folder), keep_hours=round(keep / 3600)))


def expire(session: Session, folder: str, *, older: float, keep: float, dry_run: bool) -> None:
    """Remove old days, and print how many rows."""
    place = local_place(folder)
    if not dry_run:
        session.confirm(f"remove old messages and events of {place}")
    done = jobs.expire(place, older, keep_hours=round(keep / 3600), is_dry=dry_run)
    print_totals(session, ({"dry_run": True} if dry_run else {}) | done)


def prepare(session: Session) -> None:
    """Write the class archive for Spark, and print its path and size."""
    sessions.check()
    with StatusLine(session) as line:
        if line.is_shown:
            line.show("prepare: writing the class archive")
        path, size = class_cache.record_classes()
    print_totals(session, {"kept": path, "bytes": size})
