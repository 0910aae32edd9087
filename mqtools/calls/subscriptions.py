"""MQSUB and MQSUBRQ, and the close of a subscription."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqtools.calls.objects import check_room
from mqtools.calls.sessions import CallSession, counted
from mqtools.constants import cmqc, cmqcfc
from mqtools.constants.administration import MQRQ_SUB_DEST_NOT_AUTHORIZED
from mqtools.constants.objects import MANAGED_DURABLE, MANAGED_NON_DURABLE
from mqtools.constants.reasons import (
    MQRC_HOBJ_ERROR,
    MQRC_IDENTITY_MISMATCH,
    MQRC_NO_RETAINED_MSG,
    MQRC_NO_SUBSCRIPTION,
    MQRC_NONE,
    MQRC_OPTIONS_ERROR,
    MQRC_SUB_ALREADY_EXISTS,
    MQRC_SUB_NAME_ERROR,
    MQRC_SUBSCRIPTION_IN_USE,
    MQRC_TOPIC_NOT_ALTERABLE,
)
from mqtools.errors import MQError
from mqtools.headers import fields
from mqtools.headers.fields import NATIVE, StructureForm
from mqtools.headers.structures_message import SD, SRO
from mqtools.mqi import events, recovery
from mqtools.mqi.authority import check_queue, checked_user
from mqtools.mqi.handle import Handle
from mqtools.mqi.identity import new_id
from mqtools.mqi.overrides import Override
from mqtools.mqi.publish_subscribe import publications, shared_subscriptions
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.mqi.publish_subscribe.topics import check_subscribe, full_topic_string
from mqtools.mqi.statistics.tallies import of_object
from mqtools.mqi.transaction import Work
from mqtools.rules.selector.selector import compile_selector
from mqtools.rules.statistics import SUBSCRIBES
from mqtools.rules.system_queues import DURABLE_MODEL, NON_DURABLE_MODEL
from mqtools.store import objects, queues

_WAYS = cmqc.MQSO_CREATE | cmqc.MQSO_RESUME | cmqc.MQSO_ALTER
#: Options of the call that are not part of the subscription.
_OF_THE_CALL = _WAYS | cmqc.MQSO_NEW_PUBLICATIONS_ONLY | cmqc.MQSO_FAIL_IF_QUIESCING
#: Places of the counters of MQSUB.
_CREATED, _ALTERED, _RESUMED = range(SUBSCRIBES)
_GETTING = cmqc.MQOO_INPUT_AS_Q_DEF | cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE


@dataclass(slots=True, eq=False)
class Subscription:
    """Open subscription. kept: its record.  queue: handle of its queue, if that is managed."""

    session: CallSession
    kept: SubscriptionRecord
    queue: Handle | None

    def close(self, options: int = 0) -> int:
        """MQCLOSE: end a subscription that is not durable, or a durable one with MQCO_REMOVE_SUB."""
        connection = self.session.connection
        if self.kept.is_shared and not options & cmqc.MQCO_REMOVE_SUB:
            shared_subscriptions.leave(connection, self.kept.name)
            return MQRC_NONE
        with connection.work() as work:
            found = publications.find(work, self.kept.name)
            if self.kept.is_durable and found is not None and not options & cmqc.MQCO_REMOVE_SUB:
                found.user = ""
                publications.keep(work.db, found)
                return MQRC_NONE
            objects.delete(work.db, publications.KIND, self.kept.name)
            if self.kept.is_durable and self.kept.options & cmqc.MQSO_MANAGED:
                self._delete_queue(work)
        return MQRC_NONE

    def _delete_queue(self, work: Work) -> None:
        """Delete the managed queue, now or when the program closes it."""
        found = queues.by_name(work.db, self.kept.queue)
        if found is not None:
            recovery.drop_after_openers(work, found.id)
        if self.queue is not None:
            self.queue.made_its_queue = True  # its close deletes the queue


@counted("sub")
def subscribe(
    session: CallSession, sd: bytes, ho: int, form: StructureForm = NATIVE, *, is_shared: bool = False
) -> tuple[bytes, int, int, int]:
    """MQSUB: return the descriptor, the handle of the queue, that of the subscription, and the reason.

    is_shared: with other consumers, which no option of the descriptor says.
    Raises MQError: MQRC_SD_ERROR, MQRC_OPTIONS_ERROR, MQRC_SUB_NAME_ERROR, MQRC_SUB_ALREADY_EXISTS,
    MQRC_NO_SUBSCRIPTION, MQRC_SUBSCRIPTION_IN_USE, MQRC_IDENTITY_MISMATCH, MQRC_TOPIC_NOT_ALTERABLE, MQRC_HOBJ_ERROR,
    MQRC_NOT_AUTHORIZED, MQRC_EXPIRY_ERROR, as ``full_topic_string``, ``check_subscribe`` and ``compile_selector``.
    """
    values = fields.read(SD, sd, form)
    options, name = values["Options"], values["SubName"]
    _check(options, name)
    publications.check_expiry(values["SubExpiry"])
    check_room(session)
    with session.acting_for(values, is_alternate=bool(options & cmqc.MQSO_ALTERNATE_USER_AUTHORITY)):
        if is_shared:
            ho, hsub = _share(session, values)
            return fields.write(SD, values, form), ho, hsub, MQRC_NONE
        with session.connection.work() as work:
            session.connection.register(work)
            found = publications.find(work, name) if name else None
            if found is not None:
                _check_usable(work, found, options)
        if found is None and not options & cmqc.MQSO_CREATE:
            raise MQError(f"there is no subscription {name}", MQRC_NO_SUBSCRIPTION)
        if found is None:
            ho, hsub = _create(session, values, name, ho)
        else:
            ho, hsub = _resume(session, values, found, ho)
    if session.connection.counters is not None:
        kind = _CREATED if found is None else _ALTERED if options & cmqc.MQSO_ALTER else _RESUMED
        name = "sub_dur_count" if values["Options"] & cmqc.MQSO_DURABLE else "sub_ndur_count"
        session.connection.counters.note(name, of_object(kind, SUBSCRIBES))
    return fields.write(SD, values, form), ho, hsub, MQRC_NONE


def _check(options: int, name: str) -> None:
    if not options & _WAYS:
        raise MQError("a subscription is created, altered or resumed", MQRC_OPTIONS_ERROR)
    if options & cmqc.MQSO_WILDCARD_CHAR and options & cmqc.MQSO_WILDCARD_TOPIC:
        raise MQError("wildcards of both kinds cannot be combined", MQRC_OPTIONS_ERROR)
    if not name and (options & cmqc.MQSO_DURABLE or not options & cmqc.MQSO_CREATE):
        raise MQError("a durable subscription needs a name", MQRC_SUB_NAME_ERROR)


def _check_usable(work: Work, found: SubscriptionRecord, options: int) -> None:
    """Check that a subscription may be created, or resumed by this program."""
    if not options & (cmqc.MQSO_RESUME | cmqc.MQSO_ALTER) or (found.is_shared and options & cmqc.MQSO_CREATE):
        raise MQError(f"subscription {found.name} already exists", MQRC_SUB_ALREADY_EXISTS)
    connection = work.connection
    is_of_another = connection.checked_user is not None and found.owner not in ("", connection.checked_user)
    if is_of_another and not found.options & cmqc.MQSO_ANY_USERID:
        raise MQError(f"subscription {found.name} belongs to user {found.owner}", MQRC_IDENTITY_MISMATCH)
    if publications.is_in_use(work, found):
        raise MQError(f"subscription {found.name} is in use", MQRC_SUBSCRIPTION_IN_USE)


def _share(session: CallSession, values: dict[str, Any]) -> tuple[int, int]:
    """Become a consumer of a shared subscription, with a handle of its queue."""
    name, is_durable = values["SubName"], bool(values["Options"] & cmqc.MQSO_DURABLE)
    compile_selector(values["SelectionString"])
    topic = _topic_in(session, values)
    kept, opened = shared_subscriptions.join(
        session.connection, name, topic, selector=values["SelectionString"], is_durable=is_durable
    )
    return _register(session, values, kept, session.add(opened), opened)


def _topic_in(session: CallSession, values: dict[str, Any]) -> str:
    """Return the full topic string of a descriptor."""
    with session.connection.db.reading():
        return full_topic_string(session.connection.db, fields.name_in(values, "ObjectName"), values["ObjectString"])


def _create(session: CallSession, values: dict[str, Any], name: str, ho: int) -> tuple[int, int]:
    connection, options = session.connection, values["Options"]
    topic = _topic_in(session, values)
    by_character, is_durable = bool(options & cmqc.MQSO_WILDCARD_CHAR), bool(options & cmqc.MQSO_DURABLE)
    check_subscribe(connection, topic, by_character=by_character, is_durable=is_durable)
    compile_selector(values["SelectionString"])
    opened, ho = _queue_of(session, options, ho)
    with connection.work() as work:
        correl_id = values["SubCorrelId"] if options & cmqc.MQSO_SET_CORREL_ID else new_id(work.qmgr.name)
        assert connection.presence is not None
        token = connection.presence.token.hex()
        kept = SubscriptionRecord(
            name or new_id(work.qmgr.name).hex(),
            topic,
            opened.q_name,
            options & ~_OF_THE_CALL,
            correl_id.hex(),
            values["SelectionString"],
            values["SubUserData"],
            token="" if options & cmqc.MQSO_DURABLE else token,
            user=token,
            resumed_ms=work.now_ms,
            owner=connection.checked_user or connection.user_identifier,  # names may begin alike
        )
        kept.expire_after(values["SubExpiry"], work.now_ms)
        publications.keep(work.db, kept)
        work.durable = kept.is_durable
    if not options & (cmqc.MQSO_NEW_PUBLICATIONS_ONLY | cmqc.MQSO_PUBLICATIONS_ON_REQUEST):
        try:
            publications.send_retained(connection, kept)
        except MQError:
            Subscription(session, kept, opened).close(cmqc.MQCO_REMOVE_SUB)
            if options & cmqc.MQSO_MANAGED:
                session.objects.pop(ho).close()
            raise
    return _register(session, values, kept, ho, opened)


def _queue_of(session: CallSession, options: int, ho: int) -> tuple[Handle, int]:
    """Return the queue of a subscription: a new managed one, or the program's own."""
    if not options & cmqc.MQSO_MANAGED:
        found: Handle = session.open_object(ho, Handle, MQRC_HOBJ_ERROR)
        try:
            check_queue(session.connection, found.q_name, "PUT")
        except MQError:
            values: dict[int, object] = {cmqcfc.MQCACF_DESTINATION: found.q_name}
            values |= {cmqcfc.MQCACF_USER_IDENTIFIER: checked_user(session.connection)}
            values |= events.application(session.connection)
            events.not_authorized(session.connection, MQRQ_SUB_DEST_NOT_AUTHORIZED, values)
            raise
        return found, ho
    durable = options & cmqc.MQSO_DURABLE
    model = DURABLE_MODEL if durable else NON_DURABLE_MODEL
    prefix = MANAGED_DURABLE if durable else MANAGED_NON_DURABLE
    with Override(session.connection, is_unchecked=True):
        opened = session.connection.open(model, _GETTING, dynamic_q_name=f"{prefix}*")
    return opened, session.add(opened)


