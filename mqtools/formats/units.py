"""Quantities as people write them: durations, sizes, percentages, identifiers and MQ's put times.

Readers raise ValueError with words for the operator; a command makes a usage error of it.
"""

from __future__ import annotations

import math
from time import gmtime

#: Unit of a duration to seconds. No unit at all is seconds; a unit that is absent is an error.
_SECONDS = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}

#: The longest duration, 100,000 days: what clocks and waits of an operating system can count.
_MAX_DURATION_S = 100_000 * 86400

#: Unit of a size (lower case) to bytes. A bare letter counts in 1024s, as ``head`` and ``dd`` have it.
_BYTES = {
    "": 1, "b": 1,
    "k": 1024, "kib": 1024, "kb": 1000,
    "m": 1024**2, "mib": 1024**2, "mb": 1000**2,
    "g": 1024**3, "gib": 1024**3, "gb": 1000**3,
    "t": 1024**4, "tib": 1024**4, "tb": 1000**4,
}  # fmt: skip

#: The biggest MQMD.Expiry, in tenths of a second.
_MAX_EXPIRY = 999_999_999

_HEX = frozenset("0123456789abcdefABCDEF")

#: Bytes of MsgId, CorrelId and GroupId.
_ID_LENGTH = 24


def _split(text: str) -> tuple[str, str]:
    """Split a quantity into its number and its unit; a number is digits with at most one point."""
    word = text.strip()
    unit = word.lstrip("0123456789.")
    return word[: len(word) - len(unit)], unit.strip()


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.replace(".", "", 1).isdigit()


def parse_duration_s(text: str) -> float:
    """Read a duration such as ``30s 5m 2h 1d 1w 500ms`` into seconds; a plain number is seconds.

    Raises ValueError for anything else, negative ones too.
    """
    digits, unit = _split(text)
    if not _is_number(digits) or unit not in _SECONDS:
        raise ValueError(f"{text!r} is not a duration; write it like 30s, 5m, 2h, 1d, 1w or 500ms")
    seconds = float(digits) * _SECONDS[unit]
    if seconds > _MAX_DURATION_S:
        raise ValueError(f"{text!r} is too long a duration: at most 100000d")
    return seconds


def parse_lease(text: str) -> float:
    """Read a lease into seconds, ``never`` into infinity. Raises ValueError for what is neither, and for zero."""
    seconds = math.inf if text.strip().lower() == "never" else parse_duration_s(text)
    if not seconds:
        raise ValueError("a lease must be a time greater than zero, such as 5m, or never")
    return seconds


