"""``mqx dlq-handle``: check a runmqdlq rules table, run it dry, or run it on a dead-letter queue."""

from __future__ import annotations

from typing import Any

import click

from mqtools.dlq.mistakes import RulesTableError
from mqtools.operations.selection import Selection

from ..shared import click_options, past
from ..shared.command_session import USAGE, Session, UsageError, given_option
from ..shared.dependent_options import check_required
from . import handle
from .handle import opened
from .plan import plan
from .redrive import RedriveRequest, as_table, redrive, rehearse
from .summary import fields_of, open_letters, suggest, summary
from .table import read_table, show_findings


@click.command("dlq-handle")
@click.argument("queue", required=False)
@click.argument("queue_manager", metavar="[QMGR]", required=False)
@click.option("--rules", metavar="FILE", help="Rules table; default: stdin")
@click.option("--check", is_flag=True, help="Check the table for mistakes, and do nothing else")
@click.option("--dry-run", is_flag=True, help="Show what would happen to each message, without doing it")
@click.option("--explain", is_flag=True, help="Like --dry-run, with each rule that matches or why it does not")
@click.option("--plan", metavar="FILE", help="Like --dry-run; write what would happen to FILE, for mqx apply")
@click.option("--force", is_flag=True, help="With --plan: overwrite an existing FILE")
@click.option("--summary", is_flag=True, help="Show the dead letters by group, and explain the reasons")
@click.option(
    "--by",
    metavar="FIELDS",
    help="With --summary: group by reason (default), destq, destqm, applname, format, hour; comma-separated",
)
@click.option("--suggest", is_flag=True, help="Write a commented rules table for the present dead letters")
@click.option(
    "--redrive", is_flag=True, help="Put each dead letter back to the destination in its header, without a rules table"
)
@click.option("--to", metavar="Q[@QM]", help="With --redrive: destination of all messages")
@click.option(
    "--max-redrives",
    type=click_options.Number(min=1),
    help="With --redrive: leave messages that were redriven this often",
)
@click.option("--delay", type=click_options.DURATION, help="With --redrive: deliver each message so long after its put")
@click.option("--once", is_flag=True, help="Make one pass with one attempt per message, regardless of WAIT")
@past.at
@click.option("--no-trash", is_flag=True, help="Keep nothing in the trash of what ACTION(DISCARD) removes")
@click_options.selection
@click_options.general_elsewhere
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Handle the dead letters of QUEUE with an unmodified rules table of runmqdlq.

    \b
    mqx dlq-handle --rules rules.tab --check
    mqx dlq-handle --once --reason MQRC_Q_FULL --older 1h < rules.tab
    mqx dlq-handle --summary --by reason,destq
    mqx dlq-handle --suggest > rules.tab
    mqx dlq-handle DLQ QM1 --redrive --max-redrives 3 --dry-run
    mqx dlq-handle DLQ --rules rules.tab --plan friday.plan

    Queue: the argument, INPUTQ, DEADQ. Queue manager: the argument, -m, INPUTQM, $MQX_QMGR, the default. A blank
    argument means the default. Selection options restrict the messages that the table is applied to.

    --suggest writes a commented rules table to stdout, with a rule for each reason and destination: read it first. A
    dry run shows each message with the rule of its last attempt: where puts fail until RETRY is reached, that is the
    next rule that matches; with --once there is one attempt. Puts of the dry run fill the target queues.
    With --at the messages, and what a --summary counts, are those that were there at that time; the queues that they
    go to are as they are now.

    --plan writes one JSON line for each message with a RETRY, FWD or DISCARD that would succeed; mqx apply carries the
    plan out. For messages that mqx pull has brought, it is a plan for the queue manager that they come from. Messages
    that were edited since are left out: mqx push takes them back first.

    The run lasts as long as WAIT says, with up to 100 messages in one transaction, each with its own outcome.
    SIGTERM ends it after the current message (0; with --once 143), and so does SIGINT (130); SIGHUP reads the table of
    --rules again and keeps the previous one when the new one has mistakes. Totals are printed at the end on stderr,
    with -o json on stdout. Discarded messages stay in the trash for a while (see mqx trash).

    --redrive restores format, CCSID and encoding from the header and keeps everything else, context and properties
    included; the property mqx.redrive.count counts redrives, and --summary shows messages that came back. Each message
    is on exactly one queue at any time; later arrivals stay. With --delay no get finds it for this time.

    Dry runs and redrives of a queue manager elsewhere browse its dead letters into a temporary copy first.

    Exit status: 0 all messages handled, or ignored by a rule; 2 mistakes in the table; 3 no messages; 9 messages are
    left, or would be in a dry run.
    """
    _check(given)
    if given["summary"] or given["suggest"]:
        by = fields_of(given["by"] or "reason")
        place = handle.LetterPlace(given["queue"], given["queue_manager"], at=given["at"])
        with open_letters(session, place, selection) as (q_name, found):
            return suggest(session, q_name, found) if given["suggest"] else summary(session, found, by)
    if given["redrive"]:
        return _redrive(session, selection, given)
    return _run_table(session, selection, given)


def _run_table(session: Session, selection: Selection, given: dict[str, Any]) -> int:
    try:
        table = read_table(session, given["rules"])
    except RulesTableError as error:
        show_findings(session, error, count=True)
        return USAGE
    show_findings(session, table, count=given["check"])
    if given["check"]:
        return 0
    place = handle.LetterPlace(given["queue"], given["queue_manager"], table, given["at"])
    options = {name: given[name] for name in ("explain", "once", "no_trash")}
    request = handle.HandleRequest(place, table, path=given["rules"], selection=selection, **options)
    if given["plan"] is not None:
        return plan(session, request, given["plan"], force=given["force"])
    if given["dry_run"] or given["explain"]:
        return handle.rehearse(session, request)
    return handle.handle(session, request)


def _redrive(session: Session, selection: Selection, given: dict[str, Any]) -> int:
    to = None
    if given["to"] is not None:
        q_name, _, q_mgr_name = given["to"].partition("@")
        if not q_name:
            raise UsageError(f"--to {given['to']}: a queue is needed")
        to = q_name, q_mgr_name
    request = RedriveRequest(selection, to, given["max_redrives"], round((given["delay"] or 0) * 1000))
    only_looks = given["dry_run"]
    place = handle.LetterPlace(given["queue"], given["queue_manager"], as_table(to), given["at"])
    with opened(session, place, only_looks=only_looks) as found:
        return rehearse(session, found, request) if only_looks else redrive(session, found, request)


#: Options that a summary and a redrive do not take.
_OF_A_TABLE = ("rules", "check", "explain", "once", "no_trash")


def _check(given: dict[str, Any]) -> None:
    """Raise UsageError for options that cannot be combined."""
    check_required(given, "summary", "by")
    check_required(given, "redrive", "to", "max_redrives", "delay")
    option = given_option(given, "dry_run", "explain", "check", "summary", "suggest", "redrive")
    if given["plan"] is not None and option:
        raise UsageError(f"--plan cannot be combined with {option}")
    check_required(given, "plan", "force")
    if given["at"] is not None and not given_option(given, "dry_run", "explain", "summary", "suggest"):
        raise UsageError("--at requires --dry-run, --explain, --summary or --suggest: the past cannot be changed")
    verb = next((name for name in ("suggest", "summary", "redrive") if given[name]), "")
    if verb:
        without = _OF_A_TABLE if verb == "redrive" else (*_OF_A_TABLE, "dry_run", "redrive")
        without = (*without, "summary") if verb == "suggest" else without
        if option := given_option(given, *without):
            raise UsageError(f"--{verb} cannot be combined with {option}")
        return
    if given["check"] and (given["dry_run"] or given["explain"] or given["once"]):
        raise UsageError("--check cannot be combined with --dry-run, --explain or --once: it reads no queue")
    from_stdin = given["rules"] in (None, "-")
    if from_stdin and click.get_current_context().params.get("ids") == "-":
        raise UsageError("cannot read both ids and rules from stdin", "--rules FILE")
