"""Structures of the MQI as programs pass them to the bindings: conversion between bytes and values by name.

Byte order, alignment and pointers are those of the machine, for they never leave the process. Headers of messages,
which do, are in ``mqtools.headers``.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from struct import Struct
from typing import Any

#: What a member of variable length is made of: an address or an offset, the room there is, length and CCSID.
VARIABLE = (("VSPtr", "P"), ("VSOffset", "i"), ("VSBufSize", "i"), ("VSLength", "i"), ("VSCCSID", "i"))


@dataclass(slots=True, frozen=True)
class Member:
    """One member. code: of ``struct``.  initial: bytes, an integer, or a tuple of integers."""

    name: str
    code: str
    initial: Any

    @property
    def count(self) -> int:
        """Return the number of integers of the member: more than one for an array."""
        return len(self.initial) if isinstance(self.initial, tuple) else 1


class Structure:
    """Structure with its members in order.

    rows: name, ``struct`` code and initial value, which is empty or 0 where it is not given. A code ``V`` stands for
    the five members of a string of variable length.
    """

    def __init__(self, name: str, *rows: tuple[Any, ...]) -> None:
        self.name = name
        self.members = tuple(member for row in rows for member in _members(row))
        self._struct = Struct("@" + "".join(member.code for member in self.members))
        self.length = self._struct.size

    def initial(self) -> dict[str, Any]:
        """Return the initial values by name."""
        return {member.name: member.initial for member in self.members}

    def unpack(self, data: bytes) -> dict[str, Any]:
        """Read bytes into values by name; missing bytes are zeros, surplus bytes are ignored."""
        flat = iter(self._struct.unpack_from(data.ljust(self.length, b"\0")))
        values: dict[str, Any] = {}
        for member in self.members:
            several = member.count > 1
            values[member.name] = tuple(next(flat) for _ in range(member.count)) if several else next(flat)
        return values

    def pack(self, values: dict[str, Any]) -> bytes:
        """Return values as bytes."""
        flat: list[Any] = []
        for member in self.members:
            value = values[member.name]
            flat.extend(value) if member.count > 1 else flat.append(value)
        return self._struct.pack(*flat)


def _members(row: tuple[Any, ...]) -> tuple[Member, ...]:
    name, code, *initial = row
    if code == "V":
        return tuple(Member(name + suffix, kind, 0) for suffix, kind in VARIABLE)
    return (Member(name, code, initial[0] if initial else _initial_of(code)),)


def _initial_of(code: str) -> bytes | int:
    return b"" if code.endswith("s") else 0


def read_characters(raw: bytes) -> str:
    """Read a character field up to a null, without trailing blanks."""
    return raw.partition(b"\0")[0].decode("utf-8", "replace").rstrip(" ")


def field(text: str, length: int) -> bytes:
    """Return a character field, padded with blanks."""
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
