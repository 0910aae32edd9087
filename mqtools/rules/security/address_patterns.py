"""Patterns of IP addresses in channel authentication records: ``*``, ``192.0.2.*``, ``192.0.2.1-20``, ``2001:DB8::1``.

Each field is a number, a range, or ``*``; a ``*`` at the end matches all remaining fields. Host names are
not patterns: the operator does not control what a caller's name resolves to.
"""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import TypeAlias

#: Lowest and highest value of each field; no fields: any address.
Fields: TypeAlias = tuple[tuple[int, int], ...]

_IPV4, _IPV6 = 4, 8


def parse_pattern(text: str) -> Fields:
    """Parse a pattern. Raises ValueError, in words for the operator."""
    if text == "*":
        return ()
    is_ipv6 = ":" in text
    if "*" not in text and "-" not in text:
        exact = _fields(text)
        if exact is None:
            raise ValueError(f"{text} is not an IP address or a pattern of one, such as 192.0.2.* or 192.0.2.1-20")
        return tuple((field, field) for field in exact)
    parts, length = (text.split(":"), _IPV6) if is_ipv6 else (text.split("."), _IPV4)
    if parts[-1] == "*":
        parts += ["*"] * (length - len(parts))
    if len(parts) != length:
        raise ValueError(f"{text} must have {length} fields, or end with *")
    return tuple(_parse_field(part, text, is_ipv6) for part in parts)


def _parse_field(part: str, text: str, is_ipv6: bool) -> tuple[int, int]:
    highest = 0xFFFF if is_ipv6 else 255
    if part == "*":
        return 0, highest
    low, dash, high = part.partition("-")
    bounds = tuple(_parse_number(each, is_ipv6) for each in ((low, high) if dash else (low, low)))
    if not 0 <= bounds[0] <= bounds[1] <= highest:
        raise ValueError(f"{part} in {text} is not a number or a range of 0 to {highest:{'x' if is_ipv6 else 'd'}}")
    return bounds[0], bounds[1]


def _parse_number(text: str, is_ipv6: bool) -> int:
    digits = "0123456789abcdefABCDEF" if is_ipv6 else "0123456789"
    is_number = 0 < len(text) <= 4 and all(each in digits for each in text)
    return int(text, 16 if is_ipv6 else 10) if is_number else -1


def matches_address(pattern: str, address: str) -> bool:
    """Return whether an address fits a pattern; an unknown address, which is empty, fits ``*`` only."""
    wanted = parse_pattern(pattern)
    if not wanted:
        return True
    fields = _fields(address)
    return (
        fields is not None
        and len(fields) == len(wanted)
        and all(low <= field <= high for (low, high), field in zip(wanted, fields, strict=True))
    )


def is_address(text: str) -> bool:
    return _fields(text) is not None


def specificity(pattern: str) -> tuple[int, ...]:
    """Return a sort key: from left to right, the pattern with the narrower field is greater."""
    return tuple(low - high for low, high in parse_pattern(pattern)) if pattern else ()


def _fields(address: str) -> tuple[int, ...] | None:
    """Return the fields of an address, those of IPv4 where it is IPv4 written as IPv6; None for anything else."""
    try:
        if ":" not in address:
            return tuple(IPv4Address(address).packed)
        parsed = IPv6Address(address.partition("%")[0])
    except AddressValueError:
        return None
    if parsed.ipv4_mapped is not None:
        return tuple(parsed.ipv4_mapped.packed)
    packed = parsed.packed
    return tuple(packed[at] << 8 | packed[at + 1] for at in range(0, len(packed), 2))
