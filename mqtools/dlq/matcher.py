"""Does a rule match a message: pattern by pattern, against the fields as fixed-length, blank-padded text.

Source: BEY-70, BEY-76.
"""

from __future__ import annotations

from mqtools.dlq.keywords import CHAR_PATTERNS, NUMBER_PATTERNS
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.dlq.rule import Pattern, Rule
    from mqtools.headers.mqdlh import MQDLH
    from mqtools.message import MQMD


class Candidate(Record):
    """A dead letter as the rules see it: its descriptor and its dead-letter header, both already decoded."""

    __slots__ = ("dlh", "md")

    def __init__(self, md: MQMD, dlh: MQDLH) -> None:
        self.md = md
        self.dlh = dlh


def matches(rule: Rule, candidate: Candidate) -> bool:
    """Say whether every pattern of the rule matches; a rule without patterns matches every dead letter."""
    return all(_is_true(pattern, candidate) for pattern in rule.patterns)


def explain(rule: Rule, candidate: Candidate) -> list[str]:
    """Name the keywords that do not match, in the order written; none means that the rule matches."""
    return [pattern.keyword for pattern in rule.patterns if not _is_true(pattern, candidate)]


def nul_keywords(candidate: Candidate) -> list[str]:
    """Name the keywords whose field holds NUL: there a plain name does not match, the name with ``*`` does."""
    return [
        keyword
        for keyword, (structure, field, _) in CHAR_PATTERNS.items()
        if "\0" in getattr(getattr(candidate, structure), field)
    ]


def _is_true(pattern: Pattern, candidate: Candidate) -> bool:
    wanted = pattern.compiled
    if wanted is None:
        return True
    if isinstance(wanted, int):
        structure, field, _ = NUMBER_PATTERNS[pattern.keyword]
        return bool(getattr(getattr(candidate, structure), field) == wanted)
    structure, field, length = CHAR_PATTERNS[pattern.keyword]
    # Only blanks are padding. NUL is a character like any other, so A.B does not match A.B and NULs.
    return wanted.fullmatch(getattr(getattr(candidate, structure), field).ljust(length)) is not None
