"""Queues that are read by browsing them, as those of a queue manager elsewhere are: selection, and gets by token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

from mqtools.constants.message import MQEI_UNLIMITED, MQFMT_RF_HEADER_2
from mqtools.constants.objects import MQCA_BASE_Q_NAME, MQIA_CURRENT_Q_DEPTH, MQIA_Q_TYPE, MQQT_ALIAS
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_SYNCPOINT,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_NONE,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN
from mqtools.constants.states import ALONE, UNLOCKED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.formats.properties import properties_to_json
from mqtools.formats.units import put_at_ms
from mqtools.message import MQMD, Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.get.search import token_of
from mqtools.mqi.identity import now_ms
from mqtools.operations.selection import EVERYTHING, Selection, Test, find_with_prefix
from mqtools.predicates import is_whole_id
from mqtools.store.messages.stored_message import StoredMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from mqtools.mqi.interface import OpenQueue, QueueManagerConnection

#: Bytes of data that are read of each message where a display shows less; the rest is read when it is needed.
PREVIEW_BYTES = 1 << 16
#: Arrivals that are remembered, so that they are not yielded again with another handle.
_MOST_ARRIVED = 100_000
#: Seconds after which a connection that was made again counts as a good one.
_GOOD_S = 60.0
#: A browse without conversion of properties.
_AS_IT_IS = MQGMO_BROWSE_FIRST | MQGMO_PROPERTIES_FORCE_MQRFH2
#: Identifier of a descriptor, what matches it, and the attribute of a selection with those that are wanted.
_MATCHES = (
    ("msg_id", MQMO_MATCH_MSG_ID, "msg_ids"),
    ("correl_id", MQMO_MATCH_CORREL_ID, "correl_ids"),
    ("group_id", MQMO_MATCH_GROUP_ID, "group_ids"),
)


def depth_of(connection: QueueManagerConnection, q_name: str) -> int:
    """Return the current depth of a queue. Raises MQError as an open for inquiry does."""
    with connection.open(q_name, MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING) as queue:
        return int(queue.inquire([MQIA_CURRENT_Q_DEPTH])[0] or 0)


def base_of(connection: QueueManagerConnection, q_name: str) -> str:
    """Return the queue that an alias leads to; any other name as it is. Raises MQError where the connection ends."""
    try:
        with connection.open(q_name, MQOO_INQUIRE) as queue:
            kind, base = queue.inquire([MQIA_Q_TYPE, MQCA_BASE_Q_NAME])
    except MQError as error:
        if error.reason == MQRC_CONNECTION_BROKEN:
            raise
        return q_name
    return str(base).rstrip() if kind == MQQT_ALIAS else q_name


class BrowsedQueue:
    """An open queue whose messages are browsed, and got by their tokens. As a context manager it closes.

    A message's ``seq`` is the number of its token. It names the message as long as it is on the queue.
    connection: to its queue manager.  handle: of the queue, whose context is that of the last message got.
    """

    def __init__(
        self,
        connection: QueueManagerConnection,
        q_name: str,
        *,
        gets: bool = False,
        exact: Callable[[Message], Message] | None = None,
    ) -> None:
        """gets: open it for gets, too.  exact: makes a message of one whose properties are in an MQRFH2, byte for byte.

        Raises MQError as MQOPEN does.
        """
        options = MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING
        if gets:
            options |= MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT
        self.connection = connection
        self._options = options
        self._exact = exact if connection.file is None else None
        self.handle: OpenQueue = connection.open(q_name, options)
        self.name = q_name
        self._arrived: dict[int, None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.handle.__exit__(*error)

    def close(self) -> None:
        """MQCLOSE, unless the connection has ended."""
        self.handle.__exit__(None, None, None)

    def select(
        self, selection: Selection = EVERYTHING, *, limit: int | None = None, max_length: int | None = None
    ) -> Iterator[StoredMessage]:
        """Yield the selected messages with their data in the order of delivery, as ``selection.select`` does.

        max_length: bytes of data to read of each, None for all.
        Raises MQError: MQRC_MSG_ID_ERROR for an ambiguous prefix of an identifier, MQRC_SELECTOR_SYNTAX_ERROR.
        """
        test = Test(selection, self.ids_with_prefix, self.load)
        places = selection.first is not None or selection.last is not None
        found = 0
        for place, result in enumerate(self._browse(max_length, {} if places else _match(selection)), 1):
            if selection.last is not None and place > selection.last:
                return
            stored = self._as_stored(result)
            if (selection.first is None or place >= selection.first) and test.holds(stored, now_ms()):
                yield stored
                found += 1
                if found == limit:
                    return

    def arrivals(self, selection: Selection, *, wait_ms: int, max_length: int | None = None) -> Iterator[StoredMessage]:
        """Yield each selected message once: present ones, then those that arrive within a time.

        It is called again for the next ones. A message that comes in front of others is found, too. After the
        connection broke it goes on, and leaves out the last messages that were yielded before. It gives up a connection
        that breaks again and again, soon and without a new message (MQRC_CONNECTION_BROKEN).
        """
        test = Test(selection, self.ids_with_prefix, self.load)
        options = MQGMO_BROWSE_FIRST | MQGMO_UNMARKED_BROWSE_MSG | MQGMO_MARK_BROWSE_HANDLE | MQGMO_FAIL_IF_QUIESCING
        breaks: list[float] = []
        while True:
            try:
                result = self._get(options | (MQGMO_WAIT if wait_ms else 0), max_length, wait_ms=wait_ms)
            except NoMessageAvailable:
                return
            except MQError as error:
                breaks = [at for at in breaks if monotonic() - at < _GOOD_S]
                if error.reason != MQRC_CONNECTION_BROKEN or not self.handle.resume(len(breaks)):
                    raise
                breaks.append(monotonic())
                continue
            number = number_of(result)
            if number in self._arrived:
                continue
            breaks.clear()
            self._arrived[number] = None
            if len(self._arrived) > _MOST_ARRIVED:
                del self._arrived[next(iter(self._arrived))]
            stored = self._as_stored(result)
            if test.holds(stored, now_ms()):
                yield stored

    def _as_stored(self, result: GetResult) -> StoredMessage:
        """Return a message for selection. One whose properties were cut off is read again, as a whole."""
        stored = as_stored(result)
        if len(result.message.data) < result.data_length and result.message.md.format == MQFMT_RF_HEADER_2:
            with BrowsedQueue(self.connection, self.name) as other:  # the cursor of this one stays
                whole = other.browse(stored.seq)
            return stored if whole is None else as_stored(whole)
        return stored

    def tokens(self) -> Iterator[tuple[int, int]]:
        """Yield the number of each message and its backout count, without reading its data."""
        for result in self._browse(0, {}):
            yield number_of(result), result.message.md.backout_count

    def load(self, stored: StoredMessage, limit: int | None = None) -> bytes:
        """Return the data of a message that was found, at most limit bytes; empty when it is gone."""
        data = stored.data or b""
        if len(data) < stored.data_length and (limit is None or len(data) < limit):
            with BrowsedQueue(self.connection, self.name) as other:  # the cursor of this one stays
                result = other.browse(stored.seq)
            data = b"" if result is None else result.message.data
        return data if limit is None else data[:limit]

    def browse(self, seq: int) -> GetResult | None:
        """Browse a message by its number; None when it is gone."""
        found = self._by_token(_AS_IT_IS if self._exact else MQGMO_BROWSE_FIRST, seq)
        return found if found is None else self._as_exact(found)

    def lock(self, seq: int, *, takes: bool) -> Message | None:
        """Browse a message by its number with its data exactly as they are, properties included; None when it is gone.

        takes: no other program gets it until ``take_locked`` or the next call.
        """
        result = self._by_token(_AS_IT_IS | (MQGMO_LOCK if takes else 0), seq)
        return None if result is None else result.message

    def take_locked(self) -> GetResult:
        """Get the message that ``browse`` has locked, in the unit of work."""
        return self.handle.get(MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING)

    def take(self, seq: int) -> GetResult | None:
        """Get a message by its number in the unit of work; None when it is gone."""
        return self._by_token(MQGMO_SYNCPOINT, seq)

    def _by_token(self, options: int, seq: int) -> GetResult | None:
        try:
            return self.handle.get(
                options | MQGMO_FAIL_IF_QUIESCING, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token_of(seq)
            )
        except NoMessageAvailable:
            return None

    def _browse(self, max_length: int | None, match: dict[str, bytes]) -> Iterator[GetResult]:
        options = MQGMO_BROWSE_FIRST
        while True:
            try:
                yield self._get(options | MQGMO_FAIL_IF_QUIESCING, max_length, match)
            except NoMessageAvailable:
                return
            options = MQGMO_BROWSE_NEXT

    def _get(
        self, options: int, max_length: int | None, match: dict[str, bytes] | None = None, *, wait_ms: int = 0
    ) -> GetResult:
        fits = MQMO_NONE
        for field, option, _ in _MATCHES:
            fits |= option if match and field in match else MQMO_NONE
        options |= 0 if max_length is None else MQGMO_ACCEPT_TRUNCATED_MSG
        md = MQMD().replace(**match) if match else None
        result = self.handle.get(
            options | (MQGMO_PROPERTIES_FORCE_MQRFH2 if self._exact else 0),
            md=md,
            match_options=fits,
            wait_ms=wait_ms,
            max_length=max_length,
        )
        return result if max_length is not None else self._as_exact(result)

    def _as_exact(self, result: GetResult) -> GetResult:
        if self._exact:
            result.message = self._exact(result.message)
            result.data_length = len(result.message.data)
        return result

    def ids_with_prefix(self, field: str, prefix: bytes) -> list[bytes]:
        """Return up to two different values of an identifier that begin with a prefix."""
        return sorted(find_with_prefix((result.message.md for result in self._browse(0, {})), field, prefix))


def _match(selection: Selection) -> dict[str, bytes]:
    """Return the identifiers that a get matches: a selection has one complete value for each."""
    wanted = ((field, getattr(selection, name)) for field, _, name in _MATCHES)
    return {field: ids[0] for field, ids in wanted if len(ids) == 1 and is_whole_id(ids[0]) and any(ids[0])}


def as_stored(result: GetResult) -> StoredMessage:
    """Return a message that was browsed as a stored one, which selections and displays are about."""
    message, now = result.message, now_ms()
    md = message.md
    put_at = put_at_ms(md.put_date, md.put_time)
    return StoredMessage(
        seq=number_of(result),
        queue_id=0,
        state=UNLOCKED,
        completeness=ALONE,
        order_key=0,
        holder_id=None,
        lock_id=None,
        expires_at=None if md.expiry == MQEI_UNLIMITED else now + md.expiry * 100,
        put_at=now if put_at is None else put_at,
        properties=properties_to_json(message.properties),
        data_length=result.data_length,
        md=md,
        data=message.data,
    )


def number_of(result: GetResult) -> int:
    """Return the number of the token of a message from a get or browse."""
    return int.from_bytes(result.msg_token, "big")
