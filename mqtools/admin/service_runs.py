"""START, STOP and status of listeners and services: each that runs has a supervisor, a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mqtools.admin import error_log, kept_definitions
from mqtools.admin.error_log import Inserts
from mqtools.constants import cmqc
from mqtools.constants.reasons import (
    MQRC_OBJECT_IN_USE,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SERVICE_ERROR,
    MQRC_SERVICE_NOT_AVAILABLE,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError
from mqtools.mqi import authority, identity
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.service_objects import RUNNING as RUNNING
from mqtools.rules.attributes.service_objects import STARTING, STOPPING
from mqtools.store import objects
from mqtools.store.database import Database
from mqtools.store.liveness import is_alive
from mqtools.store.source import Source

LISTENER, SERVICE = "LISTENER", "SERVICE"
_KIND = "service_run"
#: Milliseconds that the supervisor of a start has to appear; later the start counts as failed.
_STARTING_MS = 30_000


@dataclass(frozen=True, slots=True)
class ServiceRun:
    """A run of a listener or service. state: MQSVC_STATUS.  token: of its supervisor, hex; empty before it has come.

    pid: of the process that it runs, 0 for none.  at: when it was started, ms since 1970.
    """

    state: int
    at: int
    token: str = ""
    pid: int = 0


def find(db: Database, object_type: str, name: str) -> ServiceRun | None:
    """Return the run of an object that runs, is about to, or is retried."""
    kept = objects.definition(db, _KIND, f"{object_type} {name}")
    run = None if kept is None else ServiceRun(**kept)
    if run is None or (not run.token and identity.now_ms() - run.at > _STARTING_MS):
        return None
    return run if not run.token or is_alive(db, bytes.fromhex(run.token)) else None


def write(work: Work, object_type: str, name: str, run: ServiceRun | None) -> None:
    """Record a run, or with None its end."""
    key = f"{object_type} {name}"
    if run is None:
        objects.delete(work.db, _KIND, key)
    else:
        objects.define(work.db, _KIND, key, asdict(run))


def forget_all(db: Database) -> None:
    """Delete the records of all runs: the queue manager had ended, and they with it."""
    for key in objects.names(db, _KIND):
        objects.delete(db, _KIND, key)


def has_process(source: Source, object_type: str, name: str) -> bool:
    """Return whether an object has a lasting process, unlike a service of type COMMAND.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME.
    """
    return _is_server(object_type, kept_definitions.find(source.db, object_type, name))


def _is_server(object_type: str, definition: Mapping[str, Any]) -> bool:
    return object_type == LISTENER or definition["servtype"] == cmqc.MQSVC_TYPE_SERVER


def start(work: Work, object_type: str, name: str, ignores_state: int | None = None) -> None:
    """Start a listener or service: a supervisor is started, which runs it when the transaction is committed.

    ignores_state: do nothing where it runs.
    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_OBJECT_IN_USE where it runs, MQRC_RESOURCE_PROBLEM,
    MQRC_SERVICE_ERROR for a service without STARTCMD.
    """
    authority.check_control(work.connection)
    definition = kept_definitions.find(work.db, object_type, name)
    if object_type == SERVICE and not definition["startcmd"]:
        raise MQError(f"service {name} has no STARTCMD", MQRC_SERVICE_ERROR)
    if _is_server(object_type, definition):
        if find(work.db, object_type, name) is not None:
            if ignores_state:
                return
            raise MQError(f"{object_type.lower()} {name} is running", MQRC_OBJECT_IN_USE)
        write(work, object_type, name, ServiceRun(STARTING, work.now_ms))
    _spawn(work.db, object_type, name)


def stop(work: Work, object_type: str, name: str, ignores_state: int | None = None) -> None:
    """Stop a listener or service in order. ignores_state: do nothing where it does not run.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_SERVICE_NOT_AVAILABLE where it does not run, MQRC_SERVICE_ERROR for
    a service of type COMMAND without STOPCMD.
    """
    authority.check_control(work.connection)
    definition = kept_definitions.find(work.db, object_type, name)
    if not _is_server(object_type, definition):
        if not definition["stopcmd"]:
            raise MQError(f"service {name} has no STOPCMD", MQRC_SERVICE_ERROR)
        _spawn(work.db, object_type, name, "--stop")
        return
    run = find(work.db, object_type, name)
    if run is None:
        if ignores_state:
            return
        raise MQError(f"{object_type.lower()} {name} is not running", MQRC_SERVICE_NOT_AVAILABLE)
    write(work, object_type, name, ServiceRun(STOPPING, run.at, run.token, run.pid) if run.token else None)
    if run.token:
        work.wake_each([bytes.fromhex(run.token)])


def start_with_queue_manager(work: Work) -> None:
    """Start the listeners and services with CONTROL(QMGR) or CONTROL(STARTONLY) that do not run."""
    for object_type in (LISTENER, SERVICE):
        for name in kept_definitions.stored_names(work.db, object_type):
            definition = kept_definitions.find(work.db, object_type, name)
            has_program = object_type == LISTENER or definition["startcmd"]
            if definition["control"] != cmqc.MQSVC_CONTROL_MANUAL and has_program:
                try:
                    start(work, object_type, name, ignores_state=True)
                except MQError as error:
                    error_log.note(work.connection, "AMQ5042E", error, Inserts(object=name))


def statuses(db: Database, object_type: str, names: list[str]) -> Iterator[tuple[str, ServiceRun, Mapping[str, Any]]]:
    """Yield name, run and definition of the objects that run."""
    for name in names:
        run = find(db, object_type, name)
        if run is not None:
            try:
                yield name, run, kept_definitions.find(db, object_type, name)
            except MQError as error:
                if error.reason != MQRC_UNKNOWN_OBJECT_NAME:
                    raise
                yield name, run, {}  # deleted while it runs


def _spawn(db: Database, object_type: str, name: str, *more: str) -> None:
    """Start a supervisor, which outlives this process. Raises MQError: MQRC_RESOURCE_PROBLEM."""
    line = [sys.executable, "-P", "-m", "mqtools", "-m", db.real_path, "service", "supervise", object_type, name, *more]
    none = subprocess.DEVNULL
    try:
        subprocess.Popen(line, stdin=none, stdout=none, stderr=none, start_new_session=True)
    except OSError as error:
        words = f"cannot start a supervisor for {object_type.lower()} {name}: {error.strerror}"
        raise MQError(words, MQRC_RESOURCE_PROBLEM) from error
