"""What ``mqx pipeline reconcile`` and ``reassemble`` do once their lines are understood."""

from __future__ import annotations

import os

from ._pipeline import SparkOptions, check_totals, print_totals, spark_of
from ._pipeline_frames import COMMITTED, check_source, counts_by, frame_of, write_result
from ._session import NOTHING_THERE, PARTLY, Session


def reconcile(session: Session, options: SparkOptions, *, sent: str, reports: str, folder: str, by_group: bool) -> int:
    """Write one row for each original, or each group; say how many there are by outcome."""
    check_totals(session)
    for word in (sent, reports):
        check_source(session, word)
    with spark_of(session, options, "reconcile") as spark:
        from mqtools.pipeline import reconcile as job

        originals = frame_of(spark, session, sent, job.NEEDED, COMMITTED)
        about = frame_of(spark, session, reports, job.NEEDED, COMMITTED)
        rows = job.reconcile(originals, about)
        written = write_result(job.by_group(rows) if by_group else rows, folder)
        found = spark.read.parquet(os.path.abspath(folder)) if written else None
        outcomes = counts_by(found, "outcome") if found is not None else {}
        orphans = 0 if by_group or found is None else found.where("orphan").count()
    totals: dict[str, object] = {"read": written, "written": written}
    if not by_group:
        totals |= {"read": written - orphans, "orphans": orphans}
    print_totals(session, totals, outcomes)
    return 0 if written else NOTHING_THERE


def reassemble(session: Session, options: SparkOptions, *, origin: str, folder: str) -> int:
    """Write one row for each logical message; 9 where some have gaps."""
    check_totals(session)
    check_source(session, origin)
    with spark_of(session, options, "reassemble") as spark:
        from mqtools.pipeline import reassemble as job

        written = write_result(job.reassemble(frame_of(spark, session, origin, job.NEEDED)), folder)
        whole = spark.read.parquet(os.path.abspath(folder)).where("complete").count() if written else 0
    print_totals(session, {"written": written}, {"complete": whole, "incomplete": written - whole})
    if not written:
        return NOTHING_THERE
    return 0 if whole == written else PARTLY
