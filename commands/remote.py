"""``mqx remote``: queue managers elsewhere, and how they are reached."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import click

from mqtools.clients.client.connect import establish
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.locations import places_of
from mqtools.configuration import remotes
from mqtools.configuration.remotes import Remote, find
from mqtools.constants.objects import MQIA_COMMAND_LEVEL, MQIA_PLATFORM
from mqtools.errors import MQError
from mqtools.formats.rows import Column
from mqtools.rules.security.cipher_specs import find_cipher_spec

from .shared import click_options
from .shared.command_session import Session, UsageError, as_text
from .shared.counts import print_result
from .shared.elsewhere import places_to_try
from .shared.group import CommandGroup
from .shared.output_rows import print_list, print_rows, row_of

_COLUMNS = (
    Column("name"),
    Column("connection", rank=2),
    Column("channel"),
    Column("qmgr", rank=3),
    Column("user", rank=4),
    Column("cipher", rank=5),
    Column("read_write", "access"),
)
#: MQPL_* to the words for it.
_PLATFORMS = {1: "z/OS", 3: "UNIX", 4: "IBM i", 11: "Windows", 13: "NonStop", 28: "Appliance"}
_PING_COLUMNS = tuple(Column(name) for name in ("qmgr", "qmgr_id", "level", "platform", "latency_ms"))


@click.group("remote", cls=CommandGroup)
@click_options.general
def command(session: Session) -> None:
    """Name queue managers elsewhere, which other commands reach with -m NAME.

    \b
    mqx remote add PROD --connection 'mq1(1414),mq2(1414)' --channel OPS.SVRCONN --user ana --cipher ANY_TLS12_OR_HIGHER
    mqx remote add CLOUD --ccdt https://example.com/ccdt.json --qmgr QM2
    mqx remote list
    mqx remote ping PROD
    mqx browse DLQ -m PROD

    No IBM MQ client has to be installed. remotes.toml in the home folder has the connections, but no password: that
    comes from $MQX_PASSWORD, from the command of --password-command, or is typed.

    A remote is read-only unless it was added with --read-write. A change there asks on a terminal, and needs --yes
    without one. remote-changes.jsonl in the home folder has a line for each unit of work that changed something.
    """


@command.command("add", short_help="Add a remote")
@click.argument("name")
@click.option("--connection", metavar="HOST(PORT)[,…]", default="", help="Hosts and ports, tried in order")
@click.option("--channel", metavar="NAME", default="", help="Server-connection channel")
@click.option("--ccdt", metavar="FILE|URL", default="", help="Client channel definition table in JSON, instead")
@click.option("--user", default="", help="User to connect as")
@click.option("--password-command", metavar="COMMAND", default="", help="Command that prints the password")
@click.option("--cipher", metavar="SPEC", default="", help="CipherSpec of the channel, for TLS")
@partial(click_options.general, read_write="Allow changes at the remote")
def add(session: Session, name: str, **given: Any) -> None:
    """Add the remote NAME. No queue manager of the home folder may have that name.

    \b
    mqx remote add PROD --connection 'mq.example.com(1414)' --channel OPS.SVRCONN --user ana
    mqx remote add PROD --connection 'mq.example.com(1414)' --channel OPS.SVRCONN --password-command 'pass mq/prod'
    mqx remote add TEST --connection 'localhost(1414)' --channel DEV.APP.SVRCONN --read-write

    -m (--qmgr) is the name that the queue manager there must have, or a group of the CCDT. With --read-write commands
    can change messages and definitions there. mqx remote ping connects.

    Exit status: 0 added; 2 the name is taken or invalid, or the connection is incomplete.
    """
    remote = Remote(as_text(name), qmgr=session.qmgr or "", read_write=session.read_write, **given)
    remotes.check(remote)
    try:
        places = places_of(remote)
        for cipher in {place.cipher_spec for place in places} - {""}:
            find_cipher_spec(cipher)
    except MQError as error:
        raise UsageError(error.text, error.hint) from error
    remotes.add(remote)
    access = "read-write" if remote.read_write else "read-only"
    print_result(session, f"remote {name} added, {access}", {"added": 1})


@command.command("list", short_help="List the remotes")
@click_options.general
def list_remotes(session: Session) -> int:
    """List the remotes by name. Exit status 3: there are none.

    \b
    mqx remote list
    mqx remote list -o json
    """
    is_shown = session.list_output in ("table", "plain")
    rows = []
    for _, each in sorted(remotes.read().items()):
        access = ("read-write" if each.read_write else "read-only") if is_shown else each.read_write
        rows.append(row_of(each, _COLUMNS, connection=each.connection or each.ccdt, read_write=access))
    return print_list(session, rows, _COLUMNS)


@command.command("remove", short_help="Remove a remote")
@click.argument("name")
@click_options.general
def remove(session: Session, name: str) -> None:
    """Remove the remote NAME; the queue manager there is not touched.

    \b
    mqx remote remove PROD
    """
    remotes.remove(as_text(name))
    print_result(session, f"remote {name} removed", {"removed": 1})


@command.command("ping", short_help="Connect to a remote and show its queue manager")
@click.argument("name")
@click.option("--record", metavar="FILE", help="Write the exchange to FILE, without passwords")
@click_options.general
def ping(session: Session, name: str, record: str | None) -> None:
    """Connect to the remote or mq: address NAME, and show the queue manager and the time of one call.

    \b
    mqx remote ping PROD
    mqx remote ping mq://app@localhost:1414/DEV.APP.SVRCONN
    mqx remote ping PROD --record prod.trace

    The file of --record has every segment that was sent and received. Passwords and user names are blanked: it can go
    into a problem report.

    Exit status: 0 connected; 1 not reached; 5 unknown remote, channel or queue
    manager; 8 refused there.
    """
    places = places_to_try(find(as_text(name)), session.password)
    with RemoteConnection(establish(places, record=record)) as connection:
        began = time.monotonic()
        level, platform = connection.inquire([MQIA_COMMAND_LEVEL, MQIA_PLATFORM])
        latency_ms = round((time.monotonic() - began) * 1000, 1)
    row: dict[str, object] = {
        "qmgr": connection.name,
        "qmgr_id": connection.q_mgr_id,
        "level": level,
        "platform": _PLATFORMS.get(int(platform or 0), platform),
        "latency_ms": latency_ms,
    }
    print_rows(session, [row], _PING_COLUMNS)
