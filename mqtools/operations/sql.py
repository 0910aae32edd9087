"""Read-only SQL over the views of a queue manager."""

from __future__ import annotations

from typing import Any

from mqtools.mqi import authority
from mqtools.store.scans import views
from mqtools.store.scans.views import limit_memory as limit_memory
from mqtools.store.scans.views import query as query
from mqtools.store.schema.view_columns import VIEWS as VIEWS


def open_views(path: str) -> Any:
    """Open a queue manager's file for queries, which see all its queues; return a connection of sqlite3.

    Raises StorageError as ``open_database`` does; MQError: MQRC_NOT_AUTHORIZED.
    """
    return views.open_views(path, lambda database: authority.check_reader_of_all(database, "BROWSE", "INQ"))
