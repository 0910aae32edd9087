"""Commands on the queue manager, and those that change nothing here."""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.admin import connection_authentication
from mqtools.admin.commands.queues import Row
from mqtools.admin.commands.status import connections
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.mqi.objects import definitions
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import NAME, WORD, attributes_of
from mqtools.rules.commands.command import ANY, FORCE, AdminCommand, CommandParameter, ignored
from mqtools.store import queues
from mqtools.store.database import Database

_CONNECTIONS = "CONNAUTH"
_SECURITY_TYPES = {"AUTHSERV": c.MQSECTYPE_AUTHSERV, _CONNECTIONS: c.MQSECTYPE_CONNAUTH, "SSL": c.MQSECTYPE_SSL}
_SECURITY_TYPE = CommandParameter(
    "TYPE", "security_type", c.MQIACF_SECURITY_TYPE, WORD, words=tuple((word, word) for word in _SECURITY_TYPES),
    numbers=_SECURITY_TYPES, default="AUTHSERV",
)  # fmt: skip
_STATES = {"running": c.MQQMSTA_RUNNING, "quiescing": c.MQQMSTA_QUIESCING}


def show(db: Database) -> Iterator[Row]:
    """Yield the attributes of the queue manager."""
    values = queues.read_qmgr(db)
    yield "QMGR ALL", {row.name: values.get(row.name, row.default) for row in attributes_of("QMGR ALL")}


def show_status(db: Database) -> Iterator[Row]:
    """Yield the state of the queue manager, and the number of connections."""
    qmgr = queues.qmgr(db)
    count = sum(1 for _ in connections(db, "*"))
    yield "QMSTATUS", {"q_mgr_name": qmgr.name, "state": _STATES[qmgr.state], "connection_count": count}


def do_nothing(_work: Work, **_arguments: object) -> None:
    """Execute a command that only replies."""


def ping_channel(_work: Work) -> None:
    """Refuse a command that only a program can do, which whoever runs commands has. Raises MQError."""
    raise MQError("PING CHANNEL is not supported", MQRC_FUNCTION_NOT_SUPPORTED)


def refresh_security(work: Work, security_type: str) -> None:
    """Put changes of security in force. security_type: only CONNAUTH waits for it; the others count at once."""
    if security_type == _CONNECTIONS:
        connection_authentication.refresh(work)


#: Commands that are accepted and change nothing: there is nothing to refresh, verify or start.
_WITHOUT_EFFECT = (
    ("REFRESH", "QMGR"),
    ("RESET", "QMGR"),
    ("RVERIFY", "SECURITY"),
    ("START", "CHINIT"),
    ("START", "CMDSERV"),
)
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
        table="QMGR",
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
    AdminCommand(verb="PING", object_types=("CHANNEL",), do=ping_channel, done="AMQ8020I",
            parameters=(CommandParameter("", "", None, NAME, form=ANY), CommandParameter("DATALEN", "", None, ""))),
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
