"""Host of a REST server: its queue manager, the connections that its threads use, and who may use them.

Calls of a queue manager block, so threads make them. Each call has a connection of its user to itself, from a pool.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from threading import Lock
from typing import TypeVar

from mqtools.admin import connection_authentication, error_log, users
from mqtools.admin.error_log import Inserts
from mqtools.admin.users import PasswordProofs
from mqtools.calls.connections import Application, open_session
from mqtools.constants import reasons as rc
from mqtools.errors import MQError, StorageError
from mqtools.mqi.connection import Connection
from mqtools.rest.errors import RestError, status_of
from mqtools.rest.identity import Basic, Identity, LoginSessions
from mqtools.store.queues import qmgr

Result = TypeVar("Result")

_APPLICATION = "mqx REST"
#: Threads that make calls, and threads that verify passwords: each of those takes tens of megabytes.
_CALLERS, _VERIFIERS = 8, 2
#: Passwords that wait for being verified. One more is refused at once.
_MOST_LOGINS = 32
#: Connections that no call uses at the moment.
_MOST_IDLE = 16


def discard(connection: Connection) -> None:
    """Back out what a connection has begun, and disconnect."""
    with suppress(MQError):  # it may have been ended from outside
        if not connection.has_ended:
            connection.backout(counts=False)
    with suppress(MQError):
        connection.disconnect()


class NotProved(RestError):
    """Raised to answer a request whose user is not proved. number: MQWB* of what it lacks."""


@dataclass(kw_only=True)
class RestHost:
    """Shared state of the requests of a server.

    path, q_mgr_name: of the queue manager.  connect: returns a connection of the owner.  note: takes a text for the
    operator.  names: of this host in Host headers.  takes_addresses: any address is one too, else those of loopback.
    is_secure: the server uses TLS.  most_connections: clients at a time.  most_waits: gets that wait at a time, unless
    given half of these.
    max_length: MAXMSGL of the queue manager as the last call has seen it, in bytes.  ending: set when the server ends.
    """

    path: str
    q_mgr_name: str
    connect: Callable[[], Connection]
    note: Callable[[str], None]
    names: frozenset[str] = frozenset(("localhost",))
    takes_addresses: bool = False
    is_secure: bool = False
    most_connections: int = 100
    most_waits: int = 0
    max_length: int = 4 << 20
    sessions: LoginSessions = field(default_factory=LoginSessions)
    proofs: PasswordProofs = field(default_factory=PasswordProofs)
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    waits: int = 0

    def __post_init__(self) -> None:
        self.most_waits = self.most_waits or self.most_connections // 2
        self._idle: deque[tuple[str, Connection]] = deque()
        self._lock = Lock()
        self._callers = ThreadPoolExecutor(_CALLERS, "rest")
        self._verifiers = ThreadPoolExecutor(_VERIFIERS, "rest-login")
        self._logins = 0

    def close(self) -> None:
        """End the threads, and disconnect."""
        self._callers.shutdown()
        self._verifiers.shutdown()
        while self._idle:
            discard(self._idle.popleft()[1])

    async def in_thread(self, function: Callable[[], Result]) -> Result:
        """Run a function in one of the threads that make calls, to its end also when this task is cancelled.

        So no other thread uses its connection meanwhile.
        """
        running = asyncio.get_running_loop().run_in_executor(self._callers, function)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait((running,))
            raise

    async def call(self, identity: Identity, function: Callable[[Connection], Result]) -> Result:
        """Run a function with a connection of a user in a thread.

        Raises RestError for a user that is not proved, MQError as MQCONN and the function.
        """
        return await self.proved(identity, partial(self._call, identity, function))

    async def proved(self, identity: Identity, function: Callable[[], Result]) -> Result:
        """Run a function in a thread; if it raises NotProved, verify the password and run it again."""
        try:
            return await self.in_thread(function)
        except NotProved:
            await self.verify(identity)
        return await self.in_thread(function)

    async def verify(self, identity: Identity) -> bytes:
        """Verify the password of a user; return its digest. Raises RestError, after a delay for a wrong password."""
        if not isinstance(identity, Basic):
            raise NotProved(identity.refusal)
        if self._logins >= _MOST_LOGINS:
            raise RestError("MQWB0905E", "Too many logins wait.")
        self._logins += 1
        try:
            digest, delay_s = await asyncio.get_running_loop().run_in_executor(
                self._verifiers, partial(self._verify, identity)
            )
        finally:
            self._logins -= 1
        if digest:
            return digest
        await asyncio.sleep(delay_s)
        raise NotProved(identity.refusal)

    def _verify(self, identity: Basic) -> tuple[bytes, int]:
        """Return the digest of a right password; else none, and the delay of the refusal in seconds."""
        with self.connect() as owner:
            if self.proofs.verify(owner.db, identity.user, identity.password):
                return users.password_digest(owner.db, identity.user), 0
            error = MQError(f"REST: wrong user or password: {identity.user}", rc.MQRC_NOT_AUTHORIZED)
            error_log.note(owner, "AMQ5534E", error, Inserts(user=identity.user))
            return b"", connection_authentication.in_force(owner.db).fail_delay_s

    def take(self, identity: Identity) -> Connection:
        """Return a connection that acts with the authorities of a user, and that no other call uses.

        Raises NotProved, MQError as MQCONN.
        """
        with self._lock:
            found = next((each for each in self._idle if each[0] == identity.user), None)
            if found is not None:
                self._idle.remove(found)
        with self.connect() if found is None else nullcontext(found[1]) as connection:
            is_proved = identity.is_proved(connection.db)
        if found is not None and not is_proved:
            self._keep(*found)
        if not is_proved:
            raise NotProved(identity.refusal)
        if found is not None:
            return found[1]
        application = Application(user=identity.user, name=_APPLICATION, is_checked=True)
        return open_session(self.path, application=application).connection

    def _call(self, identity: Identity, function: Callable[[Connection], Result]) -> Result:
        connection = self.take(identity)
        try:
            self.max_length = qmgr(connection.db).max_msg_length
            result = function(connection)
        except BaseException as error:
            self.release(identity.user, connection, error)
            raise
        self.release(identity.user, connection)
        return result

    def release(self, user: str, connection: Connection, error: BaseException | None = None) -> None:
        """Return a connection to the pool after a call; after an error only if it can be used on."""
        is_usable = error is None or isinstance(error, RestError)
        if isinstance(error, MQError) and not isinstance(error, StorageError):
            is_usable = status_of(error) != HTTPStatus.SERVICE_UNAVAILABLE
        if is_usable and not connection.in_unit_of_work:
            self._keep(user, connection)
        else:
            discard(connection)

    def _keep(self, user: str, connection: Connection) -> None:
        """Keep a connection for the next call, in place of the one that was idle for the longest time."""
        with self._lock:
            self._idle.append((user, connection))
            oldest = self._idle.popleft()[1] if len(self._idle) > _MOST_IDLE else None
        if oldest is not None:
            discard(oldest)
