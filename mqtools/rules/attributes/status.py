"""Attributes of status and statistics: what commands show beside definitions. Dates and times are local, as in MQ."""

from __future__ import annotations

from mqtools.constants import administration as a
from mqtools.constants import cmqc, cmqzc, options
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.message import MQAT_USER
from mqtools.rules.attributes.channel import CHANNEL_TYPES
from mqtools.rules.attributes.table import INTEGER, TEXT, WORD, Attribute
from mqtools.rules.security import channel_authentication as chlauth
from mqtools.rules.security.authorities import AUTHORITIES, OBJECT_TYPES

_S, _H, _C, _CH, _CHS = ("QSTATUS",), ("QSTATUS HANDLE",), ("CONN",), ("CONN HANDLE",), ("CHSTATUS",)
_QM, _SUB, _AUTH, _CHA = ("QMSTATUS",), ("SUB",), ("AUTHREC", "ENTAUTH"), ("CHLAUTH",)
_NO_YES = (("NO", 0), ("YES", 1))
#: All connected programs are user programs: a queue manager has no processes of its own.
_APPL_TYPE = (("USER", MQAT_USER),)
_INPUT = (("NO", 0), ("SHARED", options.MQOO_INPUT_SHARED), ("EXCL", options.MQOO_INPUT_EXCLUSIVE))
_INPUT_NUMBERS = {
    0: c.MQQSO_NO,
    options.MQOO_INPUT_SHARED: c.MQQSO_SHARED,
    options.MQOO_INPUT_EXCLUSIVE: c.MQQSO_EXCLUSIVE,
}
#: State of a channel to its MQCHS. A batch in doubt is reported separately.
CHANNEL_STATES = {
    "inactive": a.MQCHS_INACTIVE,
    "binding": a.MQCHS_BINDING,
    "running": a.MQCHS_RUNNING,
    "retrying": a.MQCHS_RETRYING,
    "stopping": a.MQCHS_STOPPING,
    "stopped": a.MQCHS_STOPPED,
    "indoubt": a.MQCHS_INACTIVE,
}
CHLAUTH_TYPES: dict[str, int] = {
    chlauth.BLOCKUSER: c.MQCAUT_BLOCKUSER,
    chlauth.BLOCKADDR: c.MQCAUT_BLOCKADDR,
    chlauth.SSLPEERMAP: c.MQCAUT_SSLPEERMAP,
    chlauth.ADDRESSMAP: c.MQCAUT_ADDRESSMAP,
    chlauth.USERMAP: c.MQCAUT_USERMAP,
    chlauth.QMGRMAP: c.MQCAUT_QMGRMAP,
}
USER_SOURCES: dict[str, int] = {
    chlauth.MAP: cmqc.MQUSRC_MAP,
    chlauth.NOACCESS: cmqc.MQUSRC_NOACCESS,
    chlauth.CHANNEL: cmqc.MQUSRC_CHANNEL,
}
# MQSVC_STATUS values: they have no names in the constants.
_SERVICE = (("STOPPED", 0), ("RUNNING", 2))

