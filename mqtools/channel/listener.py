"""Listeners for channels: a thread for each caller, up to a limit; a failure affects one caller only."""

from __future__ import annotations

import errno
import os
import socket
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from threading import Lock, Thread
from typing import Any

from mqtools.channel.acceptor import Origin, serve
from mqtools.channel.link import Link
from mqtools.channel.shutdown import Shutdown
from mqtools.channel.streams import SocketStream
from mqtools.constants.reasons import (
    MQRC_CHANNEL_SSL_ERROR,
    MQRC_HOST_NOT_AVAILABLE,
    MQRC_MAX_CONNS_LIMIT_REACHED,
)
from mqtools.errors import MQError
from mqtools.mqi.connection import Connection

#: The first byte of a TLS handshake; a channel without TLS begins with another.
_HANDSHAKE = b"\x16"
#: Connections that wait to be accepted.
BACKLOG = 64
#: Errors of a call that finds no descriptor or no memory left: the listener goes on.
_EXHAUSTED = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
#: Seconds before the next attempt when there is not even a descriptor to drop a caller with.
_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on callers. Times are in seconds.

    most, most_per_address: callers at a time, of all and of one address or user; further ones are refused at once.
    greeting_s: from the call to the end of the first message, the TLS handshake included.  idle_s: without input.
    """

    most: int = 100
    most_per_address: int = 50
    greeting_s: float = 10.0
    idle_s: float = 30.0


@dataclass(eq=False)
class BaseListener(ABC):
    """Accepts callers on a listening socket, and serves each in its own thread.

    connect: returns a new connection to the queue manager.  needs_tls: refuse callers without TLS, for any channel.
    folders: as for ``Receiver``.  note: takes a text for the operator.  shutdown: of the listener and its sessions.
    """

    is_running = False  # a batch in hand is that of a session

    connect: Callable[[], Connection]
    listening: socket.socket
    _: KW_ONLY
    limits: Limits
    needs_tls: bool = False
    folders: tuple[str, ...] | None = None
    note: Callable[[str], None]
    shutdown: Shutdown | None = None

    def __post_init__(self) -> None:
        self._socket = self.listening
        self._callers: Counter[Origin] = Counter()
        self._turn = Lock()
        self._is_ending = False
        self._spare: int | None = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    @abstractmethod
    def _origin(self, connected: socket.socket, address: Any) -> tuple[str, Origin]:
        """Return a name of a caller for the operator, and where it comes from. Raises MQError to refuse it."""

    def run(self) -> None:
        """Serve callers until the listener is closed or woken."""
        if self.shutdown is not None:
            self.shutdown.add(self)
        while True:
            try:
                connected, address = self._socket.accept()
            except ConnectionAbortedError:
                continue
            except OSError as error:
                if self._is_ending:
                    return
                if error.errno not in _EXHAUSTED:
                    raise
                self._shed(error)
                continue
            try:
                caller, origin = self._origin(connected, address)
            except MQError as error:
                self.note(f"refused: {error.text}")
                self._refuse(connected, error.reason, error.text)
                continue
            crowd = self._add(origin)
            if crowd:
                self.note(f"{caller}: refused: {crowd}")
                self._refuse(connected, MQRC_MAX_CONNS_LIMIT_REACHED, crowd)
                continue
            try:
                Thread(target=self._serve, args=(connected, caller, origin), daemon=True).start()
            except RuntimeError as error:  # no thread is left for it
                self.note(f"{caller}: refused: {error}")
                connected.close()
                self._remove(origin)

    def _add(self, origin: Origin) -> str:
        """Count a caller, unless there are too many: return in words of which."""
        with self._turn:
            if self._callers.total() >= self.limits.most:
                return f"too many callers (--max-connections {self.limits.most})"
            if self._callers[origin] >= self.limits.most_per_address:
                return f"too many callers{origin} (--max-per-address {self.limits.most_per_address})"
            self._callers[origin] += 1
        return ""

    def _remove(self, origin: Origin) -> None:
        with self._turn:
            self._callers[origin] -= 1
            if not self._callers[origin]:
                del self._callers[origin]

    def _shed(self, error: OSError) -> None:
        """Drop a caller for whom no descriptor or memory is left: the spare descriptor takes it off the queue."""
        self.note(f"a caller was dropped: {error.strerror}")
        if self._spare is None:
            time.sleep(_PAUSE_S)  # others may give some back
        else:
            os.close(self._spare)
            self._spare = None
            with suppress(OSError):
                self._socket.setblocking(False)
                self._socket.accept()[0].close()
            self._socket.setblocking(True)
        with suppress(OSError):
            self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def wake(self) -> None:
        """End ``run``. May be called by another thread."""
        self._is_ending = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the listening socket; a thread in ``run`` returns."""
        self.wake()
        self._socket.close()
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None

    def _refuse(self, connected: socket.socket, reason: int, text: str) -> None:
        link = Link(SocketStream(connected), 0.1)
        link.refuse(reason, text)
        link.close()

    def _serve(self, connected: socket.socket, caller: str, origin: Origin) -> None:
        stream: SocketStream | None = None
        greeted_by = time.monotonic() + self.limits.greeting_s
        try:
            stream = self._stream(connected, greeted_by)
            link = Link(stream, self.limits.idle_s)
            serve(
                self.connect,
                link,
                origin=origin,
                idle_s=self.limits.idle_s,
                greeted_by=greeted_by,
                folders=self.folders,
                note=lambda text: self.note(f"{caller}: {text}"),
                shutdown=self.shutdown,
            )
        except MQError as error:
            self.note(f"{caller}: {error}")
        except Exception as error:
            self.note(f"{caller}: unexpected {type(error).__name__}: {error}")
        finally:
            if stream is not None:
                stream.close()
            connected.close()
            self._remove(origin)

    def _stream(self, connected: socket.socket, greeted_by: float) -> SocketStream:
        """Return the stream, with TLS where the caller starts a handshake, which must be over by an instant."""
        connected.settimeout(self.limits.greeting_s)
        if connected.family != socket.AF_UNIX:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            first = connected.recv(1, socket.MSG_PEEK)
        except OSError as error:
            words = f"no data from the caller within {self.limits.greeting_s:g} s (--handshake-timeout)"
            raise MQError(words, MQRC_HOST_NOT_AVAILABLE) from error
        if first != _HANDSHAKE and self.needs_tls:
            words = "this listener serves channels with SSLCIPH only"
            Link(SocketStream(connected), self.limits.idle_s).refuse(MQRC_CHANNEL_SSL_ERROR, words)
            raise MQError("refused: the caller does not use TLS", MQRC_CHANNEL_SSL_ERROR)
        if first != _HANDSHAKE:
            return SocketStream(connected)
        from mqtools.channel.tls import start_tls  # ssl is optional in Python, and only TLS needs it

        connected.settimeout(max(0.001, greeted_by - time.monotonic()))  # of the whole handshake
        return start_tls(connected)


class Listener(BaseListener):
    """Listener on an address and port. The rest is as for ``BaseListener``.

    Raises MQError: MQRC_HOST_NOT_AVAILABLE when the port cannot be bound.
    """

    def __init__(self, connect: Callable[[], Connection], address: str, port: int, **options: Any) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            listening = socket.create_server((address, port), family=family, backlog=BACKLOG)
        except OSError as error:
            raise MQError(f"{address}({port}): {error.strerror or error}", MQRC_HOST_NOT_AVAILABLE) from error
        super().__init__(connect, listening, **options)

    @property
    def port(self) -> int:
        """Bound port, also when 0 was requested."""
        port: int = self._socket.getsockname()[1]
        return port

    def _origin(self, connected: socket.socket, address: Any) -> tuple[str, Origin]:  # noqa: ARG002 - see BaseListener
        return f"{address[0]}({address[1]})", Origin(address[0])
