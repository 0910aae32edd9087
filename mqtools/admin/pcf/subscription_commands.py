"""PCF commands on subscriptions: create, delete, inquire."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from mqtools.admin.pcf.request import PcfParameters
from mqtools.admin.subscriptions import define_managed_queue
from mqtools.constants import cmqc, cmqcfc
from mqtools.constants.reasons import MQRC_NO_SUBSCRIPTION
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import matches_name
from mqtools.headers.pcf import PCFError
from mqtools.mqi.identity import new_id
from mqtools.mqi.publish_subscribe import publications
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.mqi.publish_subscribe.topics import check_subscription, full_topic_string
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import Work

if TYPE_CHECKING:
    from mqtools.admin.pcf.values import ParameterWriter, Replies
    from mqtools.headers.pcf import Parameter

_LONGEST = 10240


def create(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_CREATE_SUBSCRIPTION: durable, with an existing or a managed destination.

    Raises PCFError: MQRCCF_SUB_ALREADY_EXISTS, MQRCCF_DEST_NAME_ERROR, and as ``full_topic_string`` does.
    """
    name = parameters.name(cmqcfc.MQCACF_SUB_NAME, _LONGEST)
    added = parameters.text(cmqc.MQCA_TOPIC_STRING, _LONGEST) or ""
    topic = full_topic_string(work.db, parameters.text(cmqc.MQCA_TOPIC_NAME) or "", added)
    destination = parameters.text(cmqcfc.MQCACF_DESTINATION) or ""
    is_managed = parameters.integer(cmqcfc.MQIACF_DESTINATION_CLASS) == cmqc.MQDC_MANAGED or not destination
    by_character = parameters.integer(cmqcfc.MQIACF_WILDCARD_SCHEMA) == cmqc.MQWS_CHAR
    user_data = parameters.text(cmqcfc.MQCACF_SUB_USER_DATA, _LONGEST) or ""
    expiry = parameters.integer(cmqcfc.MQIACF_EXPIRY) or cmqc.MQEI_UNLIMITED
    publications.check_expiry(expiry)
    parameters.ignore(cmqcfc.MQIACF_DURABLE_SUBSCRIPTION, cmqcfc.MQIACF_SUBSCRIPTION_SCOPE, cmqcfc.MQIACF_REPLACE)
    parameters.finish()
    if publications.find(work, name) is not None:
        text = f"subscription {name} already exists"
        raise PCFError(text, cmqcfc.MQRCCF_SUB_ALREADY_EXISTS, cmqcfc.MQCACF_SUB_NAME)
    check_subscription(work.db, topic, is_durable=True, by_character=by_character)
    options = cmqc.MQSO_DURABLE | (cmqc.MQSO_MANAGED if is_managed else 0)
    options |= cmqc.MQSO_WILDCARD_CHAR if by_character else 0
    queue = define_managed_queue(work) if is_managed else _find_destination(work, destination)
    record = SubscriptionRecord(name, topic, queue, options, new_id(work.qmgr.name).hex(), user_data=user_data)
    record.expire_after(expiry, work.now_ms)
    publications.keep(work.db, record)
    work.durable = True
    return []


def _find_destination(work: Work, destination: str) -> str:
    try:
        return find_queue(work.db, destination).name
    except MQError as error:
        raise PCFError(error.text, cmqcfc.MQRCCF_DEST_NAME_ERROR, cmqcfc.MQCACF_DESTINATION) from error


def delete(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_DELETE_SUBSCRIPTION: by name or identifier, with its managed queue.

    Raises PCFError: MQRC_NO_SUBSCRIPTION, MQRCCF_SUBSCRIPTION_IN_USE.
    """
    sub_id = parameters.byte_string(cmqcfc.MQBACF_SUB_ID) or b""
    name = (
        parameters.text(cmqcfc.MQCACF_SUB_NAME, _LONGEST)
        if any(sub_id)
        else parameters.name(cmqcfc.MQCACF_SUB_NAME, _LONGEST)
    )
    parameters.finish()
    found = _find(work, name, sub_id)
    name = found.name
    if publications.is_in_use(work, found):
        text = f"subscription {name} is in use"
        raise PCFError(text, cmqcfc.MQRCCF_SUBSCRIPTION_IN_USE, cmqcfc.MQCACF_SUB_NAME)
    publications.remove(work, found)
    return []


def _find(work: Work, name: str | None, sub_id: bytes) -> SubscriptionRecord:
    """Return the subscription with a name, an identifier other than zeros, or both."""
    if any(sub_id):
        found = next((one for one in publications.live_subscriptions(work) if _sub_id(one) == sub_id), None)
    else:
        found = publications.find(work, name or "")
    if found is None or name not in (None, found.name):
        words, number = (sub_id.hex(), cmqcfc.MQBACF_SUB_ID) if any(sub_id) else (name, cmqcfc.MQCACF_SUB_NAME)
        raise PCFError(f"subscription {words} does not exist", MQRC_NO_SUBSCRIPTION, number)
    return found


def inquire(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_SUBSCRIPTION: by generic name or identifier."""
    pattern = parameters.text(cmqcfc.MQCACF_SUB_NAME, _LONGEST)
    sub_id = parameters.byte_string(cmqcfc.MQBACF_SUB_ID) or b""
    parameters.finish()
    wanted = pattern or "*"
    found = [one for one in publications.live_subscriptions(work) if matches_name(wanted, one.name)]
    replies = [_reply(one, writer) for one in found if not any(sub_id) or _sub_id(one) == sub_id]
    if not replies:
        raise PCFError(f"subscription {wanted} does not exist", MQRC_NO_SUBSCRIPTION, cmqcfc.MQCACF_SUB_NAME)
    return replies


def _sub_id(found: SubscriptionRecord) -> bytes:
    return sha256(found.name.encode()).digest()[:24]


def _reply(found: SubscriptionRecord, writer: ParameterWriter) -> list[Parameter]:
    managed = found.options & cmqc.MQSO_MANAGED
    values: dict[int, object] = {
        cmqcfc.MQCACF_SUB_NAME: found.name,
        cmqcfc.MQBACF_SUB_ID: _sub_id(found),
        cmqc.MQCA_TOPIC_STRING: found.topic,
        cmqcfc.MQCACF_DESTINATION: found.queue.ljust(48),
        cmqcfc.MQIACF_DESTINATION_CLASS: cmqc.MQDC_MANAGED if managed else cmqc.MQDC_PROVIDED,
        cmqcfc.MQIACF_DURABLE_SUBSCRIPTION: cmqc.MQSUB_DURABLE_YES if found.is_durable else cmqc.MQSUB_DURABLE_NO,
        cmqcfc.MQBACF_DESTINATION_CORREL_ID: bytes.fromhex(found.correl_id),
        cmqcfc.MQCACF_SUB_USER_DATA: found.user_data,
        cmqcfc.MQIACF_EXPIRY: found.expiry,
    }
    return [writer.parameter(number, value) for number, value in values.items()]
