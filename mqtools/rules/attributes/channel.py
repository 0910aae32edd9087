"""Attributes of channels, with the defaults of the SYSTEM.DEF channels of a distributed queue manager."""

from __future__ import annotations

from mqtools.constants import channels, cmqc, cmqxc, objects, properties
from mqtools.constants import cmqcfc as c
from mqtools.rules.attributes.table import INTEGER, NAME, TEXT, WORD, Attribute, any_value
from mqtools.rules.attributes.words import MONITORING, NO_YES
from mqtools.rules.object_names import is_path

#: MQSC type of a channel to its MQCHT value. A type that is not here mqx does not have.
CHANNEL_TYPES = {
    "SDR": channels.MQCHT_SENDER,
    "SVR": channels.MQCHT_SERVER,
    "RCVR": channels.MQCHT_RECEIVER,
    "RQSTR": channels.MQCHT_REQUESTER,
    "SVRCONN": channels.MQCHT_SVRCONN,
    "CLNTCONN": channels.MQCHT_CLNTCONN,
}
#: Types whose end sends messages.
SENDING_TYPES = ("SDR", "SVR")
#: Types of channels between a client and a queue manager: definitions only, a client of mqx opens the file itself.
CLIENT_TYPES = ("SVRCONN", "CLNTCONN")
#: Channel that every queue manager has to its type: new channels of the type begin with its attributes.
MODELS = {
    "SYSTEM.DEF.SENDER": "SDR",
    "SYSTEM.DEF.SERVER": "SVR",
    "SYSTEM.DEF.RECEIVER": "RCVR",
    "SYSTEM.DEF.REQUESTER": "RQSTR",
    "SYSTEM.DEF.SVRCONN": "SVRCONN",
    "SYSTEM.DEF.CLNTCONN": "CLNTCONN",
}
_SENDS = SENDING_TYPES
_RECEIVES = ("RCVR", "RQSTR")
_CALLS = ("SDR", "SVR", "RQSTR")
_MOVES = ("SDR", "SVR", "RCVR", "RQSTR")
_ALL = (*_MOVES, *CLIENT_TYPES)
_ANSWERS = ("SVR", "RCVR", "RQSTR")
_SERVES_CLIENTS = ("SVRCONN",)
_IS_CLIENT = ("CLNTCONN",)
_MAKES_CALLS = (*_CALLS, *_IS_CLIENT)

_COMPRESSION = (("NONE", 0),)


def effective_monitoring(own: int, of_qmgr: int) -> int:
    """Return the monitoring (MQMON_*) of an object, which that of the queue manager replaces or switches off."""
    if of_qmgr == objects.MQMON_NONE:
        return objects.MQMON_OFF
    return of_qmgr if own == objects.MQMON_Q_MGR else own


_PROPERTIES = (
    ("ALL", properties.MQPROP_ALL),
    ("COMPAT", properties.MQPROP_COMPATIBILITY),
    ("NONE", properties.MQPROP_NONE),
)
_LONG_LIST = 999


def _is_local_place(connection_name: str) -> bool:
    """Return whether a CONNAME is a command or path, not a host or the name of a queue manager."""
    scheme, colon, target = connection_name.strip().partition(":")
    scheme = scheme.strip().lower()
    return bool(colon) and (scheme in ("exec", "unix") or (scheme == "qmgr" and is_path(target.strip())))


def _text(keyword: str, name: str, selector: int, object_types: tuple[str, ...], maximum: int) -> Attribute:
    return Attribute(keyword, name, selector, TEXT, object_types, maximum=maximum, default="")


def _exit(keyword: str, name: str, selector: int, object_types: tuple[str, ...], maximum: int = 0) -> Attribute:
    return Attribute(keyword, name, selector, TEXT, object_types, maximum=maximum, default="", local_only=any_value)


