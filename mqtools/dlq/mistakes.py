"""What is wrong or doubtful in a rules table, and where."""

from __future__ import annotations

from functools import lru_cache

from mqtools.constants.reasons import MQRC_UNEXPECTED_ERROR
from mqtools.errors import MQError
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    #: Physical line and column, both from 1.
    Place: TypeAlias = tuple[int, int]

#: Longer words are not compared with known ones: nobody misspells at that length, and it would be slow.
_LONGEST_GUESS = 64
#: Characters of the table that a mistake quotes at most.
_LONGEST_SHOWN = 30


class Mistake(Record):
    """One finding in a rules table: file name, physical line and column (from 1), words, suggestion or None."""

    __slots__ = ("column", "file", "line", "suggestion", "text")

    def __init__(self, file: str, line: int, column: int, text: str, suggestion: str | None = None) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.text = text
        self.suggestion = suggestion

    @property
    def message(self) -> str:
        """The words with the suggestion, without the place."""
        return f"{self.text}; {self.suggestion}" if self.suggestion else self.text

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class RulesTableError(MQError):
    """Raised when a rules table has mistakes: all of them at once, in the order of the table.

    warnings: what was doubtful before the mistakes ended the reading.
    """

    reason = MQRC_UNEXPECTED_ERROR

    def __init__(self, name: str, mistakes: list[Mistake], warnings: list[Mistake], lines: Sequence[str]) -> None:
        count = f"{len(mistakes)} mistake{'' if len(mistakes) == 1 else 's'}"
        super().__init__(f"rules table {name} has {count}; the first: line {mistakes[0].line}: {mistakes[0].message}")
        self.mistakes = mistakes
        self.warnings = warnings
        self.lines = lines

    def source_line(self, number: int) -> str:
        """Give physical line number (from 1) of the table; a line that is not there is empty."""
        return source_line(self.lines, number)

    def caret(self, mistake: Mistake) -> str:
        """Show the source line of a mistake with a caret under its column, on two lines."""
        return caret(self.lines, mistake)


def source_line(lines: Sequence[str], number: int) -> str:
    """Give line number (from 1) of the lines; a line that is not there is empty."""
    return lines[number - 1] if 0 < number <= len(lines) else ""


def caret(lines: Sequence[str], mistake: Mistake) -> str:
    """Show the source line of a mistake with a caret under its column; tabs stay tabs, so the caret stands right."""
    line = source_line(lines, mistake.line)
    indent = "".join("\t" if mark == "\t" else " " for mark in line[: mistake.column - 1])
    return f"{line}\n{indent.ljust(mistake.column - 1)}^"


class Findings:
    """Collects mistakes and warnings while a table is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._mistakes: list[Mistake] = []
        self._warnings: list[Mistake] = []

    def mistake(self, place: Place, text: str, suggestion: str | None = None) -> None:
        """Note something that must be put right before the table can be used."""
        self._mistakes.append(Mistake(self.name, *place, text, suggestion))

    def warn(self, place: Place, text: str, suggestion: str | None = None) -> None:
        """Note something that works but is probably not what was meant."""
        self._warnings.append(Mistake(self.name, *place, text, suggestion))

    @property
    def mistakes(self) -> list[Mistake]:
        """The mistakes in the order of the table."""
        return sorted(self._mistakes, key=_place)

    @property
    def warnings(self) -> list[Mistake]:
        """The warnings in the order of the table."""
        return sorted(self._warnings, key=_place)


def _place(mistake: Mistake) -> Place:
    return mistake.line, mistake.column


@lru_cache(maxsize=1024)
def nearest(word: str, known: tuple[str, ...]) -> str | None:
    """Give the known word that was probably meant, or None where nothing is near."""
    from difflib import get_close_matches

    if len(word) > _LONGEST_GUESS:
        return None
    near = get_close_matches(word.upper(), known, n=1)
    return near[0] if near else None


def did_you_mean(word: str | None) -> str | None:
    """Phrase a suggestion; without a word there is none."""
    return f"did you mean {word}?" if word else None


def shown(text: str) -> str:
    """Quote a piece of the table: control characters made visible, cut where it is long."""
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")
