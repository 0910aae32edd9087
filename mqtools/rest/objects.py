"""The REST resources queue, channel and subscription: commands of the catalogue with the names of these resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from mqtools.admin.json.execute import run_json
from mqtools.admin.pcf.escape import reason_of
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError, UsageError
from mqtools.mqi.connection import Connection
from mqtools.rest.call import RestCall
from mqtools.rest.errors import RestError, from_mq
from mqtools.rest.object_names import CHANNEL, QUEUE, QUEUE_STATUS, SUBSCRIPTION, NameTable

#: Operator of a filter to that of WHERE.
_OPERATORS = {"lessThan": "LT", "greaterThan": "GT", "equalTo": "EQ", "notEqualTo": "NE", "lessThanOrEqualTo": "LE",
              "greaterThanOrEqualTo": "GE"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource. name: in paths and answers.  object_type: of DISPLAY.  key, type_key: keywords of name and type.

    types: word of the API to that of MQSC; an object of another type is not shown.  always: names that are shown
    without being asked for.
    """

    name: str
    object_type: str
    table: NameTable
    key: str
    type_key: str = ""
    types: Mapping[str, str] | None = None
    always: tuple[str, ...] = ()


_QUEUE_TYPES = {"local": "QLOCAL", "alias": "QALIAS", "remote": "QREMOTE", "model": "QMODEL"}
_CHANNEL_TYPES = {"sender": "SDR", "receiver": "RCVR", "server": "SVR", "requester": "RQSTR"}
QUEUES = Resource(
    "queue", "QUEUE", QUEUE, "queue", "type", _QUEUE_TYPES,
    ("alias.targetName", "remote.queueName", "remote.qmgrName", "remote.transmissionQueueName"),
)  # fmt: skip
QUEUE_STATUSES = Resource("status", "QSTATUS", QUEUE_STATUS, "queue")
CHANNELS = Resource(
    "channel", "CHANNEL", CHANNEL, "channel", "chltype", _CHANNEL_TYPES,
    ("[type].connectionName", "[type].transmissionQueueName"),
)  # fmt: skip
SUBSCRIPTIONS = Resource("subscription", "SUB", SUBSCRIPTION, "sub", always=("id", "resolvedTopicString"))


