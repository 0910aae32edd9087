"""Bytes in hex with their characters, in ASCII and on request in EBCDIC."""

from __future__ import annotations

from collections.abc import Iterator


def _printable(codec: str) -> str:
    """Return the 256 characters of a single-byte code page, a full stop where not printable ASCII."""
    characters = bytes(range(256)).decode(codec, "replace")
    return "".join(char if " " <= char <= "~" else "." for char in characters)


def _line(offset: int, row: bytes, width: int, pages: list[str]) -> str:
    digits = row.hex().upper()
    groups = " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))
    columns = (f"'{''.join(page[byte] for byte in row):{width}}'" for page in pages)
    # Two digits a byte and a blank between the groups: the hex column of a full row.
    full = 2 * width + (width + 1) // 2 - 1
    return f"{offset:08X}:  {groups:{full}}  {' '.join(columns)}"


def hexdump(data: bytes, *, ebcdic: bool = False, width: int = 16) -> Iterator[str]:
    """List bytes line by line: offset, hex in groups of two bytes, characters in quotes.

    The hex begins after the first colon and ends at the first quote, as readers of browse listings expect.
    ebcdic: add a column of the same bytes in code page 037.  width: bytes a line, at least 1.
    """
    pages = [_printable("ascii")]
    if ebcdic:
        pages.append(_printable("cp037"))
    for offset in range(0, len(data), width):
        yield _line(offset, data[offset : offset + width], width, pages)