ATTRIBUTES: tuple[Attribute, ...] = (
    # Status of queues.
    Attribute("QUEUE", "name", o.MQCA_Q_NAME, TEXT, _S),
    Attribute("TYPE", "status_type", c.MQIACF_Q_STATUS_TYPE, TEXT, _S, default="QUEUE",
              numbers={"QUEUE": c.MQIACF_Q_STATUS}),
    Attribute("CURDEPTH", "current_q_depth", o.MQIA_CURRENT_Q_DEPTH, INTEGER, _S),
    Attribute("IPPROCS", "open_input_count", o.MQIA_OPEN_INPUT_COUNT, INTEGER, _S),
    Attribute("LGETDATE", "last_get_date", c.MQCACF_LAST_GET_DATE, TEXT, _S),
    Attribute("LGETTIME", "last_get_time", c.MQCACF_LAST_GET_TIME, TEXT, _S),
    Attribute("LPUTDATE", "last_put_date", c.MQCACF_LAST_PUT_DATE, TEXT, _S),
    Attribute("LPUTTIME", "last_put_time", c.MQCACF_LAST_PUT_TIME, TEXT, _S),
    # Seconds since the put of the oldest message, whatever its state.
    Attribute("MSGAGE", "oldest_msg_age", c.MQIACF_OLDEST_MSG_AGE, INTEGER, _S),
    Attribute("OPPROCS", "open_output_count", o.MQIA_OPEN_OUTPUT_COUNT, INTEGER, _S),
    Attribute("UNCOM", "uncommitted_msgs", c.MQIACF_UNCOMMITTED_MSGS, INTEGER, _S, words=(("NO", 0),)),
    # Handles of queues.
    Attribute("QUEUE", "name", o.MQCA_Q_NAME, TEXT, _H),
    Attribute("TYPE", "status_type", c.MQIACF_Q_STATUS_TYPE, TEXT, _H, default="HANDLE",
              numbers={"HANDLE": c.MQIACF_Q_HANDLE}),
    Attribute("APPLTAG", "appl_tag", c.MQCACF_APPL_TAG, TEXT, _H),
    Attribute("APPLTYPE", "appl_type", o.MQIA_APPL_TYPE, WORD, _H, words=_APPL_TYPE),
    Attribute("BROWSE", "open_browse", c.MQIACF_OPEN_BROWSE, WORD, _H, words=_NO_YES),
    Attribute("CONN", "connection_id", None, TEXT, _H),
    Attribute("INPUT", "open_input_type", c.MQIACF_OPEN_INPUT_TYPE, WORD, _H, words=_INPUT, numbers=_INPUT_NUMBERS),
    Attribute("INQUIRE", "open_inquire", c.MQIACF_OPEN_INQUIRE, WORD, _H, words=_NO_YES),
    Attribute("OUTPUT", "open_output", c.MQIACF_OPEN_OUTPUT, WORD, _H, words=_NO_YES),
    Attribute("PID", "process_id", c.MQIACF_PROCESS_ID, INTEGER, _H),
    Attribute("SET", "open_set", c.MQIACF_OPEN_SET, WORD, _H, words=_NO_YES),
    Attribute("USERID", "user_identifier", c.MQCACF_USER_IDENTIFIER, TEXT, _H),
    # Connections.
    Attribute("CONN", "connection_id", c.MQBACF_CONNECTION_ID, TEXT, _C),
    Attribute("TYPE", "conn_info_type", c.MQIACF_CONN_INFO_TYPE, TEXT, _C, default="CONN",
              numbers={"CONN": c.MQIACF_CONN_INFO_CONN}),
    Attribute("APPLTAG", "appl_tag", c.MQCACF_APPL_TAG, TEXT, _C),
    Attribute("APPLTYPE", "appl_type", o.MQIA_APPL_TYPE, WORD, _C, words=_APPL_TYPE),
    Attribute("CHANNEL", "channel", c.MQCACH_CHANNEL_NAME, TEXT, _C),
    Attribute("CONNAME", "connection_name", c.MQCACH_CONNECTION_NAME, TEXT, _C),
    Attribute("PID", "process_id", c.MQIACF_PROCESS_ID, INTEGER, _C),
    Attribute("USERID", "user_identifier", c.MQCACF_USER_IDENTIFIER, TEXT, _C),
    # Handles of connections.
    Attribute("CONN", "connection_id", c.MQBACF_CONNECTION_ID, TEXT, _CH),
    Attribute("TYPE", "conn_info_type", c.MQIACF_CONN_INFO_TYPE, TEXT, _CH, default="HANDLE",
              numbers={"HANDLE": c.MQIACF_CONN_INFO_HANDLE}),
    Attribute("HSTATE", "handle_state", c.MQIACF_HANDLE_STATE, WORD, _CH, words=(("INACTIVE", 0), ("ACTIVE", 1)),
              default=0),
    Attribute("OBJNAME", "object_name", c.MQCACF_OBJECT_NAME, TEXT, _CH),
    Attribute("OBJTYPE", "object_type", c.MQIACF_OBJECT_TYPE, WORD, _CH, words=(("QUEUE", o.MQOT_Q),),
              default=o.MQOT_Q),
    Attribute("OPENOPTS", "open_options", c.MQIACF_OPEN_OPTIONS, INTEGER, _CH),
    # Status of channels. INDSEQNO is 0 if no batch is in doubt.
    Attribute("CHANNEL", "name", c.MQCACH_CHANNEL_NAME, TEXT, _CHS),
    Attribute("CHLTYPE", "type", c.MQIACH_CHANNEL_TYPE, TEXT, _CHS, numbers=dict(CHANNEL_TYPES)),
    Attribute("BATCHES", "batches", c.MQIACH_BATCHES, INTEGER, _CHS),
    Attribute("BYTSSENT", "bytes", c.MQIACH_BYTES_SENT, INTEGER, _CHS),
    Attribute("CONNAME", "connection_name", c.MQCACH_CONNECTION_NAME, TEXT, _CHS),
    Attribute("CURSEQNO", "sequence", c.MQIACH_CURRENT_SEQUENCE_NUMBER, INTEGER, _CHS),
    Attribute("INDOUBT", "indoubt", c.MQIACH_INDOUBT_STATUS, WORD, _CHS, words=_NO_YES),
    Attribute("INDSEQNO", "indoubt_sequence", None, INTEGER, _CHS),
    Attribute("LSTMSGDA", "last_message_date", c.MQCACH_LAST_MSG_DATE, TEXT, _CHS),
    Attribute("LSTMSGTI", "last_message_time", c.MQCACH_LAST_MSG_TIME, TEXT, _CHS),
    Attribute("MCAUSER", "mca_user", c.MQCACH_MCA_USER_ID, TEXT, _CHS),
    Attribute("MSGS", "messages", c.MQIACH_MSGS, INTEGER, _CHS),
    Attribute("BYTSRCVD", "bytes_received", c.MQIACH_BYTES_RCVD, INTEGER, _CHS),
    Attribute("CHSTADA", "start_date", c.MQCACH_CHANNEL_START_DATE, TEXT, _CHS),
    Attribute("CHSTATI", "start_time", c.MQCACH_CHANNEL_START_TIME, TEXT, _CHS),
    Attribute("CURSHCNV", "conversations", c.MQIACH_CURRENT_SHARING_CONVS, INTEGER, _CHS),
    Attribute("MAXSHCNV", "most_conversations", c.MQIACH_MAX_SHARING_CONVS, INTEGER, _CHS),
    Attribute("RAPPLTAG", "remote_appl_tag", c.MQCACH_REMOTE_APPL_TAG, TEXT, _CHS),
    Attribute("RQMNAME", "remote_q_mgr_name", o.MQCA_REMOTE_Q_MGR_NAME, TEXT, _CHS),
    Attribute("STATUS", "state", c.MQIACH_CHANNEL_STATUS, WORD, _CHS, numbers=CHANNEL_STATES,
              words=tuple((state.upper(), state) for state in CHANNEL_STATES)),
    Attribute("XMITQ", "xmit_q", c.MQCACH_XMIT_Q_NAME, TEXT, _CHS),
    Attribute("", "instance_type", c.MQIACH_CHANNEL_INSTANCE_TYPE, INTEGER, _CHS, default=o.MQOT_CURRENT_CHANNEL),
    # Status of the queue manager. The channel initiator is always stopped: each channel has its own process.
    Attribute("QMNAME", "q_mgr_name", o.MQCA_Q_MGR_NAME, TEXT, _QM),
    Attribute("STATUS", "state", c.MQIACF_Q_MGR_STATUS, WORD, _QM,
              words=(("RUNNING", c.MQQMSTA_RUNNING), ("QUIESCING", c.MQQMSTA_QUIESCING))),
    Attribute("CHINIT", "chinit_status", c.MQIACF_CHINIT_STATUS, WORD, _QM, words=_SERVICE, default=0),
    Attribute("CMDSERV", "command_server_status", c.MQIACF_CMD_SERVER_STATUS, WORD, _QM, words=_SERVICE, default=2),
    Attribute("CONNS", "connection_count", c.MQIACF_CONNECTION_COUNT, INTEGER, _QM),
    # Statistics of queues, since their last reset.
    Attribute("QUEUE", "name", o.MQCA_Q_NAME, TEXT, ("QSTATS",)),
    Attribute("", "msg_enq_count", o.MQIA_MSG_ENQ_COUNT, INTEGER, ("QSTATS",)),
    Attribute("", "msg_deq_count", o.MQIA_MSG_DEQ_COUNT, INTEGER, ("QSTATS",)),
    Attribute("", "high_q_depth", o.MQIA_HIGH_Q_DEPTH, INTEGER, ("QSTATS",)),
    Attribute("", "time_since_reset", o.MQIA_TIME_SINCE_RESET, INTEGER, ("QSTATS",)),
    # Subscriptions.
    Attribute("SUB", "sub", c.MQCACF_SUB_NAME, TEXT, _SUB),
    Attribute("", "sub_id", c.MQBACF_SUB_ID, TEXT, _SUB),
    Attribute("TOPICSTR", "topicstr", cmqc.MQCA_TOPIC_STRING, TEXT, _SUB),
    Attribute("DEST", "dest", c.MQCACF_DESTINATION, TEXT, _SUB),
    Attribute("DESTCLAS", "destclas", c.MQIACF_DESTINATION_CLASS, WORD, _SUB,
              words=(("MANAGED", cmqc.MQDC_MANAGED), ("PROVIDED", cmqc.MQDC_PROVIDED))),
    Attribute("DESTCORL", "destcorl", c.MQBACF_DESTINATION_CORREL_ID, TEXT, _SUB),
    Attribute("DURABLE", "durable", c.MQIACF_DURABLE_SUBSCRIPTION, WORD, _SUB,
              words=(("YES", cmqc.MQSUB_DURABLE_YES), ("NO", cmqc.MQSUB_DURABLE_NO))),
    Attribute("EXPIRY", "expiry", c.MQIACF_EXPIRY, WORD, _SUB, words=(("UNLIMITED", cmqc.MQEI_UNLIMITED),)),
    Attribute("SELECTOR", "selector", c.MQCACF_SUB_SELECTOR, TEXT, _SUB),
    Attribute("USERDATA", "userdata", c.MQCACF_SUB_USER_DATA, TEXT, _SUB),
    Attribute("WSCHEMA", "wschema", c.MQIACF_WILDCARD_SCHEMA, WORD, _SUB,
              words=(("CHAR", cmqc.MQWS_CHAR), ("TOPIC", cmqc.MQWS_TOPIC))),
    # Authority records, and what a user has by all of them.
    Attribute("PROFILE", "profile", c.MQCACF_AUTH_PROFILE_NAME, TEXT, ("AUTHREC",)),
    Attribute("OBJNAME", "name", c.MQCACF_OBJECT_NAME, TEXT, ("ENTAUTH",)),
    Attribute("ENTITY", "entity", c.MQCACF_ENTITY_NAME, TEXT, _AUTH),
    Attribute("ENTTYPE", "entity_type", c.MQIACF_ENTITY_TYPE, WORD, _AUTH,
              words=(("PRINCIPAL", cmqzc.MQZAET_PRINCIPAL), ("GROUP", cmqzc.MQZAET_GROUP))),
    Attribute("OBJTYPE", "object_type", c.MQIACF_OBJECT_TYPE, WORD, _AUTH, words=tuple(OBJECT_TYPES.items())),
    Attribute("AUTHLIST", "authorities", c.MQIACF_AUTHORIZATION_LIST, INTEGER, _AUTH,
              words=tuple(AUTHORITIES.items())),
    # Channel authentication records.
    Attribute("CHLAUTH", "profile", c.MQCACH_CHANNEL_NAME, TEXT, _CHA),
    Attribute("TYPE", "kind", c.MQIACF_CHLAUTH_TYPE, TEXT, _CHA, numbers=CHLAUTH_TYPES),
    Attribute("DESCR", "description", cmqc.MQCA_CHLAUTH_DESC, TEXT, _CHA),
    Attribute("ADDRLIST", "addresses", c.MQCACH_CONNECTION_NAME_LIST, TEXT, _CHA),
    Attribute("ADDRESS", "address", c.MQCACH_CONNECTION_NAME, TEXT, _CHA),
    Attribute("SSLPEER", "ssl_peer_name", c.MQCACH_SSL_PEER_NAME, TEXT, _CHA),
    Attribute("QMNAME", "q_mgr_name", o.MQCA_REMOTE_Q_MGR_NAME, TEXT, _CHA),
    Attribute("CLNTUSER", "client_user", c.MQCACH_CLIENT_USER_ID, TEXT, _CHA),
    Attribute("USERLIST", "users", c.MQCACH_MCA_USER_ID_LIST, TEXT, _CHA),
    Attribute("USERSRC", "user_source", c.MQIACH_USER_SOURCE, TEXT, _CHA, numbers=USER_SOURCES),
    Attribute("MCAUSER", "mca_user", c.MQCACH_MCA_USER_ID, TEXT, _CHA),
    Attribute("WARN", "warns", c.MQIACH_WARNING, WORD, _CHA, words=_NO_YES),
    Attribute("ALTDATE", "alteration_date", o.MQCA_ALTERATION_DATE, TEXT, _CHA),
    Attribute("ALTTIME", "alteration_time", o.MQCA_ALTERATION_TIME, TEXT, _CHA),
    # Lists of names, each in one reply.
    Attribute("", "names", c.MQCACF_Q_NAMES, TEXT, ("QUEUE NAMES",)),
    Attribute("", "types", c.MQIACF_Q_TYPES, INTEGER, ("QUEUE NAMES",)),
    Attribute("", "names", c.MQCACH_CHANNEL_NAMES, TEXT, ("CHANNEL NAMES",)),
    Attribute("", "types", c.MQIACH_CHANNEL_TYPES, INTEGER, ("CHANNEL NAMES",)),
)  # fmt: skip

#: Keywords that are stored and displayed without any effect.
WITHOUT_EFFECT = ""
