"""Selection of messages on a queue by identifier, position, selector, text, age or reason.

A selection only reads. It scans the queue page by page in delivery order, one transaction per page; callers that
change messages take a snapshot of their keys first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from heapq import merge

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
from mqtools.constants.reasons import MQRC_MSG_ID_ERROR
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.errors import MQError
from mqtools.formats.units import put_at_ms
from mqtools.headers.charsets import decode_text
from mqtools.mqi.get import search
from mqtools.mqi.identity import now_ms
from mqtools.operations import pushdown
from mqtools.operations.message_parts import dead_letter_header, split_at_body
from mqtools.predicates import ANYTHING, Condition, Predicate, begins_with, every, is_whole_id
from mqtools.records import OptionRecord
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.scans import filtered_scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.message import MQMD
    from mqtools.rules.selector.selector import Selector
    from mqtools.store.source import Source

_ID_LENGTH = 24
_NONE = bytes(_ID_LENGTH)


class Selection(OptionRecord):
    """Conditions on messages; all must be true, several identifiers are alternatives.

    msg_ids, correl_ids, group_ids: complete identifiers or prefixes.  first, last: positions in delivery order
    from 1, inclusive.  where: SQL-92 selector.  grep: literal text, compared in the character set of the
    data; grep_hex: bytes in the data.  not_grep, not_grep_hex: none of these is found.
    older_s, newer_s: seconds since the put time in the descriptor.  reason: MQDLH.Reason.
    """

    msg_ids: tuple[bytes, ...] = ()
    correl_ids: tuple[bytes, ...] = ()
    group_ids: tuple[bytes, ...] = ()
    first: int | None = None
    last: int | None = None
    where: str = ""
    grep: str = ""
    ignore_case: bool = False
    grep_hex: bytes = b""
    not_grep: tuple[str, ...] = ()
    not_grep_hex: tuple[bytes, ...] = ()
    older_s: float | None = None
    newer_s: float | None = None
    reason: int | None = None

    @property
    def is_everything(self) -> bool:
        return self == EVERYTHING

    @property
    def is_by_msg_id(self) -> bool:
        return bool(self.msg_ids)


EVERYTHING = Selection()


def select(
    source: Source,
    queue_id: int,
    selection: Selection = EVERYTHING,
    *,
    limit: int | None = None,
    all_states: bool = False,
    with_expired: bool = False,
    now: int | None = None,
    with_data: bool = False,
) -> Iterator[StoredMessage]:
    """Yield the selected messages in delivery order.

    Only messages that a get could return: unlocked and not expired.  all_states: also locked and
    uncommitted ones.  with_expired: also expired ones, which do not count as positions.  with_data: read short data
    along, where that saves a statement.
    limit: most messages to yield.  now: instant for expiry and ages, milliseconds since 1970, None for now.
    Raises MQError: MQRC_MSG_ID_ERROR for an ambiguous prefix of an identifier, MQRC_SELECTOR_SYNTAX_ERROR.
    """
    db = source.db
    test = compile_selection(db, queue_id, selection)
    now = now_ms() if now is None else now
    found = place = 0
    counts_places = selection.first is not None or selection.last is not None
    is_everything = selection.is_everything
    for stored in _walk(
        db, queue_id, test, now, all_states=all_states, narrowly=not counts_places, with_data=with_data
    ):
        if stored.has_expired(now):
            if with_expired and test.holds(stored, now):
                yield stored
            continue
        place += 1
        if selection.last is not None and place > selection.last:
            return
        if is_everything or ((selection.first is None or place >= selection.first) and test.holds(stored, now)):
            if limit is not None and found >= limit:
                return
            found += 1
            yield stored


def keys_by_place(source: Source, queue_id: int, selection: Selection, *, limit: int | None = None) -> list[int] | None:
    """Return the keys of what ``select`` yields for a selection by position alone; None for any other."""
    if not selection.replace(first=None, last=None).is_everything:
        return None
    now, first = now_ms(), (selection.first or 1) - 1
    last = sys.maxsize if selection.last is None else max(0, selection.last)
    end = last if limit is None else min(last, first + limit)
    keys: list[int] = []
    scan = filtered_scan.QueueScan(queue_id, ANYTHING, "seq, expires_at")
    for batch in filtered_scan.scan_batches(source.db, scan):
        keys += [seq for _, seq, expires_at in batch.rows if expires_at is None or expires_at > now]
        if len(keys) >= end:
            break
    return keys[first:end]


def compile_selection(db: Database, queue_id: int, selection: Selection) -> Test:
    """Return the test of a selection on a queue."""
    return Test(
        selection,
        lambda field, prefix: messages.ids_with_prefix(db, queue_id, field, prefix),
        lambda stored, limit: messages.load_data(db, stored.seq, limit),
    )


def _walk(
    db: Database, queue_id: int, test: Test, now: int, *, all_states: bool, narrowly: bool, with_data: bool
) -> Iterator[StoredMessage]:
    """Yield candidates in delivery order, from a scan of the queue or from index seeks.

    narrowly: messages that cannot be selected may be left out.
    """
    if not test.seek:
        predicate = test.predicate(now) if narrowly else ANYTHING
        return search.filter_candidates(
            db,
            queue_id,
            predicate,
            held=all_states,
            priority=test.priority if narrowly else None,
            with_data=with_data,
        )
    find = messages.in_any_state if all_states else messages.available
    return merge(*(_pages(db, queue_id, wanted, find) for wanted in test.seek), key=lambda stored: stored.order_key)


def _pages(
    db: Database, queue_id: int, wanted: dict[str, object], find: Callable[..., list[StoredMessage]]
) -> Iterator[StoredMessage]:
    return search.by_page(lambda after, limit: find(db, queue_id, wanted, after=after, limit=limit))


class Test:
    """A compiled selection: index seeks, a predicate for the store, and the test of a single message.

    seek: equalities to seek by, one index seek each; empty for a scan of the whole queue.
    priority: the only one selected; None for any.
    ids_with_prefix: lists up to two values of a field with a prefix.  load: reads the data of a message, or its first
    bytes.
    """

    def __init__(
        self,
        selection: Selection,
        ids_with_prefix: Callable[[str, bytes], list[bytes]],
        load: Callable[[StoredMessage, int | None], bytes],
    ) -> None:
        self._load = load
        self._selection = selection
        self._ids = {
            field: _complete_ids(field, prefixes, ids_with_prefix)
            for field, prefixes in (
                ("msg_id", selection.msg_ids),
                ("correl_id", selection.correl_ids),
                ("group_id", selection.group_ids),
            )
            if prefixes
        }
        self._selector: Selector | None = None
        if selection.where:
            from mqtools.rules.selector.selector import compile_selector

            self._selector = compile_selector(selection.where)
        terms: dict[str, object] = {} if self._selector is None else dict(self._selector.index_terms())
        self.priority = None if self._selector is None else self._selector.priority
        self.seek = self._seek(terms)

    def _seek(self, terms: dict[str, object]) -> list[dict[str, object]]:
        """Return the equalities to seek by; positions need a scan of the whole queue."""
        if self._selection.first is not None or self._selection.last is not None:
            return []
        for field, values in self._ids.items():
            if _NONE not in values:  # an identifier of zeros is not indexed
                return [{field: value} for value in dict.fromkeys(values)]
        return [terms] if messages.is_sought(terms) else []

    def predicate(self, now: int) -> Predicate:
        """Return a predicate that is true for every selected message, for the store to filter by."""
        of_selector = ANYTHING if self._selector is None else self._selector.predicate
        return every([of_selector, _predicate_of(self._selection, now)])

    def holds(self, stored: StoredMessage, now: int) -> bool:
        """Return whether all conditions are true; the data is read last, and only if a condition needs it."""
        chosen = self._selection
        if any(getattr(stored.md, field) not in values for field, values in self._ids.items()):
            return False
        if (chosen.older_s is not None or chosen.newer_s is not None) and not self._has_age(stored, now):
            return False
        if self._selector is not None and not search.selects(self._selector, stored, now):
            return False
        if chosen.reason is not None and self._reason(stored) != chosen.reason:
            return False
        asks = chosen.grep or chosen.grep_hex or chosen.not_grep or chosen.not_grep_hex
        return not asks or self._data_holds(stored)

    def _has_age(self, stored: StoredMessage, now: int) -> bool:
        age_s = (now - put_time_of(stored)) / 1000
        older_s, newer_s = self._selection.older_s, self._selection.newer_s
        return (older_s is None or age_s >= older_s) and (newer_s is None or age_s <= newer_s)

    def _reason(self, stored: StoredMessage) -> int | None:
        if stored.md.format != MQFMT_DEAD_LETTER_HEADER:
            return None
        try:
            return dead_letter_header(stored.md, self._load(stored, MQDLH_LENGTH_1)).reason
        except MQError:
            return None

    def _data_holds(self, stored: StoredMessage) -> bool:
        chosen = self._selection
        data = self._load(stored, None)
        if chosen.grep_hex not in data or any(raw in data for raw in chosen.not_grep_hex):
            return False
        if not chosen.grep and not chosen.not_grep:
            return True
        fold = str.casefold if chosen.ignore_case else str
        text = fold(_text_of(stored, data))
        return fold(chosen.grep) in text and not any(fold(word) in text for word in chosen.not_grep)


def _predicate_of(selection: Selection, now: int) -> Predicate:
    """Return what the data, the format and the put time must satisfy. now: milliseconds since 1970."""
    predicates: list[Predicate] = []
    if selection.reason is not None:
        predicates.append(Condition("format", "=", MQFMT_DEAD_LETTER_HEADER))
    if selection.grep_hex:
        predicates.append(Condition("data", "has bytes", selection.grep_hex))
    if selection.grep:
        predicates.append(pushdown.of_text(selection.grep, ignore_case=selection.ignore_case))
    if selection.older_s is not None:
        predicates.append(pushdown.of_put_time("<", now - selection.older_s * 1000 + 1))
    if selection.newer_s is not None:
        predicates.append(pushdown.of_put_time(">", now - selection.newer_s * 1000 - 1))
    return every(predicates)


def put_time_of(stored: StoredMessage) -> int:
    """Return the put time in the descriptor, else the arrival time, in milliseconds since 1970."""
    put_at = put_at_ms(stored.md.put_date, stored.md.put_time)
    return stored.put_at if put_at is None else put_at


def _text_of(stored: StoredMessage, data: bytes) -> str:
    """Return the text after the MQ headers, decoded as they describe it; all data as Latin-1 if it is not text."""
    md = stored.md
    _, body, encoding, ccsid = split_at_body(data, md.format, md.encoding, md.coded_char_set_id)
    try:
        return decode_text(body, ccsid, encoding)
    except MQError:
        return data.decode("latin-1")


def _complete_ids(
    field: str, prefixes: tuple[bytes, ...], ids_with_prefix: Callable[[str, bytes], list[bytes]]
) -> list[bytes]:
    """Complete prefixes of identifiers; an unknown prefix is padded, so that it finds nothing."""
    return [
        prefix if is_whole_id(prefix) else complete_id(field, prefix, ids_with_prefix(field, prefix))
        for prefix in prefixes
    ]


def find_with_prefix(descriptors: Iterable[MQMD], field: str, prefix: bytes) -> list[bytes]:
    """Return different identifiers that begin with a prefix, two at most: no more descriptors are read."""
    found: dict[bytes, None] = {}
    for md in descriptors:
        value: bytes = getattr(md, field)
        if begins_with(value, prefix):
            found[value] = None
            if len(found) > 1:
                break
    return list(found)


def complete_id(field: str, prefix: bytes, found: list[bytes]) -> bytes:
    """Return the identifier with a prefix; the prefix padded, to find nothing, where there is none.

    field: its name, or words for it, for the error.  found: identifiers with the prefix, two are enough.
    Raises MQError: MQRC_MSG_ID_ERROR when several have it.
    """
    if len(found) > 1:
        raise MQError(
            f"{field} {prefix.hex().upper()} is the prefix of several identifiers",
            MQRC_MSG_ID_ERROR,
            hint=f"candidates: {found[0].hex().upper()}, {found[1].hex().upper()}",
        )
    return found[0] if found else prefix.ljust(_ID_LENGTH, b"\0")
