"""The REST API as an ASGI application: who may call, which operation is called, and how errors are answered."""

from __future__ import annotations

import base64
import binascii
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
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
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    routes = [
        Route(PREFIX + path, partial(_endpoint, host, operations), methods=list(operations))
        for path, operations in by_path.items()
    ]
    routes.append(Route(DESCRIPTION_PATH, partial(_describe, host), methods=["GET"]))
    return _Application(host, Router(routes, redirect_slashes=False))


class _Application:
    """Check the Host header of each request, route it, and answer its errors."""

    def __init__(self, host: RestHost, router: Router) -> None:
        self._host = host
        self._router = router

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._router(scope, receive, send)
            return
        scope["path"] = scope["raw_path"].decode("ascii", "replace")  # %2F in a name separates nothing
        scope["app"] = self  # so the router raises what it does not find

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(usegmt=True).encode()
                message["headers"] = [
                    *message["headers"], (b"date", date), (b"cache-control", b"no-store"),
                    (b"x-content-type-options", b"nosniff"),
                ]  # fmt: skip
            await send(message)

        try:
            names = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
            if len(names) != 1 or not is_own_name(names[0], self._host):
                raise RestError("MQWB0903E", "The Host header does not name this server.")
            await self._router(scope, receive, send_with_headers)
        except ClientDisconnect:
            return  # the client has gone
        except Exception as error:
            await self._answer(error, scope)(scope, receive, send_with_headers)

    def _answer(self, error: Exception, scope: Scope) -> Response:
        """Return the answer for an error. Only unexpected errors have status 500."""
        method, path, headers = scope["method"], scope["path"], {}
        if isinstance(error, HTTPException):  # of the router
            headers = dict(error.headers or {})
            if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
                error = RestError("MQWB0907E", f"{path} does not have {method}.")
            else:
                error = RestError("MQWB0906E", path)
        if not isinstance(error, RestError):
            self._host.note(f"REST: {method} {path}: unexpected {type(error).__name__}: {error}")
            error = RestError("MQWB0000E", "The request failed.")
        if error.status == HTTPStatus.NO_CONTENT:
            return Response(status_code=error.status)
        if error.status == HTTPStatus.UNAUTHORIZED:
            headers["www-authenticate"] = 'Basic realm="IBM MQ REST API"'
        return JSONResponse(error.as_json(), error.status, headers, "application/json; charset=utf-8")


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


async def _endpoint(host: RestHost, operations: dict[str, Operation], request: Request) -> Response:
    """Call the operation of a method."""
    operation = operations[request.method if request.method != "HEAD" else "GET"]
    version = _VERSIONS.get(request.path_params["version"])
    if version is None:
        raise RestError("MQWB0906E", request.scope["path"])
    if operation.handler is None:
        anybody = RestCall(host, request, Certificate(""), version)
        return await log_in(host, await anybody.json_body())
    call = RestCall(host, request, _identify(host, request), version)
    if "qmgr" in request.path_params and call.name("qmgr") != host.q_mgr_name:
        raise RestError("MQWB0009E", call.name("qmgr"))
    if request.method not in _SAFE and CSRF_HEADER not in request.headers:
        raise RestError("MQWB0100E")
    return await operation.handler(call)


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


async def _describe(host: RestHost, request: Request) -> Response:
    """GET /ibm/api/docs: the description of the API."""
    await RestCall(host, request, _identify(host, request), 2).prove()
    return JSONResponse(describe(host.q_mgr_name))
