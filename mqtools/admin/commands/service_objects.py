"""Commands on running listeners and services: start, stop, status."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from mqtools.admin import kept_definitions, service_runs
from mqtools.admin.commands.queues import Row
from mqtools.admin.service_runs import LISTENER, SERVICE
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_SERVICE_ERROR, MQRC_SERVICE_NOT_AVAILABLE
from mqtools.rules.attributes.table import WORD, attributes_of
from mqtools.rules.commands.command import GENERIC, REASONS, AdminCommand, CommandParameter, name
from mqtools.rules.local_time import date_and_time
from mqtools.rules.object_names import matches_name
from mqtools.store.database import Database

#: Object type to the object type of its status, and the number of its name.
_STATUS = {LISTENER: ("LSSTATUS", c.MQCACH_LISTENER_NAME), SERVICE: ("SVSTATUS", cmqc.MQCA_SERVICE_NAME)}
#: Object type to reasons of errors and those of the reply in PCF.
_REASONS = {
    LISTENER: {
        MQRC_OBJECT_IN_USE: c.MQRCCF_LISTENER_RUNNING,
        MQRC_SERVICE_NOT_AVAILABLE: c.MQRCCF_LISTENER_STOPPED,
    },
    SERVICE: {MQRC_OBJECT_IN_USE: c.MQRCCF_SERVICE_RUNNING, MQRC_SERVICE_NOT_AVAILABLE: c.MQRCCF_SERVICE_STOPPED},
}
_NO_COMMAND = {"START": c.MQRCCF_NO_START_CMD, "STOP": c.MQRCCF_NO_STOP_CMD}
_VERBS: dict[str, Callable[..., Any]] = {"START": service_runs.start, "STOP": service_runs.stop}
_IGNORES_STATE = CommandParameter(
    "IGNSTATE", "ignores_state", c.MQIACF_IGNORE_STATE, WORD, words=(("NO", c.MQIS_NO), ("YES", c.MQIS_YES))
)


def show_status(db: Database, name: str, object_type: str) -> Iterator[Row]:
    """Yield the status of the objects that run and match a generic name, with their definitions."""
    table, _ = _STATUS[object_type]
    names = kept_definitions.names(db, object_type)
    wanted = [each for each in names if matches_name(name, each)] if "*" in name else [name]
    for each, run, definition in service_runs.statuses(db, object_type, wanted):
        values = {row.name: definition.get(row.name, row.default) for row in attributes_of(table)}
        date, time = date_and_time(run.at)
        own = {object_type.lower(): each, "status": run.state, "pid": run.pid, "startda": date, "startti": time}
        yield table, {**values, **own}


def _commands(
    object_type: str, numbers: tuple[int, int, int], messages: tuple[str, str, str]
) -> Iterator[AdminCommand]:
    table, selector = _STATUS[object_type]
    for verb, do, number, done in zip(_VERBS, _VERBS.values(), numbers, messages, strict=False):
        yield AdminCommand(
            verb=verb, object_types=(object_type,), number=number, do=partial(do, object_type=object_type), done=done,
            parameters=(name(selector), _IGNORES_STATE),
            reasons={**REASONS, **_REASONS[object_type], MQRC_SERVICE_ERROR: _NO_COMMAND[verb]},
        )  # fmt: skip
    asked = c.MQIACF_LISTENER_STATUS_ATTRS if object_type == LISTENER else c.MQIACF_SERVICE_STATUS_ATTRS
    yield AdminCommand(
        verb="DISPLAY", object_types=(table,), number=numbers[2], do=partial(show_status, object_type=object_type),
        shows=True, parameters=(name(selector, GENERIC),), asked=asked, always=(object_type.lower(), "status"),
        done=messages[2], missing=f"running {object_type.lower()}",
    )  # fmt: skip


COMMANDS = (
    *_commands(
        LISTENER,
        (c.MQCMD_START_CHANNEL_LISTENER, c.MQCMD_STOP_CHANNEL_LISTENER, c.MQCMD_INQUIRE_LISTENER_STATUS),
        ("AMQ8021I", "AMQ8706I", "AMQ8631I"),
    ),
    *_commands(
        SERVICE,
        (c.MQCMD_START_SERVICE, c.MQCMD_STOP_SERVICE, c.MQCMD_INQUIRE_SERVICE_STATUS),
        ("AMQ8733I", "AMQ8732I", "AMQ8632I"),
    ),
)
