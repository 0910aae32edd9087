"""``mqx stats``: throughput of queues from the journal; statistics and accounting records."""

from __future__ import annotations

import click

from mqtools.admin.depths import depths, local_queues
from mqtools.formats.rows import Column
from mqtools.mqi.identity import now_ms
from mqtools.operations.journal.statistics import QueueStats, activity, read_stats
from mqtools.operations.queue_manager_view import QueueManagerView, open_view
from mqtools.rules.statistics import ACCOUNTING_QUEUE, STATISTICS_QUEUE

from .shared import click_options
from .shared.command_session import NOTHING_THERE, Session, UsageError, as_text
from .shared.instrumentation import MessageSelection, show_messages
from .shared.output_rows import print_rows
from .shared.past import TIME

_COLUMNS = ("queue", "puts", "gets", "depth", "wait_p50_s", "wait_p99_s")
_BARS = "▁▂▃▄▅▆▇█"


@click.command("stats")
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--since", type=TIME, help="Count from then on: -1h, 10:05 or 2026-11-23T10:05:00Z")
@click.option("--statistics", "record", flag_value="statistics", help="Show the statistics records")
@click.option("--accounting", "record", flag_value="accounting", help="Show the accounting records")
@click.option("--remove", is_flag=True, help="Remove the records that are shown from their queue")
@click_options.general
def command(session: Session, patterns: tuple[str, ...], since: int | None, record: str | None, remove: bool) -> int:
    """Show throughput, waiting times and depth of queues that have a journal, or records of the queue manager.

    \b
    mqx stats
    mqx stats 'ORDERS*' --since -1h
    mqx stats ORDERS -o json
    mqx stats --statistics
    mqx stats --accounting 'ORDERS*' --since -1h -o jsonl
    mqx stats --statistics --remove -o jsonl >> statistics.jsonl

    Rows: queue, puts (all arrivals, also by moves, reports and channels), gets (also by channels), depth (now),
    wait_p50_s and wait_p99_s: the median and the 99th percentile of the time from put to get, in seconds. Units of work
    that were backed out do not count. On a terminal, a bar shows the puts over time. stderr names queues without a
    journal, JOURNAL(NO). mqx pipeline stats reads archives and many queue managers.

    --statistics and --accounting show the records of SYSTEM.ADMIN.STATISTICS.QUEUE and SYSTEM.ADMIN.ACCOUNTING.QUEUE,
    which the queue manager writes with STATMQI, STATQ, STATCHL, ACCTMQI and ACCTQ. A PATTERN selects the queues or
    channels of a record; --since selects records that were written from then on. The output has the form of mqx events.
    The records stay on their queue; --remove shows and removes all of them.

    Exit status: 0; 3 nothing is known of any queue, there is no record; 5 unknown queue.
    """
    if remove and (record is None or patterns or since is not None):
        raise UsageError("--remove needs --statistics or --accounting, and cannot be combined with PATTERN or --since")
    if record is not None:
        q_names = [ACCOUNTING_QUEUE if record == "accounting" else STATISTICS_QUEUE]
        return show_messages(session, MessageSelection(q_names, patterns, since or 0, removes=remove))
    output = session.list_output
    with open_view(session.qmgr) as view:
        found, missing = _read(view, [as_text(pattern) for pattern in patterns], since or 0)
        current = {str(row["name"]): row["depth"] for row in depths(view, list(found))} if found else {}
    if missing:
        session.note(f"without a journal, JOURNAL(NO): {', '.join(missing)}")
    rows: list[dict[str, object]] = [
        {
            "queue": name,
            "puts": stats.puts,
            "gets": stats.gets,
            "depth": current[name],
            "wait_p50_s": stats.wait_s(0.5),
            "wait_p99_s": stats.wait_s(0.99),
        }
        for name, stats in found.items()
    ]
    columns = [Column(name) for name in _COLUMNS]
    if output == "table":
        columns.append(Column("activity"))
        _add_activity(rows, found, since)
    if rows or output == "json":
        print_rows(session, rows, columns, output)
    return 0 if rows else NOTHING_THERE


def _read(view: QueueManagerView, patterns: list[str], since_ms: int) -> tuple[dict[str, QueueStats], list[str]]:
    """Return the statistics by queue, and the names of the queues without a journal. Raise MQError."""
    found: dict[str, QueueStats] = {}
    missing: list[str] = []
    with view.reading():
        for name in local_queues(view, patterns):
            queue = view.queue(name)
            has_journal = queue is not None and bool(queue.journal)
            stats = read_stats(view, name, since_ms)
            if has_journal or stats.events:
                found[name] = stats
            if not has_journal and (patterns or not name.startswith("SYSTEM.")):
                missing.append(name)
    return found, missing


def _add_activity(rows: list[dict[str, object]], found: dict[str, QueueStats], since: int | None) -> None:
    """Add a bar to each row: the puts over time, on one scale of time for all."""
    begins = [since] if since is not None else [stats.puts_at[0] for stats in found.values() if stats.puts_at]
    if not begins:
        return
    first, last = min(begins), now_ms()
    for row, stats in zip(rows, found.values(), strict=True):
        row["activity"] = _bar(activity(stats.puts_at, first, last))


def _bar(counts: list[int]) -> str:
    highest = max(counts)
    if not highest:
        return ""
    return "".join(" " if not count else _BARS[(len(_BARS) - 1) * count // highest] for count in counts)
