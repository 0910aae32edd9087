"""Topic objects in PCF; what their attributes do is in ``rules.attributes.topic``."""

from __future__ import annotations

from mqtools.constants import cmqc, cmqcfc
from mqtools.rules.attributes.topic import ATTRIBUTES, BASE
from mqtools.rules.pcf.stored_objects import Kind

BASE_TOPIC = "SYSTEM.BASE.TOPIC"
DEFAULT_TOPIC = "SYSTEM.DEFAULT.TOPIC"

TOPIC = Kind(
    "topic",
    cmqc.MQCA_TOPIC_NAME,
    from_name=cmqcfc.MQCACF_FROM_TOPIC_NAME,
    to_name=cmqcfc.MQCACF_TO_TOPIC_NAME,
    attrs=cmqcfc.MQIACF_TOPIC_ATTRS,
    names=cmqcfc.MQCACF_TOPIC_NAMES,
    defaults={row.selector: row.default for row in ATTRIBUTES if row.selector is not None},
    shared={row.keyword: row.selector for row in ATTRIBUTES if row.selector is not None},
    born={
        BASE_TOPIC: {cmqc.MQCA_TOPIC_STRING: "", **BASE},
        DEFAULT_TOPIC: {cmqc.MQCA_TOPIC_STRING: ""},
    },
    model=DEFAULT_TOPIC,
)
