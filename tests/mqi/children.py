"""Processes and threads that use the queue Q of a queue manager, and waiting until they wait."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mqtools.constants.options import (
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
)
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect

PATIENCE_S = 60.0

#: What every child begins with; ``path`` is the queue manager, ``arguments`` the rest of the command line.
_PRELUDE = """
import os, sys
from mqtools.constants.options import *
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
path, *arguments = sys.argv[1:]
"""


def start_child(program: str, path: str, *arguments: object) -> subprocess.Popen[str]:
    """Run a program in a Python of its own."""
    command = [sys.executable, "-c", _PRELUDE + program, path, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def start_ready(program: str, path: str, *arguments: object, says: str = "ready") -> subprocess.Popen[str]:
    """Run a program in a Python of its own, and go on when it has printed a line."""
    child = start_child(program, path, *arguments)
    assert child.stdout is not None
    assert child.stdout.readline() == f"{says}\n", child.communicate(timeout=PATIENCE_S)[1]
    return child


def output_of(child: subprocess.Popen[str]) -> str:
    """Wait for the end of a child that must end well; give what it printed."""
    output, errors = child.communicate(timeout=PATIENCE_S)
    assert child.returncode == 0, errors
    return output


def kill(child: subprocess.Popen[str]) -> None:
    """End a child the hard way."""
    child.kill()
    child.communicate(timeout=PATIENCE_S)


def stop(child: subprocess.Popen[str], path: str) -> None:
    """Stop a child that waits for a message; not while it still has the write turn, which nobody else could have."""
    with open(f"{path}-run/writer", "rb") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        child.send_signal(signal.SIGSTOP)
        os.waitpid(child.pid, os.WUNTRACED)


def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so. Fails after a long while."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.002)


def waiters(database: Any) -> int:
    """Count the gets that wait, on all queues."""
    return int(database.all("select count(*) from waiters")[0][0])


class Waiting:
    """A call that waits in a thread of its own, on a connection of its own."""

    def __init__(self, path: str, call: Callable[[Connection], object]) -> None:
        self._path = path
        self._call = call
        self.result: object = None
        self.reason = 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        connection = connect(self._path)
        try:
            self.result = self._call(connection)
        except MQError as error:
            self.reason = error.reason
        finally:
            with suppress(MQError):  # the queue manager may have ended
                connection.disconnect()

    @property
    def is_done(self) -> bool:
        return not self._thread.is_alive()

    def is_still_waiting(self) -> None:
        """Fail if the call ends, given a moment to do so."""
        self._thread.join(0.1)
        assert not self.is_done, f"the call gave {self.result!r}, reason {self.reason}"

    def finish(self) -> object:
        """Return what the call gave, or None and leave ``reason`` set."""
        self._thread.join(PATIENCE_S)
        assert self.is_done, "the call still waits"
        return self.result


def put(connection: Connection, text: bytes, options: int = 0, **fields: object) -> None:
    connection.put1("Q", Message(text, MQMD(**fields)), options)  # type: ignore[arg-type]


def getter(options: int = MQGMO_WAIT, wait_ms: int = -1, **match: bytes) -> Callable[[Connection], bytes]:
    """A call that gets or browses from Q and gives the data."""
    fields = {"msg_id": MQMO_MATCH_MSG_ID, "correl_id": MQMO_MATCH_CORREL_ID}

    def call(connection: Connection) -> bytes:
        handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE)
        result = handle.get(
            options, md=MQMD(**match), match_options=sum(fields[name] for name in match), wait_ms=wait_ms
        )
        return result.message.data

    return call


def start_waiting(path: str, here: Connection, *calls: Callable[[Connection], object]) -> list[Waiting]:
    """Start calls, and go on when all of them are written down as waiting."""
    before = waiters(here.db)
    waiting = [Waiting(path, call) for call in calls]
    until(lambda: waiters(here.db) == before + len(calls) or any(each.is_done for each in waiting))
    assert not any(each.is_done for each in waiting)
    return waiting
