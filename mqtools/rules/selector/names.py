"""Names in a selector: descriptor fields, JMS headers, and message properties.

``Root.MQMD.<Field>`` is a field by its MQ name. The JMS names are the synonyms MQ gives them; where a
synonym has two sources the property of the ``jms`` folder goes before the descriptor. Every other name is
a property, and one of the folder ``usr`` may be called with or without that prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from mqtools.constants.message import (
    MQPER_NOT_PERSISTENT,
    MQPER_PERSISTENT,
)
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.formats.units import put_at_ms
from mqtools.message import BYTE_FIELDS, MQMD, Property, PropertyValue, mq_name
from mqtools.rules.descriptor import GROUP_FLAGS

Properties: TypeAlias = Mapping[str, Property]
More: TypeAlias = Mapping[str, object] | None
#: Gives a value of one message; None is SQL's null.
Reader: TypeAlias = Callable[[MQMD, Properties, More], PropertyValue]

_DESCRIPTOR = "Root.MQMD."

#: Descriptor field by its MQ name: ``MsgId`` to ``msg_id``. A name not listed is no field.
FIELDS = {mq_name(field): field for field in MQMD.__slots__}

_NAMES = {field: f"{_DESCRIPTOR}{name}" for name, field in FIELDS.items()}

#: Names that always are a field of the descriptor and nothing else.
_FIELD_SYNONYMS = {
    "JMSPriority": "priority",
    "JMSXAppID": "put_appl_name",
    "JMSXUserID": "user_identifier",
}

#: JMS names kept in a property, in the order of looking. A name not listed has no property of its own.
_JMS_PROPERTIES = {
    "JMSCorrelationID": ("JMSCorrelationID", "jms.Cid"),
    "JMSDestination": ("jms.Dst",),
    "JMSExpiration": ("jms.Exp",),
    "JMSReplyTo": ("JMSReplyTo", "jms.Rto"),
    "JMSTimestamp": ("jms.Tms",),
    "JMSType": ("JMSType", "mcd.Type"),
    "JMSXGroupID": ("JMSXGroupID", "jms.Gid"),
    "JMSXGroupSeq": ("JMSXGroupSeq", "jms.Seq"),
}

#: Persistence as JMS selectors spell it. A value not listed is unknown.
DELIVERY_MODES = {MQPER_PERSISTENT: "PERSISTENT", MQPER_NOT_PERSISTENT: "NON_PERSISTENT"}

_JMS_IDS = frozenset(("JMSMessageID", "JMSCorrelationID", "JMSXGroupID"))
_VALUES = (bool, int, float, str, bytes)


def reader_of(name: str) -> Reader:
    """Return the function that reads a name from a message. Raises LookupError: unknown descriptor field."""
    if name.startswith(_DESCRIPTOR):
        return _field_reader(_field_called(name))
    if name in _FIELD_SYNONYMS:
        return _field_reader(_FIELD_SYNONYMS[name])
    if name in _JMS_PROPERTIES or name in _JMS_READERS:
        return _jms_reader(name)
    return _property_reader(name)


def comparable_text(name: str, text: str) -> str:
    """Return a string literal in the form of the name's own text.

    Character fields of the descriptor have no trailing blanks, identifiers are written in lower-case digits.
    """
    if name in _JMS_IDS and text.startswith("ID:"):
        return text.lower().replace("id:", "ID:", 1)
    if name.startswith(_DESCRIPTOR) or name in _FIELD_SYNONYMS:
        return text.rstrip(" ")
    return text


def property_keys(name: str) -> tuple[str, ...]:
    """Return the names of the properties that a name may mean, in lookup order; none for a field."""
    if sole_field(name) or name in _JMS_READERS or name in _JMS_PROPERTIES:
        return _JMS_PROPERTIES.get(name, ())
    return name, _with_or_without_folder(name)


def is_answered_by_descriptor(name: str) -> bool:
    """Return whether a name is a JMS header taken from the descriptor if no property has it."""
    return name in _JMS_READERS


def is_byte_field(name: str) -> bool:
    """Return whether a name is a descriptor field of bytes: an identifier or the accounting token."""
    return sole_field(name) in BYTE_FIELDS


def sole_field(name: str) -> str:
    """Return the descriptor field that a name always is, or nothing."""
    if name.startswith(_DESCRIPTOR):
        return FIELDS.get(name.removeprefix(_DESCRIPTOR), "")
    return _FIELD_SYNONYMS.get(name, "")


def field_name(field: str) -> str:
    """Return the name of a descriptor field in a selector."""
    return _NAMES[field]


def _field_called(name: str) -> str:
    asked = name.removeprefix(_DESCRIPTOR)
    if asked in FIELDS:
        return FIELDS[asked]
    alike = nearest(asked, FIELDS)
    hint = f"; {did_you_mean(_DESCRIPTOR + alike)}" if alike else ""
    raise LookupError(f"the message descriptor has no field {asked}{hint}")


def _field_reader(field: str) -> Reader:
    def read(md: MQMD, _properties: Properties, _more: More) -> PropertyValue:
        value: PropertyValue = getattr(md, field)
        return value

    return read


def _property_reader(name: str) -> Reader:
    other = _with_or_without_folder(name)

    def read(_md: MQMD, properties: Properties, more: More) -> PropertyValue:
        found = properties.get(name) or properties.get(other)
        if found is not None:
            return found.value
        value = None if more is None else more.get(name)
        return value if isinstance(value, _VALUES) else None

    return read


def _with_or_without_folder(name: str) -> str:
    return name.removeprefix("usr.") if name.startswith("usr.") else f"usr.{name}"


def _jms_reader(name: str) -> Reader:
    keys = _JMS_PROPERTIES.get(name, ())
    from_descriptor = _JMS_READERS.get(name)

    def read(md: MQMD, properties: Properties, _more: More) -> PropertyValue:
        for key in keys:
            if key in properties:
                value = properties[key].value
                return comparable_text(name, value) if isinstance(value, str) else value
        return None if from_descriptor is None else from_descriptor(md)

    return read


def _id_text(identifier: bytes) -> str | None:
    return f"ID:{identifier.hex()}" if any(identifier) else None


def id_bytes(text: PropertyValue) -> bytes | None:
    """Return the identifier written as ``ID:`` with digits, or None."""
    try:
        return bytes.fromhex(text[3:]) if isinstance(text, str) and text.startswith("ID:") else None
    except ValueError:
        return None


#: JMS names that the descriptor can answer. A name not listed has no value without its property.
_JMS_READERS: dict[str, Callable[[MQMD], PropertyValue]] = {
    "JMSCorrelationID": lambda md: _id_text(md.correl_id),
    "JMSDeliveryMode": lambda md: DELIVERY_MODES.get(md.persistence),
    "JMSExpiration": lambda md: md.expiry,
    "JMSMessageID": lambda md: _id_text(md.msg_id),
    "JMSRedelivered": lambda md: md.backout_count > 0,
    "JMSReplyTo": lambda md: f"queue://{md.reply_to_q_mgr}/{md.reply_to_q}" if md.reply_to_q else None,
    "JMSTimestamp": lambda md: put_at_ms(md.put_date, md.put_time),
    "JMSXDeliveryCount": lambda md: md.backout_count + 1,
    "JMSXGroupID": lambda md: _id_text(md.group_id) if md.msg_flags & GROUP_FLAGS else None,
    "JMSXGroupSeq": lambda md: md.msg_seq_number if md.msg_flags & GROUP_FLAGS else None,
}
