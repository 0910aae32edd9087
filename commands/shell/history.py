"""History of the lines typed in ``mqx shell``: a text file of one line each, readable by the user only."""

from __future__ import annotations

import os

from mqtools.configuration.paths import state_path

#: Lines that the file keeps.
_MAX_LINES = 1000


class History:
    """Lines typed before, oldest first. Without a place for the file they are not kept.

    Each line is appended to the file when it is typed. So two shells at once keep both histories, and a terminal that
    is closed loses nothing.
    """

    def __init__(self) -> None:
        self._path = state_path("shell-history")
        self.lines = self._read()
        if len(self.lines) > _MAX_LINES:
            del self.lines[:-_MAX_LINES]
            self._write(self.lines, os.O_TRUNC)

    def append(self, line: str) -> bool:
        """Append a line; return False for an empty one and a repeated one, which are not kept."""
        is_new = bool(line.strip()) and self.lines[-1:] != [line]
        if is_new:
            self.lines.append(line)
            self._write([line], os.O_APPEND)
        return is_new

    def _read(self) -> list[str]:
        try:
            with open(self._path, encoding="utf-8", errors="surrogateescape") as file:
                return file.read().split("\n")[:-1]
        except OSError:
            return []

    def _write(self, lines: list[str], mode: int) -> None:
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | mode, 0o600)
            with open(descriptor, "wb") as file:
                file.write(data)
        except OSError:
            return
