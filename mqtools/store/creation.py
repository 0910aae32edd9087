"""Time at which a queue manager was created."""

from __future__ import annotations

from mqtools.errors import StorageError
from mqtools.store import queues
from mqtools.store.database import open_database


def created_at(path: str) -> str:
    """Return date and time of creation, which sort as text; empty for a file that cannot be read."""
    try:
        database = open_database(path, read_only=True)
    except StorageError:
        return ""
    try:
        values = queues.read_qmgr(database)
    except (StorageError, IndexError, ValueError):
        return ""
    finally:
        database.close()
    return f"{values.get('creation_date') or ''} {values.get('creation_time') or ''}"
