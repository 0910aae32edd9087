"""Commands on the queue manager, and those that change nothing here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from socket import gethostname

from mqtools.admin import connection_authentication
from mqtools.admin.commands.connections import connections
from mqtools.admin.commands.queues import Row
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.mqi import hooks
from mqtools.mqi.connection import Connection
from mqtools.mqi.objects import definitions
from mqtools.mqi.statistics import accounting, intervals
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import NAME, TEXT, WORD
from mqtools.rules.commands.command import (
    ANY,
    CHANNEL_REASONS,
    FORCE,
    AdminCommand,
    CommandParameter,
    ignored,
    name,
)
from mqtools.rules.local_time import date_and_time
from mqtools.store import queues
from mqtools.store.database import Database

_STOPPED, _RUNNING = 0, 2
_INTERFACE_VERSION = 6
_CONNECTIONS = "CONNAUTH"
_SECURITY_TYPES = {"AUTHSERV": c.MQSECTYPE_AUTHSERV, _CONNECTIONS: c.MQSECTYPE_CONNAUTH, "SSL": c.MQSECTYPE_SSL}
_SECURITY_TYPE = CommandParameter(
    "TYPE", "security_type", c.MQIACF_SECURITY_TYPE, WORD, words=tuple((word, word) for word in _SECURITY_TYPES),
    numbers=_SECURITY_TYPES, default="AUTHSERV",
)  # fmt: skip
_STATES = {"running": c.MQQMSTA_RUNNING, "quiescing": c.MQQMSTA_QUIESCING}


def show(db: Database) -> Iterator[Row]:
    """Yield the attributes of the queue manager."""
    yield "QMGR ALL", queues.read_qmgr(db)


def _find(db: Database, name: str) -> Mapping[str, object]:  # noqa: ARG001 - as for other objects
    return queues.read_qmgr(db)


def show_status(db: Database) -> Iterator[Row]:
    """Yield the state of the queue manager, and the number of connections."""
    qmgr, values = queues.qmgr(db), queues.read_qmgr(db)
    started = values.get("started_at")
    date, clock = date_and_time(int(str(started))) if started else (values["creation_date"], values["creation_time"])
    commands = queues.by_name(db, o.COMMAND_QUEUE)
    yield (
        "QMSTATUS",
        {
            "q_mgr_name": qmgr.name,
            "state": _STATES[qmgr.state],
            "command_server_status": _STOPPED if commands is not None and commands.inhibit_get else _RUNNING,
            "connection_count": sum(1 for _ in connections(db, "*")),
            "host_name": gethostname(),
            "installation_path": sys.prefix,
            "log_path": os.path.dirname(db.path),
            "start_date": date,
            "start_time": clock,
        },
    )


def show_authorization_service(_db: Database) -> Iterator[Row]:
    """Yield the authorization service."""
    yield "AUTHSERV", {"component": "mqx", "interface_versions": (_INTERFACE_VERSION,)}


def do_nothing(_work: Work, **_arguments: object) -> None:
    """Execute a command that only replies."""


def ping_channel(connection: Connection, name: str) -> None:
    """Check that the other end of a channel is reachable.

    Raises MQError as ``channel.caller.ping``, and MQRC_FUNCTION_NOT_SUPPORTED within a transaction: other programs
    would wait for the other end.
    """
    if connection.current_work is not None:
        raise MQError("PING CHANNEL in an Escape command is not supported", MQRC_FUNCTION_NOT_SUPPORTED)
    hooks.ping_channel(connection, name)


def reset(work: Work, kind: int, **_others: object) -> None:
    """Write the statistics and begin another interval; any other kind of reset changes nothing. kind: MQACT_*."""
    if kind == c.MQACT_COLLECT_STATISTICS:
        accounting.write_ended(work)
        intervals.write_statistics(work)


def refresh_security(work: Work, security_type: str) -> None:
    """Put changes of security in force. security_type: only CONNAUTH waits for it; the others count at once."""
    if security_type == _CONNECTIONS:
        connection_authentication.refresh(work)


#: Commands that are accepted and change nothing: there is nothing to refresh, verify or start.
_WITHOUT_EFFECT = (
    ("RVERIFY", "SECURITY"),
    ("START", "CHINIT"),
    ("START", "CMDSERV"),
)
#: Objects whose configuration is reported: of a type, with a generic name.
OBJECT_TYPES = (
    ("ALL", o.MQOT_ALL), ("QUEUE", o.MQOT_Q), ("QMGR", o.MQOT_Q_MGR), ("CHANNEL", o.MQOT_CHANNEL),
    ("NAMELIST", o.MQOT_NAMELIST), ("PROCESS", o.MQOT_PROCESS), ("AUTHINFO", o.MQOT_AUTH_INFO), ("TOPIC", o.MQOT_TOPIC),
    ("LISTENER", o.MQOT_LISTENER), ("SERVICE", o.MQOT_SERVICE),
)  # fmt: skip
_ANYTHING = (
    CommandParameter("", "", None, NAME, form=ANY),
    *(
        CommandParameter(keyword, "", None, "")
        for keyword in ("TYPE", "OBJECT", "NAME", "INCLINT", "INITQ", "PARM", "ENVPARM", "CMDSCOPE")
    ),
)

COMMANDS = (
    AdminCommand(
        verb="ALTER", object_types=("QMGR",), number=c.MQCMD_CHANGE_Q_MGR, do=definitions.alter_qmgr, sets=True,
        finds=_find, table="QMGR",
        parameters=(FORCE, *ignored(o.MQCA_COMMAND_INPUT_Q_NAME, o.MQCA_VERSION)),
        done="AMQ8005I", owner_in=("mqsc",),
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("QMGR",), number=c.MQCMD_INQUIRE_Q_MGR, do=show, shows=True, table="QMGR ALL",
        asked=c.MQIACF_Q_MGR_ATTRS, always=("q_mgr_name",), filters=False, done="AMQ8408I",
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("QMSTATUS",), number=c.MQCMD_INQUIRE_Q_MGR_STATUS, do=show_status, shows=True,
        asked=c.MQIACF_Q_MGR_STATUS_ATTRS, always=("q_mgr_name",), filters=False, recovers=True, done="AMQ8705I",
    ),
    AdminCommand(verb="PING", object_types=("QMGR",), number=c.MQCMD_PING_Q_MGR, do=do_nothing, done="AMQ8415I"),
    AdminCommand(
        verb="PING", object_types=("CHANNEL",), number=c.MQCMD_PING_CHANNEL, do=do_nothing, steps=ping_channel,
        done="AMQ8020I", reasons=CHANNEL_REASONS,
        parameters=(
            name(c.MQCACH_CHANNEL_NAME, maximum=20),
            CommandParameter("DATALEN", "", c.MQIACH_DATA_COUNT, ""),
            *ignored(c.MQCACF_COMMAND_SCOPE, c.MQIACH_CHANNEL_DISP),
        ),
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("AUTHSERV",), number=c.MQCMD_INQUIRE_AUTH_SERVICE, done="AMQ8871I",
        do=show_authorization_service, shows=True, asked=c.MQIACF_AUTH_SERVICE_ATTRS, always=("component",),
    ),
    AdminCommand(
        verb="REFRESH", object_types=("QMGR",), number=c.MQCMD_REFRESH_Q_MGR, do=do_nothing,
        done="mqx: REFRESH QMGR accepted; it changes nothing",
        parameters=(
            CommandParameter("TYPE", "kind", c.MQIACF_REFRESH_TYPE, WORD, missing=c.MQRCCF_PARM_COUNT_TOO_SMALL,
                             words=(("CONFIGEV", c.MQRT_CONFIGURATION), ("EXPIRY", c.MQRT_EXPIRY),
                                    ("PROXYSUB", c.MQRT_PROXYSUB))),
            CommandParameter("INCLINT", "", c.MQIACF_REFRESH_INTERVAL, ""),
            CommandParameter("CMDSCOPE", "", c.MQCACF_COMMAND_SCOPE, ""),
            CommandParameter("OBJECT", "of_type", c.MQIACF_OBJECT_TYPE, WORD, words=OBJECT_TYPES, default=o.MQOT_ALL),
            CommandParameter("NAME", "name", c.MQCACF_OBJECT_NAME, TEXT, maximum=48, default="*"),
        ),
    ),
    AdminCommand(
        verb="RESET", object_types=("QMGR",), number=c.MQCMD_RESET_Q_MGR, do=reset, done="mqx: RESET QMGR accepted",
        parameters=(
            CommandParameter("TYPE", "kind", c.MQIACF_ACTION, WORD, missing=c.MQRCCF_PARM_COUNT_TOO_SMALL,
                             reason=c.MQRCCF_ACTION_VALUE_ERROR,
                             words=(("ADVANCELOG", c.MQACT_ADVANCE_LOG), ("STATISTICS", c.MQACT_COLLECT_STATISTICS),
                                    ("PUBSUB", c.MQACT_PUBSUB), ("ARCHLOG", c.MQACT_ARCHIVE_LOG),
                                    ("REDUCELOG", c.MQACT_REDUCE_LOG))),
            CommandParameter("ARCHIVED", "", c.MQCACF_ARCHIVE_LOG_EXTENT_NAME, ""),
            CommandParameter("CHILD", "", c.MQCACF_CHILD_Q_MGR_NAME, ""),
            CommandParameter("PARENT", "", c.MQCACF_PARENT_Q_MGR_NAME, ""),
        ),
    ),
    AdminCommand(
        verb="REFRESH", object_types=("SECURITY",), number=c.MQCMD_REFRESH_SECURITY, do=refresh_security,
        parameters=(CommandParameter("", "", None, NAME, form=ANY), _SECURITY_TYPE,
                    CommandParameter("CMDSCOPE", "", None, "")),
        done="AMQ8560I",
    ),
    *(
        AdminCommand(verb=verb, object_types=(object_type,), do=do_nothing, parameters=_ANYTHING,
                done=f"mqx: {verb} {object_type} accepted; it changes nothing")
        for verb, object_type in _WITHOUT_EFFECT
    ),
)  # fmt: skip
