"""XXH3 of 64 bits: of the package ``xxhash``, or of ``xxh3_in_python`` where a Python has none that fits it."""

from __future__ import annotations

try:
    from xxhash import xxh3_64 as Xxh3
except ImportError:
    from mqtools.store.messages.xxh3_in_python import Xxh3

__all__ = ["Xxh3"]
