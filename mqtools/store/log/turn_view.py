"""The write turn as a reader sees it: whether somebody keeps it between calls, and how to have it given back."""

from __future__ import annotations

import os
import time

from mqtools.store import fork
from mqtools.store.log import turn_record

#: Seconds for which a reader waits: a process that was stopped meanwhile does not keep others from what is committed.
_PATIENCE_S = 0.25
_STEP_S = 0.0002


class TurnView:
    """The file of the turn of a run folder, opened when it is first there."""

    __slots__ = ("_descriptor", "_folder")

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._descriptor: int | None = None

    def ask_back(self) -> None:
        """Ask for the turn if it is kept between calls, and wait until it was given back or its process has died."""
        if self._descriptor is None:
            self._descriptor = _open(self._folder)
            if self._descriptor is None:
                return
        if turn_record.kept_number(self._descriptor) is None:
            return
        number = turn_record.ask(self._descriptor, self._folder)
        deadline = time.monotonic() + _PATIENCE_S
        while number is not None and turn_record.kept_number(self._descriptor) == number:
            if time.monotonic() > deadline or not turn_record.is_locked(self._descriptor):
                return
            time.sleep(_STEP_S)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            fork.close(self._descriptor)
            self._descriptor = None


def _open(folder: str) -> int | None:
    for way in (os.O_RDWR, os.O_RDONLY):
        try:
            descriptor = os.open(f"{folder}/writer", way | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError:
            continue
        fork.keep_from_children(descriptor)
        return descriptor
    return None
