"""Byte streams for channels: sockets, and the standard streams of a process."""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mqtools.channel.errors import LinkError
from mqtools.rules.security.peer_certificate import PeerCertificate


class SocketStream:
    """A connected socket. peer: certificate of the other end, None without one."""

    #: Errors of a read that mean no input yet.
    _NOTHING_YET: tuple[type[OSError], ...] = (BlockingIOError,)

    def __init__(self, connected: socket.socket, peer: PeerCertificate | None = None) -> None:
        self._socket = connected
        self.peer = peer

    def read(self, most: int, timeout_s: float | None) -> bytes:
        """Return some bytes, none at the end of the stream. Raises LinkError."""
        with _link_errors(timeout_s):
            self._socket.settimeout(timeout_s)
            return self._socket.recv(most)

    def read_now(self, most: int) -> bytes | None:
        """Return available bytes, none at the end of the stream, None when there are none yet. Raises LinkError."""
        with _link_errors(0), suppress(*self._NOTHING_YET):
            self._socket.settimeout(0)
            return self._socket.recv(most)
        return None

    def write(self, data: bytes, timeout_s: float | None) -> None:
        """Write all of the bytes. Raises LinkError."""
        with _link_errors(timeout_s):
            self._socket.settimeout(timeout_s)
            self._socket.sendall(data)

    def fileno(self) -> int:
        """Return the descriptor that becomes readable on input."""
        return self._socket.fileno()

    def has_pending(self) -> bool:
        """Return whether input is buffered that the descriptor does not show: never by a plain socket."""
        return False

    def close(self) -> None:
        """Close the socket, also while another thread reads from it."""
        with suppress(OSError):  # the other end may have been faster
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class PipeStream:
    """Two descriptors, one to read and one to write: standard input and output. They are not closed.

    Its methods are those of ``SocketStream``. Writing has no timeout: the transport between the ends (ssh) detects a
    dead reader.
    """

    peer = None

    def __init__(self, to_read: int, to_write: int) -> None:
        self._read = to_read
        self._write = to_write

    def read(self, most: int, timeout_s: float | None) -> bytes:
        if not self._has_come(timeout_s):
            raise _silent(timeout_s)
        return self._read_some(most)

    def read_now(self, most: int) -> bytes | None:
        return self._read_some(most) if self._has_come(0) else None

    def _has_come(self, timeout_s: float | None) -> bool:
        poll = select.poll()
        poll.register(self._read, select.POLLIN)
        return bool(poll.poll(None if timeout_s is None else timeout_s * 1000))

    def _read_some(self, most: int) -> bytes:
        with _link_errors(None):
            return os.read(self._read, most)

    def write(self, data: bytes, timeout_s: float | None) -> None:  # noqa: ARG002 - see the class
        with _link_errors(None), open(self._write, "wb", closefd=False) as file:
            file.write(data)

    def fileno(self) -> int:
        return self._read

    def has_pending(self) -> bool:
        return False

    def close(self) -> None:
        """Leave the descriptors to the process they belong to."""


@contextmanager
def _link_errors(timeout_s: float | None) -> Iterator[None]:
    """Return a context in which an OSError is a LinkError. timeout_s: of the read or write."""
    try:
        yield
    except TimeoutError as error:
        raise _silent(timeout_s) from error
    except OSError as error:
        raise LinkError(f"the connection to the other end is broken: {error.strerror or error}") from error


def _silent(timeout_s: float | None) -> LinkError:
    return LinkError(f"no data from the other end for {timeout_s or 0:g} s")


def deadline_after(timeout_s: float | None) -> float | None:
    """Return the ``time.monotonic`` a number of seconds ahead; None for no limit."""
    return None if timeout_s is None else time.monotonic() + timeout_s
