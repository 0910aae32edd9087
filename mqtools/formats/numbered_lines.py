"""The lines of a file with their numbers, and whole paragraphs of what has been read of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.formats.delimiters import CHUNK, LONGEST_LINE, TooLong

if TYPE_CHECKING:
    from typing import Protocol, Self

    class File(Protocol):
        """A binary file, perhaps a pipe."""

        def read1(self, size: int = -1, /) -> bytes:
            """Read what one read gives, up to so many bytes."""

        def readline(self, size: int = -1, /) -> bytes:
            """Read a line, up to so many bytes."""


#: Bytes after which the end of a paragraph is no longer looked for.
_LONGEST_PARAGRAPH = 1_000_000
_BLANK_LINE = b"\n\n"
#: Bytes in front of a mark in which the blank line is.
_NEAR = 16


class NumberedLines:
    """Iterates over the lines of a file: number, from 1, and line with its end.

    Raises TooLong in place of a line of more than LONGEST_LINE bytes.  number: of the last line given.
    """

    def __init__(self, file: File) -> None:
        self.number = 0
        self._file = file
        self._buffer = b""
        self._at = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[int, bytes]:
        end = self._buffer.find(b"\n", self._at) + 1
        if end:
            line = self._buffer[self._at : end]
            self._at = end
        else:
            line = self._buffer[self._at :]
            line += self._file.readline(LONGEST_LINE + 1 - len(line))
            self._buffer, self._at = b"", 0
            if not line:
                raise StopIteration
            if len(line) > LONGEST_LINE:
                raise TooLong
        self.number += 1
        return self.number, line

    def give_back(self, line: bytes) -> None:
        """Take back the last line that was given; it comes again."""
        self.number -= 1
        if self._at >= len(line):
            self._at -= len(line)
        else:
            self._buffer, self._at = line + self._buffer[self._at :], 0

    def paragraph(self, beginnings: tuple[bytes, ...], data: bytes = b"", mark: bytes = b"") -> bytes | None:
        """Return what lies before the next blank line, without its last end; ``pass_over`` goes on behind that.

        None where it is long, where nothing ends it, or where what follows begins otherwise than with ``beginnings``.
        data, mark: behind the first is mostly nothing with the second in it before the beginning of what follows.
        A paragraph may then have blank lines in its data.
        """
        longest = max(map(len, beginnings))
        while True:
            end = self._end(data, mark)
            behind = end + len(_BLANK_LINE)
            if end >= 0 and (self._buffer.startswith(beginnings, behind)):
                return self._buffer[self._at : end]
            if end >= 0 and len(self._buffer) - behind >= longest:
                return None
            if len(self._buffer) - self._at > _LONGEST_PARAGRAPH:
                return None
            more = self._file.read1(CHUNK)
            if not more:
                return self._buffer[self._at : end] if end >= 0 and len(self._buffer) == behind else None
            self._buffer, self._at = self._buffer[self._at :] + more, 0

    def _end(self, data: bytes, mark: bytes) -> int:
        """Return where the next blank line is. To look for one byte takes a tenth of the time as for two."""
        if mark:
            data_at = self._buffer.find(data, self._at)
            marked = self._buffer.find(mark, data_at) if data_at >= 0 else -1
            end = self._buffer.rfind(_BLANK_LINE, max(data_at, marked - _NEAR), marked) if marked >= 0 else -1
            if end >= 0:
                return end
        return self._buffer.find(_BLANK_LINE, self._at)

    def pass_over(self, paragraph: bytes, ends: int) -> None:
        """Pass over a paragraph with so many ends of lines in it, and the blank line behind it."""
        self._at += len(paragraph) + len(_BLANK_LINE)
        self.number += ends + 2
