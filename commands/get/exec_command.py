"""Shell command that processes messages: input, output, environment, timeout, failure.

Message content reaches the command as standard input and environment, never as part of the command line.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import signal
import subprocess
import tempfile
import time
from typing import IO

from mqtools.formats.descriptor import md_to_dict
from mqtools.formats.rows import cell_text
from mqtools.headers.characters import field_bytes
from mqtools.message import CHARACTER_FIELDS, Message

from .exec_options import ExecRequest

_PROPERTY = "MQX_PROPERTY_"

#: Replaces a NUL, which no environment can hold.
_NUL_PICTURE = "\u2400"

#: Bytes of one variable that the kernel takes at most, and how many of all that it takes are left for the command.
_LONGEST_VARIABLE, _LEFT_FREE = 128 << 10, 64 << 10
_POINTER = 8

#: Seconds that a command has to end after SIGTERM, before it is killed.
_GRACE_S = 2
#: Seconds between two looks at a command that was signalled, and at the length of a captured output.
_LOOK_EVERY_S, _MEASURE_EVERY_S = 0.01, 0.2

#: Bytes of output that are captured at most: those of the longest message.
MOST_OUTPUT = 104_857_600


class RunningCommand:
    """A command in its own process group, with data on standard input.

    Invariant: the command has the holder's proof of life open as long as it runs, and so has what it starts and lets
    inherit it; otherwise the message of a killed mqx would be given to another worker while the command works on it.
    Where the kernel can (Linux), it also sends SIGTERM to the group when mqx ends without having ended it.
    """

    def __init__(
        self, execution: ExecRequest, data: bytes, environment: dict[bytes, bytes], life: tuple[int, ...]
    ) -> None:
        """life: descriptors that prove that the message's connection is alive.

        The output for a stage is collected in a file without a name, instead of being passed on.
        """
        self._command = execution.command
        self._data = data
        self._output = None if execution.stage is None else tempfile.TemporaryFile()  # noqa: SIM115
        self._environment = environment
        self._life = life
        self.spill = _LargeProperties(environment)
        self._timeout_s = execution.timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._failure: str | None = None
        self._signals: list[tuple[float, int]] = []
        self._tie, self._other_end = os.pipe()

    def start(self) -> None:
        """Start the command, once; a command that cannot be started has ended with a failure."""
        with _file_with(self._data) as body:
            try:
                self._process = subprocess.Popen(
                    ["/bin/sh", "-c", self._command],
                    stdin=body,
                    stdout=self._output,
                    env=self._environment,
                    process_group=0,
                    pass_fds=(*self._life, self._tie),
                )
            except OSError as error:
                self._failure = f"cannot run the command: {error.strerror}"
                return
            self._terminate_with_parent(self._process.pid)
        if self._timeout_s is not None:
            end = time.monotonic() + self._timeout_s
            self._signals = [(end, signal.SIGTERM), (end + _GRACE_S, signal.SIGKILL)]

    def _terminate_with_parent(self, group: int) -> None:
        """Have the kernel send SIGTERM to the process group when this process ends and closes the pipe."""
        if hasattr(fcntl, "F_SETSIG"):
            fcntl.fcntl(self._tie, fcntl.F_SETOWN, -group)
            fcntl.fcntl(self._tie, fcntl.F_SETSIG, signal.SIGTERM)
            fcntl.fcntl(self._tie, fcntl.F_SETFL, os.O_ASYNC)

    def has_ended(self) -> bool:
        """Return whether the command has ended; send the timeout signals that are due."""
        if self._process is None or self._process.returncode is not None:
            return True
        now = time.monotonic()
        due: int = 0
        while self._signals and self._signals[0][0] <= now:
            due = self._signals.pop(0)[1]
            self._failure = f"ran longer than {self._timeout_s:g} s"
        if due:
            self._signal(due)
        if self._output is not None and os.fstat(self._output.fileno()).st_size > MOST_OUTPUT:
            self._failure = f"wrote more than {MOST_OUTPUT} bytes"
            self._signal(signal.SIGKILL)
        return self._reap(kill_group=self._failure is not None)

    @property
    def next_look_at(self) -> float:
        """Time of the next necessary call of ``has_ended``, by ``time.monotonic``: infinity for none."""
        measured_at = math.inf if self._output is None else time.monotonic() + _MEASURE_EVERY_S
        return min(self._signals[0][0] if self._signals else math.inf, measured_at)

    @property
    def output(self) -> bytes:
        """The captured output. Valid when the command has ended."""
        assert self._output is not None
        self._output.seek(0)
        return self._output.read(MOST_OUTPUT)

    @property
    def failure(self) -> str | None:
        """How the command failed, or None if it succeeded. Valid when it has ended."""
        status = 0 if self._process is None else self._process.returncode
        if self._failure is not None or not status:
            return self._failure
        return f"ended by signal {-status}" if status < 0 else f"exit status {status}"

    def terminate(self) -> None:
        """Send SIGTERM to the process group; ``wait`` waits for its end."""
        if self._process is not None and self._process.returncode is None:
            self._signal(signal.SIGTERM)

    def wait(self, until: float) -> None:
        """Wait for a terminated command; kill it at a time of ``time.monotonic``."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        while not self._reap(kill_group=True) and time.monotonic() < until:
            time.sleep(_LOOK_EVERY_S)
        if process.returncode is None:
            self._signal(signal.SIGKILL)
            process.wait()

    def _reap(self, *, kill_group: bool) -> bool:
        """Return whether the command has ended. kill_group: also kill what it left running in its process group."""
        assert self._process is not None
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT  # not reaped yet: its number is still that of the group
        if os.waitid(os.P_PID, self._process.pid, options) is None:
            return False
        if kill_group:
            self._signal(signal.SIGKILL)
        self._process.wait()
        return True

    def _signal(self, number: int) -> None:
        """Send a signal to the process group; ignore a process of another user."""
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def close(self) -> None:
        """Release the resources of the command; processes that it left running continue."""
        fcntl.fcntl(self._tie, fcntl.F_SETFL, 0)  # else the kernel would take it for our end
        os.close(self._tie)
        os.close(self._other_end)
        if self._output is not None:
            self._output.close()
        self.spill.close()


