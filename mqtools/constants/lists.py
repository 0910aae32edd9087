"""The lists of the bindings, in addition to byte strings."""

from __future__ import annotations


def single(value: bytes) -> list[bytes]:
    """Return a byte string as the list of its bytes, each a byte string."""
    return [bytes([byte]) for byte in value]
