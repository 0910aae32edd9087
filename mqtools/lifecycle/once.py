"""Put messages once: in one unit of work with a key, which a queue keeps for a time."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.errors import MQError
from mqtools.lifecycle import ids
from mqtools.mqi.connection import Connection
from mqtools.mqi.put import find_target
from mqtools.store import descriptors, once_keys


class OnceKey:
    """A key for the messages of one unit of work.

    put_at: when messages were last put under it on this queue, in milliseconds since 1970; None if not within the
    window. Then put, and ``commit``. No other program puts under the key until ``release``.
    """

    def __init__(self, connection: Connection, q_name: str, key: str, window_s: float, *, q_mgr_name: str = "") -> None:
        """Wait for other programs that put under the key. Raises MQError as MQPUT1."""
        self._connection = connection
        self._key = key.encode("utf-8", "surrogateescape")
        self._window_ms = int(window_s * 1000)
        with connection.work() as work:
            self._queue_id = ids.home_queue(find_target(work, q_name, q_mgr_name, 0)).id
        db = connection.db
        self._lock = None if db.in_memory else once_keys.lock(db, self._queue_id, self._key)
        self.put_at = self._put_at()

    def _put_at(self) -> int | None:
        with self._connection.work() as work:
            return once_keys.put_at(work.db, self._queue_id, self._key, work.now_ms, self._window_ms)

    def commit(self) -> None:
        """Commit the unit of work with the key. Raises MQError as MQCMIT; MQRC_OBJECT_IN_USE if the key was used."""
        with self._connection.work() as work:
            if self._put_at() is not None:  # the folder of the lock was emptied
                raise MQError("another program has put under the key; nothing put", MQRC_OBJECT_IN_USE)
            once_keys.add(work.db, self._queue_id, self._key, work.now_ms, self._window_ms)
            work.durable = True
            self._connection.commit()

    def release(self) -> None:
        """Let other programs put under the key."""
        if self._lock is not None:
            descriptors.close(self._lock)
