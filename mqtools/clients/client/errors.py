"""Errors of a client: what the other end's status codes and reasons are to the program."""

from __future__ import annotations

from mqtools.clients.wire.codes import StatusCode
from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_CHANNEL_NOT_AVAILABLE,
    MQRC_CONNECTION_BROKEN,
    MQRC_GET_INHIBITED,
    MQRC_JSSE_ERROR,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_SSL_INITIALIZATION_ERROR,
    MQRC_SSL_PEER_NAME_MISMATCH,
    MQRC_STANDBY_Q_MGR,
    MQRC_UNKNOWN_CHANNEL_NAME,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError


class ConnectionBroken(MQError):
    """Raised when the connection has ended, or the other end breaks the protocol (MQRC_CONNECTION_BROKEN)."""

    reason = MQRC_CONNECTION_BROKEN


#: Reason of a call about a queue to the words of our own queue managers for it.
_ABOUT_QUEUE = {
    MQRC_GET_INHIBITED: "gets are inhibited on queue {}",
    MQRC_PUT_INHIBITED: "puts are inhibited on queue {}",
    MQRC_Q_FULL: "queue {} is full",
    MQRC_UNKNOWN_OBJECT_NAME: "queue {} does not exist",
}


def words_for(reason: int, q_name: str, words: str) -> str:
    """Return what has failed, in words. words: for any other reason, or without a queue."""
    return _ABOUT_QUEUE.get(reason, words).format(q_name) if q_name else words


#: Status code that refuses a connection to its reason and its words. All others are MQRC_Q_MGR_NOT_AVAILABLE.
_REFUSALS: dict[int, tuple[int, str]] = {
    StatusCode.NO_CHANNEL: (MQRC_UNKNOWN_CHANNEL_NAME, "the channel is not defined there"),
    StatusCode.CHANNEL_WRONG_TYPE: (MQRC_CHANNEL_CONFIG_ERROR, "the channel is not a server-connection channel"),
    StatusCode.QM_UNAVAILABLE: (MQRC_Q_MGR_NOT_AVAILABLE, "the queue manager is not available"),
    StatusCode.QM_TERMINATING: (MQRC_Q_MGR_NOT_AVAILABLE, "the queue manager is ending"),
    StatusCode.USER_CLOSED: (MQRC_Q_MGR_NOT_AVAILABLE, "an operator has closed the channel"),
    StatusCode.SECURITY_FAILURE: (MQRC_Q_MGR_NOT_AVAILABLE, "a security check has failed there"),
    StatusCode.CHANNEL_UNAVAILABLE: (MQRC_CHANNEL_NOT_AVAILABLE, "the channel is stopped, or has all its instances"),
    StatusCode.CLOSED_BY_EXIT: (MQRC_CHANNEL_NOT_AVAILABLE, "an exit of the channel has closed it"),
    StatusCode.CIPHER_SPEC: (MQRC_SSL_INITIALIZATION_ERROR, "the channel has another CipherSpec (SSLCIPH)"),
    StatusCode.PEER_NAME: (MQRC_SSL_PEER_NAME_MISMATCH, "the channel does not accept the name in the certificate"),
    StatusCode.SSL_CLIENT_CERTIFICATE: (MQRC_JSSE_ERROR, "the channel needs a certificate of the client"),
    StatusCode.STANDBY_Q_MGR: (MQRC_STANDBY_Q_MGR, "the queue manager is a standby instance"),
    StatusCode.PROTOCOL_SEGMENT_TYPE: (MQRC_CHANNEL_CONFIG_ERROR, "it refuses the type of a segment"),
    StatusCode.PROTOCOL_LENGTH_ERROR: (MQRC_CHANNEL_CONFIG_ERROR, "it refuses the length of a segment"),
    StatusCode.PROTOCOL_INVALID_DATA: (MQRC_CHANNEL_CONFIG_ERROR, "it refuses the data of a segment"),
    StatusCode.PROTOCOL_SEGMENT_ERROR: (MQRC_CHANNEL_CONFIG_ERROR, "it refuses a segment"),
    StatusCode.PROTOCOL_ID_ERROR: (MQRC_CHANNEL_CONFIG_ERROR, "it refuses the identifier of a segment"),
}


def refusal(code: int, channel: str) -> MQError:
    """Return the error for a status code that came instead of a connection."""
    reason, words = _REFUSALS.get(code, (MQRC_Q_MGR_NOT_AVAILABLE, f"status code 0x{code:02X}"))
    return MQError(f"channel {channel} refused: {words}", reason)
