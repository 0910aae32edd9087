"""Mistakes in a rules table: one error for all of them, and helpers for their texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mqtools.constants.reasons import MQRC_UNEXPECTED_ERROR
from mqtools.errors import MQError
from mqtools.formats import phrases
from mqtools.formats.mistakes import Mistake
from mqtools.formats.phrases import counted

#: Characters of the table that a mistake quotes at most.
_LONGEST_SHOWN = 30


class RulesTableError(MQError):
    """Raised when a rules table has mistakes: all of them, in the order of the table.

    warnings: noted before the mistakes ended the parsing.  lines: the physical lines of the table.
    """

    reason = MQRC_UNEXPECTED_ERROR

    def __init__(self, name: str, mistakes: list[Mistake], warnings: list[Mistake], lines: Sequence[str]) -> None:
        count = counted(len(mistakes), "mistake")
        super().__init__(f"rules table {name} has {count}; the first: line {mistakes[0].line}: {mistakes[0].message}")
        self.mistakes = mistakes
        self.warnings = warnings
        self.lines = lines


@lru_cache(maxsize=1024)
def find_nearest(word: str, known: tuple[str, ...]) -> str | None:
    """Return the known word nearest to a word, or None. Cached: tables repeat their mistakes."""
    return phrases.nearest(word.upper(), known)


def quote(text: str) -> str:
    """Quote a piece of the table: control characters made visible, long pieces cut."""
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")
