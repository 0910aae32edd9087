"""Checks of authority: whose they are, and whether the records of the queue manager grant what is requested.

The user of a channel is always checked, other users where the queue manager has AUTHCHK(ALL). The owner of the file
is never checked. Authorities are cached with the definitions; SET AUTHREC counts as a change of these.
"""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Iterable

from mqtools.constants.objects import MQQT_LOCAL
from mqtools.constants.options import MQPMO_NONE
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.mqi.file_owner import is_owner_name, is_run_by_owner, local_user
from mqtools.mqi.overrides import Override
from mqtools.mqi.resolution import Target
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.rules.security import authorities as rules
from mqtools.rules.security.authorities import QMGR, QUEUE, TOPIC, AuthorityRecord
from mqtools.store import objects, queues
from mqtools.store.database import Database

#: Kind under which the store keeps authority records.
KIND = "authority"
_OBJECT_WORDS = {QUEUE: "queue", QMGR: "queue manager", TOPIC: "topic object"}
_TYPE_WORDS = {number: word for word, number in rules.OBJECT_TYPES.items()}


def assume_user(connection: ConnectionState, user: str) -> None:
    """Set the user of a connection to that of a channel, and check it from now on. user: empty for the owner.

    Raises MQError: MQRC_NOT_AUTHORIZED when the user may not connect.
    """
    if user and not is_owner_name(connection.db, user):
        connection.checked_user = user
        connection.user_identifier = user[:12]
        check(connection, QMGR, connection.name, [rules.AUTHORITIES["CONNECT"]])


def override_user(connection: ConnectionState, user: str) -> Override:
    """Return a block in which another user than that of the connection is checked: PUTAUT(CTX).

    The user is a claim of the partner. A claim to be the owner of the file counts as the user of the connection.
    """
    is_owner = is_owner_name(connection.db, user)
    return Override(connection, checked_user=connection.checked_user if is_owner else user)


def checked_user(connection: ConnectionState) -> str | None:
    """Return the user whose authority counts for a connection; None where nothing is checked."""
    return _checked_reader(connection.db) if connection.checked_user is None else connection.checked_user


def _checked_reader(db: Database) -> str | None:
    """Return the user of this process where it is checked, else None."""
    return local_user() if queues.qmgr(db).checks_everybody and not is_run_by_owner(db) else None


def check_open(work: Work, q_name: str, options: int) -> None:
    """Check an open. q_name: of the definition that is opened.  options: MQOO_*. Raises MQError as ``check``."""
    check(work.connection, QUEUE, q_name, rules.needed_to_open(options))


def check_put(work: Work, target: Target, options: int) -> None:
    """Check a put without an open. options: MQPMO_*. Raises MQError as ``check``."""
    check(work.connection, QUEUE, target.path[0].name, rules.needed_to_put(options))


def check_put_of(user: str, work: Work, target: Target) -> None:
    """Check a put without options for a user who is not that of the connection. Raises MQError as ``check``."""
    check_user(work.db, user, QUEUE, target.path[0].name, rules.needed_to_put(MQPMO_NONE))


def check_queue(connection: ConnectionState, q_name: str, *words: str) -> None:
    """Check for authorities on a queue by their MQSC words. Raises MQError as ``check``."""
    if not connection.is_unchecked:
        check(connection, QUEUE, q_name, [rules.AUTHORITIES[word] for word in words])


def check_any(connection: ConnectionState, q_name: str, *words: str) -> None:
    """Check for one of some authorities on a queue by their MQSC words. Raises MQError as ``check``."""
    user = checked_user(connection)
    if user is not None and not _has_any(connection.db, user, q_name, words):
        check_user(connection.db, user, QUEUE, q_name, [rules.AUTHORITIES[words[0]]])


def _has_any(db: Database, user: str, q_name: str, words: Iterable[str]) -> bool:
    granted = authorities_of(db, user, QUEUE, q_name)
    return any(rules.AUTHORITIES[word] in granted for word in words)


def check_reader(db: Database, q_name: str, *words: str) -> None:
    """Check for authorities on a queue that this process reads, by their MQSC words. Raises MQError as ``check``."""
    user = _checked_reader(db)
    if user is not None:
        check_user(db, user, QUEUE, q_name, [rules.AUTHORITIES[word] for word in words])


