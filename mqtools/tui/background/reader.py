"""Reader thread: runs queries on a read-only connection, and reports when the file has changed.

SQLite's change counter is polled a few times a second: it counts removals as well as arrivals, costs no query, and
writes nothing, which a registered waiter would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from queue import Empty, Queue
from threading import Event, Thread
from time import monotonic
from typing import Any, Protocol, TypeAlias

from mqtools.errors import MQError, UsageError
from mqtools.operations.views.message_view import Database, open_database
from mqtools.tui.background.file_identity import FileIdentity

#: Runs in the thread, with its connection.
Question: TypeAlias = Callable[[Database], Any]
#: Takes the result of a query, or its error, in the thread that asked.
Answer: TypeAlias = Callable[[Any], None]
#: Runs a call in the thread that asked.
Deliver: TypeAlias = Callable[[Callable[[], None]], None]


#: Interval of the checks of the counter, and of the checks for changes by the clock alone (seconds).
_LOOK_S = 0.1
_TICK_S = 2.0
#: Interval of the progress of long reading (seconds).
_PROGRESS_S = 0.1


class SomeReader(Protocol):
    """Runs queries in its own thread: on the file, or on a queue as it was."""

    @property
    def deliver(self) -> Deliver: ...

    def ask(self, question: Question, answer: Answer) -> None:
        """Run a query. answer: takes its result, or the error that it raised."""

    def open_file(self) -> Database:
        """Open what is read once more, for a long read. Raises MQError."""


class Reader:
    """Runs queries on the file, one after the other.

    deliver: runs a call in the thread that asks.  changed: called there when the file may have changed.
    file: compared at each check.
    """

    def __init__(self, path: str, deliver: Deliver, changed: Callable[[], None], file: FileIdentity) -> None:
        self._path = path
        self._file = file
        self.deliver = deliver
        self._changed = changed
        # Not SimpleQueue: its timed get waits without end once the process was stopped for longer than the timeout.
        self._questions: Queue[tuple[Question, Answer] | None] = Queue()
        self._thread = Thread(target=lambda: run_guarded(self._run, deliver), name="mqx-reader", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def ask(self, question: Question, answer: Answer) -> None:
        """Run a query. answer: takes its result, or the error that it raised."""
        self._questions.put((question, answer))

    def open_file(self) -> Database:
        """Open the file once more, for a long read. Raises MQError, also when the path leads to another file."""
        self._file.check()
        return open_database(self._path, read_only=True)

    def stop(self) -> None:
        self._questions.put(None)
        self._thread.join(2)

    def _run(self) -> None:
        db = open_database(self._path, read_only=True)
        try:
            seen, reported_at = self._state(db), monotonic()
            while True:
                try:
                    asked = self._questions.get(timeout=_LOOK_S)
                except Empty:
                    pass
                else:
                    if asked is None:
                        return
                    question, answer = asked
                    self.deliver(partial(answer, value_or_error(partial(question, db))))
                elapsed_s = monotonic() - reported_at
                if elapsed_s >= _LOOK_S and ((now := self._state(db)) != seen or elapsed_s >= _TICK_S):
                    seen, reported_at = now, monotonic()
                    self.deliver(self._changed)
        finally:
            db.close()

    def _state(self, db: Database) -> tuple[Any, bool]:
        """Return what changes with the file: SQLite's counter, and whether the path still leads to it."""
        return value_or_error(db.version), self._file.is_current()


def value_or_error(question: Callable[[], Any]) -> Any:
    """Return the result of a call, or the error that it raises, with its hint."""
    try:
        return question()
    except OSError as error:
        return OSError(f"{error.filename}: {error.strerror}") if error.filename else error
    except MQError as error:
        error.find_hint()  # in the thread that may close the file that it looks into
        return error
    except (UsageError, ValueError) as error:
        return error


def run_guarded(run: Callable[[], None], deliver: Deliver) -> None:
    """Run the body of a thread; raise an unexpected error in the application, which ends with it."""

    def reraise(error: Exception) -> None:
        raise error

    try:
        run()
    except Exception as error:
        deliver(partial(reraise, error))


def read_repeatedly(values: Callable[[Event], Iterator[Any]], deliver: Deliver, answer: Answer, stopped: Event) -> None:
    """Read in a new thread until it is stopped; then nothing is answered any longer.

    values: yields what is read, each time that it has changed.  answer: takes that.
    """

    def take(value: Any) -> None:
        if not stopped.is_set():
            answer(value)

    def run() -> None:
        for value in values(stopped):
            deliver(partial(take, value))

    Thread(target=lambda: run_guarded(run, deliver), name="mqx-repeated", daemon=True).start()


def read_in_thread(
    reader: SomeReader,
    work: Callable[[Database], Iterator[Any]],
    *,
    progress: Answer,
    answer: Answer,
    cancelled: Event,
) -> None:
    """Run a long read in a new thread with its own connection, so that the reader stays free.

    reader: of what is read.  work: yields after each step.  progress: takes that, from time to time.
    answer: takes the last, or the error.
    """

    def read() -> Any:
        db = reader.open_file()
        last, reported_at = None, 0.0
        try:
            for last in work(db):
                if cancelled.is_set():
                    break
                if monotonic() - reported_at >= _PROGRESS_S:
                    reported_at = monotonic()
                    reader.deliver(partial(progress, last))
        finally:
            db.close()
        return last

    def run() -> None:
        value = value_or_error(read)
        reader.deliver(lambda: answer(value))

    Thread(target=lambda: run_guarded(run, reader.deliver), name="mqx-read", daemon=True).start()
