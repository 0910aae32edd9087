"""The messaging REST API: put, browse and get messages, list them, publish."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse, Response

from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_NONE,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_GET_INHIBITED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.async_get import TaskSleep
from mqtools.mqi.connection import Connection
from mqtools.mqi.get.get import end_without_message, search, stop_waiting
from mqtools.mqi.get.request import Attempt
from mqtools.mqi.handle import Handle
from mqtools.operations.subscribe import publish
from mqtools.rest.call import RestCall, Result
from mqtools.rest.errors import RestError, from_mq
from mqtools.rest.messages import (
    PREFIX,
    format_identifier,
    headers_of,
    identifier_of,
    message_of,
    text_of,
)

_PUT = MQPMO_NO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING
_LONGEST_WAIT_MS = 2_147_483_647
_LISTED, _MOST_LISTED = 10, 10_000
#: Fields to match, and which of them: the descriptor and options of a get.
_Match = tuple[MQMD, int]


async def put_message(call: RestCall) -> Response:
    """POST /messaging/qmgr/{qmgr}/queue/{queue}/message."""
    call.check_q_mgr()
    q_name = call.name("queue")
    message = message_of(call.request.headers, await call.body(), call.version)
    await call.run(lambda connection: connection.put1(q_name, message, _PUT), "MQWB0303E", q_name)
    identifier = format_identifier(message.md.msg_id, call.version)
    return Response(status_code=HTTPStatus.CREATED, headers={f"{PREFIX}messageId": identifier})


async def publish_message(call: RestCall) -> Response:
    """POST /messaging/qmgr/{qmgr}/topic/{topic}/message."""
    call.check_q_mgr()
    topic = call.name("topic")
    message = message_of(call.request.headers, await call.body(), call.version)
    await call.run(lambda connection: publish(connection, topic, message), "MQWB0303E", topic)
    return Response(status_code=HTTPStatus.CREATED)


async def browse_message(call: RestCall) -> Response:
    """GET /messaging/qmgr/{qmgr}/queue/{queue}/message: the first message that fits stays on the queue."""
    call.check_q_mgr()
    q_name, (md, match) = call.name("queue"), _match(call)

    def browse(connection: Connection) -> Response:
        with connection.open(q_name, MQOO_BROWSE) as handle:
            try:
                return _answer(handle.get(MQGMO_BROWSE_FIRST, md=md, match_options=match).message, call.version)
            except NoMessageAvailable:
                return Response(status_code=HTTPStatus.NO_CONTENT)

    return await call.run(browse, "MQWB0303E", q_name)


async def get_message(call: RestCall) -> Response:
    """DELETE /messaging/qmgr/{qmgr}/queue/{queue}/message: the get takes effect when its answer is made."""
    call.check_q_mgr()
    q_name, match = call.name("queue"), _match(call)
    wait_ms = call.number("wait", 0, _LONGEST_WAIT_MS)
    if wait_ms:
        try:
            return await _wait_for_message(call, q_name, match, wait_ms)
        except MQError as error:
            raise from_mq(error, "MQWB0303E", q_name) from error

    def get(connection: Connection) -> Response:
        with connection.open(q_name, MQOO_INPUT_SHARED) as handle:
            try:
                message = handle.get(MQGMO_SYNCPOINT, md=match[0], match_options=match[1]).message
            except NoMessageAvailable:
                return Response(status_code=HTTPStatus.NO_CONTENT)
            return _receive(connection, message, call.version)

    return await call.run(get, "MQWB0303E", q_name)


async def list_messages(call: RestCall) -> Response:
    """GET /messaging/qmgr/{qmgr}/queue/{queue}/messagelist."""
    call.check_q_mgr()
    q_name, (md, match), most = call.name("queue"), _match(call), call.number("limit", _LISTED, _MOST_LISTED)

    def browse(connection: Connection) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = []
        options = MQGMO_BROWSE_NEXT | MQGMO_ACCEPT_TRUNCATED_MSG
        with connection.open(q_name, MQOO_BROWSE) as handle, suppress(NoMessageAvailable):
            while len(listed) < most:
                try:
                    found = handle.get(options, md=md.replace(), match_options=match, max_length=0).message.md
                except MQError as error:
                    if error.reason != MQRC_GET_INHIBITED:
                        raise
                    break
                ids = {"messageId": found.msg_id, "correlationId": found.correl_id}
                shown = {name: format_identifier(each, call.version) for name, each in ids.items()}
                listed.append({**shown, "format": found.format})
        return listed

    return JSONResponse({"messages": await call.run(browse, "MQWB0303E", q_name)})


def _match(call: RestCall) -> _Match:
    """Return the descriptor and the match options of the query. Raises RestError."""
    md, match = MQMD(), MQMO_NONE
    for key, field, option in (
        ("messageId", "msg_id", MQMO_MATCH_MSG_ID),
        ("correlationId", "correl_id", MQMO_MATCH_CORREL_ID),
    ):
        text = call.query(key)
        if text is not None:
            setattr(md, field, identifier_of(text, call.version, key))
            match |= option
    return md, match


def _answer(message: Message, version: int) -> Response:
    """Return the answer with a message. Raises RestError for one that is not text."""
    text = text_of(message)
    if text is None:
        raise RestError(HTTPStatus.NOT_IMPLEMENTED, "MQWB0904E", message.md.format)
    return Response(text, media_type="text/plain", headers=headers_of(message, version))


def _receive(connection: Connection, message: Message, version: int) -> Response:
    """Commit the get of a message and return its answer. One that is not text stays on its queue."""
    try:
        answer = _answer(message, version)
    except RestError:
        connection.backout(counts=False)
        raise
    connection.commit()
    return answer


async def _wait_for_message(call: RestCall, q_name: str, match: _Match, wait_ms: int) -> Response:
    """Get a message that may come later. No thread is held meanwhile.

    It ends without a message when the client closes its connection, or the server ends.
    """
    host = call.host
    if host.waits >= host.most_waits:
        raise RestError(HTTPStatus.SERVICE_UNAVAILABLE, "MQWB0905E", "Too many requests wait for messages.")
    host.waits += 1
    try:
        connection = await host.proved(call.identity, partial(host.take, call.identity))
        wait = _Wait(call, connection)
        watches = [asyncio.ensure_future(each) for each in (wait.end_with_server(), wait.end_with_client())]
        failure: BaseException | None = None
        try:
            return await wait.search(q_name, match, wait_ms)
        except BaseException as error:
            failure = error
            raise
        finally:
            for each in watches:
                each.cancel()
            await wait.in_thread(partial(host.release, call.identity.user, connection, failure))
    finally:
        host.waits -= 1


class _Wait:
    """A get that waits. is_over: the client or the server has ended it."""

    def __init__(self, call: RestCall, connection: Connection) -> None:
        self._call = call
        self._connection = connection
        self._sleep = TaskSleep(connection)
        self.is_over = False

    async def end_with_server(self) -> None:
        """End the wait when the server ends."""
        await self._call.host.ending.wait()
        self._end()

    async def end_with_client(self) -> None:
        """End the wait when the client closes its connection."""
        while (await self._call.request.receive())["type"] != "http.disconnect":
            pass
        self._end()

    def _end(self) -> None:
        self.is_over = True
        self._sleep.wake_all()

    async def in_thread(self, function: Callable[[], Result]) -> Result:
        """Run a function in a thread to its end, also when this task is cancelled: one thread uses the connection."""
        running = asyncio.ensure_future(self._call.host.in_thread(function))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait((running,))
            raise

    async def search(self, q_name: str, match: _Match, wait_ms: int) -> Response:
        """Search until there is a message or no time left, and sleep in between. Raises MQError, RestError."""
        connection = self._connection

        def begin() -> tuple[Handle, Attempt]:
            handle = connection.open(q_name, MQOO_INPUT_SHARED)
            return handle, Attempt(handle.request(MQGMO_SYNCPOINT | MQGMO_WAIT, match[0], match[1], wait_ms))

        def receive() -> Response | None:
            found = search(attempt)
            if found is None and not attempt.is_recorded:
                found = end_without_message(attempt)
            return None if found is None else _receive(connection, found.message, self._call.version)

        def end() -> None:
            with suppress(MQError):  # it may have been ended from outside
                if attempt.is_recorded and not connection.has_ended:
                    stop_waiting(attempt)
                if not connection.has_ended:
                    handle.close()

        handle, attempt = await self.in_thread(begin)
        try:
            while not self.is_over:
                answer = await self.in_thread(receive)
                if answer is not None:
                    return answer
                if not self.is_over and attempt.wait is not None:
                    await self._sleep(*attempt.wait.sleep)
        except NoMessageAvailable:
            return Response(status_code=HTTPStatus.NO_CONTENT)
        finally:
            self._sleep.end()
            await self.in_thread(end)
        raise RestError(HTTPStatus.SERVICE_UNAVAILABLE, "MQWB0905E", "The server ends.")
