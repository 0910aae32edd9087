"""Generic names of channel authentication and authority records: which one matches, and which is more specific.

A channel profile has ``*`` for any characters. In an authority profile ``?`` is one character, ``*`` any characters of
one qualifier, and the qualifier ``**`` any number of qualifiers.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Character of a profile to its rank; a higher one is more specific. Any other character stands for itself.
_RANKS = {"*": 1, "?": 2}
_EVERY_QUALIFIER, _LITERAL, _END = 0, 3, 4
_LOWEST = 0


def specificity(profile: str) -> tuple[int, ...]:
    """Return a key by which profiles compare: from left to right, the one with fewer possible names is greater."""
    ranks: list[int] = []
    for qualifier in profile.split("."):
        if ranks:
            ranks.append(_LITERAL)  # the full stop
        ranks += [_EVERY_QUALIFIER] if qualifier == "**" else [_RANKS.get(each, _LITERAL) for each in qualifier]
    ranks.append(_LOWEST if profile.endswith("*") else _END)
    return tuple(ranks)


def matches_profile(profile: str, name: str) -> bool:
    """Return whether an authority profile is for an object name."""
    return _matches(profile.split("."), name.split("."), "**", _matches_qualifier)


def _matches_qualifier(pattern: str, text: str) -> bool:
    return _matches(pattern, text, "*", lambda wanted, found: wanted in ("?", found))


def _matches(pattern: Sequence[str], items: Sequence[str], wildcard: str, fits: Callable[[str, str], bool]) -> bool:
    """Match items one by one; a wildcard takes any number of them. The cost is the product of the lengths."""
    reached = {0}
    for wanted in pattern:
        if wanted == wildcard:
            reached = set(range(min(reached), len(items) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(items) and fits(wanted, items[at])}
        if not reached:
            return False
    return len(items) in reached
