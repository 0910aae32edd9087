"""Making, starting, ending and deleting queue managers.

States: *running* takes connections; *quiescing* lets those there are finish; *ended* takes none. A start
after an end discards nonpersistent messages (BEY-46); a process that merely dies ends nothing.
"""

from __future__ import annotations

import os
import time

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_Q_MGR_NAME_ERROR
from mqtools.errors import MQError, StorageError
from mqtools.qmgr import identity, locate, recovery
from mqtools.qmgr.connection import Connection
from mqtools.qmgr.work import Work
from mqtools.store import holders, queues
from mqtools.store.database import Database, create_database, open_database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

RUNNING, QUIESCING, ENDED = "running", "quiescing", "ended"

#: What ``--dev`` defines: the names that IBM's developer images ship.
DEVELOPER_QUEUES = ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE")
DEVELOPER_DEAD_LETTER_QUEUE = "DEV.DEAD.LETTER.QUEUE"

_NAME_LENGTH = 48
_NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./_%")


def create(name: str, *, developer: bool = False, profile: str = "distributed", ccsid: int = 1208) -> str:
    """Make a queue manager and start it; give the path of its file.

    name: a name for the home folder, or a path.  developer: define the queues of a developer's set-up.
    profile: ``distributed`` or ``zos``.  ccsid: of its own character fields.
    Raises MQError: MQRC_Q_MGR_NAME_ERROR when the name is not one, or is taken.
    """
    from mqtools.rules.attributes import defaults

    path = locate.path_of(name)
    own_name = locate.name_of_path(path)
    if not is_valid_name(own_name):
        raise MQError(
            f"{own_name!r} is no name for a queue manager: letters, digits, . / _ %, 48 at most", MQRC_Q_MGR_NAME_ERROR
        )
    _make_folder(path)
    database = create_database(path)
    stamp = time.localtime()
    date, clock = time.strftime("%Y-%m-%d", stamp), time.strftime("%H.%M.%S", stamp)
    values: dict[str, object] = {
        **defaults("QMGR"),
        "state": RUNNING,
        "starts": 1,
        "profile": profile,
        "q_mgr_name": own_name,
        "q_mgr_identifier": f"{own_name}_{date}_{clock}",
        "coded_char_set_id": ccsid,
        "creation_date": date,
        "creation_time": clock,
        "alteration_date": date,
        "alteration_time": clock,
    }
    with database.writing():
        queues.define_qmgr(database, values)
    database.sync()
    database.close()
    if developer:
        _define_developer_queues(path)
    return path


def is_valid_name(name: str) -> bool:
    """Tell whether a text can name an MQ object."""
    return 0 < len(name) <= _NAME_LENGTH and all(character in _NAME_CHARACTERS for character in name)


def _make_folder(path: str) -> None:
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        os.makedirs(folder, mode=0o700)


def _define_developer_queues(path: str) -> None:
    from mqtools.qmgr.definitions import alter_qmgr, define_queue

    with _administer(path) as connection, connection.work() as work:
        for name in DEVELOPER_QUEUES:
            define_queue(work, "QLOCAL", name, {})
        alter_qmgr(work, {"dead_letter_q_name": DEVELOPER_DEAD_LETTER_QUEUE})


def _administer(path: str) -> Connection:
    """Connect whatever the state of the queue manager."""
    return Connection(open_database(path), appl_name=identity.appl_name(), user_identifier=identity.user_identifier())


def state_of(path: str) -> str:
    """Read the state of a queue manager."""
    database = open_database(path, read_only=True)
    try:
        return queues.qmgr(database).state
    finally:
        database.close()


def start(path: str) -> int:
    """Start a queue manager that has ended; give the number of nonpersistent messages that were discarded."""
    database = open_database(path)
    try:
        with database.writing():
            attributes = queues.qmgr(database)
            if attributes.state == RUNNING:
                return 0
            discarded = 0
            if attributes.state == ENDED:
                discarded = queues.discard_nonpersistent(database)
                holders.remove_idle(database)
            queues.start_qmgr(database)
        database.sync()
        return discarded
    finally:
        database.close()


def end(path: str, *, immediate: bool = False, wait: bool = False, pause: Callable[[float], None] = time.sleep) -> str:
    """End a queue manager; give the state it is in afterwards.

    Quiescing ends it as soon as no connection is left.  immediate: back out and break the connections
    there are.  wait: return only when it has ended.
    """
    database = open_database(path)
    try:
        while True:
            state = _try_end(database, immediate)
            if state == ENDED or not wait:
                return state
            pause(0.1)
    finally:
        database.close()


def _try_end(database: Database, immediate: bool) -> str:
    if queues.qmgr(database).state == ENDED:
        return ENDED
    connection = Connection(database, appl_name=identity.appl_name(), user_identifier=identity.user_identifier())
    with connection.work() as work:
        queues.set_qmgr_state(work.db, QUIESCING)
        work.wake(None)
        left = _release(work, immediate)
        if not left:
            queues.set_qmgr_state(work.db, ENDED)
    database.sync()
    return QUIESCING if left else ENDED


def _release(work: Work, immediate: bool) -> bool:
    """Let go of the dead, or of everybody; tell whether a living connection is left.

    The living keep their bell: it is rung to tell them.
    """
    left = False
    for other in holders.connections(work.db):
        if recovery.is_dead(work, other):
            recovery.release_dead(work, other)
        elif immediate:
            recovery.release_connection(work, other.id)
        else:
            left = True
    return left


def delete(path: str) -> None:
    """Delete a queue manager with all its messages.

    Raises MQError: MQRC_OBJECT_IN_USE while a connection is open.
    """
    try:
        if end(path) != ENDED:
            raise MQError(f"queue manager {locate.name_of_path(path)} is in use", MQRC_OBJECT_IN_USE)
    except StorageError:
        if not os.path.exists(path):
            raise
    for suffix in ("-wal", "-shm", ""):
        if os.path.exists(path + suffix):
            os.unlink(path + suffix)
    _remove_run_folder(f"{path}-run")


def _remove_run_folder(folder: str) -> None:
    if os.path.isdir(folder):
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
