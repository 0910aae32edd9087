"""Attributes of topic objects, and the values that a topic inherits from the topic objects at and above it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mqtools.constants import cmqc, cmqcfc, objects
from mqtools.rules.attributes.table import INTEGER, NAME, TEXT, WORD, Attribute
from mqtools.rules.topics import is_at_or_above

_T = ("TOPIC",)
_DELIVERY = (
    ("ASPARENT", cmqc.MQDLV_AS_PARENT),
    ("ALL", cmqc.MQDLV_ALL),
    ("ALLDUR", cmqc.MQDLV_ALL_DUR),
    ("ALLAVAIL", cmqc.MQDLV_ALL_AVAIL),
)
_DURABLE = (
    ("ASPARENT", cmqc.MQSUB_DURABLE_AS_PARENT),
    ("YES", cmqc.MQSUB_DURABLE_YES),
    ("NO", cmqc.MQSUB_DURABLE_NO),
)
_INHIBIT = (
    ("ASPARENT", cmqc.MQTA_PUB_AS_PARENT),
    ("ENABLED", cmqc.MQTA_PUB_ALLOWED),
    ("DISABLED", cmqc.MQTA_PUB_INHIBITED),
)
_MULTICAST = (
    ("ASPARENT", cmqc.MQMC_AS_PARENT),
    ("DISABLED", cmqc.MQMC_DISABLED),
    ("ENABLED", cmqc.MQMC_ENABLED),
    ("ONLY", cmqc.MQMC_ONLY),
)
_PERSISTENCE = (("ASPARENT", cmqc.MQPER_PERSISTENCE_AS_PARENT), ("NO", 0), ("YES", 1))
_RESPONSE = (
    ("ASPARENT", cmqc.MQPRT_RESPONSE_AS_PARENT),
    ("SYNC", cmqc.MQPRT_SYNC_RESPONSE),
    ("ASYNC", cmqc.MQPRT_ASYNC_RESPONSE),
)
_SCOPE = (("ASPARENT", cmqc.MQSCOPE_AS_PARENT), ("ALL", cmqc.MQSCOPE_ALL), ("QMGR", cmqc.MQSCOPE_QMGR))
_USE_DLQ = (("ASPARENT", cmqc.MQUSEDLQ_AS_PARENT), ("NO", cmqc.MQUSEDLQ_NO), ("YES", cmqc.MQUSEDLQ_YES))

#: One row an attribute; all are kept under their selectors. The defaults are those of SYSTEM.DEFAULT.TOPIC.
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("TOPIC", "topic", cmqc.MQCA_TOPIC_NAME, NAME, _T, maximum=48, settable=False),
    Attribute("ALTDATE", "alteration_date", objects.MQCA_ALTERATION_DATE, TEXT, _T, maximum=12, settable=False),
    Attribute("ALTTIME", "alteration_time", objects.MQCA_ALTERATION_TIME, TEXT, _T, maximum=8, settable=False),
    Attribute("CAPEXPRY", "cap_expiry", cmqc.MQIA_CAP_EXPIRY, INTEGER, _T, minimum=1,
              words=(("ASPARENT", -2), ("NOLIMIT", -1)), default=-2),
    Attribute("CLROUTE", "cluster_pub_route", cmqc.MQIA_CLUSTER_PUB_ROUTE, WORD, _T,
              words=(("DIRECT", cmqcfc.MQCLROUTE_DIRECT), ("TOPICHOST", cmqcfc.MQCLROUTE_TOPIC_HOST)), default=0),
    Attribute("CLUSTER", "cluster_name", cmqc.MQCA_CLUSTER_NAME, NAME, _T, maximum=48, default=""),
    Attribute("COMMINFO", "comm_info_name", cmqc.MQCA_COMM_INFO_NAME, NAME, _T, maximum=48, default=""),
    Attribute("CUSTOM", "custom", cmqc.MQCA_CUSTOM, TEXT, _T, maximum=128, default=""),
    Attribute("DEFPRESP", "def_put_response_type", cmqc.MQIA_DEF_PUT_RESPONSE_TYPE, WORD, _T, words=_RESPONSE,
              default=0),
    Attribute("DEFPRTY", "def_priority", cmqc.MQIA_DEF_PRIORITY, INTEGER, _T, maximum=9,
              words=(("ASPARENT", cmqc.MQPRI_PRIORITY_AS_PARENT),), default=cmqc.MQPRI_PRIORITY_AS_PARENT),
    Attribute("DEFPSIST", "topic_def_persistence", cmqc.MQIA_TOPIC_DEF_PERSISTENCE, WORD, _T, words=_PERSISTENCE,
              default=cmqc.MQPER_PERSISTENCE_AS_PARENT),
    Attribute("DESCR", "topic_desc", cmqc.MQCA_TOPIC_DESC, TEXT, _T, maximum=64, default=""),
    Attribute("DURSUB", "durable_sub", cmqc.MQIA_DURABLE_SUB, WORD, _T, words=_DURABLE, default=0),
    Attribute("MCAST", "multicast", cmqc.MQIA_MULTICAST, WORD, _T, words=_MULTICAST, default=0),
    Attribute("MDURMDL", "model_durable_q", cmqc.MQCA_MODEL_DURABLE_Q, NAME, _T, maximum=48, default=""),
    Attribute("MNDURMDL", "model_non_durable_q", cmqc.MQCA_MODEL_NON_DURABLE_Q, NAME, _T, maximum=48, default=""),
    Attribute("NPMSGDLV", "npm_delivery", cmqc.MQIA_NPM_DELIVERY, WORD, _T, words=_DELIVERY, default=0),
    Attribute("PMSGDLV", "pm_delivery", cmqc.MQIA_PM_DELIVERY, WORD, _T, words=_DELIVERY, default=0),
    Attribute("PROXYSUB", "proxy_sub", cmqc.MQIA_PROXY_SUB, WORD, _T,
              words=(("FIRSTUSE", cmqc.MQTA_PROXY_SUB_FIRSTUSE), ("FORCE", cmqc.MQTA_PROXY_SUB_FORCE)),
              default=cmqc.MQTA_PROXY_SUB_FIRSTUSE),
    Attribute("PUB", "inhibit_pub", cmqc.MQIA_INHIBIT_PUB, WORD, _T, words=_INHIBIT, default=0),
    Attribute("PUBSCOPE", "pub_scope", cmqc.MQIA_PUB_SCOPE, WORD, _T, words=_SCOPE, default=cmqc.MQSCOPE_AS_PARENT),
    Attribute("SUB", "inhibit_sub", cmqc.MQIA_INHIBIT_SUB, WORD, _T, words=_INHIBIT, default=0),
    Attribute("SUBSCOPE", "sub_scope", cmqc.MQIA_SUB_SCOPE, WORD, _T, words=_SCOPE, default=cmqc.MQSCOPE_AS_PARENT),
    Attribute("TOPICSTR", "topic_string", cmqc.MQCA_TOPIC_STRING, TEXT, _T, maximum=10240, default=""),
    Attribute("TYPE", "topic_type", cmqc.MQIA_TOPIC_TYPE, WORD, _T, words=(("LOCAL", cmqc.MQTOPT_LOCAL),), default=0),
    Attribute("USEDLQ", "use_dead_letter_q", cmqc.MQIA_USE_DEAD_LETTER_Q, WORD, _T, words=_USE_DLQ, default=0),
    Attribute("WILDCARD", "wildcard_operation", cmqc.MQIA_WILDCARD_OPERATION, WORD, _T,
              words=(("PASSTHRU", cmqc.MQTA_PASSTHRU), ("BLOCK", cmqc.MQTA_BLOCK)), default=cmqc.MQTA_PASSTHRU),
)  # fmt: skip

#: Keywords, separated by blanks, that are stored and displayed without any effect.
WITHOUT_EFFECT = (
    "CAPEXPRY CLROUTE CLUSTER COMMINFO CUSTOM DEFPRESP MCAST MDURMDL MNDURMDL PROXYSUB PUBSCOPE SUBSCOPE WILDCARD"
)

#: Selector to the value where no topic object sets one: those of SYSTEM.BASE.TOPIC.
BASE = {
    cmqc.MQIA_CAP_EXPIRY: -1,
    cmqc.MQIA_DEF_PRIORITY: 0,
    cmqc.MQIA_DEF_PUT_RESPONSE_TYPE: cmqc.MQPRT_SYNC_RESPONSE,
    cmqc.MQIA_DURABLE_SUB: cmqc.MQSUB_DURABLE_YES,
    cmqc.MQIA_INHIBIT_PUB: cmqc.MQTA_PUB_ALLOWED,
    cmqc.MQIA_INHIBIT_SUB: cmqc.MQTA_SUB_ALLOWED,
    cmqc.MQIA_MULTICAST: cmqc.MQMC_DISABLED,
    cmqc.MQIA_NPM_DELIVERY: cmqc.MQDLV_ALL_AVAIL,
    cmqc.MQIA_PM_DELIVERY: cmqc.MQDLV_ALL_DUR,
    cmqc.MQIA_PUB_SCOPE: cmqc.MQSCOPE_ALL,
    cmqc.MQIA_SUB_SCOPE: cmqc.MQSCOPE_ALL,
    cmqc.MQIA_TOPIC_DEF_PERSISTENCE: cmqc.MQPER_NOT_PERSISTENT,
    cmqc.MQIA_USE_DEAD_LETTER_Q: cmqc.MQUSEDLQ_YES,
}
#: Selector to the value that leaves the decision to the topic above.
_AS_PARENT = {row.selector: row.default for row in ATTRIBUTES if row.selector in BASE}


def inherited(topic: str, topic_objects: Iterable[tuple[str, Mapping[int, object]]]) -> dict[int, int]:
    """Return the attributes of a topic by selector: each from the nearest topic object at or above it that sets it.

    topic_objects: topic string of each topic object, nothing for the base, and its values by selector.
    """
    found = dict(BASE)
    for string, values in sorted(topic_objects, key=lambda each: len(each[0].rstrip("/"))):
        if is_at_or_above(string, topic):
            for selector, as_parent in _AS_PARENT.items():
                value = values.get(selector, as_parent)
                if selector is not None and isinstance(value, int) and value != as_parent:
                    found[selector] = value
    return found
