"""Calls of a client on objects: MQOPEN, MQCLOSE, MQINQ, MQSET, MQSUB and MQSUBRQ."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from mqtools.calls import objects, subscriptions
from mqtools.calls.connections import NO_HANDLE
from mqtools.calls.sessions import CallSession
from mqtools.clients.server.conversation import Conversation
from mqtools.clients.wire import calls
from mqtools.clients.wire.calls import ApiHeader
from mqtools.clients.wire.codes import NO_OBJECT
from mqtools.clients.wire.pieces import Cursor, Values
from mqtools.constants.reasons import (
    MQCC_OK,
    MQCC_WARNING,
    MQRC_CHAR_ATTRS_TOO_SHORT,
    MQRC_INT_ATTR_COUNT_TOO_SMALL,
    MQRC_RECS_PRESENT_ERROR,
)
from mqtools.errors import MQError
from mqtools.headers.fields import WIRE, StructureForm
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import attributes_of_queue

#: Offset of RecsPresent in MQOD. Version 1 ends there.
OD_RECORDS = 168

#: Most integers that an inquiry returns.
_MOST_INTEGERS = 256
#: Attributes of a queue that an open returns: field to attribute.
_OPEN_ATTRIBUTES = {
    "DefPersistence": "def_persistence",
    "DefPutResponseType": "def_put_response_type",
    "DefReadAhead": "def_read_ahead",
    "PropertyControl": "property_control",
}


def refuse_records(structure: bytes, at: int) -> None:
    """Refuse a distribution list. at: of RecsPresent. Raises MQError: MQRC_RECS_PRESENT_ERROR."""
    if any(structure[at : at + 4]):
        raise MQError("distribution lists are not supported", MQRC_RECS_PRESENT_ERROR)


def open_in(session: CallSession, od: bytes, options: int, form: StructureForm) -> tuple[int, Values, bytes, int]:
    """MQOPEN: return the handle, the attributes of the queue that an open returns, the descriptor and the reason."""
    refuse_records(od, OD_RECORDS)
    ho, od, reason = objects.open_object(session, od, options, form)
    return ho, _attributes(session, session.objects[ho]), od, reason


def _attributes(session: CallSession, opened: object) -> Values:
    """Return the attributes of a queue that an open returns; -1 for those of any other object."""
    known: dict[str, object] = {}
    if isinstance(opened, Handle):
        with suppress(MQError), session.connection.db.reading():  # none for a queue of another queue manager
            known = attributes_of_queue(session.connection.db, opened.alias_name or opened.q_name)
    return {field: known.get(name, -1) for field, name in _OPEN_ATTRIBUTES.items()}


def open_object(conversation: Conversation, _: ApiHeader, body: Cursor) -> bytes:
    """Answer MQOPEN."""
    values = calls.OPEN.read(body)
    arguments = values["od"], values["options"], WIRE[body.order]
    failed: tuple[int, Values, bytes] = NO_HANDLE, {}, values["od"]
    ho, found, values["od"], comp_code, reason = conversation.call(open_in, arguments, failed)
    if values["attributes"] is not None:
        values["attributes"] |= {**found, "ExtraOffset": values["attributes"]["Length"], "ExtraLength": 0}
    return ApiHeader(comp_code, reason, ho & NO_OBJECT).pack(calls.OPEN.write(values, body.order), body.order)


def close_object(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes:
    """Answer MQCLOSE. The handle of a queue that was read as a stream is returned."""
    options = calls.CLOSE.read(body)["options"]
    stream = conversation.streams.pop(api.handle, None)
    if stream is not None:
        stream.end()
    comp_code, reason = conversation.call(objects.close_object, (api.handle, options))
    handle = NO_OBJECT if stream is None else api.handle
    return ApiHeader(comp_code, reason, handle).pack(b"", body.order)


def inquire(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes:
    """Answer MQINQ."""
    asked = calls.INQUIRE.read(body)
    selectors = asked["selectors"]
    values, comp_code, reason = conversation.call(objects.inquire, (api.handle, selectors), ([],))
    integers = [value for value in values if isinstance(value, int)]
    characters = b"".join(value for value in values if isinstance(value, bytes))
    if comp_code == MQCC_OK and len(integers) > asked["integers"]:
        comp_code, reason = MQCC_WARNING, MQRC_INT_ATTR_COUNT_TOO_SMALL
    elif comp_code == MQCC_OK and len(characters) > asked["characters"]:
        comp_code, reason = MQCC_WARNING, MQRC_CHAR_ATTRS_TOO_SHORT
    room = max(0, min(asked["integers"], _MOST_INTEGERS))
    reply = {
        "selectors": selectors,
        "integers": (integers + [0] * room)[:room],  # as many as the client has room for: it counts on them
        "characters": characters[: max(0, asked["characters"])],
    }
    return ApiHeader(comp_code, reason, api.handle).pack(calls.INQUIRE_REPLY.write(reply, body.order), body.order)


def set_attributes(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes:
    """Answer MQSET."""
    given = calls.SET.read(body)
    arguments = api.handle, given["selectors"], given["integers"], given["characters"]
    comp_code, reason = conversation.call(objects.set_from_arrays, arguments)
    return ApiHeader(comp_code, reason, api.handle).pack(b"", body.order)


def subscribe(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes:
    """Answer MQSUB. The handle of the API header is that of the queue, 0 or -1 for a managed one."""
    values = calls.SUB.read(body)
    ho, values["handle"], values["sd"], comp_code, reason = subscribe_in(conversation, api.handle, values["sd"], body)
    return ApiHeader(comp_code, reason, ho).pack(calls.SUB.write(values, body.order), body.order)


def subscribe_in(
    conversation: Conversation, handle: int, sd: bytes, body: Cursor, *, is_shared: bool = False
) -> tuple[int, int, bytes, int, int]:
    """Subscribe; return handles of the queue and the subscription, descriptor, completion code and reason."""
    given = NO_HANDLE if handle in (0, NO_OBJECT) else handle
    arguments, failed = (sd, given, WIRE[body.order]), (sd, NO_HANDLE, NO_HANDLE)
    sd, ho, hsub, comp_code, reason = conversation.call(
        partial(subscriptions.subscribe, is_shared=is_shared), arguments, failed
    )
    return ho & NO_OBJECT, hsub & NO_OBJECT, sd, comp_code, reason


def request_publications(conversation: Conversation, api: ApiHeader, body: Cursor) -> bytes:
    """Answer MQSUBRQ. The handle of the API header is that of the subscription."""
    values = calls.SUBRQ.read(body)
    arguments = api.handle, values["action"], values["sro"], WIRE[body.order]
    values["sro"], comp_code, reason = conversation.call(subscriptions.request, arguments, (values["sro"],))
    return ApiHeader(comp_code, reason, api.handle).pack(calls.SUBRQ.write(values, body.order), body.order)
