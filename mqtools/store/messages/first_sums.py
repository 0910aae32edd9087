"""CRC-32 and numbers as bytes in Python: for the first messages of a process, of which a command mostly has no more.

Importing zlib and _struct takes half a millisecond, the sums of a short message in Python a tenth of that.
"""

from __future__ import annotations

#: Bytes that are summed here at most.
MOST = 512
#: CRC-32 of each half of a byte, with the polynomial of zlib.
_TABLE = (
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
)  # fmt: skip


def crc32(data: bytes, value: int) -> int:
    """Return what ``zlib.crc32`` does."""
    table, rest = _TABLE, value ^ 0xFFFFFFFF
    for byte in data:
        rest ^= byte
        rest = table[rest & 15] ^ (rest >> 4)
        rest = table[rest & 15] ^ (rest >> 4)
    return rest ^ 0xFFFFFFFF


def pack(*numbers: int) -> bytes:
    """Return signed numbers in eight bytes each, the lowest first. Raises OverflowError."""
    return b"".join([number.to_bytes(8, "little", signed=True) for number in numbers])
