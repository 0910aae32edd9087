"""Topic objects in PCF: stored, with their strings used when one is opened by name.

Their NPMSGDLV and PMSGDLV count for all that is published at or below their strings.
"""

from __future__ import annotations

from mqtools.constants import cmqc, cmqcfc
from mqtools.rules.pcf.stored_objects import Kind
from mqtools.rules.publication_delivery import BASE

BASE_TOPIC = "SYSTEM.BASE.TOPIC"
DEFAULT_TOPIC = "SYSTEM.DEFAULT.TOPIC"

TOPIC = Kind(
    "topic",
    cmqc.MQCA_TOPIC_NAME,
    from_name=cmqcfc.MQCACF_FROM_TOPIC_NAME,
    to_name=cmqcfc.MQCACF_TO_TOPIC_NAME,
    attrs=cmqcfc.MQIACF_TOPIC_ATTRS,
    names=cmqcfc.MQCACF_TOPIC_NAMES,
    defaults={
        cmqc.MQCA_TOPIC_STRING: "",
        cmqc.MQCA_TOPIC_DESC: "",
        cmqc.MQIA_TOPIC_TYPE: cmqc.MQTOPT_LOCAL,
        cmqc.MQIA_NPM_DELIVERY: cmqc.MQDLV_AS_PARENT,
        cmqc.MQIA_PM_DELIVERY: cmqc.MQDLV_AS_PARENT,
    },
    born={
        BASE_TOPIC: {cmqc.MQCA_TOPIC_STRING: "", **BASE},
        DEFAULT_TOPIC: {cmqc.MQCA_TOPIC_STRING: ""},
        "DEV.BASE.TOPIC": {cmqc.MQCA_TOPIC_STRING: "dev/"},
    },
    model=DEFAULT_TOPIC,
)
