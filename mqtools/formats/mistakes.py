"""What is wrong or doubtful in a text that is read, and where."""

from __future__ import annotations

from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.message import Message


class Mistake(Record):
    """One finding in an input: file name, line and column (bytes, from 1), words."""

    __slots__ = ("file", "line", "column", "text")

    def __init__(self, file: str, line: int, column: int, text: str) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.text = text

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


#: Warnings that are kept: each line of a long file may deserve one.
_WARNINGS = 100


class Findings:
    """Collects the mistakes and the warnings of one input, in its order.

    warnings: the first hundred.  unsaid: how many more there were.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.mistakes: list[Mistake] = []
        self.warnings: list[Mistake] = []
        self.unsaid = 0

    def mistake(self, line: int, column: int, text: str) -> None:
        """Note something because of which a message cannot be read."""
        self.mistakes.append(Mistake(self.name, line, column, text))

    def warn(self, line: int, column: int, text: str) -> None:
        """Note something that was read, but perhaps not as it was meant."""
        if len(self.warnings) < _WARNINGS:
            self.warnings.append(Mistake(self.name, line, column, text))
        else:
            self.unsaid += 1


class ReadMessage(Record):
    """A message that was read, with the first and the last of its lines."""

    __slots__ = ("first_line", "last_line", "message")

    def __init__(self, message: Message, first_line: int, last_line: int) -> None:
        self.message = message
        self.first_line = first_line
        self.last_line = last_line


def without_end(line: bytes) -> bytes:
    """Take the end off a line: LF, or CR LF."""
    if line.endswith(b"\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(b"\n") else line
