"""Lifetime of queue managers: create, start, end, describe, delete.

States: *running* accepts connections; *quiescing* accepts none and waits for existing ones; *ended* accepts none.
A start after an end discards nonpersistent messages (BEY-46); the death of a process ends nothing.
"""

from __future__ import annotations

import errno
import os
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from mqtools.admin import developer_objects, error_log, service_runs, transactions
from mqtools.admin.new_queue_manager import define_queue_manager
from mqtools.configuration import locate, protection, read_only
from mqtools.constants.administration import MQRQ_Q_MGR_QUIESCING, MQRQ_Q_MGR_STOPPING
from mqtools.constants.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_DAMAGED,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_MGR_ACTIVE,
    MQRC_Q_MGR_NAME_ERROR,
    MQRC_Q_MGR_NOT_ACTIVE,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_STORAGE_MEDIUM_FULL,
)
from mqtools.constants.states import ENDED as ENDED
from mqtools.constants.states import QUIESCING as QUIESCING
from mqtools.constants.states import RUNNING as RUNNING
from mqtools.errors import MQError, StorageError, UsageError
from mqtools.formats.files import flush_path
from mqtools.headers.charsets import codec_of
from mqtools.mqi import authority, departures, events, identity, journal, recovery
from mqtools.mqi.connection import Connection
from mqtools.mqi.statistics import accounting, intervals
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import SWITCH, WORD, attributes_of, format_value
from mqtools.rules.object_names import is_valid_name
from mqtools.store import holders, queues
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.liveness import sweep, wait_for_one_to_leave
from mqtools.store.open_database import open_database
from mqtools.store.schema import migrations

#: Displayed as the state of a file that is not usable, and of one without read permission.
DAMAGED, UNREADABLE = "damaged", "unreadable"

#: Profiles: ``zos`` has the features that MQ limits to z/OS; ``distributed`` rejects them.
PROFILES = ("distributed", "zos")

#: Suffixes of the files of a queue manager: the database, then the others.
_SUFFIXES = ("", "-wal", "-shm", "-reserve", "-unflushed")


@dataclass(frozen=True, slots=True)
class Description:
    """Description of a queue manager for ``mqx qmgr list``.

    name: for -m.  state: running, quiescing, ended, damaged or unreadable; for the last two profile is empty,
    queues (their number) None, and error is set.
    """

    name: str
    path: str
    state: str
    profile: str = ""
    queues: int | None = None
    error: MQError | None = None


def create(name: str, *, developer: bool = False, profile: str = "distributed", ccsid: int = 1208) -> str:
    """Create a queue manager and start it; return the path of its file.

    name: a name in the home folder, or a path.  developer: define the objects for developers.
    profile: ``distributed`` or ``zos``.  ccsid: of its own character fields.
    Raises MQError: MQRC_Q_MGR_NAME_ERROR for an invalid name, MQRC_OBJECT_ALREADY_EXISTS if it exists,
    MQRC_SOURCE_CCSID_ERROR; nothing is created then.
    """
    path = locate.path_of(name)
    own_name = locate.name_of_path(path)
    _check_new(own_name, profile, ccsid)
    if locate.is_elsewhere(name):
        raise UsageError(f"{name} is a remote: choose another name", f"mqx remote remove {name}")
    read_only.check_writable(f"queue manager {own_name}")
    draft = f"{path}.new"
    try:
        _reserve(path, own_name)
        try:
            for stale in (path, draft):
                _remove_files(stale, keep_database=stale == path)
            _write_new(draft, own_name, profile, ccsid)
            if developer:
                with _administer(open_database(draft)) as connection, connection.work() as work:
                    developer_objects.define_all(work)
            remove_run_folder(f"{draft}-run")
            os.replace(draft, path)
            if os.path.exists(f"{draft}-reserve"):
                os.replace(f"{draft}-reserve", f"{path}-reserve")
            flush_path(os.path.dirname(path) or ".")
        except BaseException:
            _remove_files(draft)
            _remove_files(path)
            raise
    except OSError as error:
        raise _storage_error(error, path) from error
    return path


def _check_new(own_name: str, profile: str, ccsid: int) -> None:
    if not is_valid_name(own_name):
        raise MQError(
            f"{own_name!r} is not a valid queue manager name: use letters, digits, . / _ %, at most 48 characters",
            MQRC_Q_MGR_NAME_ERROR,
        )
    if profile not in PROFILES:
        raise MQError(f"unknown profile {profile}: use {' or '.join(PROFILES)}", MQRC_Q_MGR_NAME_ERROR)
    if not is_usable_ccsid(ccsid):
        raise MQError(f"CCSID {ccsid} is not supported for a queue manager", MQRC_SOURCE_CCSID_ERROR)


