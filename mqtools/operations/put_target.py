"""Check of a put's target before its input is read."""

from __future__ import annotations

from mqtools.mqi.connection import Connection
from mqtools.mqi.resolution import resolve_for_put
from mqtools.store.queues import qmgr


def check_put_target(connection: Connection, q_name: str, q_mgr_name: str = "") -> None:
    """Raise MQError when a put to a queue would fail to find it: MQRC_UNKNOWN_OBJECT_NAME and the like."""
    db = connection.db
    with db.reading():
        resolve_for_put(db, qmgr(db), q_name, q_mgr_name)
