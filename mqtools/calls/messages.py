"""MQPUT, MQPUT1, MQGET and MQSTAT."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

from mqtools.calls.sessions import CallSession, counted
from mqtools.calls.topics import TopicObject, open_alias, publish, topic_of
from mqtools.constants.cmqc import MQSTAT_TYPE_ASYNC_ERROR, MQSTAT_TYPE_RECONNECTION_ERROR
from mqtools.constants.objects import MQOT_Q, MQOT_TOPIC
from mqtools.constants.options import (
    MQGMO_UNLOCK,
    MQPMO_ALTERNATE_USER_AUTHORITY,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_PASS_IDENTITY_CONTEXT,
)
from mqtools.constants.reasons import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_CONTEXT_HANDLE_ERROR,
    MQRC_HCONN_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_MD_ERROR,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_INPUT,
    MQRC_NOT_OPEN_FOR_OUTPUT,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_STAT_TYPE_ERROR,
    MQRC_WRONG_MD_VERSION,
)
from mqtools.errors import MQError, StorageError
from mqtools.headers import fields
from mqtools.headers.fields import NATIVE, StructureForm
from mqtools.headers.structures_message import GMO, OD, PMO, STS
from mqtools.message import MQMD, Message
from mqtools.mqi import identity
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle
from mqtools.mqi.interface import OpenQueue
from mqtools.mqi.put import PutResult
from mqtools.mqi.resolution import AliasOfTopic

#: Reasons that an asynchronous put is refused with at the call, as they are seen without its queue manager. All others
#: are for MQSTAT.
_AT_THE_CALL = frozenset(
    (
        MQRC_CONTEXT_HANDLE_ERROR,
        MQRC_HCONN_ERROR,
        MQRC_HMSG_ERROR,
        MQRC_HOBJ_ERROR,
        MQRC_MD_ERROR,
        MQRC_NOT_OPEN_FOR_OUTPUT,
        MQRC_OPTIONS_ERROR,
        MQRC_WRONG_MD_VERSION,
    )
)

#: Identifiers in a reserved block: their number has two bytes, as the part of the identifier that counts them.
_RESERVED = 0xFFFF
_PASSES_CONTEXT = MQPMO_PASS_ALL_CONTEXT | MQPMO_PASS_IDENTITY_CONTEXT


def put(
    session: CallSession,
    handle: int,
    md: bytes,
    pmo: bytes,
    body: bytes,
    form: StructureForm = NATIVE,
    delay_ms: int = 0,
) -> tuple[bytes, bytes, int]:
    """MQPUT: return descriptor, options and reason. delay_ms: delivery delay, which no structure has."""
    opened = session.open_object(handle, (Handle, TopicObject))
    values = fields.read(PMO, pmo, form)
    message = Message(bytes(body), fields.read_md(md, session.connection.ccsid, form))
    message.deliver_at = identity.now_ms() + delay_ms if delay_ms > 0 else None
    if isinstance(opened, TopicObject):
        reason = _publish(session, opened, message, values)
    else:
        context, arguments = _context_handle(session, values), _handle_arguments(session, values)
        put_message = partial(opened.put, message, values["Options"], context=context, **arguments)
        reason = _put(session, opened.q_name, put_message, values)
    return fields.write_md(message.md, md, session.connection.ccsid, form), fields.write(PMO, values, form), reason


def put1(
    session: CallSession, od: bytes, md: bytes, pmo: bytes, body: bytes, form: StructureForm = NATIVE
) -> tuple[bytes, bytes, int]:
    """MQPUT1: return descriptor, options and reason."""
    target, values = fields.read(OD, od, form), fields.read(PMO, pmo, form)
    message = Message(bytes(body), fields.read_md(md, session.connection.ccsid, form))
    with session.acting_for(target, is_alternate=bool(values["Options"] & MQPMO_ALTERNATE_USER_AUTHORITY)):
        reason = _put1(session, target, message, values)
    return fields.write_md(message.md, md, session.connection.ccsid, form), fields.write(PMO, values, form), reason


def _put1(session: CallSession, target: dict[str, Any], message: Message, values: dict[str, Any]) -> int:
    if target["ObjectType"] == MQOT_TOPIC:
        return _publish(session, topic_of(session, target), message, values)
    if target["ObjectType"] == MQOT_Q:
        q_name = fields.name_in(target, "ObjectName")
        context = _context_handle(session, values)
        put_message = partial(
            session.connection.put1,
            q_name,
            message,
            values["Options"],
            q_mgr_name=fields.name_in(target, "ObjectQMgrName"),
            context=None if context is None else context.context,
            **_handle_arguments(session, values),
        )
        try:
            return _put(session, q_name, put_message, values)
        except AliasOfTopic as error:
            return _publish(session, open_alias(session, error, target), message, values)
    raise MQError("a put needs a queue or a topic", MQRC_OBJECT_TYPE_ERROR)


def _context_handle(session: CallSession, values: dict[str, Any]) -> Handle | None:
    """Return the queue handle whose context is passed on, None without one: the put checks its options first.

    Raises MQError: MQRC_CONTEXT_HANDLE_ERROR.
    """
    if not values["Options"] & _PASSES_CONTEXT or not values["Context"]:
        return None
    found: Handle = session.open_object(values["Context"], Handle, MQRC_CONTEXT_HANDLE_ERROR)
    return found


def _handle_arguments(session: CallSession, values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a put that version 3 of its options adds: an action, and message handles."""
    if values["Version"] < 3:
        return {}
    return {
        "action": values["Action"],
        "original": session.message_handle(values["OriginalMsgHandle"]),
        "msg_handle": session.message_handle(values["NewMsgHandle"]),
    }


