"""List, restore and delete the contents of the trash.

A message is restored to its queue and its position in delivery order. If that queue no longer exists, or another
queue is requested, it is put again with its original descriptor. If an edited version of the message is still on the
queue, the two versions are exchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.objects import MQQT_LOCAL
from mqtools.constants.states import DELAYED, UNLOCKED, at_arrival
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import MQError, StorageError
from mqtools.formats.units import rfc3339
from mqtools.mqi import authority, delivery, journal, trash
from mqtools.mqi.connection import Connection
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import Target, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.operations.move import place_as_is
from mqtools.operations.selection import EVERYTHING, Selection, Test, find_with_prefix
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages import trash as statements
from mqtools.store.messages.stored_message import StoredMessage, order_key
from mqtools.store.messages.trash import Trashed
from mqtools.store.queues import Queue
from mqtools.store.source import Source

_PAGE = 64


@dataclass(slots=True)
class RestoreResult:
    """Result of a batch.

    number: of messages restored.  anew: of these, those at the end of a recreated queue.  exchanged: with their edited
    version.  expired, held, gone: how many were left because they expired, because their edited version is held or
    too big for the trash, or because they were restored or deleted meanwhile.  error: that ended the batch.
    """

    number: int = 0
    anew: int = 0
    exchanged: int = 0
    expired: int = 0
    held: int = 0
    gone: int = 0
    error: MQError | None = None

    def add(self, other: RestoreResult) -> None:
        for name in ("number", "anew", "exchanged", "expired", "held", "gone"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def select_trashed(
    source: Source, selection: Selection = EVERYTHING, *, q_name: str | None = None, removal: int | None = None
) -> Iterator[Trashed]:
    """Yield the selected messages in the trash, of a queue, of a removal, or all; the oldest first.

    Positions count in this order.  Raises MQError as ``selection.select`` does.
    """
    db = source.db
    numbers: dict[int, int] = {}  # trash number of the message under test, by key
    test = Test(
        selection,
        lambda field, prefix: find_with_prefix((each.stored.md for each in _walk(db, None, None)), field, prefix),
        lambda stored, limit: statements.load_data(db, numbers[stored.seq], limit),
    )
    now = now_ms()
    for place, trashed in enumerate(_walk(db, q_name, removal), 1):
        if selection.last is not None and place > selection.last:
            return
        numbers = {trashed.stored.seq: trashed.number}
        if (selection.first is None or place >= selection.first) and test.holds(trashed.stored, now):
            yield trashed


def newest_versions(selected: Iterable[Trashed]) -> list[int]:
    """Return the numbers of trashed messages; of several versions (edits) of a message only the newest."""
    numbers = {(trashed.q_name, trashed.stored.seq): trashed.number for trashed in selected}
    return sorted(numbers.values())


def _walk(db: Database, q_name: str | None, removal: int | None) -> Iterator[Trashed]:
    after = 0
    while True:
        page = statements.page(db, removal=removal, after=after, limit=_PAGE)
        for trashed in page:
            if q_name in (None, trashed.q_name):
                authority.check_browse(db, trashed.q_name)
                yield trashed
        if len(page) < _PAGE:
            return
        after = page[-1].number


def restore(
    connection: Connection, numbers: Sequence[int], *, to_q_name: str = "", to_q_mgr_name: str = ""
) -> RestoreResult:
    """Restore messages in one transaction, up to the first that its queue refuses; see the module.

    to_q_name, to_q_mgr_name: another queue to put them on.  An expired message stays in the trash.
    Raises StorageError; an error of a queue is in the result.
    """
    done = RestoreResult()
    with connection.work() as work:
        for number in numbers:
            try:
                _restore_one(work, number, to_q_name, to_q_mgr_name, done)
            except StorageError:
                raise
            except MQError as error:
                done.error = error
                break
        if done.exchanged:
            trash.make_room(work, kept=done.exchanged)
    return done


def _restore_one(work: Work, number: int, to_q_name: str, to_q_mgr_name: str, done: RestoreResult) -> None:
    trashed = statements.by_number(work.db, number)
    if trashed is None:
        done.gone += 1
    elif trashed.stored.has_expired(work.now_ms):
        done.expired += 1
    else:
        home = None if to_q_name else _home(work, trashed)
        edited = None if home is None else messages.by_seq(work.db, trashed.stored.seq)
        if home is None:
            _put_again(work, trashed, to_q_name or trashed.q_name, to_q_mgr_name)
            done.anew += 1
        elif edited is None:
            delivery.check_limits(work, Target(home, (home,)), trashed.stored.md, trashed.stored.data_length)
            _put_back(work, home, trashed)
        elif edited.state == UNLOCKED and work.connection.trash is not None and work.connection.trash.takes(edited):
            _exchange(work, home, edited, trashed)
            done.exchanged += 1
        else:
            done.held += 1
            return
        done.number += 1


def _home(work: Work, trashed: Trashed) -> Queue | None:
    home = queues.by_name(work.db, trashed.q_name)
    return home if home is not None and home.q_type == MQQT_LOCAL and home.id == trashed.stored.queue_id else None


def _exchange(work: Work, home: Queue, edited: StoredMessage, trashed: Trashed) -> None:
    """Exchange a message with its edited version; the size of the trash is limited at the end of the batch.

    As for an edit nothing is put: the depth stays the same, and inhibited puts do not apply.
    """
    trash.keep_beyond_room(work, home, edited, trash.EDIT)
    if home.journal:
        journal.note(work, home, edited.seq, journal.EDIT, detail="replaced by the version in the trash")
    messages.remove(work.db, edited)
    queues.count(work.db, home.id, -1, 0)
    work.durable |= edited.md.persistence == MQPER_PERSISTENT
    _put_back(work, home, trashed)


def _put_back(work: Work, home: Queue, trashed: Trashed) -> None:
    """Restore a message at its position: keys are never reused."""
    stored, md = trashed.stored, trashed.stored.md
    statements.put_back(
        work.db,
        trashed,
        state=DELAYED if stored.deliver_at is not None and stored.deliver_at > work.now_ms else UNLOCKED,
        completeness=at_arrival(None if md.group_id == MQGI_NONE else md.group_id, md.msg_seq_number, md.offset),
        order_key=order_key(home, md.priority, statements.arrival_number(stored)),
    )
    queues.count(work.db, home.id, 1, 0)
    if home.journal:
        journal.note(work, home, stored.seq, journal.RESTORE, arrives=True, detail=_origin(trashed))
    work.durable |= md.persistence == MQPER_PERSISTENT
    work.wake(home.id)


def _origin(trashed: Trashed) -> str:
    return (
        f"from the trash, {trashed.cause} of {trashed.q_name} at {rfc3339(trashed.removed_at)} by {trashed.removed_by}"
    )


def _put_again(work: Work, trashed: Trashed, q_name: str, q_mgr_name: str) -> StoredMessage:
    target = resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name)
    with work.caused_by(journal.RESTORE, detail=_origin(trashed)):
        placed = place_as_is(work, target, trashed.stored, statements.load_data(work.db, trashed.number))
    statements.remove(work.db, trashed.number)
    return placed


def empty(connection: Connection, numbers: Sequence[int]) -> int:
    """Delete messages from the trash in one transaction; return how many there were.

    Raises MQError: MQRC_NOT_AUTHORIZED.
    """
    with connection.work() as work:
        work.durable = True
        if work.checks_authority:
            for number in numbers:
                trashed = statements.by_number(work.db, number)
                if trashed is not None:
                    authority.check_queue(connection, trashed.q_name, "CLR")
        return sum(statements.remove(work.db, number) for number in numbers)
