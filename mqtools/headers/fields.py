"""Structures of calls as values: in the form of this machine, or as clients send them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

from mqtools.constants.message import MQENC_NATIVE, MQENC_NORMAL, MQENC_REVERSED
from mqtools.constants.reasons import (
    MQRC_CBD_ERROR,
    MQRC_CMHO_ERROR,
    MQRC_CTLO_ERROR,
    MQRC_DMHO_ERROR,
    MQRC_DMPO_ERROR,
    MQRC_GMO_ERROR,
    MQRC_IMPO_ERROR,
    MQRC_OD_ERROR,
    MQRC_PD_ERROR,
    MQRC_PMO_ERROR,
    MQRC_SD_ERROR,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SMPO_ERROR,
    MQRC_SRO_ERROR,
    MQRC_STS_ERROR,
)
from mqtools.constants.structures import (
    MQ_SELECTOR_LENGTH,
    MQMD_LENGTH_1,
    MQMD_LENGTH_2,
    MQMD_VERSION_1,
    MQMD_VERSION_2,
)
from mqtools.errors import MQError
from mqtools.headers.characters import decode_field
from mqtools.headers.charsets import DEFAULT_CCSID, field_codec
from mqtools.headers.layout import Structure
from mqtools.headers.mqmd import pack_mqmd, unpack_mqmd
from mqtools.headers.structures_connection import CBD, CTLO
from mqtools.headers.structures_message import CMHO, DMHO, DMPO, GMO, IMPO, MD, OD, PD, PMO, SD, SMPO, SRO, STS
from mqtools.message import MQMD


class CallStructure(NamedTuple):
    """Fields of a structure that a call has.

    reason: for a wrong identifier or version.  lengths: version to length as clients send it.  read, set: strings of
    variable length that calls read and set.  strings_from: first version with strings.
    """

    reason: int
    lengths: dict[int, int]
    read: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    strings_from: int = 1


_KNOWN = {
    GMO.name: CallStructure(MQRC_GMO_ERROR, {1: 72, 2: 80, 3: 100, 4: 112}),
    PMO.name: CallStructure(MQRC_PMO_ERROR, {1: 128, 2: 152, 3: 176}),
    OD.name: CallStructure(
        MQRC_OD_ERROR,
        {1: 168, 2: 200, 3: 336, 4: 400},
        ("ObjectString", "SelectionString"),
        ("ResObjectString",),
        strings_from=4,
    ),
    SD.name: CallStructure(
        MQRC_SD_ERROR,
        {1: 312},
        ("ObjectString", "SubName", "SubUserData", "SelectionString"),
        ("SubUserData", "ResObjectString"),
    ),
    STS.name: CallStructure(MQRC_STS_ERROR, {1: 224, 2: 272}, strings_from=2),
    SRO.name: CallStructure(MQRC_SRO_ERROR, {1: 16}),
    CMHO.name: CallStructure(MQRC_CMHO_ERROR, {1: 12}),
    DMHO.name: CallStructure(MQRC_DMHO_ERROR, {1: 12}),
    DMPO.name: CallStructure(MQRC_DMPO_ERROR, {1: 12}),
    IMPO.name: CallStructure(MQRC_IMPO_ERROR, {1: 60}),
    PD.name: CallStructure(MQRC_PD_ERROR, {1: 24}),
    SMPO.name: CallStructure(MQRC_SMPO_ERROR, {1: 20}),
    CBD.name: CallStructure(MQRC_CBD_ERROR, {1: 168}),
    CTLO.name: CallStructure(MQRC_CTLO_ERROR, {1: 24}),
}


#: Bytes of the strings that a reply may have.
_ROOM = 10_240


class StructureForm:
    """The form of structures in a call.

    encoding: MQENC_* of their integers.  structures: by name, those of clients: without alignment, as long as their
    version, with strings behind them at offsets. Empty for the form of this machine, whose strings have pointers.
    """

    def __init__(self, encoding: int, order: str = "") -> None:
        self.encoding = encoding
        self.structures = {one.name: one.packed(order) for one in (GMO, PMO, OD, SD, STS, SRO) if order}


NATIVE = StructureForm(MQENC_NATIVE)
#: Byte order of a client, as ``struct`` has it, to its form.
WIRE = {"<": StructureForm(MQENC_REVERSED, "<"), ">": StructureForm(MQENC_NORMAL, ">")}


def read(structure: Structure, data: bytes, form: StructureForm = NATIVE) -> dict[str, Any]:
    """Read a structure. Strings of variable length that calls read are texts by their names.

    Raises MQError: the structure's reason, when StrucId or Version is wrong; MQRC_SELECTION_STRING_ERROR.
    """
    own, known = form.structures.get(structure.name, structure), _KNOWN[structure.name]
    values = own.unpack(data)
    length = known.lengths.get(values["Version"])
    if values["StrucId"] != own.fields[0].initial or length is None:
        raise MQError(f"MQ{structure.name}: no such structure or version", known.reason)
    if form.structures and length < own.length:
        values = own.unpack(data[:length] + own.pack(own.initial())[length:])
    if known.read and values["Version"] >= known.strings_from:
        read_string = _read_behind if form.structures else read_variable
        values.update({name: read_string(values, name, data) for name in known.read})
        if len(values.get("SelectionString", "")) > MQ_SELECTOR_LENGTH:
            raise MQError(f"a selector has at most {MQ_SELECTOR_LENGTH} characters", MQRC_SELECTION_STRING_ERROR)
    return values


def write(structure: Structure, values: dict[str, Any], form: StructureForm = NATIVE) -> bytes:
    """Write a structure and the strings that a call has set: to their pointers, or behind it."""
    known = _KNOWN[structure.name]
    texts = {name: values[name] for name in known.set if name in values} if known.set else {}
    if not form.structures:
        for name, text in texts.items():
            write_variable(values, name, text)
        return structure.pack(values)
    strings = {
        name: text.encode("utf-8", "replace")[: max(0, values[f"{name}VSBufSize"])] for name, text in texts.items()
    }
    return _write_packed(structure, values, strings, form)


def write_request(structure: Structure, values: dict[str, Any], form: StructureForm) -> bytes:
    """Write a structure for a queue manager elsewhere, and behind it the strings that calls read."""
    strings = {name: values[name].encode("utf-8", "replace") for name in _KNOWN[structure.name].read if name in values}
    room = {f"{name}VSBufSize": _ROOM for name in _KNOWN[structure.name].set}
    return _write_packed(structure, {**values, **room}, strings, form)


def _write_packed(
    structure: Structure, values: dict[str, Any], strings: dict[str, bytes], form: StructureForm
) -> bytes:
    length, behind = _KNOWN[structure.name].lengths[values["Version"]], b""
    for name in _strings_in(structure, values["Version"]):
        raw = strings.get(name, b"")
        place = {"VSPtr": 0, "VSOffset": length + len(behind), "VSLength": len(raw), "VSCCSID": DEFAULT_CCSID}
        values.update({name + member: value for member, value in place.items()})
        behind += raw + bytes(-len(raw) % 4)
    return form.structures[structure.name].pack(values)[:length] + behind


def read_reply(structure: Structure, data: bytes, form: StructureForm) -> dict[str, Any]:
    """Read a structure of a reply, with the strings that the call has set. Raises MQError: as ``read``."""
    values = read(structure, data, form)
    if values["Version"] >= _KNOWN[structure.name].strings_from:
        values.update({name: _read_behind(values, name, data) for name in _KNOWN[structure.name].set})
    return values


def _strings_in(structure: Structure, version: int) -> Iterator[str]:
    """Yield the names of the strings of variable length that a version has."""
    if version >= _KNOWN[structure.name].strings_from:
        yield from (field.name[:-5] for field in structure.fields if field.name.endswith("VSPtr"))


def lengths_of(structure: Structure) -> dict[int, int]:
    """Return the version of a structure to its length as clients send it, without strings."""
    if structure is MD:
        return {MQMD_VERSION_1: MQMD_LENGTH_1, MQMD_VERSION_2: MQMD_LENGTH_2}
    return _KNOWN[structure.name].lengths


def read_options(structure: Structure, data: bytes | None) -> dict[str, Any]:
    """Read a structure, or return its initial values where there is none. Raises MQError as ``read``."""
    return read(structure, data) if data else structure.initial()


def read_md(data: bytes, ccsid: int, form: StructureForm = NATIVE) -> MQMD:
    """Read a message descriptor. ccsid: the queue manager's. Raises MQError: MQRC_MD_ERROR."""
    return unpack_mqmd(data, form.encoding, ccsid)


