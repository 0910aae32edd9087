"""``mqx qdepth`` as a monitoring plug-in: thresholds, the exit status, and the line that Nagios and Icinga read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.formats.terminal import visible
from mqtools.formats.units import human_age

from ..shared import command_session
from ..shared.command_session import Session, UsageError
from . import qdepth
from .request import DepthRequest

Row = dict[str, Any]

#: Statuses of monitoring plug-ins, and their words.
OK, WARN, CRITICAL, NOT_KNOWN = range(4)
_WORDS = ("OK", "WARNING", "CRITICAL", "UNKNOWN")


class Thresholds(NamedTuple):
    """Limits of a check, None for none.

    warn, crit: percent of the maximum depth.  max_depth: number of messages; max_age_s: age of the oldest one in
    seconds: more is critical.
    """

    warn: float | None = None
    crit: float | None = None
    max_age_s: float | None = None
    max_depth: int | None = None


def check(session: Session, request: DepthRequest, limits: Thresholds) -> int:
    """Check the queues of the request and return the status of the worst one.

    With ``-o nagios`` stdout has the line of the plug-in and nothing else; otherwise it has the depths, and the line is
    on stderr where a limit is exceeded.
    """
    is_line = session.output == "nagios"
    if is_line and (request.count or request.columns):
        raise UsageError("--count and --columns cannot be combined with -o nagios")
    try:
        rows = qdepth.read_request(session, request)[1] if is_line else qdepth.show_depths(session, request)
    except MQError as error:
        if is_line:
            command_session.write_line(f"MQX UNKNOWN: {visible(error.text)}")
        else:
            session.report_error(error)
        return NOT_KNOWN
    status = max((_judge(row, limits)[0] for row in rows), default=OK)
    if is_line:
        command_session.write_line(plugin_line(rows, limits))
    elif status != OK:
        session.note(plugin_line(rows, limits))
    return status


def plugin_line(rows: Sequence[Row], limits: Thresholds) -> str:
    """Return the line of the plug-in: state, what is wrong, and the depths as performance data."""
    judged = [_judge(row, limits) for row in rows]
    status = max((state for state, _ in judged), default=OK)
    words = "; ".join(cause for state, cause in judged if state == status and cause)
    if status == OK:
        words = f"{counted(len(rows), 'queue')}, {counted(sum(row['depth'] for row in rows))}"
    data = " ".join(_performance(row, limits) for row in rows)
    return f"MQX {_WORDS[status]}: {words} | {data}".removesuffix(" | ")


def _judge(row: Row, limits: Thresholds) -> tuple[int, str]:
    """Return the state of a queue and why; a queue without a limit or an oldest message exceeds nothing."""
    name, depth, full, age = row["name"], row["depth"], row["percent_full"], row["oldest_age_s"]
    if limits.crit is not None and full is not None and full >= limits.crit:
        return CRITICAL, f"{name} {full} % full"
    if limits.max_depth is not None and depth > limits.max_depth:
        return CRITICAL, f"{name} has {counted(depth)}"
    if limits.max_age_s is not None and age is not None and age > limits.max_age_s:
        return CRITICAL, f"{name} has a message of {human_age(age)}"
    if limits.warn is not None and full is not None and full >= limits.warn:
        return WARN, f"{name} {full} % full"
    return OK, ""


def _performance(row: Row, limits: Thresholds) -> str:
    """Return the performance data of a queue: its depth with the limits in messages, of two the lower one."""
    most = row["max_depth"]
    warn, crit = (None if part is None or not most else part * most / 100 for part in (limits.warn, limits.crit))
    lowest = min((limit for limit in (crit, limits.max_depth) if limit is not None), default=None)
    texts = ("" if limit is None else f"{limit:.10g}" for limit in (warn, lowest))
    return f"'{row['name']}'={row['depth']};{';'.join(texts)};0;{most or ''}"
