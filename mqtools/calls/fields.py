"""Conversion of structures and their strings between the bytes of a program and values of the queue manager."""

from __future__ import annotations

import ctypes
from typing import Any

from mqtools.constants.message import MQENC_NATIVE
from mqtools.constants.reasons import (
    MQRC_CMHO_ERROR,
    MQRC_DMHO_ERROR,
    MQRC_DMPO_ERROR,
    MQRC_GMO_ERROR,
    MQRC_IMPO_ERROR,
    MQRC_OD_ERROR,
    MQRC_PD_ERROR,
    MQRC_PMO_ERROR,
    MQRC_SD_ERROR,
    MQRC_SMPO_ERROR,
)
from mqtools.errors import MQError
from mqtools.headers.layout import Structure
from mqtools.headers.mqmd import pack_mqmd, unpack_mqmd
from mqtools.headers.structures_message import CMHO, DMHO, DMPO, GMO, IMPO, MD, OD, PD, PMO, SD, SMPO
from mqtools.message import MQMD

#: Structure to the versions there are, and the reason for another or for a wrong identifier.
_CHECKED = {
    GMO.name: (range(1, 5), MQRC_GMO_ERROR),
    PMO.name: (range(1, 4), MQRC_PMO_ERROR),
    OD.name: (range(1, 5), MQRC_OD_ERROR),
    SD.name: (range(1, 2), MQRC_SD_ERROR),
    CMHO.name: (range(1, 2), MQRC_CMHO_ERROR),
    DMHO.name: (range(1, 2), MQRC_DMHO_ERROR),
    DMPO.name: (range(1, 2), MQRC_DMPO_ERROR),
    IMPO.name: (range(1, 2), MQRC_IMPO_ERROR),
    PD.name: (range(1, 2), MQRC_PD_ERROR),
    SMPO.name: (range(1, 2), MQRC_SMPO_ERROR),
}


def read(structure: Structure, data: bytes) -> dict[str, Any]:
    """Read a structure. Raises MQError: the structure's reason, when StrucId or Version is wrong."""
    values = structure.unpack(data)
    versions, reason = _CHECKED[structure.name]
    if values["StrucId"] != structure.initial()["StrucId"] or values["Version"] not in versions:
        raise MQError(f"MQ{structure.name}: no such structure or version", reason)
    return values


def read_options(structure: Structure, data: bytes | None) -> dict[str, Any]:
    """Read a structure, or return its initial values where there is none. Raises MQError as ``read``."""
    return read(structure, data) if data else structure.initial()


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


def read_characters(raw: bytes) -> str:
    """Read a character field up to a null, without trailing blanks."""
    return raw.partition(b"\0")[0].decode("utf-8", "replace").rstrip(" ")


def field(text: str, length: int) -> bytes:
    return text.encode("utf-8", "replace")[:length].ljust(length)


def read_variable(values: dict[str, Any], name: str) -> str:
    """Read a string of variable length at its pointer; empty without a pointer."""
    address, length = values[f"{name}VSPtr"], values[f"{name}VSLength"]
    if not address or length == 0:
        return ""
    raw = ctypes.string_at(address) if length < 0 else ctypes.string_at(address, length)
    return raw.decode("utf-8", "replace").rstrip("\0")


def write_variable(values: dict[str, Any], name: str, text: str) -> None:
    """Write a string of variable length, truncated, and its length into the caller's buffer."""
    raw = text.encode("utf-8", "replace")
    address, room = values[f"{name}VSPtr"], values[f"{name}VSBufSize"]
    if address and room > 0:
        ctypes.memmove(address, raw[:room].ljust(min(room, len(raw) + 1), b"\0"), min(room, len(raw) + 1))
        values[f"{name}VSLength"] = len(raw)