def is_usable_ccsid(ccsid: int) -> bool:
    """Return whether a queue manager can use a CCSID: known, with one byte for each letter of a name."""
    codec = codec_of(ccsid)
    return codec is not None and len("A".encode(codec)) == 1


def _reserve(path: str, own_name: str) -> None:
    """Create an empty file to reserve the name: of two concurrent creations one fails here."""
    make_folder(os.path.dirname(path))
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError as error:
        raise MQError(
            f"queue manager {own_name} already exists: {path}", MQRC_OBJECT_ALREADY_EXISTS, q_mgr_name=own_name
        ) from error


def make_folder(folder: str) -> None:
    """Create a folder with access for its owner only, and its missing parents."""
    if folder and not os.path.isdir(folder):
        make_folder(os.path.dirname(folder))
        os.mkdir(folder, 0o700)


def _write_new(path: str, own_name: str, profile: str, ccsid: int) -> None:
    with closing(create_database(path)) as database:
        define_queue_manager(database, own_name, profile, ccsid)
        database.sync()


def _storage_error(error: OSError, path: str) -> StorageError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    reason = MQRC_STORAGE_MEDIUM_FULL if full else MQRC_NOT_AUTHORIZED
    return StorageError(f"{error.filename or path}: {error.strerror}", reason)


def _administer(database: Database) -> Connection:
    """Connect in any state of the queue manager."""
    return Connection(database, appl_name=identity.appl_name(), user_identifier=identity.user_identifier())


def describe_all() -> list[Description]:
    """Describe the queue managers of the home folder by name, then the default one if it is elsewhere."""
    paths = [locate.path_of(name) for name in locate.list_names()]
    default = default_path()
    if default is not None and default not in paths:
        paths.append(default)
    return [describe(path) for path in paths]


def default_path() -> str | None:
    """Return the file of the default queue manager; None without one, or for one elsewhere."""
    try:
        return locate.find()
    except UsageError:
        return None
    except MQError as error:
        if error.reason != MQRC_Q_MGR_NAME_ERROR:
            raise
        return None


def describe(path: str) -> Description:
    """Describe a queue manager; an unusable file has the state DAMAGED or UNREADABLE."""
    name = locate.name_of_path(path)
    try:
        with closing(open_database(path, read_only=True)) as database:
            profile = queues.qmgr(database).profile
            return Description(name, path, recovery.current_state(database), profile, len(queues.names(database)))
    except MQError as error:
        state = UNREADABLE if error.reason in (MQRC_NOT_AUTHORIZED, MQRC_RESOURCE_PROBLEM) else DAMAGED
        return Description(name, path, state, error=error)


def attributes(path: str) -> dict[str, Any]:
    """Return queue manager attributes by name; enumerations as MQSC keywords. Raises StorageError."""
    with closing(open_database(path, read_only=True)) as database:
        try:
            authority.check_manager(database, "DSP")
            values = queues.read_qmgr(database)
        except (IndexError, ValueError) as error:
            raise StorageError(f"{path}: the file is damaged", MQRC_OBJECT_DAMAGED) from error
    found: dict[str, Any] = {}
    for row in attributes_of("QMGR"):
        value: Any = values.get(row.name, row.default)
        found[row.name] = format_value(row, value) if row.kind in (WORD, SWITCH) else value
    return found


def check_authority(path: str, word: str) -> None:
    """Check that this process has an authority on a queue manager. Raises MQError as ``authority.check_manager``."""
    with closing(open_database(path, read_only=True)) as database:
        authority.check_manager(database, word)


def state_of(path: str) -> str:
    """Return the state of a queue manager."""
    with closing(open_database(path, read_only=True)) as database:
        return recovery.current_state(database)


def count_messages(path: str) -> int:
    """Return the number of messages of a queue manager, including locked and uncommitted ones."""
    with closing(open_database(path, read_only=True)) as database:
        return queues.count_messages(database)


def start(path: str) -> int | None:
    """Start a queue manager that has ended, and its listeners and services with CONTROL(QMGR) that do not run.

    Return the number of discarded nonpersistent messages, None if it is already running.
    Raises MQError: MQRC_OBJECT_IN_USE while it is quiescing because of open connections.
    """
    protection.check_change(path)
    with closing(open_database(path)) as database:
        authority.check_manager(database, "CHG")
        if queues.qmgr(database).state == QUIESCING and _try_end(database, immediate=False):
            raise MQError(
                f"queue manager {locate.name_of_path(path)} is still quiescing",
                MQRC_OBJECT_IN_USE,
                hint="wait for its connections with mqx qmgr end --wait, or break them with --immediate",
                q_mgr_name=locate.name_of_path(path),
            )
        with database.writing():
            discarded = _start_ended(database) if queues.qmgr(database).state == ENDED else None
        database.sync()
        with _administer(database).work() as work:
            accounting.write_ended(work)
            intervals.write_statistics(work)  # which the end of the queue manager could not write
            service_runs.start_with_queue_manager(work)
        return discarded


