"""Redrive: each dead letter goes back to where its header says, as it was before it was dead-lettered.

What is to be done is fixed first; what comes to the queue meanwhile, and what bounces back to it, is not touched.
Each message is got and put in one unit of work, so it is always on exactly one queue.
"""

from __future__ import annotations

from contextlib import nullcontext

from mqtools.constants.options import (
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.properties import MQTYPE_INT32, MQTYPE_STRING
from mqtools.constants.reasons import MQRC_NONE
from mqtools.dlq.attempt import put_on
from mqtools.dlq.letters import REDRIVE_COUNT, REDRIVE_LAST, Letter, letters
from mqtools.dlq.target import leads_back
from mqtools.errors import NoMessageAvailable
from mqtools.formats.units import rfc3339
from mqtools.headers.chain import strip_dlh
from mqtools.message import Message, Property
from mqtools.mqi.get.search import token_of
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import resolve_for_get
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import TypeAlias

    from mqtools.mqi.connection import Connection
    from mqtools.mqi.handle import Handle
    from mqtools.operations.selection import Selection

    Target: TypeAlias = tuple[str, str]

#: Messages in one unit of work.
_COMMIT_EVERY = 100

_OPEN = MQOO_INPUT_AS_Q_DEF | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING
_GET = MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING


class Plan(Record):
    """What a redrive is about to do.

    q_name: queue that is read.  work: key of each message, and its target: queue and queue manager.  no_dlh, loop,
    stubborn: how many stay because they have no valid MQDLH, would come to the queue that is read, have been
    redriven often enough.
    """

    __slots__ = ("q_name", "work", "no_dlh", "loop", "stubborn")

    def __init__(self, q_name: str) -> None:
        self.q_name = q_name
        self.work: list[tuple[int, Target]] = []
        self.no_dlh = 0
        self.loop = 0
        self.stubborn = 0

    @property
    def staying(self) -> int:
        """How many messages are not touched."""
        return self.no_dlh + self.loop + self.stubborn

    def by_target(self) -> dict[Target, int]:
        """Count the messages of each target, the largest number first."""
        numbers: dict[Target, int] = {}
        for _, target in self.work:
            numbers[target] = numbers.get(target, 0) + 1
        return dict(sorted(numbers.items(), key=lambda item: (-item[1], item[0])))


def plan(
    connection: Connection,
    q_name: str,
    selection: Selection,
    *,
    to: Target | None = None,
    max_redrives: int | None = None,
) -> Plan:
    """Look at what a selection means on a queue, and settle what is to be done. Nothing is changed.

    to: queue and queue manager that all of it goes to, whatever the headers say.  max_redrives: what has been
    redriven so often stays.
    Raises MQError as an open for input does, and as ``selecting.select``.
    """
    queue, _ = resolve_for_get(connection.db, q_name)
    made = Plan(q_name)
    known: dict[Target, bool] = {}
    for letter in letters(connection.db, queue.id, selection):
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
    if target not in known:
        known[target] = leads_back(connection, queue_id, target)
    return known[target]


def _target(letter: Letter, to: Target | None) -> Target | None:
    if letter.dlh is None:
        return None
    return to or (letter.dlh.dest_q_name, letter.dlh.dest_q_mgr_name)


class Balance(Record):
    """What a redrive has come to.

    done: target to messages put there and committed.  failed: target and reason (MQRC_*) to messages that stay.
    gone: messages that somebody else had taken meanwhile.
    """

    __slots__ = ("done", "failed", "gone")

    def __init__(self) -> None:
        self.done: dict[Target, int] = {}
        self.failed: dict[tuple[Target, int], int] = {}
        self.gone = 0


class Redrive:
    """One redrive, on a connection without a unit of work.

    say: takes the target and the reason of a put that fails, the first time.  advance: called for each message.
    settling: gives a context in which a commit and its count are one; the default has nothing of its own.
    After an error what is in ``balance`` is committed, and the rest of the unit of work is for the caller to back out.
    """

    def __init__(
        self,
        connection: Connection,
        todo: Plan,
        *,
        say: Callable[[Target, int], object],
        advance: Callable[[], object] = lambda: None,
        settling: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self.balance = Balance()
        self._connection = connection
        self._plan = todo
        self._say = say
        self._advance = advance
        self._settling = settling
        self._pending: list[Target] = []

    def run(self) -> Balance:
        """Do what is planned. Raises MQError: what ends the reading of the queue, and StorageError."""
        with self._connection.open(self._plan.q_name, _OPEN) as handle:
            for seq, target in self._plan.work:
                self._one(handle, seq, target)
                self._advance()
                if len(self._pending) >= _COMMIT_EVERY:
                    self._commit()
            self._commit()
        return self.balance

    def _one(self, handle: Handle, seq: int, target: Target) -> None:
        try:
            got = handle.get(_GET, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token_of(seq)).message
        except NoMessageAvailable:
            self.balance.gone += 1
            return
        reason = put_on(self._connection, handle, _restored(got), target)
        if reason == MQRC_NONE:
            self._pending.append(target)
            return
        self._connection.give_back_last()
        failure = (target, reason)
        if failure not in self.balance.failed:
            self._say(target, reason)
        self.balance.failed[failure] = self.balance.failed.get(failure, 0) + 1

    def _commit(self) -> None:
        with self._settling():
            self._connection.commit()
            for target in self._pending:
                self.balance.done[target] = self.balance.done.get(target, 0) + 1
            self._pending.clear()


def _restored(letter: Message) -> Message:
    """Give the message as it was before it was dead-lettered, and one more redrive written down in it."""
    md, data = strip_dlh(letter.md, letter.data)
    before = letter.properties.get(REDRIVE_COUNT)
    count = before.value if before is not None and isinstance(before.value, int) else 0
    trace = {
        REDRIVE_COUNT: Property(MQTYPE_INT32, count + 1),
        REDRIVE_LAST: Property(MQTYPE_STRING, rfc3339(now_ms())),
    }
    return Message(data, md, {**letter.properties, **trace})
