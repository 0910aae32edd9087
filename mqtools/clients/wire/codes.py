"""Codes of the client protocol: segment types, control flags, status codes, notifications, SPI verbs."""

from __future__ import annotations

from enum import IntEnum, IntFlag

#: Eyecatchers of segments: plain, of a control segment, and multiplexed (with conversation and request ids).
PLAIN, CONTROL, MULTIPLEXED = b"TSH ", b"TSHC", b"TSHM"
CLIENT_EYECATCHERS = (PLAIN, CONTROL, MULTIPLEXED)

#: Length of a header by its eyecatcher.
HEADER_LENGTHS = {PLAIN: 28, CONTROL: 28, MULTIPLEXED: 36}

#: Identifiers of segments and structures in EBCDIC, as partners of that character set send them, to their own.
EBCDIC_CODEC = "cp500"
_EBCDIC_EYECATCHERS = {each.decode().encode(EBCDIC_CODEC): each for each in CLIENT_EYECATCHERS}
#: Eyecatcher of a received segment to that in ASCII.
RECEIVED_EYECATCHERS = {**{each: each for each in CLIENT_EYECATCHERS}, **_EBCDIC_EYECATCHERS}

#: Object handle that names no object.
NO_OBJECT = 0xFFFFFFFF
#: Number added to the type of a request for that of its reply.
REPLY = 0x10


class SegmentType(IntEnum):
    """Type of a segment. Types from MQCONN on are calls; their first segment has an API header."""

    INITIAL_DATA = 0x01
    STATUS_DATA = 0x05
    USERID_DATA = 0x08
    HEARTBEAT = 0x09
    CONAUTH_INFO = 0x0A
    SOCKET_ACTION = 0x0C
    ASYNC_MESSAGE = 0x0D
    REQUEST_MSGS = 0x0E
    NOTIFICATION = 0x0F
    MQCONN = 0x81
    MQDISC = 0x82
    MQOPEN = 0x83
    MQCLOSE = 0x84
    MQGET = 0x85
    MQPUT = 0x86
    MQPUT1 = 0x87
    MQSET = 0x88
    MQINQ = 0x89
    MQCMIT = 0x8A
    MQBACK = 0x8B
    SPI = 0x8C
    MQSTAT = 0x8D
    MQSUB = 0x8E
    MQSUBRQ = 0x8F
    XA_START = 0xA1
    XA_END = 0xA2
    XA_OPEN = 0xA3
    XA_CLOSE = 0xA4
    XA_PREPARE = 0xA5
    XA_COMMIT = 0xA6
    XA_ROLLBACK = 0xA7
    XA_FORGET = 0xA8
    XA_RECOVER = 0xA9
    XA_COMPLETE = 0xAA


class Flags(IntFlag):
    """ControlFlags1 of a segment."""

    CONFIRM_REQUEST = 0x01
    ERROR = 0x02
    CLOSE_CHANNEL = 0x08
    FIRST = 0x10
    LAST = 0x20
    REQUEST_ACCEPTED = 0x40
    WHOLE = FIRST | LAST


class StatusCode(IntEnum):
    """Code of a STATUS_DATA segment, which ends a channel."""

    NO_CHANNEL = 0x01
    CHANNEL_WRONG_TYPE = 0x02
    QM_UNAVAILABLE = 0x03
    QM_TERMINATING = 0x05
    USER_CLOSED = 0x07
    TIMEOUT_EXPIRED = 0x08
    PROTOCOL_SEGMENT_TYPE = 0x0A
    PROTOCOL_LENGTH_ERROR = 0x0B
    PROTOCOL_INVALID_DATA = 0x0C
    PROTOCOL_SEGMENT_ERROR = 0x0D
    PROTOCOL_ID_ERROR = 0x0E
    MESSAGE_LENGTH_ERROR = 0x12
    SECURITY_FAILURE = 0x14
    CHANNEL_UNAVAILABLE = 0x16
    CLOSED_BY_EXIT = 0x17
    CIPHER_SPEC = 0x18
    PEER_NAME = 0x19
    SSL_CLIENT_CERTIFICATE = 0x1A
    CONV_ID_ERROR = 0x1E
    SOCKET_ACTION_TYPE = 0x1F
    STANDBY_Q_MGR = 0x20
    FAP_LEVEL = 0xF2
    NEGOTIATION_FAILED = 0xF3


class Notice(IntEnum):
    """Code of a NOTIFICATION segment."""

    GET_INHIBITED = 1
    CONN_STATE = 3
    CONN_STATE_REPLY = 4
    Q_STATE = 5
    QM_QUIESCING = 7
    TXN_ALLOWED = 8
    CHECK_MSG = 11
    STREAMING_FAILURE = 14


class Verb(IntEnum):
    """Verb of an SPI call."""

    QUERY = 1
    PUT = 2
    RESERVE = 6
    SUBSCRIBE = 7
    NOTIFY = 11
    OPEN = 12


class SocketAction(IntEnum):
    """Type of a SOCKET_ACTION segment."""

    START_CONVERSATION = 1
    END_CONVERSATION = 2
    START_ACCEPTED = 8