def _resume(session: CallSession, values: dict[str, Any], kept: SubscriptionRecord, ho: int) -> tuple[int, int]:
    connection = session.connection
    added, name = values["ObjectString"], fields.name_in(values, "ObjectName")
    with connection.db.reading():
        if (added or name) and full_topic_string(connection.db, name, added) != kept.topic:
            raise MQError(f"subscription {kept.name} is to another topic", MQRC_TOPIC_NOT_ALTERABLE)
    by_character = bool(kept.options & cmqc.MQSO_WILDCARD_CHAR)
    resumes = not values["Options"] & cmqc.MQSO_ALTER
    check_subscribe(connection, kept.topic, by_character=by_character, resumes=resumes)
    if kept.options & cmqc.MQSO_MANAGED:
        with Override(connection, is_unchecked=True):
            opened = connection.open(kept.queue, _GETTING)
        ho = session.add(opened)
    elif ho in (0, -1) or values["Options"] & cmqc.MQSO_MANAGED:
        opened = connection.open(kept.queue, _GETTING)
        ho = session.add(opened)
    else:
        opened, ho = _queue_of(session, 0, ho)
        kept.queue = opened.q_name
    with connection.work() as work:
        assert connection.presence is not None
        kept.user, kept.resumed_ms = connection.presence.token.hex(), work.now_ms
        if not resumes:
            kept.expire_after(values["SubExpiry"], work.now_ms)
        publications.keep(work.db, kept)
    return _register(session, values, kept, ho, opened)


