"""Mirror: a temporary copy of a queue manager elsewhere, which a display reads like a file of ours.

All local queues are defined in it. The messages of a queue come when it is displayed; each refresh brings what has
changed since. The mirror changes nothing elsewhere: messages are browsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from mqtools.constants.objects import MQMDS_FIFO, MQMDS_PRIORITY
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_STORAGE_NOT_AVAILABLE
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.mqi.connection import Connection
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.mqi.objects.definitions import define_queue, delete_queue
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import Work
from mqtools.operations.browsed_queue import BrowsedQueue, as_stored
from mqtools.operations.remote_depths import Inquire, overview, renew_row
from mqtools.rules.message_forms import stored_form
from mqtools.rules.object_names import SYSTEM_PREFIX, is_valid_name
from mqtools.rules.system_queues import SYSTEM_QUEUES
from mqtools.store import queues
from mqtools.store.messages import insertion, messages
from mqtools.store.messages.stored_message import StoredMessage, order_key, seq_of

#: Limits of the messages of a queue, and of the data of all of them in bytes.
MOST, MOST_BYTES = 100_000, 1 << 28
#: Up to this number new messages are read one by one; more of them by browsing the queue again.
_FEW = 20
#: Messages in one transaction: the first rows are displayed soon.
_BATCH = 200
#: Fields of a row of a queue that is in use.
_USED = ("depth", "uncommitted", "open_input", "open_output")


@dataclass(slots=True)
class Mirror:
    """A mirror. here: the connection to the copy. Others write only marks to it.  inquire: of the queue manager there.

    dead_letter_q: its name there, empty without one.  q_name: a queue that is listed although it is not in use.
    """

    here: Connection
    there: QueueManagerConnection
    inquire: Inquire
    dead_letter_q: str
    q_name: str = ""
    _copies: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)
    _bytes: int = 0

    def read_queues(self) -> list[dict[str, Any]]:
        """Define the queues that are there now, delete those that are not, and return rows as ``overview``."""
        rows = [row for row in overview(self.inquire, self.dead_letter_q) if self._is_listed(row)]
        names = {str(row["name"]) for row in rows}
        with self.here.work() as work:
            here = set(queues.names(work.db))
            for row in rows:
                if row["name"] not in here:
                    define_copy(work, str(row["name"]), MQMDS_PRIORITY if row["by_priority"] else MQMDS_FIFO)
        for name in here.difference(names, SYSTEM_QUEUES):
            self._delete_queue(name)
        return rows

    def _is_listed(self, row: dict[str, Any]) -> bool:
        """Return whether a queue is listed. A SYSTEM queue is one that is in use, as a file has them."""
        name = str(row["name"])
        is_named = not name.startswith(SYSTEM_PREFIX) or name in (self.dead_letter_q, self.q_name)
        return is_valid_name(name) and (is_named or any(row[each] for each in _USED))

    def _delete_queue(self, name: str) -> None:
        """Delete a queue with its messages. It stays without them while it is open for marks."""
        if name in self._copies:
            self._remove(name, [*self._copies[name]])
        try:
            with self.here.work() as work:
                delete_queue(work, "QLOCAL", name, purge=True)
        except MQError as error:
            if error.reason != MQRC_OBJECT_IN_USE:
                raise
        else:
            self._copies.pop(name, None)

    def renew_row(self, row: dict[str, Any]) -> None:
        """Read the depth and status of one queue again. row: of ``read_queues``, is changed."""
        renew_row(self.inquire, row)

    def refresh(self, q_name: str) -> Iterator[None]:
        """Bring the messages of a queue up to date; yield after each step.

        Raises MQError: MQRC_STORAGE_NOT_AVAILABLE when the mirror is full; errors of the calls there.
        """
        known = self._copies.setdefault(q_name, {})
        with BrowsedQueue(self.there, q_name, exact=stored_form) as queue:
            arrived = queue.select()
            if known:
                found = dict(queue.tokens())
                self._remove(q_name, [token for token in known if token not in found])
                changed = {token for token, count in found.items() if known.get(token, (0, -1))[1] != count}
                yield
                if len(changed) <= _FEW:
                    arrived = (each for token in found if token in changed for each in _read(queue, token))
                else:
                    arrived = (each for each in queue.select() if each.seq in changed)
            while batch := list(islice(arrived, _BATCH)):
                if not self._add(q_name, batch):
                    raise MQError(f"{q_name}: only {counted(len(known))} are listed", MQRC_STORAGE_NOT_AVAILABLE)
                yield

    def tokens(self, q_name: str) -> dict[int, int]:
        """Return the key of each message of a queue here, and its number there. Another thread may call it."""
        return {seq: token for token, (seq, _) in self._copies.get(q_name, {}).copy().items()}

    def _add(self, q_name: str, batch: list[StoredMessage]) -> bool:
        """Store messages; return False when the mirror took no more."""
        known = self._copies[q_name]
        with self.here.work() as work:
            queue = find_queue(work.db, q_name)
            for stored in batch:
                token, data = stored.seq, stored.data or b""
                if len(known) >= MOST or self._bytes + len(data) > MOST_BYTES:
                    return False
                if token in known:
                    self._drop(work, known[token][0])
                    stored.seq = known[token][0]
                else:
                    stored.seq = seq_of(queue.id, queues.count_arrivals(work.db, queue, stored.put_at, 1, held=False))
                stored.queue_id = queue.id
                stored.order_key = order_key(queue, stored.md.priority, stored.seq - seq_of(queue.id, 0))
                insertion.insert(work.db, stored, data)
                known[token] = stored.seq, stored.md.backout_count
                self._bytes += len(data)
        return True

    def _remove(self, q_name: str, tokens: list[int]) -> None:
        known = self._copies[q_name]
        with self.here.work() as work:
            for token in tokens:
                self._drop(work, known.pop(token)[0])
            queues.count(work.db, find_queue(work.db, q_name).id, -len(tokens), 0)

    def _drop(self, work: Work, seq: int) -> None:
        stored = messages.by_seq(work.db, seq)
        assert stored is not None, "only the mirror writes its copy"
        messages.remove(work.db, stored)
        self._bytes -= stored.data_length


def define_copy(work: Work, q_name: str, sequence: int = MQMDS_PRIORITY) -> None:
    """Define a queue for copies of messages. sequence: MQMDS_*."""
    if q_name in SYSTEM_QUEUES:
        find_queue(work.db, q_name)  # which adds it to the file
    else:
        define_queue(work, "QLOCAL", q_name, {"msg_delivery_sequence": sequence})


def _read(queue: BrowsedQueue, token: int) -> Iterator[StoredMessage]:
    """Yield a message as a whole, unless it is gone."""
    result = queue.browse(token)
    if result is not None:
        yield as_stored(result)
