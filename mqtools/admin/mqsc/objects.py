"""MQSC commands that change queues and the queue manager: each is parsed into an action, run in one transaction."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from mqtools.admin.mqsc.report import Response, failure
from mqtools.errors import MQError
from mqtools.formats.mqsc.output import message
from mqtools.mqi.clear import clear_in_steps
from mqtools.mqi.objects import definitions

if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.admin.mqsc.parameters import MqscParameters
    from mqtools.mqi.connection import Connection

    #: Executes a parsed command.
    Action: TypeAlias = Callable[[Connection], Response]


def define_queue(parameters: MqscParameters) -> Action:
    """Parse DEFINE QLOCAL, QMODEL, QALIAS, QREMOTE: LIKE, REPLACE and attributes."""
    name = parameters.object_name()
    like = parameters.value("LIKE")
    replace = parameters.flag("REPLACE", "NOREPLACE")
    object_type = parameters.command.object_type
    return partial(_define, object_type, name, parameters.attributes(object_type), like, replace)


def _define(
    object_type: str, name: str, values: dict[str, object], like: str | None, replace: bool, connection: Connection
) -> Response:
    if like is not None:
        try:
            with connection.db.reading():
                definitions.find_of_type(connection.db, object_type, like)
        except MQError as error:
            return failure(error, like)
    with connection.work() as work:
        definitions.define_queue(work, object_type, name, values, like=like, replace=replace)
    return Response([message("AMQ8006I")])


def alter_queue(parameters: MqscParameters) -> Action:
    """Parse ALTER QLOCAL, QMODEL, QALIAS, QREMOTE: attributes; FORCE is accepted and has no effect."""
    name = parameters.object_name()
    parameters.flag("FORCE", "NOFORCE")
    object_type = parameters.command.object_type
    return partial(_alter, object_type, name, parameters.attributes(object_type))


def _alter(object_type: str, name: str, values: dict[str, object], connection: Connection) -> Response:
    with connection.work() as work:
        definitions.alter_queue(work, object_type, name, values)
    return Response([message("AMQ8008I")])


def delete_queue(parameters: MqscParameters) -> Action:
    """Parse DELETE QLOCAL, QMODEL, QALIAS, QREMOTE: PURGE for a local queue with messages."""
    name = parameters.object_name()
    object_type = parameters.command.object_type
    purge = parameters.flag("PURGE", "NOPURGE") if object_type == "QLOCAL" else False
    parameters.finish()
    return partial(_delete, object_type, name, purge)


def _delete(object_type: str, name: str, purge: bool, connection: Connection) -> Response:
    with connection.work() as work:
        definitions.delete_queue(work, object_type, name, purge=purge)
    return Response([message("AMQ8007I")])


def clear_queue(parameters: MqscParameters) -> Action:
    """Parse CLEAR QLOCAL."""
    name = parameters.object_name()
    parameters.finish()
    return partial(_clear, name)


def _clear(name: str, connection: Connection) -> Response:
    clear_in_steps(connection, name)
    return Response([message("AMQ8022I")])


def alter_qmgr(parameters: MqscParameters) -> Action:
    """Parse ALTER QMGR: attributes; FORCE is accepted and has no effect."""
    parameters.no_name()
    parameters.flag("FORCE", "NOFORCE")
    return partial(_alter_qmgr, parameters.attributes("QMGR"))


def _alter_qmgr(values: dict[str, object], connection: Connection) -> Response:
    with connection.work() as work:
        definitions.alter_qmgr(work, values)
    return Response([message("AMQ8005I")])


def ping_qmgr(parameters: MqscParameters) -> Action:
    """Parse PING QMGR, which checks whether the queue manager accepts commands."""
    parameters.no_name()
    parameters.finish()
    return _ping


def change_nothing(parameters: MqscParameters) -> Action:
    """Parse a command that has nothing to change here."""
    for keyword in ("TYPE", "OBJECT", "NAME", "INCLINT", "INITQ", "PARM", "ENVPARM", "CMDSCOPE"):
        parameters.take(keyword)
    parameters.finish()
    command = parameters.command
    return lambda _connection: Response([f"mqx: {command.verb} {command.object_type} accepted; it changes nothing"])


def _ping(connection: Connection) -> Response:
    with connection.work():
        return Response([message("AMQ8415I")])
