"""Read-only connections, and release of dead holders for programs that only read."""

from __future__ import annotations

from mqtools.configuration.locate import find
from mqtools.errors import MQError
from mqtools.mqi.identity import now_ms, user_identifier
from mqtools.store import holders
from mqtools.store.open_database import open_database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.connection import Connection

#: Seconds that a program that only reads waits for its turn to release what dead holders have.
_PATIENCE_S = 0.5


def connect_read_only(q_mgr_name: str | None, appl_name: str) -> Connection:
    """Return a read-only connection to a queue manager in any state.

    Dead holders and expired leases are released before, as by any program that connects.
    Raise MQError: unknown queue manager, or a file that cannot be read.
    """
    from mqtools.mqi.connection import Connection

    db = open_database(find(q_mgr_name), read_only=True)
    if holders.connections(db) or holders.leases_ended(db, now_ms()):
        release_dead_processes(q_mgr_name, appl_name)
    return Connection(db, appl_name=appl_name, user_identifier=user_identifier())


def release_dead_processes(q_mgr_name: str | None, appl_name: str) -> bool:
    """Release dead holders, if the queue manager is running and can be written now; return whether there were any."""
    from mqtools.mqi import connection, recovery

    try:
        with (
            connection.connect(q_mgr_name, appl_name=appl_name, is_upkeep=True, lock_timeout=_PATIENCE_S) as upkeep,
            upkeep.work() as work,
        ):
            return recovery.recover(work)
    except MQError:
        return False  # an ended or read-only queue manager is shown as it is
