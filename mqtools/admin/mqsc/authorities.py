"""MQSC commands on authorities: SET, DELETE and DISPLAY AUTHREC, DISPLAY ENTAUTH; and what other commands need."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from mqtools.admin import authorities as administration
from mqtools.admin.mqsc.parameters import MqscParameters
from mqtools.admin.mqsc.report import Response, display_object, none_found
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.formats.mqsc.output import message
from mqtools.formats.mqsc.script import Command, matches_name
from mqtools.mqi import authority
from mqtools.mqi.connection import Connection
from mqtools.mqi.file_owner import is_owner_name
from mqtools.rules.attributes.lacking import AUTHORITIES as LACKING
from mqtools.rules.attributes.table import TEXT, Attribute
from mqtools.rules.object_names import is_valid_name
from mqtools.rules.security import authorities as rules
from mqtools.rules.security.authorities import GROUP, PRINCIPAL, QMGR, QUEUE, TOPIC, AuthorityRecord
from mqtools.rules.security.profiles import matches_profile

if TYPE_CHECKING:
    from mqtools.admin.mqsc.objects import Action

_A = ("AUTHREC",)
_TYPES = {word: word for word in rules.OBJECT_TYPES}
_TYPE_WORDS = {number: word for word, number in rules.OBJECT_TYPES.items()}
_ENTITIES = {"PRINCIPAL": PRINCIPAL, "GROUP": GROUP}
_ENTITY_WORDS = {number: word for word, number in _ENTITIES.items()}
_LONGEST_ENTITY = 64
#: Profile of the authority to create objects of a type.
_CLASS = "@class"
_PROFILE, _EXACT = "PROFILE", "EXACT"

#: One row an attribute, as in the attribute tables.
RECORD: tuple[Attribute, ...] = (
    Attribute("PROFILE", "profile", None, TEXT, _A),
    Attribute("ENTITY", "entity", None, TEXT, _A),
    Attribute("ENTTYPE", "entity_type", None, TEXT, _A),
    Attribute("OBJTYPE", "object_type", None, TEXT, _A),
    Attribute("AUTHLIST", "authorities", None, TEXT, _A),
)
ENTITY_AUTHORITY: tuple[Attribute, ...] = (
    Attribute("OBJNAME", "name", None, TEXT, _A),
    *(row for row in RECORD if row.keyword != "PROFILE"),
)

#: Verb to the authority that a command needs of somebody who is checked. A verb that is not here needs CHG.
_VERBS = {"DEFINE": "CRT", "ALTER": "CHG", "DELETE": "DLT", "CLEAR": "CLR", "DISPLAY": "DSP", "PING": "DSP"}
#: Type of a command to that of the object on which it needs the authority; otherwise it is the queue manager.
_OBJECTS = {
    **dict.fromkeys(("QLOCAL", "QMODEL", "QALIAS", "QREMOTE", "QUEUE", "QSTATUS"), QUEUE),
    "TOPIC": TOPIC,
}
#: Commands that change who may do what: only the owner of the file may.
_OF_OWNER = (
    ("SET", "AUTHREC"),
    ("DELETE", "AUTHREC"),
    ("SET", "CHLAUTH"),
    ("ALTER", "QMGR"),
    ("DEFINE", "CHANNEL"),
    ("ALTER", "CHANNEL"),
)


def check_command(connection: Connection, command: Command) -> None:
    """Check that the user of a connection may execute a command. Raises MQError: MQRC_NOT_AUTHORIZED."""
    user = authority.checked_user(connection)
    if user is None:
        return
    if (command.verb, command.object_type) in _OF_OWNER:
        raise MQError(
            f"user {user} cannot {command.verb} {command.object_type}: only the owner of the queue manager's file can",
            MQRC_NOT_AUTHORIZED,
        )
    word, name = _VERBS.get(command.verb, "CHG"), (command.name or "").rstrip(" ")
    if command.object_type in _OBJECTS and "*" not in name:
        authority.check(connection, _OBJECTS[command.object_type], name, [rules.AUTHORITIES[word]])
    else:
        word = "DSP" if word == "DSP" else "CHG"
        authority.check(connection, QMGR, connection.name, [rules.AUTHORITIES[word]])


def set_authrec(parameters: MqscParameters) -> Action:
    """Parse SET AUTHREC: PROFILE, OBJTYPE, PRINCIPAL and GROUP, AUTHADD and AUTHRMV."""
    profile, object_type, entities = _subject(parameters)
    add = _authorities(parameters, "AUTHADD", object_type)
    remove = _authorities(parameters, "AUTHRMV", object_type)
    if add is None and remove is None and not parameters.mistakes:
        parameters.mistake("SET AUTHREC needs AUTHADD or AUTHRMV")
    parameters.finish()
    return partial(_set, profile, object_type, entities, add or (), remove or ())


def _subject(parameters: MqscParameters) -> tuple[str, int, list[tuple[int, str]]]:
    """Consume profile, object type and entities."""
    parameters.no_name()
    word = parameters.word(_TYPES, "OBJTYPE")
    profile = (parameters.value("PROFILE") or "").strip(" ")
    if word is None and not parameters.mistakes:
        parameters.mistake(f"{parameters.command.verb} AUTHREC needs OBJTYPE: {' '.join(_TYPES)}")
    object_type = rules.OBJECT_TYPES.get(word or "", QUEUE)
    if word in ("QUEUE", "TOPIC"):
        _check_profile(parameters, profile, word)
    entities = [
        (number, entity.strip(" "))
        for keyword, number in _ENTITIES.items()
        for entity in _values(parameters, keyword) or ()
    ]
    if not entities and not parameters.mistakes:
        parameters.mistake(f"{parameters.command.verb} AUTHREC needs PRINCIPAL or GROUP")
    if any(not 0 < len(entity) <= _LONGEST_ENTITY for _, entity in entities):
        parameters.mistake(f"PRINCIPAL and GROUP are names of 1 to {_LONGEST_ENTITY} characters")
    return profile, object_type, entities


def _check_profile(parameters: MqscParameters, profile: str, word: str) -> None:
    if profile == _CLASS:
        parameters.leave_out(f"PROFILE('{_CLASS}')", whole=True)
        return
    name = "a queue name" if word == "QUEUE" else "a topic name"
    if not profile:
        parameters.mistake(f"OBJTYPE({word}) needs PROFILE: {name}, or a pattern with * ? **")
    elif not is_valid_name(profile.replace("*", "").replace("?", "") or "A") or len(profile) > 48:
        parameters.mistake(f"PROFILE: {profile!r} is not {name} or a pattern of one")


def _values(parameters: MqscParameters, keyword: str) -> tuple[str, ...] | None:
    param = parameters.take(keyword)
    if param is not None and param.values is None:
        parameters.mistake(f"{keyword} needs a value", param)
    return None if param is None else param.values or ()


def _authorities(parameters: MqscParameters, keyword: str, object_type: int) -> tuple[int, ...] | None:
    """Consume a list of authorities; return their numbers, None without the keyword."""
    values = _values(parameters, keyword)
    if values is None:
        return None
    words = [word.strip().upper() for value in values for word in value.split(",")]
    known = {**{word: rules.AUTHORITIES[word] for word in rules.OF_TYPE[object_type]}, **rules.COLLECTIONS}
    for word in words:
        if word in LACKING[_TYPE_WORDS[object_type]]:
            parameters.leave_out(f"{keyword}({word})")
        elif word not in known:
            parameters.mistake(f"{keyword}: {word} is not an authority on a {_TYPE_WORDS[object_type]}: "
                               f"{' '.join(sorted(known))}")  # fmt: skip
    return tuple(known[word] for word in words if word in known)


def _set(
    profile: str,
    object_type: int,
    entities: Iterable[tuple[int, str]],
    add: Iterable[int],
    remove: Iterable[int],
    connection: Connection,
) -> Response:
    with connection.work() as work:
        for entity_type, entity in entities:
            administration.set_record(work, profile, object_type, entity_type, entity, add, remove)
    return Response([message("AMQ8862I")])


def delete_authrec(parameters: MqscParameters) -> Action:
    """Parse DELETE AUTHREC: PROFILE, OBJTYPE, PRINCIPAL and GROUP."""
    profile, object_type, entities = _subject(parameters)
    parameters.finish()
    return partial(_delete, profile, object_type, entities)


def _delete(profile: str, object_type: int, entities: list[tuple[int, str]], connection: Connection) -> Response:
    with connection.work() as work:
        administration.delete_records(work, profile, object_type, entities)
    return Response([message("AMQ8863I")])


def display_authrec(parameters: MqscParameters) -> Action:
    """Parse DISPLAY AUTHREC: PROFILE, OBJTYPE, PRINCIPAL or GROUP, MATCH."""
    parameters.no_name()
    profile = parameters.value("PROFILE")
    word = parameters.word({**_TYPES, "ALL": "ALL"}, "OBJTYPE")
    match = parameters.word({_PROFILE: _PROFILE, _EXACT: _EXACT}, "MATCH") or _PROFILE
    entity = _entity(parameters)
    names = parameters.requested_attributes(RECORD, "AUTHREC")
    names = names | {"profile", "entity", "entity_type", "object_type"} if names else None
    return partial(_display, profile, rules.OBJECT_TYPES.get(word or ""), match, entity, names)


def _entity(parameters: MqscParameters) -> tuple[int, str] | None:
    for keyword, number in _ENTITIES.items():
        value = parameters.value(keyword)
        if value is not None:
            return number, value.strip(" ")
    return None


def _display(
    profile: str | None,
    object_type: int | None,
    match: str,
    entity: tuple[int, str] | None,
    names: frozenset[str] | None,
    connection: Connection,
) -> Response:
    """Show records. With MATCH(PROFILE) a name also shows the profiles for it, and a pattern the profiles it has."""
    with connection.db.reading():
        found = [
            display_object("AMQ8864I", RECORD, names, _record_values(record))
            for record in authority.records(connection.db)
            if object_type in (None, record.object_type)
            and entity in (None, (record.entity_type, record.entity))
            and (profile is None or _is_wanted(profile, match, record))
        ]
    if not found:
        return none_found("authority record", profile or "*")
    return Response([], found)


def _is_wanted(profile: str, match: str, record: AuthorityRecord) -> bool:
    if match == _EXACT or profile == record.profile:
        return profile == record.profile
    if "*" in profile or "?" in profile:
        return matches_name(profile, record.profile)
    return record.object_type != QMGR and matches_profile(record.profile, profile)


def _record_values(record: AuthorityRecord) -> dict[str, object]:
    return {
        "profile": record.profile,
        "entity": record.entity,
        "entity_type": _ENTITY_WORDS.get(record.entity_type, str(record.entity_type)),
        "object_type": _TYPE_WORDS.get(record.object_type, str(record.object_type)),
        "authorities": ",".join(rules.words_of(record.authorities)) or rules.NONE,
    }


def display_entauth(parameters: MqscParameters) -> Action:
    """Parse DISPLAY ENTAUTH: OBJTYPE, OBJNAME, PRINCIPAL: what a user has on an object, by all its records."""
    parameters.no_name()
    word = parameters.word(_TYPES, "OBJTYPE")
    name, user = parameters.value("OBJNAME"), parameters.value("PRINCIPAL")
    parameters.finish()
    if not parameters.mistakes:
        if word is None or user is None:
            parameters.mistake("DISPLAY ENTAUTH needs OBJTYPE and PRINCIPAL")
        elif word != "QMGR" and name is None:
            parameters.mistake(f"OBJTYPE({word}) needs OBJNAME")
    return partial(_display_entity, word or "", name or "", user or "")


def _display_entity(word: str, name: str, user: str, connection: Connection) -> Response:
    object_type = rules.OBJECT_TYPES[word]
    name = connection.name if object_type == QMGR else name
    with connection.db.reading():
        if is_owner_name(connection.db, user):
            granted = frozenset(rules.expand([rules.COLLECTIONS[rules.ALL]], object_type))
        else:
            granted = authority.authorities_of(connection.db, user, object_type, name)
    values = {
        "name": name,
        "entity": user,
        "entity_type": "PRINCIPAL",
        "object_type": word,
        "authorities": ",".join(rules.words_of(granted)) or rules.NONE,
    }
    return Response([], [display_object("AMQ8866I", ENTITY_AUTHORITY, None, values)])
