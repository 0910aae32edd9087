"""The REST API as an ASGI application: who may call, which operation is called, and how errors are answered."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from http import HTTPStatus
from ipaddress import ip_address

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mqtools.rest.administration import log_in
from mqtools.rest.call import RestCall
from mqtools.rest.errors import RestError
from mqtools.rest.host import NotProved, RestHost
from mqtools.rest.identity import Basic, Certificate, Identity, LoginSession
from mqtools.rest.openapi import describe
from mqtools.rest.operations import OPERATIONS, PREFIX, Operation

#: Key of the state of a request with the common name of the client's certificate.
CERTIFICATE_NAME = "certificate_name"
#: Path of the description of the API.
DESCRIPTION_PATH = "/ibm/api/docs"
CSRF_HEADER = "ibm-mq-rest-csrf-token"

_SAFE = ("GET", "HEAD")
_VERSIONS = {"v1": 1, "v2": 2, "v3": 3}
#: Beginning of the names of a login's cookie. Programs that know no suffix send it as this.
_COOKIE = "LtpaToken2"


def make_application(host: RestHost) -> ASGIApp:
    """Return the application of a host."""
    routes = [Route(DESCRIPTION_PATH, _describe, methods=["GET"])]
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    for path, operations in by_path.items():
        routes.append(Route(PREFIX + path, _endpoint(host, operations), methods=list(operations)))
    handlers = {RestError: _answer_error, HTTPException: _answer_http_error, Exception: _answer_unexpected}
    application = Starlette(routes=routes[1:] + routes[:1], exception_handlers=handlers)  # type: ignore[arg-type]
    application.router.redirect_slashes = False
    application.state.host = host
    return _Gate(application, host)


class _Gate:
    """First check of each request: its Host header. Adds the headers of every answer."""

    def __init__(self, application: ASGIApp, host: RestHost) -> None:
        self._application = application
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        scope["path"] = scope["raw_path"].decode("ascii", "replace")  # %2F in a name separates nothing

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(usegmt=True).encode()
                message["headers"] = [
                    *message["headers"], (b"date", date), (b"cache-control", b"no-store"),
                    (b"x-content-type-options", b"nosniff"),
                ]  # fmt: skip
            await send(message)

        names = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
        if len(names) == 1 and is_own_name(names[0], self._host):
            await self._application(scope, receive, send_with_headers)
            return
        error = RestError(HTTPStatus.BAD_REQUEST, "MQWB0903E", "The Host header does not name this server.")
        await _error_response(error)(scope, receive, send_with_headers)


def is_own_name(text: str, host: RestHost) -> bool:
    """Return whether a Host header names the server. A foreign DNS name never equals an address."""
    name = text.rpartition(":")[0] if text.rpartition(":")[2].isdigit() else text
    name = name.strip("[]").lower()
    if name in host.names:
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return host.takes_addresses or address.is_loopback


def _endpoint(host: RestHost, operations: dict[str, Operation]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        operation = operations[request.method if request.method != "HEAD" else "GET"]
        version = _VERSIONS.get(request.path_params["version"])
        if version is None:
            raise RestError(HTTPStatus.NOT_FOUND, "MQWB0906E", request.scope["path"])
        if operation.handler is None:
            anybody = RestCall(host, request, Certificate(""), version)
            return await log_in(host, await anybody.json_body())
        call = RestCall(host, request, _identify(host, request), version)
        if "qmgr" in request.path_params and call.name("qmgr") != host.q_mgr_name:
            raise RestError(HTTPStatus.NOT_FOUND, "MQWB0009E", call.name("qmgr"))
        if request.method not in _SAFE and CSRF_HEADER not in request.headers:
            raise RestError(HTTPStatus.UNAUTHORIZED, "MQWB0100E")
        return await operation.handler(call)

    return endpoint


def _identify(host: RestHost, request: Request) -> Identity:
    """Return who the caller claims to be. Raises NotProved."""
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            user, separator, password = base64.b64decode(credentials.strip(), validate=True).partition(b":")
            if separator:
                return Basic(user.decode(), password, host.proofs)
        except (binascii.Error, UnicodeDecodeError) as error:
            raise NotProved(Basic.refusal) from error
    tokens = [token for name, token in request.cookies.items() if name.startswith(_COOKIE)]
    session = next(filter(None, map(host.sessions.find, tokens)), None)
    name = request.scope.get("state", {}).get(CERTIFICATE_NAME)
    if scheme or not (session or name):
        raise NotProved(LoginSession.refusal if tokens else Certificate.refusal)
    return session or Certificate(name)


async def _describe(request: Request) -> Response:
    """GET /ibm/api/docs: the description of the API."""
    host: RestHost = request.app.state.host
    await RestCall(host, request, _identify(host, request), 2).run(lambda _connection: None)
    return JSONResponse(describe(host.q_mgr_name))


def _error_response(error: RestError) -> Response:
    answer = JSONResponse(error.as_json(), error.status, media_type="application/json; charset=utf-8")
    if error.status == HTTPStatus.UNAUTHORIZED:
        answer.headers["www-authenticate"] = 'Basic realm="IBM MQ REST API"'
    return answer


async def _answer_error(_: Request, error: RestError) -> Response:
    return _error_response(error)


async def _answer_http_error(request: Request, error: HTTPException) -> Response:
    """Answer what the router finds: no such path, no such method."""
    path = request.scope["path"]
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        answer = _error_response(RestError(error.status_code, "MQWB0907E", f"{path} does not have {request.method}."))
        answer.headers.update(error.headers or {})
        return answer
    return _error_response(RestError(error.status_code, "MQWB0906E", path))


async def _answer_unexpected(request: Request, error: Exception) -> Response:
    """Answer an unforeseen error: the only 500."""
    host: RestHost = request.app.state.host
    host.note(f"REST: {request.method} {request.scope['path']}: unexpected {type(error).__name__}: {error}")
    return _error_response(RestError(HTTPStatus.INTERNAL_SERVER_ERROR, "MQWB0000E", "The request failed."))
