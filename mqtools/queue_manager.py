"""The front door of the library: a queue manager and its queues, with Python's own values.

``import mqtools`` offers what is here. Below it lies the whole MQI: ``QueueManager.connection`` is the connection that
MQCONN gives, and its verbs take and return everything that MQ's structures hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mqtools.admin import queue_managers
from mqtools.admin.depths import depth
from mqtools.admin.mqsc.report import MqscReport
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.options import (
    MQGMO_BROWSE_NEXT,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
    MQWI_UNLIMITED,
)
from mqtools.errors import NoMessageAvailable
from mqtools.message import Message, Property, PropertyValue
from mqtools.mqi import connection as mqi_connection
from mqtools.mqi.connection import Connection
from mqtools.mqi.handle import Handle
from mqtools.mqi.identity import now_ms
from mqtools.python_values import match_fields, message_of, property_of

if TYPE_CHECKING:
    from mqtools.mqi.async_get import TaskSleep


def connect(
    name: str | None = None,
    *,
    appl_name: str | None = None,
    user_identifier: str | None = None,
    lock_timeout: float | None = None,
) -> QueueManager:
    """Connect to a queue manager.

    name: a name in the home folder, a path, or None for the default, which ``mqx`` takes too.
    appl_name, user_identifier: written into the messages that are put; by default the program's and the user's.
    lock_timeout: seconds that a call waits while another program writes, before it raises LockTimeout and has changed
    nothing; None for ``lock_timeout`` of the configuration, 30 unless told otherwise.
    Raises MQError: MQRC_Q_MGR_NAME_ERROR when it does not exist, MQRC_Q_MGR_NOT_AVAILABLE when it has ended,
    MQRC_Q_MGR_QUIESCING while it is ending, MQRC_OBJECT_DAMAGED when the file cannot be used.
    """
    connection = mqi_connection.connect(
        name, appl_name=appl_name, user_identifier=user_identifier, lock_timeout=lock_timeout
    )
    connection.announce()
    return QueueManager(connection)


def create(name: str, *, dev: bool = False, profile: str = "distributed", ccsid: int = 1208) -> QueueManager:
    """Create a queue manager, start it and connect to it.

    name: a name for the home folder, or a path.  dev: define DEV.QUEUE.1 to .3 and a dead-letter queue.
    profile: ``distributed`` or ``zos``.  ccsid: of its own character fields.
    Raises MQError: MQRC_Q_MGR_NAME_ERROR, MQRC_OBJECT_ALREADY_EXISTS, MQRC_SOURCE_CCSID_ERROR.
    """
    return connect(queue_managers.create(name, developer=dev, profile=profile, ccsid=ccsid))


class QueueManager:
    """A connection to a queue manager. Used by one thread at a time.

    As a context manager it disconnects at the end of the block. Outside of ``transaction`` each put and get is final
    by itself.
    connection: the MQI below it.  in_transaction: whether puts and gets belong to a unit of work now.
    in_batch: whether they share one transaction of the database.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.in_transaction = self.in_batch = False
        self._queues: dict[tuple[str, str], Queue] = {}
        #: Waits of the tasks for messages; None until one waits.
        self.task_sleep: TaskSleep | None = None

    def __repr__(self) -> str:
        return f"<QueueManager {self.name}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_tasks()
        self.connection.__exit__(kind, error, trace)

    @property
    def name(self) -> str:
        """Name of the queue manager."""
        return self.connection.name

    def queue(self, name: str, q_mgr_name: str = "") -> Queue:
        """Return a queue by its name; it is opened by its first use.

        q_mgr_name: of another queue manager, for a queue that messages are put to and a channel carries.
        """
        key = name, q_mgr_name
        if key not in self._queues:
            self._queues[key] = Queue(self, name, q_mgr_name)
        return self._queues[key]

    def transaction(self, *, batch: bool = False) -> Transaction:
        """Return a context in which puts and gets are one unit of work: committed at its end, or backed out.

        An exception backs out: its puts are undone, and its gets are back on their queues. Transactions cannot be
        nested (RuntimeError).
        batch: all calls of the block share one transaction of the database, which is much faster for many messages.
        Other programs can read, but not put or get, until the block ends. A get cannot wait in it (RuntimeError).
        """
        return Transaction(self, batch=batch)

    def mqsc(self, text: str) -> MqscReport:
        """Run MQSC commands, such as ``DEFINE QLOCAL(ORDERS)``, and return the report of what each did."""
        return run_mqsc(self.connection, text)

    def close(self) -> None:
        """Disconnect. Raises MQError: MQRC_BACKED_OUT when a unit of work was broken by an error of the file."""
        self._end_tasks()
        self.connection.disconnect()

    def _end_tasks(self) -> None:
        if self.task_sleep is not None:
            self.task_sleep.end()


