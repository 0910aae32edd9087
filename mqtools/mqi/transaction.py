"""Transactions: the connection state that they change, their time, and what follows the commit: flush and wake-ups."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence

from mqtools.constants.message import MQAT_UNIX
from mqtools.constants.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_CONNECTION_QUIESCING,
    MQRC_HCONN_ERROR,
    MQRC_NONE,
    MQRC_Q_MGR_QUIESCING,
    MQRC_SYNCPOINT_LIMIT_REACHED,
)
from mqtools.errors import MessageDamaged, MQError, StorageError
from mqtools.mqi.identity import now_ms
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.definition_cache import QueueManager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import ModuleType
    from typing import Self

    from mqtools.mqi.handle_protocols import CallCounters, OpenHandle
    from mqtools.mqi.overrides import Override
    from mqtools.mqi.trash_limits import Trash
    from mqtools.store.liveness import Presence
    from mqtools.store.queues import Queue

#: After how many events of the journal a connection looks whether old ones have to go; and while more have to.
EVICT_EVERY, EVICT_MORE = 256, 25


class ConnectionState:
    """State of a connection that its transactions read and change.

    is_broken: the unit of work met an error of the file and can only be backed out (BEY-96).
    last_got: keys of what the last get under syncpoint added to the unit of work, its reports included.
    skips_backout: the same of the get with MQGMO_MARK_SKIP_BACKOUT, one at most (SYNC-21).
    unit_messages: messages that the program has put and got in the unit of work, with segments and reports (MAXUMSGS).
    token: distinguishes its puts under a confirm id from those of an earlier attempt.
    current_work: the open transaction.  trash: keeps for a while what is deleted, cleared or discarded; None: no trash.
    has_commands: the unit of work has put a message on the command queue.
    relays: its puts are messages of others (``remote_commands``).
    events_noted: that it has written to the journal since it looked whether old ones have to go.  evict_after: how many
    until it looks again.  evict: looks; set by the journal.
    event_detail: words for the events that the journal writes, such as the rule that is applied; None: none.
    channel: of type SVRCONN, which the program has named to connect; empty for a local connection.  is_stopping: STOP
    CHANNEL has asked the program to disconnect.  check_stopping: reads it.
    version_seen: of the definitions, when its record was last known to exist. Ending it from outside counts a change.
    connect_options: MQCNO_*.  counters: what is counted of its calls; None: nothing is collected.
    checked_user: user of a channel, whose authorities are checked; None for the user of the process (``authority``).
    is_unchecked: it does what needs no authority of its user.
    """

    def __init__(self, database: Database, *, appl_name: str, user_identifier: str) -> None:
        self.db = database
        self.appl_name = appl_name
        self.user_identifier = user_identifier
        self.appl_type = MQAT_UNIX
        self.handles: list[OpenHandle] = []
        self.presence: Presence | None = None
        self.id: int | None = None
        self.in_unit_of_work = False
        self.is_broken = False
        self.last_got: tuple[int, ...] = ()
        self.skips_backout: tuple[int, ...] = ()
        self.unit_messages = 0
        self.token = os.urandom(8)
        self.current_work: Work | None = None
        self.trash: Trash | None = None
        self.has_commands = self.relays = self.is_unchecked = False
        self.event_detail: str | None = None
        self.events_noted = self.evict_after = EVICT_MORE - 1
        self.evict: Callable[[ConnectionState], None] | None = None
        self.checked_user: str | None = None
        self.channel = ""
        self.is_stopping = False
        self.check_stopping: Callable[[ConnectionState], bool] | None = None
        self.version_seen, self.connect_options = -1, 0
        self.counters: CallCounters | None = None
        self._closed = False
        self._pid = os.getpid()
        attributes = queues.qmgr(database)
        self.name = attributes.name
        self.starts = attributes.starts
        self.profile = attributes.profile
        self.ccsid = attributes.coded_char_set_id
        self.max_uncommitted_msgs = attributes.max_uncommitted_msgs

    @property
    def has_ended(self) -> bool:
        """Whether the connection has ended in this process: it was disconnected, or it is the parent process's."""
        return self._closed or self._pid != os.getpid()

    @property
    def path(self) -> str:
        """Path of the queue manager file, as it was opened."""
        return self.db.path

    @property
    def is_read_only(self) -> bool:
        """Whether the connection can only read."""
        return self.db.read_only

    def reading(self) -> AbstractContextManager[object]:
        """Return a block in which all reads see one state of the queue manager."""
        return self.db.reading()

    def set_commit_hook(self, hook: Callable[[], None] | None) -> None:
        """Have a function called when a transaction is about to be committed; what it raises undoes it. None: none."""
        self.db.before_commit = hook

    def work(self, call: tuple[str, str, int] | None = None) -> Work:
        """Begin a transaction of a verb. call: as for ``Work``. Raises MQRC_HCONN_ERROR."""
        if self._closed or self._pid != os.getpid():
            which = "has been disconnected" if self._closed else "belongs to the parent process"
            raise MQError(f"the connection {which}", MQRC_HCONN_ERROR)
        return Work(self, call)

    @abstractmethod
    def quarantine(self, seqs: Sequence[int]) -> None:
        """Quarantine damaged messages, in their own transaction."""

    def register(self, work: Work) -> int:
        """Record the connection as a holder, with its presence token; return its id."""
        if self.id is None:
            from mqtools.store import liveness

            work.registered = True
            if self.presence is None:
                self.presence = liveness.Presence(self.db)
            self.id = work.add_holder("connection", token=self.presence.token, options=self.connect_options)
            self.version_seen = self.db.known.version
        return self.id

    def unregister(self) -> None:
        """Undo a registration whose transaction was undone."""
        if self.presence is not None:
            self.presence.close()
        self.presence = None
        self.id = None
        self.in_unit_of_work = False

    def unit_of_work(self, work: Work, *, adds: int = 0) -> int:
        """Return the holder id of the unit of work; begin one if there is none.

        adds: messages of the program that are about to join it.
        Raises MQError: MQRC_BACKED_OUT when the unit of work is broken; MQRC_SYNCPOINT_LIMIT_REACHED when it would
        have more than MAXUMSGS messages.
        """
        if self.is_broken:
            raise backed_out_error("has to be")
        if not self.in_unit_of_work:
            self.unit_messages = 0
            if self.presence is not None and self.presence.life is not None:
                os.utime(self.presence.life)  # says since when there is one
        self.in_unit_of_work = True
        holder_id = self.register(work) if self.id is None else self.id
        if adds and self.unit_messages + adds > work.qmgr.max_uncommitted_msgs:
            raise MQError(
                f"the unit of work has {self.unit_messages} uncommitted messages, and queue manager {work.qmgr.name}"
                f" allows {work.qmgr.max_uncommitted_msgs} (MAXUMSGS)",
                MQRC_SYNCPOINT_LIMIT_REACHED,
                hint="commit or back out first",
            )
        self.unit_messages += adds
        return holder_id

    def check_unit_of_work(self) -> None:
        """Check that the unit of work is not broken. Raises MQError: MQRC_BACKED_OUT (BEY-96)."""
        if self.is_broken:
            raise backed_out_error("has to be")

    def undo_call(
        self, in_unit_of_work: bool, skips_backout: tuple[int, ...], unit_messages: int, *, by_storage: bool
    ) -> None:
        """Restore the state of the unit of work from before a call that was undone.

        by_storage: an error of the file undid it. A unit of work that had begun before is broken then (BEY-96).
        """
        self.in_unit_of_work, self.skips_backout, self.unit_messages = in_unit_of_work, skips_backout, unit_messages
        self.is_broken = self.is_broken or (by_storage and in_unit_of_work)


