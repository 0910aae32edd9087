"""Attributes of queues, with the defaults of the SYSTEM.DEFAULT queues of a distributed queue manager."""

from __future__ import annotations

from mqtools.constants import administration, objects, options, properties
from mqtools.rules.attributes.table import INTEGER, NAME, SWITCH, TEXT, WORD, Attribute
from mqtools.rules.attributes.words import EVENT, MONITORING, NO_YES

#: MQSC type of a queue to its MQQT value.
QUEUE_TYPES = {
    "QLOCAL": objects.MQQT_LOCAL,
    "QMODEL": objects.MQQT_MODEL,
    "QALIAS": objects.MQQT_ALIAS,
    "QREMOTE": objects.MQQT_REMOTE,
}

_L = ("QLOCAL",)
_M = ("QMODEL",)
_A = ("QALIAS",)
_R = ("QREMOTE",)
_LM = _L + _M
_ALL = _L + _M + _A + _R

_QMGR_ON_OFF = (("QMGR", objects.MQMON_Q_MGR), ("ON", objects.MQMON_ON), ("OFF", objects.MQMON_OFF))
_GET = (("ENABLED", objects.MQQA_GET_ALLOWED), ("DISABLED", objects.MQQA_GET_INHIBITED))
_PUT = (("ENABLED", objects.MQQA_PUT_ALLOWED), ("DISABLED", objects.MQQA_PUT_INHIBITED))
_DEFINITION = (
    ("PREDEFINED", objects.MQQDT_PREDEFINED),
    ("PERMDYN", objects.MQQDT_PERMANENT_DYNAMIC),
    ("TEMPDYN", objects.MQQDT_TEMPORARY_DYNAMIC),
    ("SHAREDYN", objects.MQQDT_SHARED_DYNAMIC),
)
_INDEX = (
    ("NONE", objects.MQIT_NONE),
    ("MSGID", objects.MQIT_MSG_ID),
    ("CORRELID", objects.MQIT_CORREL_ID),
    ("GROUPID", objects.MQIT_GROUP_ID),
    ("MSGTOKEN", objects.MQIT_MSG_TOKEN),
)
_OPEN = (("EXCL", options.MQOO_INPUT_EXCLUSIVE), ("SHARED", options.MQOO_INPUT_SHARED))
_PROPERTIES = (
    ("ALL", properties.MQPROP_ALL),
    ("COMPAT", properties.MQPROP_COMPATIBILITY),
    ("FORCE", properties.MQPROP_FORCE_MQRFH2),
    ("NONE", properties.MQPROP_NONE),
    ("V6COMPAT", properties.MQPROP_V6COMPAT),
)
_READ_AHEAD = (("NO", objects.MQREADA_NO), ("YES", objects.MQREADA_YES), ("DISABLED", objects.MQREADA_DISABLED))
_RESPONSE = (("SYNC", objects.MQPRT_SYNC_RESPONSE), ("ASYNC", objects.MQPRT_ASYNC_RESPONSE))
_SERVICE = (
    ("NONE", administration.MQQSIE_NONE),
    ("HIGH", administration.MQQSIE_HIGH),
    ("OK", administration.MQQSIE_OK),
)
_SCOPE = (("QMGR", administration.MQSCO_Q_MGR), ("CELL", administration.MQSCO_CELL))
_SHARE = (("SHARE", objects.MQQA_SHAREABLE), ("NOSHARE", objects.MQQA_NOT_SHAREABLE))
_HARDEN = (("HARDENBO", objects.MQQA_BACKOUT_HARDENED), ("NOHARDENBO", objects.MQQA_BACKOUT_NOT_HARDENED))
_TRIGGER = (("TRIGGER", objects.MQTC_ON), ("NOTRIGGER", objects.MQTC_OFF))
_TRIGGER_TYPES = (
    ("FIRST", objects.MQTT_FIRST),
    ("EVERY", objects.MQTT_EVERY),
    ("DEPTH", objects.MQTT_DEPTH),
    ("NONE", objects.MQTT_NONE),
)
_BIND = (
    ("OPEN", objects.MQBND_BIND_ON_OPEN),
    ("NOTFIXED", objects.MQBND_BIND_NOT_FIXED),
    ("GROUP", objects.MQBND_BIND_ON_GROUP),
)
# MQCLWL_USEQ, MQIMGRCOV and MQQFS values: they have no names in the constants.
_USE_QUEUE = (("QMGR", -3), ("ANY", 1), ("LOCAL", 0))
_IMAGE_RECOVERY = (("QMGR", 2), ("YES", 1), ("NO", 0))
_FILE_SIZE = (("DEFAULT", -1),)

