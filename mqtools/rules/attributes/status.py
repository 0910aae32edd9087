"""Attributes of status and statistics, which commands show. Dates and times are local, as in MQ."""

from __future__ import annotations

from mqtools.constants import administration as a
from mqtools.constants import cmqc, cmqzc, message, options
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.channels import MQNPMS_FAST, MQNPMS_NORMAL
from mqtools.rules.attributes.channel import CHANNEL_TYPES
from mqtools.rules.attributes.table import INTEGER, TEXT, WORD, Attribute, status_type
from mqtools.rules.attributes.words import MONITORING, NO_YES
from mqtools.rules.security import channel_authentication as chlauth
from mqtools.rules.security.authorities import AUTHORITIES, OBJECT_TYPES

_S, _H, _C, _CH, _CHS = ("QSTATUS",), ("QSTATUS HANDLE",), ("CONN",), ("CONN HANDLE",), ("CHSTATUS",)
_AP, _AQ, _AL = ("APSTATUS",), ("APSTATUS QMGR",), ("APSTATUS LOCAL",)
_QM, _AUTH, _CHA = ("QMSTATUS",), ("AUTHREC", "ENTAUTH"), ("CHLAUTH",)
_APPL_TYPES = tuple(
    (name.removeprefix("MQAT_"), number)
    for name, number in reversed(vars(message).items())
    if name.startswith("MQAT_") and name not in ("MQAT_USER_FIRST", "MQAT_USER_LAST", "MQAT_DEFAULT")
)
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
#: CHCKCLNT of a channel authentication record: words and MQCHK_*.
CHLAUTH_CHECKS = (
    ("ASQMGR", c.MQCHK_AS_Q_MGR), ("REQUIRED", c.MQCHK_REQUIRED), ("REQDADM", c.MQCHK_REQUIRED_ADMIN),
)  # fmt: skip
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
    status_type("status_type", c.MQIACF_Q_STATUS_TYPE, _S, "QUEUE", c.MQIACF_Q_STATUS),
    Attribute("CURDEPTH", "current_q_depth", o.MQIA_CURRENT_Q_DEPTH, INTEGER, _S),
    Attribute("IPPROCS", "open_input_count", o.MQIA_OPEN_INPUT_COUNT, INTEGER, _S),
    Attribute("LGETDATE", "last_get_date", c.MQCACF_LAST_GET_DATE, TEXT, _S),
    Attribute("LGETTIME", "last_get_time", c.MQCACF_LAST_GET_TIME, TEXT, _S),
    Attribute("LPUTDATE", "last_put_date", c.MQCACF_LAST_PUT_DATE, TEXT, _S),
    Attribute("LPUTTIME", "last_put_time", c.MQCACF_LAST_PUT_TIME, TEXT, _S),
    # Seconds since the put of the oldest message in any state.
    Attribute("MSGAGE", "oldest_msg_age", c.MQIACF_OLDEST_MSG_AGE, INTEGER, _S),
    Attribute("OPPROCS", "open_output_count", o.MQIA_OPEN_OUTPUT_COUNT, INTEGER, _S),
    Attribute("UNCOM", "uncommitted_msgs", c.MQIACF_UNCOMMITTED_MSGS, INTEGER, _S, words=(("NO", 0),)),
    Attribute("MONQ", "monitoring_q", o.MQIA_MONITORING_Q, WORD, _S, words=MONITORING),
    # Microseconds, averages of the latest messages and of more of them; blank: none, or MONQ is off.
    Attribute("QTIME", "q_time", c.MQIACF_Q_TIME_INDICATOR, INTEGER, _S, words=(("", o.MQMON_NOT_AVAILABLE),),
              many=True),
    # Megabytes, rounded up: the file with all queues, and how large it can grow on its disk.
    Attribute("CURFSIZE", "file_size", c.MQIACF_CUR_Q_FILE_SIZE, INTEGER, _S),
    Attribute("CURMAXFS", "most_file_size", c.MQIACF_CUR_MAX_FILE_SIZE, INTEGER, _S),
    # Of a linear log, which there is not.
    Attribute("MEDIALOG", "media_log", c.MQCACF_MEDIA_LOG_EXTENT_NAME, TEXT, _S, default=""),
    # Handles of queues.
    Attribute("QUEUE", "name", o.MQCA_Q_NAME, TEXT, _H),
    status_type("status_type", c.MQIACF_Q_STATUS_TYPE, _H, "HANDLE", c.MQIACF_Q_HANDLE),
    Attribute("BROWSE", "open_browse", c.MQIACF_OPEN_BROWSE, WORD, _H, words=NO_YES),
    Attribute("INPUT", "open_input_type", c.MQIACF_OPEN_INPUT_TYPE, WORD, _H, words=_INPUT, numbers=_INPUT_NUMBERS),
    Attribute("INQUIRE", "open_inquire", c.MQIACF_OPEN_INQUIRE, WORD, _H, words=NO_YES),
    Attribute("OUTPUT", "open_output", c.MQIACF_OPEN_OUTPUT, WORD, _H, words=NO_YES),
    Attribute("SET", "open_set", c.MQIACF_OPEN_SET, WORD, _H, words=NO_YES),
    # Connections, and their handles.
    Attribute("CONN", "connection_id", None, TEXT, _H),
    Attribute("CONN", "connection_id", c.MQBACF_CONNECTION_ID, TEXT, _C + _CH),
    status_type("conn_info_type", c.MQIACF_CONN_INFO_TYPE, _C, "CONN", c.MQIACF_CONN_INFO_CONN),
    status_type("conn_info_type", c.MQIACF_CONN_INFO_TYPE, _CH, "HANDLE", c.MQIACF_CONN_INFO_HANDLE),
    Attribute("APPLDESC", "appl_desc", c.MQCACF_APPL_DESC, TEXT, _H + _C, default=""),
    Attribute("APPLTAG", "appl_tag", c.MQCACF_APPL_TAG, TEXT, _H + _C),
    Attribute("APPLTYPE", "appl_type", o.MQIA_APPL_TYPE, WORD, _H + _C, words=_APPL_TYPES),
    # A consumer is not recorded.
    Attribute("ASTATE", "async_state", c.MQIACF_ASYNC_STATE, WORD, _H + _C + _CH, words=(("NONE", c.MQAS_NONE),),
              default=c.MQAS_NONE),
    Attribute("CHANNEL", "channel", c.MQCACH_CHANNEL_NAME, TEXT, _H + _C),
    Attribute("CONNAME", "connection_name", c.MQCACH_CONNECTION_NAME, TEXT, _H + _C),
    Attribute("CONNOPTS", "connect_options", c.MQIACF_CONNECT_OPTIONS, INTEGER, _C, default=0),
    # Whether a call waits.
    Attribute("HSTATE", "handle_state", c.MQIACF_HANDLE_STATE, WORD, _H + _CH, default=c.MQHSTATE_INACTIVE,
              words=(("INACTIVE", c.MQHSTATE_INACTIVE), ("ACTIVE", c.MQHSTATE_ACTIVE))),
    Attribute("PID", "process_id", c.MQIACF_PROCESS_ID, INTEGER, _H + _C),
    Attribute("TID", "thread_id", c.MQIACF_THREAD_ID, INTEGER, _H + _C),
    Attribute("QMURID", "uow_id", c.MQBACF_Q_MGR_UOW_ID, TEXT, _H + _C),
    Attribute("EXTURID", "external_uow_id", c.MQBACF_EXTERNAL_UOW_ID, TEXT, _H + _C, default="0" * 16),
    Attribute("UOWSTATE", "uow_state", c.MQIACF_UOW_STATE, WORD, _C,
              words=(("NONE", c.MQUOWST_NONE), ("ACTIVE", c.MQUOWST_ACTIVE), ("PREPARED", c.MQUOWST_PREPARED))),
    Attribute("UOWSTDA", "uow_start_date", c.MQCACF_UOW_START_DATE, TEXT, _C),
    Attribute("UOWSTTI", "uow_start_time", c.MQCACF_UOW_START_TIME, TEXT, _C),
    Attribute("UOWLOG", "uow_log", c.MQCACF_UOW_LOG_EXTENT_NAME, TEXT, _C, default=""),
    Attribute("URTYPE", "uow_type", c.MQIACF_UOW_TYPE, WORD, _H + _C,
              words=(("QMGR", c.MQUOWT_Q_MGR), ("XA", c.MQUOWT_XA)), default=c.MQUOWT_Q_MGR),
    Attribute("USERID", "user_identifier", c.MQCACF_USER_IDENTIFIER, TEXT, _H + _C),
    Attribute("DEST", "destination", c.MQCACF_DESTINATION, TEXT, _CH, default=""),
    Attribute("OBJNAME", "object_name", c.MQCACF_OBJECT_NAME, TEXT, _CH),
    Attribute("OBJTYPE", "object_type", c.MQIACF_OBJECT_TYPE, WORD, _CH,
              words=(("QUEUE", o.MQOT_Q), ("TOPIC", o.MQOT_TOPIC))),
    Attribute("OPENOPTS", "open_options", c.MQIACF_OPEN_OPTIONS, INTEGER, _CH),
    Attribute("", "open_options", c.MQIACF_OPEN_OPTIONS, INTEGER, _H),
    Attribute("SUBNAME", "subscription_name", c.MQCACF_SUB_NAME, TEXT, _CH, default=""),
    Attribute("TOPICSTR", "topic_string", cmqc.MQCA_TOPIC_STRING, TEXT, _CH, default=""),
    # Applications. None is moved to another queue manager: there are no uniform clusters.
    Attribute("APPLNAME", "application", c.MQCACF_APPL_NAME, TEXT, _AP + _AQ + _AL),
    status_type("appl_info_type", c.MQIACF_APPL_INFO_TYPE, _AP, "APPL", c.MQIACF_APPL_INFO_APPL),
    status_type("appl_info_type", c.MQIACF_APPL_INFO_TYPE, _AQ, "QMGR", c.MQIACF_APPL_INFO_QMGR),
    status_type("appl_info_type", c.MQIACF_APPL_INFO_TYPE, _AL, "LOCAL", c.MQIACF_APPL_INFO_LOCAL),
    Attribute("CLUSTER", "cluster_name", cmqc.MQCA_CLUSTER_NAME, TEXT, _AP, default=""),
    Attribute("QMNAME", "q_mgr_name", o.MQCA_Q_MGR_NAME, TEXT, _AQ),
    Attribute("QMID", "q_mgr_identifier", o.MQCA_Q_MGR_IDENTIFIER, TEXT, _AQ),
    Attribute("COUNT", "count", c.MQIACF_APPL_COUNT, INTEGER, _AP + _AQ),
    Attribute("CONNS", "connections", c.MQIACF_CONNECTION_COUNT, INTEGER, _AL),
    Attribute("PID", "process_id", c.MQIACF_PROCESS_ID, INTEGER, _AL),
    Attribute("MOVCOUNT", "movable", c.MQIACF_MOVABLE_APPL_COUNT, INTEGER, _AP + _AQ, default=0),
    Attribute("BALANCED", "balanced", c.MQIACF_BALANCED, WORD, _AP, default=c.MQBALANCED_NOT_APPLICABLE,
              words=(("NOTAPPLIC", c.MQBALANCED_NOT_APPLICABLE),)),
    Attribute("BALSTATE", "balance_state", c.MQIACF_BALSTATE, WORD, _AQ, default=c.MQBALSTATE_NOT_APPLICABLE,
              words=(("NOTAPPLIC", c.MQBALSTATE_NOT_APPLICABLE),)),
    Attribute("MOVABLE", "is_movable", c.MQIACF_APPL_MOVABLE, WORD, _AL, default=0, words=NO_YES),
    # Status of channels. INDSEQNO is 0 if no batch is in doubt.
    Attribute("CHANNEL", "name", c.MQCACH_CHANNEL_NAME, TEXT, _CHS),
    Attribute("CHLTYPE", "type", c.MQIACH_CHANNEL_TYPE, TEXT, _CHS, numbers=dict(CHANNEL_TYPES)),
    Attribute("BATCHES", "batches", c.MQIACH_BATCHES, INTEGER, _CHS),
    Attribute("BATCHSZ", "batch_size", c.MQIACH_BATCH_SIZE, INTEGER, _CHS),
    # Writes to and reads from the network.
    Attribute("BUFSRCVD", "buffers_received", c.MQIACH_BUFFERS_RCVD, INTEGER, _CHS),
    Attribute("BUFSSENT", "buffers_sent", c.MQIACH_BUFFERS_SENT, INTEGER, _CHS),
    Attribute("BYTSRCVD", "bytes_received", c.MQIACH_BYTES_RCVD, INTEGER, _CHS),
    Attribute("BYTSSENT", "bytes_sent", c.MQIACH_BYTES_SENT, INTEGER, _CHS),
    Attribute("CHSTADA", "channel_start_date", c.MQCACH_CHANNEL_START_DATE, TEXT, _CHS),
    Attribute("CHSTATI", "channel_start_time", c.MQCACH_CHANNEL_START_TIME, TEXT, _CHS),
    Attribute("CURLUWID", "current_luwid", c.MQCACH_CURRENT_LUWID, TEXT, _CHS),
    Attribute("CURMSGS", "current_messages", c.MQIACH_CURRENT_MSGS, INTEGER, _CHS),
    Attribute("CONNAME", "connection_name", c.MQCACH_CONNECTION_NAME, TEXT, _CHS),
    Attribute("CURSEQNO", "sequence", c.MQIACH_CURRENT_SEQUENCE_NUMBER, INTEGER, _CHS),
    Attribute("INDOUBT", "indoubt", c.MQIACH_INDOUBT_STATUS, WORD, _CHS, words=NO_YES),
    Attribute("INDSEQNO", "indoubt_sequence", None, INTEGER, _CHS),
    Attribute("HBINT", "heartbeat_interval", c.MQIACH_HB_INTERVAL, INTEGER, _CHS),
    Attribute("JOBNAME", "job_name", c.MQCACH_MCA_JOB_NAME, TEXT, _CHS),
    Attribute("LOCLADDR", "local_address", c.MQCACH_LOCAL_ADDRESS, TEXT, _CHS, default=""),
    Attribute("LONGRTS", "long_retry_count", c.MQIACH_LONG_RETRIES_LEFT, INTEGER, _CHS),
    Attribute("LSTLUWID", "last_luwid", c.MQCACH_LAST_LUWID, TEXT, _CHS),
    Attribute("LSTMSGDA", "last_message_date", c.MQCACH_LAST_MSG_DATE, TEXT, _CHS),
    Attribute("LSTMSGTI", "last_message_time", c.MQCACH_LAST_MSG_TIME, TEXT, _CHS),
    Attribute("LSTSEQNO", "last_sequence", c.MQIACH_LAST_SEQUENCE_NUMBER, INTEGER, _CHS),
    Attribute("MAXMSGL", "max_msg_length", c.MQIACH_MAX_MSG_LENGTH, INTEGER, _CHS),
    Attribute("MCASTAT", "mca_status", c.MQIACH_MCA_STATUS, WORD, _CHS,
              words=(("STOPPED", c.MQMCAS_STOPPED), ("RUNNING", c.MQMCAS_RUNNING))),
    Attribute("MCAUSER", "mca_user", c.MQCACH_MCA_USER_ID, TEXT, _CHS),
    Attribute("MONCHL", "monitoring", cmqc.MQIA_MONITORING_CHANNEL, WORD, _CHS, words=MONITORING),
    Attribute("MSGS", "messages", c.MQIACH_MSGS, INTEGER, _CHS),
    Attribute("CURSHCNV", "conversations", c.MQIACH_CURRENT_SHARING_CONVS, INTEGER, _CHS),
    Attribute("MAXSHCNV", "most_conversations", c.MQIACH_MAX_SHARING_CONVS, INTEGER, _CHS),
    Attribute("NPMSPEED", "nonpersistent_msg_speed", c.MQIACH_NPM_SPEED, WORD, _CHS,
              words=(("NORMAL", MQNPMS_NORMAL), ("FAST", MQNPMS_FAST))),
    Attribute("RAPPLTAG", "remote_appl_tag", c.MQCACH_REMOTE_APPL_TAG, TEXT, _CHS),
    Attribute("RQMNAME", "remote_q_mgr_name", o.MQCA_REMOTE_Q_MGR_NAME, TEXT, _CHS),
    Attribute("SHORTRTS", "short_retry_count", c.MQIACH_SHORT_RETRIES_LEFT, INTEGER, _CHS),
    Attribute("SSLCIPH", "ssl_cipher_spec", c.MQCACH_SSL_CIPHER_SPEC, TEXT, _CHS),
    # The keys of a session stay.
    Attribute("SSLRKEYS", "ssl_key_resets", c.MQIACH_SSL_KEY_RESETS, INTEGER, _CHS, default=0),
    Attribute("STOPREQ", "stop_requested", c.MQIACH_STOP_REQUESTED, WORD, _CHS, words=NO_YES),
    Attribute("SUBSTATE", "substate", c.MQIACH_CHANNEL_SUBSTATE, WORD, _CHS,
              words=(("", c.MQCHSSTATE_OTHER), ("RECEIVE", c.MQCHSSTATE_RECEIVING), ("MQGET", c.MQCHSSTATE_IN_MQGET),
                     ("NETCONNECT", c.MQCHSSTATE_NET_CONNECTING))),
    Attribute("XQMSGSA", "xmit_q_messages", c.MQIACH_XMITQ_MSGS_AVAILABLE, INTEGER, _CHS),
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
    Attribute("HOSTNAME", "host_name", c.MQCACF_HOST_NAME, TEXT, _QM),
    Attribute("INSTNAME", "installation_name", cmqc.MQCA_INSTALLATION_NAME, TEXT, _QM, default="mqx"),
    Attribute("INSTPATH", "installation_path", cmqc.MQCA_INSTALLATION_PATH, TEXT, _QM),
    Attribute("LDAPCONN", "ldap_connection_status", c.MQIACF_LDAP_CONNECTION_STATUS, WORD, _QM,
              words=(("INACTIVE", c.MQLDAPC_INACTIVE),), default=c.MQLDAPC_INACTIVE),
    Attribute("LOGPATH", "log_path", c.MQCACF_LOG_PATH, TEXT, _QM),
    Attribute("STANDBY", "permit_standby", c.MQIACF_PERMIT_STANDBY, WORD, _QM,
              words=(("NOPERMIT", c.MQSTDBY_NOT_PERMITTED),), default=c.MQSTDBY_NOT_PERMITTED),
    Attribute("STARTDA", "start_date", c.MQCACF_Q_MGR_START_DATE, TEXT, _QM),
    Attribute("STARTTI", "start_time", c.MQCACF_Q_MGR_START_TIME, TEXT, _QM),
    # The authorization service.
    Attribute("IFVERSION", "interface_versions", c.MQIACF_INTERFACE_VERSION, INTEGER, ("AUTHSERV",), many=True),
    Attribute("SERVCOMP", "component", c.MQCACF_SERVICE_COMPONENT, TEXT, ("AUTHSERV",)),
    Attribute("UIDSUPP", "user_id_support", c.MQIACF_USER_ID_SUPPORT, WORD, ("AUTHSERV",), words=NO_YES,
              default=c.MQUIDSUPP_YES),
    # Statistics of queues, since their last reset.
    Attribute("QUEUE", "name", o.MQCA_Q_NAME, TEXT, ("QSTATS",)),
    Attribute("", "msg_enq_count", o.MQIA_MSG_ENQ_COUNT, INTEGER, ("QSTATS",)),
    Attribute("", "msg_deq_count", o.MQIA_MSG_DEQ_COUNT, INTEGER, ("QSTATS",)),
    Attribute("", "high_q_depth", o.MQIA_HIGH_Q_DEPTH, INTEGER, ("QSTATS",)),
    Attribute("", "time_since_reset", o.MQIA_TIME_SINCE_RESET, INTEGER, ("QSTATS",)),
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
    Attribute("CHCKCLNT", "check_client", cmqc.MQIA_CHECK_CLIENT_BINDING, WORD, _CHA, words=CHLAUTH_CHECKS),
    Attribute("WARN", "warns", c.MQIACH_WARNING, WORD, _CHA, words=NO_YES),
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
