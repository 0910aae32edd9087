"""Headers for display: names for numbers, hex for identifiers, JSON values only."""

from __future__ import annotations

from mqtools.constants.names import dead_letter_reason, name_or_number
from mqtools.formats.descriptor import ENUMERATIONS, FLAGS, number_to_json
from mqtools.headers.chain import Header
from mqtools.records import Record

#: Structures without a StrucLength field.
_WITHOUT_LENGTH = frozenset({"MQDEAD", "MQXMIT"})


def header_to_dict(header: Header) -> dict[str, object]:
    """Return a header's fields by name, struc_id first, as values of JSON.

    Identifiers are upper-case hex, texts without trailing blanks, enumerations their MQ names or, where there is
    none, their numbers, flags lists of names. The names and numbers of an MQRFH2's properties are in its folders.
    """
    view: dict[str, object] = {"struc_id": header.struc_id}
    view.update(_fields(header.record))
    view["struc_id"] = header.struc_id
    if header.format not in _WITHOUT_LENGTH:
        view["struc_length"] = header.length
    if header.format == "MQHREF":
        view["logical_offset"] = header.record.logical_offset  # type: ignore[attr-defined]
    return view


def _fields(record: Record) -> dict[str, object]:
    return {name: _json(name, getattr(record, name)) for name in record.__slots__}


def _json(name: str, value: object) -> object:
    if isinstance(value, Record):
        return _fields(value)
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, list):
        return list(value)
    if isinstance(value, int) and name == "reason":
        return dead_letter_reason(value)
    if isinstance(value, int) and name == "comp_code":
        return name_or_number("MQCC", value)
    if isinstance(value, int) and (name in ENUMERATIONS or name in FLAGS):
        return number_to_json(name, value)
    return value
