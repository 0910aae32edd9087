"""Output of instrumentation messages: events, statistics and accounting."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, count, takewhile

from mqtools.constants.options import MQOO_BROWSE, MQOO_FAIL_IF_QUIESCING, MQOO_INPUT_SHARED
from mqtools.constants.reasons import MQRC_CFH_ERROR
from mqtools.errors import MQError
from mqtools.formats.rows import Column
from mqtools.formats.terminal import visible
from mqtools.formats.units import rfc3339
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations.instrumentation_messages import (
    BATCH,
    InstrumentationQueue,
    Row,
    as_lines,
    browse,
    select_objects,
    wake_on_arrival,
)

from .command_session import NOTHING_THERE, PARTLY, Session, write_out
from .output_rows import print_rows
from .partly_done import PartlyDone
from .read_only import connect_read_only

_COLUMNS = [Column(name) for name in ("at", "event", "reason", "qualifier", "object", "error")]


@dataclass(frozen=True, slots=True)
class MessageSelection:
    """Messages to show. patterns: of queues or channels in records, none for all.  since_ms: when they were put.

    limit: the latest ones only, None for all.  removes: get them.  follows: show new ones too, until interrupted.
    """

    q_names: Sequence[str]
    patterns: Sequence[str] = ()
    since_ms: int = 0
    limit: int | None = None
    removes: bool = False
    follows: bool = False


def show_messages(session: Session, selection: MessageSelection) -> int:
    """Write messages to stdout by time, and remove them after that if asked to. Return the exit status."""
    output, limit = session.output or "text", selection.limit
    removes, follows = selection.removes, selection.follows
    if not (removes or follows or session.is_elsewhere):
        with connect_read_only(session) as reader:
            found = merge(*(browse(reader, name) for name in selection.q_names), key=_time)
            rows: Iterable[Row] = _selected(found, selection)
            return _print(session, rows if limit is None else deque(rows, limit), output)
    if removes or follows:  # each row is written before it is removed, or when it comes
        output = {"json": "jsonl", "table": "plain"}.get(output, output)
    taken: list[int] = []
    with (
        PartlyDone(session, lambda: sum(taken) if removes else 0),
        session.connect_anywhere(changes=removes, for_reader=follows) as connection,
    ):
        if removes:
            session.confirm_elsewhere(f"remove all messages of {', '.join(selection.q_names)}")
        batches: Iterable[Iterable[Row]] = _taken(connection, selection, taken)
        if limit is not None:
            batches = chain([deque(chain.from_iterable(takewhile(bool, batches)), limit)], batches)
        return _print(session, _selected(chain.from_iterable(batches), selection), output)
    return PARTLY


def _selected(rows: Iterable[Row], selection: MessageSelection) -> Iterator[Row]:
    since = rfc3339(selection.since_ms)
    for row in rows:
        if not selection.since_ms or _time(row) >= since:
            yield from select_objects(row, selection.patterns)


def _taken(connection: QueueManagerConnection, selection: MessageSelection, taken: list[int]) -> Iterator[list[Row]]:
    """Yield the messages of some queues by time, a batch at a time, which the next step commits.

    An empty batch comes at the end, and before each wait. taken: gets the length of each batch that is committed.
    Raises MQError for a message of an application that is not PCF: its data is not shown, so it stays; those before it
    are taken one by one.
    """
    options = (MQOO_INPUT_SHARED if selection.removes else MQOO_BROWSE) | MQOO_FAIL_IF_QUIESCING
    handles = [connection.open(name, options) for name in selection.q_names]
    queues = [InstrumentationQueue(handle, gets=selection.removes) for handle in handles]
    file = connection.file
    if selection.follows and file is not None:
        wake_on_arrival(file, selection.q_names)
    most = BATCH
    while True:
        rows = sorted((row for queue in queues for row in queue.take(most)), key=_time)
        other = next((row for row in rows if selection.removes and _is_other(row)), None)
        if other is not None:
            connection.backout()
            if most == 1:
                words = f"message {other['msg_id']} on {other['queue']} stays: {other['error']}"
                raise MQError(words, MQRC_CFH_ERROR, hint="without --get it is shown; mqx get removes it")
            most = 1
            continue
        yield rows
        connection.commit()
        taken.append(len(rows))
        if rows:
            continue
        if not selection.follows or file is None:
            return
        assert file.presence is not None
        file.presence.wait(None)
        with file.work() as work:
            work.fail_if_quiescing()


def _is_other(row: Row) -> bool:
    """Return whether a message is not PCF, on a queue of an application."""
    return bool(row["error"]) and not str(row["queue"]).startswith("SYSTEM.ADMIN.")


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
