"""Reason codes of PCF replies, for errors of the commands."""

from __future__ import annotations

from mqtools.constants import cmqcfc as c
from mqtools.constants import reasons as rc

#: Commands about channels: errors about channels have reasons of their own.
CHANNEL_COMMANDS = frozenset(
    (
        c.MQCMD_CREATE_CHANNEL,
        c.MQCMD_CHANGE_CHANNEL,
        c.MQCMD_COPY_CHANNEL,
        c.MQCMD_DELETE_CHANNEL,
        c.MQCMD_INQUIRE_CHANNEL,
        c.MQCMD_INQUIRE_CHANNEL_NAMES,
        c.MQCMD_INQUIRE_CHANNEL_STATUS,
        c.MQCMD_START_CHANNEL,
        c.MQCMD_STOP_CHANNEL,
        c.MQCMD_RESET_CHANNEL,
        c.MQCMD_RESOLVE_CHANNEL,
    )
)
#: Reason of an error to that of the reply. A reason that is not here stays as it is.
_REASONS = {
    rc.MQRC_OBJECT_ALREADY_EXISTS: c.MQRCCF_OBJECT_ALREADY_EXISTS,
    rc.MQRC_OBJECT_NAME_ERROR: c.MQRCCF_OBJECT_NAME_ERROR,
    rc.MQRC_OBJECT_IN_USE: c.MQRCCF_OBJECT_OPEN,
    rc.MQRC_Q_TYPE_ERROR: c.MQRCCF_OBJECT_WRONG_TYPE,
}
_CHANNEL_REASONS = {
    rc.MQRC_OBJECT_ALREADY_EXISTS: c.MQRCCF_CHANNEL_ALREADY_EXISTS,
    rc.MQRC_OBJECT_NAME_ERROR: c.MQRCCF_CHANNEL_NAME_ERROR,
    rc.MQRC_OBJECT_IN_USE: c.MQRCCF_CHANNEL_IN_USE,
    rc.MQRC_OBJECT_TYPE_ERROR: c.MQRCCF_WRONG_CHANNEL_TYPE,
    rc.MQRC_UNKNOWN_CHANNEL_NAME: c.MQRCCF_CHANNEL_NOT_FOUND,
    rc.MQRC_CHANNEL_CONFIG_ERROR: c.MQRCCF_XMIT_Q_NAME_ERROR,
    rc.MQRC_NO_MSG_AVAILABLE: c.MQRCCF_COMMAND_FAILED,
}


def reply_reason(command: int, reason: int) -> int:
    """Return the reason code of the reply to a command that failed."""
    table = _CHANNEL_REASONS if command in CHANNEL_COMMANDS else _REASONS
    return table.get(reason, reason)
