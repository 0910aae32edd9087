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
from .request import BATCH, LoadRequest

#: Word of --context to the option of the puts.
_CONTEXTS = {
    "all": MQPMO_SET_ALL_CONTEXT,
    "identity": MQPMO_SET_IDENTITY_CONTEXT,
    "default": MQPMO_NONE,
    "none": MQPMO_NO_CONTEXT,
}


@click.command("load")
@click.argument("queue")
@click.argument("file", required=False)
@click.option("--jsonl", is_flag=True, help="FILE is JSON lines, whatever its first bytes")
@click.option(
    "--batch",
    type=click_options.BATCH,
    default=str(BATCH),
    show_default=True,
    help="Messages in one unit; all: one unit of work",
)
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
@click_options.general
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Put the messages of FILE, or of standard input, on QUEUE as they were: the same data, the same descriptors.

    \b
    mqx load DLQ dlq.dump
    mqx load DLQ dlq.dump --dry-run --reason MQRC_Q_FULL
    mqx load ORDERS 'orders/%N.dump'
    mqx unload ORDERS -m QM1 | mqx load ORDERS -m QM2 --batch 1000
    mqx load ORDERS browsed.txt
    mqx load ORDERS recorded.dump --delay original --context default

    FILE is a dump of dmpmqmsg, QLOAD or mqx unload, a listing of amqsbcg or browse -o dump, or JSON lines; its first
    line tells. With %n or its kind in its name, files are read from number 1 until one is missing.

    A file is read whole before the first put. One with mistakes loads nothing: all of them are said, with file, line
    and column (2). Messages are put in units; a put that fails undoes its unit, and what was loaded before stays and is
    counted (9). From a pipe units are put while it is read; behind a mistake nothing is put, and the rest is read for
    more mistakes (9).

    Only this can change: a MsgId of zeros becomes a new one, CCSID 0 the queue manager's, a ReplyToQ without a queue
    manager gets ours; expiry begins again with what it was. Data is not looked at, so that damaged headers load too.

    With --strip-headers a dead letter is loaded as it was before it became one, and what lay on a transmission queue
    with its own descriptor; damaged headers stay. --context default loads messages as if they were put anew, by this
    user and now; identity keeps the user, none writes no context.

    With --delay each message is a unit of its own, and comes after a wait: so long, at random up to so long, or, with
    original, as long after the first as it was put after it; original:50% is twice as fast. With --batch too the wait
    is between units. The table of dmpmqmsg's options is in mqx man unload.

    Exit status: 0 loaded; 2 mistakes, nothing loaded; 3 no messages; 4 loaded with a warning; 5 unknown queue; 7 queue
    full or message too long; 8 puts inhibited; 9 some loaded, then a failure.
    """
    return load.load(
        session,
        LoadRequest(
            given["queue"],
            None if given["file"] in (None, "-") else given["file"],
            selection,
            jsonl=given["jsonl"],
            batch=pace.batch_of(given),
            strip_headers=given["strip_headers"],
            context=_CONTEXTS[given["context"]],
            pace=given["delay"],
            dry_run=given["dry_run"],
        ),
    )
