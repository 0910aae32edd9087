"""Attributes of subscriptions, and of the status of subscriptions, topics and publish/subscribe."""

from __future__ import annotations

from dataclasses import replace

from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.rules.attributes import topic
from mqtools.rules.attributes.table import BYTES, INTEGER, TEXT, WORD, Attribute, status_type
from mqtools.rules.attributes.words import NO_YES

_S, _SB, _T, _TS, _TP, _PS = ("SUB",), ("SBSTATUS",), ("TPSTATUS",), ("TPSTATUS SUB",), ("TPSTATUS PUB",), ("PUBSUB",)
_LONGEST = 10240
_ANY_USER = (("ANY", cmqc.MQVU_ANY_USER), ("FIXED", cmqc.MQVU_FIXED_USER))
_DURABLE = (("YES", cmqc.MQSUB_DURABLE_YES), ("NO", cmqc.MQSUB_DURABLE_NO))
_SUBSCRIPTION_TYPES = (("ADMIN", c.MQSUBTYPE_ADMIN), ("API", c.MQSUBTYPE_API))
_DESTINATION_CLASSES = (("MANAGED", cmqc.MQDC_MANAGED), ("PROVIDED", cmqc.MQDC_PROVIDED))
_WILDCARDS = (("CHAR", cmqc.MQWS_CHAR), ("TOPIC", cmqc.MQWS_TOPIC))
_PRIORITIES = (("ASPUB", cmqc.MQPRI_PRIORITY_AS_PUBLISHED), ("ASQDEF", cmqc.MQPRI_PRIORITY_AS_Q_DEF))
_PROPERTIES = (
    ("NONE", cmqc.MQPSPROP_NONE),
    ("COMPAT", cmqc.MQPSPROP_COMPAT),
    ("RFH2", cmqc.MQPSPROP_RFH2),
    ("MSGPROP", cmqc.MQPSPROP_MSGPROP),
)


def _shown(keyword: str, name: str, selector: int | None, kind: str = TEXT, *types: tuple[str, ...]) -> Attribute:
    return Attribute(keyword, name, selector, kind, tuple(each for names in types for each in names), settable=False)


