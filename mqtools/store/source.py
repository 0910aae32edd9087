"""Type of what a queue manager is read through; for type checkers only."""

from __future__ import annotations

from typing import Protocol

from mqtools.store.database import Database


class Source(Protocol):
    """Object that is read as a queue manager: a connection, a transaction, a view, or the database itself."""

    @property
    def db(self) -> Database:
        """Return the database of the queue manager."""
