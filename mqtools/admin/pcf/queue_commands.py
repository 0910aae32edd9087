"""PCF commands on queues: create, change, copy, delete, clear, inquire, reset statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.admin.mqsc.display import matching_queues
from mqtools.admin.pcf.request import PcfParameters
from mqtools.admin.pcf.values import filter_of, requested_names
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE, MQRC_Q_TYPE_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.formats.mqsc.script import matches_name
from mqtools.headers.pcf import PCFError
from mqtools.mqi import recovery, system_queues
from mqtools.mqi.clear import clear_some
from mqtools.mqi.objects import definitions
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.queue import QUEUE_TYPES
from mqtools.rules.attributes.table import attributes_of
from mqtools.store import objects as stored
from mqtools.store import queues
from mqtools.store.queues import Queue

if TYPE_CHECKING:
    from mqtools.admin.pcf.values import ParameterWriter, Replies
    from mqtools.headers.pcf import Parameter

_TYPES = {number: word for word, number in QUEUE_TYPES.items()}
#: Attributes that every inquiry returns.
_ALWAYS = frozenset(("name", "q_type"))
#: Kind of the stored objects that contain the counters of a queue at its last reset.
_COUNTS = "pcf_q_stats"


def type_of(parameters: PcfParameters, *, required: bool = False) -> str | None:
    """Consume MQIA_Q_TYPE; return the MQSC keyword of the type, None for all. Raises PCFError: MQRCCF_Q_TYPE_ERROR."""
    number = parameters.value(objects.MQIA_Q_TYPE) if required else parameters.integer(objects.MQIA_Q_TYPE)
    if number is None or (number == objects.MQQT_ALL and not required):
        return None
    if number not in _TYPES:
        raise PCFError(f"unsupported queue type {number}", c.MQRCCF_Q_TYPE_ERROR, objects.MQIA_Q_TYPE)
    return _TYPES[number]


def create(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_CREATE_Q."""
    name = parameters.name(objects.MQCA_Q_NAME)
    object_type = type_of(parameters, required=True) or ""
    replace = parameters.flag(c.MQIACF_REPLACE, c.MQRCCF_REPLACE_VALUE_ERROR)
    values = parameters.attributes(object_type, attributes_of(object_type))
    parameters.finish()
    definitions.define_queue(work, object_type, name, values, replace=replace)
    return []


