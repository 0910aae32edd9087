"""Generic names of channel authentication and authority records: which one matches, and which is more specific.

A channel profile has ``*`` for any characters. In an authority profile ``?`` is one character, ``*`` any characters of
one qualifier, and the qualifier ``**`` any number of qualifiers.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

#: Character of a profile to its rank; a higher one is more specific. Other characters are literal.
_RANKS = {"*": 1, "?": 2}
_EVERY_QUALIFIER, _LITERAL, _END = 0, 3, 4
_LOWEST = 0


def specificity(profile: str) -> tuple[int, ...]:
    """Return a sort key: from left to right, the profile with fewer possible names is greater."""
    ranks: list[int] = []
    for qualifier in profile.split("."):
        if ranks:
            ranks.append(_LITERAL)  # the full stop
        ranks += [_EVERY_QUALIFIER] if qualifier == "**" else [_RANKS.get(each, _LITERAL) for each in qualifier]
    ranks.append(_LOWEST if profile.endswith("*") else _END)
    return tuple(ranks)


def matches_profile(profile: str, name: str) -> bool:
    """Return whether an authority profile is for an object name. The cost is the product of their qualifiers."""
    qualifiers = name.split(".")
    reached = {0}
    for pattern in profile.split("."):
        if pattern == "**":
            reached = set(range(min(reached), len(qualifiers) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(qualifiers) and _fits(pattern, qualifiers[at])}
        if not reached:
            return False
    return len(qualifiers) in reached


def _fits(pattern: str, qualifier: str) -> bool:
    return fnmatchcase(qualifier, pattern.replace("[", "[[]"))
