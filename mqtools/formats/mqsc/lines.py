"""The lines of an MQSC script: comments, blank lines, continuation by ``+`` and ``-``, commands parted by ``;``.

Rules tables join their lines in the same way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter

#: Separators of words. A comma counts as a blank everywhere outside quotes.
BLANKS = " \t,\r\f\v"
QUOTES = "'\""

_SPACE = " \t\r\f\v"

_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def fold(text: str) -> str:
    """Fold the letters a to z to upper case, as MQSC and rules tables do outside quotes."""
    return text.translate(_UPPER)


class LogicalLine:
    """Physical lines joined into one by their continuation, with the place that each piece came from.

    blanks: characters that are left out at the beginning of a line.
    """

    __slots__ = ("_blanks", "_ending", "_in_quotes", "_length", "_pieces", "_places", "comments", "lines")

    def __init__(self, blanks: str = _SPACE) -> None:
        self._blanks = blanks
        self.comments: list[str] = []
        self.lines: list[str] = []
        self._pieces: list[str] = []
        self._places: list[tuple[int, int, int]] = []
        self._length = 0
        self._ending = "+"
        self._in_quotes = False

    def add(self, number: int, line: str) -> bool:
        """Add a line without its trailing blanks; return whether the next line belongs to the entry too."""
        start = len(line) - len(line.lstrip(self._blanks)) if self._ending == "+" else 0
        self._ending = line[-1] if line[-1] in "+-" else ""
        piece = line[start : len(line) - len(self._ending)]
        self.lines.append(line)
        self._places.append((self._length, number, start + 1))
        self._pieces.append(piece)
        self._length += len(piece)
        self._in_quotes ^= piece.count("'") % 2 == 1
        return bool(self._ending)

    def is_comment(self, line: str) -> bool:
        """Return whether a line is a comment here: inside a string only with its ``*`` in column 1."""
        return line.startswith("*") if self._in_quotes else line.lstrip(self._blanks).startswith("*")

    @property
    def text(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def position(self, offset: int) -> tuple[int, int]:
        """Return physical line and column, from 1, of an offset in the joined text."""
        start, line, column = self._places[bisect_right(self._places, offset, key=itemgetter(0)) - 1]
        return line, column + offset - start

    def commands(self) -> Iterator[tuple[int, int]]:
        """Return start and end of each command in the joined text, without empty ones."""
        text, start, mark = self.text, 0, ""
        for at, character in enumerate(text) if ";" in text else ():
            if mark:
                mark = "" if character == mark else mark
            elif character in QUOTES:
                mark = character
            elif character == ";":
                if text[start:at].strip(BLANKS):
                    yield start, at
                start = at + 1
        if text[start:].strip(BLANKS):
            yield start, len(text)

    def source(self, start: int, end: int) -> str:
        """Return a command as it was written: its lines, or its part of the text where the entry holds several."""
        if not self.text[:start].strip(BLANKS + ";") and not self.text[end:].strip(BLANKS + ";"):
            return "\n".join(self.lines)
        return self.text[start:end].strip(_SPACE)


def entries(text: str) -> Iterator[LogicalLine]:
    """Join the lines of a script into entries; a continuation that meets the end of the text just ends."""
    entry = LogicalLine()
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = raw.rstrip(_SPACE)
        if not line:
            continue
        if entry.is_comment(line):
            (entry.lines or entry.comments).append(line)
        elif not entry.add(number, line):
            yield entry
            entry = LogicalLine()
    if entry.lines:
        yield entry