def change(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_CHANGE_Q; FORCE is accepted and has no effect."""
    name = parameters.name(objects.MQCA_Q_NAME)
    found = definitions.find_of_type(work.db, type_of(parameters) or "QUEUE", name)
    object_type = definitions.object_type_of(found.q_type)
    parameters.flag(c.MQIACF_FORCE, c.MQRCCF_FORCE_VALUE_ERROR)
    values = parameters.attributes(object_type, attributes_of(object_type))
    parameters.finish()
    definitions.alter_queue(work, object_type, name, values)
    return []


def copy(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_COPY_Q."""
    source = parameters.name(c.MQCACF_FROM_Q_NAME)
    name = parameters.name(c.MQCACF_TO_Q_NAME)
    object_type = type_of(parameters, required=True) or ""
    replace = parameters.flag(c.MQIACF_REPLACE, c.MQRCCF_REPLACE_VALUE_ERROR)
    values = parameters.attributes(object_type, attributes_of(object_type))
    parameters.finish()
    try:
        definitions.find_of_type(work.db, object_type, source)
    except MQError as error:
        wrong_type = error.reason == MQRC_Q_TYPE_ERROR
        reason = c.MQRCCF_LIKE_OBJECT_WRONG_TYPE if wrong_type else error.reason
        raise PCFError(error.text, reason, c.MQCACF_FROM_Q_NAME) from error
    definitions.define_queue(work, object_type, name, values, like=source, replace=replace)
    return []


def delete(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_DELETE_Q."""
    name = parameters.name(objects.MQCA_Q_NAME)
    object_type = type_of(parameters) or "QUEUE"
    purge = parameters.flag(c.MQIACF_PURGE, c.MQRCCF_PURGE_VALUE_ERROR)
    parameters.ignore(c.MQIACF_REMOVE_AUTHREC)
    parameters.finish()
    definitions.delete_queue(work, object_type, name, purge=purge)
    return []


def queue_to_clear(parameters: PcfParameters) -> str:
    """Parse the parameters of MQCMD_CLEAR_Q; return the name of the queue."""
    name = parameters.name(objects.MQCA_Q_NAME)
    parameters.finish()
    return name


def clear(work: Work, parameters: PcfParameters, _writer: ParameterWriter) -> Replies:
    """Execute MQCMD_CLEAR_Q, or its last step."""
    name = queue_to_clear(parameters)
    try:
        clear_some(work, name)
    except MQError as error:
        if error.reason == MQRC_OBJECT_IN_USE:
            raise PCFError(error.text, c.MQRCCF_OBJECT_OPEN, objects.MQCA_Q_NAME) from error
        raise
    return []


def inquire(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_Q: generic name, type, attributes, filter."""
    pattern = parameters.name(objects.MQCA_Q_NAME)
    wanted = type_of(parameters)
    where = filter_of(parameters, "QUEUE", attributes_of("QUEUE"))
    names = requested_names(parameters.integers(c.MQIACF_Q_ATTRS), "QUEUE", attributes_of("QUEUE"), _ALWAYS, where)
    parameters.finish()
    recovery.recover(work)
    replies: Replies = []
    for queue in matching_queues(work.db, pattern, wanted):
        rows = attributes_of(definitions.object_type_of(queue.q_type))
        kept = definitions.attributes_of_queue(work.db, queue.name)
        values = {row.name: kept.get(row.name, row.default) for row in rows}
        if where is None or where.passes(values):
            replies.append(writer.attributes("QUEUE", rows, names, values))
    if not replies:
        raise PCFError(f"queue {pattern} does not exist", MQRC_UNKNOWN_OBJECT_NAME, objects.MQCA_Q_NAME)
    return replies


def inquire_names(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_INQUIRE_Q_NAMES: one reply with all names and their types."""
    pattern = parameters.name(objects.MQCA_Q_NAME)
    wanted = type_of(parameters)
    parameters.finish()
    named = [name for name in system_queues.names(work.db) if matches_name(pattern, name)]
    every = [find_queue(work.db, name, to_use=False) for name in named]
    found = [queue for queue in every if wanted in (None, definitions.object_type_of(queue.q_type))]
    return [
        [
            writer.parameter(c.MQCACF_Q_NAMES, [queue.name.ljust(48) for queue in found]),
            writer.integers(c.MQIACF_Q_TYPES, [queue.q_type for queue in found]),
        ]
    ]


def reset_statistics(work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    """Execute MQCMD_RESET_Q_STATS: return the counts of messages since the last reset, and reset them.

    Expired and cleared messages count as dequeued.
    """
    pattern = parameters.name(objects.MQCA_Q_NAME)
    parameters.finish()
    found = [find_queue(work.db, queue.name) for queue in matching_queues(work.db, pattern, "QLOCAL")]
    replies = [_reset(work, queue, writer) for queue in found]
    if not replies:
        raise PCFError(f"queue {pattern} does not exist", MQRC_UNKNOWN_OBJECT_NAME, objects.MQCA_Q_NAME)
    return replies


def _reset(work: Work, queue: Queue, writer: ParameterWriter) -> list[Parameter]:
    number = queues.last_number(work.db, queue.id)
    before = stored.definition(work.db, _COUNTS, queue.name)
    # The counters may be those of a deleted queue with this name.
    if before is None or before["id"] != queue.id or before["number"] > number:
        before = {"number": 0, "depth": 0}
    stored.define(
        work.db,
        _COUNTS,
        queue.name,
        {"id": queue.id, "number": number, "depth": queue.depth, "at_ms": work.now_ms},
    )
    enqueued = number - before["number"]
    return [
        writer.parameter(objects.MQCA_Q_NAME, queue.name),
        writer.parameter(objects.MQIA_MSG_ENQ_COUNT, enqueued),
        writer.parameter(objects.MQIA_MSG_DEQ_COUNT, max(0, before["depth"] + enqueued - queue.depth)),
        writer.parameter(objects.MQIA_HIGH_Q_DEPTH, queues.reset_high_depth(work.db, queue.id)),
        writer.parameter(objects.MQIA_TIME_SINCE_RESET, (work.now_ms - before.get("at_ms", work.now_ms)) // 1000),
    ]
