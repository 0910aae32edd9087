"""Groups of dead letters by reason and destination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.dlq.letters import letters
from mqtools.dlq.summary import Summary, key_of
from mqtools.explanations import lookup
from mqtools.formats.units import human_age, human_bytes
from mqtools.mqi.identity import now_ms
from mqtools.tui.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.dlq.letters import Letter
    from mqtools.dlq.summary import Group as Summed
    from mqtools.operations.message_view import Database
    from mqtools.operations.stored_messages import Source

_BY = ("reason", "destq", "destqm")
#: Letters in one page of keys.
_PAGE = 500
HEADING = f"{'count':>7} {'size':>10} {'oldest':>7}  {'reason':32} destination"


@dataclass(frozen=True, slots=True)
class Group:
    """A group in the list.

    key: of dlq.summary.  number: of messages.  words: reason and destination.  line: of the list.  meaning: of the
    reason.
    """

    key: tuple[object, ...]
    number: int
    words: str
    line: str
    meaning: str


class Grouping(Outcome):
    """The groups of the dead letters read so far."""

    def __init__(self) -> None:
        super().__init__(0)
        self._summary = Summary(_BY)

    def add(self, letter: Letter) -> None:
        """Add a dead letter."""
        self._summary.add(letter)
        self.done += 1

    def groups(self) -> list[Group]:
        """Return the groups, the largest first; messages without an MQDLH form one group."""
        return [_group(found) for found in self._summary.groups()]


def read_groups(db: Database, queue_id: int) -> Iterator[Grouping]:
    """Group the dead letters of a queue; yield after each."""
    grouping = Grouping()
    yield grouping
    for letter in letters(db, queue_id):
        grouping.add(letter)
        yield grouping


def _group(found: Summed) -> Group:
    reason, q_name, q_mgr_name = found.key
    to = f"{q_name}@{q_mgr_name}" if q_mgr_name else str(q_name or "")
    age = "" if found.oldest is None else human_age((now_ms() - found.oldest) / 1000)
    back = f"  {found.came_back} came back" if found.came_back else ""
    shown = str(reason or "(no MQDLH)").removeprefix("MQRC_")
    line = f"{found.count:>7} {human_bytes(found.bytes):>10} {age:>7}  {shown:32} {to}{back}"
    return Group(found.key, found.count, f"{shown} {to}".strip(), line, _meaning(reason))


def _meaning(reason: object) -> str:
    for meaning in lookup.explain(str(reason))[:1] if reason else ():
        return f"{meaning.name}: {meaning.meaning}" + (f" {meaning.what_to_do}" if meaning.what_to_do else "")
    return "no valid MQDLH: no rule and no redrive takes it" if reason is None else ""


def read_group_keys(source: Source, queue_id: int, key: tuple[object, ...]) -> Iterator[list[int]]:
    """Yield the keys of the messages of a group, page by page."""
    keys: list[int] = []
    for number, letter in enumerate(letters(source, queue_id), 1):
        if key_of(letter, _BY) == key:
            keys.append(letter.stored.seq)
        if number % _PAGE == 0:
            yield keys
            keys = []
    yield keys
