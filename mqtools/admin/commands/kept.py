"""Commands on objects that are kept: topics, name lists, processes, authentication information, listeners, services."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from mqtools.admin import kept_definitions, service_runs
from mqtools.admin.commands.queues import Row
from mqtools.admin.commands.remote import Change
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants.reasons import (
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import matches_name
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import INTEGER, KEPT, TEXT, Attribute, by_keyword
from mqtools.rules.commands.command import GENERIC, REPLACE, AdminCommand, CommandParameter, ignored, like, name
from mqtools.rules.security.authorities import TOPIC
from mqtools.store.database import Database

#: Object type to the numbers of the messages that an object was created, changed, deleted, and of what is displayed.
_MESSAGES = {
    "LISTENER": ("AMQ8626I", "AMQ8623I", "AMQ8628I", "AMQ8630I"),
    "NAMELIST": ("AMQ8552I", "AMQ8551I", "AMQ8553I", "AMQ8550I"),
    "PROCESS": ("AMQ8010I", "AMQ8012I", "AMQ8011I", "AMQ8407I"),
    "SERVICE": ("AMQ8625I", "AMQ8624I", "AMQ8627I", "AMQ8629I"),
    "TOPIC": ("AMQ8690I", "AMQ8691I", "AMQ8692I", "AMQ8633I"),
    "AUTHINFO": ("AMQ8563I", "AMQ8567I", "AMQ8564I", "AMQ8566I"),
}
#: Object type to its commands in PCF: create, change, copy, delete, inquire, inquire names.
_NUMBERS = {
    "NAMELIST": (
        c.MQCMD_CREATE_NAMELIST, c.MQCMD_CHANGE_NAMELIST, c.MQCMD_COPY_NAMELIST, c.MQCMD_DELETE_NAMELIST,
        c.MQCMD_INQUIRE_NAMELIST, c.MQCMD_INQUIRE_NAMELIST_NAMES,
    ),
    "PROCESS": (
        c.MQCMD_CREATE_PROCESS, c.MQCMD_CHANGE_PROCESS, c.MQCMD_COPY_PROCESS, c.MQCMD_DELETE_PROCESS,
        c.MQCMD_INQUIRE_PROCESS, c.MQCMD_INQUIRE_PROCESS_NAMES,
    ),
    "TOPIC": (
        c.MQCMD_CREATE_TOPIC, c.MQCMD_CHANGE_TOPIC, c.MQCMD_COPY_TOPIC, c.MQCMD_DELETE_TOPIC,
        c.MQCMD_INQUIRE_TOPIC, c.MQCMD_INQUIRE_TOPIC_NAMES,
    ),
    "LISTENER": (
        c.MQCMD_CREATE_LISTENER, c.MQCMD_CHANGE_LISTENER, c.MQCMD_COPY_LISTENER, c.MQCMD_DELETE_LISTENER,
        c.MQCMD_INQUIRE_LISTENER, 0,
    ),
    "SERVICE": (
        c.MQCMD_CREATE_SERVICE, c.MQCMD_CHANGE_SERVICE, c.MQCMD_COPY_SERVICE, c.MQCMD_DELETE_SERVICE,
        c.MQCMD_INQUIRE_SERVICE, 0,
    ),
    "AUTHINFO": (
        c.MQCMD_CREATE_AUTH_INFO, c.MQCMD_CHANGE_AUTH_INFO, c.MQCMD_COPY_AUTH_INFO, c.MQCMD_DELETE_AUTH_INFO,
        c.MQCMD_INQUIRE_AUTH_INFO, c.MQCMD_INQUIRE_AUTH_INFO_NAMES,
    ),
}  # fmt: skip
#: Object type to the parameter that narrows an inquiry by a type, and the value of it that is every type.
_OWN_TYPES = {"AUTHINFO": (cmqc.MQIA_AUTH_INFO_TYPE, None), "TOPIC": (cmqc.MQIA_TOPIC_TYPE, cmqc.MQTOPT_ALL)}


def show(db: Database, object_type: str, name: str, own_type: int | None = None) -> Iterator[Row]:
    """Yield the objects that match a generic name. own_type: of those to show."""
    number, every = _OWN_TYPES.get(object_type, (0, None))
    for each in kept_definitions.names(db, object_type) if "*" in name else [name]:
        if matches_name(name, each):
            stored = kept_definitions.find(db, object_type, each)
            if own_type in (None, every, stored.get(number)):
                yield _row(object_type, each, stored)


def _changes(
    db: Database, object_type: str, name: str, values: Mapping[int | str, Any], like: str | None = None, **_: object
) -> Iterator[Change]:
    """Yield the attributes with their values before and after DEFINE or ALTER."""
    is_there = name in kept_definitions.names(db, object_type)
    before = kept_definitions.find(db, object_type, name) if is_there else {}
    start = kept_definitions.find(db, object_type, like) if like else {}
    for row in kept_definitions.rows(object_type):
        key = row.keyword if row.selector is None else row.selector
        old = before.get(key, "")
        yield row, old, values.get(key, start.get(key, old))


def _row(object_type: str, name: str, stored: Mapping[int | str, Any]) -> Row:
    """Return the attributes of an object, each by its keyword, or by its number where MQSC does not have it."""
    kept = kept_definitions.TYPES[object_type]
    keyword_of: dict[int | str, str] = {number: keyword for keyword, number in kept.shared.items()}
    rows = [Attribute(object_type, object_type.lower(), kept.name or None, TEXT)]
    values: dict[str, Any] = {rows[0].name: name}
    for key, value in sorted(stored.items(), key=lambda item: keyword_of.get(item[0], str(item[0]))):
        keyword = keyword_of.get(key, "") if isinstance(key, int) else key
        row = by_keyword(object_type, keyword)
        own_name = keyword.lower() or str(key)
        words = row.words if row else ()
        rows.append(Attribute(keyword, own_name, key if isinstance(key, int) else None, KEPT, words=words))
        values[own_name] = value
    return tuple(rows), values


def show_names(db: Database, object_type: str, name: str) -> Iterator[Row]:
    """Yield one row with the names of the objects that match a generic name."""
    kind = kept_definitions.TYPES[object_type]
    found = [each for each in kept_definitions.names(db, object_type) if matches_name(name, each)]
    yield (Attribute("", "names", kind.names, TEXT),), {"names": found}


def _delete(work: Work, object_type: str, name: str) -> None:
    """Delete an object. Raises MQError as ``kept_definitions.delete``; MQRC_OBJECT_IN_USE for one that runs."""
    if service_runs.find(work.db, object_type, name) is not None:
        raise MQError(
            f"{object_type.lower()} {name} is running", MQRC_OBJECT_IN_USE, hint=f"STOP {object_type}({name})"
        )
    kept_definitions.delete(work, object_type, name)


def _commands(object_type: str) -> Iterator[AdminCommand]:
    kind, messages = kept_definitions.TYPES[object_type], _MESSAGES[object_type]
    create, change, copy, remove, inquire, names = _NUMBERS.get(object_type, (0, 0, 0, 0, 0, 0))
    selector, to_name, from_name = kind.name or None, kind.to_name or None, kind.from_name or None
    number, _ = _OWN_TYPES.get(object_type, (None, None))
    changes = partial(_changes, object_type=object_type)
    protects = TOPIC if object_type == "TOPIC" else None

    def command(verb: str, number: int, do: Callable[..., Any], done: str, **fields: Any) -> AdminCommand:
        named = (MQRC_UNKNOWN_OBJECT_NAME, MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_NAME_ERROR)
        return AdminCommand(
            verb=verb, number=number, do=partial(do, object_type=object_type), done=done, named_reasons=named,
            **{"object_types": (object_type,) if done else (), "table": object_type, "protects": protects, **fields},
        )  # fmt: skip

    yield command(
        "DEFINE", create, kept_definitions.define, messages[0], copy_number=copy, keeps=True, changes=changes,
        parameters=(like(from_name), name(selector, copied_to=to_name), REPLACE),
    )  # fmt: skip
    yield command("ALTER", change, kept_definitions.alter, messages[1], keeps=True, changes=changes,
                  parameters=(name(selector),))  # fmt: skip
    authorities = CommandParameter("AUTHREC", "", c.MQIACF_REMOVE_AUTHREC, "")
    yield command("DELETE", remove, _delete, messages[2], parameters=(name(selector), authorities))
    own_type = (CommandParameter("", "own_type", number, INTEGER, minimum=-1 << 31, maximum=1 << 31),) if number else ()
    yield command(
        "DISPLAY", inquire, show, messages[3], shows=True, asked=kind.attrs, table=kept_definitions.rows(object_type),
        parameters=(name(selector, GENERIC), *own_type, *ignored(*{n for n, _ in _OWN_TYPES.values()} - {number})),
        always=(object_type.lower(), "type", "authtype"), missing=object_type.lower(),
    )  # fmt: skip
    if names:
        yield command("DISPLAY", names, show_names, "", shows=True, filters=False,
                      object_types=(), parameters=(name(selector, GENERIC),))  # fmt: skip


COMMANDS = tuple(command for object_type in _MESSAGES for command in _commands(object_type))
