"""MQPUT, MQPUT1, MQGET and MQSTAT."""

from __future__ import annotations

from threading import Lock

from mqtools.bindings import fields, well_known
from mqtools.bindings.structure import text_of
from mqtools.bindings.structures_message import GMO, OD, PMO, STS
from mqtools.bindings.topics import TopicObject, publish, topic_of
from mqtools.constants.objects import MQOT_Q, MQOT_TOPIC
from mqtools.constants.options import (
    MQPMO_ASYNC_RESPONSE,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_PASS_IDENTITY_CONTEXT,
)
from mqtools.constants.reasons import (
    MQCC_FAILED,
    MQCC_OK,
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_CONTEXT_HANDLE_ERROR,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_INPUT,
    MQRC_OBJECT_TYPE_ERROR,
)
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi.handle import Handle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mqtools.bindings.sessions import Session
    from mqtools.message import MQMD
    from mqtools.mqi.get.get import GetResult
    from mqtools.mqi.put import PutResult

_PASSES_CONTEXT = MQPMO_PASS_ALL_CONTEXT | MQPMO_PASS_IDENTITY_CONTEXT


def put(session: Session, handle: int, md: bytes, pmo: bytes, body: bytes) -> tuple[bytes, bytes, int]:
    """MQPUT: give descriptor, options and reason."""
    opened = session.open_object(handle, (Handle, TopicObject))
    values, message = fields.read(PMO, pmo), Message(bytes(body), fields.read_md(md))
    if isinstance(opened, TopicObject):
        reason = publish(session, opened, message, values)
        return fields.write_md(message.md, md), PMO.pack(values), reason
    context = _context_handle(session, values)

    def put_it() -> PutResult:
        result: PutResult = opened.put(message, values["Options"], context=context, **_by_handles(session, values))
        return result

    result = _counted(session, values, opened.q_name, put_it)
    return _answer_put(message, md, values, result)


def put1(session: Session, od: bytes, md: bytes, pmo: bytes, body: bytes) -> tuple[bytes, bytes, int]:
    """MQPUT1: give descriptor, options and reason."""
    target, values = fields.read(OD, od), fields.read(PMO, pmo)
    message = Message(bytes(body), fields.read_md(md))
    if target["ObjectType"] == MQOT_TOPIC:
        reason = publish(session, topic_of(session, target), message, values)
        return fields.write_md(message.md, md), PMO.pack(values), reason
    if target["ObjectType"] != MQOT_Q:
        raise MQError("only to a queue or a topic can be put", MQRC_OBJECT_TYPE_ERROR)
    q_name = fields.name_in(target, "ObjectName")
    well_known.provide(session.connection, q_name)
    context = _context_handle(session, values)

    def put_it() -> PutResult:
        return session.connection.put1(
            q_name,
            message,
            values["Options"],
            q_mgr_name=fields.name_in(target, "ObjectQMgrName"),
            context=None if context is None else context.context,
            **_by_handles(session, values),
        )

    result = _counted(session, values, q_name, put_it)
    return _answer_put(message, md, values, result)


def _context_handle(session: Session, values: dict[str, Any]) -> Handle | None:
    """Give the queue handle whose context is passed on. Raises MQError: MQRC_CONTEXT_HANDLE_ERROR."""
    if not values["Options"] & _PASSES_CONTEXT:
        return None
    found: Handle = session.open_object(values["Context"], Handle, MQRC_CONTEXT_HANDLE_ERROR)
    return found


def _by_handles(session: Session, values: dict[str, Any]) -> dict[str, Any]:
    """Give what a put has from version 3 of its options on: an action, and message handles."""
    if values["Version"] < 3:
        return {}
    return {
        "action": values["Action"],
        "original": session.message_handle(values["OriginalMsgHandle"]),
        "msg_handle": session.message_handle(values["NewMsgHandle"]),
    }


def _counted(session: Session, values: dict[str, Any], name: str, put_it: Any) -> PutResult:
    """Put, and note the outcome of an asynchronous put for MQSTAT."""
    noted = session.puts.note if values["Options"] & MQPMO_ASYNC_RESPONSE else None
    try:
        result: PutResult = put_it()
    except MQError as error:
        if noted is not None:
            noted(MQCC_FAILED, error.reason, name)
        raise
    if noted is not None:
        noted(result.comp_code, result.reason, name)
    return result


def _answer_put(message: Message, md: bytes, values: dict[str, Any], result: PutResult) -> tuple[bytes, bytes, int]:
    fields.set_names(values, ResolvedQName=result.resolved_q_name, ResolvedQMgrName=result.resolved_q_mgr_name)
    return fields.write_md(message.md, md), PMO.pack(values), result.reason


def get(session: Session, handle: int, md: bytes, gmo: bytes, max_length: int) -> tuple[bytes, bytes, bytes, int, int]:
    """MQGET: give data, descriptor, options, the length of the whole data and the reason."""
    opened = session.open_object(handle, Handle, MQRC_NOT_OPEN_FOR_INPUT if handle in session.objects else 2019)
    values, descriptor = fields.read(GMO, gmo), fields.read_md(md)
    if max_length < 0:
        raise MQError("the length of a buffer is negative", MQRC_BUFFER_LENGTH_ERROR)
    result = _get_in_turn(session, handle, opened, values, descriptor, max_length)
    answer_get(values, result)
    data = result.message.data
    return data, fields.write_md(result.message.md, md), GMO.pack(values), result.data_length, result.reason


def _get_in_turn(
    session: Session, handle: int, opened: Handle, values: dict[str, Any], md: MQMD, max_length: int
) -> GetResult:
    """Get; of two threads that get by the same handle one waits for the other, and lets calls by other handles pass."""
    turn = session.getting.setdefault(handle, Lock())
    if not turn.acquire(blocking=False):
        session.lock.release()
        turn.acquire()
        session.lock.acquire()
    try:
        return get_once(session, opened, values, md, max_length)
    finally:
        turn.release()


def get_once(session: Session, opened: Handle, values: dict[str, Any], md: MQMD, max_length: int | None) -> GetResult:
    """Get one message as an MQGMO says."""
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


def answer_get(values: dict[str, Any], result: GetResult) -> None:
    """Fill in what an MQGMO says of the message that was got."""
    fields.set_names(values, ResolvedQName=result.resolved_q_name)
    if values["Version"] >= 2:
        values["GroupStatus"] = ord(result.group_status)
        values["SegmentStatus"] = ord(result.segment_status)
        values["Segmentation"] = ord(result.segmentation)
    if values["Version"] >= 3:
        values["MsgToken"] = result.msg_token
        values["ReturnedLength"] = len(result.message.data)


def status(session: Session, kind: int, sts: bytes) -> tuple[bytes, int]:
    """MQSTAT of asynchronous puts: give the status and forget it. kind: MQSTAT_TYPE_*; only puts have any."""
    values = STS.unpack(sts)
    puts = session.puts
    values["CompCode"], values["Reason"], name = puts.first if kind == 0 else (MQCC_OK, MQRC_NONE, "")
    values["PutSuccessCount"], values["PutWarningCount"] = puts.succeeded, puts.warned
    values["PutFailureCount"], values["ObjectType"] = puts.failed, MQOT_Q
    fields.set_names(
        values, ObjectName=name, ObjectQMgrName="", ResolvedObjectName=name, ResolvedQMgrName=session.connection.name
    )
    session.puts = type(puts)()
    return STS.pack(values), MQRC_NONE


def trimmed(raw: bytes | str) -> str:
    """Read a name that a program may give as text or bytes."""
    return text_of(raw) if isinstance(raw, bytes) else raw.rstrip(" \0")
