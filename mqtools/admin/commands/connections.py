"""Commands on connections: display, stop, and the status of applications."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from mqtools.admin.commands.queues import Row
from mqtools.admin.subscriptions import live
from mqtools.admin.transactions import TransactionBranch, read_transactions
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.message import MQAT_USER
from mqtools.constants.reasons import MQRC_CONNECTION_ERROR
from mqtools.errors import MQError
from mqtools.mqi import authority, client_connections, recovery
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import BYTES, TEXT, WORD
from mqtools.rules.commands.command import FREE, GENERIC, AdminCommand, CommandParameter, ParameterError
from mqtools.rules.local_time import date_and_time
from mqtools.rules.object_names import matches_name
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.holders import Holder
from mqtools.store.liveness import unit_began_at
from mqtools.store.messages import units_of_work

_HANDLES = "CONN HANDLE"
_TYPES = {"CONN": "CONN", "HANDLE": _HANDLES, "ALL": f"CONN,{_HANDLES}"}
#: Identifier of the connection of a branch that none has.
NO_CONNECTION = "0" * 16
_APPLICATION, _QUEUE_MANAGER, _INSTANCE = "APSTATUS", "APSTATUS QMGR", "APSTATUS LOCAL"


class Programs:
    """Connected programs: what the status of a connection and of its handles shows of them."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._by_id = {each.id: each for each in holders.connections(db)}
        self._waiting = holders.waiting_handles(db)
        self._branches = {each.connection_id: each for each in holders.transactions(db) if each.options > 0}
        self._threads: dict[int, int] = {}
        number: dict[int, int] = defaultdict(int)
        for each in self._by_id.values():
            number[each.pid] += 1
            self._threads[each.id] = number[each.pid]

    def values(self, connection: Holder) -> dict[str, Any]:
        """Return what is shown of a program. Its thread is the number of the connection in its process."""
        client = client_connections.find(self._db, connection.token)
        return {
            "connection_id": connection_id(connection.token),
            "connect_options": connection.options,
            "appl_tag": connection.appl_name,
            "appl_type": client.appl_type if client else MQAT_USER,
            "channel": client.channel if client else "",
            "connection_name": client.connection_name if client else "",
            "process_id": connection.pid,
            "thread_id": self._threads.get(connection.id, 0),
            "user_identifier": connection.user_identifier,
            **self._unit_of_work(connection),
            **_branch_of(self._branches.get(connection.id)),
        }

    def _unit_of_work(self, connection: Holder) -> dict[str, Any]:
        is_active = bool(units_of_work.summary(self._db, connection.id))
        began = unit_began_at(self._db.run_folder, connection.token) if is_active and connection.token else None
        date, clock = date_and_time(began)
        return {
            "uow_state": c.MQUOWST_ACTIVE if is_active else c.MQUOWST_NONE,
            "uow_start_date": date,
            "uow_start_time": clock,
            "uow_id": f"{connection.id if is_active else 0:016X}",
        }

    def handle_values(self, handle: Holder) -> dict[str, Any]:
        """Return what is shown of a handle, with that of its program."""
        owner = self._by_id.get(handle.connection_id or 0)
        return {
            **self.values(owner or handle),
            "connection_id": connection_id(owner.token if owner else None),
            "handle_state": int(handle.id in self._waiting),
            "open_options": handle.options,
        }


def connection_id(token: bytes | None) -> str:
    """Return the identifier of a connection, as hexadecimal digits without the zeros at its end."""
    return "" if token is None else token[:8].hex().upper()


def connections(db: Database, pattern: str) -> Iterator[Holder]:
    """Yield the recorded connections whose identifier, with or without the zeros at its end, matches."""
    for holder in holders.connections(db):
        own = connection_id(holder.token)
        if matches_name(pattern, own) or matches_name(pattern, own.ljust(48, "0")):
            yield holder


def show(db: Database, tables: str, name: str | None = None, generic: str | None = None) -> Iterator[Row]:
    """Yield the connections, or their handles, by generic identifier; generic: its beginning, in PCF.

    A prepared transaction branch is shown like a connection whose identifier has zeros.

    Raises ParameterError: MQRCCF_PARM_COUNT_TOO_SMALL without an identifier.
    """
    if name is None and generic is None:
        raise ParameterError("connection id is missing", c.MQRCCF_PARM_COUNT_TOO_SMALL, "name")
    programs = Programs(db)
    for holder in connections(db, f"{generic}*" if name is None else name):
        for table in tables.split(","):
            if table == _HANDLES:
                yield from ((table, values) for values in _handles_of(db, programs, holder))
            else:
                yield table, programs.values(holder)
    for branch in read_transactions(db) if "CONN" in tables.split(",") else ():
        if branch.state == "prepared" and matches_name(f"{generic}*" if name is None else name, NO_CONNECTION):
            yield "CONN", _branch_values(branch)


def _branch_of(branch: Holder | None) -> dict[str, Any]:
    """Return what is shown of the transaction branch that a connection works on."""
    if branch is None or branch.token is None:
        return {}
    return {"uow_type": c.MQUOWT_XA, "external_uow_id": branch.token.hex().upper()}


