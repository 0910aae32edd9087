"""Commands on objects that are kept: topics, name lists, processes, authentication information, listeners, services."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any

from mqtools.admin import kept_definitions, service_runs
from mqtools.admin.commands.queues import Row
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.reasons import (
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import INTEGER, TEXT, Attribute, attributes_of
from mqtools.rules.commands.command import GENERIC, REPLACE, AdminCommand, CommandParameter, ignored, like, name
from mqtools.rules.object_names import matches_name
from mqtools.rules.security.authorities import TOPIC
from mqtools.store.database import Database


@dataclass(slots=True, frozen=True)
class KeptType:
    """Type of objects: its commands in PCF, and the parameters and messages of these.

    name, from_name, to_name: parameters for the name of an object, and for both names of a copy.  asked, names: of the
    attributes to show, and of a list of names.  messages: that an object was created, changed, deleted, and the title
    of one that is displayed.  own_type: attribute that narrows an inquiry, its parameter, and its value for every
    type.
    """

    create: int
    change: int
    copy: int
    delete: int
    inquire: int
    inquire_names: int = 0
    _: KW_ONLY
    name: int
    from_name: int
    to_name: int
    asked: int
    names: int = 0
    messages: tuple[str, str, str, str]
    own_type: tuple[str, int, int | None] = ("", 0, None)
    protects: int | None = None


_TYPES = {
    "LISTENER": KeptType(
        c.MQCMD_CREATE_LISTENER, c.MQCMD_CHANGE_LISTENER, c.MQCMD_COPY_LISTENER, c.MQCMD_DELETE_LISTENER,
        c.MQCMD_INQUIRE_LISTENER,
        name=c.MQCACH_LISTENER_NAME, from_name=c.MQCACF_FROM_LISTENER_NAME, to_name=c.MQCACF_TO_LISTENER_NAME,
        asked=c.MQIACF_LISTENER_ATTRS, messages=("AMQ8626I", "AMQ8623I", "AMQ8628I", "AMQ8630I"),
    ),
    "NAMELIST": KeptType(
        c.MQCMD_CREATE_NAMELIST, c.MQCMD_CHANGE_NAMELIST, c.MQCMD_COPY_NAMELIST, c.MQCMD_DELETE_NAMELIST,
        c.MQCMD_INQUIRE_NAMELIST, c.MQCMD_INQUIRE_NAMELIST_NAMES,
        name=o.MQCA_NAMELIST_NAME, from_name=c.MQCACF_FROM_NAMELIST_NAME, to_name=c.MQCACF_TO_NAMELIST_NAME,
        asked=c.MQIACF_NAMELIST_ATTRS, names=c.MQCACF_NAMELIST_NAMES,
        messages=("AMQ8552I", "AMQ8551I", "AMQ8553I", "AMQ8550I"),
    ),
    "PROCESS": KeptType(
        c.MQCMD_CREATE_PROCESS, c.MQCMD_CHANGE_PROCESS, c.MQCMD_COPY_PROCESS, c.MQCMD_DELETE_PROCESS,
        c.MQCMD_INQUIRE_PROCESS, c.MQCMD_INQUIRE_PROCESS_NAMES,
        name=o.MQCA_PROCESS_NAME, from_name=c.MQCACF_FROM_PROCESS_NAME, to_name=c.MQCACF_TO_PROCESS_NAME,
        asked=c.MQIACF_PROCESS_ATTRS, names=c.MQCACF_PROCESS_NAMES,
        messages=("AMQ8010I", "AMQ8012I", "AMQ8011I", "AMQ8407I"),
    ),
    "SERVICE": KeptType(
        c.MQCMD_CREATE_SERVICE, c.MQCMD_CHANGE_SERVICE, c.MQCMD_COPY_SERVICE, c.MQCMD_DELETE_SERVICE,
        c.MQCMD_INQUIRE_SERVICE,
        name=cmqc.MQCA_SERVICE_NAME, from_name=c.MQCACF_FROM_SERVICE_NAME, to_name=c.MQCACF_TO_SERVICE_NAME,
        asked=c.MQIACF_SERVICE_ATTRS, messages=("AMQ8625I", "AMQ8624I", "AMQ8627I", "AMQ8629I"),
    ),
    "TOPIC": KeptType(
        c.MQCMD_CREATE_TOPIC, c.MQCMD_CHANGE_TOPIC, c.MQCMD_COPY_TOPIC, c.MQCMD_DELETE_TOPIC,
        c.MQCMD_INQUIRE_TOPIC, c.MQCMD_INQUIRE_TOPIC_NAMES,
        name=cmqc.MQCA_TOPIC_NAME, from_name=c.MQCACF_FROM_TOPIC_NAME, to_name=c.MQCACF_TO_TOPIC_NAME,
        asked=c.MQIACF_TOPIC_ATTRS, names=c.MQCACF_TOPIC_NAMES,
        messages=("AMQ8690I", "AMQ8691I", "AMQ8692I", "AMQ8633I"),
        own_type=("topic_type", cmqc.MQIA_TOPIC_TYPE, cmqc.MQTOPT_ALL), protects=TOPIC,
    ),
    "AUTHINFO": KeptType(
        c.MQCMD_CREATE_AUTH_INFO, c.MQCMD_CHANGE_AUTH_INFO, c.MQCMD_COPY_AUTH_INFO, c.MQCMD_DELETE_AUTH_INFO,
        c.MQCMD_INQUIRE_AUTH_INFO, c.MQCMD_INQUIRE_AUTH_INFO_NAMES,
        name=cmqc.MQCA_AUTH_INFO_NAME, from_name=c.MQCACF_FROM_AUTH_INFO_NAME, to_name=c.MQCACF_TO_AUTH_INFO_NAME,
        asked=c.MQIACF_AUTH_INFO_ATTRS, names=c.MQCACF_AUTH_INFO_NAMES,
        messages=("AMQ8563I", "AMQ8567I", "AMQ8564I", "AMQ8566I"),
        own_type=("auth_info_type", cmqc.MQIA_AUTH_INFO_TYPE, None),
    ),
}  # fmt: skip
#: Parameters that narrow an inquiry by type; those of other object types have no effect.
_NARROWING = {kept.own_type[1] for kept in _TYPES.values()} - {0}
#: Object type to the rows that are displayed: the attributes, each under its keyword in lower case.
_ROWS = {
    object_type: tuple(replace(row, name=row.keyword.lower()) for row in attributes_of(object_type))
    for object_type in _TYPES
}
_NAMED = (MQRC_UNKNOWN_OBJECT_NAME, MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_NAME_ERROR)


def show(db: Database, object_type: str, name: str, own_type: int | None = None) -> Iterator[Row]:
    """Yield the objects that match a generic name. own_type: of those to show."""
    type_name, _, every = _TYPES[object_type].own_type
    rows = list(zip(attributes_of(object_type), _ROWS[object_type], strict=True))
    for each in kept_definitions.names(db, object_type) if "*" in name else [name]:
        if matches_name(name, each):
            found = {**kept_definitions.find(db, object_type, each), object_type.lower(): each}
            if own_type in (None, every, found.get(type_name)):
                yield _ROWS[object_type], {shown.name: found[row.name] for row, shown in rows if row.name in found}


def _find(db: Database, object_type: str, name: str) -> Mapping[str, Any]:
    is_there = name in kept_definitions.names(db, object_type)
    return kept_definitions.find(db, object_type, name) if is_there else {}


def show_names(db: Database, object_type: str, name: str) -> Iterator[Row]:
    """Yield one row with the names of the objects that match a generic name."""
    found = [each for each in kept_definitions.names(db, object_type) if matches_name(name, each)]
    yield (Attribute("", "names", _TYPES[object_type].names, TEXT),), {"names": found}


def _delete(work: Work, object_type: str, name: str) -> None:
    """Delete an object. Raises MQError as ``kept_definitions.delete``; MQRC_OBJECT_IN_USE for one that runs."""
    if service_runs.find(work.db, object_type, name) is not None:
        raise MQError(
            f"{object_type.lower()} {name} is running", MQRC_OBJECT_IN_USE, hint=f"STOP {object_type}({name})"
        )
    kept_definitions.delete(work, object_type, name)


def _commands(object_type: str, kept: KeptType) -> Iterator[AdminCommand]:
    finds, (_, number, _) = partial(_find, object_type=object_type), kept.own_type

    def command(verb: str, number: int, do: Callable[..., Any], **fields: Any) -> AdminCommand:
        common = {"object_types": (object_type,), "table": object_type, "protects": kept.protects}
        do = partial(do, object_type=object_type)
        return AdminCommand(verb=verb, number=number, do=do, named_reasons=_NAMED, **{**common, **fields})

    created, changed, deleted, title = kept.messages
    yield command(
        "DEFINE", kept.create, kept_definitions.define, copy_number=kept.copy, sets=True, finds=finds, done=created,
        parameters=(like(kept.from_name), name(kept.name, copied_to=kept.to_name), REPLACE),
    )  # fmt: skip
    yield command("ALTER", kept.change, kept_definitions.alter, sets=True, finds=finds, done=changed,
                  parameters=(name(kept.name),))  # fmt: skip
    authorities = CommandParameter("AUTHREC", "", c.MQIACF_REMOVE_AUTHREC, "")
    yield command("DELETE", kept.delete, _delete, done=deleted, parameters=(name(kept.name), authorities))
    own_type = (CommandParameter("", "own_type", number, INTEGER, minimum=-1 << 31, maximum=1 << 31),) if number else ()
    yield command(
        "DISPLAY", kept.inquire, show, shows=True, asked=kept.asked, table=_ROWS[object_type], done=title,
        parameters=(name(kept.name, GENERIC), *own_type, *ignored(*_NARROWING - {number})),
        always=(object_type.lower(), "type", "authtype"), missing=object_type.lower(),
    )  # fmt: skip
    if kept.inquire_names:
        yield command("DISPLAY", kept.inquire_names, show_names, shows=True, filters=False, object_types=(),
                      parameters=(name(kept.name, GENERIC),))  # fmt: skip


COMMANDS = tuple(command for item in _TYPES.items() for command in _commands(*item))
