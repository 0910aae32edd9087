"""The thread that reads: questions go in, answers come out, and a word when the file has changed.

It has a connection of its own that can only read. SQLite's own counter of changes is looked at a few times a second:
it tells of what goes as well as of what comes, costs no query, and writes nothing, which a bell would.
"""

from __future__ import annotations

from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING

from mqtools.errors import MQError
from mqtools.store.database import open_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event
    from typing import Any, TypeAlias

    from mqtools.store.database import Database
    from mqtools.tui.file_identity import FileIdentity

    #: Runs in the thread, with its connection.
    Question: TypeAlias = Callable[[Database], Any]
    #: Takes what a question gave, or the error that it met, on the side that asked.
    Answer: TypeAlias = Callable[[Any], None]
    #: Hands a call over to the side that asks.
    Deliver: TypeAlias = Callable[[Callable[[], None]], None]

#: Seconds between two looks at the counter, and after which something may have changed by the clock alone.
_LOOK_S = 0.1
_TICK_S = 2.0
#: Seconds between two words on how far long reading has come.
_PROGRESS_S = 0.1


class Reader:
    """Answers questions about the file, one after the other.

    deliver: hands a call to the thread that asks.  changed: called there when something may have changed.
    file: compared at each look.
    """

    def __init__(self, path: str, deliver: Deliver, changed: Callable[[], None], file: FileIdentity) -> None:
        self._path = path
        self._file = file
        self._deliver = deliver
        self._changed = changed
        self._questions: SimpleQueue[tuple[Question, Answer] | None] = SimpleQueue()
        self._thread = Thread(target=lambda: guarded(self._run, deliver), name="mqx-reader", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def ask(self, question: Question, answer: Answer) -> None:
        """Have a question answered. answer: takes its value, or the MQError that it raised."""
        self._questions.put((question, answer))

    def stop(self) -> None:
        """Answer no more."""
        self._questions.put(None)
        self._thread.join(2)

    def _run(self) -> None:
        db = open_database(self._path, read_only=True)
        try:
            watch = _Watch(db, self._file)
            while True:
                try:
                    asked = self._questions.get(timeout=_LOOK_S)
                except Empty:
                    asked = ()  # type: ignore[assignment]
                if asked is None:
                    return
                if asked:
                    self._answer(db, *asked)
                if watch.has_something():
                    self._deliver(self._changed)
        finally:
            db.close()

    def _answer(self, db: Database, question: Question, answer: Answer) -> None:
        value = answered(lambda: question(db))
        self._deliver(lambda: answer(value))


def answered(question: Callable[[], Any]) -> Any:
    """Give what a question gives, or the error that it raises."""
    try:
        return question()
    except (MQError, OSError, ValueError) as error:
        return error


def guarded(run: Callable[[], None], deliver: Deliver) -> None:
    """Run what a thread is for; an error that nobody expects ends the application as if it had met it itself."""

    def hand_over(error: Exception) -> None:
        raise error

    try:
        run()
    except Exception as error:
        deliver(partial(hand_over, error))


def read_apart(
    path: str,
    work: Callable[[Database], Iterator[Any]],
    deliver: Deliver,
    *,
    progress: Answer,
    answer: Answer,
    cancelled: Event,
    check: Callable[[], None] | None = None,
) -> None:
    """Do long reading in a thread and with a connection of its own, so that the reader stays free.

    work: gives something after each piece.  progress: takes it, now and then.  answer: takes the last, or the error.
    check: raises MQError if the path leads to another file by now.
    """

    def pieces() -> Any:
        if check is not None:
            check()
        db = open_database(path, read_only=True)
        last, told_at = None, 0.0
        try:
            for last in work(db):
                if cancelled.is_set():
                    break
                if monotonic() - told_at >= _PROGRESS_S:
                    told_at = monotonic()
                    deliver(partial(progress, last))
        finally:
            db.close()
        return last

    def run() -> None:
        value = answered(pieces)
        deliver(lambda: answer(value))

    Thread(target=lambda: guarded(run, deliver), name="mqx-apart", daemon=True).start()


class _Watch:
    """Tells, at most every so often, whether something may have changed since it was asked last."""

    def __init__(self, db: Database, file: FileIdentity) -> None:
        self._db = db
        self._file = file
        self._version = self._now()
        self._told_at = monotonic()

    def has_something(self) -> bool:
        now = monotonic()
        if now - self._told_at < _LOOK_S:
            return False
        version = self._now()
        if version == self._version and now - self._told_at < _TICK_S:
            return False
        self._version, self._told_at = version, now
        return True

    def _now(self) -> tuple[Any, bool]:
        return answered(self._db.version), self._file.is_current()
