"""Display of instants: in UTC, in local time, or as age."""

from __future__ import annotations

from datetime import UTC, datetime

from mqtools.formats.units import human_age

UTC_TIME, LOCAL_TIME, AGE = "UTC", "local", "age"
#: In the order in which a key cycles through them.
ALL = (UTC_TIME, LOCAL_TIME, AGE)

_DAY_MS = 86_400_000


def format_short(at_ms: int, now_ms: int, times: str) -> str:
    """Return an instant in eight characters: within a day the time, else the date. times: one of ALL."""
    if times == AGE:
        return human_age(max(0, now_ms - at_ms) / 1000)
    return to_datetime(at_ms, times).strftime("%H:%M:%S" if abs(now_ms - at_ms) < _DAY_MS else "%y-%m-%d")


def to_datetime(at_ms: int, times: str) -> datetime:
    """Convert milliseconds since 1970 to a datetime, in UTC or local time."""
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    return at.astimezone() if times == LOCAL_TIME else at