def parse_expiry(text: str) -> int:
    """Read a message lifetime into MQMD.Expiry: tenths of a second, ``unlimited`` (or -1) is -1.

    The unit ``t`` is tenths of a second. A number without a unit is an error: people of MQ mean tenths, others seconds.
    Less than a tenth is rounded up, as an expiry of zero is none. Raises ValueError.
    """
    if text.strip().lower() in ("unlimited", "-1"):
        return -1
    digits, unit = _split(text)
    if not unit and _is_number(digits):
        raise ValueError(
            f"{digits} has no unit: {digits}s is seconds, {digits}t tenths of a second as in MQMD; or m, h, d"
        )
    seconds = float(digits) / 10 if unit == "t" and _is_number(digits) else parse_duration_s(text)
    # Rounded first: 1.1 s is 11 tenths, not the 12 that binary fractions would be rounded up to.
    tenths = int(-(-round(seconds * 10, 6) // 1))
    if tenths < 1:
        raise ValueError(f"{text!r} is not an expiry: it must be more than zero, or unlimited")
    if tenths > _MAX_EXPIRY:
        raise ValueError(f"{text!r} is too long an expiry: at most {_MAX_EXPIRY} tenths of a second, or unlimited")
    return tenths


def parse_size(text: str) -> int:
    """Read a size such as ``4096 4k 4MiB 4MB`` into bytes.

    ``k m g t`` and ``KiB MiB`` count in 1024s, ``kB MB`` in 1000s, in any case. Raises ValueError.
    """
    digits, unit = _split(text)
    factor = _BYTES.get(unit.lower())
    if not _is_number(digits) or factor is None or len(digits) > 18:
        raise ValueError(f"{text!r} is not a size; write it like 4096, 4k, 4MiB or 4MB")
    if "." not in digits:
        return int(digits) * factor
    size = float(digits) * factor
    if not size.is_integer():
        raise ValueError(f"{text!r} is not a whole number of bytes")
    return int(size)


def parse_percent(text: str) -> float:
    """Read a percentage with or without its sign, from 0 to 100. Raises ValueError."""
    digits = text.strip().removesuffix("%").rstrip()
    if not _is_number(digits) or float(digits) > 100:
        raise ValueError(f"{text!r} is not a percentage from 0% to 100%")
    return float(digits)


def parse_id(text: str, length: int = _ID_LENGTH, prefix: bool = False) -> bytes:
    """Parse an identifier: hex, plain or as ``X'…'`` or ``0x…``, or ``text:WORDS`` in UTF-8.

    length: bytes of the whole identifier; a shorter one is padded with zero bytes on the right, unless prefix is set:
    then exactly the bytes given are returned, for an odd number of digits as an IdPrefix. Raises ValueError.
    """
    if text.startswith(_TEXT):
        value = _words(text, length)
        return value if prefix else value.ljust(length, b"\0")
    digits = text.strip()
    if digits[:2] in ("X'", "x'") and digits.endswith("'") and len(digits) > 2:
        digits = digits[2:-1]
    elif digits[:2] in ("0x", "0X"):
        digits = digits[2:]
    if not digits or not _HEX.issuperset(digits):
        raise ValueError(f"{text[:60]!r} is not an identifier in hex")
    if len(digits) % 2 and not prefix:
        raise ValueError(f"{text!r} has an odd number of hex digits")
    if len(digits) > 2 * length:
        raise ValueError(f"{text!r} is longer than the {length} bytes of the identifier")
    if len(digits) % 2:
        from mqtools.predicates import IdPrefix

        return IdPrefix(bytes.fromhex(digits + "0"))
    value = bytes.fromhex(digits)
    return value if prefix else value.ljust(length, b"\0")


#: Prefix of an identifier that is given as text.
_TEXT = "text:"


def parse_ids(text: str) -> tuple[bytes, ...]:
    """Read which identifiers are meant: the beginning of one in hex, or ``text:WORDS``, which programs pad to 24 bytes
    with blanks or with zeros: both are meant then.

    Raises ValueError.
    """
    if not text.startswith(_TEXT):
        return (parse_id(text, prefix=True),)
    value = _words(text, _ID_LENGTH)
    return tuple(dict.fromkeys((value.ljust(_ID_LENGTH), value.ljust(_ID_LENGTH, b"\0"))))


def _words(text: str, length: int) -> bytes:
    """Return the bytes of an identifier that is given as ``text:WORDS``. Raises ValueError."""
    value = text.removeprefix(_TEXT).encode("utf-8", "surrogateescape")
    if not value or len(value) > length:
        raise ValueError(f"{text[:60]!r} is not an identifier: it has 1 to {length} bytes")
    return value


def human_bytes(size: int) -> str:
    """Show a number of bytes in the biggest fitting unit of 1024: ``512 B``, ``1.5 KiB``."""
    if size < 1024:
        return f"{size} B"
    amount, unit = size / 1024, "KiB"
    for bigger in ("MiB", "GiB", "TiB"):
        # 1023.95 would print as 1024.0 of the smaller unit.
        if amount < 1023.95:
            break
        amount, unit = amount / 1024, bigger
    return f"{amount:.1f} {unit}"


def human_age(seconds: float) -> str:
    """Show an age in its two biggest units: ``42s``, ``5m03s``, ``2h05m``, ``3d04h``; a negative one as ``0s``."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 86400}d{whole % 86400 // 3600:02}h"


def put_at_ms(put_date: str, put_time: str) -> int | None:
    """Return the put time in milliseconds since 1970 UTC, or None where the fields hold none.

    put_date, put_time: MQMD.PutDate ``YYYYMMDD`` and PutTime ``HHMMSSTH`` (hundredths), GMT.
    """
    both = put_date + put_time
    if (len(put_date), len(put_time)) != (8, 8) or not (both.isascii() and both.isdigit()):
        return None
    try:
        return _ms_of(both) + int(both[14:]) * 10
    except ValueError:
        return None


def _ms_of(digits: str) -> int:
    """Return milliseconds since 1970 of the beginning of YYYYMMDDHHMMSS, UTC. Raises ValueError."""
    from datetime import date

    hours, minutes, seconds = (int(digits[at : at + 2]) for at in (8, 10, 12))
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError(f"{digits} is outside the clock")
    day = date(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))
    days = day.toordinal() - date(1970, 1, 1).toordinal()
    return (days * 86400 + hours * 3600 + minutes * 60 + seconds) * 1000


def read_rfc3339(value: object) -> int:
    """Return milliseconds since 1970 of a time as ``rfc3339`` writes it. Raises ValueError."""
    digits = value.translate(_NO_SIGNS) if isinstance(value, str) and len(value) == len(_PATTERN) else ""
    if len(digits) != 17 or not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"{value!r} is not a time such as {_PATTERN}")
    return _ms_of(digits) + int(digits[14:])


_PATTERN = "2026-11-20T08:15:42.330Z"
_NO_SIGNS = dict.fromkeys(map(ord, "-T:.Z"))


#: The years 1 to 9999, in seconds since 1970.
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799


def rfc3339(ms: int) -> str:
    """Show milliseconds since 1970 as an RFC 3339 time: ``2026-11-20T08:15:42.330Z``.

    Raises ValueError for a time outside the years 1 to 9999.
    """
    seconds, rest = divmod(ms, 1000)
    if not _FIRST_SECOND <= seconds <= _LAST_SECOND:
        raise ValueError(f"{ms} ms is outside the calendar")
    year, month, day, hour, minute, second, *_ = gmtime(seconds)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z"
