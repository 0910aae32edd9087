"""Simulated power loss: the disk has all writes that were flushed, and any part of the others."""

from __future__ import annotations

import os
import random
import struct
from dataclasses import dataclass, field
from pathlib import Path

_HEADER = struct.Struct("=IIQQ")
#: Disks write sectors of this many bytes whole or not at all.
_SECTOR = 512


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a file.

    kind: w write, t truncate, f flush, x failed flush, u unlink. offset: of the data, or the new size.
    """

    kind: str
    path: str
    offset: int
    data: bytes


def read_record(path: Path) -> list[Change]:
    """Return the changes that faults.c has recorded, in order."""
    recorded, position, changes = path.read_bytes(), 0, []
    while position < len(recorded):
        kind, path_length, offset, length = _HEADER.unpack_from(recorded, position)
        position += _HEADER.size
        name = recorded[position : position + path_length].decode()
        position += path_length
        changes.append(Change(chr(kind), name, offset, recorded[position : position + length]))
        position += length
    return changes


@dataclass(slots=True)
class Disk:
    """The files of a disk. flushed: their bytes that a power loss leaves; unflushed: changes since, in order."""

    flushed: dict[str, bytearray]
    unflushed: list[Change] = field(default_factory=list)
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def apply(self, change: Change) -> None:
        """Make a change; a flush of a file makes its changes so far permanent.

        After a flush that failed the system takes them for written: some are on the disk, and no later flush writes the
        others.
        """
        if change.kind not in "fx":
            self.unflushed.append(change)
            return
        for earlier in self.unflushed:
            if earlier.path == change.path:
                _make_in_part(self.flushed, earlier, None if change.kind == "f" else self.chance)
        self.unflushed = [earlier for earlier in self.unflushed if earlier.path != change.path]

    def as_written(self) -> dict[str, bytes]:
        """Return files as a machine that keeps its power has them."""
        found = {name: bytearray(data) for name, data in self.flushed.items()}
        for change in self.unflushed:
            _make(found, change)
        return {name: bytes(data) for name, data in found.items()}

    def after_power_loss(self, chance: random.Random) -> dict[str, bytes]:
        """Return files as they may be found: each sector written since the last flush is there or not."""
        found = {name: bytearray(data) for name, data in self.flushed.items()}
        for change in self.unflushed:
            _make_in_part(found, change, chance)
        return {name: bytes(data) for name, data in found.items()}


def _make_in_part(files: dict[str, bytearray], change: Change, chance: random.Random | None) -> None:
    """Make each sector of a change or not; chance: None for all of it."""
    if chance is None:
        _make(files, change)
    elif change.kind != "w":
        if chance.random() < 0.5:
            _make(files, change)
    else:
        for start in range(0, len(change.data), _SECTOR):
            if chance.random() < 0.5:
                piece = change.data[start : start + _SECTOR]
                _make(files, Change("w", change.path, change.offset + start, piece))


def _make(files: dict[str, bytearray], change: Change) -> None:
    if change.kind == "u":
        files.pop(change.path, None)
        return
    data = files.setdefault(change.path, bytearray())
    end = change.offset + len(change.data)
    if len(data) < end:
        data.extend(bytes(end - len(data)))
    if change.kind == "t":
        del data[change.offset :]
    else:
        data[change.offset : end] = change.data


def lay_out(files: dict[str, bytes], folder: Path) -> None:
    """Write files of a disk into a folder, by their names."""
    for path, data in files.items():
        target = folder / os.path.basename(path)
        target.write_bytes(data)
        target.chmod(0o600)
