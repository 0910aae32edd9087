"""Implementation of ``mqx dlq-handle`` with a valid rules table: dry run, or run with signal handling."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import NamedTuple

from mqtools.constants.names import name_or_number
from mqtools.constants.reasons import MQCC_FAILED
from mqtools.dlq import totals as causes
from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.handler import Handler
from mqtools.dlq.mistakes import RulesTableError
from mqtools.dlq.remote_handler import RemoteHandler
from mqtools.dlq.restriction import Restriction
from mqtools.dlq.rule import RulesTable
from mqtools.dlq.table_handler import TableHandler
from mqtools.dlq.target import choose_input_queue, input_queue
from mqtools.dlq.totals import TableTotals
from mqtools.formats.jsontext import dumps
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.mqi.connection import Connection
from mqtools.operations.elsewhere.mirror import Mirror
from mqtools.operations.elsewhere.rehearsal import bring_letters
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import StoredMessage, local_queue
from mqtools.rules.exit_status import exit_status

from ..shared import command_session
from ..shared.command_session import DONE, JSON, NOTHING_THERE, PARTLY, TERMINATED, Session, UsageError
from ..shared.mirrored import temporary_mirror
from ..shared.output_rows import print_rows
from ..shared.past import open_past, show
from ..shared.read_only import connect_read_only
from ..shared.service_signals import ServiceSignals
from ..shared.trash_notice import configure_trash
from .table import read_table, show_findings

Row = dict[str, object]

#: Columns of a rehearsal.
COLUMNS = ("msg_id", "reason", "action", "line", "target", "target_q_mgr", "fails")
#: With --explain a row is one rule and one message; ``chosen`` is the action of the rule that is chosen.
_RULE_COLUMNS = ("msg_id", "reason", "line", "matches", "because", "action", "target", "target_q_mgr", "fails")
#: Columns that give way on a narrow terminal, the last one first.
_LESS_IMPORTANT = ("msg_id", "fails", "target_q_mgr")

#: Cause to the words for what is left. A cause that is not here does not exist.
_LEFT = {
    causes.PUT_FAILED: "put failed",
    causes.NO_DLH: "without MQDLH",
    causes.NO_RULE: "without a rule",
    causes.LOOP: "that would be forwarded to the input queue",
    causes.IGNORED: "ignored",
}


@dataclass(frozen=True, slots=True)
class LetterPlace:
    """Which dead letters are meant.

    queue, q_mgr_name: the arguments, None where absent.  table: its INPUTQ and INPUTQM come after them; None where
    there is none.  at: instant in milliseconds since 1970 to show the queue at, read-only; None for the present.
    """

    queue: str | None
    q_mgr_name: str | None
    table: RulesTable | None = None
    at: int | None = None

    def asker(self, session: Session) -> Session:
        """Return the session with the queue manager of the argument, -m or INPUTQM, without one for the default."""
        if self.q_mgr_name is not None:
            return session.replace(qmgr=self.q_mgr_name.strip() or None)
        return session.replace(qmgr=session.qmgr or (self.table.control.input_q_mgr if self.table else None))


@dataclass(frozen=True, slots=True)
class HandleRequest:
    """Request of ``mqx dlq-handle``. path: of the table, or None.  no_trash: discarded messages are not kept."""

    place: LetterPlace
    table: RulesTable
    _: KW_ONLY
    path: str | None = None
    selection: Selection = field(default_factory=Selection)
    explain: bool = False
    once: bool = False
    no_trash: bool = False


def connect(session: Session, place: LetterPlace, *, only_looks: bool = False) -> tuple[Connection, str]:
    """Connect to the queue manager and find the queue to read. only_looks: connect read-only."""
    asker = place.asker(session)
    if place.at is not None:  # a queue manager in memory has the queue as it was
        view = open_past(session, [], place.at, asker.qmgr)
        connection = view.connection()
        session.queue = input_queue(connection, place.table, place.queue)
        show(session, view, session.queue)
        return connection, session.queue
    connection = connect_read_only(asker) if only_looks else asker.connect()
    session.queue = input_queue(connection, place.table, place.queue)
    return connection, session.queue


class LetterQueue(NamedTuple):
    """A queue of dead letters. mirror: what the connection is to, None for a queue manager of ours."""

    connection: Connection
    q_name: str
    mirror: Mirror | None = None


@contextmanager
def opened(session: Session, place: LetterPlace, *, only_looks: bool) -> Iterator[LetterQueue]:
    """Yield what ``connect`` returns; of a queue manager elsewhere a mirror with the queues that letters lead to."""
    asker = place.asker(session)
    if place.at is not None or not asker.is_elsewhere:
        connection, q_name = connect(session, place, only_looks=only_looks)
        with connection:
            yield LetterQueue(connection, q_name)
        return
    with (
        session.connect_elsewhere(asker.qmgr, changes=not only_looks) as there,
        temporary_mirror(there) as mirror,
    ):
        q_name = session.queue = choose_input_queue(there.name, there.dead_letter_q(), place.table, place.queue)
        rules = place.table.rules if place.table else ()
        bring_letters(mirror, q_name, ((rule.fwd_q or "", rule.fwd_q_mgr or "") for rule in rules))
        yield LetterQueue(mirror.here, q_name, mirror)


def restriction(connection: Connection, q_name: str, selection: Selection) -> Callable[[StoredMessage], bool] | None:
    if selection.is_everything:
        return None
    return Restriction(connection, local_queue(connection, q_name).id, selection)


# The rehearsal


def rehearse(session: Session, request: HandleRequest) -> int:
    """Print what would happen to each message, and totals by rule on stderr; return the exit status of a run."""
    output = session.list_output
    tally = _DryRunTotals()
    with opened(session, request.place, only_looks=True) as (connection, q_name, _):
        select = restriction(connection, q_name, request.selection)
        answers = tally.over(
            dry_run(connection, request.table, q_name, select=select, explain=request.explain, once=request.once)
        )
        if request.explain and output not in JSON:
            print_rows(session, _by_rule(answers), columns(_RULE_COLUMNS), output)
        else:
            print_rows(session, answers, columns(COLUMNS), output)
    for line in tally.lines():
        session.note(line)
    return tally.status()


def columns(names: tuple[str, ...]) -> list[Column]:
    ranked = sorted(names, key=lambda name: _LESS_IMPORTANT.index(name) if name in _LESS_IMPORTANT else -1)
    return [Column(name, align="right" if name == "line" else "left", rank=ranked.index(name)) for name in names]


def _by_rule(answers: Iterable[Row]) -> Iterator[Row]:
    for answer in answers:
        rules = answer.pop("rules")
        assert isinstance(rules, list)
        for rule in rules:
            is_chosen = rule["line"] == answer["line"]
            yield {**(answer if is_chosen else {"msg_id": answer["msg_id"], "reason": answer["reason"]}), **rule}
        if not rules:
            yield answer


class _DryRunTotals:
    """Totals of a dry run: messages by the line of their rule, and messages that would be left."""

    def __init__(self) -> None:
        self._by_line: Counter[tuple[int, object]] = Counter()
        self._left = dict.fromkeys(("with a put that fails", "without MQDLH", "without a rule"), 0)
        self._seen = 0

    def over(self, answers: Iterable[Row]) -> Iterator[Row]:
        for answer in answers:
            self._seen += 1
            line = answer["line"]
            if isinstance(line, int):
                self._by_line[line, answer["action"]] += 1
                self._left["with a put that fails"] += answer["fails"] is not None
            else:
                self._left["without MQDLH" if answer["reason"] is None else "without a rule"] += 1
            yield answer

    def lines(self) -> Iterator[str]:
        for (line, action), number in sorted(self._by_line.items()):
            yield f"line {line}: {action} {counted(number)}"
        left = [f"{number} {why}" for why, number in self._left.items() if number]
        if left:
            yield f"would be left: {', '.join(left)}"

    def status(self) -> int:
        """Return the exit status that a run would end with."""
        if not self._seen:
            return NOTHING_THERE
        return PARTLY if any(self._left.values()) else 0


# The run


def handle(session: Session, request: HandleRequest) -> int:
    """Run the table until WAIT, the queue or a signal ends it; print the totals.

    A signal ends it after the current message. SIGHUP reads the table again from its path.
    """
    handler = _handler(session, request)
    connection, q_name = handler.connection, handler.q_name
    path = request.path
    reload: dict[int, Callable[[], None]] = {}
    if path is not None and path != "-":
        reload = {signal.SIGHUP: partial(_reload, session, handler, path)}
    with ServiceSignals(handler.stop, others=reload, terminated=TERMINATED if request.once else DONE) as signals:
        result = handler.run()
        _show_totals(session, connection.name, q_name, result)
        if not result.reason:
            connection.disconnect()
    return signals.status if signals.came else _status(result)


def _handler(session: Session, request: HandleRequest) -> TableHandler:
    """Connect, and return what runs the table on the queue."""
    table, asker = request.table, request.place.asker(session)
    if asker.is_elsewhere:
        there = session.connect_elsewhere(asker.qmgr, changes=True)
        q_name = session.queue = choose_input_queue(there.name, there.dead_letter_q(), table, request.place.queue)
        session.confirm_removal(there, "run the rules table on", q_name)
        return RemoteHandler(there, table, q_name, once=request.once, say=session.note, selection=request.selection)
    connection, q_name = connect(session, request.place)
    configure_trash(connection, no_trash=request.no_trash)
    select = restriction(connection, q_name, request.selection)
    return Handler(connection, table, q_name, once=request.once, say=session.note, select=select)


def _reload(session: Session, handler: TableHandler, path: str) -> None:
    """Read the rules table again from its path; with an error the previous one stays in use."""
    try:
        table = read_table(session, path)
    except RulesTableError as error:
        show_findings(session, error, count=True)
        command_session.print_error_line("the previous rules table stays in use")
    except (OSError, UsageError) as error:
        words = f"{path}: {error.strerror}" if isinstance(error, OSError) else error
        command_session.print_error_line(f"mqx: dlq-handle: {words}; the previous rules table stays in use")
    else:
        show_findings(session, table, count=False)
        handler.reload(table)
        session.note(f"rules table {path} read again")


def _status(result: TableTotals) -> int:
    """Return the exit status of a run that no signal has ended: by its reason, else by the messages that are left."""
    if result.reason:
        return exit_status(result.reason, MQCC_FAILED)
    if not result.seen:
        return NOTHING_THERE
    return PARTLY if result.unhandled else 0


def _show_totals(session: Session, q_mgr_name: str, q_name: str, result: TableTotals) -> None:
    """Print the totals on stderr: in words, or as one JSON object."""
    if session.output is None:
        for line, number in result.hits.items():
            if number:
                session.note(f"line {line}: applied to {counted(number)}")
        left = [f"{number} {_LEFT[cause]}" for cause, number in result.left.items() if number]
        if left:
            session.note(f"left: {', '.join(left)}")
        return
    totals = {
        "messages": result.seen,
        "qmgr": q_mgr_name,
        "queue": q_name,
        "handled": result.handled,
        "left": result.left,
        "rules": [{"line": line, "count": number} for line, number in result.hits.items()],
        "ended_by": name_or_number("MQRC", result.reason) if result.reason else None,
    }
    command_session.print_error_line(dumps(totals))
