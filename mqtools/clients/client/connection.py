"""Connection to a queue manager elsewhere: the verbs that need no open queue, and MQOPEN."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from threading import RLock
from typing import Any, Self

from mqtools.clients.client import messages
from mqtools.clients.client.calls import CallReply, ClientCalls
from mqtools.clients.client.channel import ClientSocket
from mqtools.clients.client.errors import ConnectionBroken
from mqtools.clients.client.options import ConnectionOptions
from mqtools.clients.client.queue import RemoteQueue
from mqtools.clients.wire import calls, spi
from mqtools.clients.wire.codes import NO_OBJECT, SegmentType, Verb
from mqtools.clients.wire.pieces import Values
from mqtools.configuration.change_log import BACKOUT, COMMIT, ChangeLog
from mqtools.constants.objects import (
    MQCA_COMMAND_INPUT_Q_NAME,
    MQIA_MAX_UNCOMMITTED_MSGS,
    MQOT_Q_MGR,
    MQOT_TOPIC,
)
from mqtools.constants.options import (
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SAVE_ALL_CONTEXT,
    MQOO_SET,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_BACKED_OUT, MQRC_FUNCTION_NOT_SUPPORTED, MQRC_HCONN_ERROR
from mqtools.errors import MQError
from mqtools.headers import fields
from mqtools.headers.fields import field, read_characters, read_text
from mqtools.headers.structures_message import OD
from mqtools.message import Message
from mqtools.mqi.put import PutResult
from mqtools.rules.options.open import INPUT_OPTIONS
from mqtools.rules.options.put import check_put_options

#: Versions of MQOD: of a name, and with a string or a name for a dynamic queue.
_NAMED, _WITH_STRINGS = 2, 4
#: Options of LPOO: of any open, and of one that saves the context of messages.
_LPI_ANY, _LPI_SAVE_CONTEXT = 0x20, 0x03
#: First FAP level whose MQOPEN has attributes of the queue.
_ATTRIBUTES_LEVEL = 9
_ANY_DYNAMIC = "AMQ.*"
_CHANGES = INPUT_OPTIONS | MQOO_OUTPUT | MQOO_SET
#: Pauses before the attempts to connect again, in seconds.
_PAUSES_S = (0, 1, 2, 4)
#: Bytes that the reply of an open may be longer.
_OPEN_ROOM = 10_240


@dataclass(frozen=True, slots=True)
class EstablishedChannel:
    """A channel to a queue manager. agreed: INITIAL_DATA of the negotiation.  again: connects to its host again."""

    wire: ClientSocket
    options: ConnectionOptions
    agreed: Values
    again: Callable[[], EstablishedChannel]


class RemoteConnection:
    """A connection to a queue manager elsewhere. Used by one thread at a time.

    As a context manager it disconnects, which commits; an exception backs out.
    reconnected: called when a browse has connected again, the first time.  log: says what may be changed, and takes it.
    """

    file = None

    def __init__(self, channel: EstablishedChannel, idle: Callable[[], object] | None = None) -> None:
        """idle: called every second while a get waits; see ``ClientSocket``."""
        self._idle = idle
        self.options = channel.options
        self._establish = channel.again
        self.name = read_characters(channel.agreed["QMgrName"])
        self.q_mgr_id = read_characters(channel.agreed["QMgrId"])
        self.ccsid: int = channel.agreed["CCSID"]
        self._use(channel)
        self._has_ended = False
        self.reconnected: Callable[[], object] | None = None
        self.log = ChangeLog()

    def _use(self, channel: EstablishedChannel) -> None:
        self.calls = ClientCalls(channel.wire, self.ccsid)
        channel.wire.idle = self._idle

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if kind is not None:
            self.log.end(BACKOUT)
        if self.has_ended:
            return
        if kind is not None:
            self.backout()
        self.disconnect()

    @property
    def has_ended(self) -> bool:
        """Return whether the connection has ended in this process."""
        return self._has_ended or not self.calls.wire.is_open

    @property
    def in_unit_of_work(self) -> bool:
        """Return whether something was put or got that no commit has made final."""
        return self.calls.in_unit_of_work

    @property
    def max_uncommitted_msgs(self) -> int:
        """Return MAXUMSGS."""
        return int(self._settings[0] or 0)

    @property
    def command_q_name(self) -> str:
        """Return the name of the queue that takes commands."""
        return str(self._settings[1])

    @cached_property
    def _settings(self) -> list[int | str | None]:
        return self.inquire([MQIA_MAX_UNCOMMITTED_MSGS, MQCA_COMMAND_INPUT_Q_NAME])

    @property
    def lock(self) -> RLock:
        """Return what a call holds, for programs whose threads share the connection."""
        return self.calls.wire.lock

    @property
    def _calls(self) -> ClientCalls:
        if self._has_ended:
            raise MQError("the connection has been disconnected", MQRC_HCONN_ERROR)
        return self.calls

    def _reconnect(self) -> None:
        """Connect again after the connection broke, if no unit of work was in progress: nothing is in doubt then."""
        if not (self._has_ended or self.calls.wire.is_open or self.in_unit_of_work):
            self._use(self._establish())

    def open(self, q_name: str, options: int, **names: str) -> RemoteQueue:
        """MQOPEN: open a queue: see ``Connection.open``. A connection that broke is established again.

        Raises MQError: MQRC_NOT_AUTHORIZED for options that allow a change where there must be none.
        """
        if options & _CHANGES:
            self.log.check()
        queue = self.open_unlogged(q_name, options, **names)
        queue.log = self.log
        return queue

    def open_unlogged(
        self,
        q_name: str,
        options: int,
        *,
        q_mgr_name: str = "",
        dynamic_q_name: str = _ANY_DYNAMIC,
        selector: str = "",
    ) -> RemoteQueue:
        """Open a queue whose changes are neither checked nor logged."""
        self._reconnect()
        is_plain = dynamic_q_name == _ANY_DYNAMIC and not selector
        od = {
            **OD.initial(),
            "Version": _NAMED if is_plain else _WITH_STRINGS,
            "ObjectName": field(q_name, 48),
            "ObjectQMgrName": field(q_mgr_name, 48),
            "DynamicQName": field(dynamic_q_name, 48),
            "SelectionString": selector,
        }
        reply, values = self.open_object(od, options)
        reply.check(f"cannot open queue {q_name}", q_name=q_name)
        found = fields.read(OD, values["od"], fields.WIRE[reply.body.order])
        again = partial(self._open_again, od, options)
        opened_name = read_text(found["ObjectName"], reply.ccsid)
        return RemoteQueue(self, self.calls, reply.api.handle, opened_name, options, open_again=again)

    def _open_again(self, od: dict[str, Any], options: int, breaks: int) -> tuple[ClientCalls, int] | None:
        """Open a queue after the connection broke; None where it cannot be made again, or something is in doubt.

        breaks: how often it broke already without any progress; the pauses begin there.
        """
        if self._has_ended or self.in_unit_of_work:
            return None
        for pause_s in _PAUSES_S[breaks:]:
            time.sleep(pause_s)
            with suppress(MQError):
                self._reconnect()
                reply, _ = self.open_object(od, options)
                break
        else:
            return None
        if self.reconnected is not None:
            self.reconnected()
            self.reconnected = None
        return self.calls, reply.check("cannot open the queue again").api.handle

    def open_object(self, od: dict[str, Any], options: int) -> tuple[CallReply, Values]:
        """Open an object; return the reply, which may be of a failure, and what is in it."""
        client_calls = self._calls
        raw = fields.write_request(OD, od, client_calls.form)
        if od["ObjectType"] != MQOT_Q_MGR and client_calls.offers(Verb.OPEN):
            lpi = _LPI_ANY | (_LPI_SAVE_CONTEXT if options & MQOO_SAVE_ALL_CONTEXT else 0)
            lpoo = {**spi.OPEN_OPTIONS.initial(), "Options": options, "LpiOptions": lpi, "ExtraLength": _OPEN_ROOM}
            lpoo["ErrorQueue"] = field("", 48)
            asked: Values = {"inout": {"Version": 1}, "in": {"Version": 1, "lpoo": lpoo, "od": raw}}
            reply = client_calls.call_verb(Verb.OPEN, spi.OPEN_CALL, asked, handle=NO_OBJECT)
            return reply, {} if reply.has_failed else spi.OPEN_REPLY.read(reply.body)["out"]
        level = client_calls.wire.terms.fap_level
        attributes = calls.open_attributes() if level >= _ATTRIBUTES_LEVEL else None
        reply = client_calls.call(
            SegmentType.MQOPEN, calls.OPEN, {"od": raw, "options": options, "attributes": attributes}, room=_OPEN_ROOM
        )
        return reply, {} if reply.has_failed else calls.OPEN.read(reply.body)

    def inquire(self, selectors: Sequence[int]) -> list[int | str | None]:
        """MQINQ: return attributes of the queue manager by their selectors. Connects again as ``open``."""
        self._reconnect()
        od = {**OD.initial(), "Version": _NAMED, "ObjectType": MQOT_Q_MGR}
        reply, _ = self.open_object(od, MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING)
        hobj = reply.check(f"cannot open queue manager {self.name}").api.handle
        with RemoteQueue(self, self.calls, hobj, self.name, MQOO_INQUIRE) as opened:
            opened.table = "QMGR"
            return opened.inquire(selectors)

    def put1(
        self,
        q_name: str,
        message: Message,
        options: int = 0,
        *,
        q_mgr_name: str = "",
        context: RemoteQueue | None = None,
    ) -> PutResult:
        """MQPUT1: open, put and close in one call. The message's descriptor is completed."""
        self.log.check()
        od = {**OD.initial(), "ObjectName": field(q_name, 48), "ObjectQMgrName": field(q_mgr_name, 48)}
        result = self.put_on(od, message, options, q_name, context)
        self.log.add("put", q_name, message.md.msg_id, is_final=not options & MQPMO_SYNCPOINT)
        return result

    def put_on(
        self, od: dict[str, Any], message: Message, options: int, name: str, context: RemoteQueue | None = None
    ) -> PutResult:
        """MQPUT1 on an object, which is neither checked nor logged. name: for the words of an error."""
        check_put_options(options, 0, put1=True, md_version=message.md.version)
        context_handle = 0 if context is None else context.hobj
        q_name = "" if od["ObjectType"] == MQOT_TOPIC else name
        words = f"cannot put on {name}"
        return messages.put(self._calls, od, message, options, context=context_handle, words=words, q_name=q_name)

    def put_each(
        self,
        q_name: str,
        messages: Iterable[Message],
        options: int = 0,
        *,
        q_mgr_name: str = "",
        dead_letter: bool = False,
        keep_backout_count: bool = False,  # noqa: ARG002 - the queue manager decides
    ) -> tuple[list[PutResult], MQError | None]:
        """Put several messages on a queue, up to the first that fails: see ``BaseConnection.put_each``.

        They are not one transaction unless options say MQPMO_SYNCPOINT.
        """
        if dead_letter:
            raise MQError("the queue manager elsewhere has no dead-letter option", MQRC_FUNCTION_NOT_SUPPORTED)
        results: list[PutResult] = []
        for message in messages:
            try:
                results.append(self.put1(q_name, message, options, q_mgr_name=q_mgr_name))
            except MQError as error:
                if self.has_ended and not results:
                    raise
                return results, error
        return results, None

    def commit(self) -> None:
        """MQCMIT: make what the unit of work has put and got final. The changes are logged before.

        Raises MQError: MQRC_BACKED_OUT when an interrupted get may have taken an unseen message; it has been
        backed out then, all of it.  ConnectionBroken: the outcome is unknown.
        """
        self.log.end(COMMIT)
        try:
            if self._forget_doubts():
                self.backout()
                raise MQError("the unit of work was backed out: a get in it was interrupted", MQRC_BACKED_OUT)
            self._end_unit(SegmentType.MQCMIT, "cannot commit")
        except MQError as error:
            self.log.fail(str(error))
            raise

    def backout(self, *, counts: bool = True) -> None:  # noqa: ARG002 - the queue manager decides
        """MQBACK: undo what the unit of work has put and got."""
        self.log.end(BACKOUT)
        self._forget_doubts()
        self._end_unit(SegmentType.MQBACK, "cannot back out")

    def _end_unit(self, kind: int, words: str) -> None:
        reply = self._calls.call(kind)
        self.calls.in_unit_of_work = False
        reply.check(words)

    def _forget_doubts(self) -> bool:
        """Return whether a get was interrupted since the last call of this, whose message may have been taken."""
        return any([stream.settle() for stream in self.calls.streams.values()])

    def disconnect(self) -> None:
        """MQDISC: commit the unit of work, close all queues, close the socket.

        Raises MQError: of the commit. ConnectionBroken while a unit of work is in progress: the outcome is unknown.
        """
        if self._has_ended:
            return
        self.log.end(COMMIT)
        try:
            if self._forget_doubts() and self.in_unit_of_work and self.calls.wire.is_open:
                self.backout()
            self._calls.call(SegmentType.MQDISC).check("cannot disconnect")
            self.calls.wire.end()
        except ConnectionBroken:
            if self.in_unit_of_work:
                raise
        finally:
            self._has_ended = True
            self.calls.wire.close()

    def leave(self) -> None:
        """Disconnect for a process that ends now."""
        self.disconnect()
