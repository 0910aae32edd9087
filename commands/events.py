"""``mqx events``: the event messages of a queue manager in words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain, count, takewhile

import click

from mqtools.constants.options import MQOO_BROWSE, MQOO_FAIL_IF_QUIESCING, MQOO_INPUT_SHARED
from mqtools.formats.rows import Column
from mqtools.formats.terminal import visible
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations.event_messages import EventQueue, Row, as_lines, browse, wake_on_arrival
from mqtools.rules.events import EVENT_QUEUES

from .shared import click_options
from .shared.command_session import NOTHING_THERE, Session, UsageError, write_out
from .shared.output_rows import print_rows
from .shared.read_only import connect_read_only

_COLUMNS = [Column(name) for name in ("at", "event", "reason", "qualifier", "object", "error")]


@click.command("events")
@click.argument("queues", nargs=-1, metavar="[QUEUE]...")
@click.option("-n", "limit", type=click_options.Number(min=0), help="The latest events only; default: all")
@click.option("--get", "gets", is_flag=True, help="Remove the events from their queues")
@click.option("-f", "--follow", is_flag=True, help="Then show new events, until interrupted")
@click_options.general
def command(session: Session, queues: tuple[str, ...], limit: int | None, gets: bool, follow: bool) -> int:
    """Show the events of a queue manager: what each is, about which object, and its parameters.

    \b
    mqx events
    mqx mqsc "ALTER QMGR PERFMEV(ENABLED)" "ALTER QLOCAL(ORDERS) QDPHIEV(ENABLED)"
    mqx events -n 0 --follow
    mqx events --get -o jsonl SYSTEM.ADMIN.PERFM.EVENT
    mqx events -o jsonl | jq 'select(.reason == "MQRC_NOT_AUTHORIZED")'

    Without QUEUE the events are those of SYSTEM.ADMIN.QMGR.EVENT, PERFM.EVENT, CHANNEL.EVENT, CONFIG.EVENT and
    COMMAND.EVENT, by time. They stay on their queues; --get removes each when it has been written. Any other queue
    with PCF messages can be named.

    Most events are off in a new queue manager: ALTER QMGR enables them by AUTHOREV, INHIBTEV, LOCALEV, REMOTEEV,
    STRSTPEV, PERFMEV, CHLEV, SSLEV, CONFIGEV and CMDEV, and performance events need QDPHIEV, QDPLOEV, QDPMAXEV or
    QSVCIEV of the queue too.

    JSON keys: at, queue, event, reason, qualifier, object, parameters, msg_id, error. Parameters and their values have
    the names of MQ. A message that is no PCF message has an error.

    Exit status: 0; 3 there is no event; 5 unknown queue manager or queue; 130, 143 --follow was ended by SIGINT,
    SIGTERM.
    """
    if gets and limit is not None:
        raise UsageError("-n cannot be combined with --get")
    session.refuse_elsewhere({"follow": follow}, "follow")
    names = queues or tuple(EVENT_QUEUES.values())
    output = session.output or "text"
    if not (gets or follow or session.is_elsewhere):
        with connect_read_only(session) as reader:
            rows: Iterable[Row] = merge(*(browse(reader, name) for name in names), key=_time)
            return _print(session, rows if limit is None else deque(rows, limit), output)
    if gets or follow:  # each row is written before it is removed, or when it comes
        output = {"json": "jsonl", "table": "plain"}.get(output, output)
    with session.connect_anywhere(changes=gets, for_reader=follow) as connection:
        batches: Iterable[Iterable[Row]] = _taken(connection, names, gets=gets, follow=follow)
        if limit is not None:
            batches = chain([deque(chain.from_iterable(takewhile(bool, batches)), limit)], batches)
        return _print(session, chain.from_iterable(batches), output)


def _taken(
    connection: QueueManagerConnection, names: Sequence[str], *, gets: bool, follow: bool
) -> Iterator[list[Row]]:
    """Yield the events of some queues by time, a batch at a time, which the next step commits.

    An empty batch comes at the end, and before each wait.
    """
    options = (MQOO_INPUT_SHARED if gets else MQOO_BROWSE) | MQOO_FAIL_IF_QUIESCING
    queues = [EventQueue(connection.open(name, options), gets=gets) for name in names]
    file = connection.file
    if follow and file is not None:
        wake_on_arrival(file, names)
    while True:
        rows = sorted((row for queue in queues for row in queue.take()), key=_time)
        yield rows
        connection.commit()
        if rows:
            continue
        if not follow or file is None:
            return
        assert file.presence is not None
        file.presence.wait(None)
        with file.work() as work:
            work.fail_if_quiescing()


def _time(row: Row) -> str:
    return str(row["at"] or "")


def _print(session: Session, rows: Iterable[Row], output: str) -> int:
    """Write rows; return the exit status."""
    number = count(1)
    counted = (row for row in rows if next(number))
    if output == "text":
        for row in counted:
            write_out("".join(f"{visible(line)}\n" for line in as_lines(row)).encode())
    else:
        print_rows(session, counted, _COLUMNS, output)
    return 0 if next(number) > 1 else NOTHING_THERE
