"""Commands on objects that are kept: topics, name lists, processes, authentication information, listeners, services."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
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
    """Type of objects, with the words of its commands.

    word: of the type in the names of the constants of PCF.  name: parameter for the name of an object.  messages: that
    an object was created, changed, deleted, and the title of one that is displayed.  own_type: attribute that narrows
    an inquiry, its parameter, and its value for every type.
    """

    word: str
    name: int
    messages: tuple[str, str, str, str]
    own_type: tuple[str, int, int | None] = ("", 0, None)
    protects: int | None = None

    def constant(self, form: str) -> int:
        """Return the constant of PCF whose name has the word of the type at {}; 0 where the type has none."""
        return int(vars(c).get(form.format(self.word), 0))


_TYPES = {
    "LISTENER": KeptType("LISTENER", c.MQCACH_LISTENER_NAME, ("AMQ8626I", "AMQ8623I", "AMQ8628I", "AMQ8630I")),
    "NAMELIST": KeptType("NAMELIST", o.MQCA_NAMELIST_NAME, ("AMQ8552I", "AMQ8551I", "AMQ8553I", "AMQ8550I")),
    "PROCESS": KeptType("PROCESS", o.MQCA_PROCESS_NAME, ("AMQ8010I", "AMQ8012I", "AMQ8011I", "AMQ8407I")),
    "SERVICE": KeptType("SERVICE", cmqc.MQCA_SERVICE_NAME, ("AMQ8625I", "AMQ8624I", "AMQ8627I", "AMQ8629I")),
    "TOPIC": KeptType(
        "TOPIC",
        cmqc.MQCA_TOPIC_NAME,
        ("AMQ8690I", "AMQ8691I", "AMQ8692I", "AMQ8633I"),
        ("topic_type", cmqc.MQIA_TOPIC_TYPE, cmqc.MQTOPT_ALL),
        protects=TOPIC,
    ),
    "AUTHINFO": KeptType(
        "AUTH_INFO",
        cmqc.MQCA_AUTH_INFO_NAME,
        ("AMQ8563I", "AMQ8567I", "AMQ8564I", "AMQ8566I"),
        ("auth_info_type", cmqc.MQIA_AUTH_INFO_TYPE, None),
    ),
}
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
    yield (Attribute("", "names", _TYPES[object_type].constant("MQCACF_{}_NAMES"), TEXT),), {"names": found}


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
    copied_from, copied_to = kept.constant("MQCACF_FROM_{}_NAME"), kept.constant("MQCACF_TO_{}_NAME")
    yield command(
        "DEFINE", kept.constant("MQCMD_CREATE_{}"), kept_definitions.define, copy_number=kept.constant("MQCMD_COPY_{}"),
        sets=True, finds=finds, done=created,
        parameters=(like(copied_from), name(kept.name, copied_to=copied_to), REPLACE),
    )  # fmt: skip
    yield command("ALTER", kept.constant("MQCMD_CHANGE_{}"), kept_definitions.alter, sets=True, finds=finds,
                  done=changed, parameters=(name(kept.name),))  # fmt: skip
    authorities = CommandParameter("AUTHREC", "", c.MQIACF_REMOVE_AUTHREC, "")
    yield command("DELETE", kept.constant("MQCMD_DELETE_{}"), _delete, done=deleted,
                  parameters=(name(kept.name), authorities))  # fmt: skip
    own_type = (CommandParameter("", "own_type", number, INTEGER, minimum=-1 << 31, maximum=1 << 31),) if number else ()
    yield command(
        "DISPLAY", kept.constant("MQCMD_INQUIRE_{}"), show, shows=True, asked=kept.constant("MQIACF_{}_ATTRS"),
        table=_ROWS[object_type], done=title,
        parameters=(name(kept.name, GENERIC), *own_type, *ignored(*_NARROWING - {number})),
        always=(object_type.lower(), "type", "authtype"), missing=object_type.lower(),
    )  # fmt: skip
    if inquire_names := kept.constant("MQCMD_INQUIRE_{}_NAMES"):
        yield command("DISPLAY", inquire_names, show_names, shows=True, filters=False, object_types=(),
                      parameters=(name(kept.name, GENERIC),))  # fmt: skip


COMMANDS = tuple(command for item in _TYPES.items() for command in _commands(*item))
