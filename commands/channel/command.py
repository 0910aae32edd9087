"""``mqx channel``: run message channels between queue managers, and manage them."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from mqtools.admin import channel_status, channels
from mqtools.admin.channel_status import Status
from mqtools.channel import caller
from mqtools.channel.exit_point import exit_folders as configured_folders
from mqtools.channel.transport import address_of_option
from mqtools.configuration import settings
from mqtools.configuration.settings import MOST_CHANNELS
from mqtools.constants.names import name_or_number
from mqtools.formats.mqsc.script import quote
from mqtools.formats.rows import Column
from mqtools.formats.units import rfc3339
from mqtools.network.dispatch import Limits

from ..mqsc import run_text
from ..shared import click_options
from ..shared.command_session import Session, UsageError
from ..shared.counts import print_result
from ..shared.group import CommandGroup
from ..shared.output_rows import print_rows
from ..shared.read_only import connect_read_only
from . import channel

_COLUMNS = (
    Column("name", "channel"),
    Column("type"),
    Column("state"),
    Column("xmit_q", "xmitq"),
    Column("peer"),
    Column("batches", align="right"),
    Column("messages", align="right"),
    Column("bytes", align="right"),
    Column("sequence", align="right"),
    Column("indoubt_sequence", "in_doubt", "right"),
    Column("last_message_at", "last_message"),
    Column("last_error"),
)


@click.group("channel", cls=CommandGroup)
@click_options.general
def command(session: Session) -> None:
    """Run message channels between queue managers: over ssh or any command, over TCP with TLS, or on one machine.

    A channel is defined at both ends under one name, with mqx mqsc or mqx channel define: a sender (CHLTYPE SDR) gets
    messages from its transmission queue, a receiver (RCVR) puts them on their destination queues. Messages are sent in
    batches, each one unit of work at both ends: no failure loses or duplicates a persistent message.

    \b
    mqx channel start QM1.TO.QM2 --drain
    mqx channel start QM1.TO.QM2 --to 'ssh host mqx channel receive QM2'
    mqx channel listen --port 1414
    mqx channel status
    mqx channel stop QM1.TO.QM2

    PCF commands that arrive over a channel are rejected unless the queue manager has RCMDS(YES): see mqx explain RCMDS.

    Exit status: 1 connection or protocol failed; 5 unknown channel or queue manager at either end; 6 in use, or a batch
    in doubt that needs mqx channel resolve; 8 stopped, or the transmission queue is inhibited.

    SIGTERM and SIGINT end start, receive and listen after the current batches, with exit status 0 and 130; a second
    signal ends them at once.
    """


@command.command("start", short_help="Send the messages of the transmission queue")
@click.argument("name")
@click.option("--drain", is_flag=True, help="Make one attempt, and end when no more can be sent")
@click.option(
    "--to", metavar="CONNAME", help="Connection name, instead of CONNAME; or a command that runs the other end"
)
@click_options.general
def start(session: Session, name: str, drain: bool, to: str | None) -> int:
    """Run the channel NAME in the foreground until it is stopped, with the retries of its definition.

    \b
    mqx channel start QM1.TO.QM2
    mqx channel start QM1.TO.QM2 --drain
    mqx channel start QM1.TO.QM2 --to 'host(1414)'
    mqx channel start QM1.TO.QM2 --to qmgr:QM2 --drain
    mqx channel start QM1.TO.QM2 --to 'ssh host mqx channel receive QM2'

    CONNAME is 'host(port)', several separated by commas; 'qmgr:NAME' or 'qmgr:PATH' for a queue manager on this
    machine; 'unix:/PATH' for a listener on a UNIX socket; or 'exec:COMMAND'. A sender or server sends; a requester asks
    the server at the other end to send. A stopped channel may run again; for a stopped receiver nothing else is done.
    Locked and uncommitted messages stay.

    With --drain the exit status is 9 when a message could not be sent, or could not be delivered at the other end:
    there it was put on a dead-letter queue or discarded. -o json writes the totals to stderr, too.
    """
    return channel.start(session, name, drains=drain, to=to)


@command.command("receive", short_help="Serve one peer on standard input and output")
@click.argument("queue_manager", metavar="[QMGR]", required=False)
@click_options.general
def receive(session: Session, queue_manager: str | None) -> int:
    """Serve one peer on standard input and output, as started by the other end with ssh or another command.

    QMGR is the same as -m QMGR. Messages for people go to standard error.

    \b
    mqx channel receive
    mqx channel receive QM2
    """
    return channel.receive(session, queue_manager)


@command.command("listen", short_help="Serve peers that connect over TCP or a UNIX socket")
@click.option("--port", type=click_options.Number(0, 65535), help="TCP port; 0: any free port")
@click.option("--unix", "path", metavar="PATH", help="UNIX socket instead of a port")
@click.option(
    "--allow-uid",
    "users",
    metavar="USER",
    multiple=True,
    help="User, by name or number, that may also call on the UNIX socket; may be repeated",
)
@click.option("--address", default="127.0.0.1", show_default=True, help="Local address to listen on")
@click.option(
    "--idle",
    type=click_options.DURATION,
    default="30s",
    show_default=True,
    help="Disconnect a peer that sends nothing for this time",
)
@click.option(
    "--handshake-timeout",
    "greeting",
    type=click_options.DURATION,
    default="10s",
    show_default=True,
    help="Disconnect a peer whose TLS handshake and first message take longer",
)
@click.option(
    "--max-connections",
    type=click_options.Number(1, MOST_CHANNELS),
    help="Maximum number of peers at a time (channel.max_channels, 100)",
)
@click.option(
    "--max-per-address",
    type=click_options.Number(1, 10000),
    default=50,
    show_default=True,
    help="Maximum number of peers of one address, or user with --unix",
)
@click.option(
    "--exit-folder",
    "exit_folders",
    metavar="FOLDER",
    multiple=True,
    help="Folder below which MSGEXIT('REFERENCE') may write files; may be repeated",
)
@click.option("--insecure", is_flag=True, help="Also serve peers without TLS, which are not authenticated")
@click_options.general
def listen(session: Session, port: int | None, path: str | None, users: tuple[str, ...], **given: Any) -> int:
    """Serve peers that connect over TCP or a UNIX socket, until interrupted.

    A channel with SSLCIPH is served only over TLS, with the certificates that mqx config explain shows under tls. The
    certificate of the other end must be signed by one of tls.trust, and must name its queue manager or match SSLPEER.

    MQI clients are served too: mqx serve --help says which of them get in.

    Message channels without TLS are rejected unless --insecure is given. Then anyone who can connect to the port can
    put messages on every queue, under any name, through any receiving channel without SSLCIPH. The network traffic is
    readable. With the default address 127.0.0.1 these are all users of this machine, even if the file mode of the queue
    manager excludes them.

    With --unix the peers are programs on this machine: CONNAME('unix:/PATH') at the sender. The kernel says which user
    calls; only the user that runs the listener may, and those of --allow-uid and channel.allow_uids in the
    configuration. The socket is removed at the end.

    A peer that sends nothing, or not a whole first message in time, is disconnected, and one too many is refused; what
    was refused and why is printed on stderr. A listener that has no file descriptor left drops peers and continues.

    Files of reference messages are written only below the folders of --exit-folder and of channel.exit_folders in the
    configuration; without one, a channel with MSGEXIT('REFERENCE') is refused, and its messages stay at the sender.
    Channels that are not served by a listener (CONNAME('exec:...') and 'qmgr:...', mqx channel receive) are restricted
    where channel.exit_folders is set.

    \b
    mqx channel listen --port 1414
    mqx channel listen --port 1414 --exit-folder /srv/incoming
    mqx channel listen --port 1414 --address 0.0.0.0 --idle 1m --max-connections 20
    mqx channel listen -m QM2 --port 0 --insecure
    mqx channel listen --unix /run/user/1000/qm1.sock --allow-uid orders
    """
    if (port is None) == (path is None):
        raise UsageError("either --port or --unix is needed")
    most = given["max_connections"] or settings.value_of(settings.MAX_CHANNELS)
    limits = Limits(most, given["max_per_address"], given["greeting"], given["idle"])
    folders = (*map(os.path.abspath, given["exit_folders"]), *(configured_folders() or ()))
    if path is not None:
        return channel.listen_on_socket(session, path, users, limits, folders)
    if users:
        raise UsageError("--allow-uid needs --unix: over TCP nothing says which user calls")
    assert port is not None
    return channel.listen(session, given["address"], port, limits, folders, is_insecure=given["insecure"])


@command.command("status", short_help="Show the status of channels")
@click.argument("name", required=False)
@click_options.general
def status(session: Session, name: str | None) -> int:
    """Show state, partner and counters of all channels, or of the channel NAME.

    States: inactive, binding, running, retrying, stopped, indoubt. The sequence number counts messages and is the same
    at both ends after a batch. A receiver has one row for each queue manager that sends to it.

    The last error is what the channel failed with since both ends last agreed: its latest entry in the error log
    (mqx log). In JSON last_error has at, reason and message, or is null.

    \b
    mqx channel status
    mqx channel status QM1.TO.QM2 -o json | jq '.[].state'
    mqx channel status QM1.TO.QM2 -o json | jq -r '.[].last_error.message'
    """
    output = session.list_output
    with connect_read_only(session) as connection:
        rows = [_row(status, output) for status in channel_status.statuses(connection, name)]
    print_rows(session, rows, _COLUMNS, output)
    return 0


@command.command("ping", short_help="Check that the other end answers")
@click.argument("name")
@click.option("--to", metavar="CONNAME", help="Connection name, instead of CONNAME")
@click_options.general
def ping(session: Session, name: str, to: str | None) -> int:
    """Check that the other end of the channel NAME answers and knows the channel; no message is sent.

    \b
    mqx channel ping QM1.TO.QM2
    """
    with session.connect() as connection:
        begun = time.monotonic()
        peer = caller.ping(connection, name, to=None if to is None else address_of_option(to), note=session.note)
    took_ms = round((time.monotonic() - begun) * 1000)
    text = f"queue manager {peer} answers on channel {name} in {took_ms} ms"
    print_result(session, text, {"channel": name, "peer": peer, "took_ms": took_ms})
    return 0


@command.command("stop", short_help="Stop a channel")
@click.argument("name")
@click_options.general
def stop(session: Session, name: str) -> int:
    """Stop the channel NAME: a running channel ends after its batch, and no messages pass until the channel is started.

    \b
    mqx channel stop QM1.TO.QM2
    """
    with session.connect() as connection, connection.work() as work:
        channels.stop_channel(work, name)
    print_result(session, f"channel {name} stopped", {"channel": name, "state": "stopped"})
    return 0


@command.command("reset", short_help="Set the sequence number of the next message")
@click.argument("name")
@click.option(
    "--seqnum",
    type=click_options.Number(1, 999999999),
    required=True,
    metavar="N",
    help="Sequence number of the next message",
)
@click_options.general
def reset(session: Session, name: str, seqnum: int) -> int:
    """Set the sequence number of the next message of the channel NAME; a sender passes it to the other end when it
    starts.

    \b
    mqx channel reset QM1.TO.QM2 --seqnum 1
    """
    with session.connect() as connection, connection.work() as work:
        channels.reset_channel(work, name, seqnum)
    print_result(
        session, f"channel {name}: the next message is number {seqnum}", {"channel": name, "next_sequence": seqnum}
    )
    return 0


@command.command("resolve", short_help="Commit or back out a batch in doubt")
@click.argument("name")
@click.option(
    "--action",
    type=click.Choice(["commit", "backout"]),
    required=True,
    help="commit: the other end has the batch, remove it here; backout: send it again",
)
@click_options.general
def resolve(session: Session, name: str, action: str) -> int:
    """Commit or back out the batch in doubt of the channel NAME. A start resolves it automatically if the other end
    answers.

    Compare indoubt_sequence here with sequence of mqx channel status at the other end: if they are equal, commit.

    \b
    mqx channel resolve QM1.TO.QM2 --action commit
    """
    with session.connect() as connection, connection.work() as work:
        channels.resolve_channel(work, name, action)
    words = "removed" if action == channels.COMMIT else "sent again with the next start"
    print_result(session, f"channel {name}: batch in doubt {words}", {"channel": name, "action": action})
    return 0


@command.command("define", short_help="Define a channel")
@click.argument("name")
@click.argument("attributes", nargs=-1, metavar="ATTRIBUTE...", type=click.UNPROCESSED)
@click_options.general
def define(session: Session, name: str, attributes: tuple[str, ...]) -> int:
    """Define the channel NAME: the MQSC command DEFINE CHANNEL(NAME) with the given attributes.

    \b
    mqx channel define QM1.TO.QM2 'CHLTYPE(SDR) XMITQ(QM2)' "CONNAME('host(1414)')"
    mqx channel define QM1.TO.QM2 'CHLTYPE(RCVR)' -m QM2
    """
    return run_text(session, f"DEFINE CHANNEL({quote(name)}) {' '.join(attributes)}", "<arguments>")


def _row(status: Status, output: str) -> dict[str, object]:
    row: dict[str, object] = {column.name: getattr(status, column.name) for column in _COLUMNS}
    if status.last_message_at is not None:
        row["last_message_at"] = rfc3339(status.last_message_at)
    error = status.last_error
    if error is not None:
        at, reason = rfc3339(error.last_at), name_or_number("MQRC", error.reason)
        is_json = output.startswith("json")
        row["last_error"] = {"at": at, "reason": reason, "message": error.detail} if is_json else f"{at} {error.detail}"
    return row
