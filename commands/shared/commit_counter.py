"""What is committed is counted: a signal between the two waits, so that the last words of a command are true."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from mqtools.mqi.connection import Connection

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Settling:
    """A block in which signals wait from the moment that something is about to be committed; they come at its end.

    Until then they come at once, so that a long transaction can be interrupted: it is undone. Held in Python, not
    by a mask, because the signal may reach a thread that draws.
    """

    def __init__(self, connection: Connection) -> None:
        self._db = connection.db
        self._before: dict[int, signal._HANDLER] = {}
        self._came: list[int] = []

    def __enter__(self) -> Self:
        self._db.before_commit = self.hold
        return self

    def hold(self) -> None:
        """Let signals wait from now on."""
        for number in _SIGNALS:
            if number not in self._before:
                self._before[number] = signal.signal(number, self._note)

    def _note(self, number: int, _: object) -> None:
        self._came.append(number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._db.before_commit = None
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for number in self._came:
            signal.raise_signal(number)
