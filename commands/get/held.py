"""Gets of ``mqx get`` with a confirm id (left unconfirmed) or a lock id.

A get with a confirm id is made first and then written out; one that cannot be written is undone alone. A get by lock
id is written out first and then removed: the lock keeps the message meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQWI_UNLIMITED,
)
from mqtools.constants.states import BROWSE_GET_UNCONFIRMED, GET_UNCONFIRMED, LOCKED_FOR_BROWSE
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.formats.phrases import counted
from mqtools.lifecycle.verbs import GotMessage, get_message, undo_get
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import search
from mqtools.mqi.handle import Handle
from mqtools.mqi.identity import now_ms
from mqtools.operations.key_snapshot import locked_keys, select_keys
from mqtools.operations.selection import EVERYTHING
from mqtools.operations.stored_messages import load_data, load_message

from ..browse.browse import browse_messages
from ..browse.request import BrowseRequest
from ..shared import messages as _messages
from ..shared.command_session import NOTHING_THERE, PARTLY, WARNING, Session, Terminated, UsageError, end_on_sigterm
from ..shared.deferred_signals import DeferredSignals
from ..shared.holder_hint import print_holder_hint
from ..shared.read_only import connect_read_only
from .groups import convert_message
from .request import GetRequest, check_length

if TYPE_CHECKING:
    from mqtools.operations.stored_messages import StoredMessage


def get_held(session: Session, request: GetRequest, confirm_id: int, lock_id: bytes) -> int:
    """Get messages with a confirm id (not 0), a lock id (not empty) or both; return 3 when there were none."""
    if request.dry_run:
        return _show(session, request, lock_id)
    end_on_sigterm()
    writer = _messages.writer(
        session, default="raw", separator=request.ending, force=request.force, shape=request.shape
    )
    with session.connect(for_reader=bool(request.wait_ms)) as connection:
        writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
        source: _Unconfirmed | _Locked
        if confirm_id:
            source = _Unconfirmed(connection, request, confirm_id, lock_id)
        else:
            source = _Locked(connection, request, lock_id)
        delivery = _Delivery(request, writer, source, connection)
        try:
            delivery.run()
        except BrokenPipeError:
            raise
        except MQError as error:
            if not delivery.done:
                raise
            session.report_error(error, done=delivery.so_far())
            return PARTLY
        except (OSError, UsageError, KeyboardInterrupt, Terminated):
            if delivery.done:
                session.note(delivery.so_far())
            raise
        if not delivery.done:
            print_holder_hint(connection, session, request.queue, request.selection or EVERYTHING)
            return NOTHING_THERE
    return WARNING if delivery.has_warned else 0


@dataclass
class _Delivery:
    """Messages being delivered: written, and settled once they are.

    done: their number.  has_warned: whether any was truncated, or not converted.
    """

    _request: GetRequest
    _writer: _messages.MessageWriter
    _source: _Unconfirmed | _Locked
    _connection: Connection
    done: int = 0
    has_warned: bool = False
    _unwritten: list[GotMessage] = field(default_factory=list)

    def run(self) -> None:
        """Write the messages of the source; give back what could not be written."""
        try:
            for taken in islice(self._source.messages(), self._request.limit):
                self._unwritten.append(taken)
                self._write(taken)
                if not self._writer.is_holding:
                    self._settle()
            self._writer.finish()
        except (OSError, UsageError, KeyboardInterrupt, Terminated):
            for taken in self._unwritten:
                self._source.give_back(taken)
            raise
        except MQError:
            self._writer.finish()
            self._settle()
            raise
        self._settle()

    def so_far(self) -> str:
        """Return the balance of a run that ended early, in words."""
        return f"got so far: {counted(self.done)}"

    def _write(self, taken: GotMessage) -> None:
        request, message = self._request, taken.message
        warns = check_length(request, taken.data_length)
        if request.group_options is not None:
            reason = convert_message(message, request.group_options.ccsid, self._connection.ccsid, request.max_length)
            warns = warns or bool(reason)
        self.has_warned = self.has_warned or warns
        message.data = message.data[: request.max_length]
        self._writer.write(message, request.queue, self._source.state, self._source.lock_id or None)

    def _settle(self) -> None:
        """Settle all messages that have been written."""
        while self._unwritten:
            with DeferredSignals(self._connection):
                self._source.settle(self._unwritten.pop(0))
                self.done += 1


class _Unconfirmed:
    """Gets with a confirm id, of unlocked messages or those under a lock id."""

    def __init__(self, connection: Connection, request: GetRequest, confirm_id: int, lock_id: bytes) -> None:
        self.lock_id = lock_id
        self.state = BROWSE_GET_UNCONFIRMED if lock_id else GET_UNCONFIRMED
        self._connection = connection
        self._request = request
        self._confirm_id = confirm_id
        self._lost: set[int] = set()

    def messages(self) -> Iterator[GotMessage]:
        """Yield messages one by one, and wait for more if requested."""
        request = self._request
        if self.lock_id:
            keys = locked_keys(
                self._connection, request.queue, self.lock_id, request.selection or EVERYTHING, limit=request.limit
            )
            yield from self._by_keys(keys)
        elif request.selection is None or request.selection.is_everything:
            yield from self._first_come()
        else:
            yield from self._selected()

    def _first_come(self) -> Iterator[GotMessage]:
        waiting = _Wait(self._connection, self._request)
        while True:
            waiting.begin()
            taken = self._get()
            while taken is None:
                if not waiting.for_any():
                    return
                taken = self._get()
            yield taken

    def _selected(self) -> Iterator[GotMessage]:
        request = self._request
        assert request.selection is not None
        waiting = _Wait(self._connection, request)
        places = request.selection.first is not None or request.selection.last is not None
        last_look = False
        waiting.begin()
        while True:
            keys, lost_before = self._free_keys(), len(self._lost)
            for taken in self._by_keys(keys):
                yield taken
                waiting.begin()
            if places:
                return  # they are of the queue as it was
            if keys and (waiting.waits or len(self._lost) > lost_before):
                last_look = False
                continue
            if not waiting.waits or last_look:
                return
            last_look = not waiting.for_arrival(lambda: bool(self._free_keys()))

    def _free_keys(self) -> list[int]:
        request = self._request
        assert request.selection is not None
        limit = None if request.limit is None else request.limit + len(self._lost)
        keys = select_keys(self._connection, request.queue, request.selection, limit=limit)
        return [seq for seq in keys if seq not in self._lost]

    def _by_keys(self, keys: list[int]) -> Iterator[GotMessage]:
        for seq in keys:
            stored = load_message(self._connection, seq)
            if stored is not None:
                check_length(self._request, stored.data_length)
            taken = self._get(seq)
            if taken is None:
                self._lost.add(seq)  # another program was faster
            else:
                yield taken

    def _get(self, seq: int | None = None) -> GotMessage | None:
        try:
            return get_message(
                self._connection,
                self._request.queue,
                seq=seq,
                accept=self._accept,
                confirm_id=self._confirm_id,
                lock_id=self.lock_id,
                lease_s=self._request.lease_s,
            )
        except NoMessageAvailable:
            return None

    def _accept(self, stored: StoredMessage) -> bool:
        check_length(self._request, stored.data_length)
        return True

    def settle(self, taken: GotMessage) -> None:
        """Do nothing: the get stays unconfirmed."""

    def give_back(self, taken: GotMessage) -> None:
        """Undo one get and the reports it made; other gets under the confirm id stay."""
        undo_get(self._connection, taken.seq)


class _Locked:
    """Gets by lock id: a message is read, and removed once it is written out."""

    state = LOCKED_FOR_BROWSE

    def __init__(self, connection: Connection, request: GetRequest, lock_id: bytes) -> None:
        self.lock_id = lock_id
        self._connection = connection
        self._request = request

    def messages(self) -> Iterator[GotMessage]:
        """Yield the selected messages under the lock id; they stay locked."""
        request = self._request
        selection = request.selection or EVERYTHING
        for seq in locked_keys(self._connection, request.queue, self.lock_id, selection, limit=request.limit):
            with self._connection.reading():
                stored = load_message(self._connection, seq)
                if stored is None or stored.has_expired(now_ms()):
                    continue
                check_length(request, stored.data_length)
                # Data to convert is cut afterwards.
                data = load_data(self._connection, seq, None if request.group_options else request.max_length)
            stored.md.expiry = search.remaining_expiry(stored, now_ms())
            message = Message(data, stored.md, search.properties_of(stored), stored.deliver_at)
            yield GotMessage(message, seq, request.queue, stored.data_length)

    def settle(self, taken: GotMessage) -> None:
        """Remove a message that has been written out (LIFE-23)."""
        get_message(self._connection, self._request.queue, seq=taken.seq, lock_id=self.lock_id)

    def give_back(self, taken: GotMessage) -> None:
        """Do nothing: the message is still locked."""


class _Wait:
    """Wait of a get with a confirm id: on its own handle, opened when a wait begins."""

    def __init__(self, connection: Connection, request: GetRequest) -> None:
        self.waits = request.wait_ms != 0
        self._connection = connection
        self._request = request
        self._deadline: float | None = None
        self._handle: Handle | None = None

    def begin(self) -> None:
        """Start the wait time for one message."""
        wait_ms = self._request.wait_ms
        self._deadline = None if wait_ms == MQWI_UNLIMITED else time.monotonic() + wait_ms / 1000

    def for_any(self) -> bool:
        """Wait until there is a message; return False on timeout."""
        if not self.waits:
            return False
        left_ms = MQWI_UNLIMITED if self._deadline is None else max(0, int((self._deadline - time.monotonic()) * 1000))
        try:
            # Looking at nothing of it: no data is read, and nothing is changed.
            self._opened().get(MQGMO_BROWSE_FIRST | MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING, wait_ms=left_ms, max_length=0)
        except NoMessageAvailable:
            return False
        return True

    def for_arrival(self, look: Callable[[], bool]) -> bool:
        """Wait until a message arrives on the queue; return False on timeout.

        look: called once when no arrival can be missed any more; true ends the wait.
        """
        return self._opened().wait_for_arrival(self._deadline, look)

    def _opened(self) -> Handle:
        if self._handle is None:
            self._handle = self._connection.open(self._request.queue, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)
        return self._handle


def _show(session: Session, request: GetRequest, lock_id: bytes) -> int:
    """Print the messages that a get would remove, and leave them."""
    selection = request.selection or EVERYTHING
    if not lock_id:
        return browse_messages(
            session, BrowseRequest(request.queue, limit=request.limit, selection=selection, shape=request.shape)
        )
    writer = _messages.writer(session, shape=request.shape)
    with connect_read_only(session) as connection:
        writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
        shown = 0
        for taken in islice(_Locked(connection, request, lock_id).messages(), request.limit):
            writer.write(taken.message, request.queue, LOCKED_FOR_BROWSE, lock_id)
            shown += 1
        writer.finish()
    return 0 if shown else NOTHING_THERE
