"""The messaging REST API: put, browse and get messages, list them, publish."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
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
from mqtools.mqi.async_get import TaskSleep, get_in_task
from mqtools.mqi.connection import Connection
from mqtools.operations.subscribe import publish
from mqtools.rest.call import RestCall
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
    q_name = call.name("queue")
    message = message_of(call.request.headers, await call.body(), call.version)
    await call.run(lambda connection: connection.put1(q_name, message, _PUT), "MQWB0303E", q_name)
    identifier = format_identifier(message.md.msg_id, call.version)
    return Response(status_code=HTTPStatus.CREATED, headers={f"{PREFIX}messageId": identifier})


async def publish_message(call: RestCall) -> Response:
    """POST /messaging/qmgr/{qmgr}/topic/{topic}/message."""
    topic = call.name("topic")
    message = message_of(call.request.headers, await call.body(), call.version)
    await call.run(lambda connection: publish(connection, topic, message), "MQWB0303E", topic)
    return Response(status_code=HTTPStatus.CREATED)


async def browse_message(call: RestCall) -> Response:
    """GET /messaging/qmgr/{qmgr}/queue/{queue}/message: the first message that fits stays on the queue."""
    q_name, (md, match) = call.name("queue"), _match(call)

    def browse(connection: Connection) -> Response:
        with connection.open(q_name, MQOO_BROWSE) as handle:
            return _answer(handle.get(MQGMO_BROWSE_FIRST, md=md, match_options=match).message, call.version)

    return await call.run(browse, "MQWB0303E", q_name)


async def get_message(call: RestCall) -> Response:
    """DELETE /messaging/qmgr/{qmgr}/queue/{queue}/message: the get takes effect when its answer is made."""
    q_name, match = call.name("queue"), _match(call)
    wait_ms = call.number("wait", 0, _LONGEST_WAIT_MS)
    if wait_ms:
        try:
            return await _wait_for_message(call, q_name, match, wait_ms)
        except MQError as error:
            raise from_mq(error, "MQWB0303E", q_name) from error

    def get(connection: Connection) -> Response:
        with connection.open(q_name, MQOO_INPUT_SHARED) as handle:
            message = handle.get(MQGMO_SYNCPOINT, md=match[0], match_options=match[1]).message
            return _receive(connection, message, call.version)

    return await call.run(get, "MQWB0303E", q_name)


async def list_messages(call: RestCall) -> Response:
    """GET /messaging/qmgr/{qmgr}/queue/{queue}/messagelist."""
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
        raise RestError("MQWB0904E", message.md.format)
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
        raise RestError("MQWB0905E", "Too many requests wait for messages.")
    host.waits += 1
    tasks: list[asyncio.Future[Any]] = []
    connection, failure = None, None
    try:
        connection = await host.proved(call.identity, partial(host.take, call.identity))
        get = asyncio.ensure_future(_get_later(call, connection, q_name, match, wait_ms))
        tasks = [get, *map(asyncio.ensure_future, (host.ending.wait(), _client_left(call.request)))]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if get.done():
            return get.result()
        raise RestError("MQWB0905E", "The server ends.")
    except BaseException as error:
        failure = error
        raise
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if connection is not None:
            await host.in_thread(partial(host.release, call.identity.user, connection, failure))
        host.waits -= 1


async def _client_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _get_later(call: RestCall, connection: Connection, q_name: str, match: _Match, wait_ms: int) -> Response:
    """Get a message that may come later; its handle is closed in any case."""
    run, sleep, (md, match_options) = call.host.in_thread, TaskSleep(connection), match
    handle = await run(partial(connection.open, q_name, MQOO_INPUT_SHARED))
    try:
        options = MQGMO_SYNCPOINT | MQGMO_WAIT
        found = await get_in_task(handle, options, sleep, md=md, match_options=match_options, wait_ms=wait_ms, run=run)
        return await run(partial(_receive, connection, found.message, call.version))
    finally:
        sleep.end()
        with suppress(MQError):  # it may have been ended from outside
            if not connection.has_ended:
                await run(handle.close)