def _start_ended(database: Database) -> int:
    """Start a queue manager in a transaction; return the number of discarded messages."""
    if queues.qmgr(database).journals:
        journal.note_restart(database, (identity.user_identifier(), identity.appl_name()))
    discarded = queues.discard_nonpersistent(database)
    holders.remove_idle(database)
    service_runs.forget_all(database)
    queues.start_qmgr(database, identity.now_ms())
    error_log.note(database, "AMQ8003I", "", error_log.Inserts(q_mgr_name=queues.qmgr(database).name))
    transactions.note_prepared(database)
    with _administer(database).work() as work:
        events.queue_manager_changed(work, MQRC_Q_MGR_ACTIVE)
    return discarded


def end(path: str, *, immediate: bool = False, wait: bool = False) -> str:
    """End a queue manager; return its new state.

    A quiescing queue manager ends with its last connection.  immediate: back out and break all
    connections.  wait: return only when it has ended.
    """
    protection.check_change(path)
    with closing(open_database(path)) as database:
        authority.check_manager(database, "CHG")
        while True:
            left = _try_end(database, immediate=immediate)
            if not left or not wait:
                return QUIESCING if left else ENDED
            wait_for_one_to_leave(database, left)


def _try_end(database: Database, *, immediate: bool) -> list[bytes]:
    """Quiesce, and end without connections; return the presence tokens of the remaining connections."""
    if queues.qmgr(database).state == ENDED:
        return []
    try:
        with _administer(database).work() as work:
            if work.qmgr.state == RUNNING:
                kind = MQRQ_Q_MGR_STOPPING if immediate else MQRQ_Q_MGR_QUIESCING
                events.queue_manager_changed(work, MQRC_Q_MGR_NOT_ACTIVE, kind)
            queues.set_qmgr_state(work.db, QUIESCING)
            work.wake(None)
            left = _release(work, immediate=immediate)
            if not left:
                queues.set_qmgr_state(work.db, ENDED)
                accounting.write_ended(work)
                intervals.write_statistics(work)
                error_log.note(work.connection, "AMQ8004I", "", error_log.Inserts(q_mgr_name=work.qmgr.name))
            work.durable = True
    except MQError as error:
        if error.reason != MQRC_CONNECTION_BROKEN:
            raise
        return []  # another process has ended it meanwhile
    return left


def _release(work: Work, *, immediate: bool) -> list[bytes]:
    """Release the connections of dead processes, or all; return the presence tokens of the remaining ones."""
    left = []
    for other in holders.connections(work.db):
        token = other.token or b""
        work.wake_each((token,))
        dead = recovery.is_dead(work, other)
        if dead or immediate:
            recovery.release_connection(work, other.id, why="its process ended" if dead else "the queue manager ended")
            departures.forget(work, other, is_dead=dead)
        else:
            left.append(token)
        if dead:  # a live process is still to be woken, and removes its own pipe
            sweep(work.db.run_folder, token)
    return left


def delete(path: str) -> None:
    """Delete a queue manager with all its messages, including copies of older schema versions.

    Raises MQError: MQRC_OBJECT_IN_USE while a connection is open, MQRC_OBJECT_DAMAGED for a damaged file or
    one that is not a queue manager; nothing is changed then.
    """
    protection.check_change(path)
    with closing(open_database(path)) as database:
        authority.check_manager(database, "DLT")
        if recovery.living_tokens(database) or _try_end(database, immediate=False):
            raise MQError(
                f"queue manager {locate.name_of_path(path)} is in use",
                MQRC_OBJECT_IN_USE,
                hint=f"break its connections with mqx qmgr end {locate.name_of_path(path)} --immediate",
                q_mgr_name=locate.name_of_path(path),
            )
    try:
        _remove_files(path)
        for copy in migrations.copies(path):
            os.unlink(copy)
    except OSError as error:
        raise _storage_error(error, path) from error


def _remove_files(path: str, *, keep_database: bool = False) -> None:
    """Delete the files of a queue manager; the database first, which without its log would lack the newest data."""
    for suffix in _SUFFIXES[keep_database:]:
        if os.path.lexists(path + suffix):
            os.unlink(path + suffix)
    remove_run_folder(f"{path}-run")
    remove_run_folder(f"{path}-tls")


def remove_run_folder(folder: str) -> None:
    """Delete the run folder of an unused queue manager, or its folder of certificates, if it exists."""
    if os.path.isdir(folder) and not os.path.islink(folder):
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
