"""Order, selection and signs of the rows of the queues pane. Pure functions over the rows of ``queue_overview``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeAlias

from mqtools.formats.phrases import counted, grouped
from mqtools.tui.display import colours

QueueRow: TypeAlias = dict[str, Any]


#: Percentages of its depth that make a queue nearly full, and full.
NEARLY_FULL, FULL = 80, 95
#: Age that makes the oldest message old (seconds).
OLD_S = 3600

#: Name -> key of the order; names are the second key.
ORDERS: dict[str, Callable[[QueueRow], float]] = {
    "name": lambda _: 0,
    "depth": lambda row: -float(row["depth"]),
    "age": lambda row: -float(row["oldest_age_s"] or -1),
    "dead": lambda row: -float(row["depth"] if row["is_dead_letter"] else -1),
}


class Sign(NamedTuple):
    """Special state of a queue. sign: one cell.  role: its colour.  words: its meaning."""

    sign: str
    role: str
    words: str


def signs_of(row: QueueRow) -> list[Sign]:
    """Return the signs of a queue, the most urgent first."""
    found = []
    if row["is_dead_letter"]:
        role = colours.DANGER if row["depth"] else colours.DIM
        found.append(Sign("✉", role, "dead-letter queue"))
    if row["percent_full"] >= NEARLY_FULL:
        is_full = row["percent_full"] >= FULL
        found.append(Sign("▲", colours.DANGER if is_full else colours.WARN, "full" if is_full else "nearly full"))
    if row["locked"]:
        found.append(Sign("⚿", colours.LOCKED, f"{grouped(row['locked'])} locked"))
    if row["uncommitted"]:
        found.append(Sign("◐", colours.WARN, f"{grouped(row['uncommitted'])} in doubt"))
    inhibited = [verb for verb in ("put", "get") if row[f"inhibit_{verb}"]]
    if inhibited:
        found.append(Sign("⊘", colours.WARN, f"{' and '.join(inhibited)} disabled"))
    if row["is_transmission"]:
        found.append(Sign("⇥", colours.DIM, "transmission queue"))
    return found


def arrange(rows: Iterable[QueueRow], order: str, wanted: str) -> list[QueueRow]:
    """Return the rows whose name contains a text or matches a pattern with ``*``, in an order of ``ORDERS``."""
    chosen = [row for row in rows if _is_wanted(row["name"], wanted)]
    return sorted(chosen, key=lambda row: (ORDERS[order](row), row["name"]))


def _is_wanted(name: str, wanted: str) -> bool:
    name, wanted = name.casefold(), wanted.casefold()
    return fnmatchcase(name, wanted) if "*" in wanted else wanted in name


def totals(rows: Iterable[QueueRow]) -> list[tuple[str, str]]:
    """Return the totals of all queues as cells: text and role."""
    every = list(rows)
    full = sum(row["percent_full"] >= FULL for row in every)
    dead = sum(row["depth"] for row in every if row["is_dead_letter"])
    locked, in_doubt = (sum(row[name] for row in every) for name in ("locked", "uncommitted"))
    cells = [
        (counted(len(every), "queue", in_groups=True), colours.TEXT),
        (counted(sum(row["depth"] for row in every), "msg", in_groups=True), colours.TEXT),
    ]
    for number, sign, words, role in (
        (full, "▲", "full", colours.DANGER),
        (dead, "✉", "dead", colours.DANGER),
        (locked, "⚿", "locked", colours.LOCKED),
        (in_doubt, "◐", "in doubt", colours.WARN),
    ):
        if number:
            cells.append((f"{sign}{grouped(number)} {words}", role))
    return cells
