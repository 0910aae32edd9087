"""Result of a property inquiry: the value in the requested form, and warnings."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.properties import (
    MQCOPY_DEFAULT,
    MQIMPO_CONVERT_TYPE,
    MQIMPO_CONVERT_VALUE,
    MQIMPO_QUERY_LENGTH,
    MQPD_NO_CONTEXT,
    MQPD_SUPPORT_OPTIONAL,
    MQTYPE_AS_SET,
    MQTYPE_STRING,
)
from mqtools.constants.reasons import (
    MQCC_OK,
    MQCC_WARNING,
    MQRC_NONE,
    MQRC_PROP_TYPE_NOT_SUPPORTED,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_NAME_LENGTH_ERR,
    MQRC_PROPERTY_NOT_AVAILABLE,
    MQRC_PROPERTY_VALUE_TOO_BIG,
)
from mqtools.errors import MQError
from mqtools.formats.properties import TYPE_NAMES
from mqtools.headers.charsets import codec_of
from mqtools.message import Property, PropertyValue
from mqtools.rules.properties import full_name, other_name
from mqtools.rules.property_types import convert_value, value_length

_MAX_NAME_BYTES = 4095


@dataclass(slots=True)
class Inquired:
    """One property as an inquiry returns it.

    value: None also where only the length was requested, or a number did not fit.  data_length: of the whole value,
    in bytes.  comp_code, reason: MQCC_OK, or MQCC_WARNING and what is not as it was requested.
    """

    name: str
    value: PropertyValue
    type: int
    support: int = MQPD_SUPPORT_OPTIONAL
    context: int = MQPD_NO_CONTEXT
    copy_options: int = MQCOPY_DEFAULT
    comp_code: int = MQCC_OK
    reason: int = MQRC_NONE
    data_length: int = 0


def answer(name: str, prop: Property, options: int, wanted: int, max_length: int | None, ccsid: int) -> Inquired:
    """Return a property in the form that an inquiry asks for.

    options: MQIMPO_*.  wanted: type, with MQIMPO_CONVERT_TYPE.  max_length: bytes there is room for.  ccsid: with
    MQIMPO_CONVERT_VALUE.
    Raises MQError as ``property_types.convert_value``.
    """
    kind, value, reason = prop.type, prop.value, MQRC_NONE
    if kind not in TYPE_NAMES:
        kind, value, reason = MQTYPE_STRING, str(value), MQRC_PROP_TYPE_NOT_SUPPORTED
    if options & MQIMPO_CONVERT_TYPE and wanted != MQTYPE_AS_SET:
        value = convert_value(kind, value, wanted)
        kind = wanted
    codec = "utf-8"
    if options & MQIMPO_CONVERT_VALUE and isinstance(value, str):
        target = _codec_for(value, ccsid)
        codec = target or codec
        reason = reason if target else MQRC_PROP_VALUE_NOT_CONVERTED
    length = value_length(kind, value, codec)
    if options & MQIMPO_QUERY_LENGTH:
        value = None
    elif max_length is not None and length > max_length:
        value, reason = _cut(value, max_length, codec), MQRC_PROPERTY_VALUE_TOO_BIG
    comp_code = MQCC_WARNING if reason else MQCC_OK
    return Inquired(
        name, value, kind, prop.support, prop.context, prop.copy_options, comp_code, reason, data_length=length
    )


def _codec_for(text: str, ccsid: int) -> str | None:
    codec = codec_of(ccsid)
    try:
        if codec is not None:
            text.encode(codec)
    except UnicodeEncodeError:
        return None
    return codec


def _cut(value: PropertyValue, length: int, codec: str) -> PropertyValue:
    if isinstance(value, str):
        return value.encode(codec, "surrogatepass")[:length].decode(codec, "ignore")
    return value[:length] if isinstance(value, bytes) else None


def matches(pattern: str, name: str) -> bool:
    """Return whether a name matches a pattern; ``%`` at its end matches any rest."""
    if not pattern.endswith("%"):
        return name == pattern or other_name(name) == pattern
    return name.startswith(pattern[:-1]) or full_name(name).startswith(pattern[:-1])


def check_name_length(name: str) -> None:
    """Check that a name is not empty nor too long. Raises MQError: MQRC_PROPERTY_NAME_LENGTH_ERR."""
    length = len(name.encode("utf-8", "surrogatepass"))
    if not 0 < length <= _MAX_NAME_BYTES:
        text = f"the name of a property has 1 to {_MAX_NAME_BYTES} bytes, not {length}"
        raise MQError(text, MQRC_PROPERTY_NAME_LENGTH_ERR)


def check_pattern(name: str) -> None:
    """Check a name pattern. Raises MQError: as ``check_name_length``, and MQRC_PROPERTY_NAME_ERROR."""
    check_name_length(name)
    if "%" in name[:-1]:
        raise MQError(f"{name!r}: the wildcard is allowed at the end only", MQRC_PROPERTY_NAME_ERROR)


def not_available(name: str) -> MQError:
    """Return the error of a call that finds no property."""
    return MQError(f"there is no (further) property {name}", MQRC_PROPERTY_NOT_AVAILABLE)
