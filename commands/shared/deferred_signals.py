"""Deferral of signals between a commit and its count, so that the final balance of a command is correct."""

from __future__ import annotations

import signal
from types import TracebackType
from typing import Self

from mqtools.mqi.interface import QueueManagerConnection

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class DeferredSignals:
    """Context manager that defers signals from the begin of a commit to the end of the block.

    Before, signals arrive at once, so that a long transaction can be interrupted and backed out. Deferred by handlers
    and not by a mask, because the signal may be delivered to a thread that draws progress.
    """

    def __init__(self, connection: QueueManagerConnection) -> None:
        self._connection = connection
        self._before: dict[int, signal._HANDLER] = {}
        self._came: list[int] = []

    def __enter__(self) -> Self:
        file = self._connection.file
        if file is None:
            self.hold()  # the commit of a queue manager elsewhere has no hook
        else:
            file.set_commit_hook(self.hold)
        return self

    def hold(self) -> None:
        for number in _SIGNALS:
            if number not in self._before:
                self._before[number] = signal.signal(number, self._note)

    def _note(self, number: int, _: object) -> None:
        self._came.append(number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._connection.file is not None:
            self._connection.file.set_commit_hook(None)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for number in self._came:
            signal.raise_signal(number)
