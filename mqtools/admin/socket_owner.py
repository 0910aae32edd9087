"""Owner of the other end of a socket on this machine, as the kernel names it."""

from __future__ import annotations

import socket
import struct
from ipaddress import IPv6Address, ip_address

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_ESTABLISHED = "01"
_CREDENTIALS = struct.Struct("3i")
#: User id that the kernel shows where this container does not have the user.
_UNKNOWN_USER = 65534
#: The kernel can skip a line of its table while sockets come and go.
_ATTEMPTS = 3


def find_user_id(connected: socket.socket) -> int | None:
    """Return the id of the user whose socket is at the other end; None where the system cannot tell.

    It can tell for a UNIX socket, and for a connection over loopback with a peer that still has its end open.
    """
    try:
        if connected.family == socket.AF_UNIX:
            found = _CREDENTIALS.unpack(connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
            user_id: int | None = found[1]
        else:
            user_id = _find_in_tables(connected.getpeername()[:2], connected.getsockname()[:2])
            connected.getpeername()  # else another connection may have had the same ports meanwhile
    except (AttributeError, OSError, ValueError):  # a system without SO_PEERCRED or without these tables
        return None
    return None if user_id == _UNKNOWN_USER else user_id


def _find_in_tables(theirs: tuple[str, int], ours: tuple[str, int]) -> int | None:
    pairs = set(zip(_columns(*theirs), _columns(*ours), strict=True))
    for _ in range(_ATTEMPTS):
        for table in _TABLES:
            with open(table, encoding="ascii") as lines:
                for words in map(str.split, lines):
                    if (words[1], words[2]) in pairs:
                        return int(words[7]) if words[3] == _ESTABLISHED and words[9] != "0" else None
    return None


def _columns(host: str, port: int) -> tuple[str, str]:
    """Return a loopback address as each table writes it. Raises ValueError for any other address."""
    address = ip_address(host.partition("%")[0])
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if not address.is_loopback:
        raise ValueError(host)
    mapped = address if isinstance(address, IPv6Address) else IPv6Address(f"::ffff:{address}")
    return _column(address.packed, port), _column(mapped.packed, port)


def _column(packed: bytes, port: int) -> str:
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return f"{''.join(f'{word:08X}' for word in words)}:{port:04X}"
