"""What ``mqx pipeline reconcile`` and ``reassemble`` do once their lines are understood."""

from __future__ import annotations

from collections import Counter

from ._pipeline import SparkOptions, check_totals, print_totals, spark_of
from ._pipeline_frames import COMMITTED, check_source, check_target, count_result, frame_of, most_first, write_result
from ._session import NOTHING_THERE, PARTLY, Session


def reconcile(session: Session, options: SparkOptions, *, sent: str, reports: str, folder: str, by_group: bool) -> int:
    """Write one row for each original, or each group; say how many there are by outcome."""
    check_totals(session)
    for word in (sent, reports):
        check_source(session, word)
    check_target(folder)
    with spark_of(session, options, "reconcile") as spark:
        from mqtools.pipeline import reconcile as job
        from mqtools.pipeline.extension import is_extended

        originals = frame_of(spark, session, sent, job.NEEDED, COMMITTED)
        about = frame_of(spark, session, reports, job.NEEDED, COMMITTED)
        extended = frame_of(spark, session, reports, job.EXTENDED, COMMITTED, is_extended())
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
    print_totals(session, totals, most_first(outcomes))
    return 0 if written else NOTHING_THERE


def reassemble(session: Session, options: SparkOptions, *, origin: str, folder: str) -> int:
    """Write one row for each logical message; 9 where some have gaps."""
    check_totals(session)
    check_source(session, origin)
    check_target(folder)
    with spark_of(session, options, "reassemble") as spark:
        from mqtools.pipeline import reassemble as job

        written = write_result(job.reassemble(frame_of(spark, session, origin, job.NEEDED)), folder)
    whole = count_result(folder, "complete")[(True,)]
    print_totals(session, {"written": written}, {"complete": whole, "incomplete": written - whole})
    if not written:
        return NOTHING_THERE
    return 0 if whole == written else PARTLY
