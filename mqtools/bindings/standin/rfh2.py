"""Class ``RFH2``: the rules and formatting header 2, its fixed part and its folders."""

from __future__ import annotations

import struct
from typing import Any
from xml.etree import ElementTree

from mqtools.bindings.standin.errors import PYIFError, ensure_not_unicode, padded_count
from mqtools.bindings.standin.structures import MQOpts, member_list
from mqtools.headers import structures_connection

_FIXED = 36


class RFH2(MQOpts):
    """MQRFH2. Each folder is two members: ``usrLength`` and ``usr``, padded with blanks to a multiple of 4."""

    initial_opts = member_list(structures_connection.RFH2)
    big_endian_encodings = [1, 16, 256, 768, 17, 257, 272, 273]

    def __init__(self, **kw: Any) -> None:
        self._byte_order = "<"
        super().__init__(self.initial_opts, **kw)

    def add_folder(self, folder_data: bytes) -> None:
        """Add a folder. Raises TypeError for text, PYIFError for invalid XML."""
        ensure_not_unicode(folder_data)
        name = _root_of(folder_data)
        data = folder_data.ljust(padded_count(len(folder_data)))
        self._add_members(name, data)
        self.StrucLength = self.get_length()

    def _add_members(self, name: str, data: bytes) -> None:
        for member, value, code in ((f"{name}Length", len(data), "i"), (name, data, f"{len(data)}s")):
            self._members.append((member, code, value))
            setattr(self, member, value)

    def _order(self, encoding: int | None) -> str:
        return ">" if encoding in self.big_endian_encodings else "<"

    def pack(self, encoding: int | None = None, *_: Any) -> bytes:
        """Return the packed header. encoding: of the integers; default as last packed or unpacked."""
        if encoding is not None:
            self._byte_order = self._order(encoding)
        return super().pack()

    def unpack(self, buff: bytes, encoding: int | None = None, *_: Any) -> None:
        """Read a header; without an encoding the version decides the byte order. Raises PYIFError."""
        ensure_not_unicode(buff)
        if buff[:4] != b"RFH ":
            raise PYIFError(f"RFH2 - StrucId not MQRFH_STRUC_ID. Value: {buff[:4]!r}")
        if len(buff) < _FIXED:
            raise PYIFError(f"RFH2 - Buffer too short. Should be {_FIXED}+ bytes instead of {len(buff)}")
        if encoding is None:
            encoding = 273 if buff[4:5] == b"\0" else 546
        order = self._order(encoding)
        (length,) = struct.unpack_from(order + "i", buff, 8)
        if length < 0:
            raise PYIFError('RFH2 - "StrucLength" is negative. Check numeric encoding.')
        if len(buff) > _FIXED and len(buff) < length:
            raise PYIFError(f"RFH2 - Buffer too short. Expected: {length} Buffer Length: {len(buff)}")
        for name in self.get():
            delattr(self, name)
        self._byte_order = order
        self._members = [(name, code, initial) for name, initial, code in self.initial_opts]
        super().unpack(buff)
        self._read_folders(buff[:length], order)

    def _read_folders(self, buff: bytes, order: str) -> None:
        at = _FIXED
        while at + 4 <= len(buff):
            (length,) = struct.unpack_from(order + "i", buff, at)
            data = buff[at + 4 : at + 4 + max(length, 0)]
            self._add_members(_root_of(data), data)
            at += 4 + max(length, 0)


def _root_of(folder: bytes) -> str:
    """Return the name of the outermost element. Raises PYIFError."""
    try:
        return str(ElementTree.fromstring(folder.rstrip(b"\0 ")).tag)
    except (ElementTree.ParseError, ValueError) as error:
        raise PYIFError(f"RFH2 - XML Folder not well formed. Exception: {error}") from error
