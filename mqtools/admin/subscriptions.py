"""Administrative subscriptions: durable ones that a command makes, with a queue of their own or a managed one."""

from __future__ import annotations

from mqtools.constants import cmqc
from mqtools.constants.objects import MQQDT_PERMANENT_DYNAMIC
from mqtools.constants.reasons import MQRC_NO_SUBSCRIPTION, MQRC_SUB_ALREADY_EXISTS, MQRC_SUBSCRIPTION_IN_USE
from mqtools.errors import MQError
from mqtools.mqi.identity import new_id, now_ms
from mqtools.mqi.objects.definitions import define_queue
from mqtools.mqi.publish_subscribe import publications
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.selector.selector import compile_selector
from mqtools.store import objects
from mqtools.store.database import Database


def define_managed_queue(work: Work) -> str:
    """Define a queue for a durable subscription and return its name."""
    name = f"{publications.MANAGED_DURABLE}{new_id(work.qmgr.name)[-8:].hex().upper()}"
    define_queue(work, "QLOCAL", name, {"definition_type": MQQDT_PERMANENT_DYNAMIC})
    return name


def define_subscription(work: Work, wanted: SubscriptionRecord, *, replace: bool = False) -> None:
    """Define a durable subscription, and complete its record.

    wanted: an empty queue stands for a managed one, an empty correl_id for a new one.
    Raises MQError: MQRC_SUB_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME, MQRC_SELECTION_STRING_ERROR.
    """
    existing = publications.find(work, wanted.name)
    if existing is not None:
        if not replace:
            raise MQError(f"subscription {wanted.name} already exists", MQRC_SUB_ALREADY_EXISTS)
        delete_subscription(work, wanted.name)
    if wanted.selector:
        compile_selector(wanted.selector)
    wanted.options |= cmqc.MQSO_DURABLE | (0 if wanted.queue else cmqc.MQSO_MANAGED)
    wanted.queue = find_queue(work.db, wanted.queue).name if wanted.queue else define_managed_queue(work)
    wanted.correl_id = wanted.correl_id or new_id(work.qmgr.name).hex()
    wanted.expire_after(wanted.expiry, work.now_ms)
    publications.keep(work.db, wanted)
    work.durable = True


def delete_subscription(work: Work, name: str) -> None:
    """Delete a subscription with its managed queue.

    Raises MQError: MQRC_NO_SUBSCRIPTION, MQRC_SUBSCRIPTION_IN_USE.
    """
    found = publications.find(work, name)
    if found is None:
        raise MQError(f"subscription {name} does not exist", MQRC_NO_SUBSCRIPTION)
    if publications.is_in_use(work, found):
        raise MQError(f"subscription {name} is in use", MQRC_SUBSCRIPTION_IN_USE)
    publications.remove(work, found)


def durable_subscriptions(db: Database) -> list[SubscriptionRecord]:
    """Return the durable subscriptions by name."""
    found = []
    for name in objects.names(db, publications.KIND):
        values = objects.definition(db, publications.KIND, name)
        if values is not None:
            found.append(SubscriptionRecord(name, **values))
    return [record for record in found if record.is_durable and not record.has_expired(now_ms())]
