"""Statistics of a channel: STATCHL, as it was when the session began."""

from __future__ import annotations

from typing import Any

from mqtools.channel.session import ChannelSession
from mqtools.constants.objects import MQMON_OFF, MQMON_Q_MGR
from mqtools.mqi.statistics.intervals import add_channel_statistics
from mqtools.mqi.statistics.tallies import Tally, add_tally, of_persistence
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.channel import effective_monitoring
from mqtools.store import queues


class BatchCounts:
    """Counts of the current batch of a session. They are stored in the transaction that commits the batch."""

    def __init__(self, session: ChannelSession, definition: dict[str, Any]) -> None:
        of_q_mgr: Any = queues.read_qmgr(session.connection.db).get("statistics_channel", MQMON_OFF)
        own = definition.get("channel_statistics", MQMON_Q_MGR)
        self._is_on = effective_monitoring(own, of_q_mgr) > MQMON_OFF
        self._session, self._definition = session, definition
        self._counts: Tally = {}

    def note_message(self, persistence: int, length: int) -> None:
        """Count a message of the batch. length: of its data, in bytes."""
        if self._is_on:
            sizes = {"msg_count": of_persistence(persistence, 1), "total_bytes": of_persistence(persistence, length)}
            add_tally(self._counts, sizes)

    def note_retry(self) -> None:
        """Count another attempt to put a message."""
        if self._is_on:
            add_tally(self._counts, {"put_retry_count": [1]})

    def store(self, work: Work, *, is_full: bool) -> None:
        """Store the counts of a batch. is_full: it had as many messages as it may have."""
        if not self._is_on:
            return
        add_tally(self._counts, {"full_batches" if is_full else "incomplete_batches": [1]})
        values = {
            "channel_name": self._session.name,
            "channel_type": self._definition["channel_type"],
            "remote_q_mgr_name": self._session.peer,
            "connection_name": self._session.place or self._definition.get("connection_name", ""),
        }
        interval: Any = queues.read_qmgr(work.db).get("statistics_interval", 0)
        add_channel_statistics(work, interval, self._session.name, values, self._counts)
        self._counts = {}
