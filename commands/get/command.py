"""``mqx get``: get messages from a queue."""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import Any

import click

from mqtools.constants.options import MQGMO_ACCEPT_TRUNCATED_MSG, MQWI_UNLIMITED
from mqtools.operations.selection import Selection

from ..browse.browse import browse_messages
from ..browse.group_options import GroupOptions, parse_group_options
from ..browse.request import BrowseRequest
from ..shared import click_options
from ..shared.command_session import Session, UsageError
from ..shared.dependent_options import check_required
from ..shared.messages import Shape
from ..shared.separator import separator_of, separator_options
from ..shared.template_option import check_template, template_option
from . import exec_options, get
from .exec import get_and_run
from .groups import show
from .held import get_held
from .request import GetRequest

_DEFAULT_CCSID = "1208"


class _Get(click.Command):
    """Command with an option whose value is optional: ``--convert`` before anything but a number."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        followed = zip_longest(args, args[1:], fillvalue="")
        bare = [word == "--convert" and not after.isdecimal() for word, after in followed]
        args = [f"{word}={_DEFAULT_CCSID}" if is_bare else word for word, is_bare in zip(args, bare, strict=True)]
        return super().parse_args(ctx, args)


@click.command("get", cls=_Get)
@click.argument("queue")
@click.option("-n", "number", type=click_options.Number(min=1), help="Number of messages; default: 1")
@click.option("--all", "everything", is_flag=True, help="All messages")
@click.option("--wait", type=click_options.DURATION, default="0", help="Time to wait for each message; default: 0")
@click.option(
    "--follow", is_flag=True, help="Wait for more messages until interrupted, or until the reader of the output is gone"
)
@click_options.confirm_id("Leave the get unconfirmed until mqx confirm get")
@click.option("--lease", type=click_options.LEASE, help="With --confirm-id: undo the get after this time")
@click.option("--lock-id", type=click_options.LOCK_ID, help="Get messages that mqx lock has locked under this id")
@click.option("--logical-order", is_flag=True, help="Get groups and segments in logical order")
@click.option("--complete", is_flag=True, help="Reassemble segments: only complete logical messages")
@click.option(
    "--all-available",
    is_flag=True,
    help="Only complete groups; several messages in logical order",
)
@click.option(
    "--convert",
    type=click_options.Number(1, 65535),
    metavar="[CCSID]",
    help="Convert the data to a character set; default: 1208 (UTF-8)",
)
@click.option(
    "--max-length",
    type=click_options.SIZE,
    metavar="SIZE",
    help="Maximum message length; a longer message stays on the queue",
)
@click.option("--accept-truncated", is_flag=True, help="With --max-length: truncate a longer message")
@separator_options
@template_option()
@click.option("--force", is_flag=True, help="Write the exact bytes, also to a terminal")
@exec_options.options
@click_options.rate
@click.option("--dry-run", is_flag=True, help="Show the messages that a get would remove, and leave them")
@click_options.selection
@click_options.general_elsewhere
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Get messages from QUEUE: the first one, or the selected ones.

    \b
    mqx get ORDERS --wait 30s --confirm-id 7 --lease 5m && ./work && mqx confirm get ORDERS --confirm-id 7
    mqx get ORDERS --all -o jsonl > orders.jsonl
    mqx get ORDERS -n 10 --where "colour = 'red' AND Root.MQMD.Priority > 5"
    mqx get JOBS --follow --exec './work' --convert --parallel 4 --timeout 5m
    mqx get ORDERS --follow --exec ./price --to PRICED --split lines
    mqx get BATCH --all --logical-order --complete --all-available

    mqx writes a message out before it removes it. When the reader is gone or the disk is full, the message stays on the
    queue. A wait ends when the reader is gone. Without -o only the data is written, exact for a single message. With
    --all, -n above 1 or --follow each message ends with a newline, or as -0 and --separator say. --template has the
    placeholders of mqx browse.

    --logical-order starts with the first message of a group and continues with that group until its last; it can be
    combined with one --group-id, and no other selection. When it ends inside a group, that is a warning (4): the rest
    stays, and a later run in logical order does not start with it. Data that cannot be converted comes unconverted,
    with a warning. --exec can be combined only with --complete and --convert of these, --confirm-id and --lock-id only
    with --convert.

    With --lease, the end of the lease undoes all gets of the confirm id, as mqx undo does. Each get with --lease renews
    the lease and never shortens it. No program has to run: the next one that looks undoes the gets, and waiting gets
    wake. The event in the journal is lease.

    The environment of an --exec command has the fields of the message as MQX_MSG_ID, MQX_CORREL_ID and so on, and
    properties as MQX_PROPERTY_NAME; one that is too long (128 KB) as MQX_PROPERTY_NAME_FILE, a file with its value.

    --to and --reply put the output, up to 104857600 bytes, in the unit of work that gets the message. No output is no
    message; --split makes one of each line, NUL-ended piece or JSON object. A message for --to inherits priority,
    persistence, expiry, correlation id and properties; JSON may set others. The report options define the ids of a
    reply. A message is backed out when it has no reply-to queue, or when the put fails.

    --exec-batch 50 gives a command up to 50 messages as JSON lines, or with -0 their data, each ended by NUL. Its exit
    status commits or backs out all. A message that was backed out before is alone. Output has a default descriptor.

    A message whose command fails is backed out, which increments its backout count. On a queue with BOTHRESH it is
    tried again after a pause, at most a minute, until its backout count reaches BOTHRESH; then it is moved to BOQNAME,
    or else to the dead-letter queue with MQRC_BACKOUT_THRESHOLD_REACHED (2362). Without BOTHRESH it is tried once and
    stays. --parallel never gives one message to two commands; the order of processing may change.

    After SIGTERM or SIGINT mqx gets no further message. Running commands have the time of --grace to end; exit status 0
    commits the get. The other messages go back with the same backout count. A second signal ends the grace at once.
    After --max-run no command is started: the running ones end, and the exit status is 0.

    A command runs in its own process group, so it cannot read from the terminal. The group gets SIGTERM, and SIGKILL 2
    s later, when --timeout or --grace is over. If mqx is killed, the group gets SIGTERM (Linux). No program gets the
    message until the command and all processes that inherited its open files have ended.

    Exit status: 0 got; 1 no message has a reply-to queue; 3 no messages; 4 got, but truncated, not converted, or a
    group in part; 5 unknown queue; 7 longer than --max-length; 8 gets inhibited; 9 some got, then a failure, or a
    command failed and its message stays or was moved; 10 disk full; 141 the reader of the output is gone. After SIGINT
    130, after SIGTERM 143; --follow --exec ends with 0 after SIGTERM.
    """
    return _run(session, selection, given)


