"""Implementation of ``mqx pipeline triage`` and ``stats``: groups, results, pages."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark_mqx.jobs import pages
from pyspark_mqx.jobs import stats as stats_job
from pyspark_mqx.jobs import triage as triage_job
from pyspark_mqx.jobs.places import replace_result

from mqtools.dlq.mistakes import RulesTableError
from mqtools.formats.rows import Column
from mqtools.formats.units import rfc3339

from ..dlq_handle.summary import fields_of
from ..dlq_handle.table import read_table, show_findings
from ..shared.command_session import NOTHING_THERE, USAGE, Session, UsageError
from ..shared.output_rows import print_rows
from .frames import check_outputs, sort_counts
from .job import spark_of, write_metrics
from .quarantine import QuarantineSummary
from .sources import Sources
from .spark_options import JobOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from mqtools.dlq.rule import RulesTable

    Rows = list[dict[str, object]]


def triage(
    session: Session,
    options: JobOptions,
    *,
    queues: tuple[str, ...],
    origins: tuple[str, ...],
    rules: str | None,
    by: str,
) -> int:
    """Print groups of dead letters and the actions of the rules; write rows and charts if requested.

    queues, origins: one of them.  rules: path of a rules table, or None.
    """
    if bool(queues) == bool(origins):
        raise UsageError("exactly one of --queue and --from is required")
    fields = fields_of(by)
    table: RulesTable | None = None
    if rules is not None:
        try:
            table = read_table(session, rules)
        except RulesTableError as error:
            show_findings(session, error, count=True)
            return USAGE
    aside = QuarantineSummary(options.quarantine, "triage")
    sources = Sources(session, queues or origins, aside, are_folders=bool(origins))
    check_outputs(options)
    with spark_of(session, options, "triage", rows=sources.rows) as spark:
        groups, by_line, number, written = _sort(spark, sources, options, fields, table)
    actions: Counter[str] = Counter()
    for action, count in by_line.items():
        actions[action.partition(" ")[0]] += count
    if options.html is not None:
        title = f"Dead letters of {', '.join(sources.words)}"
        pages.write_triage(options.html, title, fields, groups, by_line if table else None)
    totals: dict[str, object] = {"read": number, "written": written, **aside.totals()}
    outcomes = dict(actions.most_common()) if table else None
    write_metrics(options, totals, outcomes)
    _print(session, groups, totals, outcomes)
    return aside.settle(session, 0 if number else NOTHING_THERE)


def _sort(
    spark: SparkSession, sources: Sources, options: JobOptions, by: list[str], table: RulesTable | None
) -> tuple[Rows, dict[str, int], int, int]:
    letters = sources.frame(spark, triage_job.NEEDED).cache()
    groups = [_plain(row.asDict()) for row in triage_job.groups(letters, by).collect()]
    rows = triage_job.triage(letters, table)
    action = F.concat_ws(" by line ", F.coalesce("action", F.lit("none")), "rule_line")
    counted = rows.groupBy(action.alias("action")).count().collect() if table is not None else []
    actions = sort_counts({row[0]: int(row[1]) for row in counted})
    written = replace_result(rows, options.folder, mode=options.mode) if options.folder else 0
    return groups, actions, sum(int(str(group["count"])) for group in groups), written


def _plain(row: dict[str, object]) -> dict[str, object]:
    """Return a row with times as text, and a reason without a name as its number."""
    plain = {
        name: rfc3339(round(value.timestamp() * 1000)) if isinstance(value, datetime) else value
        for name, value in row.items()
    }
    if isinstance(reason := plain.get("reason"), str) and reason.lstrip("-").isdigit():
        plain["reason"] = int(reason)
    return plain


def _print(session: Session, rows: Rows, totals: dict[str, object], actions: dict[str, int] | None) -> None:
    """Print groups and totals: one object in JSON, else groups on stdout and totals on stderr."""
    output = session.list_output
    if output in ("json", "jsonl"):
        whole = {**totals, "groups": rows, **({"outcomes": actions} if actions is not None else {})}
        print_rows(session, [whole], [], "jsonl")
        return
    names = list(rows[0]) if rows else []
    numbers = {name for name in names if isinstance(rows[0][name], (int, float))}
    print_rows(session, rows, [Column(name, align="right" if name in numbers else "left") for name in names], output)
    told = ", ".join(f"{name} {number}" for name, number in {**totals, **(actions or {})}.items())
    session.note(told)


def stats(session: Session, options: JobOptions, *, origins: tuple[str, ...]) -> int:
    """Print throughput, waiting times and depth by queue and hour."""
    aside = QuarantineSummary(options.quarantine, "stats")
    sources = Sources(session, origins, aside, are_folders=True)
    named = ", ".join(sources.words)
    check_outputs(options)
    with spark_of(session, options, "stats", rows=sources.rows) as spark:
        sources.open(spark)
        if sources.columns and "event" not in sources.columns:
            session.note(
                f"{named} has no events: its messages are counted as puts; mqx pipeline archive --journal includes gets"
            )
        result = stats_job.stats(sources.frame(spark, stats_job.NEEDED)).cache()
        written = replace_result(result, options.folder, mode=options.mode) if options.folder else 0
        rows = [_plain(row.asDict()) for row in _in_order(result).collect()]
    if options.html is not None:
        pages.write_stats(options.html, f"Queues of {named}", rows)
    totals = {"read": sources.rows, "written": written, **aside.totals()}
    write_metrics(options, totals)
    _print(session, rows, totals, None)
    return aside.settle(session, 0 if rows else NOTHING_THERE)


def _in_order(result: DataFrame) -> DataFrame:
    return result.orderBy("qmgr", "queue", "hour")
