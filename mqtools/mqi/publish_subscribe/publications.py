"""Publish and subscribe: subscriptions and retained publications, and the delivery of a publication.

A subscription is a definition of the kind ``subscription`` under its name. One that is not durable has the presence
token of its connection, and is ignored once that connection has ended. Retained publications are messages of a queue;
their topic is a property, and its digest the correlation identifier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256

from mqtools.constants import cmqc
from mqtools.constants.message import (
    MQPER_NOT_PERSISTENT,
    MQPER_PERSISTENCE_AS_TOPIC_DEF,
    MQPRI_PRIORITY_AS_TOPIC_DEF,
)
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import (
    MQRC_EXPIRY_ERROR,
    MQRC_NONE,
    MQRC_PUBLICATION_FAILURE,
    MQRC_PUT_INHIBITED,
    MQRC_RETAINED_NOT_DELIVERED,
)
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.formats.properties import properties_from_json
from mqtools.message import MQMD, Message, Property
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection
from mqtools.mqi.dead_letters import ABOUT_DESTINATION, put_dead_letter
from mqtools.mqi.get import search
from mqtools.mqi.identity import new_id, now_ms, put_date_and_time
from mqtools.mqi.objects.definitions import define_queue
from mqtools.mqi.overrides import Override
from mqtools.mqi.publish_subscribe.topics import attributes_of_topic, check_publish
from mqtools.mqi.put_headers import check_message
from mqtools.mqi.transaction import Work
from mqtools.predicates import ANYTHING
from mqtools.rules.options.put import check_put_options, uses_put_syncpoint
from mqtools.rules.properties import merge_properties, rfh2_properties
from mqtools.rules.selector.selector import compile_selector
from mqtools.rules.topics import matches
from mqtools.store import objects, queues
from mqtools.store.database import Database
from mqtools.store.liveness import is_alive

KIND = "subscription"
RETAINED_QUEUE = "SYSTEM.RETAINED.PUB.QUEUE"
#: The property that a publication has its topic in.
TOPIC_PROPERTY = "mqps.Top"

#: Options of a put that only a publication has.
_OF_PUBLICATIONS = (
    cmqc.MQPMO_RETAIN
    | cmqc.MQPMO_WARN_IF_NO_SUBS_MATCHED
    | cmqc.MQPMO_NOT_OWN_SUBS
    | cmqc.MQPMO_SUPPRESS_REPLYTO
    | cmqc.MQPMO_SCOPE_QMGR
)
_SYNCPOINT = {cmqc.MQPMO_SYNCPOINT: cmqc.MQGMO_SYNCPOINT, cmqc.MQPMO_NO_SYNCPOINT: cmqc.MQGMO_NO_SYNCPOINT}


@dataclass(frozen=True, slots=True)
class PublicationDelivery:
    """Where a publication went for one subscription that matched.

    queue: that of the subscription, or the dead-letter queue; empty if neither took it.  reason: why not the former.
    """

    subscription: str
    queue: str
    reason: int = MQRC_NONE


@dataclass(slots=True)
class SubscriptionRecord:
    """A subscription.

    options: MQSO_*.  token, user: of the connection that it lives with, and that has it open; user of a shared one
    (``shared_subscriptions``): of all its consumers, with blanks between.  owner: user identifier of its application;
    empty for one that an older mqx has made.
    expiry: as given, in tenths of a second.  expires_ms: when that ends it, 0 for never.
    messages: number of publications that were put on its queue.  attributes: by name, that have no effect here.
    Times are milliseconds since 1970, 0 for none.
    """

    name: str
    topic: str
    queue: str
    options: int
    correl_id: str
    selector: str = ""
    user_data: str = ""
    token: str = ""
    user: str = ""
    expiry: int = cmqc.MQEI_UNLIMITED
    expires_ms: int = 0
    owner: str = ""
    is_shared: bool = False
    topic_object: str = ""
    created_ms: int = 0
    altered_ms: int = 0
    resumed_ms: int = 0
    last_message_ms: int = 0
    messages: int = 0
    attributes: dict[str, int | str] = field(default_factory=dict)

    @property
    def own_queue(self) -> str:
        """The queue that was named for it, empty for a managed one."""
        return "" if self.options & cmqc.MQSO_MANAGED else self.queue

    @property
    def is_durable(self) -> bool:
        """Whether it stays when its connection ends."""
        return bool(self.options & cmqc.MQSO_DURABLE)

    def expire_after(self, expiry: int, now_ms: int) -> None:
        """Set the expiry, in tenths of a second from now or MQEI_UNLIMITED."""
        self.expiry = expiry
        self.expires_ms = 0 if expiry == cmqc.MQEI_UNLIMITED else now_ms + expiry * 100

    def has_expired(self, now_ms: int) -> bool:
        """Return whether its time is over."""
        return 0 < self.expires_ms <= now_ms

    def wants(self, topic: str) -> bool:
        return matches(self.topic, topic, by_character=bool(self.options & cmqc.MQSO_WILDCARD_CHAR))


def check_expiry(expiry: int) -> None:
    """Check the expiry of a subscription. Raises MQError: MQRC_EXPIRY_ERROR."""
    if expiry <= 0 and expiry != cmqc.MQEI_UNLIMITED:
        raise MQError(f"the expiry of a subscription cannot be {expiry}", MQRC_EXPIRY_ERROR)


def keep(db: Database, subscription: SubscriptionRecord) -> None:
    subscription.created_ms = subscription.created_ms or now_ms()
    values = {name: getattr(subscription, name) for name in SubscriptionRecord.__slots__ if name != "name"}
    objects.define(db, KIND, subscription.name, values)


def find(work: Work, name: str) -> SubscriptionRecord | None:
    """Find a subscription by its name; one that has expired or whose connection has ended is deleted."""
    values = objects.definition(work.db, KIND, name)
    if values is None:
        return None
    found = SubscriptionRecord(name, **values)
    if found.has_expired(work.now_ms):
        remove(work, found, keeps_open=is_in_use(work, found))
        return None
    if found.is_durable or living_users(work, found, found.token or found.user):
        return found
    if found.is_shared:
        remove(work, found)
    else:
        objects.delete(work.db, KIND, name)  # its queue goes with its connection
    return None


def is_in_use(work: Work, found: SubscriptionRecord) -> bool:
    """Return whether a program has a subscription open."""
    return bool(living_users(work, found))


def living_users(work: Work, found: SubscriptionRecord, tokens: str | None = None) -> str:
    """Return the tokens of the connections that have a subscription open and live. tokens: only these."""
    every = (found.user if tokens is None else tokens).split()
    return " ".join(token for token in every if is_alive(work.db, bytes.fromhex(token)))


def remove(work: Work, found: SubscriptionRecord, *, keeps_open: bool = False) -> None:
    """Delete a subscription and its managed queue. keeps_open: a queue that is open goes with its opener."""
    objects.delete(work.db, KIND, found.name)
    queue = queues.by_name(work.db, found.queue)
    if found.options & cmqc.MQSO_MANAGED and queue is not None:
        drop = recovery.drop_after_openers if keeps_open else recovery.drop_temporary_queue
        drop(work, queue.id)
    work.durable = True


def live_subscriptions(work: Work) -> Iterator[SubscriptionRecord]:
    """Yield all subscriptions; delete those whose connection or queue no longer exists."""
    for name in objects.names(work.db, KIND):
        found = find(work, name)
        if found is not None and queues.by_name(work.db, found.queue) is None:
            objects.delete(work.db, KIND, name)
        elif found is not None:
            yield found


def publish(
    connection: Connection, topic: str, message: Message, options: int, given: MQMD
) -> tuple[list[PublicationDelivery], int]:
    """Put a message on the queue of each matching subscription.

    Return where it went for each, and the reason of a warning about the message, or MQRC_NONE.
    What such a queue refuses goes to the dead-letter queue, unless USEDLQ of the topic is NO.
    Raises MQError: MQRC_NOT_AUTHORIZED; MQRC_PUT_INHIBITED (PUB of the topic); MQRC_PUBLICATION_FAILURE when it does
    not reach a subscription that it must reach (NPMSGDLV and PMSGDLV); and whatever a put to a queue gives that is not
    about the queue: MQRC_RFH_ERROR, …. Nothing has been published then.
    """
    if options & cmqc.MQPMO_SUPPRESS_REPLYTO:
        message.md.reply_to_q = message.md.reply_to_q_mgr = ""
    message.properties[TOPIC_PROPERTY] = Property(MQTYPE_STRING, topic)
    plain = options & ~_OF_PUBLICATIONS
    check_publish(connection, topic)
    with connection.work() as work, Override(connection, is_unchecked=True):
        attributes = attributes_of_topic(work.db, topic)
        if attributes[cmqc.MQIA_INHIBIT_PUB] == cmqc.MQTA_PUB_INHIBITED:
            raise MQError(f"publications are inhibited on topic {topic}", MQRC_PUT_INHIBITED)
        if message.md.persistence == MQPER_PERSISTENCE_AS_TOPIC_DEF:
            message.md.persistence = attributes[cmqc.MQIA_TOPIC_DEF_PERSISTENCE]
        if message.md.priority == MQPRI_PRIORITY_AS_TOPIC_DEF:
            message.md.priority = attributes[cmqc.MQIA_DEF_PRIORITY]
        # Also without subscriptions.
        check_put_options(plain, cmqc.MQOO_OUTPUT, put1=True, md_version=message.md.version)
        warning = check_message(message, work.qmgr)
        if options & cmqc.MQPMO_RETAIN:
            _retain(connection, topic, message, plain)
        own = "" if connection.presence is None else connection.presence.token.hex()
        properties = _all_properties(message)
        if connection.counters is not None:
            connection.counters.note_publish(work, message)
        given.msg_id = new_id(work.qmgr.name)
        md = _seen_by_selectors(work, message.md, options)
        deliveries = [
            _deliver(connection, found, message, plain, attributes)
            for found in live_subscriptions(work)
            if found.wants(topic)
            and _selects(found, md, properties)
            and not found.options & cmqc.MQSO_PUBLICATIONS_ON_REQUEST
            and not (options & cmqc.MQPMO_NOT_OWN_SUBS and own and own in (found.token, *found.user.split()))
        ]
        return deliveries, warning


def _seen_by_selectors(work: Work, given: MQMD, options: int) -> MQMD:
    """Return the descriptor of a publication with the context that its copies will have."""
    if options & cmqc.MQPMO_SET_ALL_CONTEXT:
        return given
    put_date, put_time = put_date_and_time(work.now_ms)
    who = work.connection
    return given.replace(
        put_date=put_date, put_time=put_time, put_appl_name=who.appl_name, user_identifier=who.user_identifier
    )


def _deliver(
    connection: Connection,
    subscription: SubscriptionRecord,
    message: Message,
    options: int,
    attributes: Mapping[int, int],
) -> PublicationDelivery:
    """Put a copy on the queue of one subscription, or on the dead-letter queue.

    attributes: of the topic.  Raises MQError: MQRC_PUBLICATION_FAILURE where neither takes it and one must.
    """
    md = message.md.replace(msg_id=cmqc.MQMI_NONE)
    correl_id = bytes.fromhex(subscription.correl_id)
    if any(correl_id):
        md.correl_id = correl_id
    if subscription.options & cmqc.MQSO_MANAGED and not subscription.is_durable:
        md.persistence = MQPER_NOT_PERSISTENT  # its queue is a temporary one and goes with its connection
    copy = Message(message.data, md, dict(message.properties), message.deliver_at)
    try:
        connection.put1(subscription.queue, copy, options)
        _count(connection, subscription)
        return PublicationDelivery(subscription.name, subscription.queue)
    except MQError as error:
        if error.reason not in ABOUT_DESTINATION:
            raise
        refusal = error
    if attributes[cmqc.MQIA_USE_DEAD_LETTER_Q] == cmqc.MQUSEDLQ_YES:
        try:
            return _dead_letter(connection, subscription, copy, options, refusal)
        except StorageError:
            raise
        except MQError as error:
            refusal = error
    is_persistent = message.md.persistence == cmqc.MQPER_PERSISTENT
    delivery = attributes[cmqc.MQIA_PM_DELIVERY if is_persistent else cmqc.MQIA_NPM_DELIVERY]
    if delivery == cmqc.MQDLV_ALL or (delivery == cmqc.MQDLV_ALL_DUR and subscription.is_durable):
        text = f"subscription {subscription.name} could not be served: {refusal.text}"
        raise MQError(text, MQRC_PUBLICATION_FAILURE) from refusal
    return PublicationDelivery(subscription.name, "", refusal.reason)


def _count(connection: Connection, subscription: SubscriptionRecord) -> None:
    """Count a publication that is on the queue of a subscription."""
    with connection.work() as work:
        subscription.messages, subscription.last_message_ms = subscription.messages + 1, work.now_ms
        keep(work.db, subscription)


def _dead_letter(
    connection: Connection, subscription: SubscriptionRecord, copy: Message, options: int, refusal: MQError
) -> PublicationDelivery:
    """Put a refused copy on the dead-letter queue. Raises MQError: the refusal if there is none, its own otherwise."""
    with connection.work() as work:
        is_held = uses_put_syncpoint(options, work.qmgr.profile)
        holder_id = connection.unit_of_work(work) if is_held else None
        done = put_dead_letter(work, refusal, copy, (subscription.queue, ""), options, holder_id, by_queue_manager=True)
    return PublicationDelivery(subscription.name, done.resolved_q_name, refusal.reason)


def _all_properties(message: Message) -> dict[str, Property]:
    """Return the properties of a publication, with those that its data has in an MQRFH2."""
    return merge_properties(rfh2_properties(message.md, message.data), message.properties)


def _selects(subscription: SubscriptionRecord, md: MQMD, properties: dict[str, Property]) -> bool:
    if not subscription.selector:
        return True
    return compile_selector(subscription.selector).matches(md, properties)


def _short(topic: str) -> bytes:
    return sha256(topic.encode()).digest()[:24]


def _provide_retained_queue(connection: Connection) -> None:
    with connection.work() as work:
        if queues.by_name(work.db, RETAINED_QUEUE) is None:
            attributes = {"q_desc": "Retained publications", "max_q_depth": 999999999}
            define_queue(work, "QLOCAL", RETAINED_QUEUE, attributes)


def _retain(connection: Connection, topic: str, message: Message, options: int) -> None:
    """Retain a publication for later subscribers; it replaces the previous one."""
    _provide_retained_queue(connection)
    match = MQMD(correl_id=_short(topic))
    taking = _SYNCPOINT.get(options & sum(_SYNCPOINT), 0) | cmqc.MQGMO_NO_PROPERTIES
    # Of the first of its topic there is none before.
    with connection.open(RETAINED_QUEUE, cmqc.MQOO_INPUT_SHARED) as handle, suppress(NoMessageAvailable):
        handle.get(taking, md=match, match_options=cmqc.MQMO_MATCH_CORREL_ID)
    md = message.md.replace(correl_id=_short(topic), msg_id=cmqc.MQMI_NONE)
    connection.put1(RETAINED_QUEUE, Message(message.data, md, dict(message.properties)), options)


def retained_topics(db: Database) -> set[str]:
    """Return the topics with a retained publication."""
    queue = queues.by_name(db, RETAINED_QUEUE)
    found = [] if queue is None else search.filter_candidates(db, queue.id, ANYTHING)
    named = (properties_from_json(stored.properties).get(TOPIC_PROPERTY) for stored in found)
    return {str(topic.value) for topic in named if topic is not None}


def delete_retained(work: Work, topic: str) -> None:
    """Delete the retained publication of a topic, if there is one."""
    connection = work.connection
    assert isinstance(connection, Connection)
    if queues.by_name(work.db, RETAINED_QUEUE) is None:
        return
    match = MQMD(correl_id=_short(topic))
    options = cmqc.MQOO_INPUT_SHARED
    with (
        Override(connection, is_unchecked=True),
        connection.open(RETAINED_QUEUE, options) as handle,
        suppress(NoMessageAvailable),
    ):
        handle.get(cmqc.MQGMO_NO_SYNCPOINT, md=match, match_options=cmqc.MQMO_MATCH_CORREL_ID)


def send_retained(connection: Connection, subscription: SubscriptionRecord) -> int:
    """Put the matching retained publications on the queue of a subscription; return their number.

    Raises MQError: MQRC_RETAINED_NOT_DELIVERED when one does not reach it that must.
    """
    if queues.by_name(connection.db, RETAINED_QUEUE) is None:
        return 0
    sent, options = 0, cmqc.MQGMO_BROWSE_NEXT
    with Override(connection, is_unchecked=True), connection.open(RETAINED_QUEUE, cmqc.MQOO_BROWSE) as handle:
        while True:
            try:
                message = handle.get(options).message
            except NoMessageAvailable:
                return sent
            topic = message.properties.get(TOPIC_PROPERTY)
            wanted = topic is not None and subscription.wants(str(topic.value))
            if topic is not None and wanted and _selects(subscription, message.md, _all_properties(message)):
                message.md.correl_id = cmqc.MQCI_NONE
                message.properties["mqps.Ret"] = Property(MQTYPE_STRING, "1")
                attributes = attributes_of_topic(connection.db, str(topic.value))
                try:
                    done = _deliver(connection, subscription, message, cmqc.MQPMO_NO_SYNCPOINT, attributes)
                    sent += not done.reason
                except MQError as error:
                    if error.reason != MQRC_PUBLICATION_FAILURE:
                        raise
                    raise MQError(error.text, MQRC_RETAINED_NOT_DELIVERED) from error
