"""Verbs on several messages: each processes a fixed list of keys in batches and yields the outcome so far.

All of this runs in the writer thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE, MQRC_OBJECT_IN_USE
from mqtools.dlq.redrive import Redrive, plan
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.formats.phrases import grouped
from mqtools.lifecycle import verbs
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.operations import trash_contents
from mqtools.operations.move import MoveResult, Route, carry_batch, is_same_queue, queue_of_arrival
from mqtools.operations.reports.generation import Order, check_order, generate_from_queue
from mqtools.operations.selection import EVERYTHING, Selection
from mqtools.operations.session_upkeep import removal_numbers, unlock_by_lock_id
from mqtools.operations.stored_messages import load_message
from mqtools.operations.views.content import read_content
from mqtools.tui.background import verbs_elsewhere
from mqtools.tui.background.writer import SessionWriter
from mqtools.tui.display.outcome import MovedMessages, Outcome

if TYPE_CHECKING:
    from mqtools.operations.stored_messages import Source  # it has it for type checkers only

#: Processes one message, by its key ``seq``.
One: TypeAlias = Callable[..., object]


#: Messages in one transaction.
BATCH = 100
#: Up to this number, messages are selected by their identifiers.
_FEW = 100


def route_to(source: Source, q_name: str, target: str, *, copies: bool, strips_dlh: bool = False) -> Route:
    """Return the route of messages to a target: queue, or queue@queue manager. strips_dlh: remove the MQDLH of each.

    Raises MQError: it does not resolve. Raises ValueError: a move to where they are.
    """
    route = _route(q_name, target, copies=copies, strips_dlh=strips_dlh)
    if is_same_queue(source, route) and not copies:
        raise ValueError(f"the messages are already on {target}")
    return route


def _route(q_name: str, target: str, *, copies: bool, strips_dlh: bool = False) -> Route:
    name, _, q_mgr_name = target.partition("@")
    return Route(q_name, name, q_mgr_name, keeps_original=copies, strips_dlh=strips_dlh)


def transfer(
    writer: SessionWriter, q_name: str, keys: Sequence[int], target: str, *, copies: bool, strips_dlh: bool = False
) -> Iterator[Outcome]:
    """Move or copy messages. target, strips_dlh: as for ``route_to``."""
    outcome = Outcome(len(keys), to=target)
    if writer.there is not None:
        route = _route(q_name, target, copies=copies)
        yield from verbs_elsewhere.transfer(writer.there, writer.connection, route, keys, outcome)
        return
    route = route_to(writer.connection, q_name, target, copies=copies, strips_dlh=strips_dlh)
    if not copies:
        outcome.moved = _moved(writer.connection, route)
    for moved in _carry(writer, route, keys, outcome):
        if outcome.moved is not None:
            outcome.moved.keys += moved.arrived
        yield outcome


def _carry(writer: SessionWriter, route: Route, keys: Sequence[int], outcome: Outcome) -> Iterator[MoveResult]:
    """Move or copy messages until a batch fails; yield the result of each, which is added to the outcome."""
    for batch in _batches(keys):
        done = writer.without_own_locks(batch, partial(carry_batch, writer.connection, route))
        outcome.done += done.number
        outcome.gone += done.gone
        outcome.error = done.error
        yield done
        if done.error is not None:
            return


def _moved(connection: Connection, route: Route) -> MovedMessages:
    """Return a move before it has placed any message: where it places them, and whether they can be moved back."""
    here = queue_of_arrival(connection, route)
    remote = "" if here else f"{route.to_q_name} leads to another queue manager"
    return MovedMessages(here or route.to_q_name, refusal="their MQDLH is removed" if route.strips_dlh else remote)


def move_back(writer: SessionWriter, q_name: str, moved: MovedMessages) -> Iterator[Outcome]:
    """Move messages back to a queue; the keys of those that are back or gone are removed from ``moved``."""
    route = Route(moved.q_name, q_name)
    outcome = Outcome(len(moved.keys), to=q_name, extra="; placed like new messages")
    yield outcome
    for done in _carry(writer, route, [*moved.keys], outcome):
        del moved.keys[: done.number + done.gone]
        yield outcome


def undo_edit(writer: SessionWriter, q_name: str, seq: int, version: int, edited: object) -> Iterator[Outcome]:
    """Exchange an edited message with its version before that. version: number in the trash.  edited: its content.

    Raises MQError: it has gone or changed since.
    """
    connection = writer.connection
    if seq in writer.locked:
        writer.lock(q_name, seq)
    with connection.work():
        now = read_content(connection, seq)
        if now is None or now != edited:
            why = "the message is gone" if now is None else "the message has changed since"
            raise MQError(f"cannot undo the edit: {why}", MQRC_NO_MSG_AVAILABLE)
        done = trash_contents.restore(connection, [version])
    yield Outcome(1, done.number, done.gone + done.expired + done.held, error=done.error)


def delete(writer: SessionWriter, q_name: str, keys: Sequence[int]) -> Iterator[Outcome]:
    """Delete messages; the trash keeps them if it is configured."""
    connection = writer.connection
    if writer.there is not None:
        yield from verbs_elsewhere.delete(writer.there, connection, q_name, keys, Outcome(len(keys)))
        return
    begin_removal(connection)
    for outcome in _each(writer, keys, partial(verbs.delete_message, connection, q_name)):
        outcome.extra = ""
        note_removal(connection, outcome)
        yield outcome


def begin_removal(connection: Connection) -> None:
    """Start a new removal number in the trash."""
    if connection.trash is not None:
        connection.trash.removals.clear()
        connection.trash.lost = 0


def note_removal(connection: Connection, outcome: Outcome) -> None:
    """Note in an outcome the number of the removal, and messages that cannot be restored."""
    trash = connection.trash
    outcome.removal = None if trash is None else next(iter(trash.removals.values()), None)
    if trash is not None and trash.lost:
        outcome.extra += f"; the trash had no room for {grouped(trash.lost)}"


def restore(writer: SessionWriter, removal: int) -> Iterator[Outcome]:
    """Restore messages from the trash. removal: number of the removal."""
    connection = writer.connection
    numbers = removal_numbers(connection, removal)
    outcome = Outcome(len(numbers))
    anew = 0
    for batch in _batches(numbers):
        done = trash_contents.restore(connection, batch)
        outcome.done += done.number
        outcome.gone += done.gone + done.expired + done.held
        outcome.error = done.error
        anew += done.anew
        outcome.extra = f"; {grouped(anew)} of them placed like new messages" if anew else ""
        yield outcome
        if done.error is not None:
            return
    yield outcome


def get(writer: SessionWriter, q_name: str, keys: Sequence[int]) -> Iterator[Outcome]:
    """Get messages as a program would, with the delivery reports that they request."""
    return _each(writer, keys, partial(verbs.get_message, writer.connection, q_name))


def _each(writer: SessionWriter, keys: Sequence[int], one: One) -> Iterator[Outcome]:
    outcome = Outcome(len(keys))
    for batch in _batches(keys):
        for error in writer.without_own_locks(batch, lambda batch: [_error_of(one, seq) for seq in batch]):
            outcome.done += error is None
            outcome.gone += isinstance(error, NoMessageAvailable)
            if error is not None and not isinstance(error, NoMessageAvailable):
                outcome.failed, outcome.error = outcome.failed + 1, error
        yield outcome


def _error_of(one: One, seq: int) -> MQError | None:
    """Process a message; return why it is left: it is gone, or held by another. Raises MQError for the rest."""
    try:
        one(seq=seq)
    except NoMessageAvailable as error:
        return MQError(f"the message is {error.hint}", MQRC_OBJECT_IN_USE) if error.hint else error
    except MQError as error:
        if error.reason != MQRC_OBJECT_IN_USE:
            raise
        return error
    return None


def unlock(writer: SessionWriter, q_name: str, lock_id: bytes) -> Iterator[Outcome]:
    outcome = Outcome(0)
    yield outcome
    for number in unlock_by_lock_id(writer.connection, q_name, lock_id, BATCH):
        outcome.done += number
        yield outcome


def make(writer: SessionWriter, q_name: str, keys: Sequence[int], order: Order) -> Iterator[Outcome]:
    check_order(order)
    outcome = Outcome(len(keys))
    for batch in _batches(keys):
        made = writer.without_own_locks(
            batch, lambda batch: generate_from_queue(writer.connection, order, q_name, batch)
        )
        outcome.done += sum(one.error is None for one in made)
        outcome.gone += len(batch) - len(made)
        outcome.failed += sum(one.error is not None for one in made)
        outcome.error = next((one.error for one in made if one.error is not None), outcome.error)
        yield outcome


def put(writer: SessionWriter, target: str, message: Message) -> str:
    """Put a message; return its identifier in hex. target: queue, or queue@queue manager."""
    name, _, q_mgr_name = target.partition("@")
    if writer.there is not None:
        verbs_elsewhere.put(writer.there, name, q_mgr_name, message)
    else:
        writer.connection.put1(name, message, q_mgr_name=q_mgr_name)
    return message.md.msg_id.hex().upper()


def redrive(writer: SessionWriter, q_name: str, keys: Sequence[int]) -> Iterator[Outcome]:
    """Redrive dead letters to their destinations."""
    connection, chosen = writer.connection, set(keys)
    for seq in chosen & writer.locked.keys():
        writer.lock(q_name, seq)
    made = plan(connection, q_name, _selection(connection, keys))
    work = [one for one in made.work if one[0] in chosen]
    outcome = Outcome(len(chosen))
    for at in range(0, len(work), BATCH):
        todo = replace(made, work=work[at : at + BATCH])
        run = Redrive(connection, todo, say=lambda target, reason: _note(outcome, target, reason))
        try:
            balance = run.run()
        except BaseException:
            connection.backout()
            raise
        outcome.done += sum(balance.done.values())
        outcome.gone += balance.gone
        yield outcome
    if outcome.total > len(work):
        outcome.extra = f"; {outcome.total - len(work)} cannot be redriven: no MQDLH, or destined for this queue"
    yield outcome


def _selection(connection: Connection, keys: Sequence[int]) -> Selection:
    """Return a selection that finds a few messages without scanning the whole queue."""
    if len(keys) > _FEW:
        return EVERYTHING
    found = [load_message(connection, seq) for seq in keys]
    return Selection(msg_ids=tuple(stored.md.msg_id for stored in found if stored is not None))


def _note(outcome: Outcome, target: tuple[str, str], reason: int) -> None:
    outcome.failed += 1
    name, q_mgr_name = target
    there = f"{name or 'a blank name'}{f'@{q_mgr_name}' if q_mgr_name else ''}"
    outcome.error = MQError(f"a put to {there} failed", reason)


def _batches(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    return (keys[at : at + BATCH] for at in range(0, len(keys), BATCH))