def execute(connection: Connection, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Execute a command of JSON values; return the parameters of the objects that it shows.

    Raises UsageError for one with mistakes, RestError for one that fails.
    """
    _, report, found = run_json(connection, values)
    if report.response is not None and report.reason:
        failed = report.response.error or MQError("; ".join(report.messages), report.reason)
        raise from_mq(failed, "MQWB0037E", reason=reason_of(report, found))
    return [each.parameters for each in report.objects]


async def show(resource: Resource, call: RestCall) -> Response:
    """GET /admin/qmgr/{qmgr}/RESOURCE[/{name}]."""
    pattern = call.name("name") if "name" in call.request.path_params else call.query("name") or "*"
    is_one = "name" in call.request.path_params
    try:
        names = [*resource.always, *resource.table.select(call.query("attributes"))]
        status = QUEUE_STATUS.select(_status(call.query("status"))) if resource is QUEUES else []
        where = _where(resource, call.query("filter"))
    except UsageError as error:
        raise RestError("MQWB0902E", str(error)) from error
    kind = call.query("type") or "all"
    if kind != "all" and kind not in (resource.types or {}):
        raise RestError("MQWB0902E", f"there is no type {kind}")

    def display(connection: Connection) -> list[dict[str, Any]]:
        found = [_shown(resource, each, names, kind) for each in _display(connection, resource, pattern, where)]
        shown = [each for each in found if each is not None]
        statuses = _display(connection, QUEUE_STATUSES, pattern, {}) if status else []
        by_name = {each[QUEUE_STATUSES.key]: QUEUE_STATUS.show(each, status) for each in statuses}
        return [{**each, **by_name.get(each["name"], {})} for each in shown]

    shown = await call.run(display)
    if is_one and not shown:
        raise from_mq(MQError(f"{resource.name} {pattern} does not exist", MQRC_UNKNOWN_OBJECT_NAME), "MQWB0037E")
    return JSONResponse({resource.name: shown})


def _display(
    connection: Connection, resource: Resource, pattern: str, where: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the attributes of the objects that match a pattern; none where there is no such object."""
    command = {"command": "DISPLAY", "qualifier": resource.object_type, "name": pattern, "parameters": where}
    try:
        return execute(connection, {**command, "responseParameters": ["all"]})
    except RestError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return []
        raise


def _status(asked: str | None) -> str | None:
    """Return the requested status attributes: ``*``, ``status.*`` or single names."""
    if not asked:
        return None
    return ",".join(each if each.startswith("status.") else f"status.{each}" for each in asked.split(","))


def _where(resource: Resource, text: str | None) -> dict[str, str]:
    """Return the filter ``name:operator:value`` as a parameter. Raises UsageError."""
    if not text:
        return {}
    name, _, rest = text.partition(":")
    operator, _, value = rest.partition(":")
    if operator not in _OPERATORS:
        raise UsageError(f"filter is name:operator:value, with one of {' '.join(_OPERATORS)}")
    keyword, wanted = next(iter(resource.table.parameters({name: value}).items()))
    return {"where": f"{keyword} {_OPERATORS[operator]} {wanted}"}


def _shown(resource: Resource, values: dict[str, Any], names: list[str], kind: str) -> dict[str, Any] | None:
    """Return an object under the names of the resource; None for one of another type."""
    if resource.types is None:
        return {"name": values[resource.key], **resource.table.show(values, names)}
    own = next((word for word, theirs in resource.types.items() if theirs == values[resource.type_key]), None)
    if own is None or kind not in ("all", own):
        return None
    if resource is QUEUES:
        names = [name for name in names if name.split(".")[0] not in _QUEUE_TYPES or name.startswith(f"{own}.")]
    return {"name": values[resource.key], "type": own, **resource.table.show(values, names, own)}


async def create_queue(call: RestCall) -> Response:
    """POST /admin/qmgr/{qmgr}/queue."""
    body = await call.json_body()
    name, kind = body.pop("name", None), body.pop("type", "local")
    if not isinstance(name, str) or kind not in _QUEUE_TYPES:
        raise RestError("MQWB0901E", f"name must be a string, and type one of {' '.join(_QUEUE_TYPES)}.")
    parameters = _parameters(body)
    parameters["replace"] = "no" if call.query("noReplace") is not None else "yes"
    if call.query("like") is not None:
        parameters["like"] = call.query("like")
    command = {"command": "DEFINE", "qualifier": _QUEUE_TYPES[kind], "name": name, "parameters": parameters}
    await call.run(lambda connection: execute(connection, command))
    location = f"{call.request.scope['path']}/{quote(name, safe='')}"
    return Response(status_code=HTTPStatus.CREATED, headers={"location": location})


async def change_queue(verb: str, call: RestCall) -> Response:
    """PATCH or DELETE /admin/qmgr/{qmgr}/queue/{name}. verb: ALTER or DELETE."""
    name = call.name("name")
    body = await call.json_body() if verb == "ALTER" else {}
    body.pop("type", None)
    parameters = {"purge": "yes"} if verb == "DELETE" and call.query("purge") is not None else _parameters(body)

    def change(connection: Connection) -> None:
        own = execute(connection, {"command": "DISPLAY", "qualifier": "QUEUE", "name": name})
        if "*" in name or not own:
            raise from_mq(MQError(f"queue {name} does not exist", MQRC_UNKNOWN_OBJECT_NAME), "MQWB0037E")
        execute(connection, {"command": verb, "qualifier": own[0]["type"], "name": name, "parameters": parameters})

    await call.run(change)
    return Response(status_code=HTTPStatus.NO_CONTENT)


def _parameters(body: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return QUEUE.parameters(body)
    except (UsageError, RecursionError) as error:
        raise RestError("MQWB0901E", str(error)) from error
