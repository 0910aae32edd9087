"""A queue manager in plain Python, as slow and obvious as possible: what the real one must agree with.

Time stands still unless ``now_ms`` is moved. The dead are noticed where the real one notices them: by a get
that finds nothing, a put on a full queue, an open that is refused.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

from mqtools.constants.reasons import (
    MQRC_GET_INHIBITED,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NO_MSG_LOCKED,
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_NONE,
    MQRC_OBJECT_IN_USE,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)

PUT_UNCONFIRMED, UNLOCKED, LOCKED, GET_UNCONFIRMED, _, DELAYED = range(6)


class Refused(Exception):
    """Raised when a call fails, with its reason; the model is as it was before."""

    def __init__(self, reason: int) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(eq=False)
class ModelMessage:
    """A message with all that a get shows of it."""

    number: int
    data: bytes
    msg_id: bytes
    correl_id: bytes
    priority: int
    persistent: bool
    expires_at: int | None
    deliver_at: int | None = None
    state: int = UNLOCKED
    owner: ModelConnection | None = None
    locker: ModelHandle | None = None
    backout_count: int = 0


@dataclass(eq=False)
class ModelQueue:
    """A queue; messages in the order of delivery."""

    name: str
    fifo: bool
    max_depth: int
    inhibit_get: bool = False
    inhibit_put: bool = False
    arrivals: int = 0
    messages: list[ModelMessage] = field(default_factory=list)

    def place(self, message: ModelMessage) -> tuple[int, int]:
        """Where a message stands: smaller comes first."""
        return (0 if self.fifo else -message.priority, message.number)

    def add(self, message: ModelMessage) -> None:
        self.messages.append(message)
        self.messages.sort(key=self.place)

    @property
    def depth(self) -> int:
        return sum(message.state != GET_UNCONFIRMED for message in self.messages)

    @property
    def uncommitted(self) -> int:
        return sum(message.state in (PUT_UNCONFIRMED, GET_UNCONFIRMED) for message in self.messages)


@dataclass(eq=False)
class ModelConnection:
    """A connection; a dead one stays until somebody notices."""

    alive: bool = True
    registered: bool = False
    handles: list[ModelHandle] = field(default_factory=list)


@dataclass(eq=False)
class ModelHandle:
    """An open queue with its cursor (a message and its place) and its lock."""

    connection: ModelConnection
    queue: ModelQueue
    exclusive: bool = False
    cursor: ModelMessage | None = None
    place: tuple[int, int] | None = None
    locked: ModelMessage | None = None


@dataclass
class Got:
    """What a get shows its caller."""

    reason: int
    data: bytes
    data_length: int
    msg_id: bytes
    correl_id: bytes
    priority: int
    backout_count: int
    expiry: int


class ModelQueueManager:
    """All queues and connections; each method is a verb."""

    def __init__(self, queues: list[ModelQueue], now_ms: int) -> None:
        self.queues = {queue.name: queue for queue in queues}
        self.connections: list[ModelConnection] = []
        self.branches: list[ModelConnection] = []
        self.now_ms = now_ms

    # Connections and handles

    def connect(self) -> ModelConnection:
        connection = ModelConnection()
        self.connections.append(connection)
        return connection

    def open(self, connection: ModelConnection, q_name: str, *, exclusive: bool) -> ModelHandle:
        queue = self.queues[q_name]
        if self._in_use(queue, exclusive):
            dead = [other for other in self.connections if not other.alive and self._has_open(other, queue)]
            if self._in_use(queue, exclusive, without=dead):
                raise Refused(MQRC_OBJECT_IN_USE)
            for other in dead:
                self.release(other)
        handle = ModelHandle(connection, queue, exclusive)
        connection.handles.append(handle)
        connection.registered = True
        return handle

    def _in_use(self, queue: ModelQueue, exclusive: bool, without: list[ModelConnection] | None = None) -> bool:
        opened = [
            handle
            for connection in self.connections
            if connection not in (without or [])
            for handle in connection.handles
            if handle.queue is queue
        ]
        return any(exclusive or handle.exclusive for handle in opened)

    def _has_open(self, connection: ModelConnection, queue: ModelQueue) -> bool:
        return any(handle.queue is queue for handle in connection.handles)

    def close(self, handle: ModelHandle) -> None:
        self.unlock(handle)
        handle.connection.handles.remove(handle)

    def disconnect(self, connection: ModelConnection) -> None:
        self.commit(connection)
        self.release(connection)

    def die(self, connection: ModelConnection) -> None:
        connection.alive = False
        if not connection.registered:
            self.connections.remove(connection)

    def release(self, connection: ModelConnection) -> None:
        """What is left of a connection is undone."""
        self.backout(connection)
        for handle in list(connection.handles):
            self.close(handle)
        self.connections.remove(connection)

    def recover(self, queue: ModelQueue | None = None) -> bool:
        """Release the dead, or those of them that hold messages of a queue, and deliver what is due."""
        for due in self.queues.values() if queue is None else (queue,):
            self._deliver(due)
        dead = [
            connection
            for connection in self.connections
            if not connection.alive and (queue is None or self._holds(connection, queue))
        ]
        for connection in dead:
            self.release(connection)
        return bool(dead)

    def _holds(self, connection: ModelConnection, queue: ModelQueue) -> bool:
        return any(
            message.owner is connection or (message.locker is not None and message.locker.connection is connection)
            for message in queue.messages
        )

    # Units of work

    def commit(self, connection: ModelConnection) -> None:
        for queue, message in self._of(connection):
            if message.state == GET_UNCONFIRMED:
                queue.messages.remove(message)
            else:
                is_delayed = message.deliver_at is not None and message.deliver_at > self.now_ms
                message.state, message.owner = DELAYED if is_delayed else UNLOCKED, None

    def backout(self, connection: ModelConnection) -> None:
        for queue, message in self._of(connection):
            if message.state == PUT_UNCONFIRMED:
                queue.messages.remove(message)
            else:
                message.state, message.owner = UNLOCKED, None
                message.backout_count += 1

    def _of(self, connection: ModelConnection) -> list[tuple[ModelQueue, ModelMessage]]:
        return [(q, m) for q in self.queues.values() for m in q.messages if m.owner is connection]

    def prepare(self, connection: ModelConnection, branch: ModelConnection) -> bool:
        """Move the unit of work to a branch, which never dies."""
        held = self._of(connection)
        for _, message in held:
            message.owner = branch
        if held:
            self.branches.append(branch)
        return bool(held)

    def end(self, branch: ModelConnection, *, commits: bool) -> None:
        (self.commit if commits else self.backout)(branch)
        self.branches.remove(branch)

    # Put

    def put(self, connection: ModelConnection, q_name: str, given: ModelMessage, expiry: int, *, held: bool) -> None:
        """expiry: tenths of a second, -1 unlimited."""
        queue = self.queues[q_name]
        if queue.inhibit_put:
            raise Refused(MQRC_PUT_INHIBITED)
        if queue.depth >= queue.max_depth and not self._makes_room(queue):
            raise Refused(MQRC_Q_FULL)
        queue.arrivals += 1
        message = copy.copy(given)
        message.number = queue.arrivals
        message.expires_at = None if expiry < 0 else self.now_ms + 100 * expiry
        if message.deliver_at is not None:
            message.deliver_at += self.now_ms
            message.state = DELAYED
        if held:
            message.state, message.owner = PUT_UNCONFIRMED, connection
            connection.registered = True
        queue.add(message)

    def _makes_room(self, queue: ModelQueue) -> bool:
        """A put that fails in spite of what the dead give back changes nothing."""
        if not queue.uncommitted:
            return False
        back = 0
        for message in queue.messages:
            if message.owner is not None and not message.owner.alive:
                back += 1 if message.state == PUT_UNCONFIRMED else -1
        if queue.depth - back >= queue.max_depth:
            return False
        return self.recover(queue)

    # Get

    def get(
        self,
        handle: ModelHandle,
        kind: str,
        *,
        msg_id: bytes = b"",
        correl_id: bytes = b"",
        held: bool = False,
        lock: bool = False,
        max_length: int | None = None,
        accept: bool = False,
    ) -> Got:
        """kind: get, first, next, at (browse under cursor), take (get under cursor)."""
        queue = handle.queue
        if queue.inhibit_get:
            raise Refused(MQRC_GET_INHIBITED)
        self._deliver(queue)
        message = self._find(handle, kind, msg_id, correl_id)
        if message is None and any(m.state != UNLOCKED for m in queue.messages) and self.recover(queue):
            message = self._find(handle, kind, msg_id, correl_id)
        if message is None:
            if kind in ("first", "next"):
                self.unlock(handle)
            raise Refused(MQRC_NO_MSG_UNDER_CURSOR if kind in ("at", "take") else MQRC_NO_MSG_AVAILABLE)
        return self._hand_over(handle, kind, message, held, lock, max_length, accept)

    def _deliver(self, queue: ModelQueue) -> None:
        """Make available what is due, as if it arrived now."""
        due = [m for m in queue.messages if m.state == DELAYED and (m.deliver_at or 0) <= self.now_ms]
        for message in sorted(due, key=lambda m: (m.deliver_at or 0, m.number)):
            queue.arrivals += 1
            message.state, message.number = UNLOCKED, queue.arrivals
        queue.messages.sort(key=queue.place)

    def _find(self, handle: ModelHandle, kind: str, msg_id: bytes, correl_id: bytes) -> ModelMessage | None:
        queue = handle.queue
        if kind in ("at", "take"):
            candidates = [m for m in queue.messages if m is handle.cursor]
        else:
            candidates = [
                m
                for m in queue.messages
                if (not msg_id or m.msg_id == msg_id)
                and (not correl_id or m.correl_id == correl_id)
                and not (kind == "next" and handle.place is not None and queue.place(m) <= handle.place)
            ]
        for message in candidates:
            if message.state == UNLOCKED or message is handle.locked:
                if message.expires_at is None or message.expires_at > self.now_ms:
                    return message
                if message.state == UNLOCKED:
                    queue.messages.remove(message)
        return None

    def _hand_over(
        self,
        handle: ModelHandle,
        kind: str,
        message: ModelMessage,
        held: bool,
        lock: bool,
        max_length: int | None,
        accept: bool,
    ) -> Got:
        reason = MQRC_NONE
        if max_length is not None and len(message.data) > max_length:
            reason = MQRC_TRUNCATED_MSG_ACCEPTED if accept else MQRC_TRUNCATED_MSG_FAILED
        got = self._shown(message, reason, max_length)
        if reason == MQRC_TRUNCATED_MSG_FAILED:
            return got
        if kind in ("get", "take"):
            self._take(handle, message, held)
            return got
        if kind in ("first", "next"):
            handle.cursor, handle.place = message, handle.queue.place(message)
        if not (lock and handle.locked is message):
            self.unlock(handle)
        if lock:
            message.state, message.locker, handle.locked = LOCKED, handle, message
        return got

    def _take(self, handle: ModelHandle, message: ModelMessage, held: bool) -> None:
        if handle.locked is message:
            self.unlock(handle)
        if held:
            message.state, message.owner = GET_UNCONFIRMED, handle.connection
        else:
            handle.queue.messages.remove(message)

    def _shown(self, message: ModelMessage, reason: int, max_length: int | None) -> Got:
        left = -1 if message.expires_at is None else max(1, -((self.now_ms - message.expires_at) // 100))
        return Got(
            reason,
            message.data[:max_length],
            len(message.data),
            message.msg_id,
            message.correl_id,
            message.priority,
            message.backout_count,
            left,
        )

    def unlock(self, handle: ModelHandle) -> int:
        if handle.locked is None:
            return MQRC_NO_MSG_LOCKED
        handle.locked.state, handle.locked.locker, handle.locked = UNLOCKED, None, None
        return MQRC_NONE

    # The whole queue manager

    def restart(self) -> None:
        """End, breaking what connections there are, and start again."""
        for connection in list(self.connections):
            self.release(connection)
        for queue in self.queues.values():
            queue.messages = [message for message in queue.messages if message.persistent]
