"""Delivery of publications: which subscriptions must be reached for a put to succeed (NPMSGDLV, PMSGDLV)."""

from __future__ import annotations

from mqtools.constants import cmqc
from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.rules.topics import is_at_or_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Value of a delivery attribute to whether (durable, other) subscriptions must be reached: one that must and is not
#: fails the put, and no subscription gets the publication. A value that is not listed, MQDLV_AS_PARENT, leaves it to
#: the topic above.
MUST_REACH = {
    cmqc.MQDLV_ALL: (True, True),
    cmqc.MQDLV_ALL_DUR: (True, False),
    cmqc.MQDLV_ALL_AVAIL: (False, False),
}

#: Values where no topic object sets them: those of SYSTEM.BASE.TOPIC.
BASE = {cmqc.MQIA_NPM_DELIVERY: cmqc.MQDLV_ALL_AVAIL, cmqc.MQIA_PM_DELIVERY: cmqc.MQDLV_ALL_DUR}


def delivery_attribute(persistence: int) -> int:
    """Return the attribute for publications of a persistence: PMSGDLV or NPMSGDLV."""
    return cmqc.MQIA_PM_DELIVERY if persistence == MQPER_PERSISTENT else cmqc.MQIA_NPM_DELIVERY


def must_reach(delivery: int, *, is_durable: bool) -> bool:
    """Return whether a publication must reach a subscription. delivery: MQDLV_*."""
    durable, other = MUST_REACH[delivery]
    return durable if is_durable else other


def delivery_of(topic: str, attribute: int, objects: Iterable[tuple[str, int]]) -> int:
    """Return the MQDLV_* of a topic: that of the nearest topic object at or above it that sets it.

    objects: topic string of each topic object, nothing for the base, and its value.
    """
    found = [(len(string), value) for string, value in objects if value in MUST_REACH and is_at_or_above(string, topic)]
    return max(found)[1] if found else BASE[attribute]
