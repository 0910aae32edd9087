"""``mqx apply``: carry out a plan of ``mqx dlq-handle --plan`` on its queue manager."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from mqtools.constants.names import name_or_number
from mqtools.dlq.apply import APPLIED, APPLIED_BEFORE, FAILED, SKIPPED, Apply, check_place
from mqtools.dlq.plan import PlannedAction, read_plan
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.operations.elsewhere.removed_dump import RemovedDump
from mqtools.rules.origins import CHANGED, GONE, SEVERAL

from .shared import click_options
from .shared.command_session import NOTHING_THERE, PARTLY, Session, Terminated
from .shared.counts import print_totals
from .shared.output_rows import print_rows
from .shared.progress import ProgressBar

#: End of the name of the dump next to a plan.
DUMP_SUFFIX = ".removed.jsonl"

#: Result to its words.
_WORDS = {
    APPLIED_BEFORE: "applied before",
    GONE: "the message has gone",
    CHANGED: "the message has changed",
    SEVERAL: "several messages have its identifiers",
    FAILED: "the put failed",
}


@click.command("apply")
@click.argument("file")
@click.option("--dry-run", is_flag=True, help="Show the result for each message, without changing anything")
@click_options.general_of_destroyer
def command(session: Session, file: str, **given: Any) -> int:
    """Carry out the plan in FILE, made by mqx dlq-handle --plan, on the queue manager that its messages lie on.

    \b
    mqx apply friday.plan -m PROD --dry-run
    mqx apply friday.plan -m PROD

    Each message is one unit of work: the get from its queue, and the put that the plan says. A message that has gone or
    changed, or that shares its identifiers with another, is skipped and named; so is one whose put fails.

    Before a message is removed it is written to FILE.removed.jsonl and flushed: mqx load reads that file. After an
    interruption repeat the command: it goes on with what is left. A plan for another queue manager, or with a
    mistake in any line, is refused as a whole (2).

    A remote must be read-write (mqx remote add --read-write). An apply there asks for confirmation, and requires --yes
    without a terminal.

    Exit status: 0 everything is done; 2 the plan is refused; 3 an empty plan; 8 the remote is read-only; 9 some
    messages were skipped.
    """
    dry_run = given["dry_run"]
    with open(file, "rb") as lines:
        planned = read_plan(lines, file)
    if not planned:
        return NOTHING_THERE
    with session.connect_anywhere(changes=not dry_run) as connection:
        check_place(planned, connection)
        if not dry_run:
            session.confirm_elsewhere(f"apply {counted(len(planned), 'action')} to {_queues(planned)}")
        with RemovedDump(file + DUMP_SUFFIX, only_looks=dry_run) as dump:
            run = Apply(connection, dump)
            if dry_run:
                print_rows(session, _rehearse(run, planned), _COLUMNS, session.list_output)
            else:
                _run(session, run, planned)
            return _finish(session, run)


_COLUMNS = [
    Column("queue", rank=5),
    Column("msg_id", rank=4),
    Column("action", rank=1),
    Column("target", rank=2),
    Column("target_q_mgr", rank=6),
    Column("line", align="right", rank=3),
    Column("result", rank=0),
]


def _queues(planned: list[PlannedAction]) -> str:
    return ", ".join(sorted({each.queue for each in planned}))


def _rehearse(run: Apply, planned: list[PlannedAction]) -> Iterator[dict[str, object]]:
    for each in planned:
        row: dict[str, object] = {column.name: getattr(each, column.name) for column in _COLUMNS[:-1]}
        yield {**row, "msg_id": each.msg_id.hex().upper(), "result": run.action(each)}


def _run(session: Session, run: Apply, planned: list[PlannedAction]) -> None:
    try:
        with ProgressBar(session, "applying", len(planned)) as bar:
            for each in planned:
                result = run.action(each)
                if result in SKIPPED:
                    session.note(f"skipped {each.msg_id.hex().upper()}: {_WORDS[result]}")
                bar.advance()
    except (KeyboardInterrupt, Terminated, MQError):
        _finish(session, run)
        raise


def _finish(session: Session, run: Apply) -> int:
    """Print the totals; return the exit status."""
    results = run.results
    text = f"{'would have applied' if run.dump.only_looks else 'applied'} {counted(results[APPLIED], 'action')}"
    for result, words in _WORDS.items():
        if results[result]:
            text += f"; {results[result]} {words}"
    print_totals(session, text, results[APPLIED], dict(results))
    for (target, reason), number in run.reasons.items():
        session.note(f"    {counted(number, 'put')} to {target}: {name_or_number('MQRC', reason)} {reason}")
    return PARTLY if any(results[result] for result in SKIPPED) else 0
