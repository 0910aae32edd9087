"""Rehearsals: verbs that answer as they would, and change nothing: they are done to a queue manager in memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mqtools.mqi.connection import Connection
from mqtools.mqi.transaction import Work
from mqtools.store.in_memory import Stage
from mqtools.store.liveness import Presence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Rehearsal(Connection):
    """A connection to what a queue manager is now, in memory: queues with their depths, and no messages but those
    that were fetched. What verbs do counts for those after them, as it would.

    looking: the connection that it was made from, which only reads; it is closed with this one.

    Not there are waits of others, what is put under confirm ids, and the command server: a command is taken, and not
    carried out.
    """

    def __init__(self, looking: Connection) -> None:
        self.looking = looking
        self._stage = Stage(looking.db)
        super().__init__(self._stage, appl_name=looking.appl_name, user_identifier=looking.user_identifier)

    def fetch(self, seqs: Iterable[int]) -> None:
        """Have just these messages there, by their keys; those that are gone are not."""
        self._stage.fetch(seqs)

    def fetch_trashed(self, numbers: Sequence[int]) -> None:
        """Have just these messages of the trash there, and what edits have made of them."""
        self._stage.fetch_trashed(numbers)

    def forget(self) -> None:
        """Forget the messages that have come since."""
        self._stage.forget()

    def work(self, about: int = 0) -> Work:
        """Begin a transaction of a verb, as any connection does."""
        super().work(about)
        return _RehearsedWork(self, about)

    def disconnect(self) -> None:
        """Disconnect, and close the file."""
        super().disconnect()
        self.looking.disconnect()

    def _new_presence(self) -> Presence:
        return _Absence()


class _RehearsedWork(Work):
    """A transaction, after which messages are forgotten that belong to no unit of work."""

    __slots__ = ()

    def __init__(self, rehearsal: Rehearsal, about: int) -> None:
        super().__init__(rehearsal, about)

    def __exit__(self, kind: type[BaseException] | None, *others: object) -> None:
        super().__exit__(kind, *others)
        rehearsal = self.connection
        assert isinstance(rehearsal, Rehearsal)
        if kind is None and self._outer is None and not rehearsal.in_unit_of_work:
            rehearsal.forget()

    def command_came(self, *, held: bool) -> None:
        """Leave a command where it is."""


class _Absence(Presence):
    """In the place of the proof of life: what dies with this process is in its memory."""

    __slots__ = ()

    def __init__(self) -> None:
        self.token = os.urandom(8)

    def close(self) -> None:
        """There is nothing to close."""
