"""MQSC commands on topics, name lists, processes, listeners, services and subscriptions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mqtools.admin import kept_definitions, subscriptions
from mqtools.admin.mqsc.parameters import MqscParameters
from mqtools.admin.mqsc.report import DisplayedObject, Response, failure, none_found
from mqtools.constants import cmqc
from mqtools.constants.reasons import MQRC_NO_SUBSCRIPTION
from mqtools.errors import MQError
from mqtools.formats.mqsc.output import message
from mqtools.formats.mqsc.script import Param, matches_name
from mqtools.mqi.authority import check_queue
from mqtools.mqi.connection import Connection
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.mqi.publish_subscribe.topics import check_subscribe, full_topic_string
from mqtools.rules.attributes.kept_keywords import DISPLAY_KEYWORDS, DISPLAY_ONLY
from mqtools.rules.attributes.table import without_effect

if TYPE_CHECKING:
    from mqtools.admin.mqsc.objects import Action

#: Subscription that has the defaults of new ones: mqx has these without it.
_DEFAULT_SUB = "SYSTEM.DEFAULT.SUB"
#: Object type to the numbers of the messages that an object was created, changed, deleted, and of what is displayed.
_NUMBERS = {
    "LISTENER": {"created": "AMQ8626I", "changed": "AMQ8623I", "deleted": "AMQ8628I", "displayed": "AMQ8630I"},
    "NAMELIST": {"created": "AMQ8552I", "changed": "AMQ8551I", "deleted": "AMQ8553I", "displayed": "AMQ8550I"},
    "PROCESS": {"created": "AMQ8010I", "changed": "AMQ8012I", "deleted": "AMQ8011I", "displayed": "AMQ8407I"},
    "SERVICE": {"created": "AMQ8625I", "changed": "AMQ8624I", "deleted": "AMQ8627I", "displayed": "AMQ8629I"},
    "SUB": {"created": "AMQ8094I", "displayed": "AMQ8096I"},
    "TOPIC": {"created": "AMQ8690I", "changed": "AMQ8691I", "deleted": "AMQ8692I", "displayed": "AMQ8633I"},
}


def define_kept(parameters: MqscParameters) -> Action:
    """Parse DEFINE of an object that is kept: LIKE, REPLACE and any keywords."""
    name = parameters.object_name()
    like = parameters.value("LIKE")
    replace = parameters.flag("REPLACE", "NOREPLACE")
    object_type = parameters.command.object_type
    values = _keywords(parameters)

    def act(connection: Connection) -> Response:
        with connection.work() as work:
            kept_definitions.define(work, object_type, name, values, like=like, replace=replace)
        return _done(object_type, "created")

    return act


def alter_kept(parameters: MqscParameters) -> Action:
    """Parse ALTER of an object that is kept."""
    name = parameters.object_name()
    object_type = parameters.command.object_type
    values = _keywords(parameters)

    def act(connection: Connection) -> Response:
        with connection.work() as work:
            kept_definitions.alter(work, object_type, name, values)
        return _done(object_type, "changed")

    return act


def delete_kept(parameters: MqscParameters) -> Action:
    """Parse DELETE of an object that is kept."""
    name = parameters.object_name()
    object_type = parameters.command.object_type
    parameters.take("AUTHREC")
    parameters.finish()

    def act(connection: Connection) -> Response:
        with connection.work() as work:
            kept_definitions.delete(work, object_type, name)
        return _done(object_type, "deleted")

    return act


def display_kept(parameters: MqscParameters) -> Action:
    """Parse DISPLAY of objects that are kept: a generic name; all their keywords are shown."""
    pattern = parameters.generic_name()
    _take_displayed(parameters)
    return partial(_display, parameters.command.object_type, pattern)


def _display(object_type: str, pattern: str, connection: Connection) -> Response:
    with connection.db.reading():
        names = kept_definitions.names(connection.db, object_type) if "*" in pattern else [pattern]
        try:
            found = [_shown(object_type, name, connection) for name in names if matches_name(pattern, name)]
        except MQError as error:
            return failure(error, pattern)
    if not found:
        return none_found(object_type.lower(), pattern)
    return Response([], found)


def _shown(object_type: str, name: str, connection: Connection) -> DisplayedObject:
    values = kept_definitions.find(connection.db, object_type, name)
    pairs: list[tuple[str, str | None]] = [(object_type, name)]
    pairs += [(keyword, None if given is None else ",".join(given)) for keyword, given in sorted(values.items())]
    return _displayed(object_type, pairs)


def _displayed(object_type: str, pairs: list[tuple[str, str | None]]) -> DisplayedObject:
    title = message(_NUMBERS[object_type]["displayed"])
    return DisplayedObject(title, pairs, {keyword.lower(): value for keyword, value in pairs})


def _take_displayed(parameters: MqscParameters) -> None:
    """Consume what may follow DISPLAY; everything is shown, whatever is asked for."""
    _take_known(parameters, kept_definitions.keywords(parameters.command.object_type) | DISPLAY_KEYWORDS)


def _take_known(parameters: MqscParameters, known: frozenset[str]) -> list[Param]:
    """Consume the parameters with known keywords, and record a mistake for each other one."""
    found = [param for keyword in sorted(known) if (param := parameters.take(keyword)) is not None]
    parameters.finish()
    return found


def _keywords(parameters: MqscParameters) -> kept_definitions.Definition:
    """Consume the rest as keywords of a definition."""
    found: kept_definitions.Definition = {}
    object_type = parameters.command.object_type
    for param in _take_known(parameters, kept_definitions.keywords(object_type)):
        values = None if param.values is None else list(param.values)
        wrong = kept_definitions.check(object_type, param.keyword, values)
        if wrong is not None:
            parameters.mistake(wrong, param)
        elif not kept_definitions.is_default(object_type, param.keyword, values):
            parameters.note_effect(object_type, param.keyword)
        found[param.keyword] = values
    return found


def _done(object_type: str, what: str) -> Response:
    number = _NUMBERS[object_type].get(what)
    return Response([message(number) if number else f"mqx {object_type.lower()} {what}."])


def define_subscription(parameters: MqscParameters) -> Action:
    """Parse DEFINE SUB."""
    name = parameters.free_name()
    if name == _DEFAULT_SUB:
        parameters.leave_out(name, whole=True)
    replace = parameters.flag("REPLACE", "NOREPLACE")
    words = {word: parameters.value(word) or "" for word in ("TOPICSTR", "TOPICOBJ", "DEST", "SELECTOR", "USERDATA")}
    wants_managed = parameters.word({"MANAGED": "MANAGED", "PROVIDED": ""}, "DESTCLAS") == "MANAGED"
    by_character = parameters.word({"CHAR": "CHAR", "TOPIC": ""}, "WSCHEMA") == "CHAR"
    correl_id = _correl_id(parameters)
    expiry = _expiry(parameters)
    parameters.word({"YES": "YES"}, "DURABLE")
    for keyword in sorted(without_effect("SUB") - DISPLAY_ONLY["SUB"]):
        if parameters.take(keyword) is not None:
            parameters.note_effect("SUB", keyword)
    parameters.finish()
    if not parameters.mistakes and not (words["TOPICSTR"].strip() or words["TOPICOBJ"].strip()):
        parameters.mistake("DEFINE SUB needs TOPICSTR or TOPICOBJ")

    def act(connection: Connection) -> Response:
        with connection.work() as work:
            topic = full_topic_string(work.db, words["TOPICOBJ"].strip(), words["TOPICSTR"].strip())
            destination = "" if wants_managed else words["DEST"].strip()
            check_subscribe(connection, topic, by_character=by_character, is_durable=True)
            if destination:
                check_queue(connection, destination, "PUT")
            wanted = SubscriptionRecord(
                name,
                topic,
                destination,
                cmqc.MQSO_WILDCARD_CHAR if by_character else 0,
                correl_id,
                words["SELECTOR"].strip(),
                words["USERDATA"].rstrip(),
                expiry=expiry,
            )
            subscriptions.define_subscription(work, wanted, replace=replace)
        return _done("SUB", "created")

    return act


def _correl_id(parameters: MqscParameters) -> str:
    """Consume DESTCORL; return it as hex of 24 bytes, empty for none."""
    text = (parameters.value("DESTCORL") or "").strip()
    if len(text) <= 48 and len(text) % 2 == 0 and all(each in "0123456789abcdefABCDEF" for each in text):
        return text.lower().ljust(48, "0") if text.strip("0") else ""
    parameters.mistake("DESTCORL must be up to 48 hexadecimal digits")
    return ""


def _expiry(parameters: MqscParameters) -> int:
    """Consume EXPIRY; return it in tenths of a second, MQEI_UNLIMITED for none."""
    text = (parameters.value("EXPIRY") or "UNLIMITED").strip().upper()
    if text.isascii() and text.isdigit() and len(text) <= 9 and int(text):
        return int(text)
    if text != "UNLIMITED":
        parameters.mistake("EXPIRY must be 1 to 999999999 or UNLIMITED")
    return cmqc.MQEI_UNLIMITED


def delete_subscription(parameters: MqscParameters) -> Action:
    """Parse DELETE SUB."""
    name = parameters.free_name()
    parameters.finish()

    def act(connection: Connection) -> Response:
        with connection.work() as work:
            subscriptions.delete_subscription(work, name)
        return _done("SUB", "deleted")

    return act


def display_subscriptions(parameters: MqscParameters) -> Action:
    """Parse DISPLAY SUB: a generic name; all attributes are shown."""
    pattern = parameters.free_name()
    _take_displayed(parameters)
    return partial(_display_subscriptions, pattern)


def _display_subscriptions(pattern: str, connection: Connection) -> Response:
    with connection.db.reading():
        every = subscriptions.durable_subscriptions(connection.db)
    found = [_subscription(each) for each in every if matches_name(pattern, each.name)]
    if not found:
        return none_found("subscription", pattern, MQRC_NO_SUBSCRIPTION)
    return Response([], found)


def _subscription(found: SubscriptionRecord) -> DisplayedObject:
    values: dict[str, str] = {
        "SUB": found.name,
        "TOPICSTR": found.topic,
        "DEST": found.queue,
        "DESTCLAS": "MANAGED" if found.options & cmqc.MQSO_MANAGED else "PROVIDED",
        "DESTCORL": found.correl_id.upper(),
        "DURABLE": "YES",
        "EXPIRY": "UNLIMITED" if found.expiry == cmqc.MQEI_UNLIMITED else str(found.expiry),
        "SELECTOR": found.selector,
        "USERDATA": found.user_data,
        "WSCHEMA": "CHAR" if found.options & cmqc.MQSO_WILDCARD_CHAR else "TOPIC",
    }
    pairs: list[tuple[str, str | None]] = list(values.items())
    return _displayed("SUB", pairs)
