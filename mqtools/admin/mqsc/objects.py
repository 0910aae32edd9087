"""The MQSC commands that change queues and the queue manager: read into actions, run in one transaction each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from mqtools.admin.mqsc.report import Response, failure
from mqtools.errors import MQError
from mqtools.formats.mqsc_output import message
from mqtools.mqi import definitions

if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.admin.mqsc.parameters import Parameters
    from mqtools.mqi.connection import Connection

    #: What a command does once it has been read.
    Action: TypeAlias = Callable[[Connection], Response]


def define_queue(given: Parameters) -> Action:
    """DEFINE QLOCAL, QMODEL, QALIAS, QREMOTE: LIKE, REPLACE and attributes."""
    name = given.object_name()
    like = given.value("LIKE")
    replace = given.flag("REPLACE", "NOREPLACE")
    object_type = given.command.object_type
    return partial(_define, object_type, name, given.attributes(object_type), like, replace)


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


def alter_queue(given: Parameters) -> Action:
    """ALTER QLOCAL, QMODEL, QALIAS, QREMOTE: attributes; FORCE is taken and needed for nothing."""
    name = given.object_name()
    given.flag("FORCE", "NOFORCE")
    object_type = given.command.object_type
    return partial(_alter, object_type, name, given.attributes(object_type))


def _alter(object_type: str, name: str, values: dict[str, object], connection: Connection) -> Response:
    with connection.work() as work:
        definitions.alter_queue(work, object_type, name, values)
    return Response([message("AMQ8008I")])


def delete_queue(given: Parameters) -> Action:
    """DELETE QLOCAL, QMODEL, QALIAS, QREMOTE: PURGE for a local queue with messages."""
    name = given.object_name()
    object_type = given.command.object_type
    purge = given.flag("PURGE", "NOPURGE") if object_type == "QLOCAL" else False
    given.finish()
    return partial(_delete, object_type, name, purge)


def _delete(object_type: str, name: str, purge: bool, connection: Connection) -> Response:
    with connection.work() as work:
        definitions.delete_queue(work, object_type, name, purge=purge)
    return Response([message("AMQ8007I")])


def clear_queue(given: Parameters) -> Action:
    """CLEAR QLOCAL."""
    name = given.object_name()
    given.finish()
    return partial(_clear, name)


def _clear(name: str, connection: Connection) -> Response:
    with connection.work() as work:
        definitions.clear_queue(work, name)
    return Response([message("AMQ8022I")])


def alter_qmgr(given: Parameters) -> Action:
    """ALTER QMGR: attributes; FORCE is taken and needed for nothing."""
    given.no_name()
    given.flag("FORCE", "NOFORCE")
    return partial(_alter_qmgr, given.attributes("QMGR"))


def _alter_qmgr(values: dict[str, object], connection: Connection) -> Response:
    with connection.work() as work:
        definitions.alter_qmgr(work, values)
    return Response([message("AMQ8005I")])


def ping_qmgr(given: Parameters) -> Action:
    """PING QMGR: tell whether the queue manager takes commands."""
    given.no_name()
    given.finish()
    return _ping


def _ping(connection: Connection) -> Response:
    with connection.work():
        return Response([message("AMQ8415I")])
