"""Instants as an operator wants to read them: in UTC, in local time, or how long ago."""

from __future__ import annotations

from datetime import UTC, datetime

from mqtools.formats.units import human_age

UTC_TIME, LOCAL_TIME, AGE = "UTC", "local", "age"
#: In this order a key goes round them.
ALL = (UTC_TIME, LOCAL_TIME, AGE)

_DAY_MS = 86_400_000


def short(at_ms: int, now_ms: int, times: str) -> str:
    """Write an instant in eight characters: within a day the time, else the date. times: one of ALL."""
    if times == AGE:
        return human_age(max(0, now_ms - at_ms) / 1000)
    return moment(at_ms, times).strftime("%H:%M:%S" if abs(now_ms - at_ms) < _DAY_MS else "%y-%m-%d")


def moment(at_ms: int, times: str) -> datetime:
    """Give an instant in UTC, or in local time."""
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    return at.astimezone() if times == LOCAL_TIME else at
