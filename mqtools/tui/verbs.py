"""What an operator has done to messages: each verb goes through fixed keys step by step, and says what became of them.

All of this runs in the keeper's thread.
"""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.qmgr import lifecycle
from mqtools.qmgr.generation import Order, check_order, make_of_stored
from mqtools.qmgr.moving import Route, carry_batch, is_same_queue
from mqtools.qmgr.selecting import EVERYTHING
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from mqtools.message import Message
    from mqtools.tui.keeper import Keeper

    #: Handles one message; True when it was there.
    One: TypeAlias = Callable[[int], bool]

#: Messages in one transaction.
BATCH = 100


class Outcome(Record):
    """What has become of the messages of a verb so far.

    done, gone, failed: how many.  total: how many there were to be.  error: why some failed, or what ended it.
    extra: said behind it.
    """

    __slots__ = ("done", "gone", "failed", "total", "error", "extra")

    def __init__(self, total: int) -> None:
        self.done = 0
        self.gone = 0
        self.failed = 0
        self.total = total
        self.error: MQError | None = None
        self.extra = ""

    def words(self, verb: str, *, was_cancelled: bool = False) -> str:
        """Say it in a line. verb: as in moved."""
        text = f"{verb} {counted(self.done)}"
        if self.gone:
            text += f"; {self.gone} had gone or were held meanwhile"
        left = self.total - self.done - self.gone
        if left > 0:
            text += f"; {left} left"
        if was_cancelled:
            text += ", cancelled"
        if self.error is not None:
            text += f": {self.error}"
        return text + self.extra


def counted(number: int, noun: str = "message") -> str:
    """Write a number with its noun."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s".replace(",", " ")


def carry(keeper: Keeper, q_name: str, keys: Sequence[int], target: str, *, copies: bool) -> Iterator[Outcome]:
    """Move or copy messages. target: queue, or queue@queue manager."""
    name, _, q_mgr_name = target.partition("@")
    route = Route(q_name, name, q_mgr_name, keeps_original=copies)
    if not copies and is_same_queue(keeper.connection, route):
        raise ValueError(f"{target} is where the messages are")
    outcome = Outcome(len(keys))
    for batch in _batches(keys):
        moved = keeper.with_own_locks_open(batch, lambda batch: carry_batch(keeper.connection, route, batch))
        outcome.done += moved.number
        outcome.gone += moved.gone
        outcome.error = moved.error
        yield outcome
        if moved.error is not None:
            return


def delete(keeper: Keeper, q_name: str, keys: Sequence[int]) -> Iterator[Outcome]:
    """Delete messages; the trash keeps them for a while, if there is one."""
    connection = keeper.connection

    def one(seq: int) -> bool:
        lifecycle.delete_message(connection, q_name, seq=seq)
        return True

    for outcome in _each(keeper, q_name, keys, one):
        removals = {} if connection.trash is None else connection.trash.removals
        removal = next(iter(removals.values()), None)
        outcome.extra = "" if removal is None else f"; back with: mqx trash restore --removal {removal}"
        yield outcome
    if connection.trash is not None:
        connection.trash.removals.clear()  # the next deletion is another removal


def get(keeper: Keeper, q_name: str, keys: Sequence[int]) -> Iterator[Outcome]:
    """Get messages: they are removed as if read, with the delivery reports that they ask for."""

    def one(seq: int) -> bool:
        lifecycle.get_message(keeper.connection, q_name, seq=seq)
        return True

    return _each(keeper, q_name, keys, one)


def _each(keeper: Keeper, q_name: str, keys: Sequence[int], one: One) -> Iterator[Outcome]:
    outcome = Outcome(len(keys))
    for batch in _batches(keys):
        done = keeper.with_own_locks_open(batch, lambda batch: sum(_was_there(one, seq) for seq in batch))
        keeper.forget(q_name, batch)
        outcome.done += done
        outcome.gone += len(batch) - done
        yield outcome


def _was_there(one: One, seq: int) -> bool:
    try:
        return one(seq)
    except NoMessageAvailable:
        return False
    except MQError as error:
        if error.reason != MQRC_OBJECT_IN_USE:
            raise
        return False


def make(keeper: Keeper, q_name: str, keys: Sequence[int], order: Order) -> Iterator[Outcome]:
    """Make reports, replies or forwards of messages."""
    check_order(order)
    outcome = Outcome(len(keys))
    for batch in _batches(keys):
        made = keeper.with_own_locks_open(batch, lambda batch: make_of_stored(keeper.connection, order, q_name, batch))
        outcome.done += sum(one.error is None for one in made)
        outcome.gone += len(batch) - len(made)
        outcome.failed += sum(one.error is not None for one in made)
        outcome.error = next((one.error for one in made if one.error is not None), outcome.error)
        yield outcome


def put(keeper: Keeper, target: str, message: Message) -> str:
    """Put a message; give its identifier in hex. target: queue, or queue@queue manager."""
    name, _, q_mgr_name = target.partition("@")
    keeper.connection.put1(name, message, q_mgr_name=q_mgr_name)
    return message.md.msg_id.hex().upper()


def redrive(keeper: Keeper, q_name: str, keys: Sequence[int] | None, to: str = "") -> Iterator[Outcome]:
    """Send dead letters back to where they came from. keys: None for all of the queue.  to: the same queue for all."""
    from mqtools.dlq.redrive import Redrive, plan

    name, _, q_mgr_name = to.partition("@")
    connection = keeper.connection
    for seq in [seq for seq in keys or keeper.locked if seq in keeper.locked]:
        keeper.lock(q_name, seq)
    made = plan(connection, q_name, EVERYTHING, to=(name, q_mgr_name) if to else None)
    chosen = None if keys is None else set(keys)
    work = [one for one in made.work if chosen is None or one[0] in chosen]
    outcome = Outcome(len(work) + made.staying if chosen is None else len(chosen))
    for at in range(0, len(work), BATCH):
        todo = made.replace(work=work[at : at + BATCH])
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
        outcome.extra = f"; {outcome.total - len(work)} cannot be: no MQDLH, or for the queue itself"
    yield outcome


def _note(outcome: Outcome, target: tuple[str, str], reason: int) -> None:
    outcome.failed += 1
    outcome.error = MQError(f"a put to {target[0] or 'a blank name'} failed", reason)


def _batches(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    return (keys[at : at + BATCH] for at in range(0, len(keys), BATCH))
