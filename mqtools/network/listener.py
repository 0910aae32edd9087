"""Listeners: sockets that accept callers, up to limits. A failure affects one caller only.

A caller has no thread before its first bytes arrive, so that callers that say nothing cost a descriptor each.
"""

from __future__ import annotations

import errno
import os
import resource
import selectors
import socket
import time
from abc import ABC, abstractmethod
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Any

from mqtools.admin import error_log
from mqtools.admin.bound_port import listen
from mqtools.admin.error_log import Inserts
from mqtools.channel.acceptor import Origin
from mqtools.constants.reasons import MQRC_MAX_CONNS_LIMIT_REACHED
from mqtools.errors import MQError
from mqtools.network.dispatch import Call, Service, refuse, serve_call

#: Callers that may be silent at a time. One more replaces the one that was silent for the longest time.
_MOST_SILENT = 256
#: Errors of a call that finds no descriptor or no memory left: the listener continues.
_EXHAUSTED = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
#: Seconds before the next attempt when there is not even a descriptor to drop a caller with.
_PAUSE_S = 0.1
#: Seconds between two entries in the error log about too many callers.
_LOG_EVERY_S = 1.0


def raise_descriptor_limit() -> None:
    """Raise the limit of file descriptors of this process to the maximum of the system."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # some systems allow less than they say
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@dataclass(eq=False)
class BaseListener(ABC):
    """Accepts callers on a listening socket, and serves each in its own thread."""

    is_running = False  # a batch in hand is that of a session

    service: Service
    listening: socket.socket

    def __post_init__(self) -> None:
        self._socket = self.listening
        self._socket.setblocking(False)
        self._silent: dict[socket.socket, Call] = {}  # the one that has called first is the first
        self._callers: Counter[Origin] = Counter()
        self._served: dict[Call, None] = {}  # those that were not asked to make room: the oldest first
        self._turn = Lock()
        self._is_ending = False
        self._log_at = 0.0
        self._bell: socket.socket | None = None
        self._spare: int | None = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    @abstractmethod
    def _origin(self, connected: socket.socket, address: Any) -> tuple[str, Origin]:
        """Return a name of a caller for the operator, and where it comes from. Raises MQError to refuse it."""

    def run(self) -> None:
        """Serve callers until the listener is closed or woken."""
        self.service.shutdown.add(self)
        woken, self._bell = socket.socketpair()
        with woken, self._bell, selectors.DefaultSelector() as selector:
            selector.register(woken, selectors.EVENT_READ)
            with self._turn:
                if self._is_ending:
                    return
                selector.register(self._socket, selectors.EVENT_READ)
            try:
                while not self._is_ending:
                    self._take_turn(selector)
            finally:
                for connected in self._silent:
                    connected.close()

    def _take_turn(self, selector: selectors.BaseSelector) -> None:
        """Wait for callers and their first bytes, and drop those that have been silent for too long."""
        first = next(iter(self._silent.values()), None)
        for key, _ in selector.select(None if first is None else max(0.0, first.greeted_by - time.monotonic())):
            if key.fileobj is self._socket:
                self._accept(selector)
            elif isinstance(key.fileobj, socket.socket) and key.fileobj in self._silent:
                selector.unregister(key.fileobj)
                self._begin(self._silent.pop(key.fileobj))
        while (first := next(iter(self._silent.values()), None)) and first.greeted_by <= time.monotonic():
            self._drop_oldest(selector, f"no data within {self.service.limits.greeting_s:g} s")

    def _drop_oldest(self, selector: selectors.BaseSelector, why: str) -> None:
        connected = next(iter(self._silent))
        selector.unregister(connected)
        self.service.note(f"{self._silent.pop(connected).caller}: dropped: {why}")
        connected.close()

    def _accept(self, selector: selectors.BaseSelector) -> None:
        """Accept a caller, which is then silent."""
        try:
            connected, address = self._socket.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:
            if self._is_ending:
                return
            if error.errno not in _EXHAUSTED:
                raise
            if self._silent:
                self._drop_oldest(selector, f"another calls: {error.strerror}")
            else:
                self._shed(error)
            return
        try:
            caller, origin = self._origin(connected, address)
        except MQError as error:
            self.service.note(f"refused: {error.text}")
            refuse(self.service, connected, error)
            return
        if len(self._silent) >= _MOST_SILENT:
            self._drop_oldest(selector, "too many callers are silent")
        greeted_by = time.monotonic() + self.service.limits.greeting_s
        self._silent[connected] = Call(connected, caller, origin, address[1] if origin.address else 0, greeted_by)
        selector.register(connected, selectors.EVENT_READ)

    def _begin(self, call: Call) -> None:
        """Serve a caller in a thread, unless there are too many."""
        crowd = self._add(call)
        if crowd:
            self.service.note(f"{call.caller}: refused: {crowd}")
            error = MQError(crowd, MQRC_MAX_CONNS_LIMIT_REACHED)
            if time.monotonic() >= self._log_at:  # a crowd would keep this thread busy with it
                self._log_at = time.monotonic() + _LOG_EVERY_S
                inserts = Inserts(connection_name=call.origin.address)
                error_log.note(self.service.path, "AMQ9513E", error, inserts)
            refuse(self.service, call.connected, error)
            return
        try:
            Thread(target=self._serve, args=(call,), daemon=True).start()
        except RuntimeError as error:  # no thread is left for it
            self.service.note(f"{call.caller}: refused: {error}")
            call.connected.close()
            self._remove(call)

    def _add(self, call: Call) -> str:
        """Count a caller, or return in words which limit it exceeds. The oldest stranger makes room for it.

        Strangers that were asked to end count until they have.
        """
        limits, origin, crowd = self.service.limits, call.origin, ""
        with self._turn:
            total = self._callers.total()
            strangers = (each for each in self._served if not each.is_admitted)
            if self._callers[origin] >= limits.most_per_address:
                crowd = f"too many callers{origin} ({limits.most_per_address} are allowed)"
                strangers = (each for each in strangers if each.origin == origin)
            elif total >= limits.most:
                crowd = f"too many callers ({limits.most} are allowed)"
            stranger = next(strangers, None) if crowd and total < 2 * limits.most else None
            if crowd and stranger is None:
                return crowd
            if stranger is not None:
                del self._served[stranger]
                with suppress(OSError):  # the plain socket: TLS may be in use by the thread of the stranger
                    socket.socket.shutdown(stranger.connected, socket.SHUT_RDWR)
            self._served[call] = None
            self._callers[origin] += 1
        return ""

    def _remove(self, call: Call) -> None:
        with self._turn:
            self._served.pop(call, None)
            self._callers[call.origin] -= 1
            if not self._callers[call.origin]:
                del self._callers[call.origin]

    def _shed(self, error: OSError) -> None:
        """Drop a caller for whom no descriptor or memory is left: the spare descriptor takes it off the queue."""
        self.service.note(f"a caller was dropped: {error.strerror}")
        if self._spare is None:
            time.sleep(_PAUSE_S)  # others may give some back
        else:
            os.close(self._spare)
            self._spare = None
            with suppress(OSError):
                self._socket.accept()[0].close()
        with suppress(OSError):
            self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def wake(self) -> None:
        """End ``run``. May be called by another thread."""
        self._is_ending = True
        if self._bell is not None:
            with suppress(OSError):  # run has ended meanwhile
                self._bell.send(b"!")

    def close(self) -> None:
        """Close the listening socket; a thread in ``run`` returns."""
        self.wake()
        with self._turn:
            self._socket.close()
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None

    def _serve(self, call: Call) -> None:
        try:
            serve_call(self.service, call)
        except MQError as error:
            self.service.note(f"{call.caller}: {error}")
        except Exception as error:
            self.service.note(f"{call.caller}: unexpected {type(error).__name__}: {error}")
        finally:
            call.connected.close()
            self._remove(call)


class Listener(BaseListener):
    """Listener on an address and port.

    Raises MQError: MQRC_HOST_NOT_AVAILABLE when the port cannot be bound.
    """

    def __init__(self, service: Service, address: str, port: int) -> None:
        super().__init__(service, listen(service.path, address, port))
        self.address = address

    @property
    def port(self) -> int:
        """Bound port, also when 0 was requested."""
        port: int = self._socket.getsockname()[1]
        return port

    def _origin(self, connected: socket.socket, address: Any) -> tuple[str, Origin]:  # noqa: ARG002 - see BaseListener
        return f"{address[0]}({address[1]})", Origin(address[0])
