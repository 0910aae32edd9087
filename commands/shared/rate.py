"""Limit of the number of messages in a time: ``--rate 100/s``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def parse_rate(text: str) -> float:
    """Read a rate such as ``100/s``, ``10/m`` or ``5/h`` into messages a second. Raises ValueError."""
    number, slash, unit = text.strip().partition("/")
    try:
        count = float(number)
    except ValueError:
        count = 0
    if not slash or unit not in _SECONDS or not 0 < count < float("inf"):
        raise ValueError(f"{text!r} is not a rate; write it like 100/s, 10/m or 5/h")
    return count / _SECONDS[unit]


def paced(items: Iterable[T], rate: float) -> Iterator[T]:
    """Yield items at most at a rate a second; a pause of the input is not made up for."""
    due = time.monotonic()
    for item in items:
        due = next_due(due, rate)
        yield item
        time.sleep(max(0.0, due - time.monotonic()))


def next_due(due: float, rate: float) -> float:
    """Return when the item after this one is due. due: of this one, which may have come later."""
    now = time.monotonic()
    return (due if now - due < 1 / rate else now) + 1 / rate
