"""Implementation of ``mqx load``: read, check, put in units, report progress."""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.constants.names import name_or_number
from mqtools.errors import MQError
from mqtools.formats.mistakes import ReadMessage
from mqtools.formats.phrases import counted
from mqtools.formats.units import put_at_ms
from mqtools.headers.chain import without_envelope
from mqtools.message import Message
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations.load import check_message, check_target, load_messages

from ..shared import command_session
from ..shared.command_session import NOTHING_THERE, PARTLY, USAGE, WARNING, Session, Terminated
from ..shared.counts import print_totals
from ..shared.deferred_signals import DeferredSignals
from ..shared.pace import Pacer
from ..shared.progress import ProgressBar
from ..shared.read_only import connect_to_change
from .input import BATCH, InputFiles, LoadRequest, open_source, show_findings

#: Messages and bytes of data in one transaction. A unit of more messages is a unit of work over several; one of
#: more bytes ends before it is full.
_MOST_IN_TRANSACTION = 1000
_MOST_BYTES = 16_000_000
#: A file is checked before anything is put. Its messages are kept up to so many bytes, with the overhead of each; a
#: longer file is read once more.
_MOST_KEPT, _BESIDE_DATA = 64_000_000, 1_000
#: Mistakes that end the check of a pipe.
_MOST_MISTAKES = 100


def load(session: Session, request: LoadRequest) -> int:
    """Load messages; return 3 when there are none, 2 when the input has mistakes and nothing is loaded."""
    with _connect(session, request) as connection:
        return _LoadRun(session, request, connection).run()


def _connect(session: Session, request: LoadRequest) -> QueueManagerConnection:
    session.refuse_elsewhere({"dry_run": request.dry_run}, "dry_run")
    return connect_to_change(session, dry_run=True) if request.dry_run else session.connect_anywhere(changes=True)


