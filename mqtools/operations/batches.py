"""Batches of messages: many in one transaction, few if they are long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def in_batches(found: Iterable[tuple[T, int]], most: int, most_bytes: int) -> Iterator[list[T]]:
    """Yield items in lists.

    found: items, each with its length in bytes.  most: items in a list.  most_bytes: a list ends when it has so many.
    """
    batch, size = list[T](), 0
    for item, length in found:
        batch.append(item)
        size += length
        if len(batch) >= most or size >= most_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
