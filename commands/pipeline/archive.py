"""Implementation of ``mqx pipeline archive``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark_mqx.jobs import archive as jobs

from ..shared.command_session import NOTHING_THERE, Session, UsageError, as_text
from .frames import mask_option, place_of
from .job import print_totals, spark_of
from .journal import report_missing_journals
from .quarantine import QuarantineSummary
from .sources import report_unmatched
from .spark_options import JobOptions


@dataclass(frozen=True, slots=True)
class ArchiveRequest:
    """Request of ``mqx pipeline archive``. queues: names and patterns, none for all.  all_queues: all is said.

    form, writer, staging: as of ``frames.place_of``.  consume, journal: exclude each other.  mask: as the option of the
    data source.
    """

    queues: tuple[str, ...]
    all_queues: bool
    form: str
    writer: str
    staging: str | None
    consume: bool
    journal: bool
    body: bool
    dry_run: bool
    mask: str


def archive(session: Session, options: JobOptions, request: ArchiveRequest) -> int:
    """Write the archive and print totals; return 3 when there are no messages, 9 when something was unreadable."""
    if request.all_queues and request.queues:
        raise UsageError("--all-queues cannot be combined with --queue")
    if request.consume and not (request.queues or request.all_queues):
        raise UsageError("--consume requires --queue or --all-queues: it removes the messages from their queues")
    if request.consume and request.journal:
        raise UsageError("--consume cannot be combined with --journal: a journal is only read")
    if request.consume and not request.body:
        raise UsageError("--consume cannot be combined with --no-body: the data would be lost")
    if request.consume and request.mask:
        raise UsageError("--consume cannot be combined with --mask: the values would be lost")
    qmgr, queue = session.qmgr or "", ",".join(request.queues)
    aside = QuarantineSummary(options.quarantine, "archive")
    if len(request.queues) == 1:
        session.queue = as_text(queue)
    kind = {"journal": "true"} if request.journal else {}
    wanted = {**aside.options, **mask_option(request.mask)}
    rows = report_unmatched(session, {"qmgr": qmgr, "queue": queue, **kind, **wanted})
    place = place_of(options.folder or "", request.form, request.writer, request.staging)
    if request.journal:
        report_missing_journals(session, qmgr, queue)
    if request.consume and not request.dry_run:
        session.confirm(f"archive the messages of {queue or 'all queues'} and remove them")
    with spark_of(session, options, "archive", rows=rows) as spark:
        where = (spark, place, qmgr, queue)
        how: dict[str, Any] = {"aside": wanted, "mode": options.mode}
        there = 0
        if request.dry_run:
            number, there = jobs.count_new(
                *where, is_journal=request.journal, is_consumed=request.consume, aside=wanted
            )
        elif request.consume:
            number = jobs.archive_and_remove(*where, **how)
        elif request.journal:
            number = jobs.archive_journal(*where, **how)
        else:
            number, there = jobs.archive(*where, body=request.body, **how)
    totals: dict[str, object] = {"read": number + there, "written": number}
    if request.consume:
        totals["removed"] = number
    print_totals(session, ({"dry_run": True} if request.dry_run else {}) | totals | aside.totals(), options=options)
    return aside.settle(session, 0 if number + there or request.journal else NOTHING_THERE)
