"""Command lines in processes of their own that start fast: forked from one that has loaded the commands.

Each command has its own process, streams, environment and exit status, as one that a shell starts. What it does not
show is the start of the interpreter and of the installed script: tests of these use ``script()``.
"""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

#: Packages that are not loaded before the fork: too large, and few commands need them.
_LEFT_OUT = {"tui", "pipeline", "bindings"}
_LENGTH_BYTES = 4


class ForkServer:
    """A process that forks one child for each command line, and forks itself where several run at once.

    extra: variables of the environment of the server, which what is preloaded needs.
    """

    def __init__(self, **extra: str) -> None:
        ours, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, **extra},
        )
        theirs.close()
        self._first = _Link(ours)
        self._idle: list[_Link] = []
        self._turn = threading.Lock()

    def run(
        self, arguments: Sequence[str], *, stdin: bytes, env: dict[str, str], timeout: float
    ) -> tuple[int, bytes, bytes]:
        """Run a command line; return its exit status (negative: the signal), and what it wrote to stdout and stderr.

        Raises ``subprocess.TimeoutExpired`` after so many seconds; the command is killed then.
        """
        with self._turn:
            link = self._idle.pop() if self._idle else _Link(self._first.fork())
        try:
            return link.run(arguments, stdin, env, timeout)
        finally:
            self._idle.append(link)

    def close(self) -> None:
        """End the servers."""
        for link in (self._first, *self._idle):
            link.close()
        self._process.wait()


class _Link:
    """A connection to a server, which runs one command line at a time."""

    def __init__(self, ours: socket.socket) -> None:
        self._ours = ours
        self._answers = ours.makefile("r", encoding="utf-8")

    def fork(self) -> socket.socket:
        """Have the server fork itself; return the connection to the new one."""
        ours, theirs = socket.socketpair()
        self._ask({}, [theirs.fileno()])
        self._answers.readline()
        theirs.close()
        return ours

    def _ask(self, asked: dict[str, Any], descriptors: list[int]) -> None:
        line = json.dumps(asked).encode()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
        self._ours.sendmsg([len(line).to_bytes(_LENGTH_BYTES, "big")], rights)
        self._ours.sendall(line)

    def run(
        self, arguments: Sequence[str], stdin: bytes, env: dict[str, str], timeout: float
    ) -> tuple[int, bytes, bytes]:
        """Run a command line, as ``ForkServer.run``."""
        to_child, ours_in = os.pipe()
        ours_out, from_child = os.pipe()
        ours_err, errors = os.pipe()
        words = [os.fsdecode(word) for word in arguments]
        self._ask({"arguments": words, "env": env, "cwd": os.getcwd()}, [to_child, from_child, errors])
        for descriptor in (to_child, from_child, errors):
            os.close(descriptor)
        pid = int(self._answers.readline())
        killed = threading.Event()

        def kill() -> None:
            killed.set()
            os.kill(pid, signal.SIGKILL)

        timer = threading.Timer(timeout, kill)
        timer.start()
        try:
            out, err = _exchange(ours_in, stdin, [ours_out, ours_err])
            status = int(self._answers.readline())
        finally:
            timer.cancel()
        if killed.is_set():
            raise subprocess.TimeoutExpired(list(arguments), timeout)
        return status, out, err

    def close(self) -> None:
        """End the server."""
        self._answers.close()
        self._ours.close()


def _exchange(to: int, data: bytes, sources: list[int]) -> list[bytes]:
    """Write data to one pipe while reading others to their end; return what was read from each."""
    read: dict[int, list[bytes]] = {source: [] for source in sources}
    left = memoryview(data)
    os.set_blocking(to, False)
    with selectors.DefaultSelector() as selector:
        for source in sources:
            selector.register(source, selectors.EVENT_READ)
        if data:
            selector.register(to, selectors.EVENT_WRITE)
        else:
            os.close(to)
        while selector.get_map():
            for key, _ in selector.select():
                if key.fd == to:
                    with contextlib.suppress(BrokenPipeError):
                        left = left[os.write(to, left[:65536]) :]
                        if left:
                            continue
                elif piece := os.read(key.fd, 1 << 16):
                    read[key.fd].append(piece)
                    continue
                selector.unregister(key.fd)
                os.close(key.fd)
    return [b"".join(pieces) for pieces in read.values()]


# -- the server


def _serve(connection: socket.socket) -> None:
    """Answer until the other end closes: for each command line its process id, then its exit status."""
    _load_commands()
    gc.collect()
    gc.freeze()
    while True:
        header, ancillary, _, _ = connection.recvmsg(_LENGTH_BYTES, socket.CMSG_SPACE(3 * 4))
        if not header:
            return
        descriptors = array.array("i", ancillary[0][2])
        line = b""
        while len(line) < int.from_bytes(header, "big"):
            line += connection.recv(int.from_bytes(header, "big") - len(line))
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            connection.close()
            if asked:
                _become(asked, list(descriptors))
            connection = socket.socket(fileno=descriptors[0])
            continue
        for descriptor in descriptors:
            os.close(descriptor)
        connection.sendall(f"{pid}\n".encode())
        if asked:
            _, status = os.waitpid(pid, 0)
            connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _load_commands() -> None:
    """Load what commands load, also what they load late."""
    _load_all(_package())
    _load_all(importlib.import_module("mqtools"))
    for name in ("rich.table", "rich.progress", "sqlite3", "unicodedata"):
        importlib.import_module(name)


def _load_all(package: Any) -> None:
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        name = found.name.rpartition(".")[2]
        if name in _LEFT_OUT or name == "__main__":
            continue
        module = importlib.import_module(found.name)
        if found.ispkg:
            _load_all(module)


def _package() -> Any:
    (command,) = entry_points(group="console_scripts", name="mqx")
    return importlib.import_module(command.module)


def _become(asked: dict[str, Any], descriptors: list[int]) -> None:
    """Turn this process into the command: streams, environment, folder, signals."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    time.tzset()
    sys.argv = ["mqx", *asked["arguments"]]
    sys.stdin = io.TextIOWrapper(os.fdopen(0, "rb"), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb"), encoding="utf-8")
    sys.stderr = io.TextIOWrapper(
        os.fdopen(2, "wb", 0), encoding="utf-8", errors="backslashreplace", write_through=True
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    _package().main()
    os._exit(70)  # main never returns


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
