"""Calls of a client on messages and units of work: MQPUT, MQPUT1, MQGET, MQSTAT, MQCMIT and MQBACK."""

from __future__ import annotations

from collections.abc import Callable
from struct import unpack_from
from typing import Any

from mqtools.calls import connections, messages
from mqtools.calls.messages import fill_gmo
from mqtools.calls.outstanding_gets import OutstandingGet
from mqtools.calls.sessions import CallSession
from mqtools.clients.server.conversation import Conversation, WaitingGet
from mqtools.clients.server.objects import OD_RECORDS, refuse_records
from mqtools.clients.wire import calls
from mqtools.clients.wire.calls import ApiHeader, read_api
from mqtools.clients.wire.codes import StatusCode
from mqtools.clients.wire.pieces import Cursor, Values
from mqtools.clients.wire.segments import ProtocolError, WireSegment
from mqtools.constants.objects import MQOT_Q
from mqtools.constants.options import MQGMO_UNLOCK, MQPMO_ASYNC_RESPONSE
from mqtools.constants.reasons import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_MSG_TOO_BIG_FOR_CHANNEL,
)
from mqtools.errors import MQError
from mqtools.headers import fields
from mqtools.headers.fields import WIRE, StructureForm
from mqtools.headers.structures_message import GMO
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle

#: Message handles in version 3 of MQPMO. They mean something to the client only.
_HANDLES = slice(152, 168)
_HANDLES_LENGTH, _LONGEST_PMO = 16, 176
#: Offset of RecsPresent in MQPMO. Version 1 ends there.
_RECORDS = 128


def without_handles(pmo: bytes) -> bytes:
    """Return put options without the message handles of the client."""
    if len(pmo) < _LONGEST_PMO:
        return pmo
    return pmo[: _HANDLES.start] + bytes(_HANDLES_LENGTH) + pmo[_HANDLES.stop :]


def is_asynchronous(pmo: bytes, order: str) -> bool:
    """Return whether a put has no reply."""
    return bool(unpack_from(f"{order}i", pmo, 8)[0] & MQPMO_ASYNC_RESPONSE)


def put_in(
    session: CallSession, handle: int, md: bytes, pmo: bytes, data: bytes, form: StructureForm, delay_ms: int = 0
) -> tuple[bytes, bytes, int]:
    """MQPUT: return descriptor, options and reason. delay_ms: delivery delay."""
    refuse_records(pmo, _RECORDS)
    return messages.put(session, handle, md, without_handles(pmo), data, form, delay_ms)


def _put1_in(
    session: CallSession, od: bytes, md: bytes, pmo: bytes, data: bytes, form: StructureForm
) -> tuple[bytes, bytes, int]:
    refuse_records(od, OD_RECORDS)
    refuse_records(pmo, _RECORDS)
    return messages.put1(session, od, md, without_handles(pmo), data, form)


def carried(verb: Callable[..., Any], conversation: Conversation, body: Cursor, data: bytes) -> Callable[..., Any]:
    """Return the verb of a put, or one that refuses a message longer than the channel carries."""
    is_longer = body.is_cut or len(data) > conversation.instance.max_msg_length
    return _refuse_length if is_longer else verb


def _refuse_length(*_: object) -> None:
    raise MQError("the message is longer than the channel carries (MAXMSGL)", MQRC_MSG_TOO_BIG_FOR_CHANNEL)


