"""Patterns of distinguished names: SSLPEER of channels and channel authentication records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mqtools.rules.object_names import matches_name
from mqtools.rules.security import profiles

#: Attribute in a pattern to its name in a certificate, most significant first: of two patterns the one that says more
#: of an earlier attribute is more specific. An attribute that is not here cannot be used.
ATTRIBUTES = {
    "SERIALNUMBER": "serialNumber",
    "MAIL": "emailAddress",
    "E": "emailAddress",
    "UID": "userId",
    "USERID": "userId",
    "CN": "commonName",
    "T": "title",
    "OU": "organizationalUnitName",
    "DC": "domainComponent",
    "O": "organizationName",
    "STREET": "streetAddress",
    "L": "localityName",
    "ST": "stateOrProvinceName",
    "SP": "stateOrProvinceName",
    "S": "stateOrProvinceName",
    "PC": "postalCode",
    "C": "countryName",
}


def parse_pattern(text: str) -> list[tuple[str, str]]:
    """Parse ``CN=QM1,O="Acme, Inc"``: names in a certificate with their patterns. Raises ValueError."""
    found: list[tuple[str, str]] = []
    for part in _split(text):
        key, equals, pattern = part.partition("=")
        attribute = ATTRIBUTES.get(key.strip().upper())
        if not equals or attribute is None:
            raise ValueError(f"cannot be read at {part.strip() or 'an empty attribute'}")
        found.append((attribute, pattern.strip().strip('"')))
    return found


def _split(text: str) -> list[str]:
    parts, is_quoted = [""], False
    for character in text:
        is_quoted ^= character == '"'
        if character == "," and not is_quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def matches(pattern: str, subject: Mapping[str, Sequence[str]]) -> bool:
    """Return whether each attribute of a pattern fits a value in a subject. Raises ValueError."""
    return all(
        any(matches_name(wanted, value) for value in subject.get(attribute, ()))
        for attribute, wanted in parse_pattern(pattern)
    )


def specificity(pattern: str) -> tuple[tuple[int, ...], ...]:
    """Return a sort key: the pattern that says more about the most significant attribute is greater."""
    said = parse_pattern(pattern)
    return tuple(
        tuple(rank for attribute, wanted in said if attribute == name for rank in profiles.specificity(wanted))
        for name in dict.fromkeys(ATTRIBUTES.values())
    )


def parse_subject(text: str) -> dict[str, list[str]]:
    """Parse a distinguished name: ``CN=QM1,O=Acme``. Raises ValueError."""
    subject: dict[str, list[str]] = {}
    for attribute, value in parse_pattern(text):
        subject.setdefault(attribute, []).append(value)
    return subject
