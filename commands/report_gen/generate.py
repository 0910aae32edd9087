"""Implementation of ``mqx report-gen``: find originals, generate messages, keep the balance."""

from __future__ import annotations

import sys
from dataclasses import KW_ONLY, dataclass, field

from mqtools.constants.states import UNLOCKED
from mqtools.constants.structures import MQMI_NONE
from mqtools.errors import MQError
from mqtools.formats.delimiters import LONGEST_LINE, split_stream
from mqtools.formats.descriptor import enumeration_name
from mqtools.formats.envelope.envelope import to_envelope
from mqtools.formats.message_input import read_messages
from mqtools.formats.mistakes import Findings, Mistake, Place
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.operations.key_snapshot import locked_keys, select_keys
from mqtools.operations.reports.generation import (
    DerivedMessage,
    Order,
    ReportOutcome,
    check_order,
    generate_from_messages,
    generate_from_queue,
)
from mqtools.operations.selection import Selection

from ..put.input import Pause
from ..shared import command_session
from ..shared.command_session import JSON, NOTHING_THERE, PARTLY, USAGE, WARNING, Session, Terminated
from ..shared.findings import print_findings_as_json
from ..shared.holder_hint import print_holder_hint
from ..shared.output_rows import print_rows
from ..shared.read_only import connect_to_change, fetch, source_of

#: Originals in one transaction.
_BATCH = 100


#: Columns of a row for one generated message; a dry run adds its contents.
_COLUMNS = ("original", "msg_id", "correl_id", "to", "to_q_mgr", "feedback", "msg_type")
_TRIAL_COLUMNS = (*_COLUMNS, "data_length", "asked")

