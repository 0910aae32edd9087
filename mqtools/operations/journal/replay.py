"""Replay: put again what was put on a queue in a period, from its journal, exactly once for each job id.

A message is put whole: its descriptor with the identifiers, its properties and its data, with the lifetime that it had.
Three properties say where it comes from. How far a job has come is written in the transaction that puts: a job that was
interrupted continues from there.
"""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_NONE
from mqtools.errors import MQError, StorageError, UsageError
from mqtools.formats.properties import properties_from_json, properties_to_json
from mqtools.formats.units import rfc3339
from mqtools.message import MQMD, Property
from mqtools.mqi import authority, report_messages
from mqtools.mqi.connection import Connection
from mqtools.mqi.identity import new_id
from mqtools.mqi.journal import REPLAY
from mqtools.mqi.overrides import Override
from mqtools.mqi.resolution import Target, resolve_for_get, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.operations.journal.past import whole_periods
from mqtools.operations.selection import put_time_of
from mqtools.operations.stored_messages import check_put_target
from mqtools.store.database import Database
from mqtools.store.messages import history, journal, replays
from mqtools.store.messages.replays import Arrival, Progress
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.source import Source

#: Properties of a message that was put again: the queue, the MsgId in hex, and the put time (RFC 3339) of the original.
FROM_QUEUE, FROM_MSG_ID, FROM_PUT_AT = "mqx.replay.queue", "mqx.replay.msg_id", "mqx.replay.put_at"

#: Messages and bytes of data in one transaction.
BATCH = 100
_MOST_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """Selection of what to put again.

    queue: the one whose puts are replayed.  since, until: milliseconds since 1970, both included; until is None for
    the present.  target: queue, or queue@queue-manager.  new_ids: each message gets a new MsgId.
    """

    queue: str
    target: str
    job_id: str
    since: int
    until: int | None = None
    new_ids: bool = False


@dataclass(slots=True)
class Replay:
    """A replay that was planned. begins_at: since when the journal is whole, if that is after the time asked for."""

    request: ReplayRequest
    progress: Progress
    begins_at: int | None = None

    @property
    def is_done(self) -> bool:
        return self.progress.position >= self.progress.last_event


def plan(source: Source, connection: Connection, request: ReplayRequest) -> Replay:
    """Return a replay with how far it has come; nothing is changed.

    source: the queue manager with the journal.  connection: what will put.
    Raises UsageError for a job of other queues, and for puts whose data the journal lacks; MQError:
    MQRC_UNKNOWN_OBJECT_NAME and the like.
    """
    db = source.db
    with db.reading():
        queue, _ = resolve_for_get(db, request.queue)
        authority.check_browse(db, queue.name)
        name, _, q_mgr_name = request.target.partition("@")
        check_put_target(connection, name, q_mgr_name)
        known = replays.find(db, request.job_id)
        if known is not None:
            if (known.queue, known.target) != (queue.name, request.target):
                raise UsageError(f"job {request.job_id} is a replay of {known.queue} to {known.target}")
            return Replay(request, known)
        first = history.last_until(db, request.since - 1)
        last = journal.last_event(db) if request.until is None else history.last_until(db, request.until)
        progress = Progress(request.job_id, queue.name, request.target, first, last, 0)
        return Replay(request, progress, _check_bodies(db, progress, request.since))


def _check_bodies(db: Database, progress: Progress, since: int) -> int | None:
    """Check that the journal has the data; return since when it has, if that is after the beginning."""
    q_name = progress.queue
    periods = whole_periods(history.levels(db, q_name), history.removed_at(db))
    if not periods or replays.lacks_bodies(db, q_name, progress.position, progress.last_event):
        raise UsageError(
            f"the journal of queue {q_name} has no data of its messages: that requires JOURNAL(BODY)",
            f"mqx mqsc 'ALTER QLOCAL({q_name}) JOURNAL(BODY)' keeps it from now on",
        )
    return None if any(period.has(since) for period in periods) else periods[0].begin


def next_arrivals(source: Source, replay: Replay, limit: int = BATCH) -> list[Arrival]:
    """Return the next messages to put, in the order of the commits, without their data."""
    progress = replay.progress
    return replays.arrivals(source.db, progress.queue, progress.position, progress.last_event, limit)


def load_body(source: Source, arrival: Arrival) -> bytes:
    """Return the data of a message to put. Raises UsageError if the journal has removed it."""
    data = journal.load_data(source.db, arrival.event_seq)
    if data is None:
        raise UsageError(f"the data of message {arrival.stored.md.msg_id.hex().upper()} is no longer in the journal")
    return data


def put_batch(connection: Connection, source: Source, replay: Replay, limit: int = BATCH) -> tuple[int, MQError | None]:
    """Put the next messages in one transaction, up to the first that the target refuses.

    Returns how many were put, and the error of the one that was refused. None left: the replay is done.
    source: the queue manager with the journal.  Raises MQError if nothing can be put at all.
    """
    db = source.db
    with connection.work() as work:
        there = replays.find(work.db, replay.request.job_id)
        if there is not None:
            replay.progress = there  # another process with the same job id may have put some
        found = next_arrivals(db, replay, limit)
        number, error = _put_each(work, db, replay, found)
        if not found:
            replay.progress.position = replay.progress.last_event
        replays.write(work.db, replay.progress)
    return number, error


def _put_each(work: Work, db: Database, replay: Replay, found: list[Arrival]) -> tuple[int, MQError | None]:
    size = number = 0
    name, _, q_mgr_name = replay.request.target.partition("@")
    for arrival in found:
        size += arrival.stored.data_length
        if number and size > _MOST_BYTES:
            break
        try:
            target = resolve_for_put(work.db, work.qmgr, name, q_mgr_name)
            authority.check_queue(work.connection, target.path[0].name, "PUT", "SETALL")
            with work.caused_by(REPLAY, MQRC_NONE, _detail(replay, arrival)):
                _put(work, db, target, replay, arrival)
        except StorageError:
            raise
        except MQError as error:
            return number, error
        replay.progress.position = arrival.event_seq
        replay.progress.messages += 1
        number += 1
    return number, None


def _put(work: Work, db: Database, target: Target, replay: Replay, arrival: Arrival) -> None:
    stored = arrival.stored
    data = load_body(db, arrival)
    md = _descriptor(stored)
    if replay.request.new_ids:
        md.msg_id = new_id(work.qmgr.name)
    with Override(work.connection, relays=True):
        report_messages.deliver(work, target, md, data, _properties(replay.progress.queue, stored))


def _detail(replay: Replay, arrival: Arrival) -> str:
    words = f"from {replay.progress.queue}, job {replay.request.job_id}"
    return f"{words}, {journal.COPY_OF}{arrival.stored.md.msg_id.hex().upper()}" if replay.request.new_ids else words


def _descriptor(stored: StoredMessage) -> MQMD:
    """Return the descriptor as it was put, with the whole lifetime."""
    expiry = -1 if stored.expires_at is None else max(1, (stored.expires_at - stored.put_at) // 100)
    return stored.md.replace(expiry=expiry)


def _properties(q_name: str, stored: StoredMessage) -> str | None:
    """Return the properties as JSON text, with those that say where the message comes from."""
    origin = {
        FROM_QUEUE: q_name,
        FROM_MSG_ID: stored.md.msg_id.hex().upper(),
        FROM_PUT_AT: rfc3339(put_time_of(stored)),
    }
    properties = properties_from_json(stored.properties) if stored.properties else {}
    return properties_to_json(
        {**properties, **{name: Property(MQTYPE_STRING, value) for name, value in origin.items()}}
    )
