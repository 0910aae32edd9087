"""Sizes of the reserve of a file, and limits of the room on its disk."""

from __future__ import annotations

#: The path of a reserve is that of its file with this behind it.
RESERVE = "-reserve"
#: Bytes on the disk below which room is low.
LITTLE = 1 << 20
#: Bytes of the largest and of the smallest reserve; it is twice as large as the file otherwise, in whole steps, so that
#: a file that grows by a page seldom needs another one.
MOST, LEAST, _STEP = 8 << 20, 512 << 10, 256 << 10
#: Bytes of a page of the file.
PAGE = 4096


def wanted_bytes(pages: int) -> int:
    """Return the size of the whole reserve of a file with so many pages in use."""
    return min(MOST, max(LEAST, -(2 * pages * PAGE // -_STEP) * _STEP))
