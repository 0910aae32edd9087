"""``mqx move`` and what it shares with ``mqx copy``: snapshot the selected keys, then process them in batches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from itertools import chain
from typing import Any

import click

from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.formats.units import put_at_ms
from mqtools.lifecycle.message_search import readable_queue
from mqtools.mqi.connection import Connection
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations import remote_move
from mqtools.operations.browsed_queue import PREVIEW_BYTES, BrowsedQueue, base_of
from mqtools.operations.key_snapshot import select_keys, select_snapshot
from mqtools.operations.move import MoveResult, Route, carry_batch, group_keys, is_same_queue
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import StoredMessage, count_held_by_all, load_message

from .shared import click_options
from .shared import messages as _messages
from .shared.command_session import DONE, JSON, NOTHING_THERE, PARTLY, Session, UsageError, as_text
from .shared.counts import print_totals
from .shared.deferred_signals import DeferredSignals
from .shared.holder_hint import print_holder_hint
from .shared.pace import Pace, Pacer, batch_of
from .shared.pace import option as pace_option
from .shared.partly_done import PartlyDone
from .shared.progress import ProgressBar
from .shared.read_only import connect_to_change, fetch, source_of
from .shared.suggested_command import suggest

#: Messages in one transaction unless told otherwise.
BATCH = 100

#: Decorator: the arguments FROM and TO and the options of a move.
route = click_options.together(
    click.argument("queue", metavar="FROM"),
    click.argument("target", metavar="TO"),
    click_options.most,
    click_options.batch(BATCH, "Messages in one transaction; all: one unit of work; other writers wait"),
    pace_option,
    click.option("--dry-run", is_flag=True, help="Show the messages and the result, without changing anything"),
)


@click.command("move")
@route
@click_options.selection
@click_options.general_elsewhere
def command(session: Session, **given: Any) -> int:
    """Move the selected messages of FROM, or all, to TO: a queue or QUEUE@QMGR.

    \b
    mqx move ORDERS ORDERS.HOLD --where "colour = 'red'"
    mqx move DLQ ORDERS --msg-id "$id"
    mqx move ORDERS ORDERS.OLD --older 7d --dry-run
    mqx move ORDERS ORDERS@QM2 -n 100 --delay 200ms
    mqx move IN OUT --group-id 47524F5550

    A message keeps its whole descriptor (identifiers, put date and time, context, backout count, remaining expiry), its
    properties and its exact data, headers included; it is the last arrival on TO. Put and removal are one transaction
    per batch: after a crash a message is on one of the two queues, never on both.

    Each move is a put on TO: if TO is full, inhibited or unknown, messages moved before stay moved and are counted (9;
    none: the status of the reason), except with --batch all. A message that requests arrival reports (MQRO_COA) gets
    one, as for any put; no delivery report is generated, because no program received the message.

    With --delay messages are moved one by one, or batch by batch with --batch, with a delay between them: a fixed time,
    a random time, or original for the time between the original puts.

    Locked and uncommitted messages are skipped. --group-id moves each group completely and in order in a transaction of
    its own, or not at all. No message to move is status 3.
    """
    return move_messages(session, request_of(given, copies=False))


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """Request of ``mqx move`` or ``mqx copy``.

    queue: source queue.  target: queue, or queue@queue-manager.  limit: of messages, None for all.  batch: messages in
    one transaction, None for all in one.  pace: of the transactions, None for no delay.
    """

    queue: str
    target: str
    selection: Selection
    _: KW_ONLY
    limit: int | None = None
    batch: int | None = BATCH
    copies: bool = False
    pace: Pace | None = None
    dry_run: bool = False

    @property
    def route(self) -> Route:
        name, _, q_mgr_name = self.target.partition("@")
        return Route(self.queue, name, q_mgr_name, keeps_original=self.copies)

    @property
    def verb(self) -> str:
        return "copy" if self.copies else "move"

    @property
    def done_word(self) -> str:
        return "copied" if self.copies else "moved"


def request_of(given: dict[str, Any], *, copies: bool) -> MoveRequest:
    """Return the request of a command line. Raise UsageError."""
    selection: Selection = given["selection"]
    if given["limit"] is not None and selection.group_ids:
        raise UsageError("-n cannot be combined with --group-id: it could split a group")
    names = {"queue": as_text(given["queue"]), "target": as_text(given["target"])}
    return MoveRequest(**{**given, **names, "batch": batch_of(given)}, copies=copies)


def move_messages(session: Session, request: MoveRequest) -> int:
    """Move or copy the messages selected now; return 3 when there are none. Later arrivals stay."""
    if session.is_elsewhere:
        return _move_elsewhere(session, request)
    with connect_to_change(session, dry_run=request.dry_run) as connection:
        source = source_of(connection)
        if is_same_queue(source, request.route) and not request.copies:
            raise UsageError(f"cannot move messages to {request.target}: it is the source queue")
        batches = _batches(session, source, request)
        moving = _MoveRun(session, connection, request, batches)
        if request.dry_run:
            return _dry_run(session, source, request, moving)
        status = _run(session, request, moving)
        return _finish_status(session, connection, request, moving) if status == DONE else status


def _run(session: Session, request: MoveRequest, moving: _MoveRun) -> int:
    """Run a move and print its totals; return the exit status."""
    with PartlyDone(session, lambda: moving.number, moving.balance):
        error = moving.run()
        if error is not None:
            raise error
        print_totals(session, moving.balance(), moving.number, {request.done_word: moving.number})
        return DONE
    return PARTLY


def _move_elsewhere(session: Session, request: MoveRequest) -> int:
    """Move or copy messages within a queue manager elsewhere; return 3 when there are none."""
    route = request.route
    with session.connect_anywhere(changes=not request.dry_run) as connection:
        is_here = not request.copies and route.to_q_mgr_name in ("", connection.name)
        if is_here and base_of(connection, route.q_name) == base_of(connection, route.to_q_name):
            raise UsageError(f"cannot move messages to {request.target}: it is the source queue")
        with BrowsedQueue(connection, request.queue) as queue:
            found = list(queue.select(request.selection, limit=request.limit, max_length=PREVIEW_BYTES))
        if request.dry_run:
            return _show_elsewhere(session, connection, request, found)
        if request.selection.group_ids:
            batches = _whole_groups(session, remote_move.groups(connection, request.queue, found))
        else:
            batches = _cut(request, [stored.seq for stored in found])
        moving = _MoveRun(session, connection, request, batches)
        if not moving.total:
            session.tell_person(f"no message on {request.queue}{'' if request.selection.is_everything else ' matches'}")
            return NOTHING_THERE
        session.confirm_elsewhere(f"{request.verb} {counted(moving.total)} from {request.queue} to {request.target}")
        moving.put_at = {stored.seq: stored.put_at for stored in found}
        return _run(session, request, moving)


def _show_elsewhere(
    session: Session, connection: QueueManagerConnection, request: MoveRequest, found: list[StoredMessage]
) -> int:
    """Print the messages that a run would move, without changing anything."""
    number = len(found)
    text = f"would have {request.done_word} {counted(number)} from {request.queue} to {request.target}"
    if session.output in JSON:
        print_totals(session, text, number, {request.done_word: 0, f"would_{request.verb}": number})
    else:
        shown = _messages.writer(session)
        shown.q_mgr_name, shown.ccsid = connection.name, connection.ccsid
        for stored in found:
            shown.write_stored(stored, stored.data or b"", request.queue)
        shown.finish()
        session.note(text)
    return DONE if found else NOTHING_THERE


def _batches(session: Session, connection: Connection, request: MoveRequest) -> list[list[int]]:
    """Return a snapshot of the selected keys, cut into transactions; a selection by group makes each group one."""
    if not request.selection.group_ids:
        return _cut(request, select_keys(connection, request.queue, request.selection, limit=request.limit))
    found = select_snapshot(connection, request.queue, request.selection, limit=request.limit)
    ids = dict.fromkeys(stored.md.group_id for stored in found)
    return _whole_groups(session, ((each, group_keys(connection, request.queue, each)) for each in ids))


def _cut(request: MoveRequest, keys: list[int]) -> list[list[int]]:
    size = request.batch or max(1, len(keys))
    return [keys[at : at + size] for at in range(0, len(keys), size)]


def _whole_groups(session: Session, groups: Iterable[tuple[bytes, list[int] | None]]) -> list[list[int]]:
    """Return the keys of each group; note the groups that are partly held, whose keys are None."""
    found = []
    for group_id, keys in groups:
        if keys is None:
            session.note(f"skipped, partly locked or uncommitted: group {group_id.hex().upper()}")
        elif keys:
            found.append(keys)
    return found


@dataclass
class _MoveRun:
    """Run of a move: number of messages moved, and number that were gone.

    put_at: key to the put time in milliseconds since 1970, of messages elsewhere.
    """

    _session: Session
    _connection: QueueManagerConnection
    _request: MoveRequest
    batches: list[list[int]]
    number: int = 0
    gone: int = 0
    put_at: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.total = sum(map(len, self.batches))

    def run(self) -> MQError | None:
        """Move the messages in batches; return the error that ended the run, if any."""
        is_group = bool(self._request.selection.group_ids)
        whole = is_group or self._request.batch is None
        pacer = Pacer(None if self._request.dry_run else self._request.pace)
        with ProgressBar(self._session, self._request.done_word, self.total) as progress:
            for batch in self.batches:
                pacer.wait(self._put_at(batch[0]))
                with DeferredSignals(self._connection):
                    moved = self._carry(batch, whole=whole, is_group=is_group)
                    self.number += moved.number
                    self.gone += moved.gone
                if moved.error is not None:
                    return moved.error
                progress.advance(len(batch))
        return None

    def _carry(self, batch: list[int], *, whole: bool, is_group: bool) -> MoveResult:
        route, file = self._request.route, self._connection.file
        if file is None:
            return remote_move.carry_batch(self._connection, route, batch, whole=whole, is_group=is_group)
        fetch(file, batch)
        return carry_batch(file, route, batch, whole=whole, is_group=is_group)

    def _put_at(self, key: int) -> int | None:
        """Return the put time of a message where the pace needs it; None also when the message is gone."""
        if self._request.pace is None or self._request.pace.scale is None:
            return None
        if self._connection.file is None:
            return self.put_at.get(key)
        stored = load_message(self._connection.file, key)
        return None if stored is None else put_at_ms(stored.md.put_date, stored.md.put_time)

    def balance(self) -> str:
        request = self._request
        left = self.total - self.number - self.gone
        text = f"{request.done_word} {counted(self.number)} from {request.queue} to {request.target}"
        if self.gone:
            text += f"; {self.gone} no longer there or locked"
        return text + (f"; {left} left" if left else "")


def _finish_status(session: Session, connection: Connection, request: MoveRequest, moving: _MoveRun) -> int:
    """Print who holds the skipped messages; return 3 when nothing was moved."""
    if moving.number:
        if request.selection.is_everything:
            _print_held(session, connection, request)
        return 0
    print_holder_hint(connection, session, request.queue, request.selection)
    return NOTHING_THERE


def _print_held(session: Session, connection: Connection, request: MoveRequest) -> None:
    queue = readable_queue(connection, request.queue)
    held = count_held_by_all(connection, queue.id)
    if held:
        session.note(
            f"skipped, locked or uncommitted: {counted(held)}; see {suggest(session, f'lock --list {request.queue}')}"
        )


def _dry_run(session: Session, connection: Connection, request: MoveRequest, moving: _MoveRun) -> int:
    """Print the messages and the result that a run would have, without changing anything."""
    error = moving.run()
    text = f"would have {moving.balance()}"
    if session.output in JSON:
        print_totals(session, text, moving.number, {request.done_word: 0, f"would_{request.verb}": moving.number})
    else:
        _messages.show_stored(session, connection, request.queue, chain.from_iterable(moving.batches))
        session.note(text)
    if error is None:
        return _finish_status(session, connection, request, moving)
    if not moving.number:
        raise error
    session.report_error(error)
    return PARTLY
