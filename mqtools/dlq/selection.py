"""Choice of the rule for a dead letter by its patterns, target of its action, and the counting of its attempts.

Patterns are compared with fixed-length, blank-padded fields.  Source: BEY-70 to BEY-76.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from mqtools.dlq.keywords import CHAR_PATTERNS, NUMBER_PATTERNS
from mqtools.dlq.rule import Pattern, Rule
from mqtools.headers.chain import strip_dlh
from mqtools.headers.mqdlh import MQDLH
from mqtools.message import MQMD

#: Word for a name -> (structure, field) that holds the name (BEY-72). Any other text is a name itself.
SUBSTITUTES = {f"&{keyword}": CHAR_PATTERNS[keyword][:2] for keyword in ("DESTQ", "DESTQM", "REPLYQ", "REPLYQM")}


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
        return bool(_field(candidate, *NUMBER_PATTERNS[pattern.keyword][:2]) == wanted)
    # Only blanks are padding. NUL is a character like any other, so A.B does not match A.B and NULs.
    text = _text(pattern.keyword, candidate)
    return wanted.fullmatch(text.ljust(CHAR_PATTERNS[pattern.keyword][2])) is not None


def _text(keyword: str, candidate: Candidate) -> str:
    return str(_field(candidate, *CHAR_PATTERNS[keyword][:2]))


def _field(candidate: Candidate, structure: str, field: str) -> object:
    return getattr(getattr(candidate, structure), field)


def choose_rule(rules: Iterable[Rule], candidate: Candidate, attempts: int) -> Rule | None:
    """Return the rule for the next attempt at a dead letter, or None where it is left as if ignored.

    attempts: number that failed so far.  The first rule that matches is used for its RETRY attempts, then the
    next that matches, and so on; a rule that does not match adds nothing. IGNORE ends the search.
    Source: BEY-70, BEY-75.
    """
    allowed = 0
    for rule in rules:
        if not matches(rule, candidate):
            continue
        allowed += rule.retry
        if rule.action == "IGNORE" or allowed > attempts:
            return rule
    return None


def attempts_until(rules: Iterable[Rule], candidate: Candidate, rule: Rule) -> int:
    """Return the number of failed attempts that use a rule up, so that the next one is chosen."""
    allowed = 0
    for each in rules:
        if matches(each, candidate):
            allowed += each.retry
        if each is rule:
            break
    return allowed


def target_of(rule: Rule, candidate: Candidate) -> tuple[str, str]:
    """Return the queue and queue manager that the action puts to; an empty queue manager is the local one.

    RETRY goes back to the destination, FWD to its names. Names come without NULs and trailing blanks. The
    other actions put nowhere: both are empty.
    Source: BEY-71, BEY-72.
    """
    queue, manager = target_words(rule)
    return _name(queue, candidate), _name(manager, candidate)


def target_words(rule: Rule) -> tuple[str, str]:
    """Return the queue and queue manager that the action puts to, as names or SUBSTITUTES; empty for none."""
    if rule.action == "RETRY":
        return "&DESTQ", "&DESTQM"
    return (rule.fwd_q or "", rule.fwd_q_mgr or "") if rule.action == "FWD" else ("", "")


def _name(text: str, candidate: Candidate) -> str:
    name = str(_field(candidate, *SUBSTITUTES[text])) if text in SUBSTITUTES else text
    return name.partition("\0")[0].rstrip(" ")


def prepare_put(rule: Rule, md: MQMD, data: bytes, dlh: MQDLH) -> tuple[MQMD, bytes]:
    """Return descriptor and data as the action puts them. dlh: the header of the message.

    RETRY and FWD with HEADER(NO) remove the MQDLH and restore Format, Encoding and CodedCharSetId from it;
    FWD with HEADER(YES) changes nothing.
    Raises MQError as removing the MQDLH does.  Source: BEY-73, BEY-74.
    """
    if rule.action == "FWD" and rule.header:
        return md, data
    return strip_dlh(md, data, dlh)


def is_repeated_failure(candidate: Candidate, reason: int, target: tuple[str, str]) -> bool:
    """Return whether a failed put repeats the reason and target that the MQDLH already names."""
    known = _name("&DESTQ", candidate), _name("&DESTQM", candidate)
    return reason == candidate.dlh.reason and target == known


#: Failed attempts at the dead letters on the queue, by ``key_of``; they end with the handler.
Attempts: TypeAlias = "Counter[tuple[bytes, bytes]]"


def key_of(md: MQMD) -> tuple[bytes, bytes]:
    """Return the identity of a message for its attempts; messages with the same one count theirs together (BEY-75)."""
    return md.msg_id, md.correl_id
