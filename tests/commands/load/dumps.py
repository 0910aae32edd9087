"""Dumps as ``unload`` writes them, right and wrong."""

from __future__ import annotations

HEADER = b"* QLOAD Version:8.0 Created:Tue Nov 10 14:02:11 2026\n\n"


def dump(*bodies: bytes) -> bytes:
    return HEADER + b"".join(b"A VER 2\nX %b\n\n" % body.hex().encode() for body in bodies)


BAD = dump(b"a", b"b") + b"A XYZ 1\nA PRI 1\nX 4\n\nA EXP 0\nX 41\n"
