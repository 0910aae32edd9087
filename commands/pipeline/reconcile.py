"""Implementation of ``mqx pipeline reconcile`` and ``reassemble``."""

from __future__ import annotations

from collections import Counter

from ..shared.command_session import NOTHING_THERE, PARTLY, Session
from .frames import COMMITTED, check_source, check_target, count_result, frame_of, sort_counts, write_result
from .job import SparkOptions, check_totals, print_totals, spark_of
from .quarantine import QuarantineSummary


def reconcile(
    session: Session,
    options: SparkOptions,
    *,
    sent: str,
    reports: str,
    folder: str,
    by_group: bool,
    quarantine: str | None,
) -> int:
    """Write one row for each original or group; print the number of rows by outcome."""
    check_totals(session)
    aside = QuarantineSummary(quarantine, "reconcile")
    for word in (sent, reports):
        check_source(session, word, aside)
    check_target(folder)
    with spark_of(session, options, "reconcile") as spark:
        from mqtools.pipeline.jobs import reconcile as job
        from mqtools.pipeline.jobs.report_positions import is_extended

        originals = frame_of(spark, session, sent, job.NEEDED, COMMITTED, aside=aside)
        about = frame_of(spark, session, reports, job.NEEDED, COMMITTED, aside=aside)
        extended = frame_of(spark, session, reports, job.EXTENDED, COMMITTED, is_extended(), aside=aside)
        rows = job.reconcile(originals, about, extended)
        written = write_result(job.by_group(rows) if by_group else rows, folder)
    outcomes: Counter[object] = Counter()
    orphans = 0
    for (outcome, *orphan), number in count_result(folder, "outcome", *([] if by_group else ["orphan"])).items():
        outcomes[outcome] += number
        orphans += number if orphan == [True] else 0
    totals: dict[str, object] = {"read": written, "written": written}
    if not by_group:
        totals |= {"read": written - orphans, "orphans": orphans}
    print_totals(session, totals | aside.totals(), sort_counts(outcomes))
    return aside.settle(session, 0 if written else NOTHING_THERE)


def reassemble(session: Session, options: SparkOptions, *, origin: str, folder: str, quarantine: str | None) -> int:
    """Write one row for each logical message; return 9 where some have gaps."""
    check_totals(session)
    aside = QuarantineSummary(quarantine, "reassemble")
    check_source(session, origin, aside)
    check_target(folder)
    with spark_of(session, options, "reassemble") as spark:
        from mqtools.pipeline.jobs import reassemble as job

        segments = frame_of(spark, session, origin, job.NEEDED, aside=aside)
        written = write_result(job.reassemble(segments), folder)
    whole = count_result(folder, "complete")[(True,)]
    outcomes = {"complete": whole, "incomplete": written - whole}
    print_totals(session, {"written": written, **aside.totals()}, outcomes)
    status = 0 if whole == written else PARTLY
    return aside.settle(session, status if written else NOTHING_THERE)
