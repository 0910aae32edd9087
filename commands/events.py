"""``mqx events``: the event messages of a queue manager in words."""

from __future__ import annotations

import click

from mqtools.rules.events import EVENT_QUEUES

from .shared import click_options
from .shared.command_session import Session, UsageError
from .shared.instrumentation import MessageSelection, show_messages


@click.command("events")
@click.argument("queues", nargs=-1, metavar="[QUEUE]...")
@click.option("-n", "limit", type=click_options.Number(min=0), help="The latest events only; default: all")
@click.option("--get", "gets", is_flag=True, help="Remove the events from their queues")
@click.option("-f", "--follow", is_flag=True, help="Then show new events, until interrupted")
@click_options.general_elsewhere
def command(session: Session, queues: tuple[str, ...], limit: int | None, gets: bool, follow: bool) -> int:
    """Show the events of a queue manager: what each is, about which object, and its parameters.

    \b
    mqx events
    mqx mqsc "ALTER QMGR PERFMEV(ENABLED)" "ALTER QLOCAL(ORDERS) QDPHIEV(ENABLED)"
    mqx events -n 0 --follow
    mqx events --get -o jsonl SYSTEM.ADMIN.PERFM.EVENT
    mqx events -o jsonl | jq 'select(.reason == "MQRC_NOT_AUTHORIZED")'

    Without QUEUE, the events of SYSTEM.ADMIN.QMGR.EVENT, PERFM.EVENT, CHANNEL.EVENT, CONFIG.EVENT and COMMAND.EVENT are
    shown, sorted by time. They stay on their queues; --get removes each event after printing it. QUEUE can be any other
    queue with PCF messages; there --get fails at a message that is not PCF, and leaves it.

    Most events are off in a new queue manager. ALTER QMGR enables them with AUTHOREV, INHIBTEV, LOCALEV, REMOTEEV,
    STRSTPEV, PERFMEV, CHLEV, SSLEV, CONFIGEV and CMDEV. Performance events also need QDPHIEV, QDPLOEV, QDPMAXEV or
    QSVCIEV of the queue.

    JSON keys: at, queue, event, reason, qualifier, object, parameters, msg_id, error. Parameters and their values have
    the names of MQ. A message that is not PCF has an error.

    Exit status: 0; 3 there is no event; 5 unknown queue manager or queue; 130, 143 --follow was ended by SIGINT,
    SIGTERM.
    """
    if gets and limit is not None:
        raise UsageError("-n cannot be combined with --get")
    session.refuse_elsewhere({"follow": follow}, "follow")
    names = queues or tuple(EVENT_QUEUES.values())
    return show_messages(session, MessageSelection(names, limit=limit, removes=gets, follows=follow))
