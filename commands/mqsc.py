"""``mqx mqsc``: MQSC commands from arguments, a file, standard input or the keyboard."""

from __future__ import annotations

import sys

import click

from . import _mqsc
from .shared import click_options
from .shared.command_session import Session, UsageMistake


@click.command("mqsc")
@click.argument("commands", nargs=-1, metavar="['COMMAND' ...]", type=click.UNPROCESSED)
@click.option("--file", "path", metavar="PATH", help="Read the commands from a file; - is stdin.")
@click.option("--no-trash", is_flag=True, help="Keep nothing of what CLEAR and DELETE ... PURGE remove.")
@click_options.general
def command(session: Session, commands: tuple[str, ...], path: str | None, no_trash: bool) -> int:
    """Run MQSC commands as runmqsc does.

    There are DEFINE, ALTER, DELETE and DISPLAY of QLOCAL, QMODEL, QALIAS, QREMOTE and CHANNEL; CLEAR QLOCAL; ALTER,
    DISPLAY and PING QMGR; DISPLAY QUEUE, QSTATUS, CONN and CHSTATUS; STOP, RESET and RESOLVE CHANNEL. Others fail.

    Attributes that only mqx has: JOURNAL(YES) of a local queue keeps what happens on it, with time and program, and
    JOURNAL(BODY) the data too, for mqx sql and mqx pipeline. JRNLAGE of the queue manager says for how many seconds
    (604800, seven days), JRNLSIZE how many bytes of it (268435456); NOLIMIT is for ever. QMNAME of a channel is the
    only queue manager that it works with. RCMDS(YES) of the queue manager carries out commands in PCF that a channel
    brings; with RCMDS(NO), the default, they are refused. mqx explain JOURNAL or RCMDS says more.

    A new channel begins with the attributes of the SYSTEM.DEF channel of its type (SENDER, SERVER, RECEIVER,
    REQUESTER, SVRCONN, CLNTCONN). Channels of type SVRCONN and CLNTCONN are definitions only. Exits, their data and
    CONNAME('exec:...') or a path are set here alone, never by PCF.

    Each COMMAND argument is one line of MQSC; without any, stdin is read, on a terminal command by command
    until "end". A command with a mistake is not run, and the others are. Status 2: mistakes, all else was
    done; 9: some done, some failed; what a command alone fails with, such as 5 for an unknown queue.
    What CLEAR QLOCAL and DELETE QLOCAL PURGE remove stays in the trash for a while: see mqx trash.
    Where all commands are DISPLAY, the queue manager is only read: it may have ended, or be a read-only copy.

    \b
    mqx mqsc "DEFINE QLOCAL(ORDERS) MAXDEPTH(10000)"
    mqx mqsc "DISPLAY QLOCAL(DEV.*) CURDEPTH" "DISPLAY QMGR DEADQ"
    mqx mqsc "ALTER QLOCAL(ORDERS) JOURNAL(YES)" "ALTER QMGR JRNLAGE(86400)"
    mqx mqsc --file setup.mqsc
    mqx mqsc < setup.mqsc
    mqx mqsc "DIS Q(*) ALL" -o json | jq '.[].objects[].max_q_depth'
    """
    if commands and path is not None:
        raise UsageMistake("commands come from arguments or from --file, not from both")
    if commands:
        return _mqsc.run(session, "\n".join(commands), "<arguments>", no_trash=no_trash)
    if path is not None and path != "-":
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return _mqsc.run(session, file.read(), path, no_trash=no_trash)
    if sys.stdin.isatty() and sys.stdout.isatty():
        return _mqsc.converse(session, no_trash=no_trash)
    return _mqsc.run(session, sys.stdin.buffer.read().decode("utf-8", "surrogateescape"), "<stdin>", no_trash=no_trash)
