"""The running dead-letter handler: one message, one unit of work, until nothing is left to do.

A *scan* goes through the queue in the order of delivery, reading only, and looks at what is new or due
again. Looking at a message locks it, and the rule is chosen then. Only an action that takes the message off
the queue gets it: a message that is ignored, or that no rule wants, keeps its BackoutCount, which the
product's handler raises each time. Between scans the handler sleeps until its bell rings or the next message
is due; whoever makes a message available rings.
"""

from __future__ import annotations

import time

from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_UNLOCK,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.reasons import (
    MQRC_GET_INHIBITED,
    MQRC_NONE,
)
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.dlq import report_lines, totals
from mqtools.dlq.attempt import ENDINGS, act
from mqtools.dlq.bell import listen, sleep, wake
from mqtools.dlq.matcher import Candidate, nul_keywords
from mqtools.dlq.selection import RetryState, choose, repeats_the_dead_letter, target_of
from mqtools.dlq.target import leads_back
from mqtools.dlq.totals import Totals
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.headers.chain import read_dlh
from mqtools.mqi import recovery
from mqtools.mqi.get.search import token_of
from mqtools.mqi.identity import now_ms
from mqtools.mqi.put import fail_if_quiescing
from mqtools.records import Record
from mqtools.store.messages import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mqtools.dlq.rule import Rule, RulesTable
    from mqtools.message import MQMD, Message
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.handle import Handle
    from mqtools.store.messages.stored_message import StoredMessage

_OPEN = MQOO_BROWSE | MQOO_INPUT_AS_Q_DEF | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING
_LOOK = MQGMO_BROWSE_FIRST | MQGMO_LOCK | MQGMO_ACCEPT_TRUNCATED_MSG | MQGMO_FAIL_IF_QUIESCING

_PAGE = 64
#: A scan at least every so many retry intervals, for what became available without a ring: a lease that ended.
_RESCAN = 10
#: No sleep is longer (seconds).
_LONGEST_SLEEP_S = 3600.0


class _Left(Record):
    """A message that was looked at and is still there.

    due: when it is tried again, on the clock; None: never.  is_held: it was due, but somebody else held it.
    """

    __slots__ = ("cause", "due", "is_held", "md")

    def __init__(self, cause: str, md: MQMD, due: float | None) -> None:
        self.cause = cause
        self.md = md
        self.due = due
        self.is_held = False