def _publish(session: CallSession, topic: TopicObject, message: Message, values: dict[str, Any]) -> int:
    return _respond(session, values, topic.topic, MQOT_TOPIC, partial(publish, session, topic, message, values))


def _put(session: CallSession, q_name: str, put_one: Callable[[], PutResult], values: dict[str, Any]) -> int:
    def put_message() -> int:
        result = put_one()
        fill_pmo(values, result, session.connection.name)
        return result.reason

    return _respond(session, values, q_name, MQOT_Q, put_message)


def fill_pmo(values: dict[str, Any], result: PutResult, own_name: str) -> None:
    """Set the output fields of an MQPMO after a put. own_name: of the queue manager."""
    fields.set_names(values, ResolvedQName=result.resolved_q_name, ResolvedQMgrName=result.resolved_q_mgr_name)
    is_local = result.resolved_q_mgr_name == own_name
    values["KnownDestCount"], values["UnknownDestCount"] = int(is_local), int(not is_local)


def _respond(session: CallSession, values: dict[str, Any], name: str, kind: int, put_message: Callable[[], int]) -> int:
    """Put, and return the reason of a warning; the outcome of an asynchronous put is kept for MQSTAT.

    Raises MQError, for an asynchronous put only where the call is wrong or the file has an error.
    """
    if not values["Options"] & MQPMO_ASYNC_RESPONSE:
        return put_message()
    try:
        reason = put_message()
    except (StorageError, AliasOfTopic):
        raise
    except MQError as error:
        if error.reason in _AT_THE_CALL:
            raise
        session.puts.note(MQCC_FAILED, error.reason, name, kind)
        return MQRC_NONE
    session.puts.note(MQCC_WARNING if reason else MQCC_OK, reason, name, kind)
    return MQRC_NONE


