"""Host of client connections: the queue manager they are served for, and what all of them share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, Semaphore
from typing import Any, NamedTuple, Protocol

from mqtools.mqi.connection import Connection
from mqtools.rules.security.admission import DEFAULT_POLICY, AdmissionPolicy

#: Passwords that are verified at a time: each takes tens of megabytes.
_MOST_LOGINS = 4


#: MAXINST and MAXINSTC of a channel that has no limits.
_NO_LIMIT = 999_999_999


class InstanceLimits(NamedTuple):
    """MAXINST and MAXINSTC of a channel."""

    most: int
    most_per_client: int

    @property
    def is_limited(self) -> bool:
        return min(self) < _NO_LIMIT


UNLIMITED = InstanceLimits(_NO_LIMIT, _NO_LIMIT)


class Instances:
    """Counts of the instances of server-connection channels, of all clients and of each address."""

    def __init__(self) -> None:
        self._running: Counter[tuple[str, str]] = Counter()
        self._lock = Lock()

    def add(self, channel: str, address: str, limits: InstanceLimits, others: list[str]) -> bool:
        """Count an instance, unless there are as many as its limits allow; return whether it was.

        others: addresses of the instances in other processes.
        """
        with self._lock:
            if not self._has_room(channel, address, limits, others, 1):
                return False
            self._running[channel, address] += 1
            return True

    def has_room(self, channel: str, address: str, limits: InstanceLimits, others: list[str]) -> bool:
        """Return whether an instance that is counted is within its limits. others: as for ``add``."""
        with self._lock:
            return self._has_room(channel, address, limits, others, 0)

    def _has_room(self, channel: str, address: str, limits: InstanceLimits, others: list[str], new: int) -> bool:
        total = sum(number for (name, _), number in self._running.items() if name == channel)
        same = self._running[channel, address] + others.count(address)
        return total + len(others) + new <= limits.most and same + new <= limits.most_per_client

    def remove(self, channel: str, address: str) -> None:
        """Count an instance that has ended no longer."""
        with self._lock:
            self._running[channel, address] -= 1
            if not self._running[channel, address]:
                del self._running[channel, address]


class SessionRegistry(Protocol):
    """The sessions of a process, which end in order with it."""

    def add(self, session: Any) -> None:
        """Register a session of this thread."""

    def remove(self, session: Any) -> None:
        """Forget a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientHost:
    """Resources and limits for the service of client connections.

    path: of the queue manager's file.  connect: returns a new connection to it.  note: takes a text for the operator.
    shutdown: of the process, if it ends in order.  policy: which clients are admitted.  handshake_s: until MQCONN,
    in seconds.  send_s: that a client may take to read what was sent to it, in seconds.
    instances: of all sockets of the listener.  logins: bounds how many passwords are verified at a time.
    """

    path: str
    connect: Callable[[], Connection]
    note: Callable[[str], None]
    shutdown: SessionRegistry | None = None
    policy: AdmissionPolicy = DEFAULT_POLICY
    handshake_s: float = 10.0
    send_s: float = 60.0
    instances: Instances = field(default_factory=Instances)
    logins: Semaphore = field(default_factory=lambda: Semaphore(_MOST_LOGINS))
