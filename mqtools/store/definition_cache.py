"""Cache of the definitions that a connection has read: valid until the file counts a change of any of them."""

from __future__ import annotations

from mqtools.records import OptionRecord
from mqtools.store import Row

#: Attributes that enable the events of MQI calls, in the order of their bits in ``QueueManager.events``.
EVENT_SWITCHES = ("performance_event", "authority_event", "inhibit_event", "local_event", "remote_event")
PERFORMANCE_EVENTS = 1


class QueueManager(OptionRecord):
    """Attributes of the queue manager that the verbs obey. journals: whether any queue is journaled.

    collects: whether statistics, accounting or the time on a queue is collected anywhere.
    checks_everybody: whether the authorities of every user are checked, AUTHCHK(ALL), or those of channels only.
    events: bits of the events of MQI calls that are enabled.
    """

    name: str
    profile: str
    state: str
    starts: int
    coded_char_set_id: int
    dead_letter_q_name: str
    def_xmit_q_name: str
    max_msg_length: int
    max_uncommitted_msgs: int
    msg_mark_browse_interval: int
    journals: int
    checks_everybody: int
    events: int
    collects: int


class DefinitionCache:
    """Rows of queues by name and by id, and the queue manager's attributes, at one version of the definitions.

    version: of the table definitions when they were read, -1 for none.  authorities: by user, object type and name.
    counts_groups: the file is known to count the messages of groups (``group_counts``).
    """

    __slots__ = ("authorities", "by_id", "by_name", "counts_groups", "qmgr", "version")

    authorities: dict[tuple[str, int, str], frozenset[int]]

    by_id: dict[int, Row]
    by_name: dict[str, Row]
    qmgr: QueueManager | None

    def __init__(self, version: int = -1) -> None:
        self.version = version
        self.by_id, self.by_name, self.qmgr, self.authorities = {}, {}, None, {}
        self.counts_groups = False