def get(
    session: CallSession, handle: int, md: bytes, gmo: bytes, max_length: int, form: StructureForm = NATIVE
) -> tuple[bytes, bytes, bytes, int, int]:
    """MQGET: return data, descriptor, options, the length of the whole data and the reason."""
    reason = MQRC_NOT_OPEN_FOR_INPUT if handle in session.objects else MQRC_HOBJ_ERROR
    opened = session.open_object(handle, session.queue_class, reason)
    values = fields.read(GMO, gmo, form)
    if values["Options"] & MQGMO_UNLOCK:  # descriptor and length are neither checked nor altered (LOCK-31)
        reason = _get_in_turn(session, handle, opened, values, MQMD(), None).reason
        return b"", md, gmo, 0, reason
    descriptor = fields.read_md(md, session.connection.ccsid, form)
    if max_length < 0:
        raise MQError("the length of a buffer is negative", MQRC_BUFFER_LENGTH_ERROR)
    result = _get_in_turn(session, handle, opened, values, descriptor, max_length)
    fill_gmo(values, result)
    data = result.message.data
    filled = fields.write_md(result.message.md, md, session.connection.ccsid, form)
    return data, filled, fields.write(GMO, values, form), result.data_length, result.reason


def _get_in_turn(
    session: CallSession, handle: int, opened: OpenQueue, values: dict[str, Any], md: MQMD, max_length: int | None
) -> GetResult:
    """Get; a thread that gets by a handle in use waits, and lets calls by other handles pass."""
    turn = session.getting.setdefault(handle, Lock())
    if not turn.acquire(blocking=False):
        session.lock.release()
        turn.acquire()
        session.lock.acquire()
    try:
        found: GetResult = session.verb(get_once)(session, opened, values, md, max_length)
        return found
    finally:
        turn.release()


def get_once(
    session: CallSession, opened: Handle, values: dict[str, Any], md: MQMD, max_length: int | None
) -> GetResult:
    """Get one message with the options of an MQGMO."""
    version = values["Version"]
    return opened.get(
        values["Options"],
        md=md,
        match_options=values["MatchOptions"],
        wait_ms=values["WaitInterval"],
        max_length=max_length,
        msg_token=values["MsgToken"],
        gmo_version=version,
        msg_handle=session.message_handle(values["MsgHandle"]) if version >= 4 else None,
        properties_in_message=False,
    )


def fill_gmo(values: dict[str, Any], result: GetResult) -> None:
    """Set the output fields of an MQGMO after a get."""
    fields.set_names(values, ResolvedQName=result.resolved_q_name)
    if values["Version"] >= 2:
        values["GroupStatus"] = ord(result.group_status)
        values["SegmentStatus"] = ord(result.segment_status)
        values["Segmentation"] = ord(result.segmentation)
    if values["Version"] >= 3:
        values["MsgToken"] = result.msg_token
        values["ReturnedLength"] = len(result.message.data)


@counted("stat")
def status(session: CallSession, kind: int, sts: bytes, form: StructureForm = NATIVE) -> tuple[bytes, int]:
    """MQSTAT of asynchronous puts: return the status and reset it. kind: MQSTAT_TYPE_*; only puts have any.

    Raises MQError: MQRC_STAT_TYPE_ERROR, MQRC_STS_ERROR.
    """
    if not MQSTAT_TYPE_ASYNC_ERROR <= kind <= MQSTAT_TYPE_RECONNECTION_ERROR:
        raise MQError(f"there is no status type {kind}", MQRC_STAT_TYPE_ERROR)
    values = fields.read(STS, sts, form)
    puts = session.puts
    outcome = puts.first if kind == MQSTAT_TYPE_ASYNC_ERROR else (MQCC_OK, MQRC_NONE, "", MQOT_Q)
    values["CompCode"], values["Reason"], name, values["ObjectType"] = outcome
    for code, word in ((MQCC_OK, "Success"), (MQCC_WARNING, "Warning"), (MQCC_FAILED, "Failure")):
        values[f"Put{word}Count"] = puts.by_comp_code[code]
    fields.set_names(
        values, ObjectName=name, ObjectQMgrName="", ResolvedObjectName=name, ResolvedQMgrName=session.connection.name
    )
    session.puts = type(puts)()
    return fields.write(STS, values, form), MQRC_NONE


def reserve_ids(session: CallSession) -> tuple[bytes, int, int]:
    """Return a message identifier, how many follow it by counting in its last two bytes, and the reason.

    A client gives them to messages that it puts without waiting for an answer.
    """
    with session.connection.work() as work:
        return identity.reserve_ids(work.qmgr.name), _RESERVED, MQRC_NONE
