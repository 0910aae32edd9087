"""Lexer of rules tables: physical lines to entries, and entries to parameters.

An *entry* is one logical line: a physical line with its continuations. A *parameter* is one
``KEYWORD(value)``. Every position stays that of the physical line and column, from 1.

Source: BEY-76.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mqtools.dlq.keywords import ALL_KEYWORDS, TEXT_KEYWORDS
from mqtools.dlq.mistakes import quote
from mqtools.formats.mistakes import Findings, Place
from mqtools.formats.mqsc.lines import LogicalLine, fold

#: Columns that every platform reads; beyond it z/OS sees nothing.
PORTABLE_WIDTH = 72

_BLANKS = " \t"
_SEPARATORS = re.compile(r"[ \t,]*")
_OPENING = re.compile(r"[ \t]*\(")
_BLANK_RUN = re.compile(r"[ \t]*")
_KEYWORD = re.compile(r"[A-Za-z0-9_]+")
_STRAY = re.compile(r"[^ \t,()]+|[()]")
_REST_OF_WORD = re.compile(r"[^ \t,()]*")
#: The possessive repeat keeps a doubled quote from being taken for the end and a beginning.
_QUOTED = re.compile(r"'((?:[^']|'')*+)'")
_BARE = re.compile(r"[^ \t,()']*")
_NEXT_PARAMETER = re.compile(rf"[ \t,]*(?:{'|'.join(ALL_KEYWORDS)})[ \t]*\(", re.IGNORECASE | re.ASCII)
#: Characters of a value without quotes: letters, digits, name characters, wildcards, the mark of a substitution.
_PLAIN = re.compile(r"[A-Za-z0-9./_%*?&]")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One ``KEYWORD(value)`` with its places; value is folded outside quotes, None where it could not be read.

    folded: whether folding changed it: lower case without quotes.
    """

    keyword: str
    place: Place
    value: str | None
    value_place: Place
    folded: bool = False


def physical_lines(text: str) -> list[str]:
    """Split a table into lines; only a line feed ends one, a carriage return before it is dropped."""
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
    if lines[-1] == "":
        lines.pop()
    return lines


def read_entries(lines: Sequence[str], findings: Findings) -> list[LogicalLine]:
    """Return the entries of a table: comments and blank lines dropped, continuations joined."""
    entries: list[LogicalLine] = []
    is_continued = False
    for number, line in enumerate(lines, 1):
        kept = line.rstrip(_BLANKS)
        if _is_ignored(kept, number, is_continued, findings):
            continue
        _check_width(kept, number, findings)
        if not is_continued:
            entries.append(LogicalLine())
        is_continued = entries[-1].add(number, kept)
    if is_continued:
        findings.warn((len(lines), 1), "the table ends within a continued entry")
    return [entry for entry in entries if entry.text.strip(_BLANKS)]


def _is_ignored(kept: str, number: int, is_continued: bool, findings: Findings) -> bool:
    """Return whether a line is blank or a comment. A continued line may begin with blanks and ``*``."""
    if not kept:
        if is_continued:
            findings.warn((number, 1), "blank line inside a continued entry; the entry continues after it")
        return True
    if kept.startswith("*"):
        return True
    before_text = len(kept) - len(kept.lstrip(_BLANKS))
    if is_continued or not kept.startswith("*", before_text):
        return False
    findings.warn((number, before_text + 1), "a comment must begin in column 1; this line is treated as a comment")
    return True


def _check_width(kept: str, number: int, findings: Findings) -> None:
    if len(kept) > PORTABLE_WIDTH:
        text = f"the line has {len(kept)} columns; more than {PORTABLE_WIDTH} are not portable"
        findings.warn((number, PORTABLE_WIDTH + 1), text)


def read_parameters(entry: LogicalLine, findings: Findings) -> tuple[list[Parameter], bool]:
    """Return the parameters of an entry, continuing after each mistake, and whether all of it was understood.

    Only in an entry that was understood is a missing keyword known to be absent.
    """
    scanner = _Scanner(entry, findings)
    parameters = list(iter(scanner.next_parameter, None))
    return parameters, scanner.is_complete


