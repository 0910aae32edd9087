"""Channel authentication records of a queue manager: set, remove, list, and the decision on a caller."""

from __future__ import annotations

from dataclasses import asdict, replace
from json import dumps
from typing import Any

from mqtools.constants.reasons import MQRC_OBJECT_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.mqi.file_owner import owner_name
from mqtools.mqi.transaction import Work
from mqtools.rules.local_time import stamp
from mqtools.rules.security.channel_authentication import (
    INITIAL_RECORDS,
    LISTS,
    AuthenticationRecord,
    Caller,
    Decision,
    decide,
)
from mqtools.store import objects, queues
from mqtools.store.database import Database

_KIND = "channel_authentication"
ADD, REPLACE, REMOVE, REMOVE_ALL = "ADD", "REPLACE", "REMOVE", "REMOVEALL"


def records(db: Database) -> list[AuthenticationRecord]:
    """Return all records, sorted by type, profile and key."""
    return [_record(values) for values in objects.definitions(db, _KIND)]


def _record(values: dict[str, Any]) -> AuthenticationRecord:
    lists = {name: tuple(values[name]) for name in LISTS.values()}
    return AuthenticationRecord(**{**values, **lists})


def set_record(work: Work, action: str, record: AuthenticationRecord) -> None:
    """Add, replace or remove a record, or entries of a list. action: ADD, REPLACE, REMOVE or REMOVE_ALL.

    REMOVE_ALL removes the records of a profile and type, whatever their keys.
    Raises MQError: MQRC_OBJECT_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME.
    """
    if action == REMOVE_ALL:
        _remove_all(work.db, record)
    elif record.kind in LISTS:
        _set_list(work, action, record)
    elif action == REMOVE:
        _remove(work.db, record)
    else:
        if action == ADD and objects.definition(work.db, _KIND, _name(record)) is not None:
            raise MQError("channel authentication record already exists", MQRC_OBJECT_ALREADY_EXISTS)
        _write(work.db, work.now_ms, record)
    work.durable = True


def _name(record: AuthenticationRecord) -> str:
    return dumps(record.key)


def define_initial(db: Database, now_ms: int) -> None:
    """Write the records of a new queue manager."""
    for record in INITIAL_RECORDS:
        _write(db, now_ms, record)


def _write(db: Database, now_ms: int, record: AuthenticationRecord) -> None:
    objects.define(db, _KIND, _name(record), {**asdict(record), **stamp("alteration", now_ms)})


def _remove(db: Database, record: AuthenticationRecord) -> None:
    if not objects.delete(db, _KIND, _name(record)):
        raise _not_found()


def _remove_all(db: Database, record: AuthenticationRecord) -> None:
    found = [each for each in records(db) if (each.kind, each.profile) == (record.kind, record.profile)]
    if not found:
        raise _not_found()
    for each in found:
        _remove(db, each)


def _set_list(work: Work, action: str, record: AuthenticationRecord) -> None:
    """Add entries to a list, remove them, or replace the list; a list without entries is removed."""
    field = LISTS[record.kind]
    before = objects.definition(work.db, _KIND, _name(record))
    entries: tuple[str, ...] = getattr(record, field)
    if before is None and action == REMOVE:
        raise _not_found()
    if before is not None and action != REPLACE:
        old: tuple[str, ...] = tuple(before[field])
        entries = tuple(dict.fromkeys(old + entries)) if action == ADD else tuple(x for x in old if x not in entries)
        if action == REMOVE:
            record = _record(before)
    if entries:
        _write(work.db, work.now_ms, replace(record, **{field: entries}))  # type: ignore[arg-type]
    else:
        _remove(work.db, record)


def _not_found() -> MQError:
    return MQError("channel authentication record does not exist", MQRC_UNKNOWN_OBJECT_NAME)


def records_in_force(db: Database) -> list[AuthenticationRecord]:
    """Return the records that decide on callers: all, or none with CHLAUTH(DISABLED)."""
    return records(db) if queues.read_qmgr(db).get("channel_authentication", 1) else []


def decide_on(db: Database, caller: Caller, channel_user: str, *, is_client: bool = False) -> Decision:
    """Decide on a caller of a channel. channel_user: its MCAUSER, empty for the owner of the file."""
    return decide(records_in_force(db), caller, channel_user, owner_name(db), is_client=is_client)
