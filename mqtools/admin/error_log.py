"""Error log of a queue manager, as AMQERR01: what happens where nobody reads the output of a process."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import asdict

from mqtools.configuration import locate
from mqtools.errors import MQError
from mqtools.mqi import authority, identity
from mqtools.mqi.transaction import ConnectionState
from mqtools.rules.error_messages import Inserts as Inserts
from mqtools.rules.error_messages import text_and_action
from mqtools.store import error_log, holders
from mqtools.store.database import Database
from mqtools.store.error_log import ErrorEntry as ErrorEntry
from mqtools.store.liveness import ring
from mqtools.store.open_database import open_database
from mqtools.store.source import Source

#: Entries that are kept, of all numbers and of each one: many entries of one kind do not displace the others.
MOST, MOST_OF_A_NUMBER = 5000, 1000
#: Milliseconds in which the same event is counted in its entry.
REPEAT_MS = 3_600_000
#: Seconds that an entry waits for its turn to write; then it is given up.
_PATIENCE_S = 2.0
#: Characters of words and of an insert that are kept.
_LONGEST, _LONGEST_INSERT = 1000, 300
#: Stands for the log where waiters are recorded by their queue.
_NO_QUEUE = 0
_NO_INSERTS = Inserts()


def note(
    source: ConnectionState | str,
    number: str,
    words: str | MQError = "",
    inserts: Inserts = _NO_INSERTS,
    *,
    action: str = "",
    is_failure: bool = False,
) -> None:
    """Write an entry, in a transaction of its own unless the connection is in one.

    source: a connection, or the name or path of a queue manager.  number: such as AMQ9999E; its last letter is the
    severity I, W, E or S, its text is in ``error_messages``.  words: what happened in this case; an error has a reason
    and a hint too.  action: what to do, instead of the hint and of what the number says.
    is_failure: the channel has failed with it (``last_failure``).
    It raises nothing: an entry is lost where the file is full, read-only, gone, or busy for some seconds.
    """
    given = {name: value[:_LONGEST_INSERT] for name, value in asdict(inserts).items() if value}
    text, usual = text_and_action(number, given)
    error = words if isinstance(words, MQError) else None
    now, channel = identity.now_ms(), given.pop("channel", "")
    connection = None if isinstance(source, str) else source
    entry = ErrorEntry(
        first_at=now,
        last_at=now,
        amq=number,
        reason=error.reason if error else 0,
        text=text,
        detail=(error.text if error else str(words))[:_LONGEST],
        action=(action or (error and error.hint) or usual)[:_LONGEST],
        channel=channel,
        inserts=given,
        program=identity.appl_name() if connection is None else connection.appl_name,
        pid=os.getpid(),
        is_unsolved=is_failure and bool(channel),
    )
    with suppress(MQError, OSError):
        if connection is not None and connection.current_work is not None:
            _write(connection.db, entry)
            return
        path = locate.find(source) if isinstance(source, str) else source.path
        with closing(open_database(path)) as db:
            db.lock_timeout_s = _PATIENCE_S
            _write(db, entry)


def _write(db: Database, entry: ErrorEntry) -> None:
    with db.writing():
        if not error_log.count_again(db, entry, entry.last_at - REPEAT_MS):
            error_log.add(db, entry)
            error_log.remove_oldest(db, entry.amq, MOST, MOST_OF_A_NUMBER)
        readers = holders.waiters(db, _NO_QUEUE)
    for token in readers:
        ring(db.run_folder, token)


def solve(db: Database, channel: str) -> None:
    """Mark what a channel has failed with as solved, in a transaction: it runs, or was deleted."""
    error_log.solve(db, channel)


def last_failure(db: Database, channel: str) -> ErrorEntry | None:
    """Return what a channel has failed with since it last ran."""
    return error_log.unsolved(db, channel)


def entries(source: Source, *, since_ms: int = 0, most: int = -1) -> list[ErrorEntry]:
    """Return entries by the time of their latest occurrence.

    since_ms: of the latest occurrence.  most: the latest ones only; -1: all.
    Raises MQError: MQRC_NOT_AUTHORIZED.
    """
    authority.check_manager(source.db, "DSP")
    return error_log.entries(source.db, since_ms=since_ms, most=most)
