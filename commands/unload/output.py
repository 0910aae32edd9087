"""Output of ``mqx unload``: standard output, a file, or one file a message, flushed to disk."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from typing import Self

from mqtools.formats.file_names import fill_name, is_numbered, pieces_of
from mqtools.formats.files import flush_path, write_all
from mqtools.formats.terminal import visible

from ..shared import command_session
from ..shared.command_session import Session, UsageError
from .request import UnloadRequest

#: Bytes gathered before they are written.
_BUFFER = 1 << 18


def open_sink(session: Session, request: UnloadRequest, header: Callable[[], bytes]) -> UnloadOutput:
    """Return the output of a request. header: returns what each file begins with.

    Nothing is opened or asked before the first message. Raise UsageError for an invalid file name pattern.
    """
    if request.file is None:
        return UnloadOutput(header)
    try:
        pieces = pieces_of(request.file)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if is_numbered(pieces):
        return _Files(session, request, header, pieces)
    return _File(session, request, header, fill_name(pieces, {}, time.localtime()))


def confirm_overwrite(session: Session, path: str) -> None:
    """Ask before a file is overwritten. Raise Declined, and without a terminal UsageError."""
    session.confirm(f"overwrite {path}", UsageError(f"{path} exists", "--force replaces it"))


class UnloadOutput:
    """Output to standard output; base class of the others."""

    def __init__(self, header: Callable[[], bytes], path: str = "standard output") -> None:
        self._header = header
        self._path = path
        self._waiting: list[bytes] = []
        self._length = 0
        self._is_begun = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError):
            error.filename = error.filename or self._path
        self._close()

    def message(self, pieces: Iterator[bytes], number: int) -> None:
        """Write a message. number: of the message."""
        if not self._is_begun:
            self._begin(number)
            self._is_begun = True
            self._gather(self._header())
        for piece in pieces:
            self._gather(piece)

    def _gather(self, piece: bytes) -> None:
        self._waiting.append(piece)
        self._length += len(piece)
        if self._length >= _BUFFER:
            self._flush()

    def _flush(self) -> None:
        whole = b"".join(self._waiting)
        self._waiting, self._length = [], 0
        if whole:
            self._write(whole)

    def keep(self) -> None:
        self._flush()

    def settle(self) -> None:
        """Accept what was written so far: ``take_back`` no longer removes it."""

    def take_back(self) -> None:
        """Undo what was written since the last ``settle``, as far as possible."""
        self._waiting, self._length = [], 0

    def _begin(self, number: int) -> None:
        """Open the output."""

    def _write(self, whole: bytes) -> None:
        """Write to standard output: exact, but with control characters made visible on a terminal."""
        if sys.stdout.isatty():
            whole = visible(whole.decode("utf-8", "backslashreplace"), keep="\n").encode("utf-8")
        command_session.write_out(whole)

    def _close(self) -> None:
        """Close the output."""


class _File(UnloadOutput):
    """Output to one file, created with mode 0600."""

    def __init__(self, session: Session, request: UnloadRequest, header: Callable[[], bytes], path: str) -> None:
        super().__init__(header, path)
        self._session = session
        self._request = request
        self._handle = -1
        self._settled = 0

    def _begin(self, number: int) -> None:  # noqa: ARG002 - one file for all
        self._open(self._path)

    def _open(self, path: str) -> None:
        append = self._request.append
        if not append and not self._request.force and _has_content(path):
            confirm_overwrite(self._session, path)
        flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC)
        self._handle = os.open(path, flags, 0o600)
        self._settled = os.fstat(self._handle).st_size
        if self._request.move:
            flush_path(os.path.dirname(path) or ".")  # the name of a new file

    def _write(self, whole: bytes) -> None:
        write_all(self._handle, whole)

    def keep(self) -> None:
        super().keep()
        if self._handle >= 0 and stat.S_ISREG(os.fstat(self._handle).st_mode):
            os.fsync(self._handle)

    def settle(self) -> None:
        if self._handle >= 0:
            self._settled = os.fstat(self._handle).st_size

    def take_back(self) -> None:
        super().take_back()
        if self._handle >= 0 and stat.S_ISREG(os.fstat(self._handle).st_mode):
            os.ftruncate(self._handle, self._settled)

    def _close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


class _Files(_File):
    """Output of each message to its own file."""

    def __init__(
        self, session: Session, request: UnloadRequest, header: Callable[[], bytes], pieces: list[tuple[str, str]]
    ) -> None:
        super().__init__(session, request, header, "")
        self._pieces = pieces
        self._number = 0
        self._new: list[str] = []

    def message(self, pieces: Iterator[bytes], number: int) -> None:
        self._number += 1
        numbers = {"index": number, "written": number, "file": self._number}
        self._path = fill_name(self._pieces, numbers, time.localtime())
        self._open(self._path)
        self._new.append(self._path)
        self._gather(self._header())
        for piece in pieces:
            self._gather(piece)
        if self._request.move:
            super().keep()
        else:
            self._flush()
        self._close()

    def keep(self) -> None:
        """Each file of a move is on disk when it is closed."""

    def settle(self) -> None:
        self._new = []

    def take_back(self) -> None:
        self._close()
        for path in self._new:
            os.unlink(path)
        self._new = []


def _has_content(path: str) -> bool:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > 0
