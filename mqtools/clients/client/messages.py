"""Messages of a client on the wire: puts, gets, and properties, which travel in an MQRFH2."""

from __future__ import annotations

from collections.abc import Collection

from mqtools.clients.client.calls import CallReply, ClientCalls
from mqtools.clients.client.errors import ConnectionBroken
from mqtools.clients.client.reader import MessageRequestOptions
from mqtools.clients.wire import calls, spi, streaming
from mqtools.clients.wire.codes import SegmentType, Verb
from mqtools.clients.wire.pieces import Sequence, Values
from mqtools.clients.wire.streaming import AsyncMessage
from mqtools.constants import cmqc
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.headers import fields
from mqtools.headers.mqmd import pack_mqmd, unpack_mqmd
from mqtools.headers.structures_message import GMO, OD, PMO
from mqtools.message import MQMD, Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.identity import now_ms
from mqtools.mqi.put import PutResult
from mqtools.rules.options.get import PROPERTY_OPTIONS, SYNCPOINT_OPTIONS
from mqtools.rules.properties import from_rfh2, into_rfh2, other_name

#: Version of the put options that are sent, as by the base Java classes.
_PMO_VERSION = 1
_USR = "usr."


class RemoteGetResult(GetResult):
    """Result of a get from a queue manager elsewhere: the key is unknown, the token is the one that it gave."""

    __slots__ = ("token",)
    token: bytes

    @property
    def msg_token(self) -> bytes:
        """MsgToken (16 bytes) of the message."""
        return self.token


def _outgoing(client_calls: ClientCalls, message: Message) -> tuple[bytes, bytes]:
    """Return descriptor and data as they are sent: properties are in an MQRFH2.

    Raises MQError: MQRC_MSG_TOO_BIG_FOR_CHANNEL; as ``into_rfh2``.
    """
    md, data = message.md, message.data
    if message.properties:
        ccsid, encoding = md.coded_char_set_id or client_calls.ccsid, md.encoding
        md, data = into_rfh2(md, data, message.properties, ccsid=ccsid, encoding=encoding)
    if len(data) > (most := client_calls.wire.terms.max_msg_length):
        words = f"the message has {len(data)} bytes, and the channel carries {most} (MAXMSGL)"
        raise MQError(words, cmqc.MQRC_MSG_TOO_BIG_FOR_CHANNEL)
    return pack_mqmd(md, encoding=client_calls.form.encoding, ccsid=client_calls.wire.ccsid), data


def put(
    client_calls: ClientCalls,
    target: int | Values,
    message: Message,
    options: int,
    *,
    context: int,
    words: str,
    q_name: str,
) -> PutResult:
    """MQPUT, or MQPUT1. target: handle of a queue, or the MQOD of an object.  words, q_name: for an error.

    context: handle of the queue whose context is passed on.
    Raises MQError with the reason that the queue manager gives.
    """
    md, data = _outgoing(client_calls, message)
    form, is_explicit = client_calls.form, options & (cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_NO_SYNCPOINT)
    sent = options if is_explicit else options | cmqc.MQPMO_NO_SYNCPOINT  # defaults differ by platform
    pmo = {**PMO.initial(), "Version": _PMO_VERSION, "Options": sent, "Context": context}
    values: Values = {"md": md, "pmo": fields.write_request(PMO, pmo, form), "data": data}
    taken: Sequence
    if isinstance(target, int):
        hobj, kind, layout, taken = target, SegmentType.MQPUT, calls.PUT, calls.PUT_REPLY
    else:
        values["od"] = fields.write_request(OD, target, form)
        hobj, kind, layout, taken = 0, SegmentType.MQPUT1, calls.PUT1, calls.PUT1_REPLY
    if options & cmqc.MQPMO_ASYNC_RESPONSE:  # there is no reply: MQSTAT tells the outcome
        client_calls.post(kind, layout, values, handle=hobj)
        client_calls.note_put(options)
        return PutResult(cmqc.MQCC_OK, cmqc.MQRC_NONE, "", "", 0)
    if message.deliver_at is not None and isinstance(target, int):
        reply = client_calls.call_verb(Verb.PUT, spi.DELAYED_PUT, _delayed(values, message.deliver_at), handle=hobj)
        taken = spi.PUT_INOUT
    else:
        reply = client_calls.call(kind, layout, values, handle=hobj)
    reply.check(words, q_name)
    client_calls.note_put(options)
    return _put_result(reply, taken.read(reply.body), message)


def _delayed(values: Values, deliver_at: int) -> Values:
    inout = {"Version": 1, "md": values["md"], "pmo": values["pmo"]}
    given = {"Version": 3, "Options": 0, "Delay": max(1, deliver_at - now_ms()), "data": values["data"]}
    return {"inout": inout, "given": given}


def _put_result(reply: CallReply, values: Values, message: Message) -> PutResult:
    """Return the result of a put, and complete the descriptor of its message."""
    form = fields.WIRE[reply.body.order]
    md = unpack_mqmd(values["md"], form.encoding, reply.ccsid)
    if message.properties:  # the descriptor of the reply is about the MQRFH2
        own = message.md
        md = md.replace(format=own.format, encoding=own.encoding, coded_char_set_id=own.coded_char_set_id)
    copy_fields(message.md, md)
    pmo = fields.read(PMO, values["pmo"], form)
    q_name, q_mgr_name = (fields.read_text(pmo[name], reply.ccsid) for name in ("ResolvedQName", "ResolvedQMgrName"))
    return PutResult(reply.api.comp_code, reply.api.reason, q_name, q_mgr_name, 0)


