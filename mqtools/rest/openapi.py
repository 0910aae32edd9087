"""OpenAPI description of the REST API, from its operations and the catalogue of administration commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mqtools.admin.commands.catalogue import BY_WORDS
from mqtools.rest.operations import ATTRIBUTES, COMMAND, LOGIN, MESSAGE, NONE, OPERATIONS, PREFIX, Operation

_TEXT: dict[str, Any] = {"type": "string"}
_OBJECT: dict[str, Any] = {"type": "object"}
_NUMBERS = ("wait", "limit")
_HEADERS = ("correlationId", "expiry", "persistence", "replyTo", "priority")
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["type", "msgId", "message", "explanation", "action"],
                "properties": {
                    **dict.fromkeys(("type", "msgId", "message", "explanation", "action"), _TEXT),
                    **{key: {"type": "integer"} for key in ("completionCode", "reasonCode")},
                },
            },
        }
    },
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
            "schemas": {"error": _ERROR, **{kind: make() for kind, make in _BODIES.items()}},
        },
    }


def _operation(operation: Operation, path: str, q_mgr_name: str) -> dict[str, Any]:
    error = {
        "description": "Error",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/error"}}},
    }
    statuses = [operation.status, *([204] if operation.is_empty_possible else [])]
    found: dict[str, Any] = {
        "summary": operation.summary,
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


def _command_schema() -> dict[str, Any]:
    """Return the schema of a command: the verbs and object types are those of the catalogue."""
    verbs, object_types = ({words[at] for words in BY_WORDS} for at in (0, 1))
    as_text = {
        "type": "object",
        "required": ["type", "parameters"],
        "properties": {
            "type": {**_TEXT, "enum": ["runCommand"]},
            "parameters": {"type": "object", "required": ["command"], "properties": {"command": _TEXT}},
        },
    }
    as_json = {
        "type": "object",
        "required": ["type", "command", "qualifier"],
        "properties": {
            "type": {**_TEXT, "enum": ["runCommandJSON"]},
            "command": {**_TEXT, "enum": sorted(verbs)},
            "qualifier": {**_TEXT, "enum": sorted(object_types)},
            "name": _TEXT,
            "parameters": {"type": "object", "additionalProperties": True},
            "responseParameters": {"type": "array", "items": _TEXT},
        },
    }
    return {"oneOf": [as_text, as_json]}


def _login_schema() -> dict[str, Any]:
    return {**_OBJECT, "required": ["username", "password"], "properties": {"username": _TEXT, "password": _TEXT}}


_BODIES: dict[str, Callable[[], dict[str, Any]]] = {
    MESSAGE: lambda: _TEXT,
    COMMAND: _command_schema,
    LOGIN: _login_schema,
    ATTRIBUTES: lambda: {**_OBJECT, "additionalProperties": True},
}
