"""Errors between the two ends of a channel."""

from __future__ import annotations

from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_CHANNEL_SSL_ERROR,
    MQRC_CHANNEL_STOPPED_BY_USER,
    MQRC_CONNECTION_BROKEN,
    MQRC_CONNECTION_ERROR,
    MQRC_HOST_NOT_AVAILABLE,
    MQRC_MAX_CONNS_LIMIT_REACHED,
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_UNKNOWN_CHANNEL_NAME,
)
from mqtools.errors import MQError

#: Reason of a failure to its number in the error log. Any other is AMQ9999E.
_NUMBERS = {
    MQRC_CHANNEL_CONFIG_ERROR: "AMQ9547E",
    MQRC_CHANNEL_SSL_ERROR: "AMQ9633E",
    MQRC_CHANNEL_STOPPED_BY_USER: "AMQ9534E",
    MQRC_CONNECTION_BROKEN: "AMQ9508E",
    MQRC_CONNECTION_ERROR: "AMQ9208E",
    MQRC_HOST_NOT_AVAILABLE: "AMQ9202E",
    MQRC_MAX_CONNS_LIMIT_REACHED: "AMQ9513E",
    MQRC_NOT_AUTHORIZED: "AMQ9557E",
    MQRC_OBJECT_IN_USE: "AMQ9514E",
    MQRC_OBJECT_TYPE_ERROR: "AMQ9547E",
    MQRC_Q_MGR_NOT_AVAILABLE: "AMQ9508E",
    MQRC_UNKNOWN_CHANNEL_NAME: "AMQ9519E",
}


def log_number(error: MQError) -> str:
    """Return the number of the error log for what a channel fails with."""
    if isinstance(error, BlockedError):
        return "AMQ9776E" if error.blocks_user else "AMQ9777E"
    return _NUMBERS.get(error.reason, "AMQ9999E")


class LinkError(MQError):
    """Raised when the stream to the other end breaks, times out, or violates the protocol."""

    reason = MQRC_CONNECTION_ERROR


class RefusedError(MQError):
    """Raised when the other end refuses, with its reason and text.

    sequence, batch_id: of the last batch that it committed; None before the first.
    """

    def __init__(self, text: str, reason: int, sequence: int | None = None, batch_id: bytes = b"") -> None:
        super().__init__(text, reason)
        self.sequence = sequence
        self.batch_id = batch_id


class ExitError(MQError):
    """Raised when an exit fails: the channel stops."""


class BlockedError(MQError):
    """Raised when channel authentication records refuse a caller, or the user that its channel would run under."""

    reason = MQRC_NOT_AUTHORIZED

    def __init__(self, text: str, *, blocks_user: bool) -> None:
        super().__init__(text)
        self.blocks_user = blocks_user
