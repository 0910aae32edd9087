"""JSON Schema of the envelope: the form of a message in JSON, made from the tables of the descriptor."""

from __future__ import annotations

from typing import Any

from mqtools.constants.states import STATE_NAMES
from mqtools.formats.descriptor import ENUMERATIONS, FLAGS
from mqtools.formats.envelope.envelope import VERSION
from mqtools.formats.properties import TYPES
from mqtools.message import BYTE_FIELDS, CHARACTER_FIELDS, MQMD

_CHARACTERS = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"b64": {"type": "string"}},
            "required": ["b64"],
            "additionalProperties": False,
        },
    ]
}


def envelope_schema() -> dict[str, Any]:
    """Return the JSON Schema of a message as ``browse -o jsonl`` and ``get -o json`` write it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Message of mqx",
        "type": "object",
        "properties": {
            "mqx": {"const": VERSION},
            "qmgr": {"type": "string"},
            "queue": {"type": "string"},
            "state": {"enum": list(STATE_NAMES)},
            "lock_id": {"anyOf": [{"type": "null"}, _hex(8)]},
            "md": {
                "type": "object",
                "properties": {name: _field(name) for name in MQMD.__slots__},
                "required": list(MQMD.__slots__),
                "additionalProperties": False,
            },
            "properties": {"type": "object", "additionalProperties": _property()},
            "deliver_at": {"type": "string"},
            "headers": {"type": "array", "items": {"type": "object"}},
            "data_length": {"type": "integer", "minimum": 0},
            "data": {"type": "string"},
            "data_b64": {"type": "string"},
            "body": {"type": ["string", "null"]},
        },
        "required": ["mqx", "qmgr", "queue", "state", "lock_id", "md", "properties", "headers", "data_length"],
        "additionalProperties": False,
    }


def _hex(length: int) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^[0-9A-F]{{{2 * length}}}$"}


def _field(name: str) -> dict[str, Any]:
    if name in BYTE_FIELDS:
        return _hex(BYTE_FIELDS[name])
    if name in CHARACTER_FIELDS:
        return _CHARACTERS
    if name in ENUMERATIONS:
        return {"type": ["string", "integer"]}
    if name in FLAGS:
        return {"type": "array", "items": {"type": ["string", "integer"]}}
    return {"type": "integer"}


def _property() -> dict[str, Any]:
    number = {"type": "integer"}
    return {
        "type": "object",
        "properties": {
            "type": {"enum": list(TYPES)},
            "value": {"type": ["string", "boolean", "number", "null"]},
            "support": number,
            "context": number,
            "copy_options": number,
        },
        "required": ["type", "value"],
        "additionalProperties": False,
    }
