"""Commands on authority records: set, delete and display them, and what a user has by all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mqtools.admin import authorities as administration
from mqtools.admin.commands.queues import Row
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.objects import MQOT_ALL
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.mqi import authority
from mqtools.mqi.authority import groups_of
from mqtools.mqi.file_owner import is_owner_name
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import INTEGER, TEXT, WORD
from mqtools.rules.attributes.unsupported import AUTHORITIES as LACKING
from mqtools.rules.commands.command import INTEGERS, TEXTS, AdminCommand, CommandParameter, ParameterError, ignored
from mqtools.rules.object_names import is_valid_name, matches_name
from mqtools.rules.security import authorities as rules
from mqtools.rules.security.authorities import GROUP, PRINCIPAL, QMGR, AuthorityRecord
from mqtools.rules.security.profiles import matches_profile
from mqtools.store.database import Database
from mqtools.store.queues import qmgr

_TYPE_WORDS = {number: word for word, number in rules.OBJECT_TYPES.items()}
_LONGEST_ENTITY = 64
#: Object types of PCF. There is no record of those that have no word here.
_EVERY_TYPE = {number: number for name, number in vars(o).items() if name.startswith("MQOT_")}
_NAMED = {"principal": PRINCIPAL, "group": GROUP}
#: Profile of the authority to create objects of a type.
_CLASS = "@class"
#: How a name in MQSC chooses records: by the profiles for it or that it is a pattern of, or by the same profile.
_PROFILE, _EXACT = "PROFILE", "EXACT"


def set_record(
    work: Work,
    name: str | None,
    object_type: int,
    principals: Sequence[str] | None,
    groups: Sequence[str] | None,
    add: Sequence[int | str] | None,
    remove: Sequence[int | str] | None,
) -> None:
    """Add and remove authorities of principals and groups. add, remove: MQAUTH_* or their words."""
    entities = _entities(principals, groups)
    added, removed = _numbers(add), _numbers(remove)
    if add is None and remove is None:
        raise ParameterError("no authorities to add or remove", c.MQRCCF_AUTH_VALUE_MISSING, "add")
    for entity_type, entity in entities:
        administration.set_record(work, (name or "").strip(" "), object_type, entity_type, entity, added, removed)


def _entities(principals: Sequence[str] | None, groups: Sequence[str] | None) -> list[tuple[int, str]]:
    """Return each entity with its type. Raises ParameterError: MQRCCF_ENTITY_NAME_MISSING."""
    named = ((PRINCIPAL, principals), (GROUP, groups))
    found = [(entity_type, each.strip(" ")) for entity_type, entities in named for each in entities or ()]
    if not found:
        raise ParameterError("principal or group is missing", c.MQRCCF_ENTITY_NAME_MISSING, "principals")
    return found


def _words(given: Iterable[int | str] | None) -> list[str]:
    return [word.strip().upper() for text in given or () for word in str(text).split(",")]


def _numbers(given: Sequence[int | str] | None) -> set[int]:
    known = {**rules.AUTHORITIES, **rules.COLLECTIONS}
    return {known[word] if word in known else int(word) for word in _words(given)}


def _mistakes(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a record in MQSC: names, entities, and authorities that the type does not have."""
    word, profile = _TYPE_WORDS[arguments["object_type"]], (arguments["name"] or "").strip(" ")
    if word != "QMGR" and profile != _CLASS:
        kind = "a queue name" if word == "QUEUE" else "a topic name"
        if not profile:
            yield f"OBJTYPE({word}) needs PROFILE: {kind}, or a pattern with * ? **"
        elif not is_valid_name(profile.replace("*", "").replace("?", "") or "A") or len(profile) > 48:
            yield f"PROFILE: {profile!r} is not {kind} or a pattern of one"
    entities = [*(arguments["principals"] or ()), *(arguments["groups"] or ())]
    if not entities:
        yield f"{'SET' if 'add' in arguments else 'DELETE'} AUTHREC needs PRINCIPAL or GROUP"
    if any(not 0 < len(each.strip(" ")) <= _LONGEST_ENTITY for each in entities):
        yield f"PRINCIPAL and GROUP are names of 1 to {_LONGEST_ENTITY} characters"
    known = {*rules.OF_TYPE[arguments["object_type"]], *rules.COLLECTIONS}
    for keyword, name in (("AUTHADD", "add"), ("AUTHRMV", "remove")):
        for each in _words(arguments.get(name)):
            if each not in known | LACKING[word]:
                yield f"{keyword}: {each} is not an authority on a {word}: {' '.join(sorted(known))}"
    if "add" in arguments and arguments["add"] is None and arguments["remove"] is None:
        yield "SET AUTHREC needs AUTHADD or AUTHRMV"


