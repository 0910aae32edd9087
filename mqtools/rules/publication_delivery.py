"""Delivery of publications: which subscriptions must be reached for a put to succeed (NPMSGDLV, PMSGDLV)."""

from __future__ import annotations

from mqtools.constants import cmqc
from mqtools.constants.message import MQPER_PERSISTENT

#: Value of a delivery attribute to whether (durable, other) subscriptions must be reached: one that must and is not
#: fails the put, and no subscription gets the publication.
MUST_REACH = {
    cmqc.MQDLV_ALL: (True, True),
    cmqc.MQDLV_ALL_DUR: (True, False),
    cmqc.MQDLV_ALL_AVAIL: (False, False),
}


def delivery_attribute(persistence: int) -> int:
    return cmqc.MQIA_PM_DELIVERY if persistence == MQPER_PERSISTENT else cmqc.MQIA_NPM_DELIVERY


def must_reach(delivery: int, *, is_durable: bool) -> bool:
    """Return whether a publication must reach a subscription. delivery: MQDLV_*."""
    durable, other = MUST_REACH[delivery]
    return durable if is_durable else other
