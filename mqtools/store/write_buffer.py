"""Write-behind buffer: what calls of a unit of work have put and got in a transaction that is kept open.

Nobody else sees such a transaction (``kept_turn``) before it is committed, so its rows are written late: before the
next statement that could meet them, and before the commit. A unit of work that is committed while its changes are
still here is written as it ends: its puts available, its gets gone, each row once. The puts of one call are buffered
too, to be written together.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol, TypeAlias

    from mqtools.store.types import Row

    #: Queue id, persistence, and the parameters of a statement that changes one message.
    Change: TypeAlias = tuple[int, int, Row]

    class Database(Protocol):
        """Database as the write buffer sees it."""

        def change_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
            """Run a statement that changes messages by themselves, once for each row of parameters."""


#: How many changes are buffered at most.
CAPACITY = 512


class WriteBuffer:
    """Changes by the statement that makes them; each is about another message.

    foremost: key of the message that a search from the beginning of its queue found last.
    """

    __slots__ = ("_behind", "_changes", "_number", "_of_call", "_was_behind", "foremost")

    def __init__(self) -> None:
        self._changes: dict[str, list[Change]] = {}
        self._number = 0
        self._of_call: list[str] = []
        self._behind: dict[int, int] = {}
        self._was_behind: dict[int, int] = {}
        self.foremost = -1

    def begin_call(self) -> None:
        """Begin a call, which can be undone."""
        self._of_call.clear()
        self._was_behind = self._behind

    def undo_call(self) -> None:
        """Forget what the call has buffered."""
        for statement in self._of_call:
            self._changes[statement].pop()
        self._number -= len(self._of_call)
        self._of_call.clear()
        self._behind = self._was_behind

    def add(self, statement: str, change: Change) -> bool:
        """Buffer a change; return False where there is no room."""
        if self._number >= CAPACITY:
            return False
        self._number += 1
        self._changes.setdefault(statement, []).append(change)
        self._of_call.append(statement)
        return True

    def note_taken(self, queue_id: int, order_key: int) -> None:
        """Note that the foremost message of a queue is being got: the next one is behind it."""
        self._behind = {**self._behind, queue_id: order_key}

    def begin_behind(self, queue_id: int) -> int:
        """Return the order key behind which a search from the beginning of a queue finds what is not got yet."""
        return self._behind.get(queue_id, -1)

    def take(self) -> dict[str, list[Change]]:
        """Return all changes, by statement; the buffer is empty then."""
        changes, self._changes, self._number = self._changes, {}, 0
        self._of_call.clear()
        self._behind = self._was_behind = {}
        return changes

    def write_earlier(self, database: Database) -> None:
        """Write what the calls before this one have buffered."""
        own = [(statement, self._changes[statement].pop()) for statement in reversed(self._of_call)]
        self.write(database)
        for statement, change in reversed(own):
            self.add(statement, change)

    def write(self, database: Database) -> None:
        """Write all changes."""
        for statement, rows in self.take().items():
            database.change_many(statement, [row for _, _, row in rows])