#: Of a subscription. Those that ``SubscriptionRecord`` has no field for are in its ``attributes``.
_SUBSCRIPTION: tuple[Attribute, ...] = (
    _shown("SUB", "sub", c.MQCACF_SUB_NAME, TEXT, _S),
    _shown("SUBID", "sub_id", c.MQBACF_SUB_ID, TEXT, _S),
    _shown("ALTDATE", "altdate", o.MQCA_ALTERATION_DATE, TEXT, _S),
    _shown("ALTTIME", "alttime", o.MQCA_ALTERATION_TIME, TEXT, _S),
    _shown("CRDATE", "crdate", o.MQCA_CREATION_DATE, TEXT, _S),
    _shown("CRTIME", "crtime", o.MQCA_CREATION_TIME, TEXT, _S),
    Attribute("DEST", "dest", c.MQCACF_DESTINATION, TEXT, _S, maximum=48, default=""),
    Attribute("DESTCLAS", "destclas", c.MQIACF_DESTINATION_CLASS, WORD, _S, words=_DESTINATION_CLASSES,
              default=cmqc.MQDC_PROVIDED),
    Attribute("DESTCORL", "destcorl", c.MQBACF_DESTINATION_CORREL_ID, BYTES, _S, maximum=48),
    Attribute("DESTQMGR", "destqmgr", c.MQCACF_DESTINATION_Q_MGR, TEXT, _S, maximum=48, default=""),
    replace(_shown("DISTYPE", "distype", cmqc.MQIA_DISPLAY_TYPE, WORD, _S), default=c.MQDOPT_DEFINED,
            words=(("RESOLVED", c.MQDOPT_RESOLVED), ("DEFINED", c.MQDOPT_DEFINED))),
    replace(_shown("DURABLE", "durable", c.MQIACF_DURABLE_SUBSCRIPTION, WORD, _S), words=_DURABLE),
    # Tenths of a second; 0: unlimited.
    Attribute("EXPIRY", "expiry", c.MQIACF_EXPIRY, INTEGER, _S,
              words=(("UNLIMITED", cmqc.MQEI_UNLIMITED),), default=cmqc.MQEI_UNLIMITED),
    Attribute("PSPROP", "psprop", c.MQIACF_PUBSUB_PROPERTIES, WORD, _S, words=_PROPERTIES,
              default=cmqc.MQPSPROP_MSGPROP),
    Attribute("PUBACCT", "pubacct", c.MQBACF_ACCOUNTING_TOKEN, BYTES, _S, maximum=64, default="0" * 64),
    Attribute("PUBAPPID", "pubappid", c.MQCACF_APPL_IDENTITY_DATA, TEXT, _S, maximum=32, default=""),
    Attribute("PUBPRTY", "pubprty", c.MQIACF_PUB_PRIORITY, INTEGER, _S, maximum=9, words=_PRIORITIES,
              default=cmqc.MQPRI_PRIORITY_AS_PUBLISHED),
    Attribute("REQONLY", "reqonly", c.MQIACF_REQUEST_ONLY, WORD, _S, default=cmqc.MQRU_PUBLISH_ALL,
              words=(("NO", cmqc.MQRU_PUBLISH_ALL), ("YES", cmqc.MQRU_PUBLISH_ON_REQUEST))),
    Attribute("SELECTOR", "selector", c.MQCACF_SUB_SELECTOR, TEXT, _S, maximum=_LONGEST, default=""),
    replace(_shown("SELTYPE", "seltype", c.MQIACF_SELECTOR_TYPE, WORD, _S), default=c.MQSELTYPE_NONE,
            words=(("NONE", c.MQSELTYPE_NONE), ("STANDARD", c.MQSELTYPE_STANDARD))),
    Attribute("SUBLEVEL", "sublevel", c.MQIACF_SUB_LEVEL, INTEGER, _S, maximum=9, default=1),
    Attribute("SUBSCOPE", "subscope", c.MQIACF_SUBSCRIPTION_SCOPE, WORD, _S, default=cmqc.MQTSCOPE_ALL,
              words=(("ALL", cmqc.MQTSCOPE_ALL), ("QMGR", cmqc.MQTSCOPE_QMGR))),
    replace(_shown("SUBTYPE", "subtype", c.MQIACF_SUB_TYPE, WORD, _S, _SB, _TS), words=_SUBSCRIPTION_TYPES,
            default=c.MQSUBTYPE_API),
    Attribute("SUBUSER", "subuser", c.MQCACF_SUB_USER_ID, TEXT, (*_S, *_SB, *_TS), maximum=12, default=""),
    Attribute("TOPICOBJ", "topicobj", cmqc.MQCA_TOPIC_NAME, TEXT, _S, maximum=48, default=""),
    Attribute("TOPICSTR", "topicstr", cmqc.MQCA_TOPIC_STRING, TEXT, _S, maximum=_LONGEST),
    Attribute("USERDATA", "userdata", c.MQCACF_SUB_USER_DATA, TEXT, _S, maximum=_LONGEST, default=""),
    Attribute("VARUSER", "varuser", c.MQIACF_VARIABLE_USER_ID, WORD, _S, words=_ANY_USER, default=cmqc.MQVU_ANY_USER),
    Attribute("WSCHEMA", "wschema", c.MQIACF_WILDCARD_SCHEMA, WORD, _S, words=_WILDCARDS, default=cmqc.MQWS_TOPIC),
)  # fmt: skip
_STATUS: tuple[Attribute, ...] = (
    _shown("SUB", "sub", c.MQCACF_SUB_NAME, TEXT, _SB),
    _shown("TOPICSTR", "topicstr", cmqc.MQCA_TOPIC_STRING, TEXT, _T, _TS, _TP),
    status_type("status_type", c.MQIACF_TOPIC_STATUS_TYPE, _TS + _TP, "SUB", c.MQIACF_TOPIC_SUB),
    _shown("SUBID", "sub_id", c.MQBACF_SUB_ID, TEXT, _SB, _TS),
    _shown("ACTCONN", "active_connection", c.MQBACF_CONNECTION_ID, TEXT, _SB, _TS, _TP),
    replace(_shown("DURABLE", "durable", c.MQIACF_DURABLE_SUBSCRIPTION, WORD, _SB, _TS), words=_DURABLE),
    _shown("LMSGDATE", "last_message_date", c.MQCACF_LAST_MSG_DATE, TEXT, _SB, _TS),
    _shown("LMSGTIME", "last_message_time", c.MQCACF_LAST_MSG_TIME, TEXT, _SB, _TS),
    _shown("NUMMSGS", "messages", c.MQIACF_MESSAGE_COUNT, INTEGER, _SB, _TS),
    _shown("RESMDATE", "resume_date", cmqc.MQCA_RESUME_DATE, TEXT, _SB, _TS),
    _shown("RESMTIME", "resume_time", cmqc.MQCA_RESUME_TIME, TEXT, _SB, _TS),
    _shown("TOPICSTR", "topicstr", cmqc.MQCA_TOPIC_STRING, TEXT, _SB),
    # Topics. Their other attributes are those that the topic objects at and above them set.
    status_type("status_type", c.MQIACF_TOPIC_STATUS_TYPE, _T, "TOPIC", c.MQIACF_TOPIC_STATUS),
    _shown("ADMIN", "admin_topic_name", cmqc.MQCA_ADMIN_TOPIC_NAME, TEXT, _T),
    replace(_shown("PUBCOUNT", "pub_count", cmqc.MQIA_PUB_COUNT, INTEGER, _T), default=0),
    replace(_shown("RETAINED", "retained", c.MQIACF_RETAINED_PUBLICATION, WORD, _T), words=NO_YES),
    _shown("SUBCOUNT", "sub_count", cmqc.MQIA_SUB_COUNT, INTEGER, _T),
    *(
        replace(row, object_types=_T, settable=False)
        for row in topic.ATTRIBUTES
        if row.selector in topic.BASE and row.keyword not in ("CAPEXPRY", "WILDCARD")
    ),
    # Publish/subscribe of the queue manager.
    _shown("QMNAME", "q_mgr_name", o.MQCA_Q_MGR_NAME, TEXT, _PS),
    status_type("status_type", c.MQIACF_PS_STATUS_TYPE, _PS, "LOCAL", c.MQPSST_LOCAL),
    replace(_shown("STATUS", "state", c.MQIACF_PUBSUB_STATUS, WORD, _PS),
            words=(("ACTIVE", c.MQPS_STATUS_ACTIVE), ("COMPAT", c.MQPS_STATUS_COMPAT),
                   ("INACTIVE", c.MQPS_STATUS_INACTIVE))),
    _shown("SUBCOUNT", "sub_count", cmqc.MQIA_SUB_COUNT, INTEGER, _PS),
    _shown("TPCOUNT", "topic_node_count", cmqc.MQIA_TOPIC_NODE_COUNT, INTEGER, _PS),
)  # fmt: skip
ATTRIBUTES = (*_SUBSCRIPTION, *_STATUS)

#: Keywords, separated by blanks, that are stored and displayed without any effect.
WITHOUT_EFFECT = "DESTQMGR PSPROP PUBACCT PUBAPPID PUBPRTY SUBLEVEL SUBSCOPE"
