"""Topic objects as PCF knows them: they are kept, and their strings count where one is opened by its object."""

from __future__ import annotations

from mqtools.constants import cmqc, cmqcfc
from mqtools.rules.pcf.stored_objects import Kind

TOPIC = Kind(
    "topic",
    cmqc.MQCA_TOPIC_NAME,
    from_name=cmqcfc.MQCACF_FROM_TOPIC_NAME,
    to_name=cmqcfc.MQCACF_TO_TOPIC_NAME,
    attrs=cmqcfc.MQIACF_TOPIC_ATTRS,
    names=cmqcfc.MQCACF_TOPIC_NAMES,
    defaults={cmqc.MQCA_TOPIC_STRING: "", cmqc.MQCA_TOPIC_DESC: "", cmqc.MQIA_TOPIC_TYPE: cmqc.MQTOPT_LOCAL},
    born={
        "SYSTEM.BASE.TOPIC": {cmqc.MQCA_TOPIC_STRING: ""},
        "SYSTEM.DEFAULT.TOPIC": {cmqc.MQCA_TOPIC_STRING: ""},
        "DEV.BASE.TOPIC": {cmqc.MQCA_TOPIC_STRING: "dev/"},
    },
)