#: Action to the word for what it makes, one and several.
_NOUNS = {"report": ("report", "reports"), "reply": ("reply", "replies"), "forward": ("message", "messages")}


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Request of ``mqx report-gen``. queue: - for stdin.  limit: number of originals, None for all."""

    queue: str
    order: Order
    _: KW_ONLY
    selection: Selection = field(default_factory=Selection)
    limit: int | None = None
    lock_id: bytes = b""
    consume: bool = False
    dry_run: bool = False


def generate(session: Session, request: ReportRequest) -> int:
    """Generate a message for each original; return 3 when there are none."""
    check_order(request.order)
    book = _Balance(session, request)
    connection = connect_to_change(session, dry_run=request.dry_run)
    try:
        try:
            if request.queue == "-":
                _of_stdin(connection, request, book)
            else:
                _of_queue(connection, request, book)
        except MQError as error:
            book.end_early(error)
        return book.close()
    except BrokenPipeError:
        raise
    except (OSError, KeyboardInterrupt, Terminated):
        if book.made:
            book.print_balance()
        raise


def _of_queue(connection: Connection, request: ReportRequest, book: _Balance) -> None:
    looking = source_of(connection)
    if request.lock_id:
        keys = locked_keys(looking, request.queue, request.lock_id, request.selection, limit=request.limit)
    else:
        keys = select_keys(looking, request.queue, request.selection, limit=request.limit)
    if not keys:
        print_holder_hint(looking, book.session, request.queue, request.selection)
    for start in range(0, len(keys), _BATCH):
        batch = keys[start : start + _BATCH]
        fetch(connection, batch)
        outcomes = generate_from_queue(
            connection, request.order, request.queue, batch, lock_id=request.lock_id, consume=request.consume
        )
        book.enter(outcomes)


def _of_stdin(connection: Connection, request: ReportRequest, book: _Balance) -> None:
    """Yield originals from stdin, JSON lines or formats of load; each is processed before a wait for more input."""
    waiting: list[Message] = []

    def flush() -> None:
        if waiting:
            book.enter(generate_from_messages(connection, request.order, waiting))
            waiting.clear()

    pause = Pause()
    pause.before_wait = flush
    lines = (line + b"\n" for line in split_stream(pause.read, b"\n", strip_cr=True, most=LONGEST_LINE))
    found = read_messages(lines, _StdinFindings(book), default="json", ccsid=connection.ccsid)
    for number, read in enumerate(found, 1):
        waiting.append(read.message)
        if len(waiting) >= _BATCH:
            flush()
        if number == request.limit:
            break
    flush()


class _StdinFindings(Findings):
    """Mistakes of stdin, reported as they are found; valid messages are processed."""

    def __init__(self, book: _Balance) -> None:
        super().__init__("<stdin>")
        self._book = book

    def mistake(self, place: Place, text: str, suggestion: str | None = None) -> None:
        self._book.mistake(Mistake(self.name, *place, text, suggestion))

    def warn(self, place: Place, text: str, suggestion: str | None = None) -> None:
        """Report a message that was read, but perhaps not as intended."""
        doubt = Mistake(self.name, *place, text, suggestion)
        self._book.session.note(f"{doubt.place}: warning: {doubt.message}")


class _Balance:
    """Balance so far: rows on stdout, failures on stderr, totals at the end."""

    def __init__(self, session: Session, request: ReportRequest) -> None:
        self.session = session
        self._request = request
        self._output = ""
        if request.dry_run or session.output is not None:
            self._output = session.list_output
        self._rows: list[dict[str, object]] = []
        self.made = self._unasked = self._mistakes = 0
        self._warning = 0
        self._failures: list[MQError] = []

    def enter(self, outcomes: list[ReportOutcome]) -> None:
        for outcome in outcomes:
            if outcome.made is None:
                self._fail(outcome)
                continue
            self.made += 1
            self._unasked += not outcome.made.is_asked
            self._warning = self._warning or outcome.made.reason
            if self._output:
                row = _row(outcome.msg_id, outcome.made, trial=self._request.dry_run)
                if self._request.dry_run and self._is_json:
                    row["message"] = _whole(outcome.made)
                self._rows.append(row)
        if self._output in ("jsonl", "plain"):
            self._show()

    def mistake(self, found: Mistake) -> None:
        """Report a mistake in a line of stdin; the other lines are processed."""
        self._mistakes += 1
        if self._is_json:
            print_findings_as_json({"errors": [found]})
        else:
            command_session.print_error_line(str(found))

    def end_early(self, error: MQError) -> None:
        """Keep the error that ended the run; raise it where nothing was made before."""
        if not self.made:
            raise error
        self.session.report_error(error)
        self._failures.append(error)

    def close(self) -> int:
        """Print the remaining rows and the balance; return the exit status."""
        if self._output in ("json", "table", "csv"):
            self._show()
        self.print_balance()
        if self._failures or self._mistakes:
            if self.made:
                return PARTLY
            return USAGE if self._mistakes else command_session.status_of(self._failures[0])
        if not self.made:
            return NOTHING_THERE
        return WARNING if self._warning else 0

    def print_balance(self) -> None:
        one, several = _NOUNS[self._request.order.action]
        if self._unasked:
            whose = "its original" if self.made == 1 else "the originals"
            self.session.note(f"warning: {counted(self._unasked, one, several)} that {whose} did not request")
        done = "would be put" if self._request.dry_run else "put"
        bad = len(self._failures) + self._mistakes
        if self.made or not bad:
            self.session.note(f"{counted(self.made, one, several)} {done}{f', {bad} failed' if bad else ''}")

    @property
    def _is_json(self) -> bool:
        return self._output in JSON

    def _fail(self, outcome: ReportOutcome) -> None:
        error = outcome.error
        assert error is not None
        text = f"message {outcome.msg_id.hex().upper()}: {error.text}"
        is_said = any(other.hint == error.hint for other in self._failures)
        self.session.report_error(MQError(text, error.reason, hint=None if is_said else error.hint))
        self._failures.append(error)

    def _show(self) -> None:
        names = _TRIAL_COLUMNS if self._request.dry_run else _COLUMNS
        columns = [Column(name, align="right" if name == "data_length" else "left") for name in names]
        print_rows(self.session, self._rows, columns, self._output)
        sys.stdout.buffer.flush()
        self._rows = []


def _row(original: bytes, made: DerivedMessage, *, trial: bool) -> dict[str, object]:
    """Return the row of a generated message; in a dry run its id is None."""
    md = made.derived if trial else made.message.md
    row: dict[str, object] = {
        "original": original.hex().upper(),
        "msg_id": None if md.msg_id == MQMI_NONE else md.msg_id.hex().upper(),
        "correl_id": md.correl_id.hex().upper(),
        "to": made.q_name,
        "to_q_mgr": made.q_mgr_name,
        "feedback": enumeration_name("feedback", md.feedback),
        "msg_type": enumeration_name("msg_type", md.msg_type),
    }
    if trial:
        row["data_length"] = len(made.message.data)
        row["asked"] = made.is_asked
    return row


def _whole(made: DerivedMessage) -> dict[str, object]:
    """Return the message that a dry run would put, as ``browse -o jsonl`` prints one."""
    message = made.message.replace(md=made.derived)
    return to_envelope(message, qmgr=made.q_mgr_name, queue=made.q_name, state=UNLOCKED)
