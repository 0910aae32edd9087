"""Pages of stats, triage and reconcile: an overview of all queues first, then those that need attention.

A page is at most about a megabyte, whatever is in it: the largest groups are shown, the rest is added up as "others",
and times are added up to hours, days or more, so that a line has a few hundred points.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pyspark_mqx.jobs import html_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Rows = Sequence[Mapping[str, Any]]

#: Bars, queues with charts, and rows of a table at most.
_MOST_BARS, _MOST_CHARTS, _MOST_ROWS = 30, 40, 500
#: Points of a line at most, and what times are added up to.
_MOST_POINTS = 200
_STEPS = [timedelta(hours=hours) for hours in (1, 3, 6, 12, 24, 7 * 24, 30 * 24, 365 * 24, 10 * 365 * 24)]
_EPOCH = datetime(1, 1, 1, tzinfo=UTC)
_OTHERS = "others"


def write_stats(path: str, title: str, rows: Rows) -> None:
    """Write the page of ``stats``. rows: of the result, ``hour`` as text or time. Raises OSError."""
    known = [{**row, "at": _time(row["hour"])} for row in rows]
    queues = _by_queue(known)
    totals = {
        "queue managers": len({row["qmgr"] for row in known}),
        "queues": len(queues),
        "puts": sum(row["puts"] for row in known),
        "gets": sum(row["gets"] for row in known),
        "depth": sum(own[-1]["depth"] for own in queues.values()),
        "worst p99, seconds": max((row["p99_s"] for row in known if row["p99_s"] is not None), default=0),
    }
    parts = [_numbers(path, totals)]
    if known:
        times, step = _times(known)
        fleet = _series(known, times, step)
        parts.append(html_report.chart(f"All queues, by {_words(step)}", "messages", times, fleet[:2]))
        parts.append(html_report.chart("Depth of all queues", "messages", times, fleet[2:3]))
        summaries = [_summary(name, own) for name, own in queues.items()]
        summaries.sort(key=lambda row: (bool(row["why"]), row["depth"], row["p99_s"] or 0, row["puts"]), reverse=True)
        parts += [html_report.heading("Queues, the worst first"), _table(summaries)]
        parts.append(html_report.heading("Queues in detail"))
        for n, summary in enumerate(summaries[:_MOST_CHARTS]):
            own = queues[summary["qmgr"], summary["queue"]]
            parts.append(_queue_details(summary, _series(own, times, step), times, is_open=n == 0))
        others = [row for each in summaries[_MOST_CHARTS:] for row in queues[each["qmgr"], each["queue"]]]
        if others:
            label = {"qmgr": _OTHERS, "queue": f"{len(summaries) - _MOST_CHARTS} queues together", "why": ""}
            parts.append(_queue_details(label, _series(others, times, step), times, is_open=False))
    html_report.write(path, title, parts, totals)


def write_triage(
    path: str, title: str, by: Sequence[str], groups: Rows, actions: Mapping[str, int] | None = None
) -> None:
    """Write the page of ``triage``. actions: number of dead letters by action and line of the rule.  Raises OSError."""
    managers = _count(groups, "qmgr")
    totals: dict[str, object] = {
        "dead letters": sum(row["count"] for row in groups),
        "bytes": sum(row["bytes"] or 0 for row in groups),
        "queue managers": len(managers),
        "groups": len(groups),
    }
    parts = [_numbers(path, totals)]
    if actions is not None:
        parts.append(html_report.bars("What the rules would do", [(name, float(n)) for name, n in actions.items()]))
    if len(managers) > 1:
        parts += _bars("Dead letters by queue manager", managers.most_common())
    names = [" / ".join(str(row[name] or "(none)") for name in ("qmgr", *by)) for row in groups]
    named = _count([{**row, "name": name} for row, name in zip(groups, names, strict=True)], "name")
    parts += _bars(f"Dead letters by {', '.join(by)}", named.most_common())
    html_report.write(path, title, [*parts, html_report.heading("Groups"), _table(groups)], totals)


def write_reconcile(path: str, title: str, counted: Rows) -> None:
    """Write the page of ``reconcile``. counted: rows with qmgr, queue, outcome, reason, orphan and their count.

    Raises OSError.
    """
    originals = [row for row in counted if not row["orphan"]]
    outcomes = _count(originals, "outcome")
    totals: dict[str, object] = {
        "originals": outcomes.total(),
        "reports without original": sum(row["count"] for row in counted if row["orphan"]),
        "queue managers": len({row["qmgr"] for row in counted}),
        **{str(name): n for name, n in outcomes.most_common()},
    }
    parts = [_numbers(path, totals), *_bars("Originals by outcome", outcomes.most_common())]
    lost: Counter[object] = Counter()
    by_queue: dict[tuple[object, object], Counter[object]] = defaultdict(Counter)
    for row in originals:
        by_queue[row["qmgr"], row["queue"]][row["outcome"]] += row["count"]
        if row["outcome"] in _BAD:
            lost[f"{row['qmgr']} / {row['queue']}: {row['outcome']}"] += row["count"]
    if reasons := _count([row for row in originals if row.get("reason") is not None], "reason"):
        parts += _bars("Originals that failed, by reason", reasons.most_common())
    if lost:
        parts += _bars("Queues with messages that failed, expired or are silent", lost.most_common())
    names = [name for name, _ in outcomes.most_common()]
    rows = [
        {"qmgr": qmgr, "queue": queue, "originals": own.total(), **{str(name): own[name] for name in names}}
        for (qmgr, queue), own in sorted(
            by_queue.items(), key=lambda one: (-_bad(one[1]), -one[1].total(), str(one[0]))
        )
    ]
    html_report.write(path, title, [*parts, html_report.heading("Queues, the worst first"), _table(rows)], totals)


#: Outcomes that need attention.
_BAD = ("failed", "refused", "expired", "silent")


def _bad(outcomes: Counter[object]) -> int:
    return sum(outcomes[name] for name in _BAD)


def _numbers(path: str, totals: Mapping[str, object]) -> str:
    """Return the overview: totals, and their difference from the existing page."""
    before = html_report.previous_summary(path)
    shown = html_report.numbers(totals, html_report.changes(totals, before))
    return shown + (html_report.note(f"Changes are against the run of {before['made']}.") if "made" in before else "")


def _bars(title: str, values: Sequence[tuple[object, int]]) -> list[str]:
    """Return bars of the largest values, and of the others together."""
    shown = [(name, float(value)) for name, value in values[:_MOST_BARS]]
    rest = values[_MOST_BARS:]
    if rest:
        shown.append((_OTHERS, float(sum(value for _, value in rest))))
    words = [html_report.note(f"The first {_MOST_BARS} of {len(values):,}, and the others together.")] if rest else []
    return [html_report.bars(title, shown), *words]


def _table(rows: Rows) -> str:
    """Return a table of at most some rows."""
    if len(rows) <= _MOST_ROWS:
        return html_report.table(rows)
    words = f"The first {_MOST_ROWS:,} of {len(rows):,} rows; --to DIR writes all of them."
    return html_report.table(rows[:_MOST_ROWS]) + html_report.note(words)


def _count(rows: Rows, name: str) -> Counter[object]:
    found: Counter[object] = Counter()
    for row in rows:
        found[row[name]] += row["count"]
    return found


def _time(value: object) -> datetime:
    at = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _by_queue(rows: Rows) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: (row["qmgr"] or "", row["queue"] or "", row["at"])):
        found.setdefault((row["qmgr"], row["queue"]), []).append(row)
    return found


def _times(rows: Rows) -> tuple[list[datetime], timedelta]:
    """Return the beginnings of the times that a line has points for, and their length."""
    first, last = (choose(row["at"] for row in rows) for choose in (min, max))
    step = next((each for each in _STEPS if (last - first) / each < _MOST_POINTS), _STEPS[-1])
    begin = first - (first - _EPOCH) % step
    return [begin + n * step for n in range((last - begin) // step + 1)], step


def _words(step: timedelta) -> str:
    hours = int(step.total_seconds() // 3600)
    if hours == 1:
        return "hour"
    return f"{hours} hours" if hours < 24 else "day" if hours == 24 else f"{hours // 24} days"


def _series(rows: Rows, times: Sequence[datetime], step: timedelta) -> list[tuple[str, list[float | None]]]:
    """Return the lines puts, gets, depth, p50 and p99 of one queue or of many: added up, of waiting times the worst."""
    number = len(times)
    puts, gets, change = ([0.0] * number for _ in range(3))
    middle, worst = (list[float | None]([None] * number) for _ in range(2))
    depth: dict[tuple[object, object], float] = {}
    for row in sorted(rows, key=lambda row: row["at"]):
        n = (row["at"] - times[0]) // step
        key = row["qmgr"], row["queue"]
        puts[n] += row["puts"]
        gets[n] += row["gets"]
        change[n] += row["depth"] - depth.get(key, 0)
        depth[key] = row["depth"]
        middle[n] = _larger(middle[n], row["put_to_get_p50_s"])
        worst[n] = _larger(worst[n], row["p99_s"])
    return [("puts", [*puts]), ("gets", [*gets]), ("depth", [*accumulate(change)]), ("p50", middle), ("p99", worst)]


def _larger(one: float | None, other: float | None) -> float | None:
    return max((value for value in (one, other) if value is not None), default=None)


def _summary(name: tuple[str, str], own: Rows) -> dict[str, Any]:
    """Return one row about a queue, with why it needs attention."""
    puts, gets = (sum(row[which] for row in own) for which in ("puts", "gets"))
    depth, most = own[-1]["depth"], max(row["depth"] for row in own)
    p99 = max((row["p99_s"] for row in own if row["p99_s"] is not None), default=None)
    reasons = []
    if puts and not gets:
        reasons.append("nothing was got")
    elif depth > 0 and depth == most:
        reasons.append("deepest at the end")
    if p99 is not None and p99 >= 60:
        reasons.append(f"1 % waited {html_report.number(p99)} s or longer")
    row = {"qmgr": name[0], "queue": name[1], "puts": puts, "gets": gets, "depth": depth, "most": most, "p99_s": p99}
    return {**row, "why": "; ".join(reasons)}


def _queue_details(
    summary: Mapping[str, Any],
    series: Sequence[tuple[str, list[float | None]]],
    times: Sequence[datetime],
    *,
    is_open: bool,
) -> str:
    puts, gets, depth, middle, worst = series
    charts = [
        html_report.chart("Puts and gets", "messages", times, [puts, gets]),
        html_report.chart("Depth", "messages", times, [depth]),
    ]
    if any(value is not None for value in worst[1]):
        charts.append(html_report.chart("Waiting times", "seconds", times, [middle, worst]))
    words = f"{summary['qmgr']} / {summary['queue']}{': ' if summary['why'] else ''}{summary['why']}"
    return html_report.details(words, charts, is_open=is_open)
