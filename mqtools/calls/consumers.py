"""MQCB and MQCTL: consumers, called with each message from threads of ours, one call at a time.

A consumer whose function raises an exception is suspended, and the unit of work is backed out. The exception is
written to stderr, and the event handler of the connection is called with MQRC_UNEXPECTED_ERROR. The other consumers
continue. MQCB with MQOP_RESUME resumes the consumer.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from select import select
from threading import Lock, Thread, get_ident
from typing import Any, NamedTuple

from mqtools.calls.deferral import CallBlock
from mqtools.calls.messages import fill_gmo, get_once
from mqtools.calls.sessions import CallSession, counted
from mqtools.constants import cmqc
from mqtools.constants.options import MQGMO_WAIT, MQWI_UNLIMITED
from mqtools.constants.reasons import (
    MQCC_FAILED,
    MQCC_OK,
    MQRC_CALLBACK_NOT_REGISTERED,
    MQRC_CALLBACK_TYPE_ERROR,
    MQRC_CBD_OPTIONS_ERROR,
    MQRC_HCONN_ASYNC_ACTIVE,
    MQRC_HOBJ_ERROR,
    MQRC_MAX_MSG_LENGTH_ERROR,
    MQRC_NO_CALLBACKS_ACTIVE,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_OPERATION_ERROR,
    MQRC_UNEXPECTED_ERROR,
)
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.headers import fields
from mqtools.headers.structures_connection import CBC, CBD, CTLO
from mqtools.headers.structures_message import GMO
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.get.waiters import wait_for_arrival
from mqtools.mqi.handle import Handle

#: What MQCB does: one or more of these.
_OPERATIONS = cmqc.MQOP_REGISTER | cmqc.MQOP_DEREGISTER | cmqc.MQOP_SUSPEND | cmqc.MQOP_RESUME
_CALLBACK_OPTIONS = (
    cmqc.MQCBDO_START_CALL
    | cmqc.MQCBDO_STOP_CALL
    | cmqc.MQCBDO_REGISTER_CALL
    | cmqc.MQCBDO_DEREGISTER_CALL
    | cmqc.MQCBDO_FAIL_IF_QUIESCING
    | cmqc.MQCBDO_EVENT_CALL
    | cmqc.MQCBDO_MC_EVENT_CALL
)
#: Callback for each message: connection, MQMD, MQGMO, data or None, MQCBC. Set by MQCBINIT.
deliver: Callable[..., Any] | None = None


@dataclass(slots=True, eq=False)
class Consumer:
    """Consumer of one queue. h, ho: the handles it is called with.  cbd, gmo: values of MQCBD and MQGMO."""

    h: int
    ho: int
    opened: Handle
    cbd: dict[str, Any]
    md: bytes
    gmo: dict[str, Any]
    is_suspended: bool
    run: ConsumerRun | None = None


class EventHandler(NamedTuple):
    """Event handler of the connection: what it is called with, and the values of its MQCBD."""

    h: int
    cbd: dict[str, Any]
    md: bytes
    gmo: bytes
    ho: int = cmqc.MQHO_NONE


class CallbackError(Exception):
    """Raised when a function of the program has raised an exception, its cause."""


class ConsumerRun:
    """One run of a consumer: from its start until it is stopped or an error ends it.

    is_over: no more gets; the last calls may still be running. Read and change it under the session's lock.
    """

    def __init__(self, consumer: Consumer, work: Callable[[ConsumerRun], None]) -> None:
        self.consumer = consumer
        self.before = consumer.run
        self.is_over = False
        self.reader, self.writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.thread = Thread(target=work, args=(self,), daemon=True)

    def stop(self) -> None:
        """Request the end of the thread, after its current call if there is one."""
        if not self.is_over:
            self.is_over = True
            os.write(self.writer, b"!")

    def close(self) -> None:
        """Close the pipe. Called by the thread at the end of the run."""
        os.close(self.reader)
        os.close(self.writer)


class Consumers:
    """The consumers of one connection."""

    def __init__(self, session: CallSession) -> None:
        self.session = session
        self.by_handle: dict[int, Consumer] = {}
        self.event_handler: EventHandler | None = None
        self.is_running = False
        self.connection_area = 0
        self._calling = Lock()
        self._caller: int | None = None

    def is_current(self) -> bool:
        """Return whether this thread is one that a consumer is called from."""
        return self._caller == get_ident()

    def start(self) -> None:
        """Start all consumers that are not suspended. The caller holds the session's lock."""
        self.is_running = True
        for consumer in self.by_handle.values():
            if not consumer.is_suspended and (consumer.run is None or consumer.run.is_over):
                consumer.run = ConsumerRun(consumer, self._consume)
                consumer.run.thread.start()

    def end(self, only: Consumer | None = None) -> None:
        """Stop consumers; return when none of their calls is in progress. The caller holds the session's lock."""
        stopping = [only] if only is not None else list(self.by_handle.values())
        self.is_running = self.is_running and only is not None
        runs = [consumer.run for consumer in stopping if consumer.run is not None]
        for run in runs:
            run.stop()
        if not self.is_current():
            self._join(runs)

    def wait(self) -> None:
        """Wait until all consumers have stopped, also those started meanwhile. The caller holds the session's lock."""
        while not self.is_current():
            runs = [consumer.run for consumer in self.by_handle.values() if consumer.run is not None]
            if not any(run.thread.is_alive() for run in runs):
                return
            self._join(runs)

    def _join(self, runs: list[ConsumerRun]) -> None:
        """Join the threads of runs, with the session's lock released for calls by other threads."""
        self.session.lock.release()
        try:
            for run in runs:
                run.thread.join()
        finally:
            self.session.lock.acquire()

    def forget(self, ho: int) -> None:
        """Remove the consumer of a queue that is closed or deregistered."""
        consumer = self.by_handle.pop(ho, None)
        if consumer is not None:
            self.end(consumer)

    def _consume(self, run: ConsumerRun) -> None:
        """Call the consumer with messages until the run is over. Target of its thread."""
        consumer = run.consumer
        if run.before is not None:
            run.before.thread.join()
            run.before = None
        raised: CallbackError | None = None
        try:
            self._call(consumer, cmqc.MQCBCT_START_CALL, cmqc.MQCBDO_START_CALL)
            failed = self._call_until_over(run)
            if failed is not None:
                self._call(consumer, cmqc.MQCBCT_EVENT_CALL, None, MQCC_FAILED, failed.reason)
            self._call(consumer, cmqc.MQCBCT_STOP_CALL, cmqc.MQCBDO_STOP_CALL)
        except CallbackError as error:
            raised = error  # reported outside of this block, else it is the context of what the event handler raises
        finally:
            with self.session.lock:
                run.is_over = True
                consumer.is_suspended |= raised is not None
        try:
            if raised is not None:
                self._end_failed(run, raised)
        finally:
            run.close()

    def _end_failed(self, run: ConsumerRun, error: CallbackError) -> None:
        """Back out for a suspended consumer whose function raised an exception, and report the exception."""
        with CallBlock(), self.session.lock:
            if not self.session.connection.has_ended:
                with suppress(MQError):  # the next call of the program says why
                    self.session.connection.backout()
        handler = self.event_handler
        _report(f"the consumer of queue {run.consumer.opened.q_name} failed and is suspended", error)
        if handler is None:
            return
        fields_set = {"CallType": cmqc.MQCBCT_EVENT_CALL, "CompCode": MQCC_FAILED, "Reason": MQRC_UNEXPECTED_ERROR}
        try:
            self._invoke(handler, handler.md, handler.gmo, None, fields_set)
        except CallbackError as second:
            _report("the event handler failed", second)

    def _call_until_over(self, run: ConsumerRun) -> MQError | None:
        """Return the error that suspended the consumer, None if it was stopped."""
        try:
            while not _is_readable(run.reader):
                self._deliver_next(run)
        except MQError as error:
            with self.session.lock:
                if not run.is_over:
                    run.is_over = run.consumer.is_suspended = True
                    return error
        return None

    def _deliver_next(self, run: ConsumerRun) -> None:
        """Call the consumer with the next message, or with the event that none arrived in time."""
        consumer = run.consumer
        values = dict(consumer.gmo)
        limit = values["WaitInterval"] if values["Options"] & MQGMO_WAIT else MQWI_UNLIMITED
        values["Options"] &= ~MQGMO_WAIT
        found: list[GetResult] = []

        def look() -> bool:
            md, room = fields.read_md(consumer.md, self.session.connection.ccsid), consumer.cbd["MaxMsgLength"]
            try:
                found.append(get_once(self.session, consumer.opened, values, md, room if room >= 0 else None))
            except NoMessageAvailable:
                return False
            return True

        deadline = None if limit == MQWI_UNLIMITED else time.monotonic() + limit / 1000
        with CallBlock(), self.session.lock:
            arrived = look() or wait_for_arrival(consumer.opened, deadline, look, [run.reader])
        if found:
            self._call_with(consumer, values, found[0])
        elif not arrived:
            self._call(consumer, cmqc.MQCBCT_EVENT_CALL, None, MQCC_FAILED, MQRC_NO_MSG_AVAILABLE)

    def _call_with(self, consumer: Consumer, values: dict[str, Any], result: GetResult) -> None:
        fill_gmo(values, result)
        removed = not values["Options"] & (cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT)
        self._invoke(
            consumer,
            fields.write_md(result.message.md, consumer.md, self.session.connection.ccsid),
            GMO.pack(values),
            result.message.data,
            {
                "CallType": cmqc.MQCBCT_MSG_REMOVED if removed else cmqc.MQCBCT_MSG_NOT_REMOVED,
                "CompCode": result.comp_code,
                "Reason": result.reason,
                "DataLength": result.data_length,
                "BufferLength": len(result.message.data),
            },
        )

    def _call(
        self, consumer: Consumer, call_type: int, option: int | None, comp_code: int = MQCC_OK, reason: int = MQRC_NONE
    ) -> None:
        """Call the consumer without a message, unless it has to request this kind of call and did not."""
        if option is None or consumer.cbd["Options"] & option:
            fields_set = {"CallType": call_type, "CompCode": comp_code, "Reason": reason}
            self._invoke(consumer, consumer.md, GMO.pack(consumer.gmo), None, fields_set)

    def _invoke(
        self, target: Consumer | EventHandler, md: bytes, gmo: bytes, body: bytes | None, fields_set: dict[str, Any]
    ) -> None:
        """Call a function of the program. Raises CallbackError when it raises an exception."""
        areas = {"CallbackArea": target.cbd["CallbackArea"], "ConnectionArea": self.connection_area}
        cbc = {**CBC.initial(), **fields_set, "Hobj": target.ho, **areas}
        with self._calling:
            if deliver is None:
                return
            self._caller = get_ident()
            try:
                deliver(target.h, md, gmo, body, CBC.pack(cbc))
            except BaseException as error:
                raise CallbackError from error
            finally:
                self._caller = None


