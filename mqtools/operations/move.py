"""Move and copy of messages between queues: the put and the removal are one transaction.

A message keeps its descriptor, identifiers, properties, put date and time, context and data; only its position is
new. The limits of the target apply as for any put, and an arrival report is sent if requested. A moved message
has not been received by an application, so no delivery report is sent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import islice

from mqtools.constants.message import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.constants.objects import COMMAND_QUEUE, MQQDT_TEMPORARY_DYNAMIC
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MessageDamaged, MQError, StorageError
from mqtools.headers.chain import strip_dlh
from mqtools.lifecycle import message_search
from mqtools.mqi import delivery, report_messages
from mqtools.mqi.authority import check_queue
from mqtools.mqi.connection import Connection
from mqtools.mqi.damage import quarantine
from mqtools.mqi.get import removal, search
from mqtools.mqi.journal import COPY, MOVE
from mqtools.mqi.overrides import Override
from mqtools.mqi.resolution import Target, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.store import queues
from mqtools.store.definition_cache import PERFORMANCE_EVENTS
from mqtools.store.messages import insertion, messages, relocation
from mqtools.store.messages.stored_message import StoredMessage, order_key, seq_of, to_row
from mqtools.store.queues import Queue
from mqtools.store.source import Source

#: Messages that are read together at most.
_AT_ONCE = 128


@dataclass(frozen=True, slots=True)
class Route:
    """Source and target of messages. keeps_original: copy instead of move.  strips_dlh: remove the MQDLH of each."""

    q_name: str
    to_q_name: str
    to_q_mgr_name: str = ""
    _: KW_ONLY
    keeps_original: bool = False
    strips_dlh: bool = False


@dataclass(slots=True)
class MoveResult:
    """Result of a batch: messages moved, messages no longer there, and the error that ended it.

    arrived: keys that the moved messages have now.
    """

    number: int = 0
    gone: int = 0
    error: MQError | None = None
    arrived: list[int] = field(default_factory=list)


class _Refused(Exception):
    """Raised to roll back a batch that is moved completely or not at all."""


def carry_batch(
    connection: Connection, route: Route, keys: Sequence[int], *, whole: bool = False, is_group: bool = False
) -> MoveResult:
    """Move or copy messages in one transaction, up to the first that the target refuses.

    keys: of the messages; those that another program took meanwhile are skipped.  whole: move none if one is refused.
    is_group: also move none if one has gone.
    Raises MQError if messages cannot be read or got from the source: MQRC_GET_INHIBITED, MQRC_OBJECT_IN_USE,
    MQRC_UNKNOWN_OBJECT_NAME.  An error of the target is in the result.
    """
    done = MoveResult()
    try:
        with connection.work() as work:
            carrier = _Carrier(work, route)
            if not _carry_all(carrier, keys, done, whole=whole, is_group=is_group):
                raise _Refused
            done.arrived = carrier.arrived
    except _Refused:
        return MoveResult(0, len(keys) if done.error is None else 0, done.error)
    return done


def _carry_all(carrier: _Carrier, keys: Sequence[int], done: MoveResult, *, whole: bool, is_group: bool) -> bool:
    """Carry messages up to the first error and count them; return whether to commit the transaction."""
    left = deque(keys)
    while left and done.error is None and not (is_group and done.gone):
        done.number += carrier.carry_run(left)
        if left:
            done.error = _carry_one(carrier, left.popleft(), done)
    return not (whole and done.error is not None) and not (is_group and done.gone)


def group_keys(connection: Connection, q_name: str, group_id: bytes) -> list[int] | None:
    """Return the keys of all messages of a group in logical order; None if one is locked or uncommitted."""
    with connection.db.reading():
        queue = message_search.readable_queue(connection.db, q_name)
        found = messages.of_group(connection.db, queue.id, group_id)
    if any(stored.state != UNLOCKED for stored in found):
        return None
    found.sort(key=lambda stored: (stored.md.msg_seq_number, stored.md.offset))
    return [stored.seq for stored in found]


def _carry_one(carrier: _Carrier, key: int, done: MoveResult) -> MQError | None:
    try:
        if carrier.carry(key):
            done.number += 1
        else:
            done.gone += 1
    except StorageError:
        raise
    except MQError as error:
        return error
    return None


class _Carrier:
    """Carries messages along a route in one transaction."""

    def __init__(self, work: Work, route: Route) -> None:
        self._work = work
        self._route = route
        if route.keeps_original:
            self._source = message_search.browsable_queue(work, route.q_name)
        else:
            self._source = message_search.gettable_queue(work, route.q_name)
        self._target: Target | None = None
        self.arrived: list[int] = []
        #: Of the keys in front, as many as were looked at together: rows that may be carried together.
        self._rows: dict[int, StoredMessage] = {}
        self._ahead = 0

    def carry_run(self, keys: deque[int]) -> int:
        """Carry together the messages in front that are nothing but rows, and take their keys; return their number.

        Such are the ordinary ones of ``relocation`` that the target takes, where no journal, mark or rule of either
        queue is about single messages.
        """
        work = self._work
        target = self._resolved()
        if target is None or not self._carries_rows(target):
            return 0
        if not self._ahead:
            some = list(islice(keys, _AT_ONCE))
            self._rows, self._ahead = relocation.ordinary(work.db, self._source.id, some, work.now_ms), len(some)
        room = target.queue.max_q_depth - target.queue.depth
        rows = self._take(target.queue, islice(keys, max(0, min(room, self._ahead))))
        number = self._carry_rows(target.queue, rows)
        self._ahead -= number
        for _ in range(number):
            keys.popleft()
        return number

    def _take(self, queue: Queue, keys: Iterable[int]) -> list[StoredMessage]:
        """Return messages up to the first that is damaged or that the target does not take as it is, each once."""
        longest = min(queue.max_msg_length, self._work.qmgr.max_msg_length)
        persistence = MQPER_NOT_PERSISTENT if queue.definition_type == MQQDT_TEMPORARY_DYNAMIC else MQPER_PERSISTENT
        taken: list[StoredMessage] = []
        for key in keys:
            stored = self._rows.pop(key, None)
            if stored is None or stored.data_length > longest or stored.md.persistence > persistence:
                break
            if not relocation.begin_anew(stored, self._work.now_ms):
                break
            taken.append(stored)
        return taken

    def _carries_rows(self, target: Target) -> bool:
        """Return whether single messages are nothing but rows to both queues."""
        source, queue, work = self._source, target.queue, self._work
        if (
            self._route.strips_dlh
            or source.journal
            or queue.journal
            or source.marks
            or target.is_remote
            or queue.name == COMMAND_QUEUE
        ):
            return False
        if work.checks_authority or work.db.is_room_low or any(each.inhibit_put for each in target.path):
            return False
        return source.id != queue.id or self._route.keeps_original

    def _carry_rows(self, queue: Queue, rows: list[StoredMessage]) -> int:
        if not rows:
            return 0
        work, keeps = self._work, self._route.keeps_original
        if work.qmgr.events & PERFORMANCE_EVENTS:
            work.change_depth(queue, len(rows))
        number = queues.count_arrivals(work.db, queue, work.now_ms, len(rows), held=False) - len(rows) + 1
        before = [stored.seq for stored in rows]
        for each, stored in enumerate(rows, number):
            stored.seq, stored.queue_id = seq_of(queue.id, each), queue.id
            stored.order_key = order_key(queue, stored.md.priority, each)
        if keeps:
            insertion.insert_rows(work.db, [to_row(stored, stored.data, stored.checksum) for stored in rows])
        else:
            relocation.move(work.db, zip(before, rows, strict=True))
        arrived = [stored.seq for stored in rows]
        work.placed += arrived
        self.arrived += arrived
        persistence = max(stored.md.persistence for stored in rows)
        delivery.notify_arrival(work, queue, persistence, held=False)
        if not keeps:
            removal.count_rows_off(work, self._source, len(rows), persistence)
        return len(rows)

    def _resolved(self) -> Target | None:
        """Return the target, None where it does not resolve: the first message says why."""
        if self._target is None:
            try:
                self._target = self._resolve()
            except StorageError:
                raise
            except MQError:
                return None
        return self._target

    def _resolve(self) -> Target:
        return resolve_for_put(self._work.db, self._work.qmgr, self._route.to_q_name, self._route.to_q_mgr_name)

    def carry(self, key: int) -> bool:
        """Carry one message; return False if it has gone. Raises MQError if the target refuses it."""
        self._ahead = max(0, self._ahead - 1)
        stored = message_search.by_key(self._work, self._source, key, None)
        if stored is None:
            self._target = None  # an expired message may have caused a report on the same queue
            return False
        if self._target is None:
            self._target = self._resolve()
        try:
            data = messages.data_of(self._work.db, stored)
        except MessageDamaged:
            quarantine(self._work, stored.seq)
            raise
        origin = f"from {self._source.name}"
        before = stored
        if self._route.strips_dlh:
            md, data = strip_dlh(stored.md, data)
            stored = stored.replace(md=md)
        if self._route.keeps_original:
            with self._work.caused_by(COPY, detail=origin):
                placed = place_as_is(self._work, self._target, stored, data)
        else:
            with self._work.caused_by(MOVE, detail=origin):
                placed = place_as_is(self._work, self._target, stored, data)
            with self._work.caused_by(MOVE, detail=f"to {self._target.queue.name}"):
                removal.move_off(self._work, self._source, before)
        self.arrived.append(placed.seq)
        if stored.md.report:
            self._target = None  # reports may have changed its depth: read it again
        return True


def place_as_is(work: Work, target: Target, stored: StoredMessage, data: bytes) -> StoredMessage:
    """Put a stored message unchanged, at a new position.

    Raises MQError as ``delivery.deliver``, and MQRC_NOT_AUTHORIZED.
    """
    check_queue(work.connection, target.path[0].name, "PUT", "SETALL")
    md = stored.md.replace(expiry=search.remaining_expiry(stored, work.now_ms))
    with Override(work.connection, relays=True):
        return report_messages.deliver(work, target, md, data, stored.properties)


def queue_of_arrival(source: Source, route: Route) -> str:
    """Return the queue here on which messages arrive; empty where they go to another queue manager. Raises MQError."""
    with source.db.reading():
        target = resolve_for_put(source.db, queues.qmgr(source.db), route.to_q_name, route.to_q_mgr_name)
        return "" if target.is_remote else target.queue.name


def is_same_queue(source: Source, route: Route) -> bool:
    """Return whether source and target resolve to the same queue. Raises MQError if one does not resolve."""
    db = source.db
    with db.reading():
        queue = message_search.readable_queue(db, route.q_name)
        target = resolve_for_put(db, queues.qmgr(db), route.to_q_name, route.to_q_mgr_name)
        return queue.id == target.queue.id
