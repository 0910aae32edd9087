"""Commands on subscriptions: define, alter, delete, display, and their status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from mqtools.admin import subscriptions
from mqtools.admin.commands.queues import Row
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import reasons as rc
from mqtools.errors import MQError
from mqtools.mqi.authority import check_queue, checked_user
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.mqi.publish_subscribe.topics import check_subscribe, full_topic_string
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import BYTES, TEXT, WORD
from mqtools.rules.commands.command import (
    FREE,
    REPLACE,
    AdminCommand,
    CommandParameter,
    ParameterError,
    ignored,
    like,
    name,
)
from mqtools.rules.local_time import date_and_time
from mqtools.rules.object_names import matches_name
from mqtools.store.database import Database
from mqtools.store.liveness import is_alive

_LONGEST = 10240
#: Subscription that has the defaults of new ones: mqx has these without it.
_DEFAULT = "SYSTEM.DEFAULT.SUB"
#: Attributes that a record has no field for.
_OTHERS = ("destqmgr", "psprop", "pubacct", "pubappid", "pubprty", "sublevel", "subscope")
#: Attribute to the option of a record (MQSO_*) that it is, and its value with the option.
_OPTIONS = {
    "wschema": (cmqc.MQSO_WILDCARD_CHAR, cmqc.MQWS_CHAR),
    "reqonly": (cmqc.MQSO_PUBLICATIONS_ON_REQUEST, cmqc.MQRU_PUBLISH_ON_REQUEST),
    "varuser": (cmqc.MQSO_ANY_USERID, cmqc.MQVU_ANY_USER),
}


def define(work: Work, name: str, like: str | None, replace: bool, values: Mapping[str, Any]) -> None:
    """Define a durable subscription, with an existing or a managed destination. values: attributes by name.

    Raises MQError as ``subscriptions.define_subscription`` and ``full_topic_string`` do.
    """
    before = subscriptions.find(work, like) if like not in (None, "", _DEFAULT) else None
    topic_object, added = values.get("topicobj", "").strip(), values.get("topicstr", "").strip()
    if before is None or topic_object or added:
        topic = full_topic_string(work.db, topic_object, added)
    else:
        topic, topic_object = before.topic, before.topic_object
    options = _options(values, before)
    is_managed = values.get("destclas") == cmqc.MQDC_MANAGED
    queue = "" if is_managed else (values.get("dest") or (before.own_queue if before else "")).strip()
    if not replace:
        subscriptions.check_new(work, name)
    by_character = bool(options & cmqc.MQSO_WILDCARD_CHAR)
    check_subscribe(work.connection, topic, by_character=by_character, is_durable=True)
    if queue:
        _check_destination(work, queue)
    user = checked_user(work.connection) or work.connection.user_identifier
    wanted = SubscriptionRecord(
        name,
        topic,
        queue,
        options,
        _identifier(values.get("destcorl", ""), 48),
        _text(values, "selector", before.selector if before else ""),
        _text(values, "userdata", before.user_data if before else ""),
        expiry=values.get("expiry") or (before.expiry if before else cmqc.MQEI_UNLIMITED),
        topic_object=topic_object,
        owner=_text(values, "subuser", user),
        attributes={"subtype": c.MQSUBTYPE_ADMIN, **_others(values, before)},
    )
    subscriptions.define_subscription(work, wanted, replace=replace)


def _options(values: Mapping[str, Any], before: SubscriptionRecord | None) -> int:
    """Return MQSO_* for the wildcards, for publications on request, and for any user."""
    options = cmqc.MQSO_ANY_USERID if before is None else before.options & sum(bit for bit, _ in _OPTIONS.values())
    for each, (bit, on) in _OPTIONS.items():
        if each in values:
            options = options | bit if values[each] == on else options & ~bit
    return options


def _text(values: Mapping[str, Any], name: str, before: str) -> str:
    return str(values[name]) if name in values else before


def _others(values: Mapping[str, Any], before: SubscriptionRecord | None) -> dict[str, Any]:
    """Return the attributes that a record has no field for."""
    found = {} if before is None else {**before.attributes}
    found |= {each: values[each] for each in _OTHERS if each in values}
    if "pubacct" in values:
        found["pubacct"] = _identifier(values["pubacct"], 64).upper()
    return found


def _identifier(digits: str, length: int) -> str:
    """Return an identifier as hexadecimal digits, empty for none."""
    digits = digits.strip().lower()
    return digits.ljust(length, "0") if digits.strip("0") else ""


def _check_destination(work: Work, queue: str) -> None:
    try:
        find_queue(work.db, queue)
    except MQError as error:
        raise ParameterError(error.text, error.reason, "dest", number=c.MQCACF_DESTINATION, hint=error.hint) from error
    check_queue(work.connection, queue, "PUT")


def alter(work: Work, name: str | None, values: Mapping[str, Any], sub_id: str | None = None) -> None:
    """Change attributes of a subscription. Its topic, wildcards, selector and class of destination stay.

    Raises MQError: MQRC_NO_SUBSCRIPTION, MQRC_SUBSCRIPTION_IN_USE, MQRC_TOPIC_NOT_ALTERABLE,
    MQRC_SELECTOR_NOT_ALTERABLE, MQRC_DEST_CLASS_NOT_ALTERABLE.
    """
    found = subscriptions.find_idle(work, _name_of(work, name, sub_id))
    topic_object, added = values.get("topicobj", "").strip(), values.get("topicstr", "").strip()
    options = _options(values, found)
    stays_in_topic = not (topic_object or added) or full_topic_string(work.db, topic_object, added) == found.topic
    if not stays_in_topic or (options ^ found.options) & cmqc.MQSO_WILDCARD_CHAR:
        raise MQError(f"subscription {found.name} keeps its topic and wildcards", rc.MQRC_TOPIC_NOT_ALTERABLE)
    if _text(values, "selector", found.selector) != found.selector:
        raise MQError(f"subscription {found.name} keeps its selector", rc.MQRC_SELECTOR_NOT_ALTERABLE)
    queue = values.get("dest", "").strip()
    classes = {values.get("destclas"), cmqc.MQDC_PROVIDED if queue else None, None}
    if classes - {None, _class_of(found)}:
        raise MQError(f"subscription {found.name} keeps its class of destination", rc.MQRC_DEST_CLASS_NOT_ALTERABLE)
    if queue:
        _check_destination(work, queue)
        found.queue = find_queue(work.db, queue).name
    if "destcorl" in values:
        found.correl_id = _identifier(values["destcorl"], 48) or found.correl_id
    found.options = found.options & ~(cmqc.MQSO_PUBLICATIONS_ON_REQUEST | cmqc.MQSO_ANY_USERID) | options
    found.owner = _text(values, "subuser", found.owner)
    found.user_data = _text(values, "userdata", found.user_data)
    found.attributes = _others(values, found)
    if "expiry" in values:
        found.expire_after(values["expiry"] or cmqc.MQEI_UNLIMITED, work.now_ms)
    subscriptions.write_altered(work, found)


def _class_of(found: SubscriptionRecord) -> int:
    return cmqc.MQDC_MANAGED if found.options & cmqc.MQSO_MANAGED else cmqc.MQDC_PROVIDED


def _mistakes(arguments: Mapping[str, Any]) -> Iterator[str]:
    values = arguments["values"]
    topic = f"{values.get('topicstr', '')}{values.get('topicobj', '')}{arguments.get('like', 'its own') or ''}"
    if not topic.strip() and arguments["name"] != _DEFAULT:
        yield "DEFINE SUB needs TOPICSTR or TOPICOBJ"


def _lacking(arguments: Mapping[str, Any]) -> tuple[tuple[str, bool], ...]:
    return ((_DEFAULT, True),) if arguments["name"] == _DEFAULT else ()


def delete(work: Work, name: str | None, sub_id: str | None = None) -> None:
    """Delete a subscription by its name or its identifier, with its managed queue."""
    subscriptions.delete_subscription(work, _name_of(work, name, sub_id))


def _name_of(work: Work, name: str | None, sub_id: str | None) -> str:
    """Return the name of a subscription that a command names, or gives the identifier of. Raises ParameterError."""
    if not (sub_id or "").strip("0"):
        if name is None:
            raise ParameterError("subscription name is missing", c.MQRCCF_PARM_COUNT_TOO_SMALL, "name")
        return name
    found = [each.name for each in subscriptions.live(work.db) if _sub_id(each) == sub_id]
    if not found or name not in (None, found[0]):
        raise ParameterError(f"subscription {sub_id} does not exist", rc.MQRC_NO_SUBSCRIPTION, "sub_id")
    return found[0]


def _sub_id(found: SubscriptionRecord) -> str:
    return sha256(found.name.encode()).digest()[:24].hex().upper()


def _matching(
    db: Database, name: str | None, sub_id: str | None = None, durable: int | None = None, sub_type: int | None = None
) -> Iterator[SubscriptionRecord]:
    """Yield the subscriptions that match a generic name, or have an identifier. durable, sub_type: None for all."""
    wanted = (sub_id or "").strip("0")
    for each in subscriptions.live(db):
        fits = durable in (None, cmqc.MQSUB_DURABLE_ALL, _durable(each)) and sub_type in (*_ALL_TYPES, _type(each))
        if fits and matches_name(name or "*", each.name) and (not wanted or _sub_id(each) == sub_id):
            yield each


def show(db: Database, **wanted: Any) -> Iterator[Row]:
    """Yield the subscriptions that match. wanted: as of ``_matching``."""
    for each in _matching(db, **wanted):
        yield "SUB", subscription_values(each)


def show_status(db: Database, **wanted: Any) -> Iterator[Row]:
    """Yield the status of the subscriptions that match. wanted: as of ``_matching``."""
    for each in _matching(db, **wanted):
        yield "SBSTATUS", status_of(db, each)


def _durable(found: SubscriptionRecord) -> int:
    return cmqc.MQSUB_DURABLE_YES if found.is_durable else cmqc.MQSUB_DURABLE_NO


def _type(found: SubscriptionRecord) -> int:
    return int(found.attributes.get("subtype", c.MQSUBTYPE_API))


def subscription_values(found: SubscriptionRecord) -> dict[str, Any]:
    """Return the attributes of a subscription by name."""
    options = found.options
    created = date_and_time(found.created_ms or None)
    altered = date_and_time(found.altered_ms or found.created_ms or None)
    on_request = options & cmqc.MQSO_PUBLICATIONS_ON_REQUEST
    return {
        **found.attributes,
        "sub": found.name,
        "sub_id": _sub_id(found),
        "altdate": altered[0],
        "alttime": altered[1],
        "crdate": created[0],
        "crtime": created[1],
        "topicstr": found.topic,
        "topicobj": found.topic_object,
        "dest": found.queue,
        "destclas": _class_of(found),
        "destcorl": found.correl_id.upper(),
        "durable": _durable(found),
        "expiry": found.expiry,
        "reqonly": cmqc.MQRU_PUBLISH_ON_REQUEST if on_request else cmqc.MQRU_PUBLISH_ALL,
        "selector": found.selector,
        "seltype": c.MQSELTYPE_STANDARD if found.selector else c.MQSELTYPE_NONE,
        "subuser": found.owner,
        "userdata": found.user_data,
        "varuser": cmqc.MQVU_ANY_USER if options & cmqc.MQSO_ANY_USERID else cmqc.MQVU_FIXED_USER,
        "wschema": cmqc.MQWS_CHAR if options & cmqc.MQSO_WILDCARD_CHAR else cmqc.MQWS_TOPIC,
    }


def status_of(db: Database, found: SubscriptionRecord) -> dict[str, Any]:
    """Return the status of a subscription by name. Its counts are of the publications that were put on its queue."""
    is_open = bool(found.user) and is_alive(db, bytes.fromhex(found.user))
    last, resumed = date_and_time(found.last_message_ms or None), date_and_time(found.resumed_ms or None)
    return {
        "sub": found.name,
        "sub_id": _sub_id(found),
        "topicstr": found.topic,
        "active_connection": found.user[:16].upper() if is_open else "0" * 16,
        "durable": _durable(found),
        "last_message_date": last[0],
        "last_message_time": last[1],
        "messages": found.messages,
        "resume_date": resumed[0],
        "resume_time": resumed[1],
        "subtype": _type(found),
        "subuser": found.owner,
    }


_NAME = name(c.MQCACF_SUB_NAME, FREE, _LONGEST, copied_to=c.MQCACF_TO_SUB_NAME)
_IN_USE: dict[Any, int] = {
    rc.MQRC_SUB_ALREADY_EXISTS: c.MQRCCF_SUB_ALREADY_EXISTS,
    rc.MQRC_SUBSCRIPTION_IN_USE: c.MQRCCF_SUBSCRIPTION_IN_USE,
    ("dest", rc.MQRC_UNKNOWN_OBJECT_NAME): c.MQRCCF_DEST_NAME_ERROR,
}
_NAMED = (rc.MQRC_SUB_ALREADY_EXISTS, rc.MQRC_SUBSCRIPTION_IN_USE, rc.MQRC_NO_SUBSCRIPTION)
_BY_ID = (
    CommandParameter("", "sub_id", c.MQBACF_SUB_ID, BYTES),
    CommandParameter("", "name", c.MQCACF_SUB_NAME, TEXT, maximum=_LONGEST, form=FREE),
)
_ALL_TYPES = (None, c.MQSUBTYPE_ALL, c.MQSUBTYPE_USER)
_NARROWED = (
    *_BY_ID,
    CommandParameter("DURABLE", "durable", c.MQIACF_DURABLE_SUBSCRIPTION, WORD,
                     words=(("ALL", cmqc.MQSUB_DURABLE_ALL), ("YES", cmqc.MQSUB_DURABLE_YES),
                            ("NO", cmqc.MQSUB_DURABLE_NO))),
    CommandParameter("SUBTYPE", "sub_type", c.MQIACF_SUB_TYPE, WORD,
                     words=(("ALL", c.MQSUBTYPE_ALL), ("USER", c.MQSUBTYPE_USER), ("ADMIN", c.MQSUBTYPE_ADMIN),
                            ("API", c.MQSUBTYPE_API), ("PROXY", c.MQSUBTYPE_PROXY))),
)  # fmt: skip

COMMANDS = (
    AdminCommand(
        verb="DEFINE", object_types=("SUB",), number=c.MQCMD_CREATE_SUBSCRIPTION,
        copy_number=c.MQCMD_COPY_SUBSCRIPTION, do=define, sets=True, table="SUB",
        parameters=(like(c.MQCACF_FROM_SUB_NAME, _LONGEST), _NAME, REPLACE),
        check=_mistakes, lacks=_lacking, done="AMQ8094I", reasons=_IN_USE, named_reasons=_NAMED,
    ),
    AdminCommand(
        verb="ALTER", object_types=("SUB",), number=c.MQCMD_CHANGE_SUBSCRIPTION, do=alter, sets=True,
        table="SUB", parameters=_BY_ID,
        check=_mistakes, done="AMQ8095I", reasons=_IN_USE, named_reasons=_NAMED,
    ),
    AdminCommand(
        verb="DELETE", object_types=("SUB",), number=c.MQCMD_DELETE_SUBSCRIPTION, do=delete, parameters=_BY_ID,
        done="mqx sub deleted.", reasons=_IN_USE, named_reasons=_NAMED,
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("SUB",), number=c.MQCMD_INQUIRE_SUBSCRIPTION, do=show, shows=True,
        parameters=(*_NARROWED, *ignored(cmqc.MQIA_DISPLAY_TYPE)), asked=c.MQIACF_SUB_ATTRS,
        always=("sub", "sub_id"), done="AMQ8096I", missing="subscription", missing_reason=rc.MQRC_NO_SUBSCRIPTION,
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("SBSTATUS",), number=c.MQCMD_INQUIRE_SUB_STATUS, do=show_status, shows=True,
        parameters=_NARROWED, asked=c.MQIACF_SUB_STATUS_ATTRS, always=("sub", "sub_id"), completes=True,
        done="AMQ8099I", missing="subscription", missing_reason=rc.MQRC_NO_SUBSCRIPTION,
    ),
)  # fmt: skip
