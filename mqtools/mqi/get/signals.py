"""MQGMO_SET_SIGNAL: a get that finds nothing returns at once, and a signal is posted when a message comes.

A signal posts an event code, MQEC_*, once. It calls a function with the code in a thread of ours, or writes the code
to a file descriptor as a line of ASCII (``b"2\\n"``), so that a program can wait for several queues with select or
poll. A signal reserves nothing: the program gets the message with another call, and another program may be faster
(WAIT-34, WAIT-40).

Each outstanding signal is watched by a thread that sleeps as a waiting get does, on its own connection:
that of the program is for the program's thread only.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from copy import copy

from mqtools.constants.options import (
    MQEC_MSG_ARRIVED,
    MQEC_Q_MGR_QUIESCING,
    MQEC_WAIT_CANCELED,
    MQEC_WAIT_INTERVAL_EXPIRED,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import MQRC_Q_MGR_QUIESCING, MQRC_SIGNAL1_ERROR, MQRC_SIGNAL_REQUEST_ACCEPTED
from mqtools.errors import MQError, StorageError
from mqtools.message import Message
from mqtools.mqi.base_connection import BaseConnection
from mqtools.mqi.get import waiters
from mqtools.mqi.get.request import Attempt, GetRequest, GetResult, Wait
from mqtools.mqi.get.select_message import select
from mqtools.mqi.handle_state import HandleState
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.store import holders
from mqtools.store.liveness import ring
from mqtools.store.open_database import open_database

#: Reason that a call would fail with now to the event code of its signal. One not listed cancels it (WAIT-38).
_EVENTS = {MQRC_Q_MGR_QUIESCING: MQEC_Q_MGR_QUIESCING}

#: Seconds that a close waits for the thread to end; only a program that holds the file itself can delay it.
_PATIENCE_S = 10.0

_OUTSTANDING, _POSTED, _DROPPED = range(3)


def accept(request: GetRequest) -> GetResult:
    """Set the signal of a get that found nothing; descriptor and data are as they were (WAIT-31, WAIT-33).

    Raises MQError: MQRC_SIGNAL1_ERROR when the target is neither a function nor a writable descriptor (WAIT-32).
    """
    signal = Signal(request, _Target(request.signal))
    signal.start()
    request.handle.signal = signal
    return GetResult(Message(md=request.md), MQRC_SIGNAL_REQUEST_ACCEPTED, 0, "")


class _Target:
    """Destination of a signal. A descriptor is duplicated: the program may close its own and the number be reused."""

    def __init__(self, signal: Callable[[int], object] | int | None) -> None:
        self._call: Callable[[int], object] | None = None
        self._descriptor = -1
        if callable(signal):
            self._call = signal
        else:
            self._descriptor = _writable_copy(signal)

    def post(self, code: int) -> None:
        """Call the function, or write the line; a reader that has closed or does not read misses it."""
        if self._call is not None:
            self._call(code)
            return
        try:
            os.write(self._descriptor, b"%d\n" % code)
        except OSError:
            return  # the reader is gone

    def close(self) -> None:
        """Close the duplicate."""
        if self._call is None:
            os.close(self._descriptor)


def _writable_copy(descriptor: int | None) -> int:
    try:
        if isinstance(descriptor, bool) or not isinstance(descriptor, int):
            raise ValueError("neither a function nor a number")
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise ValueError("open for reading only")
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 0)
    except (OSError, ValueError, OverflowError) as error:
        raise MQError(f"{descriptor!r} cannot be signalled: {error}", MQRC_SIGNAL1_ERROR) from error


class Signal:
    """A signal of a handle: outstanding, then posted once or dropped with the handle.

    The handle stays written down as waiting until the program comes for the message that was announced:
    gets that wait for any message leave it one that it asked for by its identifiers (WAIT-39).
    """

    def __init__(self, request: GetRequest, target: _Target) -> None:
        self._caller = request.handle
        self._target = target
        self._state = _OUTSTANDING
        self._turn = threading.Lock()
        self._released = threading.Event()
        self._others: list[bytes] = []
        self._until: int | None = None
        self._deadline = time.monotonic() + request.wait_ms / 1000 if request.wait_ms > 0 else None  # AMB-42
        try:
            self._connection = _connection_like(request.handle.connection)
        except BaseException:
            target.close()
            raise
        self._attempt = Attempt(_copy_for(self._connection, request))
        self._attempt.wait = Wait(MQWI_UNLIMITED)

    @property
    def is_outstanding(self) -> bool:
        """Whether it can still be posted (WAIT-19, WAIT-41)."""
        return self._state == _OUTSTANDING

    def start(self) -> None:
        """Record the waiter, search once more, as a message may have arrived meanwhile, and watch."""
        try:
            code = self._search() or self._search()
            threading.Thread(target=self._watch, args=(code,), name="mqx signal", daemon=True).start()
        except BaseException:
            self._release()
            self._target.close()
            raise

    def settle(self, work: Work) -> None:
        """Remove the waiter of a posted signal: the program is getting its message."""
        if not self.is_outstanding:
            self._caller.signal = None
            if holders.remove_waiter(work.db, self._caller.id):
                work.wake_each(holders.general_waiters(work.db, self._caller.queue_id))

    def drop(self) -> None:
        """Cancel the signal (WAIT-37). A function that is being called may still be running."""
        with self._turn:
            if self._state == _OUTSTANDING:
                self._state = _DROPPED
        presence = self._connection.presence
        if presence is not None:
            ring(self._connection.db.run_folder, presence.token)
        self._released.wait(_PATIENCE_S)

    def _watch(self, code: int | None) -> None:
        """Wait for the event, release everything, then post it."""
        try:
            if code is None:
                code = self._sleep()
        except MQError:
            code = MQEC_WAIT_CANCELED  # the next call of the program says why
        finally:
            self._release()
            try:
                if self._ends():
                    self._target.post(MQEC_WAIT_CANCELED if code is None else code)
            finally:
                self._target.close()

    def _ends(self) -> bool:
        """Count as posted from now on; return whether it had not been dropped before."""
        with self._turn:
            if self._state == _DROPPED:
                return False
            self._state = _POSTED
            return True

    def _sleep(self) -> int:
        """Sleep and search until there is an event to post; return its code."""
        presence = self._connection.presence
        assert presence is not None
        while True:
            left = None if self._deadline is None else self._deadline - time.monotonic()
            presence.wait(waiters.limit_wait(left, self._until), self._others)
            if self._state == _DROPPED:
                return MQEC_WAIT_CANCELED
            code = self._search()
            if code is not None:
                return code

    def _search(self) -> int | None:
        """Search to the end, in several transactions where it takes long."""
        while True:
            with self._connection.work() as work:
                code = self._look(work)
            if not self._attempt.scan_ahead():
                return code

    def _look(self, work: Work) -> int | None:
        """Search once, as the call would; return the code to post, None to continue waiting."""
        try:
            found = select(work, self._attempt)
        except StorageError:
            raise
        except MQError as error:
            waiters.remove_waiter(work, self._attempt)
            return _EVENTS.get(error.reason, MQEC_WAIT_CANCELED)
        if found is not None:
            self._announce(work)
            return MQEC_MSG_ARRIVED
        if self._attempt.is_paused:
            return None
        if self._deadline is not None and time.monotonic() >= self._deadline:
            waiters.remove_waiter(work, self._attempt)
            return MQEC_WAIT_INTERVAL_EXPIRED
        self._others, self._until = waiters.record_waiter(work, self._attempt)
        return None

    def _announce(self, work: Work) -> None:
        """Transfer the waiter to the program's own connection, or remove it where no message is left to it."""
        presence = self._caller.connection.presence
        if presence is not None and waiters.is_preferred(self._attempt.request):
            holders.transfer_waiter(work.db, self._caller.id, presence.token)
        else:
            waiters.remove_waiter(work, self._attempt)

    def _release(self) -> None:
        """Disconnect and ignore errors: when the queue manager has ended there is nothing left to remove."""
        try:
            with suppress(MQError):
                self._connection.disconnect()
        finally:
            self._released.set()


def _connection_like(caller: ConnectionState) -> BaseConnection:
    """Connect to the same start of the same queue manager, also while it is quiescing (WAIT-50)."""
    connection = BaseConnection(
        open_database(caller.db.path), appl_name=caller.appl_name, user_identifier=caller.user_identifier
    )
    connection.starts = caller.starts
    return connection


def _copy_for(connection: BaseConnection, request: GetRequest) -> GetRequest:
    """Copy the request as it was made: later changes of the handle and the descriptor do not count."""
    handle: HandleState = copy(request.handle)
    handle.connection = connection
    handle.signal = None
    md = None if request.md is None else request.md.replace()
    return GetRequest(handle, request.options, request.match_options, md, request.wait_ms, None, request.msg_token)