class _LoadRun:
    """Load of messages onto a queue. done: number of committed messages."""

    def __init__(self, session: Session, request: LoadRequest, connection: QueueManagerConnection) -> None:
        self.done = 0
        self._chunk = BATCH if request.batch is None else min(request.batch, _MOST_IN_TRANSACTION)
        self._is_long = request.batch is None or request.batch > _MOST_IN_TRANSACTION
        # A rehearsal has nothing to undo, and need not keep it all in memory.
        self._is_unit_of_work = self._is_long and not request.dry_run
        self._uncommitted = 0
        self._total: int | None = None
        self._last = ""
        self._warnings: dict[int, int] = {}
        self._kept: list[ReadMessage] | None = None
        self._session = session
        self._request = request
        self._connection = connection
        self._name, _, self._q_mgr_name = request.queue.partition("@")
        self._pacer = Pacer(None if request.dry_run else request.pace)

    def run(self) -> int:
        """Load all selected messages; return the exit status."""
        check_target(self._connection, self._name, self._q_mgr_name)  # before any input is read
        with open_source(self._session, self._request, self._connection.ccsid) as source:
            if source.can_be_read_again and not self._is_sound(source):
                return self._print_mistakes(source)
            number = "messages" if self._total is None else counted(self._total)
            self._session.confirm_elsewhere(f"load {number} on {self._request.queue}")
            try:
                with ProgressBar(self._session, "loading", self._total) as bar:
                    self._put_all(source, bar)
            except MQError as error:
                status = self._report_failure(error)
                self._connection.backout()
                return status
            except (KeyboardInterrupt, Terminated):
                if self.done:
                    self._session.note(self._so_far())
                raise
            if source.has_mistakes:
                self._connection.backout()  # a part of a long unit is put
                return self._print_mistakes(source)
            return self._finished(source)

    def _is_sound(self, source: InputFiles) -> bool:
        """Check the whole input for mistakes, those of descriptors included; keep its messages unless it is long."""
        kept: list[ReadMessage] = []
        length = number = 0
        for read in self._messages(source):
            self._check(source, read)
            number += 1
            length += len(read.message.data) + _BESIDE_DATA
            if length <= _MOST_KEPT:
                kept.append(read)
            elif kept:
                kept.clear()
        self._total = number or None
        self._kept = kept if source.is_one_file and len(kept) == number else None
        return not source.has_mistakes

    def _messages(self, source: InputFiles) -> Iterator[ReadMessage]:
        """Yield the selected messages in the form to be put."""
        for read in source.messages():
            if self._request.strip_headers:
                md, data = without_envelope(read.message.md, read.message.data)
                read.message = Message(data, md, read.message.properties, read.message.deliver_at)
            yield read

    def _check(self, source: InputFiles, read: ReadMessage) -> None:
        """Count a warning; a message that no queue would accept is a mistake of the input."""
        try:
            warning = check_message(read.message)
        except MQError as error:
            source.mistake(read.first_line, str(error))
            return
        if warning:
            self._warnings[warning] = self._warnings.get(warning, 0) + 1

    def _put_all(self, source: InputFiles, bar: ProgressBar) -> None:
        """Put the messages in units, up to the first mistake. Raise MQError; the current unit is backed out then."""
        chunk: list[ReadMessage] = []
        length = 0
        is_pipe = not source.can_be_read_again
        for read in self._messages(source) if self._kept is None else self._kept:
            if is_pipe:
                self._check(source, read)
            if self._kept is None and source.has_mistakes:
                if len(source.mistakes()) >= _MOST_MISTAKES:
                    break
                continue
            chunk.append(read)
            bar.advance()
            length += len(read.message.data)
            if len(chunk) == self._most_together() or length >= _MOST_BYTES:
                self._put(source, chunk)
                chunk, length = [], 0
        if not source.has_mistakes:
            self._put(source, chunk)
            self._commit()

    def _most_together(self) -> int:
        """Return how many messages are put in one transaction: no more than the unit has left."""
        batch = self._request.batch
        return self._chunk if batch is None else min(self._chunk, batch - self._uncommitted)

    def _put(self, source: InputFiles, chunk: list[ReadMessage]) -> None:
        """Put messages in one transaction: a unit, or a part of a long one, which is committed when it is complete."""
        if not chunk:
            return
        if not self._uncommitted:
            md = chunk[0].message.md
            self._pacer.wait(put_at_ms(md.put_date, md.put_time))
        with DeferredSignals(self._connection):
            at, error = self._load(chunk)
            if error is not None:
                error.text = f"{source.where(chunk[at].first_line)}: {error.text}"
                raise error
            self._uncommitted += len(chunk)
            self._last = source.where(chunk[-1].last_line)
            if not self._is_long:
                self._count()
        if self._uncommitted == self._request.batch:
            self._commit()

    def _load(self, chunk: list[ReadMessage]) -> tuple[int, MQError | None]:
        found = [read.message for read in chunk]
        return load_messages(
            self._connection,
            self._name,
            found,
            q_mgr_name=self._q_mgr_name,
            is_checked=True,
            in_unit_of_work=self._is_unit_of_work,
            context=self._request.context,
        )

    def _commit(self) -> None:
        with DeferredSignals(self._connection):
            if self._is_unit_of_work:
                self._connection.commit()
            self._count()

    def _count(self) -> None:
        self.done += self._uncommitted
        self._uncommitted = 0

    def _print_mistakes(self, source: InputFiles) -> int:
        show_findings(self._session, source.mistakes(), source.warnings())
        if self._session.output is None:
            command_session.print_error_line(
                counted(len(source.mistakes()), "mistake") + ("" if self.done else "; nothing was loaded")
            )
        if not self.done:
            return USAGE
        self._session.note(self._so_far())
        return PARTLY

    def _report_failure(self, error: MQError) -> int:
        self._session.report_error(error, self._so_far())
        return PARTLY if self.done else command_session.status_of(error)

    def _so_far(self) -> str:
        if not self.done:
            return f"nothing {'would be' if self._request.dry_run else 'was'} loaded"
        would_be = "would be " if self._request.dry_run else ""
        return f"{would_be}loaded so far: {counted(self.done)}, up to {self._last}"

    def _finished(self, source: InputFiles) -> int:
        show_findings(self._session, [], [] if self._session.quiet else source.warnings())
        if source.further_warnings:
            self._session.note(counted(source.further_warnings, "more warning"))
        verb = "would load" if self._request.dry_run else "loaded"
        key = "would_load" if self._request.dry_run else "loaded"
        print_totals(
            self._session, f"{verb} {counted(self.done)} on {self._request.queue}", self.done, {key: self.done}
        )
        for reason, number in self._warnings.items():
            self._session.note(f"{counted(number)} with a warning: {name_or_number('MQRC', reason)} {reason}")
        if not self.done:
            return NOTHING_THERE
        return WARNING if self._warnings else 0
