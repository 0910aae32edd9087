"""Commands on subscriptions: define, delete, display."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from mqtools.admin import subscriptions
from mqtools.admin.commands.queues import Row
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import reasons as rc
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import matches_name
from mqtools.mqi.authority import check_queue
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.mqi.publish_subscribe.topics import check_subscribe, full_topic_string
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.kept_keywords import DISPLAY_KEYWORDS, DISPLAY_ONLY, KEYWORDS
from mqtools.rules.attributes.table import INTEGER, TEXT, WORD, without_effect
from mqtools.rules.commands.command import (
    BYTES,
    FREE,
    REPLACE,
    AdminCommand,
    CommandParameter,
    ParameterError,
    ignored,
    name,
)
from mqtools.store.database import Database

_LONGEST = 10240
#: Subscription that has the defaults of new ones: mqx has these without it.
_DEFAULT = "SYSTEM.DEFAULT.SUB"


def define(work: Work, name: str, replace: bool, **given: Any) -> None:
    """Define a durable subscription, with an existing or a managed destination. given: parameters of the command.

    Raises MQError as ``subscriptions.define_subscription`` and ``full_topic_string`` do.
    """
    texts = {row.name: (given[row.name] or "").strip() for row in _TEXTS}
    topic = full_topic_string(work.db, texts["topic_object"], texts["topic_string"])
    by_character = given["wildcards"] == cmqc.MQWS_CHAR
    queue = "" if given["destination_class"] == cmqc.MQDC_MANAGED else texts["destination"]
    if not replace:
        subscriptions.check_new(work, name)
    check_subscribe(work.connection, topic, by_character=by_character, is_durable=True)
    if queue:
        try:
            find_queue(work.db, queue)
        except MQError as error:
            raise ParameterError(error.text, error.reason, "destination", hint=error.hint) from error
        check_queue(work.connection, queue, "PUT")
    wanted = SubscriptionRecord(
        name,
        topic,
        queue,
        cmqc.MQSO_WILDCARD_CHAR if by_character else 0,
        _identifier(given["correl_id"] or ""),
        texts["selector"],
        (given["user_data"] or "").rstrip(),
        expiry=given["expiry"] or cmqc.MQEI_UNLIMITED,
    )
    subscriptions.define_subscription(work, wanted, replace=replace)


def _identifier(digits: str) -> str:
    """Return an identifier as hexadecimal digits of 24 bytes, empty for none."""
    digits = digits.strip().lower()
    return digits.ljust(48, "0") if digits.strip("0") else ""


def _mistakes(arguments: Mapping[str, Any]) -> Iterator[str]:
    digits = (arguments["correl_id"] or "").strip()
    if len(digits) > 48 or len(digits) % 2 or not set(digits) <= set("0123456789abcdefABCDEF"):
        yield "DESTCORL must be up to 48 hexadecimal digits"
    topic = f"{arguments['topic_string'] or ''}{arguments['topic_object'] or ''}"
    if not topic.strip() and arguments["name"] != _DEFAULT:
        yield "DEFINE SUB needs TOPICSTR or TOPICOBJ"


def _lacking(arguments: Mapping[str, Any]) -> Iterable[tuple[str, bool]]:
    return ((_DEFAULT, True),) if arguments["name"] == _DEFAULT else ()


def delete(work: Work, name: str | None, sub_id: str | None = None) -> None:
    """Delete a subscription by its name or its identifier, with its managed queue."""
    if not (sub_id or "").strip("0"):
        if name is None:
            raise ParameterError("subscription name is missing", c.MQRCCF_PARM_COUNT_TOO_SMALL, "name")
        subscriptions.delete_subscription(work, name)
        return
    found = [each.name for each in subscriptions.live(work.db) if _sub_id(each) == sub_id]
    if not found or name not in (None, found[0]):
        raise ParameterError(f"subscription {sub_id} does not exist", rc.MQRC_NO_SUBSCRIPTION, "sub_id")
    subscriptions.delete_subscription(work, found[0])


def show(db: Database, name: str | None, sub_id: str | None = None) -> Iterator[Row]:
    """Yield the subscriptions that match a generic name, or have an identifier."""
    wanted = (sub_id or "").strip("0")
    for each in subscriptions.live(db):
        if matches_name(name or "*", each.name) and (not wanted or _sub_id(each) == sub_id):
            yield "SUB", _values(each)


def _sub_id(found: SubscriptionRecord) -> str:
    return sha256(found.name.encode()).digest()[:24].hex().upper()


def _values(found: SubscriptionRecord) -> dict[str, Any]:
    is_managed, by_character = found.options & cmqc.MQSO_MANAGED, found.options & cmqc.MQSO_WILDCARD_CHAR
    return {
        "sub": found.name,
        "sub_id": _sub_id(found),
        "topicstr": found.topic,
        "dest": found.queue,
        "destclas": cmqc.MQDC_MANAGED if is_managed else cmqc.MQDC_PROVIDED,
        "destcorl": found.correl_id.upper(),
        "durable": cmqc.MQSUB_DURABLE_YES if found.is_durable else cmqc.MQSUB_DURABLE_NO,
        "expiry": found.expiry,
        "selector": found.selector,
        "userdata": found.user_data,
        "wschema": cmqc.MQWS_CHAR if by_character else cmqc.MQWS_TOPIC,
    }


_TEXTS = (
    CommandParameter("TOPICSTR", "topic_string", cmqc.MQCA_TOPIC_STRING, TEXT, maximum=_LONGEST),
    CommandParameter("TOPICOBJ", "topic_object", cmqc.MQCA_TOPIC_NAME, TEXT, maximum=48),
    CommandParameter("DEST", "destination", c.MQCACF_DESTINATION, TEXT, maximum=48),
    CommandParameter("SELECTOR", "selector", c.MQCACF_SUB_SELECTOR, TEXT, maximum=_LONGEST),
    CommandParameter("USERDATA", "user_data", c.MQCACF_SUB_USER_DATA, TEXT, maximum=_LONGEST),
)
_NAME = name(c.MQCACF_SUB_NAME, FREE, _LONGEST)
_IN_USE: dict[Any, int] = {
    rc.MQRC_SUB_ALREADY_EXISTS: c.MQRCCF_SUB_ALREADY_EXISTS,
    rc.MQRC_SUBSCRIPTION_IN_USE: c.MQRCCF_SUBSCRIPTION_IN_USE,
    ("destination", rc.MQRC_UNKNOWN_OBJECT_NAME): c.MQRCCF_DEST_NAME_ERROR,
}
_NAMED = (rc.MQRC_SUB_ALREADY_EXISTS, rc.MQRC_SUBSCRIPTION_IN_USE, rc.MQRC_NO_SUBSCRIPTION)
_WITHOUT_EFFECT = without_effect("SUB") - DISPLAY_ONLY["SUB"]
_BY_ID = (
    CommandParameter("", "sub_id", c.MQBACF_SUB_ID, BYTES),
    CommandParameter("", "name", c.MQCACF_SUB_NAME, TEXT, maximum=_LONGEST, form=FREE),
)

COMMANDS = (
    AdminCommand(
        verb="DEFINE", object_types=("SUB",), number=c.MQCMD_CREATE_SUBSCRIPTION, do=define,
        parameters=(
            _NAME, *_TEXTS,
            CommandParameter("DESTCLAS", "destination_class", c.MQIACF_DESTINATION_CLASS, WORD,
                      words=(("MANAGED", cmqc.MQDC_MANAGED), ("PROVIDED", cmqc.MQDC_PROVIDED))),
            CommandParameter("WSCHEMA", "wildcards", c.MQIACF_WILDCARD_SCHEMA, WORD,
                      words=(("CHAR", cmqc.MQWS_CHAR), ("TOPIC", cmqc.MQWS_TOPIC))),
            CommandParameter("DESTCORL", "correl_id", c.MQBACF_DESTINATION_CORREL_ID, BYTES),
            CommandParameter("EXPIRY", "expiry", c.MQIACF_EXPIRY, INTEGER, minimum=1, reason=rc.MQRC_EXPIRY_ERROR,
                      words=(("UNLIMITED", cmqc.MQEI_UNLIMITED),), numbers={cmqc.MQEI_UNLIMITED: -1, 0: 0}),
            CommandParameter("DURABLE", "", None, WORD, words=(("YES", cmqc.MQSUB_DURABLE_YES),)),
            REPLACE,
            *(CommandParameter(keyword, "", None, "") for keyword in sorted(_WITHOUT_EFFECT)),
            *ignored(c.MQIACF_DURABLE_SUBSCRIPTION, c.MQIACF_SUBSCRIPTION_SCOPE),
        ),
        check=_mistakes, lacks=_lacking, done="AMQ8094I", reasons=_IN_USE, named_reasons=_NAMED,
    ),
    AdminCommand(
        verb="DELETE", object_types=("SUB",), number=c.MQCMD_DELETE_SUBSCRIPTION, do=delete, parameters=_BY_ID,
        done="mqx sub deleted.", reasons=_IN_USE, named_reasons=_NAMED,
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("SUB",), number=c.MQCMD_INQUIRE_SUBSCRIPTION, do=show, shows=True,
        parameters=_BY_ID, filters=False, done="AMQ8096I", missing="subscription",
        missing_reason=rc.MQRC_NO_SUBSCRIPTION, passes_over=KEYWORDS["SUB"] | DISPLAY_KEYWORDS,
    ),
)  # fmt: skip