def _report(words: str, error: CallbackError) -> None:
    """Write to stderr what failed, and the exception that the function of the program raised."""
    sys.stderr.write("".join([f"mqx: {words}\n", *traceback.format_exception(error.__cause__)]))


def _is_readable(descriptor: int) -> bool:
    return bool(select([descriptor], [], [], 0)[0])


@counted("cb")
def register(session: CallSession, h: int, operation: int, cbd: bytes, ho: int, md: bytes, gmo: bytes) -> tuple[int]:
    """MQCB: register, deregister, suspend or resume the consumer of a queue.

    Without a queue it is about the event handler of the connection, which is called when a function of the program
    raises an exception. Other events go to the consumers.
    """
    consumers = session.consumers
    if not isinstance(consumers, Consumers):
        consumers = session.consumers = Consumers(session)
    if not operation & _OPERATIONS or operation & ~_OPERATIONS:
        raise MQError(f"there is no operation {operation}", MQRC_OPERATION_ERROR)
    if ho in (cmqc.MQHO_NONE, cmqc.MQHO_UNUSABLE_HOBJ):
        if operation & cmqc.MQOP_REGISTER:
            consumers.event_handler = EventHandler(h, _read_cbd(cbd), md, gmo)
        elif operation & cmqc.MQOP_DEREGISTER:
            consumers.event_handler = None
        return (MQRC_NONE,)
    if operation & cmqc.MQOP_REGISTER:
        opened = session.open_object(ho, Handle, MQRC_HOBJ_ERROR)
        values = _read_cbd(cbd)
        consumers.forget(ho)
        is_suspended = bool(operation & cmqc.MQOP_SUSPEND)
        consumers.by_handle[ho] = Consumer(h, ho, opened, values, md, fields.read(GMO, gmo), is_suspended)
        if consumers.is_running:
            consumers.start()
        return (MQRC_NONE,)
    consumer = consumers.by_handle.get(ho)
    if consumer is None:
        raise MQError("no consumer is registered for the queue", MQRC_CALLBACK_NOT_REGISTERED)
    if operation & cmqc.MQOP_DEREGISTER:
        consumers.forget(ho)
    elif operation & cmqc.MQOP_SUSPEND:
        consumer.is_suspended = True
        consumers.end(consumer)
    else:
        consumer.is_suspended = False
        if consumers.is_running:
            consumers.start()
    return (MQRC_NONE,)


