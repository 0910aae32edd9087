"""Topic objects in PCF; what their attributes do is in ``rules.attributes.topic``."""

from __future__ import annotations

from mqtools.constants import cmqc, cmqcfc
from mqtools.rules.attributes.topic import BASE
from mqtools.rules.pcf.stored_objects import Kind, defaults_of, numbers_of

BASE_TOPIC = "SYSTEM.BASE.TOPIC"
DEFAULT_TOPIC = "SYSTEM.DEFAULT.TOPIC"

TOPIC = Kind(
    "topic",
    cmqc.MQCA_TOPIC_NAME,
    from_name=cmqcfc.MQCACF_FROM_TOPIC_NAME,
    to_name=cmqcfc.MQCACF_TO_TOPIC_NAME,
    attrs=cmqcfc.MQIACF_TOPIC_ATTRS,
    names=cmqcfc.MQCACF_TOPIC_NAMES,
    defaults=defaults_of("TOPIC"),
    shared=numbers_of("TOPIC"),
    born={
        BASE_TOPIC: {cmqc.MQCA_TOPIC_STRING: "", **BASE},
        DEFAULT_TOPIC: {cmqc.MQCA_TOPIC_STRING: ""},
    },
    model=DEFAULT_TOPIC,
)