#: One row an attribute, as for queues. mqtools/channel uses them. Definition only: MCAUSER of a channel that
#: calls to send, and what WITHOUT_EFFECT lists.
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("CHANNEL", "name", c.MQCACH_CHANNEL_NAME, NAME, _ALL, minimum=1, maximum=20, settable=False),
    *(
        Attribute("CHLTYPE", "channel_type", c.MQIACH_CHANNEL_TYPE, WORD, (word,), words=tuple(CHANNEL_TYPES.items()),
                  default=number, synonyms=("TYPE",), settable=False)
        for word, number in CHANNEL_TYPES.items()
    ),
    Attribute("AFFINITY", "connection_affinity", c.MQIACH_CONNECTION_AFFINITY, WORD, _IS_CLIENT,
              words=(("PREFERRED", cmqxc.MQCAFTY_PREFERRED), ("NONE", cmqxc.MQCAFTY_NONE)),
              default=cmqxc.MQCAFTY_PREFERRED),
    Attribute("ALTDATE", "alteration_date", objects.MQCA_ALTERATION_DATE, TEXT, _ALL, maximum=12, settable=False),
    Attribute("ALTTIME", "alteration_time", objects.MQCA_ALTERATION_TIME, TEXT, _ALL, maximum=8, settable=False),
    # Milliseconds.
    Attribute("BATCHHB", "batch_heartbeat", c.MQIACH_BATCH_HB, INTEGER, _SENDS, maximum=999999, default=0),
    # Milliseconds that a batch stays open for more messages.
    Attribute("BATCHINT", "batch_interval", c.MQIACH_BATCH_INTERVAL, INTEGER, _SENDS, default=0),
    # Kilobytes; 0: no limit.
    Attribute("BATCHLIM", "batch_data_limit", c.MQIACH_BATCH_DATA_LIMIT, INTEGER, _SENDS, maximum=999999, default=5000),
    Attribute("BATCHSZ", "batch_size", c.MQIACH_BATCH_SIZE, INTEGER, _MOVES, minimum=1, maximum=9999, default=50),
    _text("CERTLABL", "certificate_label", cmqc.MQCA_CERT_LABEL, _ALL, 64),
    Attribute("CLNTWGHT", "client_channel_weight", c.MQIACH_CLIENT_CHANNEL_WEIGHT, INTEGER, _IS_CLIENT, maximum=99,
              default=0),
    Attribute("COMPHDR", "header_compression", None, WORD, _ALL, words=_COMPRESSION, default=0),
    Attribute("COMPMSG", "message_compression", None, WORD, _ALL, words=_COMPRESSION, default=0),
    Attribute("CONNAME", "connection_name", c.MQCACH_CONNECTION_NAME, TEXT, _MAKES_CALLS, maximum=_LONG_LIST,
              default="", local_only=_is_local_place),
    Attribute("CONVERT", "data_conversion", c.MQIACH_DATA_CONVERSION, WORD, _SENDS, words=NO_YES, default=0),
    Attribute("DEFRECON", "default_reconnect", c.MQIACH_DEF_RECONNECT, WORD, _IS_CLIENT,
              words=(("NO", cmqxc.MQRCN_NO), ("YES", cmqxc.MQRCN_YES), ("QMGR", cmqxc.MQRCN_Q_MGR),
                     ("DISABLED", cmqxc.MQRCN_DISABLED)),
              default=cmqxc.MQRCN_NO),
    Attribute("DESCR", "channel_desc", c.MQCACH_DESC, TEXT, _ALL, maximum=64, default=""),
    # Seconds.
    Attribute("DISCINT", "disconnect_interval", c.MQIACH_DISC_INTERVAL, INTEGER, _SENDS, maximum=999999, default=6000),
    Attribute("DISCINT", "disconnect_interval", c.MQIACH_DISC_INTERVAL, INTEGER, _SERVES_CLIENTS, maximum=999999,
              default=0),
    # Seconds; 0: none.
    Attribute("HBINT", "heartbeat_interval", c.MQIACH_HB_INTERVAL, INTEGER, _ALL, maximum=999999, default=300),
    Attribute("KAINT", "keep_alive_interval", c.MQIACH_KEEP_ALIVE_INTERVAL, INTEGER, _ALL, maximum=99999,
              words=(("AUTO", -1),), default=-1),
    _text("LOCLADDR", "local_address", c.MQCACH_LOCAL_ADDRESS, _MAKES_CALLS, 48),
    Attribute("LONGRTY", "long_retry_count", c.MQIACH_LONG_RETRY, INTEGER, _SENDS, default=999999999),
    # Seconds.
    Attribute("LONGTMR", "long_retry_interval", c.MQIACH_LONG_TIMER, INTEGER, _SENDS, default=1200),
    Attribute("MAXINST", "max_instances", c.MQIACH_MAX_INSTANCES, INTEGER, _SERVES_CLIENTS, default=999999999),
    Attribute("MAXINSTC", "max_instances_per_client", c.MQIACH_MAX_INSTS_PER_CLIENT, INTEGER, _SERVES_CLIENTS,
              default=999999999),
    # Bytes; 0: that of the queue manager.
    Attribute("MAXMSGL", "max_msg_length", c.MQIACH_MAX_MSG_LENGTH, INTEGER, _ALL, maximum=104857600, default=4194304),
    _text("MCANAME", "mca_name", c.MQCACH_MCA_NAME, _CALLS, 20),
    Attribute("MCATYPE", "mca_type", c.MQIACH_MCA_TYPE, WORD, _CALLS,
              words=(("PROCESS", channels.MQMCAT_PROCESS), ("THREAD", channels.MQMCAT_THREAD)),
              default=channels.MQMCAT_PROCESS),
    # User whose authorities a receiving or called channel has; blank: the owner of the file, with all authorities.
    Attribute("MCAUSER", "mca_user_identifier", c.MQCACH_MCA_USER_ID, TEXT, (*_MOVES, *_SERVES_CLIENTS), maximum=64,
              default=""),
    _text("MODENAME", "mode_name", c.MQCACH_MODE_NAME, _MAKES_CALLS, 8),
    Attribute("MONCHL", "channel_monitoring", cmqc.MQIA_MONITORING_CHANNEL, WORD, (*_MOVES, *_SERVES_CLIENTS),
              words=MONITORING,
              default=objects.MQMON_Q_MGR),
    _exit("MRDATA", "message_retry_user_data", c.MQCACH_MR_EXIT_USER_DATA, _RECEIVES, 32),
    _exit("MREXIT", "message_retry_exit", c.MQCACH_MR_EXIT_NAME, _RECEIVES),
    Attribute("MRRTY", "message_retry_count", c.MQIACH_MR_COUNT, INTEGER, _RECEIVES, default=10),
    # Milliseconds.
    Attribute("MRTMR", "message_retry_interval", c.MQIACH_MR_INTERVAL, INTEGER, _RECEIVES, default=1000),
    _exit("MSGDATA", "message_user_data", c.MQCACH_MSG_EXIT_USER_DATA, _MOVES, _LONG_LIST),
    _exit("MSGEXIT", "message_exit", c.MQCACH_MSG_EXIT_NAME, _MOVES, _LONG_LIST),
    Attribute("NPMSPEED", "nonpersistent_msg_speed", c.MQIACH_NPM_SPEED, WORD, _MOVES,
              words=(("NORMAL", channels.MQNPMS_NORMAL), ("FAST", channels.MQNPMS_FAST)),
              default=channels.MQNPMS_FAST),
    _text("PASSWORD", "password", c.MQCACH_PASSWORD, _MAKES_CALLS, 12),
    Attribute("PROPCTL", "property_control", objects.MQIA_PROPERTY_CONTROL, WORD, _SENDS, words=_PROPERTIES,
              default=properties.MQPROP_COMPATIBILITY),
    Attribute("PUTAUT", "put_authority", c.MQIACH_PUT_AUTHORITY, WORD, _RECEIVES,
              words=(("DEF", channels.MQPA_DEFAULT), ("CTX", channels.MQPA_CONTEXT)),
              default=channels.MQPA_DEFAULT),
    # Ours: the one queue manager that may be at the other end; blank: any.
    Attribute("QMNAME", "peer_q_mgr_name", None, NAME, _MOVES, maximum=48, default=""),
    Attribute("QMNAME", "peer_q_mgr_name", objects.MQCA_Q_MGR_NAME, NAME, _IS_CLIENT, maximum=48, default=""),
    _exit("RCVDATA", "receive_user_data", c.MQCACH_RCV_EXIT_USER_DATA, _ALL, _LONG_LIST),
    _exit("RCVEXIT", "receive_exit", c.MQCACH_RCV_EXIT_NAME, _ALL),
    _exit("SCYDATA", "security_user_data", c.MQCACH_SEC_EXIT_USER_DATA, _ALL, 32),
    _exit("SCYEXIT", "security_exit", c.MQCACH_SEC_EXIT_NAME, _ALL),
    _exit("SENDDATA", "send_user_data", c.MQCACH_SEND_EXIT_USER_DATA, _ALL, _LONG_LIST),
    _exit("SENDEXIT", "send_exit", c.MQCACH_SEND_EXIT_NAME, _ALL),
    Attribute("SEQWRAP", "sequence_number_wrap", c.MQIACH_SEQUENCE_NUMBER_WRAP, INTEGER, _MOVES, minimum=100,
              default=999999999),
    Attribute("SHARECNV", "sharing_conversations", c.MQIACH_SHARING_CONVERSATIONS, INTEGER, CLIENT_TYPES, default=10),
    Attribute("SHORTRTY", "short_retry_count", c.MQIACH_SHORT_RETRY, INTEGER, _SENDS, default=10),
    # Seconds.
    Attribute("SHORTTMR", "short_retry_interval", c.MQIACH_SHORT_TIMER, INTEGER, _SENDS, default=60),
    Attribute("SSLCAUTH", "ssl_client_auth", c.MQIACH_SSL_CLIENT_AUTH, WORD, _ANSWERS, words=(("REQUIRED", 0),),
              default=0),
    Attribute("SSLCAUTH", "ssl_client_auth", c.MQIACH_SSL_CLIENT_AUTH, WORD, _SERVES_CLIENTS,
              words=(("REQUIRED", cmqxc.MQSCA_REQUIRED), ("OPTIONAL", cmqxc.MQSCA_OPTIONAL)),
              default=cmqxc.MQSCA_REQUIRED),
    Attribute("SSLCIPH", "ssl_cipher_spec", c.MQCACH_SSL_CIPHER_SPEC, TEXT, _ALL, maximum=40, default=""),
    Attribute("SSLPEER", "ssl_peer_name", c.MQCACH_SSL_PEER_NAME, TEXT, _ALL, maximum=1024, default=""),
    Attribute("STATCHL", "channel_statistics", cmqc.MQIA_STATISTICS_CHANNEL, WORD, _MOVES, words=MONITORING,
              default=objects.MQMON_Q_MGR),
    _text("TPNAME", "tp_name", c.MQCACH_TP_NAME, _MAKES_CALLS, 64),
    Attribute("TRPTYPE", "transport_type", c.MQIACH_XMIT_PROTOCOL_TYPE, WORD, _ALL,
              words=(("TCP", channels.MQXPT_TCP),),
              default=channels.MQXPT_TCP),
    Attribute("USEDLQ", "use_dead_letter_q", objects.MQIA_USE_DEAD_LETTER_Q, WORD, _MOVES, words=NO_YES, default=1),
    _text("USERID", "user_identifier", c.MQCACH_USER_ID, _MAKES_CALLS, 12),
    Attribute("XMITQ", "xmit_q_name", c.MQCACH_XMIT_Q_NAME, NAME, _SENDS, maximum=48, default=""),
)  # fmt: skip

#: Keywords, separated by blanks, that are stored and displayed without any effect.
WITHOUT_EFFECT = (
    "AFFINITY BATCHHB BATCHINT CERTLABL CLNTWGHT COMPHDR COMPMSG DEFRECON DISCINT KAINT LOCLADDR LONGRTY LONGTMR "
    "MCANAME MCATYPE MODENAME MONCHL MRDATA MREXIT PASSWORD PROPCTL RCVDATA RCVEXIT SCYDATA "
    "SCYEXIT SENDDATA SENDEXIT SEQWRAP SHORTRTY SHORTTMR TPNAME USERID"
)
