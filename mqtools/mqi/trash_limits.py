"""How much a connection keeps in the trash of what it removes."""

from __future__ import annotations

from mqtools.configuration.settings import TRASH_MAX_AGE, TRASH_MAX_SIZE, value_of
from mqtools.records import Record
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.messages.trash import size_of


class Trash(Record):
    """Limits of the trash of a connection, and what it has kept and lost.

    max_age_s: seconds.  max_bytes: of all that is kept.  lost: how many messages were too big for it, or had to
    make room for others that were removed with them.  removals: queue and cause to the number of the removal.
    """

    __slots__ = ("max_age_s", "max_bytes", "lost", "removals")

    def __init__(self, max_age_s: float, max_bytes: int) -> None:
        self.max_age_s = max_age_s
        self.max_bytes = max_bytes
        self.lost = 0
        self.removals: dict[tuple[str, str], int] = {}

    def takes(self, stored: StoredMessage) -> bool:
        """Return whether the trash can hold a message, if need be by deleting all others."""
        return size_of(stored) <= self.max_bytes


def from_configuration() -> Trash | None:
    """Return the trash as configured; None where it keeps nothing. Raises ConfigError."""
    max_age_s, max_bytes = value_of(TRASH_MAX_AGE), value_of(TRASH_MAX_SIZE)
    return Trash(max_age_s, max_bytes) if max_age_s and max_bytes else None