def _register(
    session: CallSession, values: dict[str, Any], kept: SubscriptionRecord, ho: int, opened: Handle
) -> tuple[int, int]:
    """Set the output fields of the descriptor, and add the open subscription; return both handles."""
    values["Options"] = values["Options"] & _OF_THE_CALL | kept.options
    values["SubCorrelId"] = bytes.fromhex(kept.correl_id)
    values["SubExpiry"] = kept.expiry
    values["ResObjectString"], values["SubUserData"] = kept.topic, kept.user_data
    managed = opened if kept.options & cmqc.MQSO_MANAGED else None
    return ho, session.add(Subscription(session, kept, managed))


@counted("subrq")
def request(
    session: CallSession, hsub: int, action: int, sro: bytes, form: StructureForm = NATIVE
) -> tuple[bytes, int]:
    """MQSUBRQ: send the retained publications of a subscription; set their number in the structure.

    Raises MQError: MQRC_NO_RETAINED_MSG, MQRC_HOBJ_ERROR, MQRC_OPTIONS_ERROR.
    """
    found: Subscription = session.open_object(hsub, Subscription, MQRC_HOBJ_ERROR)
    if action != cmqc.MQSR_ACTION_PUBLICATION:
        raise MQError(f"there is no action {action}", MQRC_OPTIONS_ERROR)
    values = fields.read(SRO, sro, form)
    values["NumPubs"] = publications.send_retained(session.connection, found.kept)
    if not values["NumPubs"]:
        raise MQError("nothing is retained for the subscription", MQRC_NO_RETAINED_MSG)
    return fields.write(SRO, values, form), MQRC_NONE
