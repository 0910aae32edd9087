"""The frames of the log, read from its bytes: how many are valid, by the checksums that SQLite writes.

Format: https://www.sqlite.org/walformat.html.
"""

from __future__ import annotations

import os
import sys

_HEADER, _FRAME_HEADER = 32, 24
#: First bytes of the header; the lowest bit says whether the checksums are of big-endian numbers.
_MAGIC = 0x377F0682
_MASK = 0xFFFFFFFF


def valid_frames(descriptor: int) -> int:
    """Count the frames up to the first that is not valid. descriptor: of the log."""
    header = os.pread(descriptor, _HEADER, 0)
    magic = _number(header, 0)
    if len(header) < _HEADER or magic & ~1 != _MAGIC:
        return 0
    is_big, page_size = bool(magic & 1), _number(header, 8)
    sums = _checksum(header[:24], (0, 0), is_big)
    if sums != (_number(header, 24), _number(header, 28)):
        return 0
    count, position = 0, _HEADER
    while len(frame := os.pread(descriptor, _FRAME_HEADER + page_size, position)) == _FRAME_HEADER + page_size:
        sums = _checksum(frame[:8] + frame[_FRAME_HEADER:], sums, is_big)
        if frame[8:16] != header[16:24] or sums != (_number(frame, 16), _number(frame, 20)):
            break
        count += 1
        position += len(frame)
    return count


def _number(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 4], "big")


def _checksum(data: bytes, sums: tuple[int, int], is_big: bool) -> tuple[int, int]:
    if is_big != (sys.byteorder == "big"):
        data = b"".join(data[at : at + 4][::-1] for at in range(0, len(data), 4))
    first, second = sums
    words = memoryview(data).cast("I")
    for at in range(0, len(words), 2):
        first = (first + words[at] + second) & _MASK
        second = (second + words[at + 1] + first) & _MASK
    return first, second
