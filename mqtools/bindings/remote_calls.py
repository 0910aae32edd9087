"""MQI calls of programs on a queue manager elsewhere: structures of this machine in and out, the client behind them.

Message handles are in this process, as they are with IBM's client: their properties travel in an MQRFH2. Consumers
(MQCB, MQCTL) are refused with MQRC_FUNCTION_NOT_SUPPORTED.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from mqtools.bindings.programs import REMOTE as REMOTE
from mqtools.calls import consumers, messages, objects, sessions, subscriptions
from mqtools.calls.connections import NO_HANDLE, Application
from mqtools.calls.sessions import CallSession
from mqtools.clients.client import subscription
from mqtools.clients.client.connect import establish
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.locations import from_environment, parse_connection_list, places_of
from mqtools.clients.client.options import ConnectionOptions
from mqtools.clients.client.queue import RemoteQueue
from mqtools.configuration.paths import MQ_SCHEME
from mqtools.configuration.remotes import find
from mqtools.constants import cmqc
from mqtools.constants.message import MQFMT_RF_HEADER_2
from mqtools.errors import MQError, UsageError
from mqtools.headers import fields
from mqtools.headers.structures_message import OD, PMO, SD, SRO, STS
from mqtools.message import MQMD, Message
from mqtools.mqi import identity
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.message_handles.handle import MessageHandle
from mqtools.mqi.put import PutResult
from mqtools.mqi.put_action import put_derived
from mqtools.rules.options.get import PROPERTY_OPTIONS

#: Bytes of an MQRFH2 up to the end of its length.
_START_OF_RFH2 = 12
#: Fields of an MQOD, MQSD and MQSTS that a call returns.
_OD_OUTPUT = ("ObjectName", "ObjectQMgrName", "KnownDestCount", "UnknownDestCount", "InvalidDestCount",
              "ResolvedQName", "ResolvedQMgrName", "ResObjectString", "ResolvedType")  # fmt: skip
_SD_OUTPUT = ("Options", "SubExpiry", "SubCorrelId", "SubUserData", "ResObjectString")
_STS_OUTPUT = ("CompCode", "Reason", "PutSuccessCount", "PutWarningCount", "PutFailureCount", "ObjectType",
               "ObjectName", "ObjectQMgrName", "ResolvedObjectName", "ResolvedQMgrName")  # fmt: skip


def connect_remotely(
    name: str | bytes, options: int, application: Application, password: bytes | None
) -> tuple[int, int, int]:
    """MQCONNX to a queue manager elsewhere: return the handle, completion code and reason.

    options: MQCNO_*.  application: as the program names it; an empty channel, place or user is that of the remote.
    """
    try:
        text = fields.read_characters(name) if isinstance(name, bytes) else name.strip()
        secret = None if password is None else password.decode("utf-8", "replace")
        choices = [
            replace(each, user=application.user or each.user, password=secret or each.password)
            for each in _choices(text, application.channel, application.connection_name)
        ]
        connection = RemoteConnection(establish(choices, application.name or identity.appl_name()))
    except MQError as error:
        return NO_HANDLE, cmqc.MQCC_FAILED, error.reason
    except UsageError:
        return NO_HANDLE, cmqc.MQCC_FAILED, cmqc.MQRC_CHANNEL_CONFIG_ERROR
    return sessions.add(RemoteSession(connection, options)), cmqc.MQCC_OK, cmqc.MQRC_NONE


def _choices(name: str, channel: str, place: str) -> list[ConnectionOptions]:
    """Return how to connect. Raises UsageError; MQError as ``places_of``."""
    remote = os.environ[REMOTE]
    if remote != MQ_SCHEME:
        return [replace(each, q_mgr_name=name or each.q_mgr_name) for each in places_of(find(remote))]
    if channel and place:
        return [ConnectionOptions(parse_connection_list(place), channel, q_mgr_name=name)]
    return from_environment(os.environ, name)


class RemoteSession(CallSession):
    """Connection of a program to a queue manager elsewhere."""

    queue_class = RemoteQueue

    def __init__(self, connection: RemoteConnection, options: int) -> None:
        super().__init__(connection, options)  # type: ignore[arg-type]
        self.remote = connection

    def verb(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        """Return what makes a call on this connection."""
        return _VERBS.get(verb, verb)

    def queue(self, handle: int, reason: int = cmqc.MQRC_HOBJ_ERROR) -> RemoteQueue:
        """Return an open object. Raises MQError."""
        found: RemoteQueue = self.open_object(handle, RemoteQueue, reason)
        return found


def _open(session: RemoteSession, od: bytes, options: int) -> tuple[int, bytes, int]:
    values = fields.read(OD, od)
    reply, found = session.remote.open_object(dict(values), options)
    reply.check("cannot open the object")
    returned = fields.read_reply(OD, found["od"], fields.WIRE[reply.body.order])
    values.update({name: returned[name] for name in _OD_OUTPUT if name in returned})
    name = fields.read_text(returned["ObjectName"], reply.ccsid)
    opened = RemoteQueue(session.remote, session.remote.calls, reply.api.handle, name, options)
    opened.table = "QMGR" if values["ObjectType"] == cmqc.MQOT_Q_MGR else "QUEUE"
    return session.add(opened), fields.write(OD, values), reply.api.reason


def _put(session: RemoteSession, handle: int, md: bytes, pmo: bytes, body: bytes) -> tuple[bytes, bytes, int]:
    opened, values = session.queue(handle), fields.read(PMO, pmo)
    return _put_by(session, md, values, body, opened.put)


def _put1(session: RemoteSession, od: bytes, md: bytes, pmo: bytes, body: bytes) -> tuple[bytes, bytes, int]:
    target, values = fields.read(OD, od), fields.read(PMO, pmo)
    return _put_by(session, md, values, body, partial(session.remote.put_on, target, name="the object"))


def _put_by(
    session: RemoteSession, md: bytes, values: dict[str, Any], body: bytes, put: Callable[..., PutResult]
) -> tuple[bytes, bytes, int]:
    """Put with the options of an MQPMO; return descriptor, options and reason. put: as ``RemoteQueue.put``."""
    message = Message(bytes(body), fields.read_md(md, session.remote.ccsid))
    passes = values["Options"] & (cmqc.MQPMO_PASS_ALL_CONTEXT | cmqc.MQPMO_PASS_IDENTITY_CONTEXT)
    context = session.queue(values["Context"], cmqc.MQRC_CONTEXT_HANDLE_ERROR) if passes else None
    handles: tuple[MessageHandle | None, ...] = (None, None)
    if values["Version"] >= 3:
        handles = tuple(session.message_handle(values[name]) for name in ("OriginalMsgHandle", "NewMsgHandle"))
    put_message = partial(put, options=values["Options"], context=context)
    if any(handles):
        result = put_derived(put_message, message, values["Options"], values["Action"], *handles)
    else:
        result = put_message(message)
    messages.fill_pmo(values, result, session.remote.name)
    return fields.write_md(message.md, md, session.remote.ccsid), fields.write(PMO, values), result.reason


def _get_once(
    session: RemoteSession, opened: RemoteQueue, values: dict[str, Any], md: MQMD, max_length: int
) -> GetResult:
    """Get one message; its properties go into a message handle, or into the data as the options say."""
    options = values["Options"]
    if options & cmqc.MQGMO_UNLOCK:
        return opened.get(options)
    msg_handle = session.message_handle(values["MsgHandle"]) if values["Version"] >= 4 else None
    in_handle = options & cmqc.MQGMO_PROPERTIES_IN_HANDLE
    if in_handle and msg_handle is None:
        raise MQError("properties in a message handle need a message handle", cmqc.MQRC_HMSG_ERROR)

    def get(options: int, *, as_is: bool = False) -> GetResult:
        return opened.get(
            options,
            md=md,
            match_options=values["MatchOptions"],
            wait_ms=values["WaitInterval"],
            max_length=max_length,
            msg_token=values["MsgToken"],
            as_is=as_is,
        )

    if msg_handle is None or (options & PROPERTY_OPTIONS and not in_handle):
        return get(options, as_is=True)
    options &= ~PROPERTY_OPTIONS
    result = get(options)
    if result.reason == cmqc.MQRC_TRUNCATED_MSG_FAILED and result.message.md.format == MQFMT_RF_HEADER_2:
        options &= ~cmqc.MQGMO_WAIT
        if options & cmqc.MQGMO_BROWSE_NEXT:
            options ^= cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_BROWSE_FIRST
        again = partial(opened.get, options, match_options=cmqc.MQMO_MATCH_MSG_TOKEN, msg_token=result.msg_token)
        start = again(max_length=_START_OF_RFH2).message  # too long for that, too: it stays where it is
        result.data_length -= _length_of_rfh2(start)
        if result.data_length <= max_length:  # without the MQRFH2 the data fits
            result = again(md=md)
    msg_handle.copy_from(result.message.properties, result.message.md)
    return result


def _length_of_rfh2(message: Message) -> int:
    is_big = message.md.encoding & cmqc.MQENC_INTEGER_MASK == cmqc.MQENC_INTEGER_NORMAL
    return int.from_bytes(message.data[8:12], "big" if is_big else "little")


def _status(session: RemoteSession, kind: int, sts: bytes) -> tuple[bytes, int]:
    values = fields.read(STS, sts)
    found = subscription.status(session.remote, kind)
    values.update({name: found[name] for name in _STS_OUTPUT})
    return fields.write(STS, values), cmqc.MQRC_NONE


def _subscribe(session: RemoteSession, sd: bytes, ho: int) -> tuple[bytes, int, int, int]:
    values, remote = fields.read(SD, sd), session.remote
    own = None if ho in (0, NO_HANDLE) else session.queue(ho)
    reply, hsub, found = subscription.send_subscription(remote, dict(values), 0 if own is None else own.hobj)
    reply.check("cannot subscribe")
    if own is None:
        own = RemoteQueue(remote, remote.calls, reply.api.handle, "", subscription.INPUT)
        ho = session.add(own)
    values.update({name: found[name] for name in _SD_OUTPUT})
    opened = session.add(subscription.RemoteSubscription(remote, hsub, own, found, closes_queue=False))
    return fields.write(SD, values), ho, opened, reply.api.reason


def _request(session: RemoteSession, hsub: int, action: int, sro: bytes) -> tuple[bytes, int]:  # noqa: ARG001
    found: subscription.RemoteSubscription = session.open_object(hsub, subscription.RemoteSubscription)
    values = fields.read(SRO, sro)
    values["NumPubs"] = found.request()
    return fields.write(SRO, values), cmqc.MQRC_NONE


def _refuse(*_: Any) -> NoReturn:
    raise MQError("a client of mqx has no consumers (MQCB, MQCTL)", cmqc.MQRC_FUNCTION_NOT_SUPPORTED)


#: Verb on our file to the one on a queue manager elsewhere. All others are the same.
_VERBS: dict[Callable[..., Any], Callable[..., Any]] = {
    objects.open_object: _open,
    messages.put: _put,
    messages.put1: _put1,
    messages.get_once: _get_once,
    messages.status: _status,
    subscriptions.subscribe: _subscribe,
    subscriptions.request: _request,
    consumers.register: _refuse,
    consumers.control: _refuse,
}
