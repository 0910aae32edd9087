"""Attributes of channels, with the defaults of the SYSTEM.DEF channels of a distributed queue manager."""

from __future__ import annotations

from mqtools.constants import channels, cmqxc, objects, properties
from mqtools.rules.attributes.table import INTEGER, NAME, TEXT, WORD, Attribute

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
#: Attributes that name code to run at an end of a channel, or tell that code what to do. Only MQSC sets them.
EXIT_ATTRIBUTES = (
    "message_exit",
    "message_user_data",
    "message_retry_exit",
    "message_retry_user_data",
    "receive_exit",
    "receive_user_data",
    "security_exit",
    "security_user_data",
    "send_exit",
    "send_user_data",
)

_SENDS = SENDING_TYPES
_RECEIVES = ("RCVR", "RQSTR")
_CALLS = ("SDR", "SVR", "RQSTR")
_MOVES = ("SDR", "SVR", "RCVR", "RQSTR")
_ALL = (*_MOVES, *CLIENT_TYPES)
_ANSWERS = ("SVR", "RCVR", "RQSTR")
_SERVES_CLIENTS = ("SVRCONN",)
_IS_CLIENT = ("CLNTCONN",)
_MAKES_CALLS = (*_CALLS, *_IS_CLIENT)

_NO_YES = (("NO", 0), ("YES", 1))
_COMPRESSION = (("NONE", 0),)
_MONITORING = (
    ("QMGR", objects.MQMON_Q_MGR),
    ("OFF", objects.MQMON_OFF),
    ("LOW", objects.MQMON_LOW),
    ("MEDIUM", objects.MQMON_MEDIUM),
    ("HIGH", objects.MQMON_HIGH),
)
_PROPERTIES = (
    ("ALL", properties.MQPROP_ALL),
    ("COMPAT", properties.MQPROP_COMPATIBILITY),
    ("NONE", properties.MQPROP_NONE),
)
_LONG_LIST = 999


def _ignored_text(keyword: str, name: str, object_types: tuple[str, ...], maximum: int) -> Attribute:
    return Attribute(keyword, name, None, TEXT, object_types, maximum=maximum, default="")