def put(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes | None:
    """Answer MQPUT; an asynchronous one has no reply, whatever its outcome."""
    values = calls.PUT.read(body)
    header = _put(conversation, put_in, api.handle, values, body)
    return None if header is None else header.pack(calls.PUT_REPLY.write(values, body.order), body.order)


def put1(conversation: Conversation, _: ApiHeader, body: Cursor) -> bytes | None:
    """Answer MQPUT1, as MQPUT."""
    values = calls.PUT1.read(body)
    header = _put(conversation, _put1_in, values["od"], values, body)
    return None if header is None else header.pack(calls.PUT1_REPLY.write(values, body.order), body.order)


def _put(
    conversation: Conversation, verb: Callable[..., Any], target: int | bytes, values: Values, body: Cursor
) -> ApiHeader | None:
    """Put the message of a request, and complete its values for the reply; return the header, None for no reply.

    target: handle or MQOD.  What an asynchronous put itself was refused with is kept for MQSTAT.
    """
    md, pmo, data = values["md"], values["pmo"], values["data"]
    arguments = target, md, pmo, data, WIRE[body.order]
    verb = carried(verb, conversation, body, data)
    values["md"], values["pmo"], comp_code, reason = conversation.call(verb, arguments, (md, pmo))
    values["length"] = len(data)
    if not is_asynchronous(pmo, body.order):
        return ApiHeader(comp_code, reason, target if isinstance(target, int) else 0)
    if comp_code == MQCC_FAILED and conversation.session is not None:
        conversation.session.puts.note(comp_code, reason, "", MQOT_Q)
    return None


def status(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes:
    """Answer MQSTAT."""
    values = calls.STAT.read(body)
    arguments = values["kind"], values["sts"], WIRE[body.order]
    values["sts"], comp_code, reason = conversation.call(messages.status, arguments, (values["sts"],))
    return ApiHeader(comp_code, reason, api.handle).pack(calls.STAT.write(values, body.order), body.order)


def commit(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes:
    """Answer MQCMIT."""
    comp_code, reason = conversation.call(connections.commit, ())
    return ApiHeader(comp_code, reason, api.handle).pack(b"", body.order)


def back_out(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes:
    """Answer MQBACK."""
    comp_code, reason = conversation.call(connections.back_out, ())
    return ApiHeader(comp_code, reason, api.handle).pack(b"", body.order)


class SynchronousGet(WaitingGet):
    """MQGET that has one reply, when there is a message or its time is out."""

    def __init__(self, conversation: Conversation, request: WireSegment) -> None:
        """Begin the get. Raises MQError, ProtocolError."""
        self.conversation = conversation
        self._request = request
        self._form = WIRE[request.order]
        self._api, body = read_api(request)
        self._asked: Values = calls.GET.read(body)
        try:
            self._begin(conversation.connected)
        except MQError as error:
            self.fail(error)

    def _begin(self, session: CallSession) -> None:
        self._gmo = fields.read(GMO, self._asked["gmo"], self._form)
        self._gmo["MsgHandle"] = 0
        if self._gmo["Options"] & MQGMO_UNLOCK:
            arguments = self._api.handle, self._asked["md"], self._asked["gmo"], 0, self._form
            _, _, _, _, comp_code, reason = self.conversation.call(messages.get, arguments, (b"", b"", b"", 0))
            self._reply(comp_code, reason, self._asked["md"], self._asked["gmo"], (0, b""))
            return
        opened: Handle = session.open_object(self._api.handle, Handle)
        if self._asked["length"] < 0:
            raise MQError("the length of a buffer is negative", MQRC_BUFFER_LENGTH_ERROR)
        md = fields.read_md(self._asked["md"], session.connection.ccsid, self._form)
        self.outstanding = OutstandingGet(session, opened, self._gmo, md, self._asked["length"])
        self.look()

    def look(self) -> None:
        """Search once, and send the reply if the get is over."""
        if self.outstanding is None:
            return
        try:
            result = self.outstanding.look()
        except MQError as error:
            self.fail(error)
            return
        if result is not None:
            self.outstanding = None
            self._send(result)

    def cancel(self, reason: int) -> None:
        """End the get with a reason."""
        self.fail(MQError("the wait was ended", reason))

    def fail(self, error: MQError) -> None:
        """End the get with an error."""
        self.end()
        self._reply(error.comp_code, error.reason, self._asked["md"], self._asked["gmo"], (0, b""))

    def _send(self, result: GetResult) -> None:
        session = self.conversation.connected
        fill_gmo(self._gmo, result)
        md = fields.write_md(result.message.md, self._asked["md"], session.connection.ccsid, self._form)
        gmo = fields.write(GMO, self._gmo, self._form)
        code = MQCC_WARNING if result.reason else MQCC_OK
        self._reply(code, result.reason, md, gmo, (result.data_length, result.message.data))

    def _reply(self, comp_code: int, reason: int, md: bytes, gmo: bytes, data: tuple[int, bytes]) -> None:
        order = self._request.order
        values: dict[str, Any] = {"md": md, "gmo": gmo, "data": data}
        body = ApiHeader(comp_code, reason, self._api.handle).pack(calls.GET_REPLY.write(values, order), order)
        self.conversation.reply(self._request, body)


def get(conversation: Conversation, request: WireSegment) -> None:
    """Take MQGET. One at a time may wait."""
    if conversation.synchronous is not None and conversation.synchronous.outstanding is not None:
        raise ProtocolError("an MQGET while another waits", StatusCode.PROTOCOL_SEGMENT_TYPE)
    conversation.synchronous = SynchronousGet(conversation, request)
