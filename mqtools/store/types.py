"""Types of the store, for type checkers: no module of it is imported when the program runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, Self, TypeAlias

from mqtools.store.descriptors import SharedFile
from mqtools.store.log.writer_lock import WriterLock

Row: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = Sequence[object] | dict[str, object]
#: Device and inode number.
File: TypeAlias = tuple[int, int]


class OpenFile(Protocol):
    """A database as the modules of its file and its log see it; ``Database`` describes the attributes."""

    engine: str
    path: str
    real_path: str
    run_folder: str
    read_only: bool
    file: SharedFile | None
    is_ours: bool
    finishes_log: bool
    runs_in: int
    writer_lock: WriterLock | None
    log_descriptor: int
    is_room_low: bool
    next_look: float

    #: The connection of the engine.
    sql: Any

    @property
    def blocks(self) -> int:
        """Return how many blocks of queries or changes have begun and not ended."""

    def one(self, statement: str, parameters: Parameters = ()) -> Row | None:
        """Run a query and return its first row, or None."""

    def number(self, statement: str, parameters: Parameters = ()) -> int:
        """See ``Database.number``."""

    def run(self, statement: str, parameters: Parameters = ()) -> int:
        """Run a statement and return the number of rows it changed."""

    def reading(self) -> AbstractContextManager[object]:
        """Return a block in which all queries see one state of the file."""

    def writing(self) -> AbstractContextManager[object]:
        """Return a transaction that writes."""

    def begin_writing(self) -> None:
        """Begin a transaction that writes, or a part of the one that is open."""

    def end_block(self, *, keep: bool, writing: bool) -> None:
        """End a block of queries or changes."""

    def open_reader(self) -> Self:
        """Open the file once more, only to be read."""

    def close(self) -> None:
        """Close the file."""
