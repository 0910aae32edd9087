"""Errors of a client: what the other end's status codes and reasons are to the program."""

from __future__ import annotations

from mqtools.clients.wire.codes import StatusCode
from mqtools.constants import cmqc
from mqtools.errors import MQError


class ConnectionBroken(MQError):
    """Raised when the connection has ended, or the other end breaks the protocol (MQRC_CONNECTION_BROKEN)."""

    reason = cmqc.MQRC_CONNECTION_BROKEN


#: Reason of a call about a queue to the words of our own queue managers for it.
_ABOUT_QUEUE = {
    cmqc.MQRC_GET_INHIBITED: "gets are inhibited on queue {}",
    cmqc.MQRC_PUT_INHIBITED: "puts are inhibited on queue {}",
    cmqc.MQRC_Q_FULL: "queue {} is full",
    cmqc.MQRC_UNKNOWN_OBJECT_NAME: "queue {} does not exist",
}


def words_for(reason: int, q_name: str, words: str) -> str:
    """Return what has failed, in words. words: for any other reason, or without a queue."""
    return _ABOUT_QUEUE.get(reason, words).format(q_name) if q_name else words


#: Status code that refuses a connection to its reason and its words. All others are MQRC_Q_MGR_NOT_AVAILABLE.
_REFUSALS: dict[int, tuple[int, str]] = {
    StatusCode.NO_CHANNEL: (cmqc.MQRC_UNKNOWN_CHANNEL_NAME, "the channel is not defined there"),
    StatusCode.CHANNEL_WRONG_TYPE: (cmqc.MQRC_CHANNEL_CONFIG_ERROR, "the channel is not a server-connection channel"),
    StatusCode.QM_UNAVAILABLE: (cmqc.MQRC_Q_MGR_NOT_AVAILABLE, "the queue manager is not available"),
    StatusCode.QM_TERMINATING: (cmqc.MQRC_Q_MGR_NOT_AVAILABLE, "the queue manager is ending"),
    StatusCode.USER_CLOSED: (cmqc.MQRC_Q_MGR_NOT_AVAILABLE, "an operator has closed the channel"),
    StatusCode.SECURITY_FAILURE: (cmqc.MQRC_Q_MGR_NOT_AVAILABLE, "a security check has failed there"),
    StatusCode.CHANNEL_UNAVAILABLE: (
        cmqc.MQRC_CHANNEL_NOT_AVAILABLE,
        "the channel is stopped or has all its instances",
    ),
    StatusCode.CLOSED_BY_EXIT: (cmqc.MQRC_CHANNEL_NOT_AVAILABLE, "an exit of the channel has closed it"),
    StatusCode.CIPHER_SPEC: (cmqc.MQRC_SSL_INITIALIZATION_ERROR, "the channel has another CipherSpec (SSLCIPH)"),
    StatusCode.PEER_NAME: (cmqc.MQRC_SSL_PEER_NAME_MISMATCH, "the channel does not accept the name in the certificate"),
    StatusCode.SSL_CLIENT_CERTIFICATE: (cmqc.MQRC_JSSE_ERROR, "the channel needs a certificate of the client"),
    StatusCode.STANDBY_Q_MGR: (cmqc.MQRC_STANDBY_Q_MGR, "the queue manager is a standby instance"),
    **dict.fromkeys(
        range(StatusCode.PROTOCOL_SEGMENT_TYPE, StatusCode.PROTOCOL_ID_ERROR + 1),
        (cmqc.MQRC_CHANNEL_CONFIG_ERROR, "it refuses a segment of ours"),
    ),
}


def refusal(code: int, channel: str) -> MQError:
    """Return the error for a status code that came instead of a connection."""
    reason, words = _REFUSALS.get(code, (cmqc.MQRC_Q_MGR_NOT_AVAILABLE, f"status code 0x{code:02X}"))
    return MQError(f"channel {channel} refused: {words}", reason)
