"""Implementation of ``mqx pipeline archive``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark_mqx.jobs import archive as jobs

from mqtools.arrow.ranges import plan
from mqtools.arrow.read_options import Options

from ..shared.command_session import NOTHING_THERE, Session, UsageError, as_text
from .frames import place_of
from .job import print_totals, spark_of
from .journal import report_missing_journals
from .quarantine import QuarantineSummary
from .spark_options import SparkOptions


@dataclass(frozen=True, slots=True)
class ArchiveRequest:
    """Request of ``mqx pipeline archive``. queues: names and patterns, none for all.

    folder, form, writer, staging: where, as of ``frames.place_of``.  consume, journal: exclude each other.
    quarantine: folder for records that cannot be read; None to fail on them.
    mode: permissions of files.
    """

    queues: tuple[str, ...]
    folder: str
    form: str
    writer: str
    staging: str | None
    consume: bool
    journal: bool
    body: bool
    quarantine: str | None
    mode: int


def archive(session: Session, options: SparkOptions, request: ArchiveRequest) -> int:
    """Write the archive and print totals; return 3 when there is nothing to write, 9 when something was unreadable."""
    if request.consume and request.journal:
        raise UsageError("--consume cannot be combined with --journal: a journal is only read")
    if request.consume and not request.body:
        raise UsageError("--consume cannot be combined with --no-body: the data would be lost")
    qmgr, queue = session.qmgr or "", ",".join(request.queues)
    aside = QuarantineSummary(request.quarantine, "archive")
    if len(request.queues) == 1:
        session.queue = as_text(queue)
    # An unknown queue or queue manager is said at once.
    plan(Options.parse({"qmgr": qmgr, "queue": queue, **aside.options}))
    place = place_of(request.folder, request.form, request.writer, request.staging)
    if request.journal:
        report_missing_journals(session, qmgr, queue)
    with spark_of(session, options, "archive") as spark:
        where = (spark, place, qmgr, queue)
        how: dict[str, Any] = {"aside": aside.options, "mode": request.mode}
        if request.consume:
            number = jobs.archive_and_remove(*where, **how)
        elif request.journal:
            try:
                number = jobs.archive_journal(*where, **how)
            except jobs.OtherQueues as other:
                raise UsageError(str(other), "use a separate folder for the events of other queues") from other
        else:
            number = jobs.archive(*where, body=request.body, **how)
    what = "removed" if request.consume else "read"
    totals: dict[str, object] = {"read": number, "written": number, **({what: number} if request.consume else {})}
    print_totals(session, totals | aside.totals())
    return aside.settle(session, 0 if number else NOTHING_THERE)