class Transaction:
    """A unit of work as a context: see ``QueueManager.transaction``."""

    def __init__(self, qmgr: QueueManager, *, batch: bool = False) -> None:
        self._qmgr = qmgr
        self._batch = batch
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if self._qmgr.in_transaction:
            raise RuntimeError("a transaction is open already: commit it first")
        if self._batch:
            self._open.enter_context(self._qmgr.connection.batch())
        self._qmgr.in_transaction, self._qmgr.in_batch = True, self._batch
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._qmgr.in_transaction = self._qmgr.in_batch = False
        with self._open:
            if kind is None:
                self._qmgr.connection.commit()
            else:
                self._qmgr.connection.backout()


class Queue:
    """A queue of a queue manager, by name. Get one by ``QueueManager.queue``."""

    def __init__(self, qmgr: QueueManager, name: str, q_mgr_name: str) -> None:
        self.qmgr = qmgr
        self.name = name
        self.q_mgr_name = q_mgr_name
        self._handles: dict[tuple[int, str], Handle] = {}
        self._idle: dict[str, list[Handle]] = {}

    def __repr__(self) -> str:
        return f"<Queue {self.name}@{self.q_mgr_name or self.qmgr.name}>"

    @property
    def depth(self) -> int:
        """Number of messages on the queue, MQ's CURDEPTH: uncommitted puts count, uncommitted gets do not."""
        return depth(self.qmgr.connection.db, self.name)

    def put(
        self,
        data: str | bytes | Message,
        *,
        properties: Mapping[str, PropertyValue | Property] | None = None,
        priority: int | None = None,
        persistent: bool | None = None,
        expiry: float | None = None,
        delay: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        reply_to: str | None = None,
    ) -> Message:
        """Put a message, and return it with the descriptor that the queue manager has completed.

        data: text becomes MQSTR in UTF-8, bytes have no format; of a Message the descriptor and properties count,
        and other arguments replace its own.
        priority, persistent: None for the queue's default.  expiry: seconds from now, None for unlimited.
        delay: delivery delay, seconds from now, not from the commit: no get finds the message before.
        reply_to: queue for replies and reports, ``Q`` or ``Q@QM``.
        Raises TypeError for other data, and MQError with the reason that MQPUT gives, such as MQRC_Q_FULL.
        """
        message = message_of(data)
        md = message.md
        for field, value in (("priority", priority), ("msg_id", msg_id), ("correl_id", correl_id)):
            if value is not None:
                setattr(md, field, value)
        if persistent is not None:
            md.persistence = int(persistent)
        if expiry is not None:
            md.expiry = max(1, round(expiry * 10))  # tenths of a second
        if delay is not None:
            message.deliver_at = now_ms() + round(delay * 1000)
        if reply_to is not None:
            md.reply_to_q, _, md.reply_to_q_mgr = reply_to.partition("@")
        message.properties.update({name: property_of(value) for name, value in (properties or {}).items()})
        self._open(MQOO_OUTPUT).put(message, self._put_options)
        return message

    def put_each(self, messages: Iterable[str | bytes | Message]) -> list[Message]:
        """Put several messages in one transaction of the database: all of them, or an error and none.

        The messages, what is returned, and the errors are as for ``put``.
        """
        made = [message_of(data) for data in messages]
        self._open(MQOO_OUTPUT).put_many(made, self._put_options)
        return made

    @property
    def _put_options(self) -> int:
        return MQPMO_SYNCPOINT if self.qmgr.in_transaction else MQPMO_NO_SYNCPOINT

    def get(
        self,
        *,
        wait: float | None = 0,
        where: str = "",
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
    ) -> Message:
        """Remove the first message that fits and return it.

        wait: seconds to wait for one, None for ever.  where: an SQL-92 selector on properties and
        ``Root.MQMD.Field``.  msg_id, correl_id, group_id: identifiers that it must have.
        Raises NoMessageAvailable when none comes in time, or MQError with the reason that MQGET gives.
        """
        with self._waiting(wait, msg_id, correl_id, group_id) as asked:
            return self._open(MQOO_INPUT_SHARED, where).get(**asked).message

    def get_each(
        self,
        number: int,
        *,
        wait: float | None = 0,
        where: str = "",
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
    ) -> list[Message]:
        """Remove up to a number of messages in one transaction of the database, and return them.

        wait: seconds to wait for the first, None for ever.  The other arguments are those of ``get``.
        Raises MQError for any failure but a missing message.
        """
        with self._waiting(wait, msg_id, correl_id, group_id) as asked:
            results, error = self._open(MQOO_INPUT_SHARED, where).get_each(number, **asked)
        if error is not None and not results and not isinstance(error, NoMessageAvailable):
            raise error
        return [result.message for result in results]

    async def aget(
        self,
        *,
        wait: float | None = 0,
        where: str = "",
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
    ) -> Message:
        """Remove the first message that fits and return it; while the task waits, others run and no thread is held.

        The arguments and errors are those of ``get``. Any number of tasks of one thread may wait on one connection.
        A task that is cancelled has got nothing. All tasks of a connection share its unit of work: one that has
        transactions of its own needs its own connection.
        """
        from mqtools.mqi.async_get import TaskSleep, get_in_task

        asked = self._asked(wait, msg_id, correl_id, group_id)
        sleep = self.qmgr.task_sleep = self.qmgr.task_sleep or TaskSleep(self.qmgr.connection)
        idle = self._idle.setdefault(where, [])
        handle = idle.pop() if idle else self._new_handle(MQOO_INPUT_SHARED, where)  # each wait has its own handle
        try:
            return (await get_in_task(handle, sleep=sleep, **asked)).message
        finally:
            if not handle.closed:
                idle.append(handle)

    @contextmanager
    def _waiting(self, wait: float | None, *ids: bytes | None) -> Iterator[dict[str, Any]]:
        """Yield the arguments of a get that may wait; then wake the tasks: what rang for them was heard here."""
        asked = self._asked(wait, *ids)
        try:
            yield asked
        finally:
            if asked["wait_ms"] and self.qmgr.task_sleep is not None:
                self.qmgr.task_sleep.wake_all()

    def _asked(self, wait: float | None, *ids: bytes | None) -> dict[str, Any]:
        """Return the arguments of a get. wait: in seconds.  ids: as for ``match_fields``."""
        if self.qmgr.in_batch and wait != 0:
            raise RuntimeError("a get cannot wait in a batch: no other program can put a message meanwhile")
        options = MQGMO_SYNCPOINT if self.qmgr.in_transaction else MQGMO_NO_SYNCPOINT
        wait_ms = MQWI_UNLIMITED if wait is None else round(wait * 1000)
        md, match_options = match_fields(*ids)
        options |= MQGMO_WAIT if wait_ms else 0
        return {"options": options, "md": md, "match_options": match_options, "wait_ms": wait_ms}

    def browse(self, *, where: str = "") -> Iterator[Message]:
        """Yield the messages from first to last without changing any; what others hold is skipped.

        where: as for ``get``.
        """
        handle = self._new_handle(MQOO_BROWSE, where)
        try:
            while True:
                try:
                    yield handle.get(MQGMO_BROWSE_NEXT).message
                except NoMessageAvailable:
                    return
        finally:
            if not (handle.closed or self.qmgr.connection.has_ended):
                handle.close()

    def _open(self, options: int, where: str = "") -> Handle:
        """Return a handle of this kind, opened by its first use."""
        handle = self._handles.get((options, where))
        if handle is None or handle.closed:
            handle = self._handles[options, where] = self._new_handle(options, where)
        return handle

    def _new_handle(self, options: int, where: str) -> Handle:
        return self.qmgr.connection.open(self.name, options, q_mgr_name=self.q_mgr_name, selector=where)
