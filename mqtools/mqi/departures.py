"""Connections that end without MQDISC: what others do about their records."""

from __future__ import annotations

from mqtools.constants.cmqcfc import MQDISCONNECT_IMPLICIT, MQDISCONNECT_Q_MGR
from mqtools.mqi import client_connections
from mqtools.mqi.transaction import Work
from mqtools.store.account_ends import end_account
from mqtools.store.holders import Holder


def forget(work: Work, connection: Holder, *, is_dead: bool) -> None:
    """Delete the record of a client connection, and end its accounting. is_dead: its process has ended."""
    client_connections.forget(work.db, connection.token or b"")
    end_account(work.db, connection.id, MQDISCONNECT_IMPLICIT if is_dead else MQDISCONNECT_Q_MGR, work.now_ms)
