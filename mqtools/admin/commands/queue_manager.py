"""Commands on the queue manager, and those that change nothing here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mqtools.admin.commands.connections import connections
from mqtools.admin.commands.queues import Row
from mqtools.admin.commands.remote import Change, changes_of
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError
from mqtools.mqi.objects import definitions
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import NAME, attributes_of
from mqtools.rules.commands.command import ANY, FORCE, AdminCommand, CommandParameter, ignored
from mqtools.store import queues
from mqtools.store.database import Database

_STATES = {"running": c.MQQMSTA_RUNNING, "quiescing": c.MQQMSTA_QUIESCING}


def show(db: Database) -> Iterator[Row]:
    """Yield the attributes of the queue manager."""
    values = queues.read_qmgr(db)
    yield "QMGR ALL", {row.name: values.get(row.name, row.default) for row in attributes_of("QMGR ALL")}


def _altered(db: Database, values: Mapping[str, object]) -> Iterator[Change]:
    return changes_of(attributes_of("QMGR"), queues.read_qmgr(db), values)


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


#: Commands that are accepted and change nothing: there is nothing to refresh, verify or start.
_WITHOUT_EFFECT = (
    ("REFRESH", "QMGR"),
    ("REFRESH", "SECURITY"),
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
        changes=_altered,
        table="QMGR",
        parameters=(FORCE, *ignored(o.MQCA_COMMAND_INPUT_Q_NAME, o.MQCA_VERSION, cmqc.MQCA_CONN_AUTH)),
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
    *(
        AdminCommand(verb=verb, object_types=(object_type,), do=do_nothing, parameters=_ANYTHING,
                done=f"mqx: {verb} {object_type} accepted; it changes nothing")
        for verb, object_type in _WITHOUT_EFFECT
    ),
)  # fmt: skip
