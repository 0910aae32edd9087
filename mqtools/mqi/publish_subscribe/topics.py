"""Topic objects: the strings that they name, and what they set for the topics at and below these strings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mqtools.constants import cmqc, cmqcfc
from mqtools.constants.administration import MQRQ_OPEN_NOT_AUTHORIZED, MQRQ_SUB_NOT_AUTHORIZED
from mqtools.constants.reasons import (
    MQRC_DURABILITY_NOT_ALLOWED,
    MQRC_NOT_AUTHORIZED,
    MQRC_PUBSUB_INHIBITED,
    MQRC_PUT_INHIBITED,
    MQRC_SUB_INHIBITED,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError
from mqtools.mqi import authority, events
from mqtools.mqi.transaction import ConnectionState
from mqtools.rules.attributes.topic import inherited
from mqtools.rules.security import authorities as rules
from mqtools.rules.stored_objects import BASE_TOPIC, INITIAL, KINDS
from mqtools.rules.topics import is_at_or_above, literal_levels, topic_string
from mqtools.store import objects, queues
from mqtools.store.database import Database
from mqtools.store.queues import Queue

_KIND, _INITIAL = KINDS["TOPIC"], INITIAL["TOPIC"]


def full_topic_string(db: Database, name: str, added: str) -> str:
    """Return the full topic string of a topic object and a string. Either may be empty.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_TOPIC_STRING_ERROR.
    """
    if not name:
        return topic_string("", added)
    values = _values(db, name)
    if values is None:
        raise MQError(f"topic {name} does not exist", MQRC_UNKNOWN_OBJECT_NAME)
    return topic_string(str(values.get(cmqc.MQCA_TOPIC_STRING, "")).rstrip("/"), added)


def attributes_of_topic(db: Database, topic: str) -> dict[int, int]:
    """Return the attributes of a topic by selector, as its topic objects set them (``rules.attributes.topic``)."""
    return inherited(topic, ((string, values) for _, string, values in _nodes(db)))


def _values(db: Database, name: str) -> Mapping[int, object] | None:
    """Return the values of a topic object by selector, None for an unknown one."""
    kept = objects.definition(db, _KIND, name)
    return _INITIAL.get(name) if kept is None else {int(number): value for number, value in kept.items()}


def _nodes(db: Database) -> Iterator[tuple[str, str, Mapping[int, object]]]:
    """Yield name, string and values of each topic object that has a place in the tree of topics."""
    for name in sorted({*objects.names(db, _KIND), *_INITIAL}):
        values = _values(db, name) or {}
        string = str(values.get(cmqc.MQCA_TOPIC_STRING, ""))
        if string or name == BASE_TOPIC:
            yield name, string, values


def object_strings(db: Database) -> Iterator[tuple[str, str]]:
    """Yield name and string of each topic object that has a place in the tree of topics."""
    return ((name, string) for name, string, _ in _nodes(db))


def check_subscription(db: Database, topic: str, *, is_durable: bool, by_character: bool = False) -> None:
    """Check that the topic of a subscription permits it.

    is_durable: whether a durable one is made.  Raises MQError: MQRC_SUB_INHIBITED, MQRC_DURABILITY_NOT_ALLOWED.
    """
    attributes = attributes_of_topic(db, literal_levels(topic, by_character=by_character))
    if attributes[cmqc.MQIA_INHIBIT_SUB] == cmqc.MQTA_SUB_INHIBITED:
        raise MQError(f"subscriptions are inhibited on topic {topic}", MQRC_SUB_INHIBITED)
    if is_durable and attributes[cmqc.MQIA_DURABLE_SUB] == cmqc.MQSUB_DURABLE_NO:
        raise MQError(f"topic {topic} does not allow durable subscriptions", MQRC_DURABILITY_NOT_ALLOWED)


def topic_of_alias(connection: ConnectionState, alias: Queue) -> str:
    """Return the topic string of an alias of a topic object, for a put by the user of a connection.

    Raises MQError: MQRC_NOT_AUTHORIZED, MQRC_PUT_INHIBITED, MQRC_UNKNOWN_ALIAS_BASE_Q.
    """
    authority.check_queue(connection, alias.name, "PUT")
    if alias.inhibit_put:
        raise MQError(f"puts are inhibited on queue {alias.name}", MQRC_PUT_INHIBITED, q_name=alias.name)
    with connection.db.reading():
        if _values(connection.db, alias.base_q_name) is None:
            text = f"topic {alias.base_q_name}, the target of alias {alias.name}, does not exist"
            raise MQError(text, MQRC_UNKNOWN_ALIAS_BASE_Q, q_name=alias.base_q_name)
        return full_topic_string(connection.db, alias.base_q_name, "")


def check_publish(connection: ConnectionState, topic: str) -> None:
    """Check that the user of a connection may publish on a topic.

    Raises MQError: MQRC_NOT_AUTHORIZED, MQRC_PUBSUB_INHIBITED.
    """
    _check_mode(connection)
    _check(connection, topic, "PUB")


def _check_mode(connection: ConnectionState) -> None:
    if queues.read_qmgr(connection.db).get("pub_sub_mode") == cmqc.MQPSM_DISABLED:
        raise MQError(f"queue manager {connection.name} has PSMODE(DISABLED)", MQRC_PUBSUB_INHIBITED)


def check_subscribe(
    connection: ConnectionState,
    topic: str,
    *,
    by_character: bool = False,
    resumes: bool = False,
    is_durable: bool = False,
) -> None:
    """Check that the user of a connection may subscribe to a topic, or resume a subscription.

    topic: with wildcards: the authority is that on the levels before them.  is_durable: whether a durable subscription
    is made.  Raises MQError: MQRC_NOT_AUTHORIZED, MQRC_PUBSUB_INHIBITED, as ``check_subscription``.
    """
    _check_mode(connection)
    _check(connection, literal_levels(topic, by_character=by_character), "RESUME" if resumes else "SUB")
    with connection.db.reading():
        check_subscription(connection.db, topic, is_durable=is_durable, by_character=by_character)


def _check(connection: ConnectionState, topic: str, word: str) -> None:
    """Check for an authority on a topic: on any of the topic objects at and above it."""
    user = authority.checked_user(connection)
    if user is None:
        return
    with connection.db.reading():
        above = [(len(string), name) for name, string, _ in _nodes(connection.db) if is_at_or_above(string, topic)]
        for _, name in above:
            granted = authority.authorities_of(connection.db, user, rules.TOPIC, name)
            if rules.AUTHORITIES[word] in granted:
                return
    if connection.current_work is None:  # else its undoing would undo the event
        qualifier = MQRQ_OPEN_NOT_AUTHORIZED if word == "PUB" else MQRQ_SUB_NOT_AUTHORIZED
        user_and_topic: dict[int, object] = {cmqcfc.MQCACF_USER_IDENTIFIER: user, cmqc.MQCA_TOPIC_STRING: topic}
        events.not_authorized(connection, qualifier, user_and_topic | events.application(connection))
    raise MQError(
        f"user {user} is not authorized to topic {topic or '#'}: {word} missing",
        MQRC_NOT_AUTHORIZED,
        hint=authority.grant_hint(max(above)[1], rules.TOPIC, user, word),
    )
