"""Request and input of ``mqx load``: a file, a series of files or standard input, and the mistakes in it."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from io import BufferedReader
from typing import Self

from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.formats.delimiters import read_lines
from mqtools.formats.file_names import fill_name, is_numbered, pieces_of
from mqtools.formats.message_input import read_messages
from mqtools.formats.mistakes import Findings, Mistake, ReadMessage
from mqtools.operations.file_selection import select_messages
from mqtools.operations.selection import Selection

from ..shared import command_session
from ..shared.command_session import JSON, Session, UsageError
from ..shared.findings import print_findings_as_json
from ..shared.pace import Pace

_STDIN = "<stdin>"
#: Messages in one unit unless told otherwise, as dmpmqmsg has it.
BATCH = 200


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """Request of ``mqx load``. file: a name, perhaps with a placeholder for a number; None for standard input.

    batch: messages in one unit, None for all in one.  context: MQPMO_*_CONTEXT.  pace: of the units, None for no delay.
    """

    queue: str
    file: str | None = None
    selection: Selection = field(default_factory=Selection)
    _: KW_ONLY
    jsonl: bool = False
    batch: int | None = BATCH
    strip_headers: bool = False
    context: int = MQPMO_SET_ALL_CONTEXT
    pace: Pace | None = None
    dry_run: bool = False


def open_source(session: Session, request: LoadRequest, ccsid: int) -> InputFiles:
    """Open the input of a request. Raise OSError, UsageError for an invalid file name pattern.

    ccsid: of character fields: the queue manager's.
    """
    if request.file is None:
        if sys.stdin.isatty():
            session.note("reading a dump from the terminal; ctrl-D ends input")
        return InputFiles([_STDIN], request, ccsid)
    try:
        pieces = pieces_of(request.file)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if is_numbered(pieces):
        return InputFiles(_row_of_files(pieces), request, ccsid)
    return InputFiles([fill_name(pieces, {}, time.localtime())], request, ccsid)


def _row_of_files(pieces: list[tuple[str, str]]) -> list[str]:
    """Return the names of the numbered files from 1 until one is missing; the first must exist."""
    names: list[str] = []
    while True:
        number = len(names) + 1
        name = fill_name(pieces, dict.fromkeys(("index", "written", "file"), number), time.localtime())
        if names and not os.path.exists(name):
            return names
        names.append(name)


class InputFiles:
    """Files of messages, read one after the other.

    can_be_read_again: whether all are regular files.
    """

    def __init__(self, names: list[str], request: LoadRequest, ccsid: int) -> None:
        self._ccsid = ccsid
        self._names = names
        self._form = "json" if request.jsonl else None
        self._request = request
        self._findings: list[Findings] = []
        self._first = self._open(names[0])
        self._start = 0
        self.can_be_read_again = stat.S_ISREG(os.fstat(self._first.fileno()).st_mode)
        if self.can_be_read_again:
            self._start = self._first.tell()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._first.close()

    def messages(self) -> Iterator[ReadMessage]:
        """Yield the selected messages from the beginning; collect mistakes again."""
        if self.can_be_read_again:
            self._first.seek(self._start)
        self._findings = []
        read = self._read_all()
        if self._request.selection.is_everything:
            return read
        return select_messages(read, self._request.selection, self._read_again)

    def _read_again(self) -> Iterator[ReadMessage]:
        if not self.can_be_read_again:
            raise UsageError("cannot complete prefixes of identifiers: the input is a pipe")
        kept, self._findings = self._findings, []
        here = self._first.tell()
        self._first.seek(self._start)
        yield from self._read_all()
        self._findings = kept
        self._first.seek(here)

    def _read_all(self) -> Iterator[ReadMessage]:
        for at, name in enumerate(self._names):
            file = self._open(name) if at else self._first
            try:
                self._findings.append(Findings(name))
                yield from read_messages(read_lines(file), self._findings[-1], self._form, ccsid=self._ccsid)
            finally:
                if at:
                    file.close()

    def _open(self, name: str) -> BufferedReader:
        if name == _STDIN and self._request.file is None:
            return open(sys.stdin.fileno(), "rb", closefd=False)
        return open(name, "rb")

    @property
    def is_one_file(self) -> bool:
        return len(self._names) == 1

    @property
    def has_mistakes(self) -> bool:
        """Whether anything read so far is not a valid message."""
        return any(findings.mistakes for findings in self._findings)

    def mistake(self, line: int, text: str) -> None:
        """Add a mistake in the message that was read last, which begins at a line."""
        self._findings[-1].mistake((line, 1), text)

    def mistakes(self) -> list[Mistake]:
        return [each for findings in self._findings for each in findings.mistakes]

    def warnings(self) -> list[Mistake]:
        """Return the first warnings of each file, in input order."""
        return [each for findings in self._findings for each in findings.warnings]

    @property
    def further_warnings(self) -> int:
        return sum(findings.unsaid for findings in self._findings)

    def where(self, line: int) -> str:
        return f"{self._findings[-1].name}:{line}" if self._findings else ""


def show_findings(session: Session, mistakes: list[Mistake], warnings: list[Mistake]) -> None:
    """Print mistakes and warnings to stderr, one a line, or as one JSON object for JSON output."""
    if session.output in JSON:
        found = {"errors": mistakes, "warnings": warnings}
        if mistakes or warnings:
            print_findings_as_json({kind: some for kind, some in found.items() if some})
        return
    for each in mistakes:
        command_session.print_error_line(str(each), keep="")
    for each in warnings:
        command_session.print_error_line(f"{each.place}: warning: {each.message}", keep="")
