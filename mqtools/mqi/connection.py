"""MQCONN and MQOPEN: connect to a queue manager, open its queues."""

from __future__ import annotations

from mqtools.configuration import locate, protection
from mqtools.constants.options import MQCNO_ACCOUNTING_MQI_ENABLED, MQCNO_ACCOUNTING_Q_ENABLED
from mqtools.constants.reasons import MQRC_Q_MGR_NOT_AVAILABLE, MQRC_Q_MGR_QUIESCING
from mqtools.errors import MQError, StorageError
from mqtools.mqi import identity
from mqtools.mqi.base_connection import BaseConnection
from mqtools.rules.object_names import is_path
from mqtools.store import queues
from mqtools.store.open_database import open_database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.handle import Handle
    from mqtools.mqi.xa import Xid

#: Options with which a program has its calls accounted for, where ACCTCONO allows it.
_ACCOUNTING = MQCNO_ACCOUNTING_MQI_ENABLED | MQCNO_ACCOUNTING_Q_ENABLED


class Connection(BaseConnection):
    """A connection to a queue manager. Used by one thread at a time.

    As a context manager it disconnects, which commits the unit of work (BEY-54); an exception backs out.
    """

    def open(
        self, q_name: str, options: int, *, q_mgr_name: str = "", dynamic_q_name: str = "AMQ.*", selector: str = ""
    ) -> Handle:
        """MQOPEN: open a queue and return its handle.

        options: MQOO_*.  dynamic_q_name: for a model queue; a trailing ``*`` is filled up.
        selector: SQL-92 selection string that all gets through the handle obey.
        Raises MQError with the reason MQOPEN gives.
        """
        from mqtools.mqi.handle import open_handle

        handle = open_handle(self, q_name, options, q_mgr_name, dynamic_q_name, selector)
        self.handles.append(handle)
        return handle

    def prepare(self, xid: Xid) -> bool:
        """Prepare the unit of work for a two-phase commit: see ``xa.prepare_unit``."""
        from mqtools.mqi.xa import prepare_unit

        return prepare_unit(self, xid)

    @property
    def file(self) -> Connection:
        """Return the connection, for what only a file offers (``interface.QueueManagerConnection``)."""
        return self

    @property
    def q_mgr_id(self) -> str:
        """Return QMID."""
        with self.db.reading():
            return str(queues.read_qmgr(self.db)["q_mgr_identifier"])

    def announce(self) -> None:
        """Record the connection at once, so that DISPLAY CONN shows it though it has nothing open.

        Where the file cannot be written, the first call that needs the record makes it.
        """
        try:
            with self.work() as work:
                self.register(work)
        except StorageError:
            return


def connect(
    name: str | None = None,
    *,
    appl_name: str | None = None,
    user_identifier: str | None = None,
    kind: type[Connection] = Connection,
    is_upkeep: bool = False,
    lock_timeout: float | None = None,
    options: int = 0,
) -> Connection:
    """MQCONN: connect to a queue manager.

    name: a name, a path, or None for the default (see ``mqtools.configuration.locate``).
    kind: the class of the connection.  is_upkeep: for a protected queue manager too, since it changes no message.
    lock_timeout: seconds that a call waits while another program writes, before it raises LockTimeout; None for the
    configured limit, 30 s unless told otherwise.  options: MQCNO_*; those of accounting have effect.
    Raises MQError: MQRC_Q_MGR_NAME_ERROR when it does not exist, MQRC_Q_MGR_NOT_AVAILABLE when it has
    ended, MQRC_Q_MGR_QUIESCING while it is ending, MQRC_OBJECT_DAMAGED when the file cannot be used,
    MQRC_NOT_AUTHORIZED when it must not be changed (see ``mqtools.configuration.protection``).
    """
    path = locate.find(name)
    if not is_upkeep:
        protection.check_change(path)
    database = open_database(path)
    database.lock_timeout_s = lock_timeout
    attributes = queues.qmgr(database)
    if attributes.state != "running":
        from mqtools.mqi import recovery

        state = recovery.current_state(database)
        database.close()
        if state == "quiescing":
            raise MQError(
                f"queue manager {attributes.name} is quiescing", MQRC_Q_MGR_QUIESCING, q_mgr_name=attributes.name
            )
        raise MQError(
            f"queue manager {attributes.name} has ended",
            MQRC_Q_MGR_NOT_AVAILABLE,
            hint=f"mqx qmgr start {attributes.name if name is None or not is_path(name) else name}",
            q_mgr_name=attributes.name,
        )
    is_counted = attributes.collects or options & _ACCOUNTING
    if is_counted:
        from mqtools.mqi import counted_calls

        kind = counted_calls.counted_kind(kind)
    connection = kind(
        database,
        appl_name=appl_name or identity.appl_name(),
        user_identifier=user_identifier or identity.user_identifier(),
    )
    connection.connect_options = options
    if is_counted:
        counted_calls.count_calls(connection, options)
    return connection
