"""PCF inquiries of status: queues, handles, connections, and the queue manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mqtools.admin.mqsc.status import (
    CONNECTION,
    CONNECTION_HANDLE,
    HANDLE_STATUS,
    QUEUE_STATUS,
    connections,
    handles_of_connections,
    handles_of_queues,
    statuses_of_queues,
)
from mqtools.admin.pcf.request import PcfParameters
from mqtools.admin.pcf.values import filter_of, requested_names
from mqtools.constants import cmqc, objects, options
from mqtools.constants import cmqcfc as c
from mqtools.constants.objects import COMMAND_QUEUE
from mqtools.headers.pcf import PCFError
from mqtools.mqi import recovery
from mqtools.mqi.objects import definitions
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import attributes_of
from mqtools.rules.pcf.numbers import by_number
from mqtools.store import queues

if TYPE_CHECKING:
    from mqtools.admin.pcf.values import ParameterWriter, Replies

_NAME = frozenset(("name",))
_CONNECTION_ID_LENGTH = 24
# MQSVC_STATUS values: they have no names in the constants.
_SERVICE_STOPPED, _SERVICE_RUNNING = 0, 2
#: Input option of a handle (MQOO) to its value in PCF.
_INPUT = {
    0: c.MQQSO_NO,
    options.MQOO_INPUT_SHARED: c.MQQSO_SHARED,
    options.MQOO_INPUT_EXCLUSIVE: c.MQQSO_EXCLUSIVE,
}
#: Open type (MQQSOT) to the attributes of a queue or handle of which one is not zero. Any other type means all.
_OPEN_TYPES = {
    c.MQQSOT_INPUT: ("open_input_count", "open_input_type"),
    c.MQQSOT_OUTPUT: ("open_output_count", "open_output"),
}
#: Connection information type to the tables of its replies, each with its reader and its own type.
_OF_CONNECTIONS = ("CONN", CONNECTION, connections, c.MQIACF_CONN_INFO_CONN)
_OF_HANDLES = ("CONN HANDLE", CONNECTION_HANDLE, handles_of_connections, c.MQIACF_CONN_INFO_HANDLE)
_CONN_INFO_TYPES = {
    None: (_OF_CONNECTIONS,),
    c.MQIACF_CONN_INFO_CONN: (_OF_CONNECTIONS,),
    c.MQIACF_CONN_INFO_HANDLE: (_OF_HANDLES,),
    c.MQIACF_CONN_INFO_ALL: (_OF_CONNECTIONS, _OF_HANDLES),
}
#: Attributes of a queue manager that are the same for all.
_FIXED: dict[int, str] = {
    objects.MQCA_COMMAND_INPUT_Q_NAME: COMMAND_QUEUE,
    objects.MQCA_VERSION: "09040000",
    cmqc.MQCA_CONN_AUTH: "SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
}
_STATES = {"running": c.MQQMSTA_RUNNING, "quiescing": c.MQQMSTA_QUIESCING}


def inquire_queue_status(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_Q_STATUS: status of queues, or of their open handles."""
    pattern = parameters.name(objects.MQCA_Q_NAME)
    of_handles = parameters.integer(c.MQIACF_Q_STATUS_TYPE) == c.MQIACF_Q_HANDLE
    kind, rows = ("QSTATUS HANDLE", HANDLE_STATUS) if of_handles else ("QSTATUS", QUEUE_STATUS)
    where = filter_of(parameters, kind, rows)
    asked = parameters.integers(c.MQIACF_Q_STATUS_ATTRS)
    names = requested_names(asked, kind, rows, _NAME, where)
    is_open = _OPEN_TYPES.get(parameters.integer(c.MQIACF_OPEN_TYPE) or 0)
    parameters.finish()
    recovery.recover(work)
    _check_is_local(work, pattern)
    status_type = writer.parameter(c.MQIACF_Q_STATUS_TYPE, c.MQIACF_Q_HANDLE if of_handles else c.MQIACF_Q_STATUS)
    replies: Replies = []
    for values in (handles_of_queues if of_handles else statuses_of_queues)(work.db, pattern):
        if of_handles:
            values["open_input_type"] = _INPUT[int(str(values["open_input_type"]))]
        if (is_open is None or any(map(values.get, is_open))) and (where is None or where.passes(values)):
            name, *others = writer.attributes(kind, rows, names, values)
            replies.append(writer.complete([name, status_type, *others], asked))
    if not replies:
        raise PCFError(f"queue {pattern} has no status", c.MQRCCF_Q_STATUS_NOT_FOUND, objects.MQCA_Q_NAME)
    return replies