def _branch_values(branch: TransactionBranch) -> dict[str, Any]:
    """Return what is shown of a prepared transaction branch, which belongs to no connection."""
    date, clock = date_and_time(branch.since)
    return {
        "connection_id": NO_CONNECTION,
        "appl_tag": branch.application,
        "appl_type": MQAT_USER,
        "channel": "",
        "connection_name": "",
        "process_id": 0,
        "thread_id": 0,
        "user_identifier": branch.user,
        "uow_state": c.MQUOWST_PREPARED,
        "uow_type": c.MQUOWT_XA,
        "uow_start_date": date,
        "uow_start_time": clock,
        "uow_id": f"{branch.number:016X}",
        "external_uow_id": branch.xid.token.hex().upper(),
    }


def _handles_of(db: Database, programs: Programs, connection: Holder) -> Iterator[dict[str, Any]]:
    for handle in holders.of_connection(db, connection.id):
        queue = None if handle.queue_id is None else queues.by_id(db, handle.queue_id)
        if queue is not None:
            yield {**programs.handle_values(handle), "object_name": queue.name, "object_type": o.MQOT_Q}
    for each in live(db) if connection.token is not None else ():
        if each.user == connection.token.hex() if connection.token else False:
            yield {
                "connection_id": connection_id(connection.token),
                "object_name": each.topic_object,
                "object_type": o.MQOT_TOPIC,
                "open_options": 0,
                "topic_string": each.topic,
                "subscription_name": each.name,
                "destination": each.queue,
            }


def stop(work: Work, name: str) -> None:
    """End a connection: its unit of work is backed out, and its wait and its next call fail with 2009.

    Raises MQError: MQRC_CONNECTION_ERROR when there is none, or it is the one that runs the command.
    """
    authority.check_control(work.connection)
    found = next(connections(work.db, name), None) if "*" not in name else None
    if found is None:
        raise MQError(f"connection {name} does not exist", MQRC_CONNECTION_ERROR)
    if found.id == work.connection.id:
        raise MQError(f"connection {name} runs this command and cannot stop itself", MQRC_CONNECTION_ERROR)
    recovery.end_connection(work, found, "STOP CONN")


def show_applications(db: Database, name: str | None, tables: str) -> Iterator[Row]:
    """Yield the connected applications by name: all instances, those of this queue manager, or each process."""
    qmgr = queues.qmgr(db)
    processes: dict[tuple[str, int], int] = defaultdict(int)
    for each in holders.connections(db):
        if matches_name((name or "").rstrip() or "*", each.appl_name):
            processes[each.appl_name, each.pid if tables == _INSTANCE else 0] += 1
    for (application, pid), number in sorted(processes.items()):
        row = {"application": application, "count": number, "connections": number, "process_id": pid}
        identifier = queues.read_qmgr(db)["q_mgr_identifier"]
        yield tables, {**row, "q_mgr_name": qmgr.name, "q_mgr_identifier": identifier}


_ID = CommandParameter("", "name", c.MQBACF_CONNECTION_ID, BYTES, form=GENERIC)

COMMANDS = (
    AdminCommand(
        verb="DISPLAY", object_types=("CONN",), number=c.MQCMD_INQUIRE_CONNECTION, do=show, shows=True,
        parameters=(
            CommandParameter("", "generic", c.MQBACF_GENERIC_CONNECTION_ID, BYTES), _ID,
            CommandParameter("TYPE", "tables", c.MQIACF_CONN_INFO_TYPE, WORD, default="CONN",
                             reason=c.MQRCCF_NONE_FOUND, words=tuple(_TYPES.items()),
                             numbers={_TYPES["CONN"]: c.MQIACF_CONN_INFO_CONN,
                                      _TYPES["HANDLE"]: c.MQIACF_CONN_INFO_HANDLE,
                                      _TYPES["ALL"]: c.MQIACF_CONN_INFO_ALL}),
        ),
        asked=c.MQIACF_CONNECTION_ATTRS, always=("connection_id", "conn_info_type"), recovers=True, completes=True,
        done="AMQ8276I", missing="connection", missing_pcf=c.MQRCCF_CONNECTION_ID_ERROR,
    ),
    AdminCommand(
        verb="STOP", object_types=("CONN",), number=c.MQCMD_STOP_CONNECTION, do=stop, done="AMQ8457I",
        parameters=(CommandParameter("", "name", c.MQBACF_CONNECTION_ID, BYTES, form=FREE, required=True,
                                     missing=c.MQRCCF_PARM_COUNT_TOO_SMALL),),
        reasons={MQRC_CONNECTION_ERROR: c.MQRCCF_CONNECTION_ID_ERROR},
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("APSTATUS",), number=c.MQCMD_INQUIRE_APPL_STATUS, do=show_applications,
        shows=True, recovers=True, asked=c.MQIACF_APPL_INFO_ATTRS, always=("application",), done="AMQ8932I",
        parameters=(
            CommandParameter("", "name", c.MQCACF_APPL_NAME, TEXT, maximum=48, form=FREE),
            CommandParameter("TYPE", "tables", c.MQIACF_APPL_INFO_TYPE, WORD, default=_APPLICATION,
                             words=(("APPL", _APPLICATION), ("QMGR", _QUEUE_MANAGER), ("LOCAL", _INSTANCE)),
                             numbers={_APPLICATION: c.MQIACF_APPL_INFO_APPL, _QUEUE_MANAGER: c.MQIACF_APPL_INFO_QMGR,
                                      _INSTANCE: c.MQIACF_APPL_INFO_LOCAL}),
        ),
        missing="application",
    ),
)  # fmt: skip
