"""Dead letters by group: number, size, age, and how many came back after a redrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mqtools.constants.names import dead_letter_reason
from mqtools.dlq.letters import Letter
from mqtools.dlq.selection import Candidate
from mqtools.formats.units import put_at_ms, rfc3339
from mqtools.message import MQMD
from mqtools.operations.selection import put_time_of

Key: TypeAlias = tuple[object, ...]


_HOUR_MS = 3_600_000

#: Keys for groups of dead letters, from descriptor and header. The names are those of a rules table.
FIELDS: dict[str, Callable[[Candidate], object]] = {
    "reason": lambda one: dead_letter_reason(one.dlh.reason),
    "destq": lambda one: one.dlh.dest_q_name,
    "destqm": lambda one: one.dlh.dest_q_mgr_name,
    "applname": lambda one: one.md.put_appl_name,
    "format": lambda one: one.dlh.format,
    "hour": lambda one: _hour(one.md),
}


@dataclass(slots=True)
class LetterGroup:
    """Dead letters that have the same fields.

    key: the values of the fields, None for each where there is no MQDLH.  bytes: of data, headers included.
    oldest, newest: put times in milliseconds since 1970.  came_back: number that were redriven before.
    """

    key: Key
    count: int = 0
    bytes: int = 0
    oldest: int | None = None
    newest: int | None = None
    came_back: int = 0

    def add(self, letter: Letter) -> None:
        at = put_time_of(letter.stored)
        self.count += 1
        self.bytes += letter.stored.data_length
        self.oldest = at if self.oldest is None else min(self.oldest, at)
        self.newest = at if self.newest is None else max(self.newest, at)
        self.came_back += letter.redrives > 0


class LetterSummary:
    """Dead letters in groups, by one or more of FIELDS. Messages without a valid MQDLH form one group."""

    def __init__(self, by: Sequence[str]) -> None:
        self._by = by
        self._groups: dict[Key, LetterGroup] = {}

    def add(self, letter: Letter) -> Key:
        """Add a letter to its group; return the key of that."""
        key = key_of(letter, self._by)
        if key not in self._groups:
            self._groups[key] = LetterGroup(key)
        self._groups[key].add(letter)
        return key

    def groups(self) -> list[LetterGroup]:
        return sorted(
            self._groups.values(),
            key=lambda group: (-group.count, [(value is None, str(value)) for value in group.key]),
        )


def summarise(letters: Iterable[Letter], by: Sequence[str]) -> list[LetterGroup]:
    """Group dead letters, the largest group first; see ``LetterSummary``."""
    summary = LetterSummary(by)
    for letter in letters:
        summary.add(letter)
    return summary.groups()


def key_of(letter: Letter, by: Sequence[str]) -> Key:
    """Return the values of some of FIELDS for a dead letter."""
    if letter.dlh is None:
        return (None,) * len(by)
    one = Candidate(letter.stored.md, letter.dlh)
    return tuple(FIELDS[name](one) for name in by)


def _hour(md: MQMD) -> str | None:
    """Return the hour (UTC) in which a message was put, None if its descriptor has no valid time."""
    at = put_at_ms(md.put_date, md.put_time)
    return None if at is None else rfc3339(at - at % _HOUR_MS)
