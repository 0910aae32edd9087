"""Attributes of the queue manager, with the defaults of a new distributed one."""

from __future__ import annotations

from mqtools.constants import administration, cmqc, cmqcfc, objects
from mqtools.rules.attributes.table import INTEGER, NAME, SWITCH, TEXT, WORD, Attribute, any_value
from mqtools.rules.attributes.words import EVENT, NO_YES

_Q = ("QMGR", "QMGR ALL")
#: Attributes that are the same for all queue managers: they are shown, and no part of the definition.
_FIXED = ("QMGR ALL",)
_OR_EXCEPTION = (*EVENT, ("EXCEPTION", administration.MQEVR_EXCEPTION))
_OR_NODISPLAY = (*EVENT, ("NODISPLAY", administration.MQEVR_NO_DISPLAY))
# MQPL values: UNIX and z/OS.
_MONITORING = (
    ("QMGR", cmqc.MQMON_Q_MGR), ("NONE", cmqc.MQMON_NONE), ("OFF", cmqc.MQMON_OFF), ("LOW", cmqc.MQMON_LOW),
    ("MEDIUM", cmqc.MQMON_MEDIUM), ("HIGH", cmqc.MQMON_HIGH),
)  # fmt: skip
#: Functions that a queue manager has: those of IBM MQ 9.4.
COMMAND_LEVEL = 940
_ON_OFF = (("ON", objects.MQMON_ON), ("OFF", objects.MQMON_OFF))
_NONE_ON_OFF = (("NONE", cmqc.MQMON_NONE), *_ON_OFF)
#: The longest interval of statistics and accounting, in seconds.
_LONGEST_INTERVAL = 604800
_PLATFORM = (("UNIX", 3), ("MVS", 1))

