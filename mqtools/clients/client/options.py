"""Connection options of a client: where a queue manager is, and how a client gets in."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

#: Port of a queue manager's listener unless told otherwise.
DEFAULT_PORT = 1414


class HostPort(NamedTuple):
    """Address of a listener."""

    host: str
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        return f"{self.host}({self.port})"


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """How a client connects.

    hosts: tried in order.  q_mgr_name: the name that must be there; empty or beginning with ``*`` for any.
    user, password: with a password, MQCONN proves the user by it; without one the user is only named.
    cipher_spec: SSLCIPH, empty without TLS.  verifies: check the certificate of the queue manager against
    ``tls.trust``, or the certificates of the system.  peer_name: SSLPEER, attributes that the certificate must have.
    timeout_s: limit for a connection attempt, and for silence of the other end during a call.
    """

    hosts: tuple[HostPort, ...]
    channel: str
    _: KW_ONLY
    q_mgr_name: str = ""
    user: str = ""
    password: str | None = None
    cipher_spec: str = ""
    verifies: bool = True
    peer_name: str = ""
    heartbeat_s: int = 300
    timeout_s: float = 60.0

    def __repr__(self) -> str:
        where = ",".join(map(str, self.hosts))
        return f"ConnectionOptions({where!r}, {self.channel!r}, q_mgr_name={self.q_mgr_name!r}, user={self.user!r})"
