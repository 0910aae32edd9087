"""Implementation of ``mqx pipeline reconcile`` and ``reassemble``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
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
from .frames import check_outputs, check_target, count_result, sort_counts
from .job import print_totals, spark_of
from .quarantine import QuarantineSummary
from .sources import Sources
from .spark_options import SparkOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class ReconcileRequest:
    """Request of ``mqx pipeline reconcile``. sent, reports: queues and archives.  mode: permissions of files.

    sla: seconds within which a request has a reply, None without latencies.
    quarantine: folder for records that cannot be read; None to fail on them.
    """

    sent: tuple[str, ...]
    reports: tuple[str, ...]
    folder: str
    by_group: bool
    sla: float | None
    html: str | None
    quarantine: str | None
    mode: int


@dataclass(frozen=True, slots=True)
class ReassembleRequest:
    """Request of ``mqx pipeline reassemble``. origins: queues and archives; else as ``ReconcileRequest``."""

    origins: tuple[str, ...]
    folder: str
    quarantine: str | None
    mode: int


def reconcile(session: Session, options: SparkOptions, request: ReconcileRequest) -> int:
    """Write one row for each original or group; print the number of originals by outcome."""
    aside = QuarantineSummary(request.quarantine, "reconcile")
    sent, reports = (Sources(session, words, aside, are_folders=False) for words in (request.sent, request.reports))
    check_outputs(request.folder, request.html)
    if request.by_group and request.html is not None:
        raise UsageError("--by-group cannot be combined with --html: the page is about originals")
    if request.by_group and request.sla is not None:
        raise UsageError("--by-group cannot be combined with --sla: latencies are those of originals")
    with spark_of(session, options, "reconcile", rows=sent.rows + reports.rows) as spark:
        originals = sent.frame(spark, reconcile_job.NEEDED, COMMITTED)
        about = reports.frame(spark, reconcile_job.NEEDED, COMMITTED)
        extended = reports.frame(spark, reconcile_job.EXTENDED, COMMITTED, is_extended())
        rows = reconcile_job.reconcile(originals, about, extended)
        if request.sla is not None:
            rows = with_latency(rows, originals, about, request.sla)
        written = replace_result(
            reconcile_job.by_group(rows) if request.by_group else rows, request.folder, mode=request.mode
        )
        latencies = _latencies(spark, request.folder) if request.sla is not None else {}
        outcomes, orphans = _count(spark, request)
    totals: dict[str, object] = {"read": written, "written": written}
    if not request.by_group:
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


def _count(spark: SparkSession, request: ReconcileRequest) -> tuple[Counter[object], int]:
    """Return how many originals, or groups, have each outcome, and how many reports are about no original.

    Write the page, if one is requested.
    """
    names = ("outcome",) if request.by_group else ("outcome", "orphan", "qmgr", "queue", "reason")
    outcomes: Counter[object] = Counter()
    found = count_result(spark, request.folder, *names)
    for key, number in found.items():
        outcomes["orphan" if key[1:2] == (True,) else key[0]] += number
    if request.html is not None:
        counted = [{**dict(zip(names, key, strict=True)), "count": n} for key, n in found.items()]
        pages.write_reconcile(request.html, f"Outcomes of {', '.join(request.sent)}", counted)
    return outcomes, outcomes.pop("orphan", 0)


def reassemble(session: Session, options: SparkOptions, request: ReassembleRequest) -> int:
    """Write one row for each logical message; return 9 where some have gaps."""
    aside = QuarantineSummary(request.quarantine, "reassemble")
    sources = Sources(session, request.origins, aside, are_folders=False)
    check_target(request.folder)
    with spark_of(session, options, "reassemble", rows=sources.rows) as spark:
        segments = sources.frame(spark, reassemble_job.NEEDED)
        written = replace_result(reassemble_job.reassemble(segments), request.folder, mode=request.mode)
        whole = count_result(spark, request.folder, "complete")[(True,)]
    outcomes = {"complete": whole, "incomplete": written - whole}
    print_totals(session, {"written": written, **aside.totals()}, outcomes, options)
    status = 0 if whole == written else PARTLY
    return aside.settle(session, status if written else NOTHING_THERE)
