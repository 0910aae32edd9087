"""Ends of connections that others notice. Their accounting is kept until a transaction that counts writes it."""

from __future__ import annotations

from mqtools.store import objects
from mqtools.store.database import Database

#: Kinds under which the store keeps the accounting of a connection, of one that has ended, and statistics; those of the
#: queue manager have an empty name.
ACCOUNTING, ENDED_ACCOUNTING, STATISTICS = "accounting", "ended_accounting", "statistics"


def end_account(db: Database, connection_id: int, disconnect: int, at_ms: int) -> None:
    """Count the end of a connection, and end its accounting.

    disconnect: MQDISCONNECT_*.  at_ms: when it was noticed, milliseconds since 1970.
    """
    own = objects.definition(db, STATISTICS, "") or {}
    if "counts" in own:
        ends = own["counts"].setdefault("disc_count", [0, 0, 0])
        ends[disconnect] += 1
        objects.define(db, STATISTICS, "", own)
    found = objects.definition(db, ACCOUNTING, str(connection_id))
    if found is not None:
        objects.delete(db, ACCOUNTING, str(connection_id))
        end = {"found": found, "disconnect": disconnect, "at_ms": at_ms}
        objects.define(db, ENDED_ACCOUNTING, str(connection_id), end)
