"""Conversion of message and object descriptors between the bytes of a program and values of the queue manager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mqtools.bindings.structure import field, read_characters
from mqtools.bindings.structures_message import GMO, MD, OD, PMO
from mqtools.constants.message import MQENC_NATIVE
from mqtools.constants.reasons import MQRC_GMO_ERROR, MQRC_OD_ERROR, MQRC_PMO_ERROR
from mqtools.errors import MQError
from mqtools.headers.mqmd import pack_mqmd, unpack_mqmd

if TYPE_CHECKING:
    from mqtools.bindings.structure import Structure
    from mqtools.message import MQMD

#: Structure to its identifier, the versions there are, and the reason for another. One not listed is not checked.
_CHECKED = {
    GMO.name: (b"GMO ", range(1, 5), MQRC_GMO_ERROR),
    PMO.name: (b"PMO ", range(1, 4), MQRC_PMO_ERROR),
    OD.name: (b"OD  ", range(1, 5), MQRC_OD_ERROR),
}


def read(structure: Structure, data: bytes) -> dict[str, Any]:
    """Read a structure. Raises MQError: the structure's reason, when StrucId or Version is wrong."""
    values = structure.unpack(data)
    checked = _CHECKED.get(structure.name)
    if checked is not None and (values["StrucId"] != checked[0] or values["Version"] not in checked[1]):
        raise MQError(f"MQ{structure.name}: no such structure or version", checked[2])
    return values


def read_md(data: bytes, ccsid: int) -> MQMD:
    """Read a message descriptor. ccsid: the queue manager's. Raises MQError: MQRC_MD_ERROR."""
    return unpack_mqmd(data, MQENC_NATIVE, ccsid)


def write_md(md: MQMD, given: bytes, ccsid: int) -> bytes:
    """Write a message descriptor; fields that its version does not have stay as the program set them.

    ccsid: the queue manager's.
    """
    packed = pack_mqmd(md, ccsid=ccsid)
    return packed + given[len(packed) : MD.length]


def name_in(values: dict[str, Any], member: str) -> str:
    """Read a name without the blanks and nulls behind it."""
    return read_characters(values[member])


def set_names(values: dict[str, Any], **names: str) -> None:
    """Write object names, 48 characters each."""
    for member, name in names.items():
        values[member] = field(name, 48)
