"""Shared subscriptions of JMS 2.0: consumers on several connections read one queue, by the name of the subscription.

Each publication goes to one of them. A durable one stays until it is deleted; any other ends with its last consumer. A
durable subscription and one that is not durable may have the same name.
"""

from __future__ import annotations

from mqtools.constants import cmqc
from mqtools.constants.reasons import MQRC_SUB_ALREADY_EXISTS, MQRC_SUB_NAME_ERROR, MQRC_SUBSCRIPTION_IN_USE
from mqtools.errors import MQError
from mqtools.mqi.connection import Connection
from mqtools.mqi.handle import Handle
from mqtools.mqi.identity import new_id
from mqtools.mqi.objects.dynamic_queues import create_managed
from mqtools.mqi.overrides import Override
from mqtools.mqi.publish_subscribe import publications
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.mqi.publish_subscribe.topics import check_subscribe
from mqtools.mqi.transaction import Work

#: Suffix of the name of a subscription that is not durable.
_NOT_DURABLE = ":NDURABLE"


def join(
    connection: Connection, name: str, topic: str, *, selector: str = "", is_durable: bool = False
) -> tuple[SubscriptionRecord, Handle]:
    """Become a consumer of a shared subscription, which is made if it is not there; return it and its queue's handle.

    One to another topic or with another selector is replaced if it has no consumers.
    Raises MQError: MQRC_SUB_NAME_ERROR; MQRC_SUBSCRIPTION_IN_USE where it has; MQRC_SUB_ALREADY_EXISTS for a
    subscription that is not shared; and as ``check_subscribe``.
    """
    if not name:
        raise MQError("a shared subscription needs a name", MQRC_SUB_NAME_ERROR)
    check_subscribe(connection, topic, is_durable=is_durable)
    key = name if is_durable else f"{name}{_NOT_DURABLE}"
    with connection.work() as work, Override(connection, is_unchecked=True):
        connection.register(work)
        assert connection.presence is not None
        found = _usable(work, key, topic, selector)
        is_new = found is None
        if found is None:
            options = cmqc.MQSO_MANAGED | (cmqc.MQSO_DURABLE if is_durable else 0)
            q_name = create_managed(work, is_durable=is_durable)
            correl_id = new_id(work.qmgr.name).hex()
            found = SubscriptionRecord(key, topic, q_name, options, correl_id, selector, is_shared=True)
            found.owner = connection.checked_user or connection.user_identifier
        found.user = f"{publications.living_users(work, found)} {connection.presence.token.hex()}".strip()
        publications.keep(work.db, found)
        work.durable = is_durable
        if is_new:
            publications.send_retained(connection, found)
        return found, connection.open(found.queue, cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE)


def _usable(work: Work, key: str, topic: str, selector: str) -> SubscriptionRecord | None:
    """Return a subscription that a consumer can join; delete one that has to be replaced."""
    found = publications.find(work, key)
    if found is None or (found.is_shared and (found.topic, found.selector) == (topic, selector)):
        return found
    if publications.is_in_use(work, found):
        raise MQError(f"subscription {key} is in use", MQRC_SUBSCRIPTION_IN_USE)
    if not found.is_shared:
        raise MQError(f"subscription {key} exists and is not shared", MQRC_SUB_ALREADY_EXISTS)
    publications.remove(work, found)
    return None


def leave(connection: Connection, name: str) -> None:
    """Stop being a consumer. name: of the record.  A subscription that is not durable ends with its last consumer."""
    with connection.work() as work:
        found = publications.find(work, name)
        if found is None or connection.presence is None:
            return
        users = publications.living_users(work, found).split()
        users.remove(connection.presence.token.hex())
        found.user = " ".join(users)
        if users or found.is_durable:
            publications.keep(work.db, found)
        else:
            publications.remove(work, found)
