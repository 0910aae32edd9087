"""Authority that the puts of a receiving channel need: PUTAUT."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from mqtools.constants.channels import MQPA_CONTEXT
from mqtools.constants.options import MQPMO_NONE, MQPMO_SET_ALL_CONTEXT
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.mqi import authority
from mqtools.mqi.connection import Connection
from mqtools.mqi.distributed_queuing.transmission import Carried
from mqtools.mqi.resolution import Target, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.rules.reports import report_data_wanted
from mqtools.rules.security.authorities import AUTHORITIES, QMGR


class PutAuthority:
    """PUTAUT of a channel. With DEF its own user needs authority; with CTX the user that each message names.

    connection: of the channel, whose user it has assumed.
    """

    def __init__(self, connection: Connection, definition: dict[str, Any]) -> None:
        self._connection = connection
        self._uses_context = definition["put_authority"] == MQPA_CONTEXT
        # The user of a message needs no authority over context: that is the channel's.
        self._options = MQPMO_NONE if self._uses_context else MQPMO_SET_ALL_CONTEXT

    def check_channel(self) -> None:
        """Check that the channel's user may act for others, with CTX. Raises MQError: MQRC_NOT_AUTHORIZED."""
        if self._uses_context:
            authority.check(self._connection, QMGR, self._connection.name, [AUTHORITIES["ALTUSR"]])

    def user_of(self, carried: Carried) -> AbstractContextManager[None]:
        """Return a context in which the user is checked whose authority the put of a message needs."""
        if not self._uses_context or not carried.md.user_identifier:
            return nullcontext()
        return authority.override_user(self._connection, carried.md.user_identifier)

    def check(self, work: Work, target: Target, md: MQMD) -> None:
        """Check a put, in the context of its user. Raises MQError: MQRC_NOT_AUTHORIZED.

        A report that others cause later (COD, expiration) is put with the message's data. So its user also needs
        authority for the queue of the report, if that is on this queue manager.
        """
        if work.checks_authority:
            authority.check_put(work, target, self._options)
            if md.reply_to_q and any(report_data_wanted(md.report, kind) for kind in ("cod", "expiration")):
                _check_report(work, md)


def _check_report(work: Work, md: MQMD) -> None:
    try:
        target = resolve_for_put(work.db, work.qmgr, md.reply_to_q, md.reply_to_q_mgr)
    except MQError:
        return  # no such queue: the report will be dead-lettered
    if not target.is_remote:
        authority.check_put(work, target, MQPMO_NONE)