def backed_out_error(verb: str) -> MQError:
    """Return the error of a broken unit of work. verb: "was" or "has to be"."""
    return MQError(f"the unit of work {verb} backed out because of an error of the file", MQRC_BACKED_OUT)


class Work:
    """A transaction. At its end it is committed, flushed if a persistent message asks for it, and then the
    connections that wait on the queues where something became available are woken; an exception undoes it.

    has_commands: something has come to the command queue, which is served when the transaction is through.
    durable: a persistent message was put or removed for good, and must be on disk at the end.
    deliver_at: delivery time of the message that is being put (``Message.deliver_at``), None for at once.
    call: queue, queue manager and options (MQOO_*) of an MQI call, whose failure can be an event; None for other work.
    cause: what the journal is to say of it instead of put, get or delete, with a reason (MQRC_*) and words.
    is_committed: it is through, also where what had to follow the commit has failed.
    Inside another one of the same connection it is part of that: it can be undone alone, and what has to follow the
    commit is left to the other.  damaged: keys of messages that were found damaged, to quarantine after the end.
    counts: what the calls of a counted connection did in it, by queue.
    """

    __slots__ = (
        "_bells", "_outer", "_unit_before", "call", "cause", "connection", "counts", "damaged", "db", "deliver_at",
        "durable", "has_commands", "is_committed", "now_ms", "placed", "qmgr", "registered",
    )  # fmt: skip

    qmgr: QueueManager

    def __init__(self, connection: ConnectionState, call: tuple[str, str, int] | None = None) -> None:
        self.call = call
        self.connection = connection
        self.db: Database = connection.db
        self.cause: tuple[str, int, str | None] | None = None
        self.counts: dict[str, dict[str, list[int | None]]] | None = None
        self.deliver_at: int | None = None
        self.durable = False
        self.has_commands = False
        self.is_committed = False
        self.registered = False
        self.placed: list[int] = []
        self.damaged: list[int] = []
        self.now_ms = 0
        self._bells: set[bytes] = set()
        self._outer: Work | None = None
        self._unit_before = (connection.in_unit_of_work, connection.skips_backout, connection.unit_messages)

    def __enter__(self) -> Self:
        connection, db = self.connection, self.db
        db.begin_writing()
        try:
            self.now_ms = now_ms()
            self.qmgr = qmgr = queues.qmgr(db)
            if qmgr.state == "ended" or connection.starts != qmgr.starts:
                raise MQError(f"queue manager {qmgr.name} has ended", MQRC_CONNECTION_BROKEN, q_mgr_name=qmgr.name)
            if connection.id is not None and connection.version_seen != db.known.version:
                self._check_connected(connection.id)
        except BaseException:
            db.end_block(keep=False, writing=True)
            raise
        outer, connection.current_work = connection.current_work, self
        if outer is not None:
            self._outer = outer
            self.cause = outer.cause
        return self

    def _check_connected(self, connection_id: int) -> None:
        """Check that no operator has ended the connection. Raises MQError: MQRC_CONNECTION_BROKEN."""
        from mqtools.store import holders

        connection = self.connection
        if holders.by_id(self.db, connection_id) is None:
            raise MQError("an operator has ended the connection or its channel", MQRC_CONNECTION_BROKEN)
        if connection.check_stopping is not None:
            connection.is_stopping = connection.check_stopping(connection)
        connection.version_seen = self.db.known.version

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        counters = self.connection.counters if kind is None and self._outer is None else None
        failure = None if counters is None else counters.store(self)
        kind, error = (kind, error) if failure is None else (type(failure), failure)
        kept, by_storage = False, kind is not None and issubclass(kind, StorageError)
        self.connection.current_work = self._outer
        try:
            self.db.end_block(keep=kind is None, writing=True)
            kept = self.is_committed = kind is None
        except StorageError:
            by_storage = True
            raise
        finally:
            if not kept:
                self._undo(by_storage=by_storage)
        if isinstance(error, MessageDamaged):
            self.damaged.append(error.seq)
        if self._outer is not None:
            self._outer.damaged += self.damaged
        elif self.damaged:
            self.connection.quarantine(self.damaged)
        if kept and self._outer is not None:
            self._hand_over(self._outer)
        elif kept:
            try:
                if self.durable:
                    self.db.sync()
            finally:  # what is committed is available even if the flush fails
                if self._bells:
                    self._ring()
            if self.connection.events_noted > self.connection.evict_after and self.connection.evict is not None:
                self.connection.evict(self.connection)
            if self.has_commands:
                self._hooks.serve_commands(self.connection)
        elif self.call is not None and self.qmgr.events and isinstance(error, MQError):
            self.note_failure(error)
        if failure is not None:
            raise failure

    def note_failure(self, error: MQError) -> None:
        """Put the event of the failure of its MQI call, if that is enabled."""
        self._hooks.call_failed(self, error)

    def change_depth(self, queue: Queue, change: int) -> None:
        """Put the performance events of messages that are about to come to a queue, or to leave it (negative)."""
        self._hooks.raise_performance_events(self, queue, change)

    @property
    def _hooks(self) -> ModuleType:
        from mqtools.mqi import hooks

        return hooks

    def _undo(self, *, by_storage: bool) -> None:
        """Restore the connection's state from before the transaction. by_storage: an error of the file undid it."""
        connection = self.connection
        connection.version_seen = -1
        connection.undo_call(*self._unit_before, by_storage=by_storage)
        if connection.trash is not None:
            connection.trash.removals.clear()  # their numbers were undone with the rest
        if self.registered:
            connection.unregister()

    @property
    def checks_authority(self) -> bool:
        """Whether what it does needs authority of its user, unless that is the owner of the file."""
        has_checked_user = self.connection.checked_user is not None or self.qmgr.checks_everybody
        return bool(has_checked_user) and not self.connection.is_unchecked

    @property
    def is_outermost(self) -> bool:
        """Whether it is part of no other: its end releases the write lock."""
        return self._outer is None

    def _hand_over(self, outer: Work) -> None:
        """Pass on to the enclosing transaction what has to follow the commit."""
        outer.durable = outer.durable or self.durable
        outer.has_commands = outer.has_commands or self.has_commands
        outer.registered = outer.registered or self.registered
        outer._bells |= self._bells
        if self.counts is not None and self.connection.counters is not None:
            self.connection.counters.hand_over(self, outer)

    def _ring(self) -> None:
        from mqtools.store.liveness import ring

        for token in self._bells:
            ring(self.db.run_folder, token)

    def add_holder(self, kind: str, **values: object) -> int:
        """Add a holder of the connection's program and return its id. values: other columns, or other than its own."""
        from mqtools.store import holders

        who = self.connection
        own = {"user_identifier": who.user_identifier, "appl_name": who.appl_name, "created_at": self.now_ms}
        return holders.add(self.db, kind, {**own, **values})

    def command_came(self, *, held: bool) -> None:
        """Note that a message was put on the command queue. held: it is there once its unit of work is committed."""
        if held:
            self.connection.has_commands = True
        else:
            self.has_commands = True

    def fail_if_quiescing(self) -> None:
        """Raise MQRC_Q_MGR_QUIESCING while the queue manager is quiescing, MQRC_CONNECTION_QUIESCING for a channel."""
        if self.qmgr.state == "quiescing":
            words = f"queue manager {self.qmgr.name} is quiescing"
            raise MQError(words, MQRC_Q_MGR_QUIESCING, q_mgr_name=self.qmgr.name)
        if self.connection.is_stopping:
            raise MQError(f"channel {self.connection.channel} is stopping", MQRC_CONNECTION_QUIESCING)

    def wake(self, queue_id: int | None) -> None:
        """Wake the waiters of a queue, or all waiters, after the commit."""
        from mqtools.store import holders

        self._bells.update(holders.waiters(self.db, queue_id))

    def wake_each(self, tokens: Iterable[bytes]) -> None:
        """Wake connections after the commit, by their tokens."""
        self._bells.update(tokens)

    def caused_by(self, cause: str, reason: int = MQRC_NONE, detail: str | None = None) -> Override:
        """Return a context in which the journal records another cause of puts and gets: report, dead_letter, move.

        detail: words that go with it.
        """
        from mqtools.mqi.overrides import Override

        return Override(self, cause=(cause, reason, detail), deliver_at=None)
