"""Search for the first message in the order of delivery that fits and has not expired.

A message that has expired is discarded when it would have been chosen, with its expiration report
(BEY-30, BEY-32, RPT-02). Every step is an index seek; a selector reads on page by page.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from mqtools.constants.message import MQEI_UNLIMITED
from mqtools.constants.options import MQMO_MATCH_MSG_TOKEN
from mqtools.constants.states import ALL, ALONE, LOCKED_FOR_BROWSE, UNLOCKED, has_position_of
from mqtools.message import MQMD, Property
from mqtools.rules import states
from mqtools.rules.options.get import MATCHED_FIELDS
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import COLUMNS, FROZEN, StoredMessage, from_row
from mqtools.store.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.get.long_search import LongSearch
    from mqtools.mqi.transaction import Work
    from mqtools.predicates import Predicate
    from mqtools.rules.selector.selector import Selector

_PAGE = 64


def wanted_fields(match_options: int, md: MQMD | None) -> dict[str, object]:
    """Return the fields that a message must have, by match options and descriptor (BEY-58 to BEY-61)."""
    wanted: dict[str, object] = {}
    if md is None:
        return wanted
    for option, field, any_value in MATCHED_FIELDS:
        if match_options & option:
            value = getattr(md, field)
            if value != any_value:
                wanted[field] = value
    return wanted


def token_of(seq: int) -> bytes:
    """Return the MsgToken (16 bytes) of a stored message."""
    return seq.to_bytes(16, "big")


def seq_of_token(match_options: int, msg_token: bytes) -> int | None:
    """Return the key of the message that a MsgToken names, or None when the token is not matched."""
    if not match_options & MQMO_MATCH_MSG_TOKEN or not any(msg_token):
        return None
    seq = int.from_bytes(msg_token, "big")
    return seq if seq < 1 << 63 else 0  # no key is that large, and none is 0


def first_available(
    work: Work, queue: Queue, wanted: dict[str, object], *, after: int = -1, completeness: tuple[int, ...] = ALL
) -> StoredMessage | None:
    """Return the first message in the order of delivery that fits; discard the expired ones met on the way.

    wanted: fields and their values.  after: order key to begin behind.  completeness: which members of groups.
    """
    if not queue.grouped:
        completeness = (ALONE,)
    while True:
        stored = messages.next_available(work.db, queue.id, wanted, after, completeness)
        if stored is None or not stored.has_expired(work.now_ms):
            return stored
        expire(work, queue, stored)


def first_accepted(
    work: Work,
    queue: Queue,
    candidates: Iterable[StoredMessage],
    accept: Callable[[StoredMessage], bool] | None = None,
) -> StoredMessage | None:
    """Return the first candidate that passes a test; discard the expired ones met on the way. accept: None for any."""
    for stored in candidates:
        if stored.has_expired(work.now_ms):
            expire(work, queue, stored)
        elif accept is None or accept(stored):
            return stored
    return None


def with_own_lock(
    candidates: Iterator[StoredMessage], own_lock: StoredMessage, long_search: LongSearch | None
) -> Iterator[StoredMessage]:
    """Yield the candidates, and in its place what the handle itself has locked, unless a pause comes before it."""
    is_ahead = long_search is None or own_lock.order_key > long_search.examined
    for stored in candidates:
        if is_ahead and own_lock.order_key < stored.order_key:
            yield own_lock
            is_ahead = False
        yield stored
    if is_ahead and (long_search is None or not long_search.is_paused or own_lock.order_key <= long_search.examined):
        yield own_lock


def walk(
    db: Database,
    queue_id: int,
    wanted: dict[str, object],
    predicate: Predicate | None,
    now_ms: int,
    *,
    after: int = -1,
    completeness: tuple[int, ...] | None = None,
) -> Iterator[StoredMessage]:
    """Yield the unlocked messages that fit, expired ones too, in the order of delivery, page by page.

    wanted, after: as for ``first_available``.  predicate: narrows the search in the store where no index does.
    now_ms: the instant for the check of expiry.  completeness: None for any.
    """
    if predicate is not None and not messages.is_sought(wanted):
        from mqtools.predicates import narrow

        priority = wanted.get("priority")
        yield from filter_candidates(
            db,
            queue_id,
            narrow(wanted, predicate, now_ms),
            after=after,
            completeness=completeness,
            priority=priority if isinstance(priority, int) else None,
        )
        return
    yield from by_page(
        lambda place, limit: messages.available(
            db, queue_id, wanted, after=place, limit=limit, completeness=completeness
        ),
        after,
        first=1,
    )


def by_page(
    read: Callable[[int, int], list[StoredMessage]], after: int = -1, *, first: int = _PAGE
) -> Iterator[StoredMessage]:
    """Yield messages in the order of delivery, page by page.

    A page is one statement: no message is on it twice, whatever others change.
    read: returns the next messages behind an order key, up to a limit.  first: limit of the first page.
    """
    limit = first
    while True:
        page = read(after, limit)
        yield from page
        if len(page) < limit:
            return
        after, limit = page[-1].order_key, _PAGE


def filter_candidates(
    db: Database,
    queue_id: int,
    predicate: Predicate,
    *,
    after: int = -1,
    held: bool = False,
    completeness: tuple[int, ...] | None = None,
    priority: int | None = None,
    with_data: bool = False,
) -> Iterator[StoredMessage]:
    """Yield the messages that meet a predicate, in the order of delivery; see ``filtered_scan.scan_batch``.

    with_data: read short data along with the rows.
    """
    from mqtools.store.scans import filtered_scan

    columns = f"{COLUMNS}, {filtered_scan.SHORT_DATA}, {filtered_scan.SHORT_CHECKSUM}" if with_data else COLUMNS
    scan = filtered_scan.QueueScan(
        queue_id, predicate, columns, held=held, completeness=completeness, priority=priority
    )
    for found in filtered_scan.scan_batches(db, scan, after):
        yield from (from_row(row[1:]) for row in found.rows)


def fits(stored: StoredMessage, wanted: dict[str, object], completeness: tuple[int, ...]) -> bool:
    """Return whether a message has the wanted fields and a place in its group that is among the values."""
    has_fields = all(getattr(stored.md, field) == value for field, value in wanted.items())
    return has_fields and has_position_of(stored.completeness, completeness)


def remaining_expiry(stored: StoredMessage, now_ms: int) -> int:
    """Return the remaining expiry of a message, in tenths of a second, at least one (BEY-28).

    It is never more than the message was put with, whatever the clock says.
    """
    if stored.expires_at is None:
        return MQEI_UNLIMITED
    return max(1, (remaining_ms(stored.expires_at, max(now_ms, stored.put_at)) + 99) // 100)


def remaining_ms(expires_at: int, now_ms: int) -> int:
    """Return the remaining expiry in milliseconds. expires_at: of a stored message."""
    return expires_at - (FROZEN if stands_still(expires_at) else now_ms)


def stands_still(expires_at: int | None) -> bool:
    """Return whether a message never expires: because it was pulled, or has no expiry."""
    return expires_at is None or expires_at >= FROZEN


def selects(selector: Selector, stored: StoredMessage, now_ms: int) -> bool:
    """Return whether a selector is true of a message."""
    stored.md.expiry = remaining_expiry(stored, now_ms)
    return selector.matches(stored.md, properties_of(stored, selector.property_names))


def properties_of(stored: StoredMessage, names: Collection[str] | None = None) -> dict[str, Property]:
    """Return the properties of a stored message by name. names: no others; None for all."""
    if stored.properties is None or (names is not None and not names):
        return {}
    from mqtools.formats.properties import properties_from_json

    return properties_from_json(stored.properties, names)


def expire(work: Work, queue: Queue, stored: StoredMessage) -> None:
    """Discard an expired message and report it if it asks for that. A locked one is left alone."""
    if stored.state == LOCKED_FOR_BROWSE:
        return
    if stored.md.report:
        from mqtools.mqi.report_messages import report_expiration

        report_expiration(work, stored.md, lambda: messages.load_data(work.db, stored.seq))
    from mqtools.mqi.get import removal  # here: a browse needs nothing of it

    removal.remove(work, queue, stored, states.EXPIRE)
    if work.connection.counters is not None:
        work.connection.counters.note_gone(work, queue.name, "expired_msg_count", 1)


def reachable(work: Work, queue: Queue, seq: int | None, handle_id: int) -> StoredMessage | None:
    """Return a message by its key if the handle can get it: unlocked or locked by itself, not expired."""
    stored = None if seq is None else messages.by_seq(work.db, seq)
    if stored is None or stored.queue_id != queue.id:
        return None
    return stored if is_there(work, queue, stored, handle_id) else None


def is_there(work: Work, queue: Queue, stored: StoredMessage, handle_id: int) -> bool:
    """Return whether a message is available to a handle; discard it when it has expired."""
    if stored.has_expired(work.now_ms):
        if stored.state == UNLOCKED:
            expire(work, queue, stored)
        return False
    return stored.state == UNLOCKED or (stored.state == LOCKED_FOR_BROWSE and stored.lock_id == handle_id)
