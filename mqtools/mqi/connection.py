"""MQCONN to MQDISC: a connection, its unit of work, and the handles it opens."""

from __future__ import annotations

import os

from mqtools.configuration import locate
from mqtools.constants.options import MQACTP_NEW, MQOO_OUTPUT
from mqtools.constants.reasons import (
    MQRC_BACKED_OUT,
    MQRC_HCONN_ERROR,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_Q_MGR_QUIESCING,
)
from mqtools.errors import MQError, StorageError
from mqtools.mqi import identity
from mqtools.mqi.put import PutResult, put, put_by_action
from mqtools.mqi.resolution import resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.store import queues
from mqtools.store.database import Database, open_database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from mqtools.message import MQMD, Message
    from mqtools.mqi.handle import Handle
    from mqtools.mqi.message_handles.handle import MessageHandle
    from mqtools.mqi.resolution import Target
    from mqtools.mqi.trash import Trash
    from mqtools.store.liveness import Presence


class Connection:
    """A connection to a queue manager. Used by one thread at a time.

    As a context manager it disconnects, which commits the unit of work (BEY-54); an exception backs out.
    A process that ends without a disconnect is one that died, whatever the profile and however it ended: its
    unit of work is backed out by whoever notices (BEY-56). It is written into the file only when it first
    holds something that others must see. A forked child has it not: there it is as if disconnected.

    is_broken: the unit of work met an error of the file and can only be backed out (BEY-96).
    last_got: keys of what the last get under syncpoint put into the unit of work, its reports included.
    skips_backout: the same of the get with MQGMO_MARK_SKIP_BACKOUT, of which there is one at most (SYNC-21).
    token: what its puts under a confirm id are told by from those of an earlier attempt.
    current_work: the transaction that is open.  trash: where what is deleted, cleared or discarded is kept for a
    while; None: nowhere.  has_commands: the unit of work has put something on the command queue.
    relays: what it puts now are messages of others (qmgr/remote_commands.py).
    """

    def __init__(self, database: Database, *, appl_name: str, user_identifier: str) -> None:
        self.db = database
        self.appl_name = appl_name
        self.user_identifier = user_identifier
        self.handles: list[Handle] = []
        self.presence: Presence | None = None
        self.id: int | None = None
        self.in_unit_of_work = False
        self.is_broken = False
        self.last_got: tuple[int, ...] = ()
        self.skips_backout: tuple[int, ...] = ()
        self.token = os.urandom(8)
        self.current_work: Work | None = None
        self.trash: Trash | None = None
        self.has_commands = False
        self.relays = False
        self._closed = False
        self._pid = os.getpid()
        attributes = queues.qmgr(database)
        self.name = attributes.name
        self.starts = attributes.starts
        self.profile = attributes.profile
        self.ccsid = attributes.coded_char_set_id

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if self.has_ended:
            return
        if isinstance(error, MQError):
            error.find_hint()  # while the file it may look into is open
        if kind is not None:
            self.skips_backout = ()  # the program has failed and handles nothing any more (SYNC-29, AMB-19)
            self.backout()
        self.disconnect()

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing left to disconnect here: it was done, or it is for the parent process to do."""
        return self._closed or self._pid != os.getpid()

    def work(self, about: int = 0) -> Work:
        """Begin a transaction of a verb. about: id of the queue that it is mostly about. Raises MQRC_HCONN_ERROR."""
        if self._closed or self._pid != os.getpid():
            which = "has been disconnected" if self._closed else "is that of the parent process"
            raise MQError(f"the connection {which}", MQRC_HCONN_ERROR)
        return Work(self, about)

    def register(self, work: Work) -> int:
        """Write the connection down as a holder, with its proof of life; give its id."""
        if self.id is None:
            from mqtools.store import holders

            work.registered = True
            self.presence = self._new_presence()
            self.id = holders.add(
                work.db,
                "connection",
                token=self.presence.token,
                user_identifier=self.user_identifier,
                appl_name=self.appl_name,
                pid=os.getpid(),
                created_at=work.now_ms,
            )
        return self.id

    def _new_presence(self) -> Presence:
        from mqtools.store.liveness import Presence

        return Presence(self.db.run_folder)

    def unregister(self) -> None:
        """Take back a registration whose transaction was undone."""
        if self.presence is not None:
            self.presence.close()
        self.presence = None
        self.id = None
        self.in_unit_of_work = False

    def unit_of_work(self, work: Work) -> int:
        """Give the holder id of the unit of work, beginning one if there is none.

        Raises MQError: MQRC_BACKED_OUT when the unit of work is broken.
        """
        self.check_unit_of_work()
        self.in_unit_of_work = True
        return self.register(work)

    def check_unit_of_work(self) -> None:
        """Refuse to go on with a broken unit of work. Raises MQError: MQRC_BACKED_OUT (BEY-96)."""
        if self.is_broken:
            raise _backed_out("has to be")

    def call_undone(self, in_unit_of_work: bool, skips_backout: tuple[int, ...], *, by_storage: bool) -> None:
        """Take back what a call that was undone has noted here of the unit of work.

        by_storage: an error of the file undid it. A unit of work that had begun before is broken then (BEY-96).
        """
        self.in_unit_of_work, self.skips_backout = in_unit_of_work, skips_backout
        self.is_broken = self.is_broken or (by_storage and in_unit_of_work)

    def open(
        self, q_name: str, options: int, *, q_mgr_name: str = "", dynamic_q_name: str = "AMQ.*", selector: str = ""
    ) -> Handle:
        """MQOPEN: open a queue and give its handle.

        options: MQOO_*.  dynamic_q_name: for a model queue; a trailing ``*`` is filled up.
        selector: SQL-92 selection string that all gets through the handle obey.
        Raises MQError with the reason MQOPEN gives.
        """
        from mqtools.mqi.handle import open_handle

        handle = open_handle(self, q_name, options, q_mgr_name, dynamic_q_name, selector)
        self.handles.append(handle)
        return handle

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

        def put_one(made: Message) -> PutResult:
            with self.work() as work:
                holder_id = self._check_put(work, made, options)
                target = resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name)
                return put(work, target, made, options, holder_id=holder_id, context=context)

        return put_by_action(put_one, message, options, action, original, msg_handle)

    def _check_put(self, work: Work, message: Message, options: int) -> int | None:
        """Check the options of a put without a handle; give the unit of work it belongs to."""
        if not options and work.qmgr.profile == "distributed":
            return None
        from mqtools.rules.options.put import check_put_options, uses_put_syncpoint

        check_put_options(options, MQOO_OUTPUT, put1=True, md_version=message.md.version)
        return self.unit_of_work(work) if uses_put_syncpoint(options, work.qmgr.profile) else None

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
        keep_backout_count: as for ``mqtools.mqi.put.put``.
        Gives what was put, and the error that ended it or None. Options are those of ``put1``.
        """
        results: list[PutResult] = []
        with self.work() as work:
            target: Target | None = None
            try:
                for message in messages:
                    holder_id = self._check_put(work, message, options)
                    try:
                        if target is None:
                            target = resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name)
                        results.append(
                            put(
                                work,
                                target,
                                message,
                                options,
                                holder_id=holder_id,
                                keep_backout_count=keep_backout_count,
                            )
                        )
                    except MQError as error:
                        if not dead_letter:
                            raise
                        from mqtools.mqi.dead_letters import put_dead_letter

                        results.append(put_dead_letter(work, error, message, q_name, q_mgr_name, options, holder_id))
                    if len(work.placed) != len(results):
                        target = None  # a report may have come to the same queue
            except StorageError:
                raise
            except MQError as error:
                return results, error
        return results, None

    def commit(self) -> None:
        """MQCMIT: make what the unit of work has put and got final; without one, nothing happens.

        Raises MQError: MQRC_BACKED_OUT when the unit of work is broken; it has been backed out then, all of it.
        """
        if self.is_broken:
            self.skips_backout = ()  # it is not the program that backs out (SYNC-29)
            self.backout()
            raise _backed_out("was")
        if self.in_unit_of_work and self.id is not None:
            from mqtools.mqi import units_of_work

            with self.work() as work:
                units_of_work.commit(work, self.id)
        self._unit_ended(backed_out=False)

    def backout(self) -> None:
        """MQBACK: undo what the unit of work has put and got; without one, nothing happens.

        What was got with MQGMO_MARK_SKIP_BACKOUT stays got, in a new unit of work (SYNC-18, SYNC-19).
        """
        keeps = False
        if self.in_unit_of_work and self.id is not None:
            from mqtools.mqi import units_of_work

            with self.work() as work:
                keeps = units_of_work.backout(work, self.id, self.skips_backout)
        self._unit_ended(backed_out=True, keeps=keeps)

    def _unit_ended(self, *, backed_out: bool, keeps: bool = False) -> None:
        self.in_unit_of_work = keeps
        self.is_broken = False
        self.skips_backout = ()
        for handle in self.handles:
            handle.unit_ended(backed_out=backed_out, keeps=keeps)

    def backout_last(self) -> None:
        """Back out the last message got in the unit of work, with the reports its get made, and only that.

        The rest can be committed, after an error of the file too: the call that met it has changed nothing.
        """
        self.is_broken = False
        if self.in_unit_of_work and self.id is not None:
            from mqtools.mqi import units_of_work

            with self.work() as work:
                for seq in self.last_got:
                    units_of_work.undo_one(work, self.id, seq)
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

    def leave(self) -> None:
        """Disconnect and leave the file open: for a process that ends now and closes it then."""
        for handle in self.handles:
            if handle.signal is not None:
                handle.signal.drop()
        try:
            if self.id is not None and not self._closed:
                self._remove_registration(self.id)
        finally:
            self._closed = True
            if self.presence is not None:
                self.presence.close()
        if self.is_broken:
            self.is_broken = False
            raise _backed_out("was")

    def _remove_registration(self, connection_id: int) -> None:
        from mqtools.mqi import recovery, units_of_work

        with self.work() as work:
            if self.in_unit_of_work and not self.is_broken:
                units_of_work.commit(work, connection_id)
            recovery.release_connection(work, connection_id)
            if work.qmgr.state == "quiescing":
                recovery.end_when_deserted(work)


