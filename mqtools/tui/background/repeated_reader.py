"""Thread that reads again and again, each time that something has changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event, Thread

from mqtools.tui.background.reader import Answer, Deliver, run_guarded


@dataclass(slots=True, eq=False)
class RepeatedReader:
    """Reads in its own thread until it is stopped. answer: takes what is read, each time that it has changed."""

    deliver: Deliver
    answer: Answer
    _stopped: Event = field(default_factory=Event, init=False)

    def start(self) -> None:
        Thread(target=lambda: run_guarded(self._run, self.deliver), name="mqx-repeated", daemon=True).start()

    def stop(self) -> None:
        """End the thread; nothing is answered any longer."""
        self._stopped.set()

    def _run(self) -> None:
        for value in self._values():
            self.deliver(lambda value=value: None if self._stopped.is_set() else self.answer(value))  # type: ignore[misc]

    def _values(self) -> Iterator[object]:
        """Yield what is read, or the error."""
        yield from ()
