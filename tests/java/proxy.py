"""A proxy that forwards the segments of a client connection until it cuts them off."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, Thread

_LINGER_0 = struct.pack("ii", 1, 0)


@dataclass
class Cut:
    """Cut after a number of segments of one side, in the middle of the next one if it is a half."""

    side: str
    after: int
    is_half: bool


@dataclass
class Proxy:
    """Forwards to a port of this machine; ``cut`` applies from when it is set."""

    port: int
    cut: Cut | None = None
    listening: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    open: list[socket.socket] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        Thread(target=self._accept, daemon=True).start()

    @property
    def own_port(self) -> int:
        return int(self.listening.getsockname()[1])

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return  # the test is over
            server = socket.create_connection(("127.0.0.1", self.port))
            self.open += [client, server]
            for side, source, target in (("client", client, server), ("server", server, client)):
                with suppress(OSError):  # cut meanwhile
                    source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                Thread(target=self._forward, args=(side, source, target), daemon=True).start()

    def _forward(self, side: str, source: socket.socket, target: socket.socket) -> None:
        try:
            for segment in _segments(source):
                self.note(side, segment)
                with self.lock:
                    cut = self.cut if self.cut is not None and self.cut.side == side else None
                    if cut is None or cut.after > 0:
                        target.sendall(segment)
                    elif cut.is_half:
                        target.sendall(segment[: len(segment) // 2])
                    if cut is not None:
                        cut.after -= 1
                        if cut.after < (0 if cut.is_half else 1):
                            self.cut_all()
        except OSError:
            pass  # cut meanwhile
        _end(target)

    def note(self, side: str, segment: bytes) -> None:
        """Notice a segment before it is forwarded."""

    def cut_all(self) -> None:
        """End all connections as if the network had gone."""
        self.cut = None
        while self.open:
            _end(self.open.pop())

    def close(self) -> None:
        _end(self.listening)
        self.cut_all()


def _segments(source: socket.socket) -> Iterator[bytes]:
    with source.makefile("rb") as file:
        while len(head := file.read(8)) == 8:
            yield head + file.read(int.from_bytes(head[4:], "big") - 8)


def _end(ended: socket.socket) -> None:
    with suppress(OSError):  # it has ended
        ended.shutdown(socket.SHUT_RDWR)
    ended.close()