def copy_fields(md: MQMD, other: MQMD) -> None:
    """Set all fields of a descriptor to those of another one, but for its version."""
    for name in MQMD.__slots__[1:]:
        setattr(md, name, getattr(other, name))


def request_options(
    client_calls: ClientCalls,
    md: MQMD | None,
    options: int,
    match_options: int,
    msg_token: bytes = b"",
    max_length: int | None = None,
    *,
    as_is: bool = False,
) -> MessageRequestOptions:
    """Return what a get asks for on the wire: syncpoint is explicit, and properties are except ``as_is``."""
    if not options & (SYNCPOINT_OPTIONS | cmqc.MQGMO_UNLOCK):
        options |= cmqc.MQGMO_NO_SYNCPOINT
    if not as_is and not options & (PROPERTY_OPTIONS | cmqc.MQGMO_UNLOCK):
        options |= cmqc.MQGMO_PROPERTIES_FORCE_MQRFH2
    given = MQMD(coded_char_set_id=client_calls.ccsid, encoding=cmqc.MQENC_NATIVE) if md is None else md
    selection = streaming.selection_of(given, match_options, msg_token)
    selection["CodedCharSetId"] = given.coded_char_set_id or client_calls.ccsid
    return MessageRequestOptions(options, selection, -1 if max_length is None else max_length)


def result_of(found: AsyncMessage, options: int, q_name: str, *, extracts: bool = True) -> RemoteGetResult:
    """Return a message that has come. extracts: without an option its properties come out of the MQRFH2."""
    if options & cmqc.MQGMO_UNLOCK:
        return RemoteGetResult(Message(), found.reason, 0, q_name)
    md = unpack_mqmd(found.md, fields.WIRE[found.order].encoding, found.ccsid, keep_nulls=True)
    message = Message(found.data, md)
    is_whole = len(found.data) == found.total_length
    if extracts and is_whole and not options & PROPERTY_OPTIONS:
        _extract_properties(message)
    name = fields.read_text(found.q_name, found.ccsid) if found.q_name else q_name
    result = RemoteGetResult(message, found.reason, len(message.data) if is_whole else found.total_length, name)
    result.token = found.token
    return result


def _extract_properties(message: Message) -> None:
    """Take the properties of a message out of its MQRFH2. A damaged one is data like any other."""
    try:
        message.md, message.data, properties = from_rfh2(message.md, message.data)
    except MQError:
        return
    message.properties = {_short_name(name): value for name, value in properties.items()}


def _short_name(name: str) -> str:
    return other_name(name) if name.startswith(_USR) else name


def get_plain(client_calls: ClientCalls, hobj: int, asked: MessageRequestOptions, wait_ms: int) -> AsyncMessage:
    """MQGET on a plain channel: one call, and its reply ends the wait. Raises MQError as ``MessageReader.next``."""
    md = streaming.selected_md(asked.selection)
    gmo = streaming.selected_gmo(asked.selection, asked.options | (cmqc.MQGMO_WAIT if wait_ms else 0), wait_ms)
    values: Values = {
        "md": pack_mqmd(md, encoding=client_calls.form.encoding, ccsid=client_calls.wire.ccsid),
        "gmo": fields.write_request(GMO, gmo, client_calls.form),
        "length": client_calls.wire.terms.max_msg_length if asked.max_length < 0 else asked.max_length,
    }
    most_s = float("inf") if wait_ms == cmqc.MQWI_UNLIMITED else wait_ms / 1000
    reply = client_calls.call(SegmentType.MQGET, calls.GET, values, handle=hobj, wait_s=most_s, room=values["length"])
    if reply.has_failed and reply.api.reason == cmqc.MQRC_NO_MSG_AVAILABLE:
        raise NoMessageAvailable("no message is available")
    reply.check("the get failed")
    found = calls.GET_REPLY.read(reply.body)
    total, data = found["data"]
    filled = fields.read(GMO, found["gmo"], fields.WIRE[reply.body.order])
    return AsyncMessage(
        handle=hobj, index=0, global_index=0, selection_index=0, md=found["md"], data=data, total_length=total,
        reason=reply.api.reason, token=filled["MsgToken"], q_name=filled["ResolvedQName"], order=reply.body.order,
        ccsid=reply.ccsid,
    )  # fmt: skip


def inquire(
    client_calls: ClientCalls, hobj: int, selectors: Collection[int], lengths: Collection[int], what: str
) -> list[int | str | None]:
    """MQINQ: return values in the order of their selectors. lengths: of the character attributes, in bytes."""
    asked: Values = {
        "selectors": tuple(selectors),
        "integers": sum(one < cmqc.MQCA_FIRST for one in selectors),
        "characters": sum(lengths),
    }
    room = 4 * asked["integers"] + asked["characters"] + 1
    reply = client_calls.call(SegmentType.MQINQ, calls.INQUIRE, asked, handle=hobj, room=room)
    reply.check(f"cannot inquire attributes of {what}")
    found = calls.INQUIRE_REPLY.read(reply.body)
    if len(found["integers"]) < asked["integers"]:
        raise ConnectionBroken("the reply of MQINQ has too few values")
    lacks_some = reply.api.reason == cmqc.MQRC_SELECTOR_NOT_FOR_TYPE
    integers, each_length, at = iter(found["integers"]), iter(lengths), 0
    values: list[int | str | None] = []
    for one in selectors:
        value: int | str | None
        if one < cmqc.MQCA_FIRST:
            value = next(integers)
            is_missing = value == cmqc.MQIAV_NOT_APPLICABLE
        else:
            length = next(each_length)
            value = fields.read_text(found["characters"][at : at + length], reply.ccsid)
            at += length
            is_missing = bool(value) and set(value) == {"*"}
        values.append(None if lacks_some and is_missing else value)
    return values