def _read_cbd(cbd: bytes) -> dict[str, Any]:
    """Read an MQCBD.

    Raises MQError: MQRC_CBD_ERROR, MQRC_CALLBACK_TYPE_ERROR, MQRC_CBD_OPTIONS_ERROR, MQRC_MAX_MSG_LENGTH_ERROR.
    """
    values = fields.read(CBD, cbd)
    if values["CallbackType"] not in (cmqc.MQCBT_MESSAGE_CONSUMER, cmqc.MQCBT_EVENT_HANDLER):
        raise MQError(f"there is no callback type {values['CallbackType']}", MQRC_CALLBACK_TYPE_ERROR)
    if values["Options"] & ~_CALLBACK_OPTIONS:
        raise MQError(f"unknown options of a callback: {values['Options']:#x}", MQRC_CBD_OPTIONS_ERROR)
    if values["MaxMsgLength"] < cmqc.MQCBD_FULL_MSG_LENGTH:
        raise MQError("the maximum message length is negative", MQRC_MAX_MSG_LENGTH_ERROR)
    return values


@counted("ctl")
def control(session: CallSession, operation: int, ctlo: bytes) -> tuple[int]:
    """MQCTL: start, stop, suspend or resume all consumers of a connection."""
    consumers = session.consumers
    if not isinstance(consumers, Consumers) or not consumers.by_handle:
        if operation in (cmqc.MQOP_START, cmqc.MQOP_START_WAIT):
            raise MQError("no consumer is registered", MQRC_NO_CALLBACKS_ACTIVE)
        return (MQRC_NONE,)
    if operation in (cmqc.MQOP_START, cmqc.MQOP_START_WAIT, cmqc.MQOP_RESUME):
        if consumers.is_running and operation != cmqc.MQOP_RESUME:
            raise MQError("consumers have been started already", MQRC_HCONN_ASYNC_ACTIVE)
        if ctlo:
            consumers.connection_area = fields.read(CTLO, ctlo)["ConnectionArea"]
        consumers.start()
        if operation == cmqc.MQOP_START_WAIT:
            consumers.wait()
    elif operation in (cmqc.MQOP_STOP, cmqc.MQOP_SUSPEND):
        consumers.end()
    else:
        raise MQError(f"there is no operation {operation}", MQRC_OPERATION_ERROR)
    return (MQRC_NONE,)
