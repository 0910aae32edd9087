"""``mqx qdepth``: how full queues are, how old, who uses them."""

from __future__ import annotations

import click

from mqtools.errors import MQError
from mqtools.formats import units

from ..shared import click_options
from ..shared.command_session import Session, UsageMistake
from . import qdepth


@click.command("qdepth")
@click.argument("patterns", nargs=-1)
@click.option("--count", is_flag=True, help="The depth alone; of several queues, each with its name.")
@click.option("--watch", type=click_options.DURATION, metavar="TIME", help="Repeat; on a terminal, redraw the screen.")
@click.option(
    "--warn", type=click_options.Converted("percent", units.parse_percent), help="Status 1 from this fullness on."
)
@click.option(
    "--crit", type=click_options.Converted("percent", units.parse_percent), help="Status 2 from this fullness on."
)
@click.option("--max-age", type=click_options.DURATION, help="Status 2 when the oldest message is older.")
@click_options.general
def command(
    session: Session,
    patterns: tuple[str, ...],
    count: bool,
    watch: float | None,
    warn: float | None,
    crit: float | None,
    max_age: float | None,
) -> int:
    """Show the depth of the queues that PATTERNS name: * stands for any characters; none means all.

    \b
    mqx qdepth
    mqx qdepth 'DEV.*' --watch 2s
    mqx qdepth ORDERS --count
    mqx qdepth ORDERS INVOICES --count
    mqx qdepth DLQ --warn 50% --crit 80% --max-age 10m
    mqx qdepth -o openmetrics

    Uncommitted puts count, uncommitted gets do not. --count is the number alone for one name; for several names or a
    pattern it is a line a queue: name, tab, number. --watch draws the table in place on a terminal; piped, or in a
    format for programs, each round follows the last. With --warn, --crit or --max-age the exit status is that
    of a monitoring plug-in: 0 well, 1 warning, 2 critical, 3 not known.
    """
    thresholds = (warn, crit, max_age)
    if thresholds != (None, None, None):
        if watch is not None:
            raise UsageMistake("--watch has no status to give: leave --warn, --crit and --max-age out")
        return _check(session, patterns, count, *thresholds)
    if watch is not None and watch <= 0:
        raise UsageMistake("--watch needs a time such as 2s")
    if watch is not None:
        from .watch import watch_depths

        watch_depths(session, patterns, count=count, interval_s=watch)
    qdepth.show_depths(session, patterns, count=count)
    return 0


def _check(
    session: Session,
    patterns: tuple[str, ...],
    count: bool,
    warn: float | None,
    crit: float | None,
    max_age: float | None,
) -> int:
    try:
        rows = qdepth.show_depths(session, patterns, count=count)
    except MQError as error:
        session.complain(error)
        return qdepth.NOT_KNOWN
    return qdepth.verdict(rows, warn, crit, max_age)
