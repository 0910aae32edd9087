"""The administrative REST API: MQSC commands, the installation and the queue manager; login."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from http import HTTPStatus
from importlib.metadata import version as version_of
from typing import Any

from starlette.responses import JSONResponse, Response

from mqtools.admin.json.execute import execute_json, execute_text
from mqtools.mqi.connection import Connection
from mqtools.rest.call import RestCall
from mqtools.rest.errors import RestError
from mqtools.rest.host import RestHost
from mqtools.rest.identity import LIFE_S, Basic
from mqtools.rest.objects import execute

_INSTALLATION = "mqx"


async def run_mqsc(call: RestCall) -> Response:
    """POST /admin/action/qmgr/{qmgr}/mqsc: runCommand with a text, runCommandJSON with JSON."""
    body = await call.json_body()
    kind, parameters = body.get("type"), body.get("parameters")
    if kind == "runCommandJSON":
        return JSONResponse(await call.run(lambda connection: execute_json(connection, body)))
    text = parameters.get("command") if isinstance(parameters, dict) else None
    if kind != "runCommand" or not isinstance(text, str):
        raise RestError("MQWB0901E", "type must be runCommandJSON, or runCommand with a string in parameters.command.")
    return JSONResponse(await call.run(lambda connection: execute_text(connection, text)))


async def show_installation(call: RestCall) -> Response:
    """GET /admin/installation[/{installation}]."""
    name = call.request.path_params.get("installation", _INSTALLATION)
    if name != _INSTALLATION:
        raise RestError("MQWB0906E", f"installation {name}")
    shown = await call.run(lambda connection: _display(connection, "QMGR", "version"))
    digits = f"{shown.get('version', ''):0>8}"
    found: dict[str, Any] = {"name": _INSTALLATION, "platform": "unix"}
    found["version"] = ".".join(str(int(digits[at : at + 2])) for at in range(0, 8, 2))
    if call.query("attributes"):
        description = f"mqx {version_of('mqtools')}"
        found["extended"] = {"operatingSystem": platform.platform(), "description": description}
    return JSONResponse({"installation": [found]})


async def show_queue_managers(call: RestCall) -> Response:
    """GET /admin/qmgr[/{qmgr}]."""
    shown = await call.run(lambda connection: _display(connection, "QMSTATUS", "all"))
    found: dict[str, Any] = {"name": call.host.q_mgr_name, "state": str(shown.get("status", "")).lower()}
    if call.query("status"):
        found["status"] = {
            "channelInitiatorState": str(shown["chinit"]).lower(),
            "connectionCount": shown["conns"],
            "ldapConnectionState": "disconnected",
            "started": f"{shown['startda']}T{str(shown['startti']).replace('.', ':')}",
        }
    return JSONResponse({"qmgr": [found]})


def _display(connection: Connection, object_type: str, asked: str) -> dict[str, Any]:
    """Return the attributes of the queue manager. Raises RestError."""
    return execute(connection, {"command": "DISPLAY", "qualifier": object_type, "responseParameters": [asked]})[0]


async def log_in(host: RestHost, body: Mapping[str, Any]) -> Response:
    """POST /login: begin a session, whose token is in a cookie."""
    user, password = body.get("username"), body.get("password")
    if not isinstance(user, str) or not isinstance(password, str):
        raise RestError("MQWB0901E", "username and password must be strings.")
    digest = await host.verify(Basic(user, password.encode("utf-8", "replace"), host.proofs))
    answer = Response(status_code=HTTPStatus.NO_CONTENT)
    answer.set_cookie(
        host.sessions.cookie_name,
        host.sessions.begin(user, digest),
        max_age=LIFE_S,
        path="/",
        secure=host.is_secure,
        httponly=True,
        samesite="strict",
    )
    return answer


async def show_login(call: RestCall) -> Response:
    """GET /login: the user, and how it is authenticated."""
    await call.prove()
    identity = call.identity
    shown = {"name": identity.user, "role": ["MQWebUser"], "authenticationMechanism": identity.mechanism}
    return JSONResponse({"user": [shown]})


async def log_out(call: RestCall) -> Response:
    """DELETE /login: end the session of the cookie."""
    await call.prove()
    sessions = call.host.sessions
    sessions.end(call.request.cookies.get(sessions.cookie_name, ""))
    answer = Response(status_code=HTTPStatus.NO_CONTENT)
    answer.delete_cookie(sessions.cookie_name, secure=call.host.is_secure, httponly=True, samesite="strict")
    return answer
