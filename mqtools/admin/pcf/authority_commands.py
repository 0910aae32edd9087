"""PCF commands on authority records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.admin import authorities
from mqtools.admin.pcf.request import PcfParameters
from mqtools.constants import cmqcfc as c
from mqtools.constants import cmqzc, objects
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import matches_name
from mqtools.headers.pcf import PCFError
from mqtools.mqi.authority import groups_of, records
from mqtools.mqi.transaction import Work
from mqtools.rules.security.authorities import AuthorityRecord
from mqtools.rules.security.profiles import matches_profile

if TYPE_CHECKING:
    from mqtools.admin.pcf.values import ParameterWriter, Replies

_ENTITY_LENGTH = 64
#: Parameter with names of entities to entity type.
_ENTITIES = {
    c.MQCACF_PRINCIPAL_ENTITY_NAMES: cmqzc.MQZAET_PRINCIPAL,
    c.MQCACF_GROUP_ENTITY_NAMES: cmqzc.MQZAET_GROUP,
}


def set_record(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_SET_AUTH_REC: add and remove authorities of principals and groups."""
    profile, object_type, entities = _subject(parameters)
    add = set(parameters.integers(c.MQIACF_AUTH_ADD_AUTHS) or ())
    remove = set(parameters.integers(c.MQIACF_AUTH_REMOVE_AUTHS) or ())
    parameters.finish()
    if not add and not remove:
        raise PCFError("no authorities to add or remove", c.MQRCCF_AUTH_VALUE_MISSING, c.MQIACF_AUTH_ADD_AUTHS)
    for entity_type, entity in entities:
        authorities.set_record(work, profile, object_type, entity_type, entity, add, remove)
    return []


def delete_record(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_DELETE_AUTH_REC."""
    profile, object_type, entities = _subject(parameters)
    parameters.finish()
    try:
        authorities.delete_records(work, profile, object_type, entities)
    except MQError as error:
        raise PCFError(error.text, error.reason, c.MQCACF_AUTH_PROFILE_NAME) from error
    return []


def inquire(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_AUTH_RECS: by profile, object type and entity; an absent parameter matches all."""
    name = parameters.text(c.MQCACF_AUTH_PROFILE_NAME) or ""
    object_type = parameters.integer(c.MQIACF_OBJECT_TYPE)
    entity_type = parameters.integer(c.MQIACF_ENTITY_TYPE)
    entity = parameters.text(c.MQCACF_ENTITY_NAME, _ENTITY_LENGTH) or ""
    options = parameters.integer(c.MQIACF_AUTH_OPTIONS) or 0
    parameters.finish()
    found = [
        record
        for record in records(work.db)
        if object_type in (None, objects.MQOT_ALL, record.object_type)
        and (not name or _names(record.profile, name, options))
        and _is_of(record, entity_type, entity, options)
    ]
    if not found:
        raise PCFError("authority record does not exist", MQRC_UNKNOWN_OBJECT_NAME, c.MQCACF_AUTH_PROFILE_NAME)
    if options & c.MQAUTHOPT_CUMULATIVE:
        found = _accumulate(found, name, entity)
    return [
        [
            writer.parameter(c.MQCACF_AUTH_PROFILE_NAME, record.profile),
            writer.parameter(c.MQIACF_OBJECT_TYPE, record.object_type),
            writer.parameter(c.MQIACF_ENTITY_TYPE, record.entity_type),
            writer.parameter(c.MQCACF_ENTITY_NAME, record.entity),
            writer.integers(c.MQIACF_AUTHORIZATION_LIST, record.authorities),
        ]
        for record in found
    ]


def _names(profile: str, name: str, options: int) -> bool:
    """Return whether a profile fits the name of an inquiry, which it equals without an option. options: MQAUTHOPT_*."""
    if options & c.MQAUTHOPT_NAME_ALL_MATCHING:
        return matches_profile(profile, name)
    if options & c.MQAUTHOPT_NAME_AS_WILDCARD:
        return matches_name(name, profile)
    return profile == name


def _is_of(record: AuthorityRecord, entity_type: int | None, entity: str, options: int) -> bool:
    """Return whether a record is of an entity or, with MQAUTHOPT_ENTITY_SET, of a group that it is in."""
    if entity_type in (None, record.entity_type) and entity in ("", record.entity):
        return True
    has_groups = options & c.MQAUTHOPT_ENTITY_SET and entity_type == cmqzc.MQZAET_PRINCIPAL and entity
    return bool(has_groups) and record.entity_type == cmqzc.MQZAET_GROUP and record.entity in groups_of(entity)


def _accumulate(found: list[AuthorityRecord], name: str, entity: str) -> list[AuthorityRecord]:
    """Return one record for each object type, with the authorities of all. name, entity: of the inquiry."""
    by_type: dict[int, AuthorityRecord] = {}
    for record in found:
        before = by_type.get(record.object_type)
        granted = {*record.authorities, *(before.authorities if before else ())}
        first = before or record.replace(profile=name or record.profile, entity=entity or record.entity)
        by_type[record.object_type] = first.replace(authorities=tuple(sorted(granted)))
    return list(by_type.values())


def _subject(parameters: PcfParameters) -> tuple[str, int, list[tuple[int, str]]]:
    """Consume profile, object type and entities; return each entity with its type."""
    if not parameters.has(c.MQCACF_AUTH_PROFILE_NAME):
        raise PCFError("profile name is missing", c.MQRCCF_PROFILE_NAME_MISSING, c.MQCACF_AUTH_PROFILE_NAME)
    profile = parameters.name(c.MQCACF_AUTH_PROFILE_NAME)
    if not parameters.has(c.MQIACF_OBJECT_TYPE):
        raise PCFError("object type is missing", c.MQRCCF_OBJECT_TYPE_MISSING, c.MQIACF_OBJECT_TYPE)
    object_type = parameters.value(c.MQIACF_OBJECT_TYPE)
    entities = [
        (entity_type, name)
        for number, entity_type in _ENTITIES.items()
        for name in parameters.texts(number, _ENTITY_LENGTH) or ()
    ]
    if not entities:
        raise PCFError("principal or group is missing", c.MQRCCF_ENTITY_NAME_MISSING, c.MQCACF_PRINCIPAL_ENTITY_NAMES)
    return profile, object_type, entities
