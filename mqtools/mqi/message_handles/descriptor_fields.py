"""Fields of the message descriptor that goes with a message handle, set and inquired as ``Root.MQMD.<Field>``."""

from __future__ import annotations

from mqtools import message
from mqtools.constants.properties import MQTYPE_BYTE_STRING, MQTYPE_INT32, MQTYPE_STRING
from mqtools.constants.reasons import MQRC_PROPERTY_NAME_ERROR, MQRC_PROPERTY_TYPE_ERROR
from mqtools.errors import MQError
from mqtools.message import BYTES, CHARACTERS, MQMD, Property
from mqtools.rules.property_types import coerce_value
from mqtools.rules.selector.names import FIELDS

PREFIX = "Root.MQMD."

#: Kind of a field to the type of its property; the others are numbers.
_TYPES = {CHARACTERS: MQTYPE_STRING, BYTES: MQTYPE_BYTE_STRING}
#: Field to its property type and its length in bytes. A field not listed is no property.
_FIELDS = {
    name: (_TYPES.get(kind, MQTYPE_INT32), length) for name, kind, length, _, _ in message.FIELDS if name != "version"
}


def inquire_field(md: MQMD, name: str) -> Property:
    """Return a field as a property. Raises MQError: MQRC_PROPERTY_NAME_ERROR."""
    field = _field(name)
    return Property(_FIELDS[field][0], getattr(md, field))


def set_field(md: MQMD, name: str, kind: int | None, value: object) -> str:
    """Set a field from a property; return the field's name.

    kind: must be the field's own; None takes it so.
    Raises MQError: MQRC_PROPERTY_NAME_ERROR, MQRC_PROPERTY_TYPE_ERROR when type or value is not for the field,
    MQRC_PROP_NUMBER_FORMAT_ERROR when the number is out of range.
    """
    field = _field(name)
    own, length = _FIELDS[field]
    if kind not in (None, own):
        raise MQError(f"{name} is not of type {kind}", MQRC_PROPERTY_TYPE_ERROR)
    new = coerce_value(own, value)
    if isinstance(new, str):
        new = new.partition("\0")[0].rstrip(" ")
    if isinstance(new, (str, bytes)) and len(new) > length:
        raise MQError(f"{name} takes {length} bytes, the value has {len(new)}", MQRC_PROPERTY_TYPE_ERROR)
    setattr(md, field, new.ljust(length, b"\0") if isinstance(new, bytes) else new)
    return field


def reset_field(md: MQMD, name: str) -> str:
    """Reset a field to its initial value; return its name. Raises MQError: MQRC_PROPERTY_NAME_ERROR."""
    field = _field(name)
    setattr(md, field, getattr(MQMD(), field))
    return field


def _field(name: str) -> str:
    field = FIELDS.get(name.removeprefix(PREFIX), "")
    if field not in _FIELDS:
        raise MQError(f"the message descriptor has no field {name!r}", MQRC_PROPERTY_NAME_ERROR)
    return field
