"""Supervisor of a listener or service: starts its process, restarts it after a crash, ends it in order."""

from __future__ import annotations

import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from threading import Thread
from typing import Any

from mqtools.admin import error_log, kept_definitions, service_runs, standby
from mqtools.admin.error_log import Inserts
from mqtools.admin.service_runs import LISTENER, RUNNING, SERVICE
from mqtools.configuration import settings
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE, MQRC_RESOURCE_PROBLEM, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.constants.states import RUNNING as Q_MGR_RUNNING
from mqtools.errors import MQError
from mqtools.mqi.connection import Connection
from mqtools.rules.attributes.service_objects import RETRYING, STARTING, STOPPING
from mqtools.store import queues
from mqtools.store.liveness import ring

#: Seconds of the first and of the longest pause before a restart, and of a good run, which resets the pause.
_PAUSE_S, _LONGEST_PAUSE_S, _GOOD_RUN_S = 1.0, 60.0, 60.0
#: Seconds that a process has to end after SIGTERM, and after its stop command.
_GRACE_S, _STOP_COMMAND_S = 15.0, 30.0
#: Lines of a listener's messages that are kept for the error log, and characters of each.
_LINES, _LONGEST_LINE = 3, 300
#: Seconds to wait for the last of them.
_LAST_LINES_S = 1.0
_DEFAULT_ADDRESS, _DEFAULT_PORT = "127.0.0.1", 1414
#: AMQ numbers of the start and the end, by object type.
_STARTED = {LISTENER: "AMQ5026I", SERVICE: "AMQ5028I"}
_ENDED = {LISTENER: "AMQ5027I", SERVICE: "AMQ5029I"}
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Supervisor:
    """Runs an object that START has begun, until it is stopped, the queue manager ends, or its process ends with 0."""

    def __init__(self, connection: Connection, object_type: str, name: str) -> None:
        self._connection = connection
        self._object_type, self._name = object_type, name
        self._is_asked = False
        self._token = b""

    def request_end(self) -> None:
        """End the run in order. May be called by another thread."""
        self._is_asked = True
        self._wake()

    def _wake(self) -> None:
        ring(self._connection.db.run_folder, self._token)

    def run(self) -> None:
        """Run it. Raises MQError: MQRC_NO_MSG_AVAILABLE where no START waits for it."""
        self._claim()
        pause_s = _PAUSE_S
        while True:
            begun = time.monotonic()
            why = self._run_once()
            if self._must_end() or not why:
                break
            is_good = time.monotonic() - begun > _GOOD_RUN_S
            self._note("AMQ5008S" if is_good else "AMQ5042E", why)
            pause_s = _PAUSE_S if is_good else pause_s
            self._set(RETRYING, 0)
            if self._sleep(pause_s):
                break
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        with suppress(MQError), self._connection.work() as work:  # unless the queue manager has ended
            service_runs.write(work, self._object_type, self._name, None)

    def _note(self, number: str, words: str | MQError = "") -> None:
        error_log.note(self._connection, number, words, Inserts(object=self._name))

    def _claim(self) -> None:
        """Take over the run that START has recorded."""
        with self._connection.work() as work:
            run = service_runs.find(work.db, self._object_type, self._name)
            if run is None or run.state != STARTING or run.token:
                words = f"no START waits for {self._object_type.lower()} {self._name}"
                raise MQError(words, MQRC_NO_MSG_AVAILABLE, hint=f"START {self._object_type}({self._name})")
            self._token = standby.register(work, self._connection, standby.COMMANDS)
            service_runs.write(work, self._object_type, self._name, replace(run, token=self._token.hex()))

    def _run_once(self) -> str:
        """Run the process until it ends or must end; return why it failed, empty for success."""
        try:
            definition = kept_definitions.find(self._connection.db, self._object_type, self._name)
            process = ServiceProcess(self._connection, self._object_type, self._name, definition)
            child = process.start()
        except (MQError, ValueError) as error:
            if not isinstance(error, MQError) or error.reason != MQRC_UNKNOWN_OBJECT_NAME:
                return str(error)
            self._note("AMQ5042E", error)
            return ""  # it was deleted
        waiter = Thread(target=self._await, args=(child,), daemon=True)
        waiter.start()
        self._set(RUNNING, child.pid)
        self._note(_STARTED[self._object_type])
        while child.returncode is None:
            if self._sleep(None):
                self._set(STOPPING, child.pid)
                process.end(waiter)
        waiter.join()
        self._note(_ENDED[self._object_type])
        process.end_group()
        return process.how_it_ended()

    def _await(self, child: subprocess.Popen[bytes]) -> None:
        child.wait()
        self._wake()

    def _sleep(self, timeout_s: float | None) -> bool:
        """Sleep until something has happened or the time is over; return whether the run must end."""
        presence = self._connection.presence
        if not self._must_end() and presence is not None:
            presence.wait(timeout_s)
        return self._must_end()

    def _must_end(self) -> bool:
        db = self._connection.db
        with db.reading():
            q_mgr, run = queues.qmgr(db), service_runs.find(db, self._object_type, self._name)
        has_ended = q_mgr.state != Q_MGR_RUNNING or q_mgr.starts != self._connection.starts
        return self._is_asked or has_ended or run is None or run.state == STOPPING

    def _set(self, state: int, pid: int) -> None:
        """Record the state, unless STOP has done so."""
        with suppress(MQError), self._connection.work() as work:
            run = service_runs.find(work.db, self._object_type, self._name)
            if run is not None:
                state = STOPPING if run.state == STOPPING else state
                service_runs.write(work, self._object_type, self._name, replace(run, state=state, pid=pid))