def _check_is_local(work: Work, pattern: str) -> None:
    """Check that a full name is that of a local queue: only these have a status.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRCCF_Q_WRONG_TYPE.
    """
    if "*" in pattern:
        return
    if definitions.object_type_of(definitions.find_of_type(work.db, "QUEUE", pattern).q_type) != "QLOCAL":
        raise PCFError(f"queue {pattern} is not a local queue", c.MQRCCF_Q_WRONG_TYPE, objects.MQCA_Q_NAME)


def inquire_connection(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_CONNECTION: by identifier, or by prefix; the filter may be a byte string."""
    generic = parameters.byte_string(c.MQBACF_GENERIC_CONNECTION_ID)
    exact = parameters.byte_string(c.MQBACF_CONNECTION_ID)
    if generic is None and exact is None:
        raise PCFError("connection id is missing", c.MQRCCF_PARM_COUNT_TOO_SMALL, c.MQBACF_CONNECTION_ID)
    where = parameters.filter(_connection_attribute)
    info_type = parameters.integer(c.MQIACF_CONN_INFO_TYPE)
    asked = parameters.integers(c.MQIACF_CONNECTION_ATTRS)
    parameters.finish()
    if info_type not in _CONN_INFO_TYPES:
        raise PCFError(
            f"unsupported connection information type {info_type}", c.MQRCCF_NONE_FOUND, c.MQIACF_CONN_INFO_TYPE
        )
    recovery.recover(work)
    replies: Replies = []
    for kind, rows, reader, own_type in _CONN_INFO_TYPES[info_type]:
        names = requested_names(asked, kind, rows, frozenset(), where)
        for values in reader(work.db, "*"):
            own = bytes.fromhex(str(values["connection_id"])).ljust(_CONNECTION_ID_LENGTH, b"\0")
            values["connection_id"] = own
            fits = own.startswith(generic or b"") if exact is None else own == exact
            if fits and (where is None or where.passes(values)):
                front = [writer.parameter(c.MQBACF_CONNECTION_ID, own)]
                front.append(writer.parameter(c.MQIACF_CONN_INFO_TYPE, own_type))
                shown = writer.attributes(kind, rows, names, values)
                replies.append(writer.complete([*front, *shown], asked))
    if not replies:
        raise PCFError("connection does not exist", c.MQRCCF_CONNECTION_ID_ERROR, c.MQBACF_CONNECTION_ID)
    return replies


def _connection_attribute(number: int) -> str | None:
    if number == c.MQBACF_CONNECTION_ID:
        return "connection_id"
    rows = (by_number("CONN", CONNECTION, number), by_number("CONN HANDLE", CONNECTION_HANDLE, number))
    return next((row.name for row in rows if row is not None), None)


def ping(_work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_PING_Q_MGR: only reply."""
    parameters.finish()
    return []


def change_q_mgr(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_CHANGE_Q_MGR; FORCE and fixed attributes are accepted and have no effect."""
    parameters.flag(c.MQIACF_FORCE, c.MQRCCF_FORCE_VALUE_ERROR)
    parameters.ignore(*_FIXED)
    values = parameters.attributes("QMGR", attributes_of("QMGR"))
    parameters.finish()
    definitions.alter_qmgr(work, values)
    return []


def inquire_q_mgr(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_Q_MGR."""
    rows = attributes_of("QMGR")
    asked = parameters.integers(c.MQIACF_Q_MGR_ATTRS)
    parameters.finish()
    everything = asked is None or c.MQIACF_ALL in asked
    selectors = set(asked or ())
    names = None if everything else frozenset({"q_mgr_name"} | {row.name for row in rows if row.selector in selectors})
    reply = writer.attributes("QMGR", rows, names, _q_mgr_values(work))
    reply += [writer.parameter(number, text) for number, text in _FIXED.items() if everything or number in selectors]
    return [reply]


def _q_mgr_values(work: Work) -> Mapping[str, object]:
    values = queues.read_qmgr(work.db)
    return {row.name: values.get(row.name, row.default) for row in attributes_of("QMGR")}


def inquire_q_mgr_status(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_Q_MGR_STATUS: state and connections. The channel initiator is always stopped."""
    asked = parameters.integers(c.MQIACF_Q_MGR_STATUS_ATTRS)
    parameters.finish()
    recovery.recover(work)
    values = {
        c.MQIACF_Q_MGR_STATUS: _STATES[work.qmgr.state],
        c.MQIACF_CHINIT_STATUS: _SERVICE_STOPPED,
        c.MQIACF_CMD_SERVER_STATUS: _SERVICE_RUNNING,
        c.MQIACF_CONNECTION_COUNT: sum(1 for _ in connections(work.db, "*")),
    }
    everything = asked is None or c.MQIACF_ALL in asked
    reply = [writer.parameter(objects.MQCA_Q_MGR_NAME, work.qmgr.name)]
    reply += [
        writer.parameter(number, value) for number, value in values.items() if everything or number in (asked or ())
    ]
    return [reply]
