"""Tallies: counters by name, each a list of numbers, that can be added up and kept as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import add
from typing import TypeAlias

#: Counter to its numbers, None where nothing was measured. A counter that ends in ``_min`` or ``_max`` is an extreme.
Tally: TypeAlias = "dict[str, list[int | None]]"

_EXTREMES: dict[str, Callable[[int, int], int]] = {"min": min, "max": max}


def add_tally(total: Tally, counts: Mapping[str, list[int | None]]) -> None:
    """Add counters to a tally."""
    for name, numbers in counts.items():
        combine = _EXTREMES.get(name.rpartition("_")[2], add)
        before = total.get(name) or [None] * len(numbers)
        total[name] = [_combined(combine, one, other) for one, other in zip(before, numbers, strict=True)]


def _combined(combine: Callable[[int, int], int], one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return one if other is None else other
    return combine(one, other)


def of_persistence(persistence: int, number: int) -> list[int | None]:
    """Return a number for messages of a persistence: the first is that of nonpersistent ones, the second the other."""
    return [None, number] if persistence else [number, None]


def of_object(object_type: int, size: int) -> list[int | None]:
    """Return the number 1 for a type of object (MQOT_*) among as many."""
    return [int(index == object_type) for index in range(size)]
