"""Implementation of ``mqx dlq-handle --redrive``: put dead letters back to the destinations in their headers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from mqtools.configuration.locate import elsewhere_error
from mqtools.constants.names import name_or_number, value_of
from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.redrive import Balance, Plan, Redrive, plan
from mqtools.dlq.remote_redrive import redrive_elsewhere
from mqtools.dlq.rule import Control, Rule, RulesTable
from mqtools.formats.jsontext import dumps
from mqtools.formats.phrases import counted
from mqtools.mqi.connection import Connection
from mqtools.operations.selection import Selection

from ..shared import command_session
from ..shared.command_session import NOTHING_THERE, PARTLY, Session
from ..shared.deferred_signals import DeferredSignals
from ..shared.output_rows import print_rows
from ..shared.progress import ProgressBar
from .handle import COLUMNS, LetterQueue, columns

Target = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RedriveRequest:
    """Request of a redrive. selection: which messages.  to: queue and queue manager, None for the headers'.

    max_redrives: leave messages that were redriven this often; None for no limit.  delay_ms: until they are delivered.
    """

    selection: Selection
    to: Target | None
    max_redrives: int | None
    delay_ms: int = 0

    def plan(self, connection: Connection, q_name: str) -> Plan:
        return plan(connection, q_name, self.selection, to=self.to, max_redrives=self.max_redrives)


def rehearse(session: Session, letters: LetterQueue, request: RedriveRequest) -> int:
    """Print what would happen to each message, and totals by target on stderr; return the exit status of a run."""
    output, connection, q_name = session.list_output, letters.connection, letters.q_name
    todo = request.plan(connection, q_name)
    keys = {seq for seq, _ in todo.work}
    rows = dry_run(connection, as_table(request.to), q_name, select=lambda stored: stored.seq in keys, once=True)
    failing: Counter[tuple[Target, str]] = Counter()

    def shown() -> Iterator[dict[str, object]]:
        for row in rows:
            if row["fails"] is not None:
                failing[(str(row["target"]), str(row["target_q_mgr"])), str(row["fails"])] += 1
            yield {**row, "line": None}

    print_rows(session, shown(), columns(COLUMNS), output)
    _print_targets(session, todo)
    _print_staying(session, todo)
    for (target, reason), number in failing.items():
        session.note(f"{number} would be left: {_why(target, reason)}")
    if not (todo.work or todo.staying):
        return NOTHING_THERE
    return PARTLY if failing or todo.staying else 0


#: Reason of a put that fails to its words.
_WORDS = {
    "MQRC_Q_FULL": "is full",
    "MQRC_PUT_INHIBITED": "has puts inhibited",
    "MQRC_UNKNOWN_OBJECT_NAME": "does not exist",
    "MQRC_MSG_TOO_BIG_FOR_Q": "takes no message of this length",
}


def _why(target: Target, reason: str) -> str:
    """Return why a put fails: ``ORDERS@QM1 is full (2053)``."""
    number = value_of("MQRC", reason) if reason.startswith("MQRC") else reason
    return f"{_shown(target)} {_WORDS.get(reason, f'fails with {reason}')} ({number})"


def as_table(to: Target | None) -> RulesTable:
    """Return a redrive as a rules table. to: target of all messages, None for those of their headers."""
    if to is None:
        rule = Rule(0, [], "RETRY")
    else:
        rule = Rule(0, [], "FWD", fwd_q=to[0], fwd_q_mgr=to[1], header=False)
    return RulesTable("--redrive", Control(), [rule], [], [])


def redrive(session: Session, letters: LetterQueue, request: RedriveRequest) -> int:
    """Print the plan, run it, and print the totals on stderr, or with -o json on stdout."""
    connection, q_name, mirror = letters
    if mirror is not None and request.delay_ms:
        raise elsewhere_error(session.elsewhere.partition(" ")[0], "--delay")
    todo, balance = request.plan(connection, q_name), Balance()
    _print_targets(session, todo)
    if mirror is not None and todo.work:
        session.confirm_elsewhere(f"redrive {counted(len(todo.work))} from {q_name}")
    with ProgressBar(session, f"redriving {q_name}", len(todo.work)) as bar:

        def print_error_line(target: Target, reason: int) -> None:
            session.note(f"the put to {_shown(target)} failed with {name_or_number('MQRC', reason)} {reason}")

        try:
            if mirror is not None:
                tokens = mirror.tokens(q_name)
                redrive_elsewhere(mirror.there, todo, tokens, balance, say=print_error_line, advance=bar.advance)
            else:
                Redrive(
                    connection,
                    todo,
                    say=print_error_line,
                    advance=bar.advance,
                    delay_ms=request.delay_ms,
                    settling=lambda: DeferredSignals(connection),
                    balance=balance,
                ).run()
        except BaseException:
            if mirror is None:
                connection.backout()
            _print_balance(session, todo, balance)
            raise
    if session.output is None:
        _print_balance(session, todo, balance)
    else:
        _write_balance(connection.name, todo, balance)
    if not (todo.work or todo.staying):
        return NOTHING_THERE
    return PARTLY if balance.failed or todo.staying else 0


def _print_balance(session: Session, todo: Plan, balance: Balance) -> None:
    done = sum(balance.done.values())
    session.note(f"{counted(done)} redriven, {len(todo.work) - done - balance.gone + todo.staying} left")
    for (target, reason), number in balance.failed.items():
        session.note(f"    {number} for {_shown(target)}: {name_or_number('MQRC', reason)} {reason}")
    _print_staying(session, todo)
    if balance.gone:
        session.note(f"{counted(balance.gone)} no longer there")


def _print_targets(session: Session, todo: Plan) -> None:
    for target, number in todo.by_target().items():
        session.note(f"to {_shown(target)}: {counted(number)}")


def _print_staying(session: Session, todo: Plan) -> None:
    for number, why in (
        (todo.no_dlh, "without MQDLH"),
        (todo.loop, "that would go back to the queue they are on"),
        (todo.stubborn, "at the redrive limit"),
    ):
        if number:
            session.note(f"    {number} {why}")


def _write_balance(q_mgr_name: str, todo: Plan, balance: Balance) -> None:
    done = [{"target": q, "target_q_mgr": qm, "count": number} for (q, qm), number in balance.done.items()]
    failed = [
        {"target": q, "target_q_mgr": qm, "fails": name_or_number("MQRC", reason), "count": number}
        for ((q, qm), reason), number in balance.failed.items()
    ]
    totals = {
        "messages": sum(balance.done.values()),
        "qmgr": q_mgr_name,
        "queue": todo.q_name,
        "redriven": sum(balance.done.values()),
        "targets": done,
        "failed": failed,
        "left": {"no_dlh": todo.no_dlh, "loop": todo.loop, "max_redrives": todo.stubborn},
        "gone": balance.gone,
    }
    command_session.print_error_line(dumps(totals))


def _shown(target: Target) -> str:
    name, q_mgr_name = target
    return f"{name or 'a blank name'}@{q_mgr_name}" if q_mgr_name else name or "a blank name"
