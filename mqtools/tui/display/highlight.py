"""Colours of the lines of a message: JSON, XML, and fields of a structure. Works line by line, on what is visible."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from rich.cells import cell_len

from mqtools.tui.display import colours
from mqtools.tui.display.cells import Cell
from mqtools.tui.display.folds import indent_of

# Patterns are compiled when they are first used: the first rows do not wait for it.
# The colon and the comma have the colour of what is before them: a change of colour is 20 bytes to a terminal.
_JSON = (
    r'(?P<key>"(?:[^"\\]|\\.)*"\s*:)|(?P<string>"(?:[^"\\]|\\.)*"?,?)|(?P<word>(?:-?\d[\d.eE+-]*|true|false|null),?)'
)
_JSON_ROLES = {"key": colours.KEY, "string": colours.GOOD, "word": colours.WARN}
_XML = r"(?P<comment><!--.*?(?:-->|$))|(?P<tag></?[^\s<>]+|/?>)|(?P<value>\"[^\"]*\"|'[^']*')(?=[^<]*>)"
_XML_ROLES = {"comment": colours.DIM, "tag": colours.KEY, "value": colours.GOOD}
#: Between two fields in a line.
COLUMN = " │ "
_FIELD = r"^(\s*[\w ./-]+?\s*: )(.*)$"
_EMPTY = r"^(?:'\s*'|0+(?:  \* MQ\w+)?|X'0*'|-1|\s*)$"


def _by_pattern(pattern: str, roles: dict[str, str], line: str) -> Iterator[Cell]:
    at = 0
    for found in re.finditer(pattern, line):
        yield line[at : found.start()], colours.TEXT
        yield found.group(), roles[found.lastgroup or ""]
        at = found.end()
    yield line[at:], colours.TEXT


def _fields(line: str) -> Iterator[Cell]:
    for number, part in enumerate(line.split(COLUMN)):
        if number:
            yield COLUMN, colours.DIM
        found = re.match(_FIELD, part)
        if found is None:
            yield part, colours.TEXT
        elif re.match(_EMPTY, found[2].strip()):
            yield part, colours.DIM
        else:
            yield found[1], colours.DIM
            yield found[2], colours.TEXT


#: Name of a syntax -> the cells of a line in it.
SYNTAXES: dict[str, Callable[[str], Iterator[Cell]]] = {
    "json": partial(_by_pattern, _JSON, _JSON_ROLES),
    "xml": partial(_by_pattern, _XML, _XML_ROLES),
    "fields": _fields,
}


def highlight(line: str, syntax: str) -> list[Cell]:
    """Return the cells of a line. syntax: of SYNTAXES, empty for none."""
    return list(SYNTAXES[syntax](line)) if syntax else [(line, colours.TEXT)]


def in_columns(lines: list[str], width: int) -> list[str]:
    """Return lines of fields in two columns where both fit side by side; a longer one, or one with others below it,
    has its own line.
    """
    half = (width - len(COLUMN)) // 2
    laid_out: list[str] = []
    left: str | None = None
    for number, line in enumerate(lines):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        is_short = cell_len(line) <= half and indent_of(below) <= indent_of(line) and re.match(_FIELD, line) is not None
        if left is not None and (not is_short or indent_of(left) != indent_of(line)):
            laid_out.append(left)
            left = None
        if not is_short:
            laid_out.append(line)
        elif left is None:
            left = line
        else:
            laid_out.append(left + " " * (half - cell_len(left)) + COLUMN + line.strip())
            left = None
    return laid_out if left is None else [*laid_out, left]