def _backed_out(verb: str) -> MQError:
    return MQError(f"the unit of work met an error of the file and {verb} backed out", MQRC_BACKED_OUT)


def connect(
    name: str | None = None,
    *,
    appl_name: str | None = None,
    user_identifier: str | None = None,
    kind: type[Connection] = Connection,
) -> Connection:
    """MQCONN: connect to a queue manager.

    name: a name, a path, or None for the default (see ``mqtools.configuration.locate``).
    kind: the class of the connection.
    Raises MQError: MQRC_Q_MGR_NAME_ERROR when it does not exist, MQRC_Q_MGR_NOT_AVAILABLE when it has
    ended, MQRC_Q_MGR_QUIESCING while it is ending, MQRC_OBJECT_DAMAGED when the file cannot be used.
    """
    database = open_database(locate.find(name))
    attributes = queues.qmgr(database)
    if attributes.state != "running":
        from mqtools.admin.queue_managers import state_now

        state = state_now(database)
        database.close()
        if state == "quiescing":
            raise MQError(
                f"queue manager {attributes.name} is quiescing", MQRC_Q_MGR_QUIESCING, q_mgr_name=attributes.name
            )
        raise MQError(
            f"queue manager {attributes.name} has ended",
            MQRC_Q_MGR_NOT_AVAILABLE,
            hint=f"mqx qmgr start {attributes.name if name is None or not locate.is_path(name) else name}",
            q_mgr_name=attributes.name,
        )
    return kind(
        database,
        appl_name=appl_name or identity.appl_name(),
        user_identifier=user_identifier or identity.user_identifier(),
    )
