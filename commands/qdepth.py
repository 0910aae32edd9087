"""``mqx qdepth``: how full queues are, how old, who uses them."""

from __future__ import annotations

import time

import click

from mqtools.errors import MQError
from mqtools.formats import units

from . import _options, _qdepth, _session
from ._session import Session, UsageMistake


@click.command("qdepth")
@click.argument("patterns", nargs=-1)
@click.option("--count", is_flag=True, help="The number of messages alone.")
@click.option("--watch", type=_options.DURATION, metavar="TIME", help="Show it again and again.")
@click.option("--warn", type=_options.Converted("percent", units.parse_percent), help="Status 1 from this fullness on.")
@click.option("--crit", type=_options.Converted("percent", units.parse_percent), help="Status 2 from this fullness on.")
@click.option("--max-age", type=_options.DURATION, help="Status 2 when the oldest message is older.")
@_options.general
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

    Uncommitted puts count, uncommitted gets do not. With --warn, --crit or --max-age the exit status is that
    of a monitoring plug-in: 0 well, 1 warning, 2 critical, 3 not known.

    \b
    mqx qdepth
    mqx qdepth 'DEV.*' --watch 2s
    mqx qdepth ORDERS --count
    mqx qdepth DLQ --warn 50% --crit 80% --max-age 10m
    mqx qdepth -o openmetrics
    """
    if warn is not None or crit is not None or max_age is not None:
        return _check(session, patterns, warn, crit, max_age)
    if watch is None:
        return _qdepth.show_depths(session, patterns, count=count)
    if watch <= 0:
        raise UsageMistake("--watch needs a time such as 2s")
    while True:
        _qdepth.show_depths(session, patterns, count=count)
        time.sleep(watch)


def _check(
    session: Session, patterns: tuple[str, ...], warn: float | None, crit: float | None, max_age: float | None
) -> int:
    try:
        _qdepth.show_depths(session, patterns)
        _, rows = _qdepth.read_rows(session, patterns)
    except MQError as error:
        _session.say(f"mqx: {error}")
        return _qdepth.NOT_KNOWN
    return _qdepth.verdict(rows, warn, crit, max_age)
