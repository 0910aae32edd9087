"""Splitting an input stream into messages at a delimiter, without ever holding more than one of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Bytes asked for in one read.
CHUNK = 65536


def split_stream(read: Callable[[int], bytes], delimiter: bytes, *, strip_cr: bool = False) -> Iterator[bytes]:
    """Split what read gives at each delimiter, yielding every piece as soon as it is complete.

    An empty piece is a message; a last piece without delimiter counts; a delimiter at the very end ends the
    last message and adds none. At most one chunk more than the piece in hand is kept.
    read: takes a number of bytes, gives up to that many, empty at the end; a short read is not the end.
    strip_cr: also drop one CR in front of the delimiter.  An empty delimiter: ValueError, at once.
    """
    if not delimiter:
        raise ValueError("the delimiter is empty")
    return _pieces(read, delimiter, strip_cr)


def _pieces(read: Callable[[int], bytes], delimiter: bytes, strip_cr: bool) -> Iterator[bytes]:
    buffer = bytearray()
    while chunk := read(CHUNK):
        # The delimiter may begin in what was searched already, but not before its last len - 1 bytes.
        search_from = max(0, len(buffer) - len(delimiter) + 1)
        buffer += chunk
        done = 0
        while (found := buffer.find(delimiter, search_from)) >= 0:
            end = found - 1 if strip_cr and found > done and buffer[found - 1] == 0x0D else found
            yield bytes(buffer[done:end])
            done = search_from = found + len(delimiter)
        del buffer[:done]
    if buffer:
        yield bytes(buffer)
