"""Records of a parsed rules table: control data, and rules in their order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from mqtools.dlq.keywords import CHAR
from mqtools.formats.mistakes import Mistake
from mqtools.headers.characters import escape

#: Values that need no quotes. All others are quoted, so that they read back the same.
_BARE = re.compile(r"[A-Z0-9._/%*?]+")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern keyword of a rule.

    kind: ``char`` or ``number``.  value: as written, without quotes, folded where it had none.
    compiled: what it is compared with: an expression over the blank-padded field, a number, or None for any value.
    """

    keyword: str
    kind: str
    value: str
    compiled: re.Pattern[str] | int | None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: patterns in the order written, and the action with what belongs to it.

    line: first physical line.  fwd_q, fwd_q_mgr: a name, ``&DESTQ`` and so on, None where absent; an empty
    fwd_q_mgr is the local queue manager.  header: whether a forward keeps the MQDLH.  retry: attempts.
    """

    line: int
    patterns: list[Pattern]
    action: str
    _: KW_ONLY
    fwd_q: str | None = None
    fwd_q_mgr: str | None = None
    header: bool = True
    put_authority: str = "DEF"
    retry: int = 1

    @property
    def is_unconditional(self) -> bool:
        """Whether it matches every message that has an MQDLH."""
        return all(matches_anything(pattern) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Control:
    """Control data (BEY-69): empty names where blank or absent, seconds, and what to do when nothing is left.

    wait: ``YES`` (for ever), ``NO``, or seconds.
    """

    input_q: str = ""
    input_q_mgr: str = ""
    retry_interval_s: int = 60
    wait: str | int = "YES"


@dataclass(frozen=True, slots=True)
class RulesTable:
    """A rules table without mistakes: control data, rules in order, and warnings in the order of the text."""

    name: str
    control: Control
    rules: list[Rule]
    warnings: list[Mistake]
    lines: Sequence[str]

    def char_keywords(self) -> list[str]:
        """Return the keywords of all patterns over character fields, each once."""
        patterns = [pattern for rule in self.rules for pattern in rule.patterns if pattern.kind == CHAR]
        return sorted({pattern.keyword for pattern in patterns})


def matches_anything(pattern: Pattern) -> bool:
    """Return whether the pattern matches any value, as ``*`` does."""
    return set(pattern.value.rstrip(" ")) == {"*"}


def compile_wildcards(value: str) -> re.Pattern[str]:
    """Compile a value for matching against the blank-padded field.

    What is between two asterisks is taken at its first place and kept (an atomic group): that is always
    right, since nothing after it can depend on where it stood, and it keeps hostile patterns from taking
    exponential time.
    """
    first, *rest = value.rstrip(" ").split("*")
    if not rest:
        return re.compile(f"{_compile_piece(first)} *", re.DOTALL)
    *middle, last = rest
    found = "".join(f"(?>.*?{_compile_piece(piece)})" for piece in middle if piece)
    tail = f".*{_compile_piece(last)} *" if last else ".*"
    return re.compile(_compile_piece(first) + found + tail, re.DOTALL)


def _compile_piece(piece: str) -> str:
    return "".join(map(_compile_mark, piece))


def _compile_mark(mark: str) -> str:
    if mark == "?":
        # It needs a non-blank at or after its place: it takes an embedded blank, never a trailing one.
        return "(?= *[^ ])."
    if "\x80" <= mark <= "\xff":
        # The byte of a table in Latin-1 is also that of a field with bytes that its CCSID lacks.
        return f"[{mark}{escape(mark.encode('latin-1'))}]"
    return re.escape(mark)


def describe_rule(rule: Rule) -> str:
    """Return a rule as one line of canonical text, without defaults; it parses to the same rule."""
    words = [f"{pattern.keyword}({_quoted(pattern.value)})" for pattern in rule.patterns]
    words.append(f"ACTION({rule.action})")
    if rule.fwd_q is not None:
        words.append(f"FWDQ({_name(rule.fwd_q)})")
    if rule.fwd_q_mgr is not None:
        words.append(f"FWDQM({_name(rule.fwd_q_mgr or ' ')})")
    if not rule.header:
        words.append("HEADER(NO)")
    if rule.put_authority != "DEF":
        words.append(f"PUTAUT({rule.put_authority})")
    if rule.retry != 1:
        words.append(f"RETRY({rule.retry})")
    return " ".join(words)


def _name(value: str) -> str:
    # No queue has a name that begins with "&": this is one of the words for a name.
    return value if value.startswith("&") else _quoted(value)


def _quoted(value: str) -> str:
    if _BARE.fullmatch(value):
        return value
    doubled = value.replace("'", "''")
    return f"'{doubled}'"
