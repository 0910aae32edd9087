"""Topic objects: the strings that they name, and what they set for the topics at and below these strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mqtools.constants import cmqc
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.mqi import authority
from mqtools.rules.pcf.topics import BASE_TOPIC, TOPIC
from mqtools.rules.publication_delivery import delivery_attribute, delivery_of
from mqtools.rules.security import authorities as rules
from mqtools.rules.topics import is_at_or_above, literal_levels, topic_string
from mqtools.store import objects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.mqi.transaction import ConnectionState
    from mqtools.store.database import Database


def full_topic_string(db: Database, name: str, added: str) -> str:
    """Return the full topic string of a topic object and a string, either of which may be empty.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_TOPIC_STRING_ERROR.
    """
    if not name:
        return topic_string("", added)
    kept = objects.definition(db, TOPIC.kind, name)
    if kept is None and name not in TOPIC.born:
        raise MQError(f"topic {name} does not exist", MQRC_UNKNOWN_OBJECT_NAME)
    values = TOPIC.born[name] if kept is None else {int(number): value for number, value in kept.items()}
    return topic_string(str(values.get(cmqc.MQCA_TOPIC_STRING, "")).rstrip("/"), added)


def delivery_of_topic(db: Database, topic: str, persistence: int) -> int:
    """Return which subscriptions a publication must reach, as its topic says: MQDLV_*."""
    attribute = delivery_attribute(persistence)
    values = [(string, int(defined.get(str(attribute), cmqc.MQDLV_AS_PARENT))) for _, string, defined in _nodes(db)]
    return delivery_of(topic, attribute, values)


def _nodes(db: Database) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield name, string and values of each topic object that has a place in the tree of topics."""
    defined = set(objects.names(db, TOPIC.kind))
    for name in sorted(defined | set(TOPIC.born)):
        values = objects.definition(db, TOPIC.kind, name) if name in defined else None
        if values is None:
            values = {str(number): value for number, value in TOPIC.born[name].items()}
        string = str(values.get(str(cmqc.MQCA_TOPIC_STRING), ""))
        if string or name == BASE_TOPIC:
            yield name, string, values


def check_publish(connection: ConnectionState, topic: str) -> None:
    """Check that the user of a connection may publish on a topic. Raises MQError: MQRC_NOT_AUTHORIZED."""
    _check(connection, topic, "PUB")


def check_subscribe(
    connection: ConnectionState, topic: str, *, by_character: bool = False, resumes: bool = False
) -> None:
    """Check that the user of a connection may subscribe to a topic, or resume a subscription.

    topic: with wildcards: the authority is that on the levels before them.  Raises MQError: MQRC_NOT_AUTHORIZED.
    """
    _check(connection, literal_levels(topic, by_character=by_character), "RESUME" if resumes else "SUB")


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
    raise MQError(
        f"user {user} is not authorized to topic {topic or '#'}: {word} missing",
        MQRC_NOT_AUTHORIZED,
        hint=authority.grant_hint(max(above)[1], rules.TOPIC, user, word),
    )
