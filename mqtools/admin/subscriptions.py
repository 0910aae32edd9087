"""Administrative subscriptions: durable ones that a command makes, with their own queue or a managed one."""

from __future__ import annotations

from mqtools.constants import cmqc
from mqtools.constants.reasons import MQRC_NO_SUBSCRIPTION, MQRC_SUB_ALREADY_EXISTS, MQRC_SUBSCRIPTION_IN_USE
from mqtools.errors import MQError
from mqtools.mqi.identity import new_id, now_ms
from mqtools.mqi.objects.dynamic_queues import create_managed
from mqtools.mqi.publish_subscribe import publications
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.selector.selector import compile_selector
from mqtools.store import objects
from mqtools.store.database import Database
from mqtools.store.liveness import is_alive


def define_subscription(work: Work, wanted: SubscriptionRecord, *, replace: bool = False) -> None:
    """Define a durable subscription, and complete its record.

    wanted: an empty queue means a managed one, an empty correl_id a new one.
    Raises MQError: MQRC_SUB_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME, MQRC_SELECTION_STRING_ERROR.
    """
    if not replace:
        check_new(work, wanted.name)
    elif publications.find(work, wanted.name) is not None:
        delete_subscription(work, wanted.name)
    if wanted.selector:
        compile_selector(wanted.selector)
    wanted.options |= cmqc.MQSO_DURABLE | (0 if wanted.queue else cmqc.MQSO_MANAGED)
    wanted.queue = find_queue(work.db, wanted.queue).name if wanted.queue else create_managed(work)
    wanted.correl_id = wanted.correl_id or new_id(work.qmgr.name).hex()
    wanted.expire_after(wanted.expiry, work.now_ms)
    publications.keep(work.db, wanted)
    work.durable = True


def check_new(work: Work, name: str) -> None:
    """Check that there is no subscription of a name. Raises MQError: MQRC_SUB_ALREADY_EXISTS."""
    if publications.find(work, name) is not None:
        raise MQError(f"subscription {name} already exists", MQRC_SUB_ALREADY_EXISTS)


def find(work: Work, name: str) -> SubscriptionRecord:
    """Find a subscription. Raises MQError: MQRC_NO_SUBSCRIPTION."""
    found = publications.find(work, name)
    if found is None:
        raise MQError(f"subscription {name} does not exist", MQRC_NO_SUBSCRIPTION)
    return found


def find_idle(work: Work, name: str) -> SubscriptionRecord:
    """Find a subscription that no program has open. Raises MQError: MQRC_NO_SUBSCRIPTION, MQRC_SUBSCRIPTION_IN_USE."""
    found = find(work, name)
    if publications.is_in_use(work, found):
        raise MQError(f"subscription {name} is in use", MQRC_SUBSCRIPTION_IN_USE)
    return found


def write_altered(work: Work, found: SubscriptionRecord) -> None:
    """Write a subscription that was changed."""
    found.altered_ms = work.now_ms
    publications.keep(work.db, found)
    work.durable = True


def delete_subscription(work: Work, name: str) -> None:
    """Delete a subscription with its managed queue. Raises MQError as ``find_idle`` does."""
    publications.remove(work, find_idle(work, name))


def live(db: Database) -> list[SubscriptionRecord]:
    """Return the unexpired subscriptions by name, without those whose connection has died and that end with it."""
    found = [SubscriptionRecord(name, **values) for name in objects.names(db, publications.KIND)
             if (values := objects.definition(db, publications.KIND, name)) is not None]  # fmt: skip
    return [
        each
        for each in found
        if not each.has_expired(now_ms())
        and (each.is_durable or any(is_alive(db, bytes.fromhex(token)) for token in (each.token or each.user).split()))
    ]


def durable_subscriptions(db: Database) -> list[SubscriptionRecord]:
    """Return the durable subscriptions by name."""
    return [each for each in live(db) if each.is_durable]
