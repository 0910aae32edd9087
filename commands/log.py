"""``mqx log``: the error log of a queue manager."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import click

from mqtools.admin import error_log
from mqtools.admin.error_log import ErrorEntry
from mqtools.formats.rows import Column
from mqtools.formats.terminal import visible

from .shared import click_options
from .shared.command_session import NOTHING_THERE, Session, write_out
from .shared.output_rows import print_rows
from .shared.past import TIME
from .shared.read_only import connect_read_only

_COLUMNS = [Column(name) for name in ("at", "occurrences", "amq", "channel", "connection_name", "text", "detail")]


@click.command("log")
@click.option("--since", type=TIME, metavar="TIME", help="From then on: -1h, 10:05 or 2026-11-23T10:05:00Z")
@click.option("-n", "limit", type=click_options.Number(min=0), help="The latest entries only; default: all")
@click.option("-f", "--follow", is_flag=True, help="Then show new entries, until interrupted")
@click_options.general
def command(session: Session, since: int | None, limit: int | None, follow: bool) -> int:
    """Show the error log: what happened in channels, listeners, services, the command server and other processes.

    \b
    mqx log
    mqx log --since -1h
    mqx log -n 0 --follow
    mqx log --since 10:05 -o jsonl | jq 'select(.severity == "E")'

    The text of an entry has the form of AMQERR01.LOG in IBM MQ: when and in which process, the AMQ number and its
    words, what happened, and what to do. The last letter of the number is the severity: I information, W warning, E
    error, S severe. Entries come in the order of their latest occurrence.

    The log is in the queue manager's file and keeps the latest 5000 entries, of each number the latest 1000. An event
    that occurs again within an hour of its entry is counted there: a channel that retries makes one entry an hour.
    --follow shows an entry when it is made.

    Exit status: 0; 3 there is no entry; 5 unknown queue manager; 130, 143 --follow was ended by SIGINT, SIGTERM.
    """
    with session.connect(for_reader=True) if follow else connect_read_only(session) as connection:
        with connection.reading():
            entries = error_log.entries(connection, since_ms=since or 0, most=-1 if limit is None else limit)
            last = error_log.last_number(connection)
        if not follow:
            _print(session, entries, session.output or "text")
            return 0 if entries else NOTHING_THERE
        output = {"json": "jsonl", "table": "plain"}.get(session.output or "", session.output or "text")
        _print(session, chain(entries, chain.from_iterable(error_log.follow(connection, last))), output)
    return 0


def _print(session: Session, entries: Iterable[ErrorEntry], output: str) -> None:
    if output != "text":
        print_rows(session, map(error_log.as_row, entries), _COLUMNS, output)
        return
    for entry in entries:
        write_out("".join(f"{visible(line)}\n" for line in error_log.as_lines(entry)).encode())
