"""Reader of a queue as it was at an instant: a view of the past, made and asked in its own thread.

Making the view of a deep queue takes up to a second; a reader that is stopped meanwhile ends at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from queue import SimpleQueue
from threading import Event, Lock, Thread

from mqtools.operations.journal.past import Past as PastDatabase
from mqtools.operations.journal.past import PastUnavailable, open_database_as_it_was
from mqtools.operations.views.message_view import Database, find_on_queue
from mqtools.operations.views.queue_pages import QueuePages
from mqtools.tui.background.reader import Answer, Deliver, Question, run_guarded, value_or_error


@dataclass(eq=False)
class PastReader:
    """Runs queries on a queue as it was.

    q_name: of the local queue.  at: the instant, milliseconds since 1970.  check: raises MQError if the path now leads
    to another file.  msg_id: of a message to go to, None for none.  ready: takes the pages of the queue, and the order
    key of that message or None.  failed: takes the error, and the earliest instant that
    can be listed, or None.
    """

    path: str
    q_name: str
    at: int
    deliver: Deliver
    check: Callable[[], None]
    _: KW_ONLY
    msg_id: bytes | None = None
    ready: Callable[[PastReader, QueuePages, int | None], None]
    failed: Callable[[Exception, str | None], None]

    def __post_init__(self) -> None:
        self._questions: SimpleQueue[tuple[Question, Answer] | None] = SimpleQueue()
        self._stopped = Event()
        self._lock = Lock()  # the database is interrupted by one thread, and closed by the other
        self._db: PastDatabase | None = None

    def start(self) -> None:
        Thread(target=lambda: run_guarded(self._run, self.deliver), name="mqx-past", daemon=True).start()

    def ask(self, question: Question, answer: Answer) -> None:
        """Run a query. answer: takes its result, or the error that it raised."""
        self._questions.put((question, answer))

    def open_file(self) -> Database:
        """Open the queue as it was once more, for a long read. Raises MQError, ValueError: no longer kept."""
        self.check()
        try:
            return open_database_as_it_was(self.path, self.q_name, self.at)
        except PastUnavailable as error:
            raise ValueError(str(error)) from error

    def stop(self) -> None:
        """End the thread, and what it does; nothing is answered any longer."""
        self._stopped.set()
        self._questions.put(None)
        with self._lock:
            if self._db is not None:
                self._db.interrupt()

    def _run(self) -> None:
        try:
            db = value_or_error(self._open)
            if isinstance(db, Exception):
                self._tell(partial(self.failed, db, getattr(db, "earliest", None)))
                return
            while not self._stopped.is_set() and (asked := self._questions.get()) is not None:
                question, answer = asked
                self._tell(partial(answer, value_or_error(partial(question, db))))
        finally:
            with self._lock:
                opened, self._db = self._db, None
            if opened is not None:
                opened.close()

    def _open(self) -> Database:
        self.check()
        db = open_database_as_it_was(self.path, self.q_name, self.at, self._keep)
        pages = QueuePages(db, self.q_name)
        stored = None if self.msg_id is None else find_on_queue(db, self.q_name, self.msg_id)
        self._tell(partial(self.ready, self, pages, None if stored is None else stored.order_key))
        return db

    def _keep(self, db: PastDatabase) -> None:
        """Keep the database, so that it can be interrupted. Raise MQError when this reader has been stopped already."""
        with self._lock:
            self._db = db
        if self._stopped.is_set():
            db.interrupt()

    def _tell(self, call: Callable[[], None]) -> None:
        """Run a call in the thread that draws, unless this reader has been stopped by then."""
        self.deliver(lambda: None if self._stopped.is_set() else call())