#: One row an attribute, as for queues. What mqx does with it is in mqtools/channel. MCAUSER of a channel that calls to
#: send, and all of SVRCONN and CLNTCONN, is definition only, as is what WITHOUT_EFFECT lists.
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("CHANNEL", "name", None, NAME, _ALL, minimum=1, maximum=20, settable=False),
    *(
        Attribute("CHLTYPE", "channel_type", None, WORD, (word,), words=tuple(CHANNEL_TYPES.items()), default=number,
                  synonyms=("TYPE",), settable=False)
        for word, number in CHANNEL_TYPES.items()
    ),
    Attribute("AFFINITY", "connection_affinity", None, WORD, _IS_CLIENT,
              words=(("PREFERRED", cmqxc.MQCAFTY_PREFERRED), ("NONE", cmqxc.MQCAFTY_NONE)),
              default=cmqxc.MQCAFTY_PREFERRED),
    Attribute("ALTDATE", "alteration_date", objects.MQCA_ALTERATION_DATE, TEXT, _ALL, maximum=12, settable=False),
    Attribute("ALTTIME", "alteration_time", objects.MQCA_ALTERATION_TIME, TEXT, _ALL, maximum=8, settable=False),
    # Milliseconds.
    Attribute("BATCHHB", "batch_heartbeat", None, INTEGER, _SENDS, maximum=999999, default=0),
    # Milliseconds that a batch stays open for more messages.
    Attribute("BATCHINT", "batch_interval", None, INTEGER, _SENDS, default=0),
    # Kilobytes; 0: no limit.
    Attribute("BATCHLIM", "batch_data_limit", None, INTEGER, _SENDS, maximum=999999, default=5000),
    Attribute("BATCHSZ", "batch_size", None, INTEGER, _MOVES, minimum=1, maximum=9999, default=50),
    _ignored_text("CERTLABL", "certificate_label", _ALL, 64),
    Attribute("CLNTWGHT", "client_channel_weight", None, INTEGER, _IS_CLIENT, maximum=99, default=0),
    Attribute("COMPHDR", "header_compression", None, WORD, _ALL, words=_COMPRESSION, default=0),
    Attribute("COMPMSG", "message_compression", None, WORD, _ALL, words=_COMPRESSION, default=0),
    Attribute("CONNAME", "connection_name", None, TEXT, _MAKES_CALLS, maximum=_LONG_LIST, default=""),
    Attribute("CONVERT", "data_conversion", None, WORD, _SENDS, words=_NO_YES, default=0),
    Attribute("DEFRECON", "default_reconnect", None, WORD, _IS_CLIENT,
              words=(("NO", cmqxc.MQRCN_NO), ("YES", cmqxc.MQRCN_YES), ("QMGR", cmqxc.MQRCN_Q_MGR),
                     ("DISABLED", cmqxc.MQRCN_DISABLED)),
              default=cmqxc.MQRCN_NO),
    Attribute("DESCR", "channel_desc", None, TEXT, _ALL, maximum=64, default=""),
    # Seconds.
    Attribute("DISCINT", "disconnect_interval", None, INTEGER, _SENDS, maximum=999999, default=6000),
    Attribute("DISCINT", "disconnect_interval", None, INTEGER, _SERVES_CLIENTS, maximum=999999, default=0),
    # Seconds; 0: none.
    Attribute("HBINT", "heartbeat_interval", None, INTEGER, _ALL, maximum=999999, default=300),
    Attribute("KAINT", "keep_alive_interval", None, INTEGER, _ALL, maximum=99999, words=(("AUTO", -1),), default=-1),
    _ignored_text("LOCLADDR", "local_address", _MAKES_CALLS, 48),
    Attribute("LONGRTY", "long_retry_count", None, INTEGER, _SENDS, default=999999999),
    # Seconds.
    Attribute("LONGTMR", "long_retry_interval", None, INTEGER, _SENDS, default=1200),
    Attribute("MAXINST", "max_instances", None, INTEGER, _SERVES_CLIENTS, default=999999999),
    Attribute("MAXINSTC", "max_instances_per_client", None, INTEGER, _SERVES_CLIENTS, default=999999999),
    # Bytes; 0: that of the queue manager.
    Attribute("MAXMSGL", "max_msg_length", None, INTEGER, _ALL, maximum=104857600, default=4194304),
    _ignored_text("MCANAME", "mca_name", _CALLS, 20),
    Attribute("MCATYPE", "mca_type", None, WORD, _CALLS,
              words=(("PROCESS", channels.MQMCAT_PROCESS), ("THREAD", channels.MQMCAT_THREAD)),
              default=channels.MQMCAT_PROCESS),
    # User whose authorities a channel has that receives, or is called; blank: the owner of the file, who has all.
    Attribute("MCAUSER", "mca_user_identifier", None, TEXT, (*_MOVES, *_SERVES_CLIENTS), maximum=64, default=""),
    _ignored_text("MODENAME", "mode_name", _MAKES_CALLS, 8),
    Attribute("MONCHL", "channel_monitoring", None, WORD, (*_MOVES, *_SERVES_CLIENTS), words=_MONITORING,
              default=objects.MQMON_Q_MGR),
    _ignored_text("MRDATA", "message_retry_user_data", _RECEIVES, 32),
    _ignored_text("MREXIT", "message_retry_exit", _RECEIVES, 0),
    Attribute("MRRTY", "message_retry_count", None, INTEGER, _RECEIVES, default=10),
    # Milliseconds.
    Attribute("MRTMR", "message_retry_interval", None, INTEGER, _RECEIVES, default=1000),
    Attribute("MSGDATA", "message_user_data", None, TEXT, _MOVES, maximum=_LONG_LIST, default=""),
    Attribute("MSGEXIT", "message_exit", None, TEXT, _MOVES, maximum=_LONG_LIST, default=""),
    Attribute("NPMSPEED", "nonpersistent_msg_speed", None, WORD, _MOVES,
              words=(("NORMAL", channels.MQNPMS_NORMAL), ("FAST", channels.MQNPMS_FAST)),
              default=channels.MQNPMS_FAST),
    _ignored_text("PASSWORD", "password", _MAKES_CALLS, 12),
    Attribute("PROPCTL", "property_control", None, WORD, _SENDS, words=_PROPERTIES,
              default=properties.MQPROP_COMPATIBILITY),
    Attribute("PUTAUT", "put_authority", None, WORD, _RECEIVES,
              words=(("DEF", channels.MQPA_DEFAULT), ("CTX", channels.MQPA_CONTEXT)),
              default=channels.MQPA_DEFAULT),
    # Ours: the one queue manager that may be at the other end; blank: any.
    Attribute("QMNAME", "peer_q_mgr_name", None, NAME, _MOVES, maximum=48, default=""),
    Attribute("QMNAME", "peer_q_mgr_name", objects.MQCA_Q_MGR_NAME, NAME, _IS_CLIENT, maximum=48, default=""),
    _ignored_text("RCVDATA", "receive_user_data", _ALL, _LONG_LIST),
    _ignored_text("RCVEXIT", "receive_exit", _ALL, 0),
    _ignored_text("SCYDATA", "security_user_data", _ALL, 32),
    _ignored_text("SCYEXIT", "security_exit", _ALL, 0),
    _ignored_text("SENDDATA", "send_user_data", _ALL, _LONG_LIST),
    _ignored_text("SENDEXIT", "send_exit", _ALL, 0),
    Attribute("SEQWRAP", "sequence_number_wrap", None, INTEGER, _MOVES, minimum=100, default=999999999),
    Attribute("SHARECNV", "sharing_conversations", None, INTEGER, CLIENT_TYPES, default=10),
    Attribute("SHORTRTY", "short_retry_count", None, INTEGER, _SENDS, default=10),
    # Seconds.
    Attribute("SHORTTMR", "short_retry_interval", None, INTEGER, _SENDS, default=60),
    Attribute("SSLCAUTH", "ssl_client_auth", None, WORD, _ANSWERS, words=(("REQUIRED", 0),), default=0),
    Attribute("SSLCAUTH", "ssl_client_auth", None, WORD, _SERVES_CLIENTS,
              words=(("REQUIRED", cmqxc.MQSCA_REQUIRED), ("OPTIONAL", cmqxc.MQSCA_OPTIONAL)),
              default=cmqxc.MQSCA_REQUIRED),
    Attribute("SSLCIPH", "ssl_cipher_spec", None, TEXT, _ALL, maximum=40, default=""),
    Attribute("SSLPEER", "ssl_peer_name", None, TEXT, _ALL, maximum=1024, default=""),
    Attribute("STATCHL", "channel_statistics", None, WORD, _MOVES, words=_MONITORING, default=objects.MQMON_Q_MGR),
    _ignored_text("TPNAME", "tp_name", _MAKES_CALLS, 64),
    Attribute("TRPTYPE", "transport_type", None, WORD, _ALL, words=(("TCP", channels.MQXPT_TCP),),
              default=channels.MQXPT_TCP),
    Attribute("USEDLQ", "use_dead_letter_q", None, WORD, _MOVES, words=_NO_YES, default=1),
    _ignored_text("USERID", "user_identifier", _MAKES_CALLS, 12),
    Attribute("XMITQ", "xmit_q_name", objects.MQCA_XMIT_Q_NAME, NAME, _SENDS, maximum=48, default=""),
)  # fmt: skip

#: Keywords, separated by blanks, that are stored and displayed without any effect.
WITHOUT_EFFECT = (
    "AFFINITY BATCHHB BATCHINT CERTLABL CLNTWGHT COMPHDR COMPMSG DEFRECON DISCINT KAINT LOCLADDR LONGRTY LONGTMR "
    "MAXINST MAXINSTC MCANAME MCATYPE MODENAME MONCHL MRDATA MREXIT PASSWORD PROPCTL RCVDATA RCVEXIT SCYDATA "
    "SCYEXIT SENDDATA SENDEXIT SEQWRAP SHARECNV SHORTRTY SHORTTMR STATCHL TPNAME USERID"
)
