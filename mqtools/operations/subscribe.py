"""Subscriptions of programs that read publications as they come, and the publication of messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from mqtools.constants import cmqc
from mqtools.constants.objects import MANAGED_NON_DURABLE
from mqtools.constants.reasons import MQCC_OK, MQCC_WARNING
from mqtools.errors import MQError, StorageError
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.dead_letters import put_dead_letter
from mqtools.mqi.handle import Handle
from mqtools.mqi.identity import new_id
from mqtools.mqi.overrides import Override
from mqtools.mqi.publish_subscribe import publications
from mqtools.mqi.publish_subscribe.publications import PublicationDelivery, SubscriptionRecord
from mqtools.mqi.publish_subscribe.topics import check_subscribe, full_topic_string, topic_of_alias
from mqtools.mqi.put import PutResult
from mqtools.mqi.resolution import AliasOfTopic
from mqtools.rules.selector.selector import compile_selector
from mqtools.rules.system_queues import NON_DURABLE_MODEL
from mqtools.store import objects


@contextmanager
def open_subscription(
    connection: Connection, topic: str, *, selector: str = "", retained: bool = True, topic_object: str = ""
) -> Iterator[Handle]:
    """Yield the handle of a queue that gets the publications on a topic while the block lasts.

    topic: topic string with the wildcards ``#`` and ``+``, below that of topic_object if one is given.  retained: send
    the retained publications first.
    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_TOPIC_STRING_ERROR, MQRC_NOT_AUTHORIZED, MQRC_SUB_INHIBITED,
    SelectorSyntaxError.
    """
    if selector:
        compile_selector(selector)
    with connection.db.reading():
        full = full_topic_string(connection.db, topic_object, topic)
    check_subscribe(connection, full)
    with Override(connection, is_unchecked=True):
        handle = connection.open(NON_DURABLE_MODEL, cmqc.MQOO_INPUT_AS_Q_DEF, dynamic_q_name=f"{MANAGED_NON_DURABLE}*")
    record = _keep(connection, full, handle.q_name, selector)
    try:
        if retained:
            publications.send_retained(connection, record)
        yield handle
    finally:
        with connection.work() as work:
            objects.delete(work.db, publications.KIND, record.name)


def _keep(connection: Connection, topic: str, q_name: str, selector: str) -> SubscriptionRecord:
    with connection.work() as work:
        connection.register(work)
        assert connection.presence is not None
        token = connection.presence.token.hex()
        record = SubscriptionRecord(
            new_id(work.qmgr.name).hex(),
            topic,
            q_name,
            cmqc.MQSO_MANAGED,
            new_id(work.qmgr.name).hex(),
            selector,
            token=token,
            user=token,
        )
        publications.keep(work.db, record)
    return record


def publish_each(
    connection: Connection, alias: AliasOfTopic, messages: Iterable[Message], options: int, *, dead_letter: bool
) -> tuple[list[PutResult], MQError | None]:
    """Put messages through an alias of a topic, each in a transaction, up to the first that fails.

    dead_letter: as for ``put_each``.  Return what was put, and the error that ended it or None. Options are those of
    MQPUT.
    """
    results: list[PutResult] = []
    try:
        for message in messages:
            try:
                topic = topic_of_alias(connection, alias.alias)
                placed, warning = publications.publish(connection, topic, message, options, message.md)
                reason = next((each.reason for each in placed if each.reason), warning)
                comp_code = MQCC_WARNING if reason else MQCC_OK
                results.append(PutResult(comp_code, reason, alias.alias.name, connection.name, 0))
            except MQError as error:
                if not dead_letter or isinstance(error, StorageError):
                    raise
                with connection.work() as work:
                    holder_id = connection.unit_of_work(work, adds=1) if options & cmqc.MQPMO_SYNCPOINT else None
                    results.append(put_dead_letter(work, error, message, (alias.alias.name, ""), options, holder_id))
    except MQError as error:
        if isinstance(error, StorageError) and not results:
            raise
        return results, error
    return results, None


def publish(
    connection: Connection, topic: str, message: Message, *, topic_object: str = "", retain: bool = False
) -> list[PublicationDelivery]:
    """Publish a message; return where it went for each subscription that matched.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_TOPIC_STRING_ERROR, and as ``publications.publish``.
    """
    options = cmqc.MQPMO_RETAIN if retain else cmqc.MQPMO_NONE
    with connection.db.reading():
        full = full_topic_string(connection.db, topic_object, topic)
    return publications.publish(connection, full, message, options, message.md)[0]