#: One row an attribute; two rows of one name belong to different types. A type that a row does not name does not
#: have the attribute. STREAMQ can only be blank: it is here so that exported definitions load.
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("QUEUE", "name", objects.MQCA_Q_NAME, NAME, _ALL, minimum=1, maximum=48, synonyms=("QNAME",),
              settable=False),
    *(
        Attribute("TYPE", "q_type", objects.MQIA_Q_TYPE, WORD, (word,), words=tuple(QUEUE_TYPES.items()),
                  default=number, synonyms=("QTYPE",), settable=False)
        for word, number in QUEUE_TYPES.items()
    ),
    Attribute("ACCTQ", "accounting_q", objects.MQIA_ACCOUNTING_Q, WORD, _LM, words=_QMGR_ON_OFF,
              default=objects.MQMON_Q_MGR),
    Attribute("ALTDATE", "alteration_date", objects.MQCA_ALTERATION_DATE, TEXT, _ALL, maximum=12, settable=False),
    Attribute("ALTTIME", "alteration_time", objects.MQCA_ALTERATION_TIME, TEXT, _ALL, maximum=8, settable=False),
    Attribute("BOQNAME", "backout_req_q_name", objects.MQCA_BACKOUT_REQ_Q_NAME, NAME, _LM, maximum=48, default=""),
    Attribute("BOTHRESH", "backout_threshold", objects.MQIA_BACKOUT_THRESHOLD, INTEGER, _LM, default=0),
    # Tenths of a second.
    Attribute("CAPEXPRY", "cap_expiry", objects.MQIA_CAP_EXPIRY, INTEGER, _ALL, minimum=1, words=(("NOLIMIT", -1),),
              default=-1),
    Attribute("CLUSNL", "cluster_namelist", objects.MQCA_CLUSTER_NAMELIST, NAME, _L + _A + _R, maximum=48, default=""),
    Attribute("CLUSTER", "cluster_name", objects.MQCA_CLUSTER_NAME, NAME, _L + _A + _R, maximum=48, default=""),
    Attribute("CLWLPRTY", "clwl_q_priority", objects.MQIA_CLWL_Q_PRIORITY, INTEGER, _L + _A + _R, maximum=9, default=0),
    Attribute("CLWLRANK", "clwl_q_rank", objects.MQIA_CLWL_Q_RANK, INTEGER, _L + _A + _R, maximum=9, default=0),
    Attribute("CLWLUSEQ", "clwl_useq", objects.MQIA_CLWL_USEQ, WORD, _L, words=_USE_QUEUE, default=-3),
    Attribute("CRDATE", "creation_date", objects.MQCA_CREATION_DATE, TEXT, _LM, maximum=12, settable=False),
    Attribute("CRTIME", "creation_time", objects.MQCA_CREATION_TIME, TEXT, _LM, maximum=8, settable=False),
    Attribute("CURDEPTH", "current_q_depth", objects.MQIA_CURRENT_Q_DEPTH, INTEGER, _L, settable=False, stored=False),
    Attribute("CUSTOM", "custom", objects.MQCA_CUSTOM, TEXT, _ALL, maximum=128, default=""),
    Attribute("DEFBIND", "def_bind", objects.MQIA_DEF_BIND, WORD, _L + _A + _R, words=_BIND,
              default=objects.MQBND_BIND_ON_OPEN),
    Attribute("DEFPRESP", "def_put_response_type", objects.MQIA_DEF_PUT_RESPONSE_TYPE, WORD, _ALL, words=_RESPONSE,
              default=objects.MQPRT_SYNC_RESPONSE),
    Attribute("DEFPRTY", "def_priority", objects.MQIA_DEF_PRIORITY, INTEGER, _ALL, maximum=9, default=0),
    Attribute("DEFPSIST", "def_persistence", objects.MQIA_DEF_PERSISTENCE, WORD, _ALL, words=NO_YES, default=0),
    Attribute("DEFREADA", "def_read_ahead", objects.MQIA_DEF_READ_AHEAD, WORD, _LM + _A, words=_READ_AHEAD,
              default=objects.MQREADA_NO),
    Attribute("DEFSOPT", "def_input_open_option", objects.MQIA_DEF_INPUT_OPEN_OPTION, WORD, _L, words=_OPEN,
              default=options.MQOO_INPUT_SHARED),
    Attribute("DEFSOPT", "def_input_open_option", objects.MQIA_DEF_INPUT_OPEN_OPTION, WORD, _M, words=_OPEN,
              default=options.MQOO_INPUT_EXCLUSIVE),
    Attribute("DEFTYPE", "definition_type", objects.MQIA_DEFINITION_TYPE, WORD, _L, words=_DEFINITION,
              default=objects.MQQDT_PREDEFINED, settable=False),
    Attribute("DEFTYPE", "definition_type", objects.MQIA_DEFINITION_TYPE, WORD, _M, words=_DEFINITION[1:3],
              default=objects.MQQDT_TEMPORARY_DYNAMIC),
    Attribute("DESCR", "q_desc", objects.MQCA_Q_DESC, TEXT, _ALL, maximum=64, default=""),
    Attribute("DISTL", "dist_lists", objects.MQIA_DIST_LISTS, WORD, _LM, words=NO_YES,
              default=objects.MQDL_NOT_SUPPORTED),
    Attribute("GET", "inhibit_get", objects.MQIA_INHIBIT_GET, WORD, _LM + _A, words=_GET,
              default=objects.MQQA_GET_ALLOWED, mqset=True),
    Attribute("HARDENBO", "harden_get_backout", objects.MQIA_HARDEN_GET_BACKOUT, SWITCH, _LM, words=_HARDEN,
              default=objects.MQQA_BACKOUT_HARDENED),
    Attribute("IMGRCOVQ", "image_recover_q", None, WORD, _LM, words=_IMAGE_RECOVERY, default=2),
    Attribute("INDXTYPE", "index_type", objects.MQIA_INDEX_TYPE, WORD, _LM, words=_INDEX, default=objects.MQIT_NONE),
    Attribute("INITQ", "initiation_q_name", objects.MQCA_INITIATION_Q_NAME, NAME, _LM, maximum=48, default=""),
    Attribute("IPPROCS", "open_input_count", objects.MQIA_OPEN_INPUT_COUNT, INTEGER, _L, settable=False, stored=False),
    # Ours: 0 no, 1 yes, 2 with bodies.
    Attribute("JOURNAL", "journal", None, WORD, _LM, words=(*NO_YES, ("BODY", 2)), default=0),
    Attribute("MAXDEPTH", "max_q_depth", objects.MQIA_MAX_Q_DEPTH, INTEGER, _LM, default=5000),
    # Megabytes.
    Attribute("MAXFSIZE", "max_q_file_size", objects.MQIA_MAX_Q_FILE_SIZE, INTEGER, _LM, minimum=20, maximum=267386880,
              words=_FILE_SIZE, default=-1),
    Attribute("MAXMSGL", "max_msg_length", objects.MQIA_MAX_MSG_LENGTH, INTEGER, _LM, maximum=104857600,
              default=4194304),
    Attribute("MONQ", "monitoring_q", objects.MQIA_MONITORING_Q, WORD, _LM, words=MONITORING,
              default=objects.MQMON_Q_MGR),
    Attribute("MSGDLVSQ", "msg_delivery_sequence", objects.MQIA_MSG_DELIVERY_SEQUENCE, WORD, _LM,
              words=(("PRIORITY", objects.MQMDS_PRIORITY), ("FIFO", objects.MQMDS_FIFO)),
              default=objects.MQMDS_PRIORITY),
    Attribute("TRIGGER", "trigger_control", objects.MQIA_TRIGGER_CONTROL, SWITCH, _LM, words=_TRIGGER,
              default=objects.MQTC_OFF, mqset=True),
    Attribute("NPMCLASS", "npm_class", objects.MQIA_NPM_CLASS, WORD, _LM,
              words=(("NORMAL", objects.MQNPM_CLASS_NORMAL), ("HIGH", objects.MQNPM_CLASS_HIGH)),
              default=objects.MQNPM_CLASS_NORMAL),
    Attribute("OPPROCS", "open_output_count", objects.MQIA_OPEN_OUTPUT_COUNT, INTEGER, _L, settable=False,
              stored=False),
    Attribute("PROCESS", "process_name", objects.MQCA_PROCESS_NAME, NAME, _LM, maximum=48, default=""),
    Attribute("PROPCTL", "property_control", objects.MQIA_PROPERTY_CONTROL, WORD, _LM + _A, words=_PROPERTIES,
              default=properties.MQPROP_COMPATIBILITY),
    Attribute("PUT", "inhibit_put", objects.MQIA_INHIBIT_PUT, WORD, _ALL, words=_PUT,
              default=objects.MQQA_PUT_ALLOWED, mqset=True),
    Attribute("QDEPTHHI", "q_depth_high_limit", objects.MQIA_Q_DEPTH_HIGH_LIMIT, INTEGER, _LM, maximum=100, default=80),
    Attribute("QDEPTHLO", "q_depth_low_limit", objects.MQIA_Q_DEPTH_LOW_LIMIT, INTEGER, _LM, maximum=100, default=20),
    Attribute("QDPHIEV", "q_depth_high_event", objects.MQIA_Q_DEPTH_HIGH_EVENT, WORD, _LM, words=EVENT, default=0),
    Attribute("QDPLOEV", "q_depth_low_event", objects.MQIA_Q_DEPTH_LOW_EVENT, WORD, _LM, words=EVENT, default=0),
    Attribute("QDPMAXEV", "q_depth_max_event", objects.MQIA_Q_DEPTH_MAX_EVENT, WORD, _LM, words=EVENT, default=1),
    Attribute("QSVCIEV", "q_service_interval_event", objects.MQIA_Q_SERVICE_INTERVAL_EVENT, WORD, _LM, words=_SERVICE,
              default=administration.MQQSIE_NONE),
    # Milliseconds.
    Attribute("QSVCINT", "q_service_interval", objects.MQIA_Q_SERVICE_INTERVAL, INTEGER, _LM, default=999999999),
    # Hours.
    Attribute("RETINTVL", "retention_interval", objects.MQIA_RETENTION_INTERVAL, INTEGER, _LM, default=999999999),
    Attribute("RNAME", "remote_q_name", objects.MQCA_REMOTE_Q_NAME, NAME, _R, maximum=48, default=""),
    Attribute("RQMNAME", "remote_q_mgr_name", objects.MQCA_REMOTE_Q_MGR_NAME, NAME, _R, maximum=48, default=""),
    Attribute("SCOPE", "scope", objects.MQIA_SCOPE, WORD, _L + _A + _R,
              words=_SCOPE, default=administration.MQSCO_Q_MGR),
    Attribute("SHARE", "shareability", objects.MQIA_SHAREABILITY, SWITCH, _L, words=_SHARE,
              default=objects.MQQA_SHAREABLE),
    Attribute("SHARE", "shareability", objects.MQIA_SHAREABILITY, SWITCH, _M, words=_SHARE,
              default=objects.MQQA_NOT_SHAREABLE),
    Attribute("STATQ", "statistics_q", objects.MQIA_STATISTICS_Q, WORD, _LM, words=_QMGR_ON_OFF,
              default=objects.MQMON_Q_MGR),
    Attribute("STREAMQ", "stream_queue_name", objects.MQCA_STREAM_QUEUE_NAME, NAME, _LM, maximum=0, default=""),
    Attribute("STRMQOS", "stream_queue_qos", objects.MQIA_STREAM_QUEUE_QOS, WORD, _LM,
              words=(("BESTEF", objects.MQST_BEST_EFFORT), ("MUSTDUP", objects.MQST_MUST_DUP)),
              default=objects.MQST_BEST_EFFORT),
    Attribute("TARGET", "base_q_name", objects.MQCA_BASE_Q_NAME, NAME, _A, maximum=48, default="", synonyms=("TARGQ",)),
    Attribute("TARGTYPE", "base_type", objects.MQIA_BASE_TYPE, WORD, _A,
              words=(("QUEUE", objects.MQOT_Q), ("TOPIC", objects.MQOT_TOPIC)), default=objects.MQOT_Q),
    Attribute("TRIGDATA", "trigger_data", objects.MQCA_TRIGGER_DATA, TEXT, _LM, maximum=64, default="", mqset=True),
    Attribute("TRIGDPTH", "trigger_depth", objects.MQIA_TRIGGER_DEPTH, INTEGER, _LM, minimum=1, default=1, mqset=True),
    Attribute("TRIGMPRI", "trigger_msg_priority", objects.MQIA_TRIGGER_MSG_PRIORITY, INTEGER, _LM, maximum=9, default=0,
              mqset=True),
    Attribute("TRIGTYPE", "trigger_type", objects.MQIA_TRIGGER_TYPE, WORD, _LM, words=_TRIGGER_TYPES,
              default=objects.MQTT_FIRST, mqset=True),
    Attribute("USAGE", "usage", objects.MQIA_USAGE, WORD, _LM,
              words=(("NORMAL", objects.MQUS_NORMAL), ("XMITQ", objects.MQUS_TRANSMISSION)),
              default=objects.MQUS_NORMAL),
    Attribute("XMITQ", "xmit_q_name", objects.MQCA_XMIT_Q_NAME, NAME, _R, maximum=48, default=""),
)  # fmt: skip

#: Keywords, separated by blanks, that are stored and displayed without any effect.
WITHOUT_EFFECT = (
    "CAPEXPRY CLUSNL CLUSTER CLWLPRTY CLWLRANK CLWLUSEQ CUSTOM DEFBIND DEFPRESP DEFREADA DISTL HARDENBO "
    "IMGRCOVQ INITQ MAXFSIZE PROCESS RETINTVL SCOPE "
    "STREAMQ STRMQOS TRIGDATA TRIGDPTH TRIGGER TRIGMPRI TRIGTYPE"
)
