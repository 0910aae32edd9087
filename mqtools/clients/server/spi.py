"""SPI calls of a client: the list of verbs, open, put, subscribe, reservation of message ids, end of a wait."""

from __future__ import annotations

from collections.abc import Callable

from mqtools.calls import messages
from mqtools.calls.connections import NO_HANDLE
from mqtools.clients.server.conversation import Conversation
from mqtools.clients.server.messages import carried, put_in
from mqtools.clients.server.objects import open_in, subscribe_in
from mqtools.clients.wire import spi
from mqtools.clients.wire.calls import ApiHeader
from mqtools.clients.wire.codes import NO_OBJECT, Verb
from mqtools.clients.wire.pieces import Cursor, Values
from mqtools.constants.options import (
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.reasons import (
    MQCC_FAILED,
    MQCC_OK,
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_HCONN_ERROR,
    MQRC_NONE,
)
from mqtools.headers.fields import WIRE

#: Verbs that are offered: greatest versions of their structures (in/out, in, out), and flags.
_VERBS = (
    (Verb.QUERY, 2, 2, 2, 1),
    (Verb.PUT, 1, 3, 1, 1),
    (Verb.RESERVE, 1, 1, 1, 1),
    (Verb.SUBSCRIBE, 1, 1, 1, 1),
    (Verb.NOTIFY, 1, 1, 1, 1),
    (Verb.OPEN, 1, 2, 2, 1),
)
#: Queue for messages that a protection policy rejects. mqx has no such policies.
_ERROR_QUEUE = b"SYSTEM.PROTECTION.ERROR.QUEUE".ljust(48)
#: Bytes of the open options before their MQOD, counted from the structure that they are in.
_BEFORE_OD = 100
#: Options of an open: save the identity and origin context of each message of a get, to pass it on.
_SAVE_CONTEXT = 0x3
_INPUT = MQOO_INPUT_AS_Q_DEF | MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE
#: Bits of a subscription that several programs share.
_SHARED = 0x50
#: Position of the counter in the ids of a reservation, counted from 1: their last two bytes.
_COUNTER_AT = 23

#: Answer of a verb: its reply behind what every SPI call begins with.
_Answer = Callable[[Conversation, ApiHeader, Cursor], tuple[ApiHeader, bytes]]


def call(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes:
    """Answer an SPI call. A verb that is not offered is refused with MQRC_FUNCTION_NOT_SUPPORTED."""
    asked = spi.SPI.read(body)
    verb = _ANSWERS.get(asked["Verb"])
    if conversation.session is None:
        result, rest = ApiHeader(MQCC_FAILED, MQRC_HCONN_ERROR, NO_OBJECT), b""
    elif verb is None:
        result, rest = ApiHeader(MQCC_FAILED, MQRC_FUNCTION_NOT_SUPPORTED, api.handle), b""
    else:
        result, rest = verb(conversation, api, body)
    return result.pack(spi.SPI.write(asked, body.order) + rest, body.order)


def _query(_: Conversation, __: ApiHeader, body: Cursor) -> tuple[ApiHeader, bytes]:
    inout = spi.QUERY_INOUT.read(body)
    out: Values = {"Version": 1, "verbs": _VERBS}
    return ApiHeader(), spi.QUERY_INOUT.write(inout, body.order) + spi.QUERY_OUT.write(out, body.order)


def _open(conversation: Conversation, _: ApiHeader, body: Cursor) -> tuple[ApiHeader, bytes]:
    inout, values = spi.OPEN_INOUT.read(body), spi.OPEN_IN.read(body)
    options = values["lpoo"]
    wanted = options["Options"]
    if options["LpiOptions"] & _SAVE_CONTEXT and wanted & _INPUT:
        wanted |= MQOO_SAVE_ALL_CONTEXT
    arguments = values["od"], wanted, WIRE[body.order]
    failed: tuple[int, Values, bytes] = NO_HANDLE, {}, values["od"]
    ho, found, values["od"], comp_code, reason = conversation.call(open_in, arguments, failed)
    if comp_code == MQCC_FAILED:
        options |= {"ErrorQueue": b"", "ExtraOffset": 0, "ExtraLength": 0}
        values["extra"] = b""
    else:
        values["extra"] = _protection(values["od"][12:60])
        offset = _BEFORE_OD + len(values["od"])
        options |= {**found, "ErrorQueue": _ERROR_QUEUE, "ExtraOffset": offset, "ExtraLength": len(values["extra"])}
    out = spi.OPEN_INOUT.write(inout, body.order) + spi.OPEN_OUT.write(values, body.order)
    return ApiHeader(comp_code, reason, ho & NO_OBJECT), out


def _protection(q_name: bytes) -> bytes:
    """Return the protection policy of a queue, that there is none: a group of PCF parameters, big-endian."""
    words = [8, 36, 3, 0, 1, 1, 0, 0, 8, 3, 16, 5, 1, 4, 68, 6, 819, 48]
    rest = [word for parameter in (7, 8, 9, 14, 10, 12) for word in (3, 16, parameter, 0)]
    return b"".join((*(word.to_bytes(4, "big") for word in words), q_name, *(word.to_bytes(4, "big") for word in rest)))


def _put(conversation: Conversation, api: ApiHeader, body: Cursor) -> tuple[ApiHeader, bytes]:
    """Answer a put, which may have a delivery delay."""
    inout, values = spi.PUT_INOUT.read(body), spi.PUT_IN.read(body)
    arguments = api.handle, inout["md"], inout["pmo"], values["data"], WIRE[body.order], values["Delay"]
    failed = inout["md"], inout["pmo"]
    verb = carried(put_in, conversation, body, values["data"])
    inout["md"], inout["pmo"], comp_code, reason = conversation.call(verb, arguments, failed)
    out = spi.PUT_INOUT.write(inout, body.order) + spi.PUT_OUT.write({"Version": values["Version"]}, body.order)
    return ApiHeader(comp_code, reason, api.handle), out


def _subscribe(conversation: Conversation, api: ApiHeader, body: Cursor) -> tuple[ApiHeader, bytes]:
    """Answer a subscription, which may be shared."""
    inout, values = spi.SUBSCRIBE_INOUT.read(body), spi.SUBSCRIBE_IN.read(body)
    is_shared = bool(values["lsd"]["options"] & _SHARED)
    ho, values["handle"], values["sd"], comp_code, reason = subscribe_in(
        conversation, api.handle, values["sd"], body, is_shared=is_shared
    )
    out = spi.SUBSCRIBE_INOUT.write(inout, body.order) + spi.SUBSCRIBE_OUT.write(values, body.order)
    return ApiHeader(comp_code, reason, ho), out


def _reserve(conversation: Conversation, _: ApiHeader, body: Cursor) -> tuple[ApiHeader, bytes]:
    """Answer a reservation of message ids: the first of them, and how many."""
    inout, values = spi.RESERVE_INOUT.read(body), spi.RESERVE_IN.read(body)
    tag, number, comp_code, reason = conversation.call(messages.reserve_ids, (), (bytes(24), 0))
    number = max(0, min(values["number"], number))
    out: Values = {"Version": 1, "number": number, "position": _COUNTER_AT, "tag": tag}
    return ApiHeader(comp_code, reason), spi.RESERVE_INOUT.write(inout, body.order) + spi.RESERVE_OUT.write(
        out, body.order
    )


def _notify(conversation: Conversation, api: ApiHeader, body: Cursor) -> tuple[ApiHeader, bytes]:
    """Answer the wish to end the waits of a conversation of the same socket."""
    inout, values = spi.NOTIFY_INOUT.read(body), spi.NOTIFY_IN.read(body)
    for other in conversation.peers.values():
        if other.connection_id == values["connection_id"]:
            other.cancelled = values["reason"]
    out = spi.NOTIFY_INOUT.write(inout, body.order) + spi.NOTIFY_OUT.write({"Version": 1}, body.order)
    return ApiHeader(MQCC_OK, MQRC_NONE, api.handle), out


_ANSWERS: dict[int, _Answer] = {
    Verb.QUERY: _query,
    Verb.PUT: _put,
    Verb.RESERVE: _reserve,
    Verb.SUBSCRIBE: _subscribe,
    Verb.NOTIFY: _notify,
    Verb.OPEN: _open,
}
