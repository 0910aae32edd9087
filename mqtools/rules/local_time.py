"""Local date and time as texts, in the format of object attributes."""

from __future__ import annotations

import time


def date_and_time(at_ms: int | None) -> tuple[str, str]:
    """Return YYYY-MM-DD and HH.MM.SS in local time; empty texts for None. at_ms: milliseconds since 1970."""
    if at_ms is None:
        return "", ""
    local = time.localtime(at_ms // 1000)
    return time.strftime("%Y-%m-%d", local), time.strftime("%H.%M.%S", local)


def stamp(name: str, at_ms: int) -> dict[str, str]:
    """Return the date and time of an event, in local time, under its name with ``_date`` and ``_time``."""
    return dict(zip((f"{name}_date", f"{name}_time"), date_and_time(at_ms), strict=True))
