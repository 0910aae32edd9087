"""Redrive: put each dead letter back to the destination in its header, as it was before it was dead-lettered.

The plan is fixed first; messages that arrive or return meanwhile are not touched. One transaction removes and puts
a batch of messages, so each is always on exactly one queue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias

from mqtools.constants.options import MQOO_FAIL_IF_QUIESCING, MQOO_INPUT_AS_Q_DEF, MQOO_SAVE_ALL_CONTEXT
from mqtools.constants.properties import MQTYPE_INT32, MQTYPE_STRING
from mqtools.constants.reasons import MQRC_NONE
from mqtools.dlq.attempt import BATCH, LetterBatch, check_gettable
from mqtools.dlq.letters import REDRIVE_COUNT, REDRIVE_LAST, Letter, letters, redrive_count
from mqtools.dlq.totals import GONE
from mqtools.errors import MQError, StorageError
from mqtools.formats.units import rfc3339
from mqtools.headers.chain import strip_dlh
from mqtools.message import Message, Property
from mqtools.mqi.connection import Connection
from mqtools.mqi.handle import Handle
from mqtools.mqi.identity import now_ms
from mqtools.mqi.overrides import Override
from mqtools.mqi.resolution import resolve_for_put
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import local_queue
from mqtools.store import queues

Target: TypeAlias = tuple[str, str]
#: Result for a message: its target, why it is left (None where it was put), and the reason of a put that failed.
RedriveResult: TypeAlias = tuple[Target, str | None, int]

_OPEN = MQOO_INPUT_AS_Q_DEF | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING


@dataclass(slots=True)
class Plan:
    """Plan of a redrive.

    q_name: queue that is read.  work: key of each message, and its target: queue and queue manager.  no_dlh, loop,
    stubborn: number of messages that stay because they have no valid MQDLH, would return to the queue that is read, or
    have reached the limit of redrives.
    """

    q_name: str
    work: list[tuple[int, Target]] = field(default_factory=list)
    no_dlh: int = 0
    loop: int = 0
    stubborn: int = 0

    @property
    def staying(self) -> int:
        return self.no_dlh + self.loop + self.stubborn

    def by_target(self) -> dict[Target, int]:
        """Count the messages of each target, the largest number first."""
        numbers = Counter(target for _, target in self.work)
        return dict(sorted(numbers.items(), key=lambda item: (-item[1], item[0])))


def plan(
    connection: Connection,
    q_name: str,
    selection: Selection,
    *,
    to: Target | None = None,
    max_redrives: int | None = None,
) -> Plan:
    """Plan the redrive of the selected messages of a queue. Nothing is changed.

    to: queue and queue manager for all of them, whatever the headers say.  max_redrives: messages redriven that often
    stay.  Raises MQError as an open for input does, and as ``selection.select``.
    """
    queue = local_queue(connection, q_name)
    made = Plan(q_name)
    known: dict[Target, bool] = {}
    for letter in letters(connection, queue.id, selection):
        target = _target(letter, to)
        if target is None:
            made.no_dlh += 1
        elif max_redrives is not None and letter.redrives >= max_redrives:
            made.stubborn += 1
        elif _is_loop(connection, queue.id, target, known):
            made.loop += 1
        else:
            made.work.append((letter.stored.seq, target))
    return made


def _is_loop(connection: Connection, queue_id: int, target: Target, known: dict[Target, bool]) -> bool:
    """Return whether a put to a target would arrive on the queue that is read, also through aliases."""
    if target not in known:
        db = connection.db
        try:
            with db.reading():
                known[target] = resolve_for_put(db, queues.qmgr(db), *target).queue.id == queue_id
        except MQError:
            known[target] = False  # the put fails with the same reason, and that is where it is reported
    return known[target]


def _target(letter: Letter, to: Target | None) -> Target | None:
    if letter.dlh is None:
        return None
    return to or (letter.dlh.dest_q_name, letter.dlh.dest_q_mgr_name)


@dataclass(slots=True)
class Balance:
    """Results of a redrive.

    done: target -> messages put there and committed.  failed: target and reason (MQRC_*) -> messages that stay.
    gone: messages that another program has taken meanwhile.
    """

    done: Counter[Target] = field(default_factory=Counter)
    failed: Counter[tuple[Target, int]] = field(default_factory=Counter)
    gone: int = 0

    def count(self, target: Target, cause: str | None, reason: int) -> bool:
        """Count a message when its transaction is committed; return whether it is a failure that is new.

        cause: why it is left, None where it was put, GONE.  reason: of a put that failed.
        """
        if cause == GONE:
            self.gone += 1
        elif cause is None:
            self.done[target] += 1
        else:
            self.failed[target, reason] += 1
        return self.failed[target, reason] == 1


@dataclass(eq=False)
class Redrive:
    """One redrive, on a connection without a unit of work.

    say: takes the target and the reason of a put that fails, the first time.  advance: called for each message.
    delay_ms: put each message so that nothing finds it before this time from now.
    settling: returns the context in which a commit and its count must not be separated; none by default.
    After an error what is in ``balance`` is committed, and nothing else is changed.
    """

    connection: Connection
    todo: Plan
    _: KW_ONLY
    say: Callable[[Target, int], object]
    advance: Callable[[], object] = lambda: None
    delay_ms: int = 0
    settling: Callable[[], AbstractContextManager[object]] = nullcontext
    balance: Balance = field(default_factory=Balance)

    def run(self) -> Balance:
        """Run the plan. Raises MQError: what ends the reading of the queue, and StorageError."""
        with self.connection.open(self.todo.q_name, _OPEN) as handle:
            todo = self.todo.work
            while todo:
                todo = todo[self._some(handle, todo[:BATCH]) :]
        return self.balance

    def _some(self, handle: Handle, todo: list[tuple[int, Target]]) -> int:
        """Redrive messages in one transaction; return how many.

        Where the file refuses all of them, the first half is tried by itself, down to one.
        """
        work = self.connection.work()
        try:
            with self.settling():
                with work:
                    batch = LetterBatch(work, check_gettable(work, handle), [seq for seq, _ in todo])
                    with Override(work.connection, event_detail="redrive"):
                        results = [self._one(batch, *each) for each in todo]
                new = [
                    (target, reason) for target, cause, reason in results if self.balance.count(target, cause, reason)
                ]
        except StorageError:
            if len(todo) == 1 or work.is_committed:
                raise
            return self._some(handle, todo[: len(todo) // 2])
        for failure in new:
            self.say(*failure)
        return len(results)

    def _one(self, batch: LetterBatch, seq: int, target: Target) -> RedriveResult:
        self.advance()
        stored = batch.find(seq)
        if stored is None:
            return target, GONE, MQRC_NONE
        return target, *batch.carry(stored, lambda letter: restore(letter, self.delay_ms), target)


def restore(letter: Message, delay_ms: int = 0) -> Message:
    """Return the message as it was before it was dead-lettered, with one more redrive counted in its properties."""
    deliver_at = now_ms() + delay_ms if delay_ms else None
    md, data = strip_dlh(letter.md, letter.data)
    trace = {
        REDRIVE_COUNT: Property(MQTYPE_INT32, redrive_count(letter.properties) + 1),
        REDRIVE_LAST: Property(MQTYPE_STRING, rfc3339(now_ms())),
    }
    return Message(data, md, {**letter.properties, **trace}, deliver_at)
