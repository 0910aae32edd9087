"""Implementation of ``mqx browse --logical-order`` and ``--complete``: the order and the whole messages of MQGET."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.configuration import protection
from mqtools.configuration.locate import find
from mqtools.operations.key_snapshot import select_keys
from mqtools.operations.selection import EVERYTHING

from ..get.groups import print_browsed
from ..shared.read_only import connect_dry_run, fetch

if TYPE_CHECKING:
    from mqtools.mqi.connection import Connection

    from ..shared.command_session import Session
    from ..shared.messages import Writer
    from .request import BrowseRequest


def browse_groups(session: Session, request: BrowseRequest, writer: Writer) -> int:
    """Print messages in logical order, or whole logical messages; return 3 when there are none."""
    with _connect(session, request) as connection:
        return print_browsed(connection, writer, request)


def _connect(session: Session, request: BrowseRequest) -> Connection:
    """Return a connection; to a queue manager that must not be changed, one to a copy of the queue in memory."""
    if protection.allows_changes(find(session.qmgr)):
        return session.connect()
    connection = connect_dry_run(session)
    fetch(connection, list(select_keys(connection.source, request.queue, EVERYTHING)))
    return connection
