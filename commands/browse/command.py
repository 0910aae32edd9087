"""``mqx browse``: show messages without changing anything but marks."""

from __future__ import annotations

from typing import Any

import click

from mqtools.operations.selection import Selection

from ..shared import click_options, past
from ..shared.command_session import Session, UsageError
from .browse import browse_messages
from .request import BrowseRequest


@click.command("browse")
@click.argument("queue")
@click.option("-n", "number", type=click_options.Number(min=1), help="Number of messages; default: all")
@click.option("--all-states", is_flag=True, help="Include locked and uncommitted messages, with their state")
@click.option("--mark", is_flag=True, help="Mark the shown messages for the queue's co-operating readers")
@click.option("--unmarked", is_flag=True, help="Show only messages that no co-operating reader has marked")
@click.option("-0", "--null", "null", is_flag=True, help="Separate raw messages by NUL instead of a newline")
@click.option("--force", is_flag=True, help="Write the exact bytes, also to a terminal")
@past.at
@click.option("--live", is_flag=True, help="Open the live browser: mqx tui")
@click_options.selection
@click_options.general
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Show the messages of QUEUE that any program could get now, in delivery order.

    \b
    mqx browse ORDERS
    mqx browse ORDERS --grep 'ACME' -i -o jsonl | jq .md.msg_id
    mqx browse DLQ --reason MQRC_Q_FULL --older 1h
    mqx browse ORDERS --mark --unmarked -n 10 -o jsonl
    mqx browse ORDERS --live --grep ACME
    mqx browse ORDERS --at -15m --all-states

    Nothing is changed, except marks: with --mark and --unmarked together several readers share a queue, and none sees
    what another has marked. A mark ends with its message, or after the interval MARKINT of the queue manager. --mark
    without --unmarked fails for messages that are already marked. --all-states includes locked and uncommitted
    messages.

    --at shows the queue as it was at a time: order, states, backout counts and what was left of each expiry. It needs
    JOURNAL(BODY) of the queue at that time; another time is refused (2) with the earliest that can be shown.

    Exit status: 0 shown; 2 a time that cannot be shown; 3 no messages; 5 unknown queue; 6 already marked; 8 gets
    inhibited (--all-states reads the queue nevertheless); 9 some marked, some not.
    """
    if given["live"]:
        return _live(session, selection, given)
    if given["all_states"] and (given["mark"] or given["unmarked"]):
        raise UsageError(
            "--all-states cannot be combined with --mark or --unmarked: only unlocked messages can be marked"
        )
    if given["at"] is not None and (given["mark"] or given["unmarked"]):
        raise UsageError("--at cannot be combined with --mark or --unmarked: the past has no marks")
    return browse_messages(
        session,
        BrowseRequest(
            given["queue"],
            limit=given["number"],
            selection=selection,
            all_states=given["all_states"],
            separator=b"\0" if given["null"] else b"\n",
            force=given["force"],
            mark=given["mark"],
            unmarked=given["unmarked"],
            at=given["at"],
        ),
    )


def _live(session: Session, selection: Selection, given: dict[str, Any]) -> int:
    from ..tui import TuiRequest, browse_live

    others = ("number", "all_states", "mark", "unmarked", "null", "force", "at")
    if session.output is not None or any(given[name] for name in others):
        raise UsageError("--live can only be combined with a selection: the browser shows all states and marks")
    return browse_live(session, TuiRequest(given["queue"], selection=selection))
