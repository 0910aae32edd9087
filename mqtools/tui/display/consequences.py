"""Consequences of an action in words, for its dialog: room on the target queues, and the first messages by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from mqtools.formats.phrases import grouped
from mqtools.tui.display.cells import shorten
from mqtools.tui.display.outcome import format_count
from mqtools.tui.display.queue_rows import QueueRow
from mqtools.tui.display.row import Row

#: Messages and targets that are named, and cells of the beginning of a message.
NAMED, _BEGINNING = 3, 56


def explain_room(queues: Iterable[QueueRow], target: str, number: int) -> str:
    """Return what a number of messages would find on a target queue; empty for one that is not known."""
    row = next((row for row in queues if row["name"] == target), None)
    if row is None:
        return ""
    if row["inhibit_put"]:
        return f"{target} does not allow puts"
    room = max(0, row["max_depth"] - row["depth"])
    holds = f"{target} holds {grouped(row['depth'])} of {grouped(row['max_depth'])}"
    if room < number:
        return f"{holds}: room for {grouped(room)} of {grouped(number)}"
    return f"{holds}: room for {'it' if number == 1 else f'all {grouped(number)}'}"


def explain_targets(queues: Collection[QueueRow], rows: Iterable[Row], chosen: Collection[int]) -> str:
    """Return the room on the destinations of the chosen dead letters that are in memory, as further lines."""
    targets = Counter(row.target for row in rows if row.seq in chosen and row.target)
    said = [explain_room(queues, target, number) for target, number in targets.most_common(NAMED)]
    return "".join(f"\n{line}" for line in said if line)


def describe_rows(rows: Sequence[Row], number: int) -> list[str]:
    """Return the first of some messages, one a line, and how many more there are. number: of all of them."""
    first = rows[:NAMED]
    lines = [shorten(f"  {row.kind}  {row.words}", _BEGINNING) for row in first]
    more = number - len(first)
    return [*lines, f"  and {format_count(more)} more"] if first and more else lines
