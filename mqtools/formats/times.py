"""Instants as people write them: ISO 8601, a time of today, or an age; milliseconds since 1970.

A time without a zone is in the local zone (``TZ``).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

# Patterns are compiled when they are first used: programs that read no time do not wait for that.
_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?"
_ZONE = r"\s?(?P<zone>Z|z|[+-]\d\d(?::?\d\d)?)?"
_DATED = rf"(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)(?:[Tt ]{_CLOCK}{_ZONE})?"
_TODAY = rf"{_CLOCK}{_ZONE}"
_AGE = r"-(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+"
_PART = r"(\d+(?:\.\d+)?)(ms|[smhdw])"

#: Unit of an age to its milliseconds.
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


_WORDS = "write it like 2026-11-23T10:05:00Z, 2026-11-23 10:05, 10:05, 10:05:30.250 or -15m"


def parse_time(text: str, now_ms: int) -> int:
    """Read an instant; return it in milliseconds since 1970.

    text: ISO 8601 with ``T`` or a blank, with a zone or in the local one; ``HH:MM[:SS[.mmm]]`` of today; or an age such
    as ``-15m``, ``-1h30m``.  now_ms: the present.  Raises ValueError that names the text.
    """
    word = text.strip()
    if re.fullmatch(_AGE, word, re.ASCII):
        at = now_ms - round(sum(float(number) * _UNITS[unit] for number, unit in re.findall(_PART, word, re.ASCII)))
        if at < 0:
            raise ValueError(f"{text!r} is before 1970")
        return at
    found = re.fullmatch(_DATED, word, re.ASCII) or re.fullmatch(_TODAY, word, re.ASCII)
    if found is None:
        raise ValueError(f"{text!r} is not a time: {_WORDS}")
    try:
        return _instant(found.groupdict(), now_ms)
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(f"{text!r} is not a time: {error}") from None


def _instant(part: dict[str, str | None], now_ms: int) -> int:
    """Return the instant of the parts of a date and time; those that are missing are zero, or of today."""
    zone = _zone(part["zone"])
    today = datetime.fromtimestamp(now_ms / 1000, zone)
    year, month, day = (int(part.get(name) or getattr(today, name)) for name in ("year", "month", "day"))
    hour, minute, second = (int(part.get(name) or 0) for name in ("hour", "minute", "second"))
    at = datetime(year, month, day, hour, minute, second, tzinfo=zone)
    whole = round(at.timestamp())
    if whole < 0:
        raise ValueError("it is before 1970")
    return whole * 1000 + int((part.get("fraction") or "").ljust(3, "0")[:3])


def _zone(text: str | None) -> tzinfo | None:
    """Return a zone by its offset; None is the local one."""
    if text is None:
        return None
    if text in ("Z", "z"):
        return UTC
    sign = text.replace(":", "")
    return datetime.strptime(sign.ljust(5, "0"), "%z").tzinfo