class ServiceProcess:
    """The process of a listener or service.

    definition: its attributes by name.  Commands are run without a shell, as leaders of process groups of their own.
    """

    def __init__(self, connection: Connection, object_type: str, name: str, definition: Mapping[str, Any]) -> None:
        self._connection, self._name, self._definition = connection, name, definition
        self._inserts = {"QMNAME": connection.name, "MQ_SERVER_PID": ""}
        self._is_listener = object_type == LISTENER
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._child: subprocess.Popen[bytes] | None = None
        self._reader: Thread | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """Start it. Raises MQError, and ValueError for arguments that cannot be split."""
        if self._is_listener:
            self._child = child = _start(self._listener_line(), stderr=subprocess.PIPE)
            assert child.stderr is not None
            self._reader = Thread(target=self._keep_lines, args=(child.stderr,), daemon=True)
            self._reader.start()
        else:
            self._child = child = self._start_command("startcmd", "startarg")
            self._inserts["MQ_SERVER_PID"] = str(child.pid)
        return child

    def start_stop_command(self) -> subprocess.Popen[bytes]:
        """Start the stop command of a service. Raises as ``start``."""
        return self._start_command("stopcmd", "stoparg")

    def end(self, waiter: Thread) -> None:
        """End it: by the stop command, else by SIGTERM, else by SIGKILL. waiter: thread that ends with it."""
        if not self._is_listener and self._definition["stopcmd"]:
            try:
                self.start_stop_command()
                waiter.join(_STOP_COMMAND_S)
            except (MQError, ValueError) as error:
                error_log.note(self._connection, "AMQ5042E", str(error), Inserts(object=self._name))
        assert self._child is not None
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, number)
            waiter.join(_GRACE_S)
            if not waiter.is_alive():
                return

    def end_group(self) -> None:
        """End what a process that has failed has left in its group: it is started again."""
        if self._child is not None and self._child.returncode:
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGTERM)

    def how_it_ended(self) -> str:
        """Return how it has failed; empty for status 0."""
        assert self._child is not None
        if self._reader is not None:
            self._reader.join(_LAST_LINES_S)  # a process that the child has left may keep the pipe open
        return how_it_ended(self._child.returncode, self._lines)

    def _keep_lines(self, stream: Any) -> None:
        for line in iter(lambda: stream.readline(_LONGEST_LINE), b""):
            self._lines.append(line.decode("utf-8", "replace").strip())

    def _listener_line(self) -> list[str]:
        port = self._definition["port"] or _DEFAULT_PORT
        address = self._definition["ipaddr"] or _DEFAULT_ADDRESS
        line = [sys.executable, "-P", "-m", "mqtools", "-m", self._connection.db.real_path, "channel", "listen"]
        insecure = ["--insecure"] if settings.value_of(settings.PLAIN_LISTENERS) else []
        return [*line, "--port", str(port), "--address", address, *insecure]

    def _start_command(self, command: str, arguments: str) -> subprocess.Popen[bytes]:
        program = self._filled(self._definition[command])
        if not os.path.isabs(program):
            raise MQError(f"the command {program} is not an absolute path", MQRC_RESOURCE_PROBLEM)
        words = [self._filled(word) for word in shlex.split(self._definition[arguments])]
        with ExitStack() as stack:
            streams = [self._output(stack, self._definition[name]) for name in ("stdout", "stderr")]
            return _start([program, *words], stdout=streams[0], stderr=streams[1])

    def _output(self, stack: ExitStack, path: str) -> int:
        """Open a file to append output to; without a path it is discarded."""
        if not path:
            return subprocess.DEVNULL
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            descriptor = os.open(self._filled(path), flags, 0o600)
        except OSError as error:
            raise MQError(f"{path}: {error.strerror}", MQRC_RESOURCE_PROBLEM) from error
        stack.callback(os.close, descriptor)
        return descriptor

    def _filled(self, text: str) -> str:
        """Replace inserts such as +QMNAME+."""
        for insert, value in self._inserts.items():
            text = text.replace(f"+{insert}+", value)
        return text


def run_command(connection: Connection, name: str, *, stops: bool) -> None:
    """Run the start or stop command of a service without a supervisor, and write to the error log how it ends.

    The connection ends before, so that the queue manager may.
    """
    about = Inserts(object=name)
    process = ServiceProcess(connection, SERVICE, name, kept_definitions.find(connection.db, SERVICE, name))
    connection.disconnect()
    try:
        child = process.start_stop_command() if stops else process.start()
    except (MQError, ValueError) as error:
        error_log.note(connection, "AMQ5042E", str(error), about)
        return
    error_log.note(connection, "AMQ5030I", "", about)
    if child.wait():
        error_log.note(connection, "AMQ5042E", how_it_ended(child.returncode), about)


def how_it_ended(status: int, lines: Iterable[str] = ()) -> str:
    """Return how a process has failed, with its last lines; empty for status 0."""
    if not status:
        return ""
    words = f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    return ": ".join([words, *lines])


def _start(line: list[str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start a process that the kernel ends with this one. Raises MQError."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **streams}
    try:
        return subprocess.Popen(line, start_new_session=True, preexec_fn=_end_with_parent, **streams)
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise MQError(f"cannot start {line[0]}: {words}", MQRC_RESOURCE_PROBLEM) from error


def _end_with_parent() -> None:
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
