"""Splitting an input stream into messages at a delimiter, without ever holding more than one of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO

#: Bytes asked for in one read.
CHUNK = 65536
#: Bytes in the longest line that a message can need: a byte of its data takes at most six characters of JSON, and as
#: much again is for everything else.
LONGEST_LINE = 12 * 104_857_600


class TooLong(Exception):
    """Raised when a piece of a stream is longer than the caller takes. number: of the line, from 1."""

    def __init__(self, number: int = 1) -> None:
        super().__init__()
        self.number = number


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file with their ends. Raises TooLong in place of one of more than LONGEST_LINE bytes."""
    for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE + 1), b""), 1):
        if len(line) > LONGEST_LINE:
            raise TooLong(number)
        yield line


def split_stream(
    read: Callable[[int], bytes], delimiter: bytes, *, strip_cr: bool = False, most: int = sys.maxsize
) -> Iterator[bytes]:
    """Split what read gives at each delimiter, yielding every piece as soon as it is complete.

    An empty piece is a message; a last piece without delimiter counts; a delimiter at the very end ends the
    last message and adds none. At most one chunk more than the piece in hand is kept.
    read: takes a number of bytes, gives up to that many, empty at the end; a short read is not the end.
    strip_cr: also drop one CR in front of the delimiter.  An empty delimiter: ValueError, at once.
    most: bytes that a piece may have. Raises TooLong in place of a longer one, however much of it is still to come.
    """
    if not delimiter:
        raise ValueError("the delimiter is empty")
    return _pieces(read, delimiter, strip_cr, most)


def _pieces(read: Callable[[int], bytes], delimiter: bytes, strip_cr: bool, most: int) -> Iterator[bytes]:
    buffer = bytearray()
    while chunk := read(CHUNK):
        # The delimiter may begin in what was searched already, but not before its last len - 1 bytes.
        search_from = max(0, len(buffer) - len(delimiter) + 1)
        buffer += chunk
        done = 0
        while (found := buffer.find(delimiter, search_from)) >= 0:
            end = found - 1 if strip_cr and found > done and buffer[found - 1] == 0x0D else found
            yield _no_longer(buffer[done:end], most)
            done = search_from = found + len(delimiter)
        del buffer[:done]
        if len(buffer) > most + len(delimiter):
            raise TooLong  # a CR and all but the last byte of the delimiter may be among these
    if buffer:
        yield _no_longer(buffer, most)


def _no_longer(piece: bytearray, most: int) -> bytes:
    if len(piece) > most:
        raise TooLong
    return bytes(piece)
