"""Commands on objects that mqx lacks: they answer like a queue manager without such objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mqtools.admin.commands.queues import Row
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import TEXT
from mqtools.rules.commands.command import ANY, AdminCommand, CommandParameter
from mqtools.store.database import Database


def show_nothing(_db: Database, **_arguments: Any) -> Iterator[Row]:
    """Yield nothing: there is no such object."""
    yield from ()


def find_nothing(_work: Work, name: str | None = None, **_arguments: Any) -> None:
    """Raise MQError, MQRC_UNKNOWN_OBJECT_NAME: there is no such object."""
    raise MQError(f"{name or 'the object'} does not exist", MQRC_UNKNOWN_OBJECT_NAME)


#: Object type of MQSC, number of the name, number of the inquiry, and of the commands that change something.
_KINDS = {
    "CLUSQMGR": (
        cmqc.MQCA_CLUSTER_Q_MGR_NAME, c.MQCMD_INQUIRE_CLUSTER_Q_MGR,
        (),
    ),
    "COMMINFO": (
        cmqc.MQCA_COMM_INFO_NAME, c.MQCMD_INQUIRE_COMM_INFO,
        (c.MQCMD_CHANGE_COMM_INFO, c.MQCMD_DELETE_COMM_INFO),
    ),
    "POLICY": (
        cmqc.MQCA_POLICY_NAME, c.MQCMD_INQUIRE_PROT_POLICY,
        (c.MQCMD_CHANGE_PROT_POLICY, c.MQCMD_DELETE_PROT_POLICY),
    ),
}  # fmt: skip
#: Commands on a cluster.
_ON_CLUSTERS = (
    c.MQCMD_REFRESH_CLUSTER,
    c.MQCMD_RESET_CLUSTER,
    c.MQCMD_RESUME_Q_MGR_CLUSTER,
    c.MQCMD_SUSPEND_Q_MGR_CLUSTER,
)


def _inquiry(object_type: str, selector: int, number: int) -> AdminCommand:
    return AdminCommand(
        verb="DISPLAY", object_types=(object_type,), number=number, do=show_nothing, shows=True, is_absent=True,
        parameters=(CommandParameter("", "name", selector, TEXT, maximum=48, form=ANY, required=True),),
        missing=object_type.lower(),
    )  # fmt: skip


def _change(selector: int, number: int) -> AdminCommand:
    return AdminCommand(
        verb="ALTER", number=number, do=find_nothing, is_absent=True,
        parameters=(CommandParameter("", "name", selector, TEXT, maximum=48),),
    )  # fmt: skip


COMMANDS = (
    *(_inquiry(object_type, selector, number) for object_type, (selector, number, _) in _KINDS.items()),
    *(_change(selector, number) for selector, _, numbers in _KINDS.values() for number in numbers),
    *(_change(o.MQCA_CLUSTER_NAME, number) for number in _ON_CLUSTERS),
)
