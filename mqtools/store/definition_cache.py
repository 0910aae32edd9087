"""What a connection has read of the definitions: good as long as the file says that none of them has changed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.database import Row
    from mqtools.store.queues import QueueManager


class DefinitionCache:
    """Rows of queues by name and by id, and the queue manager's attributes.

    version: of the table definitions when they were read.  counters: of the queue last looked at, by the moment and the
    id of the queue: good at that moment only.
    """

    __slots__ = ("by_id", "by_name", "counters", "qmgr", "version")

    by_id: dict[int, Row]
    by_name: dict[str, Row]
    counters: tuple[int, int, Row]
    qmgr: QueueManager | None

    def __init__(self) -> None:
        self.forget()

    def forget(self, version: int = -1) -> None:
        """Know nothing any more, but what will be read at a version. -1: of none that there is."""
        self.version = version
        self.by_id, self.by_name, self.qmgr = {}, {}, None
        self.counters = (-1, 0, ())

    def is_of(self, version: int) -> bool:
        """Tell whether what is known is good at a version; else it is forgotten."""
        if version != self.version:
            self.forget(version)
            return False
        return True
