"""Folds of lines that are indented, such as JSON, XML and headers: what each line opens, and what is left when it is
folded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from mqtools.formats.phrases import grouped

#: Index of the line that opens an element -> index of its last line.
Folds = Mapping[int, int]


#: Lines of an element in which the entries are counted.
_MOST_COUNTED = 20_000
#: First characters of the last line of an element, where that has the indentation of the first.
_CLOSING = ("}", "]", "</")


def indent_of(line: str) -> int:
    """Return the number of blanks that a line begins with."""
    return len(line) - len(line.lstrip(" "))


class FoldFinder:
    """Finds the elements of more than one line: a line opens those behind it that are indented more."""

    def __init__(self) -> None:
        self._folds: dict[int, int] = {}
        self._open_lines: list[tuple[int, int]] = []
        self._number = 0
        self._last = -1  # the last line that is not blank

    def add(self, line: str) -> None:
        """Take in the next line."""
        number = self._number
        self._number += 1
        if not line:
            return
        indent, is_closing = indent_of(line), line.lstrip(" ").startswith(_CLOSING)
        while self._open_lines and self._open_lines[-1][1] >= indent:
            opened, its_indent = self._open_lines.pop()
            end = number if is_closing and its_indent == indent else self._last
            if end > opened:
                self._folds[opened] = end
        if not is_closing:
            self._open_lines.append((number, indent))
        self._last = number

    def folds(self) -> dict[int, int]:
        """Return the folds of all lines."""
        self._folds.update({opened: self._last for opened, _ in self._open_lines if self._last > opened})
        return self._folds


def find_folds(lines: Sequence[str]) -> dict[int, int]:
    """Return the folds of lines."""
    finder = FoldFinder()
    for line in lines:
        finder.add(line)
    return finder.folds()


def unfolded(number: int, folds: Folds, folded: Collection[int], first: int = 0) -> Iterator[int]:
    """Yield the indexes of the lines that are shown.

    number: of all lines.  folded: the lines that are folded.  first: the line to begin with, which is shown.
    """
    at = first
    while at < number:
        yield at
        at = folds[at] + 1 if at in folded else at + 1


def around(line: int, folds: Folds) -> list[int]:
    """Return the lines that open the elements around a line, the innermost last."""
    return sorted(opened for opened, end in folds.items() if opened < line <= end)


def below_the_top(lines: Sequence[str], folds: Folds) -> set[int]:
    """Return the elements inside those that are not inside any; those themselves where there are no others."""
    least = min((indent_of(lines[opened]) for opened in folds), default=0)
    return {opened for opened in folds if indent_of(lines[opened]) > least} or set(folds)


def summary(lines: Sequence[str], opened: int, end: int) -> tuple[str, str]:
    """Return the summary of a folded element, and its last line where that closes it.

    Counted is what stands directly inside: entries, elements or fields; in a long element the lines are.
    """
    if end - opened > _MOST_COUNTED:
        return f" {grouped(end - opened)} lines inside ", lines[end].lstrip(" ")
    indent, inside = indent_of(lines[opened]), indent_of(lines[opened + 1])
    is_closed = indent_of(lines[end]) == indent
    entries = [line for line in lines[opened + 1 : end + (not is_closed)] if indent_of(line) == inside]
    count = sum(not line.lstrip(" ").startswith(_CLOSING) for line in entries)
    return f" {count} inside ", lines[end].lstrip(" ") if is_closed else ""
