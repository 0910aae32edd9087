"""Compaction of a queue manager's file: unused space is returned to the disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from mqtools.configuration import protection
from mqtools.mqi.authority import check_manager
from mqtools.store.maintenance import space
from mqtools.store.maintenance.space import Space
from mqtools.store.open_database import open_database

#: Least unused space that makes compaction worthwhile: bytes, and one nth of the total.
WORTH_BYTES, WORTH_PART = 16 << 20, 4


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """Result of a compaction. before, after: bytes of file and log; is_held: a reader prevents further shrinking."""

    before: int
    after: int
    is_held: bool


def compact(path: str, tick: Callable[[], None]) -> CompactionResult:
    """Compact the file of a queue manager, running or ended; writers wait meanwhile.

    tick: called regularly; an exception from it ends the compaction and leaves the file unchanged.
    Raises StorageError: MQRC_STORAGE_MEDIUM_FULL if there is too little disk space, MQRC_RESOURCE_PROBLEM if a
    program other than mqx locks the file, MQRC_NOT_AUTHORIZED if it cannot be written.
    """
    protection.check_change(path)
    with closing(open_database(path)) as database:
        check_manager(database, "CHG")
        before = space.on_disk(database)
        is_done = space.compact(database, tick)
        return CompactionResult(before, space.on_disk(database), not is_done)


def measure_space(path: str) -> Space:
    """Return the used and unused space of a file, without a change."""
    with closing(open_database(path, read_only=True)) as database:
        check_manager(database, "DSP")
        return space.space(database)


def is_worth_it(found: Space) -> bool:
    """Return whether enough space is unused to make compaction worthwhile."""
    to_give = found.free + found.log
    return to_give >= WORTH_BYTES and to_give * WORTH_PART >= found.file + found.log
