"""OpenAPI description of the REST API, from its operations and the catalogue of administration commands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from mqtools.admin.commands.catalogue import BY_WORDS
from mqtools.rest.operations import ATTRIBUTES, COMMAND, LOGIN, MESSAGE, NONE, OPERATIONS, PREFIX, Operation

_TEXT: dict[str, Any] = {"type": "string"}
_NUMBER: dict[str, Any] = {"type": "integer"}
_NUMBERS = ("wait", "limit")
_HEADERS = ("correlationId", "expiry", "persistence", "replyTo", "priority")


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _object(required: Iterable[str], **properties: object) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties}


def _one_of(words: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": sorted(words)}


_WORDS = dict.fromkeys(("type", "msgId", "message", "explanation", "action"), _TEXT)
_ERROR = _object(["error"], error=_array(_object(_WORDS, **_WORDS, completionCode=_NUMBER, reasonCode=_NUMBER)))
#: A command: the verbs and object types are those of the catalogue.
_MQSC = _object(["type", "parameters"], type=_one_of(["runCommand"]), parameters=_object(["command"], command=_TEXT))
_JSON = _object(
    ["type", "command", "qualifier"],
    type=_one_of(["runCommandJSON"]),
    command=_one_of({verb for verb, _ in BY_WORDS}),
    qualifier=_one_of({object_type for _, object_type in BY_WORDS}),
    name=_TEXT,
    parameters={"type": "object"},
    responseParameters=_array(_TEXT),
)
_SCHEMAS = {
    "error": _ERROR,
    MESSAGE: _TEXT,
    COMMAND: {"oneOf": [_MQSC, _JSON]},
    LOGIN: _object(["username", "password"], username=_TEXT, password=_TEXT),
    ATTRIBUTES: {"type": "object"},
}


def describe(q_mgr_name: str) -> dict[str, Any]:
    """Return the description. q_mgr_name: for the paths."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        path = (PREFIX + operation.path).replace(":path}", "}")
        paths.setdefault(path, {})[operation.method.lower()] = _operation(operation, path, q_mgr_name)
    return {
        "openapi": "3.0.3",
        "info": {"title": "IBM MQ REST API of mqx", "version": "3.0.0"},
        "paths": paths,
        "security": [{"basic": []}],
        "components": {
            "securitySchemes": {"basic": {"type": "http", "scheme": "basic"}},
            "schemas": _SCHEMAS,
        },
    }


def _operation(operation: Operation, path: str, q_mgr_name: str) -> dict[str, Any]:
    error = {
        "description": "Error",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/error"}}},
    }
    statuses = [operation.status, *([204] if operation.is_empty_possible else [])]
    found: dict[str, Any] = {
        "operationId": f"{operation.method.lower()}{re.sub('[^a-z]+', '_', path)}",
        "parameters": list(_parameters(operation, path, q_mgr_name)),
        "responses": {**{str(status): {"description": "Success"} for status in statuses}, "default": error},
    }
    if operation.body != NONE:
        kind = "text/plain" if operation.body == MESSAGE else "application/json"
        schema = {"$ref": f"#/components/schemas/{operation.body}"}
        found["requestBody"] = {"required": True, "content": {kind: {"schema": schema}}}
    return found


def _parameters(operation: Operation, path: str, q_mgr_name: str) -> list[dict[str, Any]]:
    schema: dict[str, Any]
    enumerations = {"qmgr": [q_mgr_name], "version": ["v1", "v2", "v3"]}
    found = []
    for name in re.findall(r"{(\w+)}", path):
        schema = {**_TEXT, "enum": enumerations[name]} if name in enumerations else {**_TEXT, "minLength": 1}
        found.append({"in": "path", "name": name, "required": True, "schema": schema})
    for name in operation.query:
        schema = {"type": "integer", "minimum": 0, "maximum": 10} if name in _NUMBERS else _TEXT
        found.append({"in": "query", "name": name, "required": False, "schema": schema})
    if operation.method != "GET":
        found.append({"in": "header", "name": "ibm-mq-rest-csrf-token", "required": True, "schema": _TEXT})
    if operation.body == MESSAGE:
        names = [*(f"ibm-mq-md-{name}" for name in _HEADERS), "ibm-mq-usr"]
        found += [{"in": "header", "name": name, "required": False, "schema": _TEXT} for name in names]
    return found
