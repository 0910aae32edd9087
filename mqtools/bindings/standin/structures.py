"""Structures as objects: members as attributes and items, packed and unpacked by the tables of the bindings."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from mqtools.bindings.standin.errors import ensure_bytes, ensure_not_unicode
from mqtools.headers import structures_connection, structures_message
from mqtools.headers.layout import Structure

#: The strings of variable length that may be given as text.
_TEXTS = ("SubName", "ObjectString")


class MQOpts:
    """Base of the structures.

    memlist: name, initial value, ``struct`` code and perhaps a count for each member; a list as the initial value
    makes an array.
    """

    _byte_order = "@"

    def __init__(self, memlist: Sequence[Sequence[Any]], **kw: Any) -> None:
        #: Rows of a ``Structure``.
        self._members: list[tuple[str, str, Any]] = [
            (name, "".join(map(str, (*count, code))), tuple(initial) if isinstance(initial, list) else initial)
            for name, initial, code, *count in memlist
        ]
        self._buffers: dict[str, Any] = {}
        for name, _, initial in self._members:
            setattr(self, name, list(initial) if isinstance(initial, tuple) else initial)
        self.set(**kw)

    def _names(self) -> list[str]:
        return [row[0] for row in self._members]

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        ensure_not_unicode(value)
        if name not in self._names():
            raise AttributeError(f"'{name}' is no member of {type(self).__name__}")
        setattr(self, name, value)

    def set(self, **kw: Any) -> None:
        """Set members by name. Raises AttributeError, and TypeError for text."""
        for name, value in kw.items():
            self[name] = value

    def get(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names()}

    def __str__(self) -> str:
        return "\n".join(f"{name}: {value}" for name, value in self.get().items())

    def __repr__(self) -> str:
        return str(self.pack())

    def _structure(self) -> Structure:
        return Structure(type(self).__name__, *self._members, order=self._byte_order)

    def get_length(self) -> int:
        """Return the length of the packed structure."""
        return self._structure().length

    def pack(self, *_: Any) -> bytes:
        """Return the packed structure. Raises TypeError for text."""
        values = self.get()
        for value in values.values():
            ensure_not_unicode(value)
        return self._structure().pack(values)

    def unpack(self, buff: bytes, *_: Any) -> Any:
        """Set the members from a packed structure; a short one is extended with nulls."""
        ensure_not_unicode(buff)
        for name, value in self._structure().unpack(buff).items():
            setattr(self, name, list(value) if isinstance(value, tuple) else value)
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
    return [
        [field.name, list(field.initial) if isinstance(field.initial, tuple) else field.initial, field.code]
        for field in structure.fields
    ]


def _make_class(name: str, structure: Structure, doc: str) -> Any:

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


def make_q_desc(q_desc: Any) -> Any:
    """Return an object descriptor for a name, or the descriptor itself."""
    return OD(ObjectName=ensure_bytes(q_desc)) if isinstance(q_desc, (str, bytes)) else q_desc


def common_q_args(*opts: Any) -> tuple[Any, Any]:
    """Return descriptor and options of a put or get. Raises TypeError for more than two arguments."""
    if len(opts) > 2:
        raise TypeError("Too many args")
    md, options = (*opts, None, None)[:2]
    return md, options


def complete_args(options_class: Any, *opts: Any) -> tuple[Any, Any]:
    """Return descriptor and options of a put or get, new ones for those that are not given. Raises TypeError."""
    md, options = common_q_args(*opts)
    return md or MD(), options or options_class()