def _run(session: Session, selection: Selection, given: dict[str, Any]) -> int:
    session.refuse_elsewhere(given, "confirm_id", "lock_id")
    _check(given)
    check_template(given["template"], session)
    request = _request(given, selection)
    if request.dry_run and request.group_options is not None and request.group_options.is_about_groups:
        return show(session, request)
    if given["exec"]:
        session.refuse_elsewhere(given, "exec_batch", "complete", "logical_order", "all_available", "dry_run")
        return get_and_run(session, request, exec_options.request_of(given))
    if given["confirm_id"] or given["lock_id"]:
        return get_held(session, request, given["confirm_id"] or 0, given["lock_id"] or b"")
    if given["dry_run"]:
        return browse_messages(
            session, BrowseRequest(given["queue"], limit=request.limit, selection=selection, shape=request.shape)
        )
    return get.get_messages(session, request)


def _request(given: dict[str, Any], selection: Selection) -> GetRequest:
    limit = None if given["everything"] or (given["follow"] and not given["number"]) else given["number"] or 1
    separator = separator_of(given["null"], given["separator"])
    group_options = _asked(given, selection, limit)
    options = GetRequest.options | (group_options.options if group_options else 0)
    own = {name: given[name] for name in ("queue", "max_length", "force", "dry_run", "rate")}
    return GetRequest(
        limit=limit,
        wait_ms=MQWI_UNLIMITED if given["follow"] else math.ceil(given["wait"] * 1000),
        options=options | (MQGMO_ACCEPT_TRUNCATED_MSG if given["accept_truncated"] else 0),
        selection=selection,
        ending=b"" if limit == 1 else separator,
        group_options=group_options,
        shape=None if given["template"] is None else Shape(template=given["template"]),
        lease_s=None if given["lease"] == math.inf else given["lease"],
        **own,
    )


def _check(given: dict[str, Any]) -> None:
    """Raise UsageError for options that cannot be combined or have an invalid value."""
    if given["everything"] and given["number"]:
        raise UsageError("-n cannot be combined with --all")
    exec_options.check(given)
    check_required(given, "confirm_id", "lease")
    if given["rate"] is not None and (given["confirm_id"] or given["lock_id"]):
        raise UsageError("--rate cannot be combined with --confirm-id or --lock-id")


def _asked(given: dict[str, Any], selection: Selection, limit: int | None) -> GroupOptions | None:
    if not any(given[name] for name in ("logical_order", "complete", "all_available", "convert")):
        return None
    return parse_group_options(given, selection, limit)
