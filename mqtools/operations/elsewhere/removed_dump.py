"""Dump of messages that are about to be removed elsewhere: a message is on disk here before its removal there."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from typing import Self

from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError, UsageError
from mqtools.formats.envelope.envelope import from_envelope, to_envelope
from mqtools.formats.files import flush_path, write_all
from mqtools.formats.jsontext import dumps
from mqtools.message import Message
from mqtools.rules.message_digest import message_digest


class RemovedDump:
    """An open dump in JSON lines, which ``mqx load`` reads; new messages are appended.

    One process at a time has it open for writing; others wait. digests: of the messages in it.
    """

    def __init__(self, path: str, *, only_looks: bool = False) -> None:
        """path: not a link.  only_looks: nothing is made or written.

        Raises OSError, and UsageError for a file that is not such a dump.
        """
        self.path = path
        self.only_looks = only_looks
        self.digests: set[bytes] = set()
        flags = os.O_RDONLY if only_looks else os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            self._file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            if not only_looks:
                raise
            self._file = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            return
        try:
            self._begin()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def _begin(self) -> None:
        """Read the file; to write, cut off a line that was not written to its end. Raises OSError, UsageError."""
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise UsageError(f"{self.path} is not a file")
        if self.only_looks:
            self._read()
            return
        fcntl.flock(self._file, fcntl.LOCK_EX)  # until it is closed: the line of another would be cut off
        os.ftruncate(self._file, self._read())
        flush_path(os.path.dirname(os.path.abspath(self.path)))

    def _read(self) -> int:
        """Read the digests of the messages; return where the last line ends that was written to its end."""
        end = 0
        with open(os.dup(self._file), "rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                try:
                    self.digests.add(message_digest(from_envelope(json.loads(line))))
                except (ValueError, RecursionError, MQError):
                    raise UsageError(f"{self.path} is not a dump of removed messages") from None
                end += len(line)
        return end

    def add(self, message: Message, q_mgr_name: str, q_name: str) -> None:
        """Write a message and flush it, unless it is there. Raises OSError."""
        digest = message_digest(message)
        if digest in self.digests:
            return
        line = dumps(to_envelope(message, qmgr=q_mgr_name, queue=q_name, state=UNLOCKED))
        try:
            write_all(self._file, line.encode("utf-8") + b"\n")
            os.fsync(self._file)
        except OSError as error:
            error.filename = self.path
            raise
        self.digests.add(digest)
