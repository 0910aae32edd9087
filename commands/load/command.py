"""``mqx load``: put the messages of a dump on a queue."""

from __future__ import annotations

from typing import Any

import click

from mqtools.constants.options import (
    MQPMO_NO_CONTEXT,
    MQPMO_NONE,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SET_IDENTITY_CONTEXT,
)
from mqtools.operations.selection import Selection

from ..shared import click_options, pace
from ..shared.command_session import Session
from . import load
from .input import BATCH, LoadRequest

#: Word of --context to the option of the puts.
_CONTEXTS = {
    "all": MQPMO_SET_ALL_CONTEXT,
    "identity": MQPMO_SET_IDENTITY_CONTEXT,
    "default": MQPMO_NONE,
    "none": MQPMO_NO_CONTEXT,
}


@click.command("load")
@click.argument("queue")
@click.argument("file", required=False, callback=click_options.none_for_stream)
@click.option("--jsonl", is_flag=True, help="Read FILE as JSON lines without looking at its first bytes")
@click_options.batch(BATCH, "Messages in one unit; all: one unit of work")
@click.option("--strip-headers", is_flag=True, help="Remove MQDLH and MQXQH (-h of dmpmqmsg)")
@click.option(
    "--context",
    type=click.Choice(list(_CONTEXTS)),
    default="all",
    show_default=True,
    help="Context to keep: user, application and put time; default: all",
)
@pace.option
@click.option("--dry-run", is_flag=True, help="Read the input and show what would be loaded, without loading it")
@click_options.selection
@click_options.general_elsewhere
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Load the messages of FILE, or of standard input, onto QUEUE unchanged: same data, same descriptors.

    \b
    mqx load DLQ dlq.dump
    mqx load DLQ dlq.dump --dry-run --reason MQRC_Q_FULL
    mqx load ORDERS 'orders/%N.dump'
    mqx unload ORDERS -m QM1 | mqx load ORDERS -m QM2 --batch 1000
    mqx load ORDERS browsed.txt
    mqx load ORDERS recorded.dump --delay original --context default

    FILE is a dump (dmpmqmsg, QLOAD, mqx unload), a listing (amqsbcg, browse -o listing) or JSON lines. Its first line
    decides. With %n or a similar placeholder in its name, files are read from number 1 until one is missing.

    A file is read completely before the first put. A file with mistakes loads nothing: all mistakes are reported with
    file, line and column (2). Messages are put in units; a put that fails backs out its unit, and messages loaded
    before stay and are counted (9). From a pipe units are put while it is read; after a mistake nothing more is put,
    and the rest is read for further mistakes (9).

    Only these change: a MsgId of zeros becomes a new one, CCSID 0 that of the queue manager, a ReplyToQ without a queue
    manager gets the local one; expiry starts again at its value. Data is not checked, so that damaged headers can be
    loaded.

    With --strip-headers a dead letter is loaded as the original message, and a message of a transmission queue with its
    original descriptor; damaged headers stay. --context default loads messages as new puts by this user at this time;
    identity keeps the user, none writes no context.

    With --delay each message is a unit of its own, after a delay: a fixed time, a random time, or with original the
    time between the original puts; original:50% is twice as fast. With --batch the delay is between units. A table of
    the options of dmpmqmsg is in mqx man unload.

    Exit status: 0 loaded; 2 mistakes, nothing loaded; 3 no messages; 4 loaded with a warning; 5 unknown queue; 7 queue
    full or message too long; 8 puts inhibited; 9 some loaded, then a failure.
    """
    settled = {"batch": pace.batch_of(given), "context": _CONTEXTS[given["context"]]}
    return load.load(session, LoadRequest(**{**given, **settled}, selection=selection))
