"""``mqx qdepth``: show depth, age and use of queues."""

from __future__ import annotations

from typing import Any

import click

from mqtools.formats import units

from ..shared import click_options, past
from ..shared.command_session import Session, UsageError
from . import plugin, qdepth
from .request import ALL, DepthRequest, parse_columns, parse_sort
from .watch import watch_depths


@click.command("qdepth")
@click.argument("patterns", nargs=-1)
@click.option("--all", "is_all", is_flag=True, help="Also show the SYSTEM queues")
@click.option("--count", is_flag=True, help="Print only the depth; for several queues with names")
@click.option(
    "--watch",
    type=click_options.DURATION,
    help="Repeat at this interval; on a terminal, redraw the screen",
)
@click.option(
    "--warn",
    type=click_options.Converted("percent", units.parse_percent),
    help="Exit status 1 at this percentage of the maximum depth",
)
@click.option(
    "--crit",
    type=click_options.Converted("percent", units.parse_percent),
    help="Exit status 2 at this percentage of the maximum depth",
)
@click.option(
    "--columns",
    type=click_options.Converted("names", parse_columns),
    metavar="NAMES",
    help="Columns, separated by commas: name,depth,percent_full",
)
@click.option(
    "--sort",
    type=click_options.Converted("column", parse_sort),
    metavar="[-]COLUMN",
    help="Sort by a column; - before it reverses the order",
)
@click.option("--max-age", type=click_options.DURATION, help="Exit status 2 when the oldest message is older")
@click.option("--max-depth", type=click.IntRange(min=0), metavar="N", help="Exit status 2 at more messages")
@past.at
@click_options.general
def command(session: Session, patterns: tuple[str, ...], is_all: bool, watch: float | None, **given: Any) -> int:
    """Show the depth of the queues that match PATTERNS (* matches any characters); without any, of all queues.

    SYSTEM queues are shown only with --all, for a pattern that begins with SYSTEM, or as the dead-letter queue.

    \b
    mqx qdepth
    mqx qdepth 'DEV.*' --count --watch 2s
    mqx qdepth DLQ --warn 50% --crit 80% --max-age 10m -o nagios
    mqx qdepth --columns name,depth,oldest_age_s --sort -depth
    mqx qdepth -o openmetrics
    mqx qdepth ORDERS --at 10:05 --count

    Uncommitted puts are counted, uncommitted gets are not. --count prints only the number for one name; for several
    names or a pattern one line per queue: name, tab, number. --watch redraws the table on a terminal; in a pipe, or in
    a format for programs, it prints one after the other. With --warn, --crit, --max-age or --max-depth the exit
    status is that of a monitoring plug-in: 0 ok, 1 warning, 2 critical, 3 unknown; what exceeds a limit is named on
    stderr. -o nagios prints the line of a plug-in instead, with the depths as performance data.

    The columns are those of JSON: name, depth, max_depth, percent_full, uncommitted, locked, oldest_age_s, open_input,
    open_output, last_put, last_get, oldest_lock_s, oldest_uow_s, without_lease. The oldest message may be in any state.
    The oldest lock is that of lock ids, not of handles. The oldest unit of work is that of connections, confirm ids and
    channels that have uncommitted messages of the queue. without_lease is the number of lock ids and confirm ids that
    hold messages and have no lease.

    --at shows the depths as they were at a time, for queues that had JOURNAL(BODY) then. The last put and get are those
    among the last 100 000 events of the queue that the journal has. Open handles, locks and units of work of the past
    are not known: READERS, WRITERS and the ages of the oldest lock and unit of work are empty, null in JSON.
    """
    if given["at"] is not None and watch is not None:
        raise UsageError("--at cannot be combined with --watch: the past does not change")
    if is_all and patterns:
        raise UsageError("--all cannot be combined with PATTERNS")
    if given["count"] and given["columns"]:
        raise UsageError("--count cannot be combined with --columns")
    request = DepthRequest(
        ALL if is_all else patterns,
        count=given["count"],
        columns=given["columns"] or (),
        sort=given["sort"] or "",
        at=given["at"],
    )
    limits = tuple(given[name] for name in ("warn", "crit", "max_age", "max_depth"))
    if session.output == "nagios" or any(limit is not None for limit in limits):
        if watch is not None:
            raise UsageError("--watch cannot be combined with limits or -o nagios: it has no exit status")
        return plugin.check(session, request, plugin.Thresholds(*limits))
    if watch is not None and watch <= 0:
        raise UsageError("--watch must be a time greater than zero, such as 2s")
    if watch is not None:
        watch_depths(session, request, watch)
    qdepth.show_depths(session, request)
    return 0
