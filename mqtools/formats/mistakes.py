"""Mistakes and warnings in a text that is read, with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mqtools.message import Message
from mqtools.records import Record

#: Physical line and column, both from 1.
Place: TypeAlias = tuple[int, int]

#: Warnings that are kept: each line of a long file may deserve one.
_WARNINGS = 100


@dataclass(slots=True)
class Mistake(Record):
    """One finding in an input: file name, physical line and column (from 1), words, suggestion or None."""

    file: str
    line: int
    column: int
    text: str
    suggestion: str | None = None

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def message(self) -> str:
        """Return the text with the suggestion, without the place."""
        return f"{self.text}; {self.suggestion}" if self.suggestion else self.text

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class Findings:
    """Collects the mistakes and the warnings of one input while it is read.

    unsaid: how many warnings there were beyond the first hundred, which are kept.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.unsaid = 0
        self._mistakes: list[Mistake] = []
        self._warnings: list[Mistake] = []

    def mistake(self, place: Place, text: str, suggestion: str | None = None) -> None:
        """Add a mistake: the input, or a part of it, cannot be used."""
        self._mistakes.append(Mistake(self.name, *place, text, suggestion))

    def warn(self, place: Place, text: str, suggestion: str | None = None) -> None:
        """Add a warning: something was read, but perhaps not as it was meant."""
        if len(self._warnings) < _WARNINGS:
            self._warnings.append(Mistake(self.name, *place, text, suggestion))
        else:
            self.unsaid += 1

    @property
    def mistakes(self) -> list[Mistake]:
        return sorted(self._mistakes, key=_place)

    @property
    def warnings(self) -> list[Mistake]:
        return sorted(self._warnings, key=_place)


def _place(mistake: Mistake) -> Place:
    return mistake.line, mistake.column


@dataclass(slots=True)
class ReadMessage(Record):
    """A message that was read, with the first and the last of its lines."""

    message: Message
    first_line: int
    last_line: int


def without_end(line: bytes) -> bytes:
    """Strip the end off a line: LF, or CR LF."""
    return line[:-1].removesuffix(b"\r") if line.endswith(b"\n") else line
