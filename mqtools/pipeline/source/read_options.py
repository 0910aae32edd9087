"""Options of a read: their names, values, defaults and checks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.pipeline.source.damage import Damage, damage_of
from mqtools.store.scans import scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

#: Values of an option that is on or off.
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0")

#: Options of every read.
READ_OPTIONS = ("qmgr", "queue", "selector", "body", "journal", "quarantine", "run")
#: Options of a batch read.
BATCH_OPTIONS = (*READ_OPTIONS, "numpartitions", "lock", "after", "until")


@dataclass(slots=True, frozen=True)
class Options:
    """The options of a read. qmgr, queue: as given.  partitions: number wanted, 0 for as many as necessary.

    lock: id of the lock whose messages alone are read, expired or not.  damage: policy for what cannot be read, from
    the options ``quarantine`` and ``run`` (module ``damage``).  after, until: of a journal, the events between these
    numbers, by the path of the file; a file that is not named is read from its first event to its last.
    """

    qmgr: str
    queue: str
    selector: str
    body: bool
    journal: bool
    partitions: int
    lock: bytes
    damage: Damage
    after: dict[str, int]
    until: dict[str, int]

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """Parse the options as Spark passes them. Raises ValueError that names the option."""
        return cls(
            qmgr=given.get("qmgr", ""),
            queue=given.get("queue", ""),
            selector=given.get("selector", ""),
            body=_is_yes("body", given.get("body", "true")),
            journal=_is_yes("journal", given.get("journal", "false")),
            partitions=number_of("numpartitions", given.get("numpartitions", "0"), "partitions"),
            lock=bytes.fromhex(given.get("lock", "")),
            damage=damage_of(given),
            after=json.loads(given.get("after", "{}")),
            until=json.loads(given.get("until", "{}")),
        )

    @property
    def is_snapshot(self) -> bool:
        """Return whether each file is read as it is at one instant."""
        return not self.journal and self.partitions <= 1

    @property
    def table(self) -> str:
        """Return the table that is read."""
        return scan.JOURNAL if self.journal else scan.MESSAGES


def check_names(given: Iterable[str], known: Sequence[str]) -> None:
    """Check that all options exist. Raises ValueError that names the others."""
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(f"unknown option: {', '.join(unknown)}; the options are {', '.join(known)}")


def _is_yes(name: str, text: str) -> bool:
    word = text.strip().lower()
    if word not in (*_YES, *_NO):
        raise ValueError(f"option {name}: {text!r} is neither true nor false")
    return word in _YES


def number_of(name: str, text: str, unit: str, least: int = 0) -> int:
    """Parse an option that is a number. Raises ValueError that names it, also below the least."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise ValueError(f"option {name}: {text!r} is not a number of {unit}")
    return number


def words(text: str) -> list[str]:
    """Split a list at its commas."""
    return [word.strip() for word in text.split(",") if word.strip()]