def _lacking(arguments: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield what mqx lacks of a record, and take it out of the parameters: authorities, and a profile for a class."""
    word = _TYPE_WORDS[arguments["object_type"]]
    if word != "QMGR" and (arguments["name"] or "").strip(" ") == _CLASS:
        yield f"PROFILE('{_CLASS}')", True
    for keyword, name in (("AUTHADD", "add"), ("AUTHRMV", "remove")):
        given = _words(arguments.get(name))
        yield from ((f"{keyword}({each})", False) for each in given if each in LACKING[word])
        if given:
            arguments[name] = [each for each in given if each not in LACKING[word]]


def delete_record(
    work: Work, name: str | None, object_type: int, principals: Sequence[str] | None, groups: Sequence[str] | None
) -> None:
    """Delete the records of principals and groups."""
    administration.delete_records(work, (name or "").strip(" "), object_type, _entities(principals, groups))


def show(
    db: Database,
    name: str | None = None,
    object_type: int | None = None,
    match: str | None = None,
    options: int | None = None,
    **who: Any,
) -> Iterator[Row]:
    """Yield the records by profile, object type and entity; an absent parameter matches all.

    match: how MQSC chooses by profile.  options: MQAUTHOPT_* of PCF.  who: entity and its type, or principal or group.
    """
    named = next(((kind, who[key]) for key, kind in _NAMED.items() if who.get(key) is not None), None)
    entity_type, entity = named or (who.get("entity_type"), who.get("entity"))
    entity = (entity or "").strip(" ")
    found = [
        record
        for record in authority.records(db)
        if object_type in (None, MQOT_ALL, record.object_type)
        and (not name or _is_wanted(record, name, match, options or 0))
        and _is_of(record, entity_type, entity, options or 0)
    ]
    if (options or 0) & c.MQAUTHOPT_CUMULATIVE:
        found = _accumulate(found, name or "", entity)
    for record in found:
        yield "AUTHREC", {name: getattr(record, name) for name in AuthorityRecord.__annotations__}


def _is_wanted(record: AuthorityRecord, name: str, match: str | None, options: int) -> bool:
    """Return whether a record is chosen by the name in an inquiry, which its profile equals without an option."""
    if match == _PROFILE and record.profile != name:
        if "*" in name or "?" in name:
            return matches_name(name, record.profile)
        return record.object_type != QMGR and matches_profile(record.profile, name)
    if options & c.MQAUTHOPT_NAME_ALL_MATCHING:
        return matches_profile(record.profile, name)
    if options & c.MQAUTHOPT_NAME_AS_WILDCARD:
        return matches_name(name, record.profile)
    return record.profile == name


def _is_of(record: AuthorityRecord, entity_type: int | None, entity: str, options: int) -> bool:
    """Return whether a record is of an entity or, with MQAUTHOPT_ENTITY_SET, of a group that it is in."""
    if entity_type in (None, record.entity_type) and entity in ("", record.entity):
        return True
    has_groups = options & c.MQAUTHOPT_ENTITY_SET and entity_type == PRINCIPAL and entity
    return bool(has_groups) and record.entity_type == GROUP and record.entity in groups_of(entity)


def _accumulate(found: list[AuthorityRecord], name: str, entity: str) -> list[AuthorityRecord]:
    """Return one record for each object type, with the authorities of all. name, entity: of the inquiry."""
    by_type: dict[int, AuthorityRecord] = {}
    for record in found:
        before = by_type.get(record.object_type)
        granted = {*record.authorities, *(before.authorities if before else ())}
        first = before or record.replace(profile=name or record.profile, entity=entity or record.entity)
        by_type[record.object_type] = first.replace(authorities=tuple(sorted(granted)))
    return list(by_type.values())


def show_entity(db: Database, object_type: int, name: str | None, principal: str) -> Iterator[Row]:
    """Yield what a user has on an object, by all its records."""
    name = qmgr(db).name if object_type == QMGR else name or ""
    if is_owner_name(db, principal):
        granted = frozenset(rules.expand([rules.COLLECTIONS[rules.ALL]], object_type))
    else:
        granted = authority.authorities_of(db, principal, object_type, name)
    yield (
        "ENTAUTH",
        {
            "name": name,
            "entity": principal,
            "entity_type": PRINCIPAL,
            "object_type": object_type,
            "authorities": sorted(granted),
        },
    )


def _entity_mistakes(arguments: Mapping[str, Any]) -> Iterator[str]:
    if arguments["object_type"] is None or arguments["principal"] is None:
        yield "DISPLAY ENTAUTH needs OBJTYPE and PRINCIPAL"
    elif arguments["object_type"] != QMGR and arguments["name"] is None:
        yield f"OBJTYPE({_TYPE_WORDS[arguments['object_type']]}) needs OBJNAME"


def _type(*, required: bool = False, words: tuple[tuple[str, int], ...] = (), missing: int = 0) -> CommandParameter:
    return CommandParameter(
        "OBJTYPE", "object_type", c.MQIACF_OBJECT_TYPE, WORD, words=(*rules.OBJECT_TYPES.items(), *words),
        required=required, missing=missing, numbers=_EVERY_TYPE,
    )  # fmt: skip


_SUBJECT = (
    CommandParameter(
        "PROFILE", "name", c.MQCACF_AUTH_PROFILE_NAME, TEXT, maximum=48, missing=c.MQRCCF_PROFILE_NAME_MISSING
    ),
    _type(required=True, missing=c.MQRCCF_OBJECT_TYPE_MISSING),
    CommandParameter("PRINCIPAL", "principals", c.MQCACF_PRINCIPAL_ENTITY_NAMES, TEXTS, maximum=_LONGEST_ENTITY),
    CommandParameter("GROUP", "groups", c.MQCACF_GROUP_ENTITY_NAMES, TEXTS, maximum=_LONGEST_ENTITY),
)
_OWNER = ("mqsc", "pcf")

COMMANDS = (
    AdminCommand(
        verb="SET", object_types=("AUTHREC",), number=c.MQCMD_SET_AUTH_REC, do=set_record,
        parameters=(
            *_SUBJECT,
            CommandParameter("AUTHADD", "add", c.MQIACF_AUTH_ADD_AUTHS, INTEGERS),
            CommandParameter("AUTHRMV", "remove", c.MQIACF_AUTH_REMOVE_AUTHS, INTEGERS),
        ),
        check=_mistakes, lacks=_lacking, done="AMQ8862I", owner_in=_OWNER,
    ),
    AdminCommand(
        verb="DELETE", object_types=("AUTHREC",), number=c.MQCMD_DELETE_AUTH_REC, do=delete_record,
        parameters=_SUBJECT, check=_mistakes, lacks=_lacking, done="AMQ8863I", owner_in=_OWNER,
        named_reasons=(MQRC_UNKNOWN_OBJECT_NAME,),
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("AUTHREC",), number=c.MQCMD_INQUIRE_AUTH_RECS, do=show, shows=True,
        parameters=(
            CommandParameter("PROFILE", "name", c.MQCACF_AUTH_PROFILE_NAME, TEXT, maximum=48),
            _type(words=(("ALL", MQOT_ALL),)),
            CommandParameter("MATCH", "match", None, WORD, words=((_PROFILE, _PROFILE), (_EXACT, _EXACT)),
                             default=_PROFILE),
            CommandParameter("PRINCIPAL", "principal", None, TEXT),
            CommandParameter("GROUP", "group", None, TEXT),
            CommandParameter("", "entity_type", c.MQIACF_ENTITY_TYPE, INTEGER, minimum=-1 << 31, maximum=1 << 31),
            CommandParameter("", "entity", c.MQCACF_ENTITY_NAME, TEXT, maximum=_LONGEST_ENTITY),
            CommandParameter("", "options", c.MQIACF_AUTH_OPTIONS, INTEGER, minimum=-1 << 31, maximum=1 << 31),
        ),
        always=("profile", "entity", "entity_type", "object_type"), filters=False, done="AMQ8864I",
        missing="authority record",
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("ENTAUTH",), number=c.MQCMD_INQUIRE_ENTITY_AUTH, do=show_entity, shows=True,
        parameters=(
            _type(missing=c.MQRCCF_OBJECT_TYPE_MISSING),
            CommandParameter("OBJNAME", "name", c.MQCACF_OBJECT_NAME, TEXT, maximum=48),
            CommandParameter("PRINCIPAL", "principal", c.MQCACF_ENTITY_NAME, TEXT, maximum=_LONGEST_ENTITY,
                      missing=c.MQRCCF_ENTITY_NAME_MISSING),
            *ignored(c.MQIACF_AUTH_OPTIONS, c.MQIACF_ENTITY_TYPE),
        ),
        always=("name", "entity", "entity_type", "object_type"), filters=False, check=_entity_mistakes,
        done="AMQ8866I", missing="entity",
    ),
)  # fmt: skip
