"""Folds of lines that are indented, such as JSON, XML and headers: what each line opens, and what is left when it is
folded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

#: Index of the line that opens an element -> index of its last line.
Folds = Mapping[int, int]


#: What the last line of an element begins with, where that has the indentation of the first.
_CLOSING = ("}", "]", "</")


def indent_of(line: str) -> int:
    """Return the number of blanks that a line begins with."""
    return len(line) - len(line.lstrip(" "))


def find_folds(lines: Sequence[str]) -> dict[int, int]:
    """Return the elements of more than one line: a line opens those behind it that are indented more."""
    folds: dict[int, int] = {}
    open_lines: list[tuple[int, int]] = []
    last = -1  # the last line that is not blank
    for number, line in enumerate(lines):
        if not line:
            continue
        indent, is_closing = indent_of(line), line.lstrip(" ").startswith(_CLOSING)
        while open_lines and open_lines[-1][1] >= indent:
            opened, its_indent = open_lines.pop()
            end = number if is_closing and its_indent == indent else last
            if end > opened:
                folds[opened] = end
        if not is_closing:
            open_lines.append((number, indent))
        last = number
    folds.update({opened: last for opened, _ in open_lines if last > opened})
    return folds


def unfolded(number: int, folds: Folds, folded: Collection[int]) -> Iterator[int]:
    """Yield the indexes of the lines that are to be seen. number: of all lines.  folded: the lines that are folded."""
    at = 0
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
    """Return what is said in place of a folded element, and its last line where that closes it.

    Counted is what stands directly inside: entries, elements or fields.
    """
    indent, inside = indent_of(lines[opened]), indent_of(lines[opened + 1])
    is_closed = indent_of(lines[end]) == indent
    entries = [line for line in lines[opened + 1 : end + (not is_closed)] if indent_of(line) == inside]
    count = sum(not line.lstrip(" ").startswith(_CLOSING) for line in entries)
    return f" {count} inside ", lines[end].lstrip(" ") if is_closed else ""
