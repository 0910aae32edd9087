"""Authority records of a queue manager: grant, revoke, delete, list."""

from __future__ import annotations

from collections.abc import Iterable

from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.mqi.authority import KIND
from mqtools.mqi.transaction import Work
from mqtools.rules.security.authorities import QMGR, expand
from mqtools.store import objects, queues

#: Profile of the records of a queue manager, which is one object.
SELF = "SELF"


def set_record(
    work: Work,
    profile: str,
    object_type: int,
    entity_type: int,
    entity: str,
    add: Iterable[int] = (),
    remove: Iterable[int] = (),
) -> None:
    """Add authorities of an entity on the objects that a profile names, and remove others.

    add, remove: MQAUTH_*, those for several included.
    """
    profile = _profile(profile, object_type)
    key = _key(profile, object_type, entity_type, entity)
    before = set((objects.definition(work.db, KIND, key) or {}).get("authorities", ()))
    after = (before | expand(add, object_type)) - expand(remove, object_type)
    record = {
        "profile": profile,
        "object_type": object_type,
        "entity_type": entity_type,
        "entity": entity,
        "authorities": sorted(after),
    }
    objects.define(work.db, KIND, key, record)
    _note_change(work)


def delete_records(work: Work, profile: str, object_type: int, entities: Iterable[tuple[int, str]]) -> None:
    """Delete the records of entities, each with its type. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME without any."""
    profile = _profile(profile, object_type)
    gone = [objects.delete(work.db, KIND, _key(profile, object_type, *entity)) for entity in entities]
    if not any(gone):
        raise MQError("authority record does not exist", MQRC_UNKNOWN_OBJECT_NAME)
    _note_change(work)


def _profile(profile: str, object_type: int) -> str:
    return SELF if object_type == QMGR else profile


def _key(profile: str, object_type: int, entity_type: int, entity: str) -> str:
    # Only the last part may contain a blank.
    return f"{object_type} {entity_type} {profile} {entity}"


def _note_change(work: Work) -> None:
    queues.count_change(work.db)  # other connections have cached what the records granted
    work.durable = True