def write_md(md: MQMD, given: bytes, ccsid: int, form: StructureForm = NATIVE) -> bytes:
    """Write a message descriptor; fields that its version does not have stay as the program set them.

    ccsid: the queue manager's.
    """
    packed = pack_mqmd(md, encoding=form.encoding, ccsid=ccsid)
    return packed + given[len(packed) : MD.length]


def name_in(values: dict[str, Any], member: str) -> str:
    """Read a name without the blanks and nulls behind it."""
    return read_characters(values[member])


def set_names(values: dict[str, Any], **names: str) -> None:
    """Write object names, 48 characters each."""
    for member, name in names.items():
        values[member] = field(name, 48)


def read_characters(raw: bytes) -> str:
    """Read a character field up to a null, without trailing blanks."""
    return raw.partition(b"\0")[0].decode("utf-8", "replace").rstrip(" ")


def read_text(raw: bytes, ccsid: int) -> str:
    """Read a character field in a character set, up to a null, without trailing blanks."""
    return decode_field(raw.partition(b"\0")[0], field_codec(ccsid)).rstrip(" ")


def field(text: str, length: int) -> bytes:
    return text.encode("utf-8", "replace")[:length].ljust(length)


def read_variable(values: dict[str, Any], name: str, _: bytes = b"") -> str:
    """Read a string of variable length at its pointer; empty without a pointer."""
    address, length = values[f"{name}VSPtr"], values[f"{name}VSLength"]
    if not address or length == 0:
        return ""
    raw = ctypes.string_at(address) if length < 0 else ctypes.string_at(address, length)
    return raw.decode("utf-8", "replace").rstrip("\0")


def _read_behind(values: dict[str, Any], name: str, data: bytes) -> str:
    """Read a string of variable length at its offset. The pointer of a client is never followed."""
    offset, length = values[f"{name}VSOffset"], values[f"{name}VSLength"]
    if offset <= 0:
        return ""
    raw = data[offset:].partition(b"\0")[0] if length < 0 else data[offset : offset + length]
    return raw.decode("utf-8", "replace").rstrip("\0")


def write_variable(values: dict[str, Any], name: str, text: str) -> None:
    """Write a string of variable length, truncated, and its length into the caller's buffer."""
    raw = text.encode("utf-8", "replace")
    address, room = values[f"{name}VSPtr"], values[f"{name}VSBufSize"]
    if address and room > 0:
        ctypes.memmove(address, raw[:room].ljust(min(room, len(raw) + 1), b"\0"), min(room, len(raw) + 1))
        values[f"{name}VSLength"] = len(raw)
