"""MQSC commands DISPLAY QSTATUS and DISPLAY CONN: current status of queues, handles and connections."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from mqtools.admin.local_time import date_and_time
from mqtools.admin.mqsc.display import matching_queues, release_dead_holders
from mqtools.admin.mqsc.report import Response, display_object, none_found
from mqtools.constants.message import MQAT_USER
from mqtools.constants.objects import (
    MQIA_APPL_TYPE,
    MQIA_CURRENT_Q_DEPTH,
    MQIA_OPEN_INPUT_COUNT,
    MQIA_OPEN_OUTPUT_COUNT,
    MQOT_Q,
)
from mqtools.constants.options import (
    MQOO_BROWSE,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SET,
)
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.formats.mqsc.output import message
from mqtools.formats.mqsc.script import matches_name
from mqtools.mqi import client_connections
from mqtools.mqi.identity import now_ms
from mqtools.mqi.objects.definitions import attributes_of_queue
from mqtools.rules.attributes.table import INTEGER, TEXT, WORD, Attribute
from mqtools.store import holders, queues

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mqtools.admin.mqsc.objects import Action
    from mqtools.admin.mqsc.parameters import MqscParameters, WhereFilter
    from mqtools.mqi.connection import Connection
    from mqtools.store.database import Database
    from mqtools.store.queues import Queue

    #: Yields the objects that match a pattern, each as values by attribute name.
    Reader: TypeAlias = Callable[[Database, str], Iterator[dict[str, object]]]

_S = ("QSTATUS",)
_H = ("QSTATUS HANDLE",)
_C = ("CONN",)
_CH = ("CONN HANDLE",)
_NO_YES = (("NO", 0), ("YES", 1))
#: All connected programs are user programs: a queue manager has no processes of its own.
_APPL_TYPE = (("USER", MQAT_USER),)
_INPUT = (("NO", 0), ("SHARED", MQOO_INPUT_SHARED), ("EXCL", MQOO_INPUT_EXCLUSIVE))

#: One row per attribute, as in the attribute tables. Dates and times are local, as in MQ.
QUEUE_STATUS: tuple[Attribute, ...] = (
    Attribute("QUEUE", "name", None, TEXT, _S),
    Attribute("TYPE", "status_type", None, TEXT, _S, default="QUEUE"),
    Attribute("CURDEPTH", "current_q_depth", MQIA_CURRENT_Q_DEPTH, INTEGER, _S),
    Attribute("IPPROCS", "open_input_count", MQIA_OPEN_INPUT_COUNT, INTEGER, _S),
    Attribute("LGETDATE", "last_get_date", None, TEXT, _S),
    Attribute("LGETTIME", "last_get_time", None, TEXT, _S),
    Attribute("LPUTDATE", "last_put_date", None, TEXT, _S),
    Attribute("LPUTTIME", "last_put_time", None, TEXT, _S),
    # Seconds since the put of the oldest message, whatever its state.
    Attribute("MSGAGE", "oldest_msg_age", None, INTEGER, _S),
    Attribute("OPPROCS", "open_output_count", MQIA_OPEN_OUTPUT_COUNT, INTEGER, _S),
    Attribute("UNCOM", "uncommitted_msgs", None, INTEGER, _S, words=(("NO", 0),)),
)
HANDLE_STATUS: tuple[Attribute, ...] = (
    Attribute("QUEUE", "name", None, TEXT, _H),
    Attribute("TYPE", "status_type", None, TEXT, _H, default="HANDLE"),
    Attribute("APPLTAG", "appl_tag", None, TEXT, _H),
    Attribute("APPLTYPE", "appl_type", MQIA_APPL_TYPE, WORD, _H, words=_APPL_TYPE),
    Attribute("BROWSE", "open_browse", None, WORD, _H, words=_NO_YES),
    Attribute("CONN", "connection_id", None, TEXT, _H),
    Attribute("INPUT", "open_input_type", None, WORD, _H, words=_INPUT),
    Attribute("INQUIRE", "open_inquire", None, WORD, _H, words=_NO_YES),
    Attribute("OUTPUT", "open_output", None, WORD, _H, words=_NO_YES),
    Attribute("PID", "process_id", None, INTEGER, _H),
    Attribute("SET", "open_set", None, WORD, _H, words=_NO_YES),
    Attribute("USERID", "user_identifier", None, TEXT, _H),
)
CONNECTION: tuple[Attribute, ...] = (
    Attribute("CONN", "connection_id", None, TEXT, _C),
    Attribute("TYPE", "conn_info_type", None, TEXT, _C, default="CONN"),
    Attribute("APPLTAG", "appl_tag", None, TEXT, _C),
    Attribute("APPLTYPE", "appl_type", MQIA_APPL_TYPE, WORD, _C, words=_APPL_TYPE),
    Attribute("CHANNEL", "channel", None, TEXT, _C, default=""),
    Attribute("CONNAME", "connection_name", None, TEXT, _C, default=""),
    Attribute("PID", "process_id", None, INTEGER, _C),
    Attribute("USERID", "user_identifier", None, TEXT, _C),
)
CONNECTION_HANDLE: tuple[Attribute, ...] = (
    Attribute("CONN", "connection_id", None, TEXT, _CH),
    Attribute("TYPE", "conn_info_type", None, TEXT, _CH, default="HANDLE"),
    Attribute("HSTATE", "handle_state", None, WORD, _CH, words=(("INACTIVE", 0), ("ACTIVE", 1)), default=0),
    Attribute("OBJNAME", "object_name", None, TEXT, _CH),
    Attribute("OBJTYPE", "object_type", None, WORD, _CH, words=(("QUEUE", MQOT_Q),), default=MQOT_Q),
    Attribute("OPENOPTS", "open_options", None, INTEGER, _CH),
)


def display_qstatus(parameters: MqscParameters) -> Action:
    """Parse DISPLAY QSTATUS: generic name of local queues, TYPE(QUEUE) or TYPE(HANDLE), WHERE, attributes or ALL."""
    kind = parameters.word({"QUEUE": "QUEUE", "HANDLE": "HANDLE"}, "TYPE")
    if kind == "HANDLE":
        return _display(parameters, HANDLE_STATUS, "AMQ8450I", handles_of_queues)
    return _display(parameters, QUEUE_STATUS, "AMQ8450I", statuses_of_queues)


def display_conn(parameters: MqscParameters) -> Action:
    """Parse DISPLAY CONN: generic connection id, TYPE(CONN) or TYPE(HANDLE), WHERE, attributes or ALL."""
    if parameters.word({"CONN": "CONN", "HANDLE": "HANDLE"}, "TYPE") == "HANDLE":
        return _display(parameters, CONNECTION_HANDLE, "AMQ8276I", handles_of_connections)
    return _display(parameters, CONNECTION, "AMQ8276I", connections)


def _display(parameters: MqscParameters, rows: tuple[Attribute, ...], number: str, reader: Reader) -> Action:
    """Parse the common parameters of status displays; without a list of attributes all are displayed."""
    what = parameters.command.object_type
    pattern = parameters.generic_name()
    where = parameters.filter(rows, what)
    names = parameters.requested_attributes(rows, what)
    if names:
        names = names | {row.name for row in rows[:2]} | ({where.attribute.name} if where else set())
    return partial(_run, rows, number, reader, pattern, where, names or None)


def _run(
    rows: tuple[Attribute, ...],
    number: str,
    reader: Reader,
    pattern: str,
    where: WhereFilter | None,
    names: frozenset[str] | None,
    connection: Connection,
) -> Response:
    if not connection.is_read_only:
        connection.announce()  # it is one of the connections to display
    release_dead_holders(connection)
    with connection.db.reading():
        found = [
            display_object(number, rows, names, values)
            for values in reader(connection.db, pattern)
            if where is None or where.passes(values)
        ]
    if found:
        return Response([], found)
    if rows in (CONNECTION, CONNECTION_HANDLE):
        return none_found("connection", pattern)
    return Response([message("AMQ8565E")], reason=MQRC_UNKNOWN_OBJECT_NAME)


def statuses_of_queues(db: Database, pattern: str) -> Iterator[dict[str, object]]:
    """Yield the status of each local queue that matches a generic name, as values by attribute name."""
    for queue in matching_queues(db, pattern, "QLOCAL"):
        values = attributes_of_queue(db, queue.name)
        _, uncommitted, last_put_at, last_get_at, _, oldest_put_at = queues.status(db, queue.id)
        values["uncommitted_msgs"] = uncommitted
        values["last_put_date"], values["last_put_time"] = date_and_time(last_put_at)
        values["last_get_date"], values["last_get_time"] = date_and_time(last_get_at)
        values["oldest_msg_age"] = 0 if oldest_put_at is None else max(0, now_ms() - oldest_put_at) // 1000
        yield values


def handles_of_queues(db: Database, pattern: str) -> Iterator[dict[str, object]]:
    """Yield the open handles of each local queue that matches a generic name, as values by attribute name."""
    for queue in matching_queues(db, pattern, "QLOCAL"):
        yield from _handles_of(db, queue)


def _handles_of(db: Database, queue: Queue) -> Iterator[dict[str, object]]:
    for handle in holders.of_queue(db, queue.id, "handle"):
        owner = None if handle.connection_id is None else holders.by_id(db, handle.connection_id)
        yield {
            "name": queue.name,
            "appl_tag": handle.appl_name,
            "appl_type": MQAT_USER,
            "connection_id": _connection_id(owner.token if owner else None),
            "open_browse": int(bool(handle.options & MQOO_BROWSE)),
            "open_input_type": handle.options & (MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE),
            "open_inquire": int(bool(handle.options & MQOO_INQUIRE)),
            "open_output": int(bool(handle.options & MQOO_OUTPUT)),
            "open_set": int(bool(handle.options & MQOO_SET)),
            "process_id": handle.pid,
            "user_identifier": handle.user_identifier,
        }


def connections(db: Database, pattern: str) -> Iterator[dict[str, object]]:
    """Yield the recorded connections whose identifier matches, as values by attribute name."""
    for holder in holders.connections(db):
        connection_id = _connection_id(holder.token)
        if matches_name(pattern, connection_id):
            client = client_connections.find(db, holder.token)
            yield {
                "connection_id": connection_id,
                "channel": client.channel if client else "",
                "connection_name": client.connection_name if client else "",
                "appl_tag": holder.appl_name,
                "appl_type": MQAT_USER,
                "process_id": holder.pid,
                "user_identifier": holder.user_identifier,
            }


def handles_of_connections(db: Database, pattern: str) -> Iterator[dict[str, object]]:
    """Yield the open handles of connections whose identifier matches, as values by attribute name."""
    for holder in holders.connections(db):
        connection_id = _connection_id(holder.token)
        if matches_name(pattern, connection_id):
            for handle in holders.of_connection(db, holder.id):
                queue = None if handle.queue_id is None else queues.by_id(db, handle.queue_id)
                if queue is not None:
                    yield {
                        "connection_id": connection_id,
                        "object_name": queue.name,
                        "open_options": handle.options,
                    }


def _connection_id(token: bytes | None) -> str:
    return "" if token is None else token[:8].hex().upper()
