"""Implementation of ``mqx pipeline reconcile`` and ``reassemble``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark_mqx.jobs import pages
from pyspark_mqx.jobs import reassemble as reassemble_job
from pyspark_mqx.jobs import reconcile as reconcile_job
from pyspark_mqx.jobs.latency import with_latency
from pyspark_mqx.jobs.messages import COMMITTED
from pyspark_mqx.jobs.places import read_result, replace_result
from pyspark_mqx.jobs.report_positions import is_extended

from ..shared.command_session import NOTHING_THERE, PARTLY, Session, UsageError
from .frames import check_outputs, count_result, sort_counts
from .job import print_totals, spark_of
from .quarantine import QuarantineSummary
from .sources import Sources
from .spark_options import JobOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def reconcile(
    session: Session,
    options: JobOptions,
    *,
    sent: tuple[str, ...],
    reports: tuple[str, ...],
    by_group: bool,
    sla: float | None,
) -> int:
    """Write one row for each original or group; print the number of originals by outcome.

    sent, reports: queues and archives.  sla: seconds within which a request has a reply, None without latencies.
    """
    aside = QuarantineSummary(options.quarantine, "reconcile")
    originals, about = (Sources(session, words, aside, are_folders=False) for words in (sent, reports))
    folder = check_outputs(options)
    if by_group and options.html is not None:
        raise UsageError("--by-group cannot be combined with --html: the page is about originals")
    if by_group and sla is not None:
        raise UsageError("--by-group cannot be combined with --sla: latencies are those of originals")
    with spark_of(session, options, "reconcile", rows=originals.rows + about.rows) as spark:
        known, said = (each.frame(spark, reconcile_job.NEEDED, COMMITTED) for each in (originals, about))
        extended = about.frame(spark, reconcile_job.EXTENDED, COMMITTED, is_extended())
        rows = reconcile_job.reconcile(known, said, extended)
        if sla is not None:
            rows = with_latency(rows, known, said, sla)
        written = replace_result(reconcile_job.by_group(rows) if by_group else rows, folder, mode=options.mode)
        latencies = _latencies(spark, folder) if sla is not None else {}
        names = ("outcome",) if by_group else ("outcome", "orphan", "qmgr", "queue", "reason")
        found = count_result(spark, folder, *names)
    outcomes: Counter[object] = Counter()
    for key, number in found:
        outcomes["orphan" if key[1:2] == (True,) else key[0]] += number
    orphans = outcomes.pop("orphan", 0)
    if options.html is not None:
        counted = [{**dict(zip(names, key, strict=True)), "count": number} for key, number in found]
        pages.write_reconcile(options.html, f"Outcomes of {', '.join(sent)}", counted)
    totals: dict[str, object] = {"read": written, "written": written}
    if not by_group:
        totals |= {"read": written - orphans, "orphans": orphans}
    print_totals(session, totals | latencies | aside.totals(), sort_counts(outcomes), options)
    return aside.settle(session, 0 if written else NOTHING_THERE)


def _latencies(spark: SparkSession, folder: str) -> dict[str, object]:
    """Return how many requests and breaches a result has, and the latencies in seconds."""
    percentiles = F.percentile_approx("latency_s", [0.5, 0.99])
    counts = (F.count("breach"), F.count("latency_s"), F.count_if("breach"))
    requests, replies, breaches, found = read_result(spark, folder).agg(*counts, percentiles).collect()[0]
    p50, p99 = found or (None, None)
    return {"requests": requests, "replies": replies, "breaches": breaches, "latency_p50_s": p50, "latency_p99_s": p99}


def reassemble(session: Session, options: JobOptions, *, origins: tuple[str, ...]) -> int:
    """Write one row for each logical message; return 9 where some have gaps. origins: queues and archives."""
    aside = QuarantineSummary(options.quarantine, "reassemble")
    sources = Sources(session, origins, aside, are_folders=False)
    folder = check_outputs(options)
    with spark_of(session, options, "reassemble", rows=sources.rows) as spark:
        segments = sources.frame(spark, reassemble_job.NEEDED)
        written = replace_result(reassemble_job.reassemble(segments), folder, mode=options.mode)
        whole = dict(count_result(spark, folder, "complete")).get((True,), 0)
    outcomes = {"complete": whole, "incomplete": written - whole}
    print_totals(session, {"written": written, **aside.totals()}, outcomes, options)
    status = 0 if whole == written else PARTLY
    return aside.settle(session, status if written else NOTHING_THERE)
