"""Host of client connections: the queue manager they are served for, and what all of them share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock, Semaphore
from typing import NamedTuple

from mqtools.mqi.connection import Connection
from mqtools.operations.shutdown import Shutdown
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
        self._lock = RLock()

    def add(self, channel: str, address: str, limits: InstanceLimits, others: list[str]) -> bool:
        """Count an instance, unless there are as many as its limits allow; return whether it was.

        others: addresses of the instances in other processes.
        """
        with self._lock:
            has_room = self.has_room(channel, address, limits, others, 1)
            if has_room:
                self._running[channel, address] += 1
            return has_room

    def has_room(self, channel: str, address: str, limits: InstanceLimits, others: list[str], new: int = 0) -> bool:
        """Return whether the instances that are counted, and new ones, are within limits. others: as for ``add``."""
        with self._lock:
            total = sum(number for (name, _), number in self._running.items() if name == channel)
            same = self._running[channel, address] + others.count(address)
        return total + len(others) + new <= limits.most and same + new <= limits.most_per_client

    def remove(self, channel: str, address: str) -> None:
        """Count an instance that has ended no longer."""
        with self._lock:
            self._running[channel, address] -= 1
            if not self._running[channel, address]:
                del self._running[channel, address]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on callers. Times are in seconds.

    most, most_per_address: callers at a time, of all and of one address or user; further ones are refused at once.
    greeting_s: from the call to the end of the first message, the TLS handshake included, and until MQCONN.
    idle_s: without input.
    """

    most: int = 100
    most_per_address: int = 50
    greeting_s: float = 10.0
    idle_s: float = 30.0


@dataclass(kw_only=True)
class ClientHost:
    """Resources and limits for the service of client connections.

    path: of the queue manager's file.  connect: returns a new connection to it.  note: takes a text for the operator.
    policy: which clients are admitted.  shutdown: of the listener and its sessions.
    send_s: that a client may take to read what was sent to it, in seconds.
    instances: of all sockets of the listener.  logins: bounds how many passwords are verified at a time.
    """

    path: str
    connect: Callable[[], Connection]
    note: Callable[[str], None]
    limits: Limits = field(default_factory=Limits)
    policy: AdmissionPolicy = DEFAULT_POLICY
    shutdown: Shutdown = field(default_factory=Shutdown)
    send_s: float = 60.0
    instances: Instances = field(default_factory=Instances)
    logins: Semaphore = field(default_factory=lambda: Semaphore(_MOST_LOGINS))
