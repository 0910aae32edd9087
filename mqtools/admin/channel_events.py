"""Events of channels: started, stopped, blocked and refused, and errors of TLS."""

from __future__ import annotations

from contextlib import suppress

from mqtools.admin import channel_authentication, channels
from mqtools.admin.error_log import Inserts
from mqtools.constants import administration as a
from mqtools.constants import cmqcfc as c
from mqtools.constants import reasons as rc
from mqtools.constants.objects import MQCA_Q_MGR_NAME, MQCA_REMOTE_Q_MGR_NAME
from mqtools.errors import MQError
from mqtools.mqi import events
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.transaction import Work
from mqtools.rules.events import REFUSALS
from mqtools.rules.security.channel_authentication import find_blocked_address

#: Ordinary events of channels: CHLEV(EXCEPTION) leaves them out.
_ORDINARY = ((rc.MQRC_CHANNEL_STARTED, None), (rc.MQRC_CHANNEL_STOPPED, a.MQRQ_CHANNEL_STOPPED_OK))
_STOPS = (rc.MQRC_CHANNEL_STOPPED, rc.MQRC_CHANNEL_STOPPED_BY_USER)
#: First part of an error identifier: its last four digits, in hexadecimal, are those of the AMQ number.
_ERROR_IDENTIFIER = 0x2000_0000


def put_channel_event(
    work: Work, reason: int, inserts: Inserts, qualifier: int | None = None, number: str = "", words: str = ""
) -> None:
    """Put an event of a channel, if it is enabled. number, words: of the error that ended it. Raises StorageError."""
    setting = events.setting(work.db, reason)
    is_ordinary = (reason, qualifier) in _ORDINARY
    if setting == a.MQEVR_DISABLED or (setting == a.MQEVR_EXCEPTION and is_ordinary):
        return
    values: dict[int, object] = {
        MQCA_Q_MGR_NAME: work.qmgr.name,
        c.MQIACF_REASON_QUALIFIER: qualifier,
        c.MQCACH_CHANNEL_NAME: None if qualifier == a.MQRQ_CHANNEL_BLOCKED_ADDRESS else inserts.channel or None,
    }
    if reason in _STOPS:
        values |= {
            c.MQIACF_ERROR_IDENTIFIER: _ERROR_IDENTIFIER | int(number[3:7], 16) if number else qualifier,
            c.MQIACF_AUX_ERROR_DATA_INT_1: 0,
            c.MQIACF_AUX_ERROR_DATA_INT_2: 0,
            c.MQCACF_AUX_ERROR_DATA_STR_1: inserts.connection_name,
            c.MQCACF_AUX_ERROR_DATA_STR_2: words,
            c.MQCACF_AUX_ERROR_DATA_STR_3: inserts.q_mgr_name,
        }
    if reason == rc.MQRC_CHANNEL_BLOCKED:
        values[MQCA_REMOTE_Q_MGR_NAME] = inserts.q_mgr_name or None
        values[c.MQCACF_USER_IDENTIFIER] = inserts.user or None
    else:
        definition = channels.definition(work.db, inserts.channel) or {}
        values[c.MQCACH_XMIT_Q_NAME] = definition.get("xmit_q_name") or None
    values[c.MQCACH_CONNECTION_NAME] = inserts.connection_name
    events.put_event(work, reason, values)


def note_refusal(source: Connection | str, number: str, inserts: Inserts) -> None:
    """Put the event of a caller who is refused, if it is enabled. number: of the error log.

    source: a connection, or the path of the queue manager.  It raises nothing.
    """
    reason, qualifier = REFUSALS.get(number, (0, 0))
    if not reason:
        return
    with suppress(MQError):
        if isinstance(source, Connection):
            _note_refusal(source, reason, qualifier, inserts)
        else:
            with connect(source) as connection:
                _note_refusal(connection, reason, qualifier, inserts)


def _note_refusal(connection: Connection, reason: int, qualifier: int, inserts: Inserts) -> None:
    if not events.setting(connection.db, reason):
        return
    if reason == rc.MQRC_NOT_AUTHORIZED:
        application = events.application(connection)
        user: dict[int, object] = {c.MQCACF_USER_IDENTIFIER: connection.checked_user or inserts.user}
        events.not_authorized(connection, qualifier, {**user, **application})
        return
    records = channel_authentication.records_in_force(connection.db)
    if reason == rc.MQRC_CHANNEL_BLOCKED and find_blocked_address(records, inserts.connection_name) is not None:
        qualifier = a.MQRQ_CHANNEL_BLOCKED_ADDRESS
    with connection.work() as work:
        put_channel_event(work, reason, inserts, qualifier)