class _Scanner:
    """Scans one entry; every method leaves ``position`` after what it read."""

    def __init__(self, entry: LogicalLine, findings: Findings) -> None:
        self.entry = entry
        self.text = entry.text
        self.findings = findings
        self.position = 0
        self.is_complete = True
        #: Was the last thing read a closing parenthesis in its place?
        self._is_closed = False

    def next_parameter(self) -> Parameter | None:
        """Read up to the end of the next parameter; None at the end of the entry."""
        while True:
            needs_separator, self._is_closed = self._is_closed, False
            is_separated = bool(self._take(_SEPARATORS)) or not needs_separator
            if self.position == len(self.text):
                return None
            place = self._here()
            word = self._take(_KEYWORD)
            if word:
                if not is_separated:
                    self.findings.warn(place, f"a blank or a comma is missing before {fold(word)}")
                return self._parameter(word, place)
            self._fail(place, f"expected a keyword, not {quote(self._take(_STRAY))}")

    def _parameter(self, word: str, place: Place) -> Parameter:
        keyword = fold(word)
        opening = _OPENING.match(self.text, self.position)
        if opening is None:
            self._skip_to_next(keyword)
            return Parameter(keyword, place, None, place)
        self.position = opening.end()
        self._take(_BLANK_RUN)
        value_start = self.position
        if _NEXT_PARAMETER.match(self.text, value_start):
            self._fail(self._here(), f"{keyword} has no value and no closing parenthesis")
            return Parameter(keyword, place, None, place)
        value, folded = self._value(keyword)
        is_cut_short = value is None and value_start < self.position == len(self.text)
        if is_cut_short or not self._closing(keyword):
            value = None
        return Parameter(keyword, place, value, self.entry.position(value_start), folded)

    def _skip_to_next(self, keyword: str) -> None:
        """Report a value without its opening parenthesis, or an unknown keyword, and skip it."""
        if keyword in ALL_KEYWORDS:
            self._fail(self._here(), f"{keyword} needs a value in parentheses", f"write {keyword}(value)")
        self.is_complete = False
        self._take(_REST_OF_WORD)
        closing = self.text.find(")", self.position)
        if closing >= 0 and "(" not in self.text[self.position : closing]:
            self.position = closing + 1

    def _value(self, keyword: str) -> tuple[str | None, bool]:
        """Return a value, read up to its last character, and whether it was folded."""
        if self.text.startswith("'", self.position):
            return self._quoted_value(keyword), False
        start = self.position
        value = self._take(_BARE)
        if not value and self.text.startswith(")", start):
            self.findings.mistake(self._here(), f"{keyword} has an empty value")
            return None, False
        if keyword in TEXT_KEYWORDS:
            self._check_bare(value, start)
        return fold(value) or None, fold(value) != value

    def _quoted_value(self, keyword: str) -> str | None:
        quoted = _QUOTED.match(self.text, self.position)
        if quoted is None:
            self._fail(self._here(), f"{keyword} has an unclosed quote")
            self.position = len(self.text)
            return None
        if not quoted[1]:
            self.findings.mistake(self._here(), f"{keyword} has an empty value", "a blank field is ' '")
        self.position = quoted.end()
        return quoted[1].replace("''", "'") or None

    def _check_bare(self, value: str, start: int) -> None:
        """Check the characters of an unquoted value: unusual ones may not work in other handlers."""
        odd = [offset for offset, mark in enumerate(value) if not _PLAIN.match(mark)]
        if not odd:
            return
        place, mark = self.entry.position(start + odd[0]), value[odd[0]]
        if mark == '"':
            self.findings.mistake(place, "double quotes do not delimit a value", "use single quotes")
        elif not mark.isprintable():
            self.findings.mistake(place, f"the character {mark!r} is not allowed without quotes")
        else:
            self.findings.warn(place, f"{mark!r} should be in quotes", "put the value in quotes")

    def _closing(self, keyword: str) -> bool:
        """Read the closing parenthesis; report a missing one. Return False where more of a value follows."""
        end = self.position
        self._take(_BLANK_RUN)
        if self.text.startswith(")", self.position):
            self.position += 1
            self._is_closed = True
            return True
        if self.position == len(self.text) or _NEXT_PARAMETER.match(self.text, self.position):
            self._fail(self.entry.position(end), f"{keyword} has no closing parenthesis")
            return True
        self._refuse_rest(keyword)
        return False

    def _refuse_rest(self, keyword: str) -> None:
        advice = "put a value with blanks or commas in quotes" if keyword in TEXT_KEYWORDS else None
        closing = self.text.find(")", self.position)
        end = len(self.text) if closing < 0 else closing
        rest = self.text[self.position : end]
        self._fail(self._here(), f"{keyword} takes one value; {quote(rest)} is too much", advice)
        self.position = min(end + 1, len(self.text))

    def _fail(self, place: Place, text: str, suggestion: str | None = None) -> None:
        self.is_complete = False
        self.findings.mistake(place, text, suggestion)

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.position)
        text = found[0] if found else ""
        self.position += len(text)
        return text

    def _here(self) -> Place:
        return self.entry.position(self.position)
