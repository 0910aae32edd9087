"""MQPUT1, MQCMIT, MQBACK and MQDISC: the verbs of a connection that need no open queue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqtools.constants.options import MQACTP_NEW, MQOO_OUTPUT, MQPMO_MD_FOR_OUTPUT_ONLY
from mqtools.constants.reasons import MQRC_ENVIRONMENT_ERROR
from mqtools.errors import LockTimeout, MQError, StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi.resolution import AliasOfTopic
from mqtools.mqi.transaction import ConnectionState, Work, backed_out_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from mqtools.mqi.message_handles.handle import MessageHandle
    from mqtools.mqi.put import PutResult


class BaseConnection(ConnectionState):
    """A connection without MQOPEN.

    A process that ends without a disconnect has died, whatever the profile and however it ended: its unit of work
    is backed out by whoever notices (BEY-56). The connection is written into the file only when it first holds
    something that others must see. In a forked child it counts as disconnected.

    handle_kind: class of its handles, None for ``Handle``.
    branch: token of the XA transaction branch that its unit of work is for, None for none.  suspended: those of the
    branches that it has suspended (``xa``).
    """

    handle_kind: type[Any] | None = None
    branch: bytes | None = None
    suspended: frozenset[bytes] = frozenset()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if self.has_ended:
            return
        if isinstance(error, MQError):
            error.find_hint()  # while the file it may look into is open
        lock = self.db.writer_lock
        if isinstance(error, LockTimeout) or (kind is not None and lock is not None and lock.has_pending_wait):
            self.abandon()  # it has waited to write until its time was over
            return
        if kind is not None and self.branch is None:
            self.skips_backout = ()  # the program has failed and handles nothing any more (SYNC-29, AMB-19)
            self.backout()
        self.disconnect()

    def put1(
        self,
        q_name: str,
        message: Message,
        options: int = 0,
        *,
        q_mgr_name: str = "",
        context: MQMD | None = None,
        action: int = MQACTP_NEW,
        original: MessageHandle | None = None,
        msg_handle: MessageHandle | None = None,
    ) -> PutResult:
        """MQPUT1: open, put and close in one call (BEY-92). The message's descriptor is completed.

        options: MQPMO_*.  context: descriptor whose context is passed on (MQPMO_PASS_*).
        action, original, msg_handle: as for ``Handle.put``.
        """
        from mqtools.mqi.put import find_target, put

        def put_one(made: Message) -> PutResult:
            with self.work((q_name, q_mgr_name, MQOO_OUTPUT)) as work:
                holder_id = self.unit_of_work(work, adds=1) if self._joins_unit(work, options) else None
                target = find_target(work, q_name, q_mgr_name, options)
                return put(work, target, made, options, holder_id=holder_id, context=context)

        if not is_derived(options, action, original, msg_handle):
            return put_one(message)
        from mqtools.mqi.put_action import put_derived

        return put_derived(put_one, message, options, action, original, msg_handle)

    def _joins_unit(self, work: Work, options: int) -> bool:
        """Check the options of a put without a handle; return whether it belongs to a unit of work."""
        if not options and work.qmgr.profile == "distributed":
            return False
        from mqtools.rules.options.put import check_put_options, uses_put_syncpoint

        check_put_options(options, MQOO_OUTPUT, put1=True)
        return uses_put_syncpoint(options, work.qmgr.profile)

    def put_each(
        self,
        q_name: str,
        messages: Iterable[Message],
        options: int = 0,
        *,
        q_mgr_name: str = "",
        dead_letter: bool = False,
        keep_backout_count: bool = False,
    ) -> tuple[list[PutResult], MQError | None]:
        """Put several messages on a queue in one transaction, up to the first that fails.

        dead_letter: what the queue refuses goes to the dead-letter queue instead, with a warning.
        keep_backout_count: what no MQPUT does, for messages that only change their place.
        Returns what was put, and the error that ended it or None. Options are those of ``put1``.
        """
        from mqtools.mqi.bulk_put import BulkPut
        from mqtools.mqi.put import deliver_whole, find_target, put

        results: list[PutResult] = []
        failure: MQError | None = None
        with self.work((q_name, q_mgr_name, MQOO_OUTPUT)) as work:
            bulk = BulkPut(
                work,
                lambda: find_target(work, q_name, q_mgr_name, options),
                None,
                deliver_whole,
                keeps_backout_count=keep_backout_count,
            )
            try:
                joins_unit = self._joins_unit(work, options)
                for message in messages:
                    if joins_unit:
                        bulk.holder_id = self.unit_of_work(work, adds=1)
                    try:
                        result = put(work, bulk.target, message, options, holder_id=bulk.holder_id, bulk=bulk)
                    except MQError as error:
                        if work.qmgr.events:
                            work.note_failure(error)
                        if not dead_letter or isinstance(error, (StorageError, AliasOfTopic)):
                            raise
                        from mqtools.mqi.dead_letters import put_dead_letter

                        bulk.resolve_again()
                        result = put_dead_letter(work, error, message, (q_name, q_mgr_name), options, bulk.holder_id)
                    results.append(result)
            except StorageError:
                raise
            except MQError as error:
                failure = error
            bulk.flush()
        return results, failure

    def commit(self) -> None:
        """MQCMIT: make what the unit of work has put and got final; without one, nothing happens.

        Raises MQError: MQRC_BACKED_OUT when the unit of work is broken; it has been backed out then, all of it.
        MQRC_ENVIRONMENT_ERROR in a transaction branch: its transaction manager commits it.
        StorageError: where ``in_unit_of_work`` is false then, all is final, and only its flush has failed.
        """
        if self.branch is not None:
            raise _branch_error()
        if self.in_unit_of_work and self.id is not None and not self.is_broken:
            from mqtools.mqi import units_of_work

            work = self.work()
            try:
                with work:
                    if not self.is_broken:
                        units_of_work.commit(work, self.id)
            except StorageError:
                if work.is_committed and not self.is_broken:
                    self.unit_ended(backed_out=False)
                raise
        if self.is_broken:
            self.skips_backout = ()  # it is not the program that backs out (SYNC-29)
            self.backout()
            raise backed_out_error("was")
        self.unit_ended(backed_out=False)

    def backout(self, *, counts: bool = True) -> None:
        """MQBACK: undo what the unit of work has put and got; without one, nothing happens.

        A get with MQGMO_MARK_SKIP_BACKOUT stays in effect, in a new unit of work (SYNC-18, SYNC-19).
        counts: increase BackoutCount, unless an operator has stopped the program.
        Raises MQError: MQRC_ENVIRONMENT_ERROR in a transaction branch.
        """
        if self.branch is not None:
            raise _branch_error()
        keeps = False
        if self.in_unit_of_work and self.id is not None:
            from mqtools.mqi import units_of_work

            with self.work() as work:
                keeps = units_of_work.backout(work, self.id, self.skips_backout, counts=counts)
        self.unit_ended(backed_out=True, keeps=keeps)

    def quarantine(self, seqs: Sequence[int]) -> None:
        """Quarantine damaged messages, in their own transaction."""
        from mqtools.mqi.damage import quarantine

        with self.work() as work:
            for seq in seqs:
                quarantine(work, seq)

    def batch(self) -> Batch:
        """Return a block whose calls share one transaction of the database. No get in it may wait.

        It holds the turn to write until its end: it is for many calls that follow each other at once.
        """
        return Batch(self)

    def unit_ended(self, *, backed_out: bool, keeps: bool = False) -> None:
        self.in_unit_of_work, self.unit_messages = keeps, len(self.skips_backout)
        self.is_broken = False
        self.skips_backout = ()
        for handle in self.handles:
            handle.unit_ended(backed_out=backed_out, keeps=keeps)

    def backout_last(self, *, counts: bool = True) -> None:
        """Back out the last message got in the unit of work, with the reports its get made, and only that.

        The rest can be committed, after an error of the file too: the call that met it has changed nothing.
        counts: as for ``backout``.
        """
        self.is_broken = False
        if self.in_unit_of_work and self.id is not None:
            from mqtools.mqi import units_of_work

            with self.work() as work:
                for seq in self.last_got:
                    units_of_work.undo_one(work, self.id, seq, counts=counts)
            self.unit_messages -= len(self.last_got)
            if self.skips_backout == self.last_got:
                self.skips_backout = ()
            self.last_got = ()

    def disconnect(self) -> None:
        """MQDISC: commit the unit of work, close all handles, close the file.

        Raises MQError: MQRC_BACKED_OUT when the unit of work was broken; the connection has ended all the same.
        """
        if self.has_ended:
            return
        try:
            self.leave()
        finally:
            self.db.close()

    def abandon(self) -> None:
        """End like a process that died: others back out what the connection holds. Does not wait for the write turn."""
        for handle in self.handles:
            if handle.signal is not None:
                handle.signal.drop()
        self._closed = True
        if self.presence is not None:
            self.presence.close()
        self.db.close()

    def leave(self) -> None:
        """Disconnect, which commits, and leave the file open: for a process that ends now and closes it then."""
        for handle in self.handles:
            if handle.signal is not None:
                handle.signal.drop()
        holder_id, lock = None if self._closed else self.id, self.db.writer_lock
        if holder_id is not None and not self.in_unit_of_work and lock is not None and lock.has_pending_wait:
            holder_id = None  # it does not wait again: others see that it has left
        try:
            if holder_id is not None:
                from mqtools.mqi import recovery, units_of_work

                with self.work() as work:
                    if self.in_unit_of_work and not self.is_broken and self.branch is None:
                        units_of_work.commit(work, holder_id)
                    recovery.release_connection(work, holder_id)
                    if work.qmgr.state == "quiescing":
                        recovery.end_when_deserted(work)
        finally:
            self._closed = True
            if self.presence is not None:
                self.presence.close()
        if self.is_broken:
            self.is_broken = False
            raise backed_out_error("was")


class Batch:
    """Calls in one transaction of the database: see ``BaseConnection.batch``."""

    def __init__(self, connection: BaseConnection) -> None:
        self._connection = connection
        self._work = connection.work()

    def __enter__(self) -> Self:
        self._work.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        try:
            self._work.__exit__(kind, error)
        finally:
            if not self._work.is_committed:
                self._connection.unit_ended(backed_out=True)


def _branch_error() -> MQError:
    """Return the error of MQCMIT and MQBACK in a transaction branch."""
    return MQError("the transaction manager ends the unit of work of a branch", MQRC_ENVIRONMENT_ERROR)


def is_derived(options: int, action: int, original: MessageHandle | None, new: MessageHandle | None) -> bool:
    """Return whether what an action makes of a message and message handles is put, and not the message as it is."""
    return action != MQACTP_NEW or original is not None or new is not None or options & MQPMO_MD_FOR_OUTPUT_ONLY != 0
