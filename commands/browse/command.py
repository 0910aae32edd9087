"""``mqx browse``: show messages without changing anything but marks."""

from __future__ import annotations

from typing import Any

import click

from mqtools.formats.message_values import check_column
from mqtools.formats.units import rfc3339
from mqtools.operations.selection import Selection

from ..shared import click_options, past
from ..shared.command_session import Session, UsageError, given_option
from ..shared.live_browser import TuiRequest, browse_live
from ..shared.messages import Shape
from ..shared.separator import separator_of, separator_options
from ..shared.template_option import check_template, template_option
from .browse import browse_messages
from .group_options import GroupOptions, parse_group_options
from .request import BrowseRequest

#: Options on the messages that are shown that neither --live nor --follow knows.
_ALONE = ("all_states", "mark", "unmarked", "at")
#: Options on the order and form of the output.
_FORMS = ("logical_order", "complete", "template", "columns", "sort", "tz")


@click.command("browse")
@click.argument("queue")
@click.option("-n", "number", type=click_options.Number(min=0), help="Number of messages; default: all")
@click.option("-f", "--follow", is_flag=True, help="Then show each message that arrives, until interrupted")
@click.option("--all-states", is_flag=True, help="Include locked and uncommitted messages, with their state")
@click.option("--mark", is_flag=True, help="Mark the shown messages for the queue's co-operating readers")
@click.option("--unmarked", is_flag=True, help="Show only messages that no co-operating reader has marked")
@separator_options
@click.option("--force", is_flag=True, help="Write the exact bytes, also to a terminal")
@click.option("--logical-order", is_flag=True, help="Messages of a group one after the other, as in MQGET")
@click.option("--complete", is_flag=True, help="Only whole logical messages, reassembled from their segments")
@template_option("--format")
@click.option("--columns", metavar="NAMES", help="Columns, separated by commas: msg_id,age,properties.colour")
@click.option("--sort", metavar="[-]COLUMN", help="Sort by a column; - before it reverses the order")
@click.option("--tz", type=click_options.TIMES, metavar="ZONE", help="Time zone of times: UTC, local, Europe/Zurich")
@past.at
@click.option("--live", is_flag=True, help="Deprecated: use mqx tui")
@click_options.selection
@click_options.general
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Show the messages of QUEUE that any program could get now, in delivery order.

    \b
    mqx browse ORDERS --grep 'ACME' -i -o jsonl | jq .md.msg_id
    mqx browse ORDERS --template '%i %a %s %r %d\\n'
    mqx browse ORDERS --columns msg_id,age,put_appl_name,properties.colour --sort -age
    mqx browse ORDERS --follow -n 0 -o jsonl
    mqx browse ORDERS --at -15m --all-states

    A table is fitted to the terminal: less important columns are left out, the middle of long names is cut; --wide
    shows everything. Columns: msg_id, state, lock_id, put_at, age, priority, type, format, length, data, queue, qmgr,
    reason and destination (of dead letters), every field of the descriptor (correl_id, put_appl_name, ...), and
    properties.NAME.

    Placeholders of --template: %q queue, %Q queue manager, %i message id, %c correlation id, %g group id, %p priority,
    %t put time, %a age, %s length, %f format, %r reason and %d destination of a dead letter, %b data, %%; escapes: \\n
    \\t \\r \\0 \\\\. mqx adds nothing: end the template with \\n for a line a message. The data is exact, unless it
    goes to a terminal.

    Nothing is changed, except marks: with --mark and --unmarked together several readers share a queue, and none sees
    what another has marked. A mark ends with its message, or after the interval MARKINT of the queue manager. --mark
    without --unmarked fails for messages that are already marked. --all-states includes locked and uncommitted
    messages.

    --follow then shows each message that arrives, in the order of arrival, and leaves it on the queue. A message that
    was put in a unit of work arrives with its commit. -n 5 first shows the last five messages, -n 0 none.

    --at shows the queue as it was at a time: order, states, backout counts and remaining expiry. It needs
    JOURNAL(BODY) of the queue at that time; another time is refused (2) with the earliest that can be shown.

    Exit status: 0 shown; 2 a time that cannot be shown; 3 no messages; 5 unknown queue; 6 already marked; 8 gets
    inhibited (--all-states reads the queue nevertheless); 9 some marked, some not. --follow
    ends with 130 after SIGINT, with 143 after SIGTERM, with 141 when the reader of the output is gone.
    """
    if given["live"]:
        return _live(session, selection, given)
    session.refuse_elsewhere(given, "all_states", "mark", "unmarked", "at")
    _check_marks(given)
    _check_follow(selection, given)
    shape = shape_of(session, given)
    own = {name: given[name] for name in ("queue", "all_states", "force", "mark", "unmarked", "at", "follow")}
    separator, options = separator_of(given["null"], given["separator"]), _groups_of(selection, given)
    request = BrowseRequest(
        limit=given["number"], selection=selection, separator=separator, shape=shape, group_options=options, **own
    )
    return browse_messages(session, request)


def _check_marks(given: dict[str, Any]) -> None:
    """Raise UsageError for what cannot be combined with --mark or --unmarked."""
    if not (given["mark"] or given["unmarked"]):
        return
    if given["all_states"]:
        raise UsageError(
            "--all-states cannot be combined with --mark or --unmarked: only unlocked messages can be marked"
        )
    if given["at"] is not None:
        raise UsageError("--at cannot be combined with --mark or --unmarked: the past has no marks")


def _check_follow(selection: Selection, given: dict[str, Any]) -> None:
    """Raise UsageError for what cannot be combined with --follow, or means something with it alone."""
    if not given["follow"]:
        if given["number"] == 0:
            raise UsageError("-n 0 needs --follow")
        return
    if option := given_option(given, *_ALONE, "logical_order", "complete", "sort"):
        raise UsageError(f"{option} cannot be combined with --follow")
    if selection.first or selection.last or selection.older_s is not None:
        raise UsageError("--pos and --older cannot be combined with --follow: what arrives is last, and new")


def shape_of(session: Session, given: dict[str, Any]) -> Shape:
    """Return the form of the output that --template, --columns, --sort and --tz ask for. Raise UsageError."""
    check_template(given["template"], session)
    if given["template"] is not None and given["columns"]:
        raise UsageError("--template cannot be combined with --columns: it is the whole output")
    try:
        columns = tuple(check_column(name.strip()) for name in (given["columns"] or "").split(",") if name.strip())
        sort = given["sort"] or ""
        if sort:
            sort = "-" * sort.startswith("-") + check_column(sort.removeprefix("-"))
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Shape(columns, sort, given["template"], given["tz"] or rfc3339)


def _groups_of(selection: Selection, given: dict[str, Any]) -> GroupOptions | None:
    """Return the options for groups, None without any. Raise UsageError for what cannot be combined with them."""
    if not (given["logical_order"] or given["complete"]):
        return None
    if option := given_option(given, "all_states", "mark", "unmarked"):
        raise UsageError(f"{option} cannot be combined with --logical-order or --complete")
    others = {"all_available": False, "convert": None, "exec": None, "confirm_id": None, "lock_id": None}
    return parse_group_options({**given, **others}, selection, given["number"])


def _live(session: Session, selection: Selection, given: dict[str, Any]) -> int:
    others = ("number", "follow", "null", "separator", "force", *_ALONE, *_FORMS)
    if session.output is not None or any(given[name] for name in others):
        raise UsageError("--live can only be combined with a selection: the browser shows all states and marks")
    session.note(f"hint: --live is deprecated; use mqx tui {given['queue']}")
    return browse_live(session, TuiRequest(given["queue"], selection=selection))