def may_read(db: Database, q_name: str, *words: str) -> bool:
    """Return whether this process may read a queue: its user has one of some authorities, or is not checked."""
    user = _checked_reader(db)
    return user is None or _has_any(db, user, q_name, words)


def check_browse(db: Database, q_name: str) -> None:
    """Check that this process may see the messages of a queue, by BROWSE or GET. Raises MQError as ``check``."""
    if not may_read(db, q_name, "BROWSE", "GET"):
        check_reader(db, q_name, "BROWSE")


def check_reader_of_all(db: Database, *words: str) -> None:
    """Check for authorities on each local queue, for what shows all of them. Raises MQError as ``check``."""
    if _checked_reader(db) is not None:
        for name in queues.names(db):
            queue = queues.by_name(db, name)
            if queue is not None and queue.q_type == MQQT_LOCAL:
                check_reader(db, name, *words)


def check_manager(db: Database, word: str) -> None:
    """Check that this process has an authority on the queue manager. Raises MQError as ``check``.

    word: DSP to see its definitions, CHG to control it, DLT to delete it.
    """
    user = _checked_reader(db)
    if user is not None:
        check_user(db, user, QMGR, queues.qmgr(db).name, [rules.AUTHORITIES[word]])


def check_control(connection: ConnectionState) -> None:
    """Check that the user of a connection may start, stop and reset channels. Raises MQError as ``check``."""
    check(connection, QMGR, connection.name, [rules.AUTHORITIES["CHG"]])


def check(connection: ConnectionState, object_type: int, name: str, needed: Iterable[int]) -> None:
    """Check that the user of a connection has authorities on an object. needed: MQAUTH_*.

    Raises MQError: MQRC_NOT_AUTHORIZED.
    """
    user = checked_user(connection)
    if user is not None:
        check_user(connection.db, user, object_type, name, needed)


def check_user(db: Database, user: str, object_type: int, name: str, needed: Iterable[int]) -> None:
    """Check that a user has authorities on an object. Raises MQError: MQRC_NOT_AUTHORIZED."""
    missing = rules.words_of(set(needed) - authorities_of(db, user, object_type, name))
    if not missing:
        return
    words = ",".join(missing)
    raise MQError(
        f"user {user} is not authorized to {_OBJECT_WORDS[object_type]} {name}: {words} missing",
        MQRC_NOT_AUTHORIZED,
        hint=grant_hint(name, object_type, user, words),
        q_name=name if object_type == QUEUE else None,
    )


def grant_hint(name: str, object_type: int, user: str, words: str) -> str:
    """Return the command that grants a user authorities on an object. words: of MQSC, separated by commas."""
    subject = "OBJTYPE(QMGR)" if object_type == QMGR else f"PROFILE('{name}') OBJTYPE({_TYPE_WORDS[object_type]})"
    return f"""mqx mqsc "SET AUTHREC {subject} PRINCIPAL('{user}') AUTHADD({words})\""""


def authorities_of(db: Database, user: str, object_type: int, name: str) -> frozenset[int]:
    """Return the authorities of a user on an object, those of its groups included."""
    queues.qmgr(db)  # forgets what is known when definitions have changed
    known = db.known.authorities
    key = (user, object_type, name)
    if key not in known:
        known[key] = rules.authorities_of(records(db), user, groups_of(user), object_type, name)
    return known[key]


def records(db: Database) -> list[AuthorityRecord]:
    """Return all authority records, sorted by type, entity type and profile."""
    return [AuthorityRecord(**values) for values in objects.definitions(db, KIND)]


def groups_of(user: str) -> list[str]:
    """Return the names of the groups of a user of this machine; none for any other."""
    try:
        numbers = os.getgrouplist(user, pwd.getpwnam(user).pw_gid)
    except (KeyError, OSError):
        return []
    names = []
    for number in numbers:
        try:
            names.append(grp.getgrgid(number).gr_name)
        except KeyError:
            continue  # a group without a name cannot be in a record
    return names
