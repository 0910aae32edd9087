"""``mqx apply``: carry out a plan of ``mqx dlq-handle --plan`` on its queue manager."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from mqtools.constants.names import name_or_number
from mqtools.dlq.apply import APPLIED, APPLIED_BEFORE, FAILED, Apply, check_place
from mqtools.dlq.plan import PlannedAction, read_plan
from mqtools.formats.phrases import counted
from mqtools.operations.elsewhere.removed_dump import RemovedDump
from mqtools.rules.origins import CHANGED, GONE, SEVERAL

from .shared import click_options
from .shared.command_session import NOTHING_THERE, PARTLY, Session
from .shared.counts import print_totals
from .shared.partly_done import PartlyDone
from .shared.result_rows import Row, show_results

#: End of the name of the dump next to a plan.
DUMP_SUFFIX = ".removed.jsonl"

#: Result with which a message is skipped to its words.
SKIPPED = {
    GONE: "the message has gone",
    CHANGED: "the message has changed",
    SEVERAL: "several messages have its identifiers",
    FAILED: "the put failed",
}


@click.command("apply")
@click.argument("file")
@click.option("--dry-run", is_flag=True, help="Show the result for each message, without changing anything")
@click_options.general_elsewhere
def command(session: Session, file: str, **given: Any) -> int:
    """Carry out the plan in FILE, made by mqx dlq-handle --plan, on the queue manager of its messages.

    \b
    mqx apply friday.plan -m PROD --dry-run
    mqx apply friday.plan -m PROD

    Each message is one unit of work: the get from its queue, and the put of the plan. Apply names and skips a message
    that is gone or changed, shares its identifiers with another, or whose put fails.

    Before apply removes a message, it writes it to FILE.removed.jsonl and flushes the file; mqx load reads it. After an
    interruption repeat the command: it continues with the rest. Apply refuses a plan for another queue manager, or with
    a mistake in any line (2).

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
    run: Apply | None = None
    with (
        PartlyDone(session, lambda: 0 if run is None or dry_run else run.results[APPLIED]),
        session.connect_anywhere(changes=not dry_run) as connection,
    ):
        check_place(planned, connection)
        if not dry_run:
            session.confirm_elsewhere(f"apply {counted(len(planned), 'action')} to {_queues(planned)}")
        with RemovedDump(file + DUMP_SUFFIX, only_looks=dry_run) as dump:
            run = Apply(connection, dump)
            try:
                show_results(session, _rows(run, planned), _COLUMNS, SKIPPED, dry_run=dry_run)
            finally:
                status = _finish(session, run)
            return status
    return PARTLY


_COLUMNS = ("queue", "msg_id", "action", "target", "target_q_mgr", "line", "result")


def _queues(planned: list[PlannedAction]) -> str:
    return ", ".join(sorted({each.queue for each in planned}))


def _rows(run: Apply, planned: list[PlannedAction]) -> Iterator[Row]:
    for each in planned:
        row: Row = {name: getattr(each, name) for name in _COLUMNS[:-1]}
        yield {**row, "msg_id": each.msg_id.hex().upper(), "result": run.action(each)}


def _finish(session: Session, run: Apply) -> int:
    """Print the totals; return the exit status."""
    results = run.results
    text = f"{'would have applied' if run.dump.only_looks else 'applied'} {counted(results[APPLIED], 'action')}"
    for result, words in {APPLIED_BEFORE: "applied before", **SKIPPED}.items():
        if results[result]:
            text += f"; {results[result]} {words}"
    print_totals(session, text, results[APPLIED], dict(results))
    for (target, reason), number in run.reasons.items():
        session.note(f"    {counted(number, 'put')} to {target}: {name_or_number('MQRC', reason)} {reason}")
    return PARTLY if any(results[result] for result in SKIPPED) else 0
