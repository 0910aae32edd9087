"""Events of MQI calls and of the queue manager: put in the transaction that causes them, where they are enabled.

A call that fails is undone; its event is in its own transaction. No event is about an event queue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.administration import (
    MQCFC_LAST,
    MQCFC_NOT_LAST,
    MQCFH_VERSION_1,
    MQCFT_EVENT,
    MQRQ_CMD_NOT_AUTHORIZED,
    MQRQ_OPEN_NOT_AUTHORIZED,
)
from mqtools.constants.message import MQENC_NATIVE, MQFMT_EVENT, MQPER_PERSISTENT
from mqtools.constants.reasons import (
    MQCC_WARNING,
    MQRC_CONFIG_CHANGE_OBJECT,
    MQRC_CONFIG_CREATE_OBJECT,
    MQRC_CONFIG_DELETE_OBJECT,
    MQRC_NOT_AUTHORIZED,
    MQRC_Q_FULL,
    MQRC_Q_MGR_ACTIVE,
)
from mqtools.errors import MQError
from mqtools.headers.pcf import CFH, Parameter
from mqtools.headers.pcf_bytes import pack_pcf
from mqtools.mqi import authority
from mqtools.mqi.instrumentation import put_instrumentation_message
from mqtools.mqi.queue_statistics import reset_statistics
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.rules.attributes.table import Attribute, by_name, defaults
from mqtools.rules.events import (
    CHANGES,
    EVENT_QUEUES,
    EVENTS,
    HEADER_VERSIONS,
    performance_events,
)
from mqtools.rules.pcf.values import ParameterWriter
from mqtools.store import queue_events, queues
from mqtools.store.database import Database
from mqtools.store.definition_cache import EVENT_SWITCHES
from mqtools.store.queues import Queue

_NO_PARAMETERS: tuple[Parameter, ...] = ()


def setting(db: Database, reason: int) -> int:
    """Return whether an event is enabled: MQEVR_*. reason: MQRC of the event."""
    switch = EVENTS[reason].switch
    row = by_name("QMGR", switch)
    assert row is not None
    return int(str(queues.read_qmgr(db).get(switch, row.default)))


def put_event(
    work: Work,
    reason: int,
    values: Mapping[int, object],
    more: Sequence[Parameter] = _NO_PARAMETERS,
    *,
    number: int = 1,
    control: int = MQCFC_LAST,
) -> None:
    """Put an event on its queue, whether it is enabled or not.

    values: parameters by number; those that are None are left out.  more: parameters behind them.
    number, control: place among the messages of one event.  Raises StorageError.
    """
    event, writer = EVENTS[reason], ParameterWriter(work.qmgr.coded_char_set_id)
    header = CFH(
        event.command,
        type=MQCFT_EVENT,
        version=HEADER_VERSIONS.get(event.command, MQCFH_VERSION_1),
        msg_seq_number=number,
        control=control,
        comp_code=MQCC_WARNING,
        reason=reason,
    )
    parameters = [writer.parameter(each, value) for each, value in values.items() if value is not None]
    data = pack_pcf(header, [*parameters, *more], MQENC_NATIVE)
    put_instrumentation_message(work, EVENT_QUEUES[event.command], MQFMT_EVENT, data)


def raise_performance_events(work: Work, queue: Queue, change: int) -> None:
    """Put the performance events of messages that are about to come to a queue, or to leave it (negative).

    They are put at the call, whether its unit of work is committed later or backed out, as in IBM MQ.
    Raises StorageError.
    """
    if queue.name in EVENT_QUEUES.values():
        return
    depth, _, since_ms = queue_events.activity(work.db, queue.id)
    waited_ms = None if since_ms is None else work.now_ms - since_ms
    attributes = _attributes_of(work, queue)
    for reason in performance_events(attributes, max(0, depth + change), change, waited_ms):
        _performance_event(work, queue, reason, change)


def _attributes_of(work: Work, queue: Queue) -> dict[str, Any]:
    """Return the attributes that performance events obey; queues of older versions do not have each of them."""
    return {**defaults("QLOCAL"), **queue_events.event_attributes(work.db, queue.id)}


def _performance_event(work: Work, queue: Queue, reason: int, change: int) -> None:
    """Put a performance event with the statistics of the queue, reset them, and enable what can come next."""
    counts = reset_statistics(work, queue, change)
    queue_events.set_event_attributes(work.db, queue.id, CHANGES[reason])
    values: dict[int, object] = {
        o.MQCA_Q_MGR_NAME: work.qmgr.name,
        o.MQCA_BASE_Q_NAME: queue.name,
        o.MQIA_TIME_SINCE_RESET: counts["time_since_reset"],
        o.MQIA_HIGH_Q_DEPTH: counts["high_q_depth"],
        o.MQIA_MSG_ENQ_COUNT: counts["msg_enq_count"],
        o.MQIA_MSG_DEQ_COUNT: counts["msg_deq_count"],
    }
    put_event(work, reason, values)


def call_failed(work: Work, error: MQError) -> None:
    """Put the event of an MQI call that has failed, if it is enabled. work: the transaction, which is undone.

    The call fails with its own error whatever becomes of the event.
    """
    event = EVENTS.get(error.reason)
    if work.call is None or event is None or event.switch not in EVENT_SWITCHES:
        return
    if work.qmgr.events & 1 << EVENT_SWITCHES.index(event.switch) and work.call[0] not in EVENT_QUEUES.values():
        with suppress(MQError), work.connection.work() as own:
            note_failure(own, error, *work.call)


def note_failure(work: Work, error: MQError, q_name: str, q_mgr_name: str, options: int) -> None:
    """Put the event of a failed MQI call in a transaction. The parameters are those of its object descriptor."""
    if error.reason == MQRC_Q_FULL:
        _queue_full(work, error.q_name or q_name)
        return
    event, connection = EVENTS[error.reason], work.connection
    values: dict[int, object] = {o.MQCA_Q_MGR_NAME: work.qmgr.name}
    if error.reason == MQRC_NOT_AUTHORIZED:
        values[c.MQIACF_REASON_QUALIFIER] = MQRQ_OPEN_NOT_AUTHORIZED
        values[c.MQIACF_OPEN_OPTIONS] = options
        values[c.MQCACF_USER_IDENTIFIER] = authority.checked_user(connection)
    else:
        values[o.MQCA_Q_NAME] = q_name
    wrong = queues.by_name(work.db, error.q_name) if event.names and error.q_name else None
    for name in event.names:
        values[name] = error.q_name if name != o.MQIA_Q_TYPE else None if wrong is None else wrong.q_type
    values |= application(connection)
    values[c.MQCACF_OBJECT_Q_MGR_NAME] = q_mgr_name if q_mgr_name not in ("", work.qmgr.name) else None
    if error.reason == MQRC_NOT_AUTHORIZED:
        values[o.MQCA_Q_NAME] = q_name
    put_event(work, error.reason, values)


def queue_manager_changed(work: Work, reason: int, qualifier: int | None = None) -> None:
    """Put the event that the queue manager has started or is to stop, if it is enabled. qualifier: MQRQ_*, of a stop.

    A restart discards nonpersistent messages: where those of the event queue are not persistent by default, there is
    no event of a stop, as in IBM MQ.  Raises StorageError.
    """
    queue = find_queue(work.db, EVENT_QUEUES[c.MQCMD_Q_MGR_EVENT], to_use=False)
    is_kept = reason == MQRC_Q_MGR_ACTIVE or queue.def_persistence == MQPER_PERSISTENT
    if is_kept and setting(work.db, reason):
        put_event(work, reason, {o.MQCA_Q_MGR_NAME: work.qmgr.name, c.MQIACF_REASON_QUALIFIER: qualifier})


def put_configuration(
    work: Work,
    context: Mapping[int, object],
    before: Sequence[Parameter] | None,
    after: Sequence[Parameter] | None,
) -> None:
    """Put the events of an object that was created, changed or deleted.

    before, after: its attributes; None where it did or does not exist. A change is two messages.  Raises StorageError.
    """
    if before is not None and after is not None:
        put_event(work, MQRC_CONFIG_CHANGE_OBJECT, context, before, control=MQCFC_NOT_LAST)
        put_event(work, MQRC_CONFIG_CHANGE_OBJECT, context, after, number=2)
    elif before is not None:
        put_event(work, MQRC_CONFIG_DELETE_OBJECT, context, before)
    elif after is not None:
        put_event(work, MQRC_CONFIG_CREATE_OBJECT, context, after)


def queue_was_set(
    work: Work, rows: Sequence[Attribute], before: Mapping[str, object], after: Mapping[str, object]
) -> None:
    """Put the event of an MQSET. rows: attributes of the queue.  before, after: their values by name."""
    writer = ParameterWriter(work.qmgr.coded_char_set_id)
    images = [
        writer.attributes(rows, {name: value for name, value in values.items() if value is not None})
        for values in (before, after)
    ]
    context: dict[int, object] = {
        c.MQCACF_EVENT_USER_ID: work.connection.user_identifier,
        c.MQIACF_EVENT_ORIGIN: c.MQEVO_MQSET,
        c.MQCACF_EVENT_Q_MGR: work.qmgr.name,
        c.MQIACF_OBJECT_TYPE: o.MQOT_Q,
    }
    put_configuration(work, context, *images)


def application(connection: ConnectionState) -> dict[int, object]:
    """Return the parameters that identify the application of a connection."""
    return {o.MQIA_APPL_TYPE: connection.appl_type, c.MQCACF_APPL_NAME: connection.appl_name}


def not_authorized(connection: ConnectionState, qualifier: int, values: Mapping[int, object]) -> None:
    """Put the event of a missing authority, if it is enabled. qualifier: MQRQ_*."""
    if not queues.qmgr(connection.db).events & 1 << EVENT_SWITCHES.index("authority_event"):
        return
    with suppress(MQError), connection.work() as work:
        names = {o.MQCA_Q_MGR_NAME: work.qmgr.name, c.MQIACF_REASON_QUALIFIER: qualifier}
        put_event(work, MQRC_NOT_AUTHORIZED, {**names, **values})


def command_not_authorized(connection: ConnectionState, command: int, user: str) -> None:
    """Put the event of a command for which a user has no authority, if it is enabled. command: MQCMD_*."""
    values = {c.MQIACF_COMMAND: command, c.MQCACF_USER_IDENTIFIER: user}
    not_authorized(connection, MQRQ_CMD_NOT_AUTHORIZED, values)


def _queue_full(work: Work, q_name: str) -> None:
    queue = queues.by_name(work.db, q_name)
    if queue is None or q_name in EVENT_QUEUES.values():
        return
    if _attributes_of(work, queue)["q_depth_max_event"]:
        _performance_event(work, queue, MQRC_Q_FULL, 0)
