"""A load onto a queue that is done once: its identity, lock, staged files and quarantine."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.errors import MQError

#: Prefix of staging folders, and the maximum age of one in seconds (two days); an older one belongs to a killed job.
_STAGING, _LONG_AGO_S = "load-", 172_800

#: The id of a job that was given none.
_UNNAMED = re.compile(rb"mqx-write-[0-9a-f]{32}")

#: Characters of a job id in the name of a file; in UTF-8 they fit into it.
_LONGEST_NAME = 50


def new_id() -> str:
    """Return the id of a job that was given none."""
    return f"mqx-write-{os.urandom(16).hex()}"


def is_unnamed(job_id: bytes) -> bool:
    """Return whether an id, which is the global transaction id too, is of a job that was given none."""
    return _UNNAMED.fullmatch(job_id) is not None


@dataclass(slots=True, frozen=True)
class LoadJob:
    """One load. path: of the queue manager.  quarantine: folder for rows that cannot be messages, empty to refuse them.

    run: name of the file in it that the rows, which are events, are added to (``damage.Quarantine``); empty for a file
    of this job alone.
    """

    path: str
    queue: str
    job_id: str
    quarantine: str
    run: str = ""

    @property
    def staging(self) -> str:
        """Return the folder of its staged files: the same for the same job."""
        return os.path.join(f"{self.path}-run", f"{_STAGING}{self._digest[:32]}")

    @property
    def quarantine_file(self) -> str:
        """Return the file for its rows that cannot be messages: of this job alone."""
        name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in self.job_id[:_LONGEST_NAME])
        if name != self.job_id:
            name = f"{name}-{self._digest[:16]}"
        return os.path.join(self.quarantine, f"{name}.jsonl")

    @property
    def is_unnamed(self) -> bool:
        """Return whether the job id is of one run: nobody repeats the job."""
        return is_unnamed(self.job_id.encode("utf-8", "surrogatepass"))

    @property
    def gtrid(self) -> bytes:
        """Return the global transaction id of its pieces: of an unnamed job its id."""
        return self.job_id.encode() if self.is_unnamed else self._digest[:32].encode()

    @property
    def _digest(self) -> str:
        return sha256(self.job_id.encode("utf-8", "surrogatepass")).hexdigest()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the job in the block. Raises MQError: MQRC_OBJECT_IN_USE if another process runs it."""
        os.makedirs(self.staging, mode=0o700, exist_ok=True)
        held = os.open(self.staging, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise MQError(f"job {self.job_id} is running in another process", MQRC_OBJECT_IN_USE) from error
            yield
            with suppress(OSError):
                os.rmdir(self.staging)
        finally:
            os.close(held)

    def delete_staged(self) -> None:
        """Delete its staged files, and what killed jobs staged long ago."""
        shutil.rmtree(self.staging, ignore_errors=True)
        with suppress(OSError):
            for entry in os.scandir(os.path.dirname(self.staging)):
                if entry.name.startswith(_STAGING) and time.time() - entry.stat().st_mtime > _LONG_AGO_S:
                    shutil.rmtree(entry.path, ignore_errors=True)
