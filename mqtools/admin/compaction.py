"""Making a queue manager's file smaller: what the messages that are gone have left in it goes back to the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.store import space
from mqtools.store.database import open_database

if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.store.space import Space

#: Bytes that are worth it to be given back: at least so many, and at least such a part of all.
WORTH_BYTES, WORTH_PART = 16 << 20, 4


@dataclass(frozen=True, slots=True)
class Compacted:
    """What came of it. before, after: bytes on the disk, of the file and its log; is_held: a reader keeps the rest."""

    before: int
    after: int
    is_held: bool


def compact(path: str, tick: Callable[[], None]) -> Compacted:
    """Make a file smaller, running or ended, while others go on: who writes waits until it is done.

    tick: called now and then; what it raises ends the work and leaves the file as it was.
    Raises StorageError: MQRC_STORAGE_MEDIUM_FULL when there is too little room for it, MQRC_RESOURCE_PROBLEM when
    another program than mqx holds the file, MQRC_NOT_AUTHORIZED when it cannot be written.
    """
    database = open_database(path)
    try:
        before = space.on_disk(database)
        is_done = space.compact(database, tick)
        after = space.on_disk(database)
    finally:
        database.close()
    return Compacted(before, after, not is_done)


def foresee(path: str) -> Space:
    """Measure what there is to be given back; nothing is changed."""
    database = open_database(path, read_only=True)
    try:
        return space.space(database)
    finally:
        database.close()


def is_worth_it(found: Space) -> bool:
    """Tell whether a file should be made smaller: much of it is needed for nothing."""
    to_give = found.free + found.log
    return to_give >= WORTH_BYTES and to_give * WORTH_PART >= found.file + found.log