class Handler:
    """Runs a rules table over a dead-letter queue.

    connection: without a unit of work; the handler's own are committed or backed out message by message.
    once: one pass, one attempt a message, whatever WAIT says.  say: takes each line of the report.
    select: which messages the table is applied to; the others are left unseen.
    clock: seconds that never go back.  pause: sleeps up to so many seconds, tells whether something came
    earlier; by default until the connection's bell rings.
    PUTAUT(CTX) asks for the authority of MQMD.UserIdentifier; all context is passed on in either case, and no
    authority is checked.
    Source: BEY-69 to BEY-77.
    """

    def __init__(
        self,
        connection: Connection,
        table: RulesTable,
        q_name: str,
        *,
        once: bool = False,
        say: Callable[[str], None],
        select: Callable[[StoredMessage], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], bool] | None = None,
    ) -> None:
        self._connection = connection
        self._q_name = q_name
        self._once = once
        self._say = say
        self._select = select
        self._clock = clock
        self._pause = self._sleep if pause is None else pause
        self._is_stopping = False
        self._next_table: RulesTable | None = None
        self._handled = dict.fromkeys(totals.ACTIONS, 0)
        self._left: dict[int, _Left] = {}
        self._said: set[object] = set()
        self._leads_back: dict[tuple[str, str], bool] = {}
        self._last_useful = 0.0
        self._ended_by = MQRC_NONE
        self._handle: Handle
        self._use(table)

    def run(self) -> Totals:
        """Handle dead letters until WAIT says that it is over, or the queue or its manager ends it.

        Gives what became of the messages.  Raises MQError when the queue cannot be opened, and StorageError;
        the message at hand is then back on its queue.
        """
        for _ in self.steps():
            pass
        return self.totals()

    def steps(self) -> Iterator[None]:
        """Do the same message by message, for a caller that has other things to do in between.

        Closing it ends the run; what became of the messages is in ``totals`` at any time.
        """
        self._handle = self._connection.open(self._q_name, _OPEN)
        self._say(report_lines.started(self._q_name))
        try:
            yield from self._loop()
        except MQError as error:
            if error.reason not in ENDINGS:
                raise
            self._ended_by = error.reason
        finally:
            self._close()
        self._say(report_lines.ended(self._q_name, self.totals()))

    def stop(self) -> None:
        """End the run after the current message, a sleep at once. May be called by a signal handler."""
        self._is_stopping = True
        wake(self._connection)

    def reload(self, table: RulesTable) -> None:
        """Go on with another table after the current message, as if newly started. May be called by a signal handler.

        Its INPUTQ is not looked at.
        """
        self._next_table = table
        wake(self._connection)

    # The loop

    def _loop(self) -> Iterator[None]:
        self._last_useful = self._clock()
        if not self._once:
            listen(self._connection, self._handle)
        while not self._is_stopping:
            if self._next_table is not None:
                table, self._next_table = self._next_table, None
                self._use(table)
            yield from self._scan()
            if self._once or self._is_stopping:
                return
            if self._next_table is None and not self._pause(self._patience_s()) and self._is_over():
                return

    def _use(self, table: RulesTable) -> None:
        """Take a table into use: what the one before it left, other than what is no dead letter, is new again."""
        self._table = table
        self._interval_s = table.control.retry_interval_s
        self._attempts = RetryState(self._interval_s)
        self._hits = {rule.line: 0 for rule in table.rules}
        self._left = {seq: left for seq, left in self._left.items() if left.cause == totals.NO_DLH}
        self._said.clear()

    def _sleep(self, timeout_s: float) -> bool:
        return sleep(self._connection, self._handle, timeout_s)

    def _next_due(self) -> float | None:
        return min((left.due for left in self._left.values() if left.due is not None), default=None)

    def _ends_at(self) -> float | None:
        """When the run is over if nothing useful happens; None while messages are due, and with WAIT(YES)."""
        wait = self._table.control.wait
        if wait == "YES" or self._next_due() is not None:
            return None
        return self._last_useful + (0 if wait == "NO" else int(wait))

    def _is_over(self) -> bool:
        end = self._ends_at()
        return end is not None and self._clock() >= end

    def _patience_s(self) -> float:
        """How long to sleep when nothing rings."""
        moments = (self._next_due(), self._ends_at())
        spans = [moment - self._clock() for moment in moments if moment is not None]
        return max(0.0, min(*spans, _RESCAN * max(1, self._interval_s), _LONGEST_SLEEP_S))

    # The scan

    def _scan(self) -> Iterator[None]:
        """Look once at every message that is new or due."""
        self._check_queue()
        self._leads_back.clear()
        unmet = set(self._left)
        for stored in self._messages():
            if self._is_stopping or self._next_table is not None:
                break
            unmet.discard(stored.seq)
            if self._is_wanted(stored):
                self._look_at(stored)
            yield
        else:
            self._forget(unmet)
        if self._handle.locked_seq is not None:
            self._handle.get(MQGMO_UNLOCK)

    def _check_queue(self) -> None:
        """Notice what ends a run also where there is nothing to get, and let go of what the dead hold."""
        with self._connection.work() as work:
            fail_if_quiescing(work)
            queue = self._handle.fresh_queue(work)
            for definition in self._handle.path(work, queue):
                if definition.inhibit_get:
                    raise MQError(f"gets are inhibited on queue {definition.name}", MQRC_GET_INHIBITED)
            if messages.held(work.db, queue.id, limit=1):
                recovery.recover(work, queue.id)

    def _messages(self) -> Iterator[StoredMessage]:
        after = -1
        while True:
            page = messages.available(self._connection.db, self._handle.queue_id, after=after, limit=_PAGE)
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].order_key

    def _is_wanted(self, stored: StoredMessage) -> bool:
        """Is a message new, or due, or expired, which a look finds out?"""
        if self._select is not None and not self._select(stored):
            return False
        left = self._left.get(stored.seq)
        if left is None or left.is_held or (left.due is not None and self._clock() >= left.due):
            return True
        return stored.expires_at is not None and stored.expires_at <= now_ms()

    def _forget(self, unmet: set[int]) -> None:
        """Forget the messages that are gone; one that is due while somebody holds it waits until it is let go."""
        for seq in unmet & set(self._left):
            left = self._left[seq]
            if messages.by_seq(self._connection.db, seq) is None:
                self._attempts.forget(left.md)
                del self._left[seq]
            elif left.due is not None and self._clock() >= left.due:
                left.due, left.is_held = None, True

    # One message

    def _look_at(self, stored: StoredMessage) -> None:
        """Lock a message, choose its rule, and do what the rule says."""
        found = self._lock(stored.seq)
        if found is None:
            return
        try:
            candidate = Candidate(found.md, read_dlh(found.md, found.data, keep_nulls=True))
        except MQError as error:
            self._say(report_lines.without_dlh(found.md.msg_id, error.text))
            self._leave(stored.seq, totals.NO_DLH, found.md)
            return
        if stored.seq not in self._left:
            self._last_useful = self._clock()
            self._warn_of_nul(candidate)
        rule = choose(self._table.rules, candidate, self._attempts.attempts(found.md))
        if rule is None:
            self._leave(stored.seq, totals.NO_RULE, found.md)
            return
        self._hits[rule.line] += 1
        if rule.action == "IGNORE":
            self._leave(stored.seq, totals.IGNORED, found.md)
        else:
            self._attempt(stored.seq, rule, candidate)

    def _lock(self, seq: int) -> Message | None:
        """Browse the beginning of a message with lock; None when it has gone or expired, or another has it."""
        try:
            return self._handle.get(
                _LOOK, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token_of(seq), max_length=MQDLH_LENGTH_1
            ).message
        except NoMessageAvailable:
            return None

    def _warn_of_nul(self, candidate: Candidate) -> None:
        """Say, once for each keyword that the table uses, that a field is padded with NUL."""
        for keyword in nul_keywords(candidate):
            if any(pattern.keyword == keyword for rule in self._table.rules for pattern in rule.patterns):
                self._say_once(keyword, report_lines.nul_padded(keyword, candidate.md.msg_id))

    def _say_once(self, key: object, line: str) -> None:
        if key not in self._said:
            self._said.add(key)
            self._say(line)

    def _leave(self, seq: int, cause: str, md: MQMD, due: float | None = None) -> None:
        self._left[seq] = _Left(cause, md, due)

    def _attempt(self, seq: int, rule: Rule, candidate: Candidate) -> None:
        """Do what a rule says other than IGNORE, unless it would put the message back where it lies."""
        self._last_useful = self._clock()
        target = target_of(rule, candidate)
        if rule.action != "DISCARD" and self._is_loop(target):
            self._say_once(rule.line, report_lines.leads_to_itself(rule.line, target, self._q_name))
            self._leave(seq, totals.LOOP, candidate.md)
            return
        reason = act(self._connection, self._handle, rule, target)
        if reason == MQRC_NONE:
            self._handled[rule.action] += 1
            self._attempts.forget(candidate.md)
            self._left.pop(seq, None)
        elif reason is not None:
            self._fail(seq, rule, candidate, target, reason)

    def _is_loop(self, target: tuple[str, str]) -> bool:
        if target not in self._leads_back:
            self._leads_back[target] = leads_back(self._connection, self._handle.queue_id, target)
        return self._leads_back[target]

    def _fail(self, seq: int, rule: Rule, candidate: Candidate, target: tuple[str, str], reason: int) -> None:
        """Count a failed attempt, say what is new about it, and settle what comes next (BEY-75)."""
        if not repeats_the_dead_letter(candidate, reason, target):
            self._say(report_lines.put_failed(rule.line, target, reason, candidate.md.msg_id))
        now = self._clock()
        attempts = self._attempts.record_failure(candidate.md, now)
        following = choose(self._table.rules, candidate, attempts)
        if self._once or following is None:
            self._leave(seq, totals.PUT_FAILED, candidate.md)
        elif following.action == "IGNORE":
            self._hits[following.line] += 1
            self._leave(seq, totals.IGNORED, candidate.md)
        else:
            self._leave(seq, totals.PUT_FAILED, candidate.md, now + self._interval_s)

    # The end

    @property
    def handled(self) -> int:
        """How many messages have been taken off the queue so far."""
        return sum(self._handled.values())

    def totals(self) -> Totals:
        """Give what has become of the messages so far."""
        left = dict.fromkeys(totals.CAUSES, 0)
        for message in self._left.values():
            left[message.cause] += 1
        return Totals(dict(self._handled), left, dict(self._hits), self._ended_by)

    def _close(self) -> None:
        """Close the queue, unless the queue manager has done so."""
        try:
            self._handle.close()
        except MQError as error:
            if error.reason not in ENDINGS:
                raise