def end_all(commands: list[RunningCommand]) -> None:
    """Terminate commands whose messages are about to be backed out, so that no message is processed twice."""
    for command in commands:
        command.terminate()
    until = time.monotonic() + _GRACE_S
    for command in commands:
        command.wait(until)
        command.close()


def _file_with(data: bytes) -> IO[bytes]:
    """Return a file with data, in memory if possible: the command may not read it."""
    file: IO[bytes]
    if hasattr(os, "memfd_create"):
        file = open(os.memfd_create("message"), "w+b")  # noqa: SIM115
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(data)
    file.seek(0)
    return file


class _LargeProperties:
    """Files for properties that are too large for an environment.

    ``MQX_PROPERTY_NAME_FILE`` replaces ``MQX_PROPERTY_NAME``, with ``_`` appended where that is a property.
    moved: variable that was removed, its size in bytes, and the variable in its place.
    """

    def __init__(self, environment: dict[bytes, bytes]) -> None:
        self.moved: list[tuple[str, int, str]] = []
        self._environment = environment
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        properties = [name for name in self._environment if name.startswith(_PROPERTY.encode())]
        for name in sorted(properties, key=lambda each: -len(self._environment[each])):
            if _size(name, self._environment[name]) > _LONGEST_VARIABLE or self._is_too_large():
                self._spill(name)

    def close(self) -> None:
        """Delete the files."""
        if self._folder is not None:
            self._folder.cleanup()

    def _is_too_large(self) -> bool:
        return sum(_size(*variable) for variable in self._environment.items()) > os.sysconf("SC_ARG_MAX") - _LEFT_FREE

    def _spill(self, name: bytes) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="mqx-exec-")
        path = os.path.join(self._folder.name, str(len(self.moved) + 1))
        value = self._environment.pop(name)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(value)
        instead = name + b"_FILE"
        while instead in self._environment:
            instead += b"_"
        self._environment[instead] = os.fsencode(path)
        self.moved.append((name.decode("ascii"), len(value), instead.decode("ascii")))


def _size(name: bytes, value: bytes) -> int:
    """Return the size of a variable as the kernel counts it: name, value, terminator and pointer."""
    return len(name) + len(value) + 2 + _POINTER


def environment_of(message: Message | None, q_name: str, q_mgr_name: str) -> dict[bytes, bytes]:
    """Return the environment of a command: that of mqx, and the message in ``MQX_*``; None for several messages.

    Each field of the descriptor has the value of JSON, lists joined by commas, undecodable characters as bytes; each
    property has its name in capitals, with ``_`` for anything but ASCII letters and digits. Of two with one name the
    first wins.
    """
    environment = {name: value for name, value in os.environb.items() if not name.startswith(_PROPERTY.encode())}
    values: dict[str, object] = {"MQX_QUEUE": q_name, "MQX_QMGR": q_mgr_name}
    if message is not None:
        for field, value in md_to_dict(message.md).items():
            values[f"MQX_{field.upper()}"] = getattr(message.md, field) if field in CHARACTER_FIELDS else value
        for name, prop in message.properties.items():
            values.setdefault(_PROPERTY + _sanitized(name), prop.value)
    for name, value in values.items():
        text = cell_text(value).replace("\0", _NUL_PICTURE)
        is_field = name.removeprefix("MQX_").lower() in CHARACTER_FIELDS
        raw = field_bytes(text, "utf_8") if is_field else text.encode("utf-8", "backslashreplace")
        environment[name.encode("ascii")] = raw
    return environment


def _sanitized(name: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "_" for char in name.upper())
