"""Groups of dead letters by reason and destination."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from mqtools.dlq.letters import Letter, letters
from mqtools.dlq.summary import LetterGroup, LetterSummary, key_of
from mqtools.explanations import lookup
from mqtools.operations.stored_messages import load_data
from mqtools.operations.views.message_view import Database, queue_manager_name
from mqtools.tui.display.consequences import NAMED
from mqtools.tui.display.outcome import Outcome
from mqtools.tui.display.row import BEGINNING_BYTES, Row, make_row

if TYPE_CHECKING:
    from mqtools.operations.stored_messages import Source  # it has it for type checkers only

_BY = ("reason", "destq", "destqm")
#: Letters in one page of keys.
_PAGE = 500


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group in the list.

    letters: its key and totals.  oldest_age_s: None where it is unknown.  reason: without its prefix.
    q_name, q_mgr_name: destination, empty without one.  meaning: of the reason.  first: its first messages.
    last: key of the last message that was read, of any group.
    """

    letters: LetterGroup
    _: KW_ONLY
    oldest_age_s: float | None
    reason: str
    q_name: str
    q_mgr_name: str
    meaning: str
    first: list[Row]
    last: int

    @property
    def target(self) -> str:
        """The destination in words, empty without one."""
        return f"{self.q_name}@{self.q_mgr_name}" if self.q_mgr_name else self.q_name

    @property
    def words(self) -> str:
        return f"{self.reason} {self.target}".strip()


class Grouping(Outcome):
    """The groups of the dead letters read so far. now_ms: their ages are at that instant, milliseconds since 1970."""

    def __init__(self, now_ms: int) -> None:
        super().__init__(0)
        self._now_ms = now_ms
        self._summary = LetterSummary(_BY)
        self._first: dict[tuple[object, ...], list[Row]] = {}
        self._last = 0

    def add(self, db: Database, letter: Letter) -> None:
        first = self._first.setdefault(self._summary.add(letter), [])
        self.done += 1
        self._last = max(self._last, letter.stored.seq)
        if len(first) < NAMED:
            data = load_data(db, letter.stored.seq, BEGINNING_BYTES)
            first.append(make_row(letter.stored, data, queue_manager_name(db)))

    def groups(self) -> list[GroupRow]:
        """Return the groups, the largest first; messages without an MQDLH form one group."""
        return [self._group(found) for found in self._summary.groups()]

    def _group(self, found: LetterGroup) -> GroupRow:
        reason, q_name, q_mgr_name = found.key
        return GroupRow(
            found,
            oldest_age_s=None if found.oldest is None else (self._now_ms - found.oldest) / 1000,
            reason=str(reason or "(no MQDLH)").removeprefix("MQRC_"),
            q_name=str(q_name or ""),
            q_mgr_name=str(q_mgr_name or ""),
            meaning=_meaning(reason),
            first=self._first[found.key],
            last=self._last,
        )


def read_groups(db: Database, queue_id: int, now_ms: int) -> Iterator[Grouping]:
    """Group the dead letters of a queue; yield after each. now_ms: as for ``Grouping``."""
    grouping = Grouping(now_ms)
    yield grouping
    for letter in letters(db, queue_id):
        grouping.add(db, letter)
        yield grouping


def _meaning(reason: object) -> str:
    for meaning in lookup.explain(str(reason))[:1] if reason else ():
        return f"{meaning.name}: {meaning.meaning}" + (f" {meaning.what_to_do}" if meaning.what_to_do else "")
    return "no valid MQDLH: no rule and no redrive takes it" if reason is None else ""


def read_group_keys(source: Source, queue_id: int, group: GroupRow) -> Iterator[list[int]]:
    """Yield the keys of the messages of a group, page by page; without those that arrived after it was read."""
    keys: list[int] = []
    for number, letter in enumerate(letters(source, queue_id), 1):
        if letter.stored.seq <= group.last and key_of(letter, _BY) == group.letters.key:
            keys.append(letter.stored.seq)
        if number % _PAGE == 0:
            yield keys
            keys = []
    yield keys
