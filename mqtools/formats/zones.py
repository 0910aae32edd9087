"""Times in a time zone, with its offset from UTC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from mqtools.formats.units import rfc3339


def times_in(zone: str) -> Callable[[int], str]:
    """Return a function from milliseconds since 1970 to a time in a zone: UTC, local, or a name such as Europe/Zurich.

    Raises ValueError for an unknown zone.
    """
    if zone.upper() in ("UTC", "GMT", "Z"):
        return rfc3339
    place = None if zone.lower() == "local" else _zone(zone)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)

    def show(ms: int) -> str:
        at = epoch + timedelta(milliseconds=ms)
        return at.astimezone(place).isoformat(timespec="milliseconds")

    return show


def _zone(zone: str) -> tzinfo:
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"{zone!r} is not a time zone; use UTC, local or a name such as Europe/Zurich") from error
