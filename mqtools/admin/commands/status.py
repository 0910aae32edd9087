"""Status of queues, of their handles, and of connections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mqtools.admin.commands.queues import Row, matching
from mqtools.admin.local_time import date_and_time
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.message import MQAT_USER
from mqtools.constants.options import (
    MQOO_BROWSE,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SET,
)
from mqtools.formats.mqsc.script import matches_name
from mqtools.mqi import client_connections
from mqtools.mqi.identity import now_ms
from mqtools.mqi.objects.definitions import attributes_of_queue
from mqtools.mqi.resolution import find_queue
from mqtools.rules.attributes.table import WORD
from mqtools.rules.commands.command import BYTES, GENERIC, AdminCommand, CommandParameter, ParameterError, name
from mqtools.rules.security.authorities import QUEUE
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.holders import Holder
from mqtools.store.queues import Queue

_HANDLES, _CONN_HANDLES = "QSTATUS HANDLE", "CONN HANDLE"
#: Open type (MQQSOT) to the attributes of a queue or handle of which one is not zero. Any other type means all.
_OPEN_TYPES = {
    c.MQQSOT_INPUT: ("open_input_count", "open_input_type"),
    c.MQQSOT_OUTPUT: ("open_output_count", "open_output"),
}


def show_queues(db: Database, name: str, tables: str, open_type: int | None) -> Iterator[Row]:
    """Yield the status, or the handles, of each local queue that matches a generic name."""
    is_open = _OPEN_TYPES.get(open_type or 0)
    for queue in matching(db, name, "QLOCAL"):
        for values in _handles_of(db, queue) if tables == _HANDLES else (_status_of(db, queue),):
            if is_open is None or any(map(values.get, is_open)):
                yield tables, values


def _status_of(db: Database, queue: Queue) -> dict[str, Any]:
    values = attributes_of_queue(db, queue.name)
    _, uncommitted, last_put_at, last_get_at, _, oldest_put_at = queues.status(db, queue.id)
    values["uncommitted_msgs"] = uncommitted
    values["last_put_date"], values["last_put_time"] = date_and_time(last_put_at)
    values["last_get_date"], values["last_get_time"] = date_and_time(last_get_at)
    values["oldest_msg_age"] = 0 if oldest_put_at is None else max(0, now_ms() - oldest_put_at) // 1000
    return values


def _handles_of(db: Database, queue: Queue) -> Iterator[dict[str, Any]]:
    for handle in holders.of_queue(db, queue.id, "handle"):
        owner = None if handle.connection_id is None else holders.by_id(db, handle.connection_id)
        yield {
            "name": queue.name,
            **_program(handle),
            "connection_id": _connection_id(owner.token if owner else None),
            "open_browse": int(bool(handle.options & MQOO_BROWSE)),
            "open_input_type": handle.options & (MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE),
            "open_inquire": int(bool(handle.options & MQOO_INQUIRE)),
            "open_output": int(bool(handle.options & MQOO_OUTPUT)),
            "open_set": int(bool(handle.options & MQOO_SET)),
        }


def _program(holder: Holder) -> dict[str, Any]:
    return {
        "appl_tag": holder.appl_name,
        "appl_type": MQAT_USER,
        "process_id": holder.pid,
        "user_identifier": holder.user_identifier,
    }


def _why_no_status(db: Database, name: str) -> int:
    """Return the reason in PCF why a name has no status: only local queues have one."""
    is_other = "*" not in name and find_queue(db, name, to_use=False).q_type != o.MQQT_LOCAL
    return c.MQRCCF_Q_WRONG_TYPE if is_other else c.MQRCCF_Q_STATUS_NOT_FOUND


def show_connections(db: Database, tables: str, name: str | None = None, generic: str | None = None) -> Iterator[Row]:
    """Yield the connections, or their handles, by generic identifier; generic: its beginning, in PCF.

    Raises ParameterError: MQRCCF_PARM_COUNT_TOO_SMALL without an identifier.
    """
    if name is None and generic is None:
        raise ParameterError("connection id is missing", c.MQRCCF_PARM_COUNT_TOO_SMALL, "name")
    for holder in connections(db, f"{generic}*" if name is None else name):
        own = {"connection_id": _connection_id(holder.token)}
        for table in tables.split(","):
            if table == _CONN_HANDLES:
                for handle in holders.of_connection(db, holder.id):
                    queue = None if handle.queue_id is None else queues.by_id(db, handle.queue_id)
                    if queue is not None:
                        yield table, {**own, "object_name": queue.name, "open_options": handle.options}
            else:
                client = client_connections.find(db, holder.token)
                channel, place = (client.channel, client.connection_name) if client else ("", "")
                yield table, {**own, **_program(holder), "channel": channel, "connection_name": place}


def connections(db: Database, pattern: str) -> Iterator[Holder]:
    """Yield the recorded connections whose identifier, with or without the zeros at its end, matches."""
    for holder in holders.connections(db):
        own = _connection_id(holder.token)
        if matches_name(pattern, own) or matches_name(pattern, own.ljust(48, "0")):
            yield holder


def _connection_id(token: bytes | None) -> str:
    return "" if token is None else token[:8].hex().upper()


_CONNECTION_TYPES = {"CONN": "CONN", "HANDLE": _CONN_HANDLES, "ALL": f"CONN,{_CONN_HANDLES}"}

COMMANDS = (
    AdminCommand(
        verb="DISPLAY", object_types=("QSTATUS",), number=c.MQCMD_INQUIRE_Q_STATUS, do=show_queues, shows=True,
        parameters=(
            name(o.MQCA_Q_NAME, GENERIC),
            CommandParameter("TYPE", "tables", c.MQIACF_Q_STATUS_TYPE, WORD, default="QSTATUS", reason=0,
                      words=(("QUEUE", "QSTATUS"), ("HANDLE", _HANDLES)),
                      numbers={"QSTATUS": c.MQIACF_Q_STATUS, _HANDLES: c.MQIACF_Q_HANDLE}),
            CommandParameter("OPENTYPE", "open_type", c.MQIACF_OPEN_TYPE, WORD, reason=0,
                      words=(("ALL", c.MQQSOT_ALL), ("INPUT", c.MQQSOT_INPUT), ("OUTPUT", c.MQQSOT_OUTPUT)),
                      numbers={number: number for number in _OPEN_TYPES}),
        ),
        asked=c.MQIACF_Q_STATUS_ATTRS, always=("name", "status_type"), recovers=True, completes=True,
        done="AMQ8450I", missing="AMQ8565E", missing_pcf=_why_no_status, protects=QUEUE,
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("CONN",), number=c.MQCMD_INQUIRE_CONNECTION, do=show_connections, shows=True,
        parameters=(
            CommandParameter("", "generic", c.MQBACF_GENERIC_CONNECTION_ID, BYTES),
            CommandParameter("", "name", c.MQBACF_CONNECTION_ID, BYTES, form=GENERIC),
            CommandParameter("TYPE", "tables", c.MQIACF_CONN_INFO_TYPE, WORD, default="CONN",
                             reason=c.MQRCCF_NONE_FOUND,
                      words=tuple(_CONNECTION_TYPES.items()),
                      numbers={
                          "CONN": c.MQIACF_CONN_INFO_CONN,
                          _CONN_HANDLES: c.MQIACF_CONN_INFO_HANDLE,
                          f"CONN,{_CONN_HANDLES}": c.MQIACF_CONN_INFO_ALL,
                      }),
        ),
        asked=c.MQIACF_CONNECTION_ATTRS, always=("connection_id", "conn_info_type"), recovers=True, completes=True,
        done="AMQ8276I", missing="connection", missing_pcf=c.MQRCCF_CONNECTION_ID_ERROR,
    ),
)  # fmt: skip
