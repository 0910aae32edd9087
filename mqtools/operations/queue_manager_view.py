"""Read-only view of a queue manager in any state, without a connection to it."""

from __future__ import annotations

from mqtools.configuration.locate import find
from mqtools.constants.states import RUNNING
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.open_database import open_database
from mqtools.store.queues import Queue as Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Self


class QueueManagerView:
    """An open file of a queue manager that can only be read.

    ccsid: of the queue manager.  is_running: as its file says.
    """

    def __init__(self, path: str, db: Database | None = None) -> None:
        """db: the file, if it is open; it is closed with the view."""
        self.db: Database = open_database(path, read_only=True) if db is None else db
        q_mgr = queues.qmgr(self.db)
        self.name = q_mgr.name
        self.ccsid = q_mgr.coded_char_set_id
        self.is_running = q_mgr.state == RUNNING

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.db.close()

    @property
    def path(self) -> str:
        return self.db.path

    def reading(self) -> AbstractContextManager[object]:
        """Return a block in which all reads see one state of the queue manager."""
        return self.db.reading()

    def queue_names(self) -> list[str]:
        return list(queues.names(self.db))

    def queue(self, name: str) -> Queue | None:
        """Return the definition of a queue, None for an unknown one."""
        return queues.by_name(self.db, name)

    def channel_names(self) -> list[str]:
        from mqtools.store import channels

        return list(channels.names(self.db))


def open_view(q_mgr_name: str | None) -> QueueManagerView:
    """Open a queue manager by its name or path, the default one for None. Raise MQError for an unknown one."""
    return QueueManagerView(find(q_mgr_name))