#: One row an attribute. A queue manager has no others.
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("QMNAME", "q_mgr_name", objects.MQCA_Q_MGR_NAME, NAME, _Q, minimum=1, maximum=48, settable=False),
    Attribute("ACCTCONO", "accounting_conn_override", cmqc.MQIA_ACCOUNTING_CONN_OVERRIDE, WORD, _Q,
              words=(("ENABLED", cmqc.MQMON_ENABLED), ("DISABLED", cmqc.MQMON_DISABLED)), default=cmqc.MQMON_DISABLED),
    # Seconds; 0: accounting records are written at MQDISC only.
    Attribute("ACCTINT", "accounting_interval", cmqc.MQIA_ACCOUNTING_INTERVAL, INTEGER, _Q, maximum=_LONGEST_INTERVAL,
              default=1800),
    Attribute("ACCTMQI", "accounting_mqi", cmqc.MQIA_ACCOUNTING_MQI, WORD, _Q, words=_ON_OFF, default=cmqc.MQMON_OFF),
    Attribute("ACCTQ", "accounting_q", objects.MQIA_ACCOUNTING_Q, WORD, _Q, words=_NONE_ON_OFF,
              default=cmqc.MQMON_OFF),
    Attribute("ALTDATE", "alteration_date", objects.MQCA_ALTERATION_DATE, TEXT, _Q, maximum=12, settable=False),
    Attribute("ALTTIME", "alteration_time", objects.MQCA_ALTERATION_TIME, TEXT, _Q, maximum=8, settable=False),
    # Ours: whose authorities are checked (mqi/authority.py). Not in PCF.
    Attribute("AUTHCHK", "authority_check", None, WORD, _Q, words=(("CHANNELS", 0), ("ALL", 1)), default=0,
              local_only=any_value),
    Attribute("AUTHOREV", "authority_event", objects.MQIA_AUTHORITY_EVENT, WORD, _Q, words=EVENT, default=0),
    Attribute("CCSID", "coded_char_set_id", objects.MQIA_CODED_CHAR_SET_ID, INTEGER, _Q, minimum=1, maximum=65535,
              default=1208),
    # Of a certificate that a client connection has.
    Attribute("CERTLABL", "certificate_label", cmqc.MQCA_CERT_LABEL, TEXT, _Q, maximum=64, default=""),
    # Whether channel authentication records are in force.
    Attribute("CHLAUTH", "channel_authentication", cmqc.MQIA_CHLAUTH_RECORDS, WORD, _Q, owner_only=True,
              words=(("ENABLED", cmqcfc.MQCHLA_ENABLED), ("DISABLED", cmqcfc.MQCHLA_DISABLED)),
              default=cmqcfc.MQCHLA_ENABLED),
    Attribute("CHLEV", "channel_event", objects.MQIA_CHANNEL_EVENT, WORD, _Q, words=_OR_EXCEPTION, default=0),
    Attribute("CMDEV", "command_event", cmqc.MQIA_COMMAND_EVENT, WORD, _Q, words=_OR_NODISPLAY, default=0),
    Attribute("CMDLEVEL", "command_level", objects.MQIA_COMMAND_LEVEL, INTEGER, _Q, default=COMMAND_LEVEL,
              settable=False),
    Attribute("CONFIGEV", "configuration_event", cmqc.MQIA_CONFIGURATION_EVENT, WORD, _Q, words=EVENT, default=0),
    # Counts from REFRESH SECURITY TYPE(CONNAUTH) on; blank: passwords are not verified.
    Attribute("CONNAUTH", "conn_auth", objects.MQCA_CONN_AUTH, NAME, _Q, maximum=48, owner_only=True,
              default=objects.DEFAULT_AUTH_INFO),
    Attribute("CRDATE", "creation_date", objects.MQCA_CREATION_DATE, TEXT, _Q, maximum=12, settable=False),
    Attribute("CRTIME", "creation_time", objects.MQCA_CREATION_TIME, TEXT, _Q, maximum=8, settable=False),
    Attribute("CUSTOM", "custom", objects.MQCA_CUSTOM, TEXT, _Q, maximum=128, default=""),
    Attribute("DEADQ", "dead_letter_q_name", objects.MQCA_DEAD_LETTER_Q_NAME, NAME, _Q, maximum=48, default=""),
    Attribute("DEFXMITQ", "def_xmit_q_name", objects.MQCA_DEF_XMIT_Q_NAME, NAME, _Q, maximum=48, default=""),
    Attribute("DESCR", "q_mgr_desc", objects.MQCA_Q_MGR_DESC, TEXT, _Q, maximum=64, default=""),
    Attribute("DISTL", "dist_lists", objects.MQIA_DIST_LISTS, WORD, _Q, words=NO_YES,
              default=objects.MQDL_SUPPORTED, settable=False),
    # Seconds.
    Attribute("EXPRYINT", "expiry_interval", objects.MQIA_EXPIRY_INTERVAL, INTEGER, _Q, minimum=1, maximum=99999999,
              words=(("OFF", objects.MQEXPI_OFF),), default=objects.MQEXPI_OFF, synonyms=("EXPIRYINT",)),
    Attribute("INHIBTEV", "inhibit_event", objects.MQIA_INHIBIT_EVENT, WORD, _Q, words=EVENT, default=0),
    # Ours: how long the journal is kept, in seconds, and how many bytes of it.
    Attribute("JRNLAGE", "journal_age_s", None, INTEGER, _Q, words=(("NOLIMIT", -1),), default=604800),
    Attribute("JRNLSIZE", "journal_size_bytes", None, INTEGER, _Q, maximum=1 << 50, words=(("NOLIMIT", -1),),
              default=268435456),
    Attribute("LOCALEV", "local_event", objects.MQIA_LOCAL_EVENT, WORD, _Q, words=EVENT, default=0),
    # Milliseconds (MARK-24).
    Attribute("MARKINT", "msg_mark_browse_interval", objects.MQIA_MSG_MARK_BROWSE_INTERVAL, INTEGER, _Q,
              words=(("NOLIMIT", objects.MQMMBI_UNLIMITED),), default=5000),
    Attribute("MAXHANDS", "max_handles", objects.MQIA_MAX_HANDLES, INTEGER, _Q, minimum=1, default=256),
    Attribute("MAXMSGL", "max_msg_length", objects.MQIA_MAX_MSG_LENGTH, INTEGER, _Q, minimum=32768, maximum=104857600,
              default=4194304),
    Attribute("MAXPROPL", "max_properties_length", objects.MQIA_MAX_PROPERTIES_LENGTH, INTEGER, _Q, maximum=104857600,
              words=(("NOLIMIT", -1),), default=-1),
    Attribute("MAXPRTY", "max_priority", objects.MQIA_MAX_PRIORITY, INTEGER, _Q, default=9, settable=False),
    Attribute("MAXUMSGS", "max_uncommitted_msgs", objects.MQIA_MAX_UNCOMMITTED_MSGS, INTEGER, _Q, minimum=1,
              default=10000),
    *(
        Attribute(keyword, name, selector, WORD, _Q, words=words, default=default)
        for keyword, name, selector, words, default in (
            ("MONACLS", "monitoring_acls", cmqc.MQIA_MONITORING_AUTO_CLUSSDR, _MONITORING, cmqc.MQMON_Q_MGR),
            ("MONCHL", "monitoring_channel", cmqc.MQIA_MONITORING_CHANNEL, _MONITORING[1:], cmqc.MQMON_OFF),
            ("MONQ", "monitoring_q", objects.MQIA_MONITORING_Q, _MONITORING[1:], cmqc.MQMON_OFF),
        )
    ),
    Attribute("PERFMEV", "performance_event", objects.MQIA_PERFORMANCE_EVENT, WORD, _Q, words=EVENT, default=0),
    Attribute("PLATFORM", "platform", objects.MQIA_PLATFORM, WORD, _Q, words=_PLATFORM, default=3, settable=False),
    # Ours: chosen when the queue manager is created.
    Attribute("PROFILE", "profile", None, WORD, _Q, words=(("DISTRIBUTED", "distributed"), ("ZOS", "zos")),
              default="distributed", settable=False),
    Attribute("PSMODE", "pub_sub_mode", cmqc.MQIA_PUBSUB_MODE, WORD, _Q, default=cmqc.MQPSM_ENABLED,
              words=(("DISABLED", cmqc.MQPSM_DISABLED), ("COMPAT", cmqc.MQPSM_COMPAT),
                     ("ENABLED", cmqc.MQPSM_ENABLED))),
    Attribute("QMID", "q_mgr_identifier", objects.MQCA_Q_MGR_IDENTIFIER, TEXT, _Q, maximum=48, settable=False),
    # Ours: whether commands that a channel brings are carried out (remote_commands.py). Not in PCF.
    Attribute("RCMDS", "remote_commands", None, WORD, _Q, words=NO_YES, default=0,
              local_only=any_value),
    Attribute("REMOTEEV", "remote_event", objects.MQIA_REMOTE_EVENT, WORD, _Q, words=EVENT, default=0),
    Attribute("SSLEV", "ssl_event", cmqc.MQIA_SSL_EVENT, WORD, _Q, words=EVENT, default=0),
    Attribute("SSLKEYR", "ssl_key_repository", cmqc.MQCA_SSL_KEY_REPOSITORY, TEXT, _Q, maximum=256, default="",
              local_only=any_value),
    Attribute("STATCHL", "statistics_channel", cmqc.MQIA_STATISTICS_CHANNEL, WORD, _Q, words=_MONITORING[1:],
              default=cmqc.MQMON_OFF),
    # Seconds; 0: RESET QMGR and the end of the queue manager write statistics records, nothing else does.
    Attribute("STATINT", "statistics_interval", cmqc.MQIA_STATISTICS_INTERVAL, INTEGER, _Q, maximum=_LONGEST_INTERVAL,
              default=1800),
    Attribute("STATMQI", "statistics_mqi", cmqc.MQIA_STATISTICS_MQI, WORD, _Q, words=_ON_OFF, default=cmqc.MQMON_OFF),
    Attribute("STATQ", "statistics_q", objects.MQIA_STATISTICS_Q, WORD, _Q, words=_NONE_ON_OFF,
              default=cmqc.MQMON_OFF),
    Attribute("STRSTPEV", "start_stop_event", objects.MQIA_START_STOP_EVENT, WORD, _Q, words=EVENT, default=1),
    Attribute("SYNCPT", "sync_point", objects.MQIA_SYNCPOINT, SWITCH, _Q,
              words=(("SYNCPT", objects.MQSP_AVAILABLE),), default=objects.MQSP_AVAILABLE, settable=False),
    # Seconds.
    Attribute("TREELIFE", "tree_life_time", cmqc.MQIA_TREE_LIFE_TIME, INTEGER, _Q, maximum=604000, default=1800),
    # Milliseconds.
    Attribute("TRIGINT", "trigger_interval", objects.MQIA_TRIGGER_INTERVAL, INTEGER, _Q, default=999999999),
    Attribute("COMMANDQ", "command_input_q_name", objects.MQCA_COMMAND_INPUT_Q_NAME, NAME, _FIXED,
              default=objects.COMMAND_QUEUE, settable=False, stored=False),
    # There is no limit.
    Attribute("MAXCHL", "max_channels", cmqc.MQIA_MAX_CHANNELS, INTEGER, _FIXED, default=999999999, settable=False,
              stored=False),
    Attribute("VERSION", "version", objects.MQCA_VERSION, TEXT, _FIXED, default="09040000", settable=False,
              stored=False),
)  # fmt: skip

#: Keywords, separated by blanks, that are stored and displayed without any effect.
WITHOUT_EFFECT = "CERTLABL CUSTOM EXPRYINT MAXHANDS MAXPROPL MONACLS SSLKEYR TREELIFE TRIGINT"
