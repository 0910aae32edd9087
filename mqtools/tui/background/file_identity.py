"""Identity of the queue manager file: detects that the file was deleted or replaced while it is open."""

from __future__ import annotations

import os

from mqtools.configuration.locate import file_key
from mqtools.constants.reasons import MQRC_Q_MGR_NOT_AVAILABLE
from mqtools.errors import MQError


class FileIdentity:
    """Device and inode of a file when it was opened. An open file that was deleted accepts writes and loses them."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._opened = file_key(path)

    def is_current(self) -> bool:
        """Return whether the path still leads to the file that was opened."""
        return self._opened is not None and file_key(self.path) == self._opened

    def check(self) -> None:
        """Raise MQError (MQRC_Q_MGR_NOT_AVAILABLE) if the path leads to no file or to another one."""
        if not self.is_current():
            raise MQError(f"{self.path} {self.problem()}", MQRC_Q_MGR_NOT_AVAILABLE, hint="quit, then open it again")

    def problem(self) -> str:
        """Return in words what happened to the file."""
        return "was replaced by another file" if os.path.lexists(self.path) else "was moved or deleted"
