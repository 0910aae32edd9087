"""Comparison of what an edit can change of a message."""

from __future__ import annotations

from hashlib import sha256

from mqtools.operations.stored_messages import load_data, load_message
from mqtools.store.source import Source


def read_content(source: Source, seq: int) -> tuple[object, ...] | None:
    """Return what an edit can change of a message, its data as a digest, to be compared; None when it is gone."""
    stored = load_message(source, seq)
    if stored is None:
        return None
    md = stored.md.replace(backout_count=0, expiry=0)
    return md, stored.expires_at, stored.properties, sha256(load_data(source, seq)).digest()
