"""Matching of a rule and a message: pattern by pattern, against fixed-length, blank-padded fields.

Source: BEY-70, BEY-76.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mqtools.dlq.keywords import CHAR_PATTERNS, NUMBER_PATTERNS
from mqtools.dlq.rule import Pattern, Rule
from mqtools.headers.mqdlh import MQDLH
from mqtools.message import MQMD


@dataclass(frozen=True, slots=True)
class Candidate:
    """A dead letter for matching: decoded descriptor and dead-letter header."""

    md: MQMD
    dlh: MQDLH


def matches(rule: Rule, candidate: Candidate) -> bool:
    """Return whether every pattern of a rule matches; a rule without patterns matches every dead letter."""
    return all(_is_true(pattern, candidate) for pattern in rule.patterns)


def explain(rule: Rule, candidate: Candidate) -> list[str]:
    """Return the keywords that do not match, in the order written; none when the rule matches."""
    return [pattern.keyword for pattern in rule.patterns if not _is_true(pattern, candidate)]


def nul_keywords(candidate: Candidate, among: Iterable[str] = CHAR_PATTERNS) -> list[str]:
    """Return the keywords whose field holds NUL: a plain name does not match it, the name with ``*`` does."""
    return [keyword for keyword in among if "\0" in _text(keyword, candidate)]


def _is_true(pattern: Pattern, candidate: Candidate) -> bool:
    wanted = pattern.compiled
    if wanted is None:
        return True
    if isinstance(wanted, int):
        structure, field, _ = NUMBER_PATTERNS[pattern.keyword]
        return bool(getattr(getattr(candidate, structure), field) == wanted)
    # Only blanks are padding. NUL is a character like any other, so A.B does not match A.B and NULs.
    text = _text(pattern.keyword, candidate)
    return wanted.fullmatch(text.ljust(CHAR_PATTERNS[pattern.keyword][2])) is not None


def _text(keyword: str, candidate: Candidate) -> str:
    structure, field, _ = CHAR_PATTERNS[keyword]
    text: str = getattr(getattr(candidate, structure), field)
    return text
