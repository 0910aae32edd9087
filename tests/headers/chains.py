"""Walks through headers that are sound."""

from __future__ import annotations

from mqtools.headers.chain import Chain, walk


def walk_sound(data: bytes, format: str, encoding: int, ccsid: int) -> Chain:
    """Walk to the body. Raises MQError for a damaged header."""
    chain = walk(data, format, encoding, ccsid)
    if chain.error is not None:
        raise chain.error
    return chain
