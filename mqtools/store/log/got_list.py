"""Keys of the messages that a connection has got in a transaction that is not committed yet (``kept_turn``).

The list is in a file of the run folder, mapped into memory: what is written to it outlives the process without a
system call. Whoever finds the process dead counts these gets as backed out (BEY-33), which nothing else tells of.
Eight bytes each, the lowest first: the number of keys, then the keys.
"""

from __future__ import annotations

import os
from mmap import mmap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BYTES = 8
_SIZE = 4096
#: How many keys there is room for.
CAPACITY = _SIZE // _BYTES - 1


class GotList:
    """The list of one connection; its file is made when something is first added."""

    __slots__ = ("_keys", "_map", "_path")

    def __init__(self, folder: str, token: bytes) -> None:
        self._path = self.path(folder, token)
        self._map: mmap | None = None
        self._keys: list[int] = []

    @staticmethod
    def path(folder: str, token: bytes) -> str:
        """Return the path of the list of the connection with a presence token."""
        return f"{folder}/got-{token.hex()}"

    def add(self, keys: Sequence[int]) -> bool:
        """Add keys; return False where there is no room, and nothing was added."""
        if not keys:
            return True
        if len(self._keys) + len(keys) > CAPACITY or not self._is_there():
            return False
        assert self._map is not None
        begin = _BYTES * (len(self._keys) + 1)
        for key in keys:
            self._map[begin : begin + _BYTES] = key.to_bytes(_BYTES, "little")
            begin += _BYTES
        self._keys.extend(keys)
        self._map[:_BYTES] = len(self._keys).to_bytes(_BYTES, "little")
        return True

    def keys(self) -> tuple[int, ...]:
        """Return the keys."""
        return tuple(self._keys)

    def clear(self) -> None:
        """Remove all keys: what they tell of is committed, or has been counted."""
        if self._keys:
            assert self._map is not None
            self._map[:_BYTES] = bytes(_BYTES)
            self._keys.clear()

    def remove(self) -> None:
        """Remove the file."""
        if self._map is not None:
            self._map.close()
            self._map = None
            try:
                os.unlink(self._path)
            except FileNotFoundError:
                return

    def _is_there(self) -> bool:
        """Return whether the file is there; make it if it is not."""
        if self._map is None:
            try:
                descriptor = os.open(
                    self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
                )
                try:
                    os.pwrite(descriptor, bytes(_SIZE), 0)
                    self._map = mmap(descriptor, _SIZE)
                finally:
                    os.close(descriptor)
            except (OSError, ValueError):
                return False
        return True


def read(folder: str, token: bytes) -> list[int]:
    """Read the keys that a dead connection has left; none where it had got nothing, or the file is not of this kind."""
    try:
        descriptor = os.open(GotList.path(folder, token), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    try:
        found = os.pread(descriptor, _SIZE, 0)
    except OSError:
        return []
    finally:
        os.close(descriptor)
    numbers = [int.from_bytes(found[at : at + _BYTES], "little") for at in range(0, len(found), _BYTES)]
    return numbers[1 : 1 + min(numbers[0], CAPACITY)] if len(found) == _SIZE else []
