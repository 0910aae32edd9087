"""Structures as objects: members as attributes and items, packed and unpacked by the tables of the bindings."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

from mqtools.bindings import structures_connection, structures_message
from mqtools.bindings.standin.errors import ensure_not_unicode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mqtools.bindings.structure import Structure

#: The strings of variable length that may be given as text.
_TEXTS = ("SubName", "ObjectString")


class MQOpts:
    """Base of the structures.

    memlist: name, initial value, ``struct`` code and perhaps a count for each member; a list as the initial value
    makes an array.
    """

    def __init__(self, memlist: Sequence[Sequence[Any]], **kw: Any) -> None:
        self._members = [(row[0], row[1], row[2], row[3] if len(row) > 3 else 1) for row in memlist]
        self._buffers: dict[str, Any] = {}
        for name, initial, _, _ in self._members:
            setattr(self, name, list(initial) if isinstance(initial, (list, tuple)) else initial)
        self.set(**kw)

    def _names(self) -> list[str]:
        return [row[0] for row in self._members]

    def _check_known(self, name: str) -> None:
        if name not in self._names():
            raise AttributeError(f"'{name}' is no member of {type(self).__name__}")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        ensure_not_unicode(value)
        self._check_known(name)
        setattr(self, name, value)

    def set(self, **kw: Any) -> None:
        """Set members by name. Raises AttributeError, and TypeError for text."""
        for name, value in kw.items():
            self[name] = value

    def get(self) -> dict[str, Any]:
        """Return all members in order."""
        return {name: getattr(self, name) for name in self._names()}

    def __str__(self) -> str:
        return "\n".join(f"{name}: {value}" for name, value in self.get().items())

    def __repr__(self) -> str:
        return str(self.pack())

    def _format(self) -> str:
        return "@" + "".join(code if count == 1 else f"{count}{code}" for _, _, code, count in self._members)

    def get_length(self) -> int:
        """Return the length of the packed structure."""
        return struct.calcsize(self._format())

    def pack(self, *_: Any) -> bytes:
        """Return the packed structure. Raises TypeError for text."""
        flat: list[Any] = []
        for name in self._names():
            value = getattr(self, name)
            ensure_not_unicode(value)
            flat.extend(value) if isinstance(value, (list, tuple)) else flat.append(value)
        return struct.pack(self._format(), *flat)

    def unpack(self, buff: bytes, *_: Any) -> Any:
        """Set the members from a packed structure; a short one is extended with nulls."""
        ensure_not_unicode(buff)
        length = self.get_length()
        flat = iter(struct.unpack(self._format(), buff[:length].ljust(length, b"\0")))
        for name, initial, _, count in self._members:
            if isinstance(initial, (list, tuple)):
                number = count if count > 1 else len(initial)
                setattr(self, name, [next(flat) for _ in range(number)])
            else:
                setattr(self, name, next(flat))
        return None

    def set_vs(
        self, vs_name: str, vs_value: Any = None, vs_offset: int = 0, vs_buffer_size: int = 0, vs_ccsid: int = 0
    ) -> None:
        """Set a string of variable length; the object keeps its buffer alive."""
        name = vs_name.removesuffix("VSPtr")
        if isinstance(vs_value, str):
            if name not in _TEXTS:
                ensure_not_unicode(vs_value)
            vs_value = vs_value.encode("utf-8")
        address, length = 0, 0
        if vs_value is not None:
            buffer = ctypes.create_string_buffer(vs_value, max(len(vs_value) + 1, vs_buffer_size))
            self._buffers[name] = buffer
            address, length = ctypes.addressof(buffer), len(vs_value)
        for suffix, value in (
            ("VSPtr", address),
            ("VSOffset", vs_offset),
            ("VSBufSize", vs_buffer_size),
            ("VSLength", length),
            ("VSCCSID", vs_ccsid),
        ):
            self[name + suffix] = value

    def get_vs(self, vs_name: str) -> bytes | None:
        """Return a string of variable length up to its first null; None without a pointer."""
        address = self[vs_name.removesuffix("VSPtr") + "VSPtr"]
        return ctypes.string_at(address) if address else None


def member_list(structure: Structure) -> list[list[Any]]:
    """Return the member list of a structure of our tables."""
    rows = []
    for member in structure.members:
        initial = list(member.initial) if isinstance(member.initial, tuple) else member.initial
        rows.append([member.name, initial, member.code])
    return rows


def _make_class(name: str, structure: Structure, doc: str) -> Any:
    """Return the class of a structure."""

    def initialise(self: MQOpts, **kw: Any) -> None:
        MQOpts.__init__(self, member_list(structure), **kw)

    return type(name, (MQOpts,), {"__init__": initialise, "__doc__": doc})


MD = _make_class("MD", structures_message.MD, "Message descriptor.")
GMO = _make_class("GMO", structures_message.GMO, "Options of a get.")
PMO = _make_class("PMO", structures_message.PMO, "Options of a put.")
OD = _make_class("OD", structures_message.OD, "Object descriptor.")
SD = _make_class("SD", structures_message.SD, "Subscription descriptor.")
SRO = _make_class("SRO", structures_message.SRO, "Options of a subscription request.")
CD = _make_class("CD", structures_connection.CD, "Channel definition.")
SCO = _make_class("SCO", structures_connection.SCO, "TLS options of a connection.")
TM = _make_class("TM", structures_message.TM, "Trigger message.")
TMC2 = _make_class("TMC2", structures_message.TMC2, "Trigger message as characters.")
CMHO = _make_class("CMHO", structures_message.CMHO, "Options of creating a message handle.")
PD = _make_class("PD", structures_message.PD, "Property descriptor.")
SMPO = _make_class("SMPO", structures_message.SMPO, "Options of setting a property.")
IMPO = _make_class("IMPO", structures_message.IMPO, "Options of inquiring a property.")
XQH = _make_class("XQH", structures_message.XQH, "Transmission queue header.")
CFH = _make_class("CFH", structures_connection.CFH, "PCF header.")
