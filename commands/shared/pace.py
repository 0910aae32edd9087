"""Delay between the units of a load, a move or a copy."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any

import click
from click.core import ParameterSource

from mqtools.formats.units import parse_duration_s, parse_percent

from .click_options import Converted
from .command_session import UsageError

_ORIGINAL = "original"
#: Seconds that are waited at most: messages can say that they were put thousands of years apart.
_LONGEST_S = 100_000 * 86_400.0
_WORDS = "a time such as 200ms, ..200ms for a random delay up to it, original for the original times, or original:50%"


@dataclass(frozen=True, slots=True)
class Pace:
    """Delay: least_s to most_s seconds, or with ``scale`` the time between the original puts times it."""

    least_s: float = 0
    most_s: float = 0
    scale: float | None = None


def parse_pace(text: str) -> Pace:
    """Parse the value of --delay. Raise ValueError."""
    name, colon, percent = text.partition(":")
    try:
        if name == _ORIGINAL:
            return Pace(scale=_scale(percent) if colon else 1)
        if text.startswith(".."):
            return Pace(0, parse_duration_s(text[2:]))
        seconds = parse_duration_s(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a delay: {_WORDS}") from None
    return Pace(seconds, seconds)


def _scale(percent: str) -> float:
    """Parse a percentage, which may exceed 100 here."""
    digits = percent.removesuffix("%")
    return float(digits) / 100 if digits.isascii() and digits.isdigit() else parse_percent(percent) / 100


class Pacer:
    """Delay before each unit but the first. A pace of None means no delay."""

    def __init__(self, pace: Pace | None) -> None:
        self._pace = pace
        self._begun: float | None = None
        self._first_ms: int | None = None

    def wait(self, put_at_ms: int | None) -> None:
        """Sleep until the next unit is due. put_at_ms: put time of its first message, None where it is unknown."""
        if self._pace is None:
            return
        if self._begun is None:
            self._begun, self._first_ms = time.monotonic(), put_at_ms
        elif self._pace.scale is None:
            time.sleep(random.uniform(self._pace.least_s, self._pace.most_s))
        else:
            self._wait_for_turn(put_at_ms, self._pace.scale)

    def _wait_for_turn(self, put_at_ms: int | None, scale: float) -> None:
        """Sleep until the time since the first unit is that between the original puts, times ``scale``."""
        if put_at_ms is None:
            return
        if self._first_ms is None:
            self._first_ms = put_at_ms
        assert self._begun is not None
        due = self._begun + (put_at_ms - self._first_ms) / 1000 * scale
        time.sleep(min(_LONGEST_S, max(0.0, due - time.monotonic())))


#: The option of the commands that have a pace.
option = click.option(
    "--delay",
    "pace",
    type=Converted("pace", parse_pace),
    metavar="DURATION|original",
    help="Delay between messages: 200ms, ..200ms (random, up to it), original[:50%] (as they were put)",
)


def batch_of(given: dict[str, Any]) -> int | None:
    """Return the messages in a unit: one with --delay, unless --batch is given. Raise UsageError."""
    batch: int | None = given["batch"]
    if given["pace"] is None:
        return batch
    if click.get_current_context().get_parameter_source("batch") is ParameterSource.DEFAULT:
        return 1
    if batch is None:
        raise UsageError("--delay cannot be combined with --batch all, which has only one unit")
    return batch
