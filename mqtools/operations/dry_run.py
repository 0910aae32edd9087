"""Dry runs: verbs run against an in-memory copy of a queue manager, so that nothing is changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from mqtools.mqi.connection import Connection
from mqtools.mqi.transaction import Work
from mqtools.store.liveness import Presence
from mqtools.store.snapshots.in_memory import Stage


class DryRunConnection(Connection):
    """A connection to an in-memory copy of a queue manager: its queues with their depths, and the fetched messages.

    The effects of a verb are visible to the verbs after it, as they would be in the queue manager.

    source: the read-only connection that the copy is made from; it is closed with this one.

    Not simulated: waits of other programs, puts repeated under a confirm id, and the command server, which leaves
    commands on its queue.
    """

    def __init__(self, source: Connection) -> None:
        self.source = source
        self._stage = Stage(source.db)
        super().__init__(self._stage, appl_name=source.appl_name, user_identifier=source.user_identifier)

    def fetch(self, seqs: Iterable[int]) -> None:
        """Copy these messages, by key, in place of those fetched before; messages that no longer exist are left out."""
        self._stage.fetch(seqs)

    def fetch_held(self, confirm_id: int | None, lock_id: bytes | None) -> None:
        """Copy the messages held under a confirm id or a lock id, in place of those fetched before."""
        self._stage.fetch_held(confirm_id, lock_id)

    def fetch_trashed(self, numbers: Sequence[int]) -> None:
        """Copy these messages of the trash, and the edited versions of them, in place of those fetched before."""
        self._stage.fetch_trashed(numbers)

    def forget(self) -> None:
        """Remove the messages that were put since the last fetch."""
        self._stage.forget()

    def work(self, call: tuple[str, str, int] | None = None) -> Work:
        """Begin the transaction of a verb."""
        super().work()
        return _DryRunWork(self, call)

    def disconnect(self) -> None:
        super().disconnect()
        self.source.disconnect()

    def register(self, work: Work) -> int:
        """Record the connection as a holder, without a lock or pipes."""
        self.presence = self.presence or _NoPresence()
        return super().register(work)


class _DryRunWork(Work):
    """A transaction that removes messages outside units of work when it ends."""

    __slots__ = ()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *others: object) -> None:
        super().__exit__(kind, error, *others)
        connection = self.connection
        assert isinstance(connection, DryRunConnection)
        if kind is None and self._outer is None and not connection.in_unit_of_work:
            connection.forget()

    def command_came(self, *, held: bool) -> None:
        """Leave the command on the queue."""


class _NoPresence(Presence):
    """Replacement for the liveness token: the copy ends with this process, so no process has to detect its death."""

    def __init__(self) -> None:
        self.token = os.urandom(8)
        self.life = None

    def close(self) -> None:
        """Do nothing: no file is open."""
