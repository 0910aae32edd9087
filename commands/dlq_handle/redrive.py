"""``mqx dlq-handle --redrive``: dead letters go back to where their headers say."""

from __future__ import annotations

from mqtools.constants.names import name_or_number
from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.redrive import Balance, Plan, Redrive, plan
from mqtools.dlq.rule import Control, Rule, RulesTable
from mqtools.formats.phrases import counted
from mqtools.records import Record

from ..shared import command_session
from ..shared.click_options import chosen_output
from ..shared.command_session import NOTHING_THERE, PARTLY, Session, UsageMistake
from ..shared.commit_counter import Settling
from ..shared.output_rows import print_rows
from ..shared.progress import ProgressBar
from .handle import COLUMNS, ROW_OUTPUTS, columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.mqi.connection import Connection
    from mqtools.operations.selection import Selection

    Target = tuple[str, str]


class RedriveRequest(Record):
    """One redrive. selection: which messages.  to: queue and queue manager, None for where each header says.

    max_redrives: what has been redriven so often stays; None for no limit.
    """

    __slots__ = ("selection", "to", "max_redrives")

    def __init__(self, selection: Selection, to: Target | None, max_redrives: int | None) -> None:
        self.selection = selection
        self.to = to
        self.max_redrives = max_redrives

    def plan(self, connection: Connection, q_name: str) -> Plan:
        """Settle what is to be done on a queue."""
        return plan(connection, q_name, self.selection, to=self.to, max_redrives=self.max_redrives)


def rehearse(session: Session, connection: Connection, q_name: str, request: RedriveRequest) -> int:
    """Show what would become of each message, and what goes where on stderr; the status is that of a run."""
    output = chosen_output(session, ROW_OUTPUTS, "table", "plain")
    todo = request.plan(connection, q_name)
    keys = {seq for seq, _ in todo.work}
    rows = dry_run(connection, _as_table(request.to), q_name, select=lambda stored: stored.seq in keys, once=True)
    failing = 0

    def quote() -> Iterator[dict[str, object]]:
        nonlocal failing
        for row in rows:
            failing += row["fails"] is not None
            yield {**row, "line": None}

    print_rows(session, quote(), columns(COLUMNS), output)
    _say_targets(session, todo)
    _say_staying(session, todo)
    if failing:
        session.note(f"would be left: {counted(failing)} with a put that fails")
    if not (todo.work or todo.staying):
        return NOTHING_THERE
    return PARTLY if failing or todo.staying else 0


def _as_table(to: Target | None) -> RulesTable:
    """Give the rules table that does what a redrive does."""
    if to is None:
        rule = Rule(0, [], "RETRY")
    else:
        rule = Rule(0, [], "FWD", fwd_q=to[0], fwd_q_mgr=to[1], header=False)
    return RulesTable("--redrive", Control(), [rule], [], [])


def redrive(session: Session, connection: Connection, q_name: str, request: RedriveRequest) -> int:
    """Say what goes where, do it, and give the balance on stderr, with -o json on stdout."""
    if session.output not in (None, "json", "jsonl"):
        raise UsageMistake(f"no output format {session.output!r} here: json, jsonl; messages are not shown")
    todo = request.plan(connection, q_name)
    _say_targets(session, todo)
    with ProgressBar(session, f"redriving {q_name}", len(todo.work)) as bar:

        def say(target: Target, reason: int) -> None:
            session.note(f"the put to {_shown(target)} got {name_or_number('MQRC', reason)} {reason}")

        run = Redrive(connection, todo, say=say, advance=bar.advance, settling=lambda: Settling(connection))
        try:
            run.run()
        except BaseException:
            connection.backout()
            _say_balance(session, todo, run.balance)
            raise
    if session.output is None:
        _say_balance(session, todo, run.balance)
    else:
        _write_balance(connection.name, todo, run.balance)
    return _status(todo, run.balance)


def _status(todo: Plan, balance: Balance) -> int:
    if not (todo.work or todo.staying):
        return NOTHING_THERE
    return PARTLY if balance.failed or todo.staying else 0


def _say_balance(session: Session, todo: Plan, balance: Balance) -> None:
    done = sum(balance.done.values())
    session.note(f"{counted(done)} redriven, {len(todo.work) - done - balance.gone + todo.staying} left")
    for (target, reason), number in balance.failed.items():
        session.note(f"    {number} for {_shown(target)}: {name_or_number('MQRC', reason)} {reason}")
    _say_staying(session, todo)
    if balance.gone:
        session.note(f"{counted(balance.gone)} had gone meanwhile")


def _say_targets(session: Session, todo: Plan) -> None:
    for target, number in todo.by_target().items():
        session.note(f"to {_shown(target)}: {counted(number)}")


def _say_staying(session: Session, todo: Plan) -> None:
    for number, why in (
        (todo.no_dlh, "without MQDLH"),
        (todo.loop, "for the queue itself"),
        (todo.stubborn, "redriven often enough"),
    ):
        if number:
            session.note(f"    {number} {why}")


def _write_balance(q_mgr_name: str, todo: Plan, balance: Balance) -> None:
    from mqtools.formats.jsontext import dumps

    done = [{"target": q, "target_q_mgr": qm, "count": number} for (q, qm), number in balance.done.items()]
    failed = [
        {"target": q, "target_q_mgr": qm, "fails": name_or_number("MQRC", reason), "count": number}
        for ((q, qm), reason), number in balance.failed.items()
    ]
    totals = {
        "qmgr": q_mgr_name,
        "queue": todo.q_name,
        "redriven": sum(balance.done.values()),
        "targets": done,
        "failed": failed,
        "left": {"no_dlh": todo.no_dlh, "loop": todo.loop, "max_redrives": todo.stubborn},
        "gone": balance.gone,
    }
    command_session.write_out(dumps(totals).encode("utf-8") + b"\n")


def _shown(target: Target) -> str:
    name, q_mgr_name = target
    return f"{name or 'a blank name'}@{q_mgr_name}" if q_mgr_name else name or "a blank name"
