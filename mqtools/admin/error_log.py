"""Error log of a queue manager, as AMQERR01: events of processes without a terminal."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import asdict

from mqtools.admin import standby
from mqtools.configuration import locate
from mqtools.constants.names import name_or_number
from mqtools.errors import MQError
from mqtools.formats.units import rfc3339
from mqtools.mqi import authority, identity
from mqtools.mqi.connection import Connection
from mqtools.mqi.transaction import ConnectionState
from mqtools.rules.error_messages import Inserts as Inserts
from mqtools.rules.error_messages import text_and_action
from mqtools.store import error_log
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
_NO_INSERTS = Inserts()
_INDENT = " " * 20


def note(
    source: ConnectionState | Database | str,
    number: str,
    words: str | MQError = "",
    inserts: Inserts = _NO_INSERTS,
    *,
    action: str = "",
    is_failure: bool = False,
) -> None:
    """Write an entry, in its own transaction unless the connection or database is in one.

    source: a connection; a database (wakes no followers); or the name or path of a queue manager.  number: such as
    AMQ9999E; its last letter is the severity I, W, E or S, its text is in ``error_messages``.  words: what happened in
    this case; an error has a reason and a hint too.  action: what to do, instead of the hint and of what the number
    says.
    is_failure: the channel has failed with it (``last_failure``).
    It raises nothing: an entry is lost where the file is full, read-only, gone, or busy for some seconds.
    """
    given = {name: _storable(value, _LONGEST_INSERT) for name, value in asdict(inserts).items() if value}
    text, usual = text_and_action(number, given)
    error = words if isinstance(words, MQError) else None
    now, channel = identity.now_ms(), given.pop("channel", "")
    entry = ErrorEntry(
        first_at=now,
        last_at=now,
        amq=number,
        reason=error.reason if error else 0,
        text=text,
        detail=_storable(error.text if error else str(words), _LONGEST),
        action=_storable(action or (error and error.hint) or usual, _LONGEST),
        channel=channel,
        inserts=given,
        program=source.appl_name if isinstance(source, ConnectionState) else identity.appl_name(),
        pid=os.getpid(),
        is_unsolved=is_failure and bool(channel),
    )
    with suppress(MQError, OSError):
        if isinstance(source, Database):
            _write(source, entry)
        elif isinstance(source, ConnectionState) and source.current_work is not None:
            source.current_work.wake_each(_write(source.db, entry))
        else:
            with closing(open_database(locate.find(source) if isinstance(source, str) else source.path)) as db:
                db.lock_timeout_s = _PATIENCE_S
                readers = _write(db, entry)
                for token in readers:
                    ring(db.run_folder, token)


def _storable(text: str, most: int) -> str:
    """Return a text with escapes for bytes that are not text, cut to a number of characters."""
    return text.encode("utf-8", "backslashreplace").decode()[:most]


def _write(db: Database, entry: ErrorEntry) -> list[bytes]:
    """Write an entry; return the tokens of the readers to wake when it is committed."""
    with db.writing():
        if not error_log.count_again(db, entry, entry.last_at - REPEAT_MS):
            error_log.add(db, entry)
            error_log.remove_oldest(db, entry.amq, MOST, MOST_OF_A_NUMBER)
        return standby.tokens(db, standby.LOG)


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


def last_number(source: Source) -> int:
    """Return the number of the newest entry, 0 if there is none."""
    return error_log.last_number(source.db)


def follow(connection: Connection, after: int) -> Iterator[list[ErrorEntry]]:
    """Yield the entries after a number: first the present ones, perhaps none, then new ones as they are written.

    Raises MQError: MQRC_NOT_AUTHORIZED; when the queue manager ends MQRC_Q_MGR_QUIESCING, MQRC_CONNECTION_BROKEN.
    """
    authority.check_manager(connection.db, "DSP")
    with connection.work() as work:
        standby.register(work, connection, standby.LOG)
    assert connection.presence is not None
    while True:
        found = error_log.entries(connection.db, after=after)
        after = max((entry.number for entry in found), default=after)
        yield found
        with connection.work() as work:
            work.fail_if_quiescing()
        connection.presence.wait(None)


def as_row(entry: ErrorEntry) -> dict[str, object]:
    """Return an entry as a row for output; None for what it does not have."""
    inserts = {name: entry.inserts.get(name) for name in ("connection_name", "user", "object", "q_mgr_name")}
    return {
        "number": entry.number,
        "at": rfc3339(entry.last_at),
        "first_at": rfc3339(entry.first_at),
        "occurrences": entry.occurrences,
        "amq": entry.amq,
        "severity": entry.severity,
        "reason": name_or_number("MQRC", entry.reason) if entry.reason else None,
        "text": entry.text,
        "detail": entry.detail or None,
        "action": entry.action or None,
        "channel": entry.channel or None,
        **inserts,
        "program": entry.program,
        "pid": entry.pid,
    }


def as_lines(entry: ErrorEntry) -> list[str]:
    """Return an entry as lines in the form of AMQERR01.LOG: where, message, explanation, action; not yet visible."""
    names = {"channel": "Channel", "connection_name": "ConnName", "object": "Object", "q_mgr_name": "QMgr"}
    inserts = {**entry.inserts, "channel": entry.channel}
    user = f" User({inserts['user']})" if inserts.get("user") else ""
    about = " ".join(f"{word}({inserts[name]})" for name, word in names.items() if inserts.get(name))
    local = time.strftime("%m/%d/%Y %I:%M:%S %p", time.localtime(entry.last_at / 1000))
    again = f" First({rfc3339(entry.first_at)}) Occurrences({entry.occurrences})" if entry.occurrences > 1 else ""
    lines = [
        f"{local} - Process({entry.pid}){user} Program({entry.program})",
        f"{_INDENT}Time({rfc3339(entry.last_at)}){again}",
        *([f"{_INDENT}{about}"] if about else []),
        "",
        f"{entry.amq}: {entry.text}",
        "",
    ]
    if entry.detail:
        reason = f" ({name_or_number('MQRC', entry.reason)} {entry.reason})" if entry.reason else ""
        lines += ["EXPLANATION:", f"{entry.detail}{reason}"]
    return [*lines, "ACTION:", entry.action or "None.", "-" * 79]
