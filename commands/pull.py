"""``mqx pull``: copy messages of another queue manager here as they are."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import Any

import click

from mqtools.configuration.locate import is_elsewhere
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.mqi.connection import Connection
from mqtools.mqi.identity import now_ms
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.elsewhere.definitions import Definitions, Inquire, inquire_by_pcf, inquire_in_file
from mqtools.operations.elsewhere.pull import Pull, group_messages
from mqtools.operations.stored_messages import as_message
from mqtools.rules.message_forms import stored_form

from .shared import click_options
from .shared.command_session import NOTHING_THERE, PARTLY, Session, Terminated, UsageError
from .shared.counts import print_totals
from .shared.deferred_signals import DeferredSignals
from .shared.places import read_place
from .shared.progress import ProgressBar


@click.command("pull")
@click.argument("queues", metavar="[REMOTE:]QUEUE...", nargs=-1, required=True)
@click.option("--definitions", is_flag=True, help="Define the queues that the messages name, where they are missing")
@click_options.most
@click.option("--dry-run", is_flag=True, help="Show what would come, without changing anything")
@click_options.selection
@click_options.general
def command(session: Session, queues: tuple[str, ...], **given: Any) -> int:
    """Copy the selected messages of QUEUE, or all, from another queue manager to the same queue of this one.

    \b
    mqx pull PROD:DLQ -m LAPTOP --definitions
    mqx pull PROD:DLQ PROD:ORDERS --newer 1h
    mqx pull mq://app@mq.example.com/DEV.APP.SVRCONN:DLQ --reason MQRC_Q_FULL

    REMOTE is a remote of mqx remote add, an address, or another queue manager here. Pull browses the messages: nothing
    changes there. A copy has the descriptor, properties, headers and data of its original. It does not expire, and
    causes no reports. Pull skips messages that are here already, by MsgId, put time and content. So a second pull adds
    new messages, and those that you have removed here. After an interruption repeat the command.

    --definitions defines the target queues, and those that dead-letter headers and reply-to fields name, as on the
    other queue manager, without triggers and channels. It does not change existing queues.

    Exit status: 0 also when everything was here already; 3 no messages there; 5 the queue is missing here.
    """
    pulls: list[Pull] = []
    places: list[tuple[str, str]] = []
    for word in queues:
        places.append(read_place(word, places[-1][0] if places else ""))
    with session.connect() as connection, ExitStack() as opened:
        sources = {
            name: _source(session, name, connection, opened) for name in dict.fromkeys(name for name, _ in places)
        }
        try:
            for name, q_name in places:
                there, inquire = sources[name]
                definitions = Definitions(connection, there.name, inquire)
                pulls.append(Pull(connection, there.q_mgr_id, q_name, dry_run=given["dry_run"]))
                _pull(session, definitions, there, pulls[-1], given)
        except (KeyboardInterrupt, Terminated):
            _print(session, pulls)
            raise
        except MQError as error:
            if not any(each.pulled for each in pulls):
                raise
            session.report_error(error)
            _print(session, pulls)
            return PARTLY
    _print(session, pulls)
    return 0 if any(each.pulled or each.here for each in pulls) else NOTHING_THERE


def _source(
    session: Session, name: str, connection: Connection, opened: ExitStack
) -> tuple[QueueManagerConnection, Inquire]:
    """Connect to a queue manager to pull from; return what inquires its queues, too. Raise UsageError, MQError."""
    there: QueueManagerConnection
    if is_elsewhere(name):
        there = remote = opened.enter_context(session.connect_elsewhere(name, changes=False))
        inquire = partial(inquire_by_pcf, remote.pcf)
    else:
        there = local = opened.enter_context(session.connect(name))
        inquire = partial(inquire_in_file, local)
    if there.q_mgr_id == connection.q_mgr_id:
        raise UsageError(f"{there.name} is the queue manager to pull to", "-m LOCAL")
    return there, inquire


def _pull(
    session: Session, definitions: Definitions, there: QueueManagerConnection, pull: Pull, given: dict[str, Any]
) -> None:
    connection, q_name = definitions.connection, pull.q_name
    brings = given["definitions"] and not given["dry_run"]
    try:
        source = BrowsedQueue(there, q_name, exact=stored_form)
    except MQError as error:
        if error.reason == MQRC_UNKNOWN_OBJECT_NAME:
            error.text += f" on {there.name}"
        raise
    with source as queue:
        found = queue.select(given["selection"], limit=given["limit"])
        if brings:
            definitions.bring(q_name)
        try:
            pull.check()
        except MQError as error:
            if error.reason != MQRC_UNKNOWN_OBJECT_NAME:
                raise
            raise MQError(
                f"queue {q_name} does not exist on {connection.name}",
                error.reason,
                hint=f"--definitions defines it as on {there.name}, or: mqx mqsc 'DEFINE QLOCAL({q_name})'",
            ) from error
        messages = (as_message(stored, stored.data or b"", now_ms()) for stored in found)
        with ProgressBar(session, f"pulling {q_name}", None) as bar:
            for batch in group_messages(messages):
                if brings:
                    definitions.bring_named_by(batch)
                with DeferredSignals(connection):
                    refused = pull.add(batch)
                if refused is not None:
                    raise refused
                bar.advance(len(batch))
    for name, object_type in definitions.made.items():
        words = f"for {connection.name}" if name == there.name else f"as on {there.name}"
        session.note(f"defined {object_type} {name} {words}")


def _print(session: Session, pulls: list[Pull]) -> None:
    pulled, here = (sum(getattr(each, name) for each in pulls) for name in ("pulled", "here"))
    is_dry = any(each.dry_run for each in pulls)
    text = f"{'would have pulled' if is_dry else 'pulled'} {counted(pulled)}"
    if here:
        text += f"; {here} here already"
    print_totals(session, text, pulled, {"would_pull" if is_dry else "pulled": pulled, "here": here})
