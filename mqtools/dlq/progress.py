"""Progress of a rules table over a queue: the result for each letter, and when it is retried.

Shared by the handler and its dry run, so that both reach the same results.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from mqtools.constants.reasons import MQRC_NONE
from mqtools.dlq import totals
from mqtools.dlq.attempt import AttemptResult
from mqtools.dlq.rule import RulesTable
from mqtools.dlq.selection import Attempts, choose_rule, key_of
from mqtools.dlq.totals import TableTotals
from mqtools.message import MQMD


@dataclass(slots=True)
class Left:
    """A message that was attempted and is still on the queue.

    due: time of the next attempt, by the clock; None: never.  is_held: it was due, but held by another program.
    """

    cause: str
    md: MQMD
    due: float | None
    is_held: bool = False


class TableProgress:
    """Results of a table so far.

    once: one attempt per message.  handled: action -> messages removed from the queue.  hits: line of each rule ->
    number of times it was chosen.  char_keywords: those of the table.  left: key -> message that is still there.
    retries: failed attempts.
    """

    def __init__(self, table: RulesTable, *, once: bool) -> None:
        self.once = once
        self.handled = dict.fromkeys(totals.ACTIONS, 0)
        self.left: dict[int, Left] = {}
        self.use(table)

    def use(self, table: RulesTable) -> None:
        """Replace the table: the messages left by the previous one are new again, unless they have no MQDLH."""
        self.table = table
        self.retries: Attempts = Counter()
        self.char_keywords = table.char_keywords()
        self.hits = {rule.line: 0 for rule in table.rules}
        self.left = {seq: left for seq, left in self.left.items() if left.cause == totals.NO_DLH}

    def settle(self, outcome: AttemptResult, now: float) -> AttemptResult:
        """Count an outcome and schedule the next attempt at its letter (BEY-75).

        Return the outcome, or if the next rule ignores the letter, the outcome with that rule.
        """
        if outcome.rule is not None:
            self.hits[outcome.rule.line] += 1
        if outcome.cause == totals.PUT_FAILED:
            return self._fail(outcome, now)
        if outcome.cause is not None:
            self.left[outcome.seq] = Left(outcome.cause, outcome.md, None)
            return outcome
        assert outcome.rule is not None
        self.handled[outcome.rule.action] += 1
        del self.retries[key_of(outcome.md)]
        self.left.pop(outcome.seq, None)
        return outcome

    def _fail(self, outcome: AttemptResult, now: float) -> AttemptResult:
        assert outcome.candidate is not None
        key = key_of(outcome.md)
        self.retries[key] += 1
        following = None if self.once else choose_rule(self.table.rules, outcome.candidate, self.retries[key])
        if following is not None and following.action == "IGNORE":
            self.hits[following.line] += 1
            self.left[outcome.seq] = Left(totals.IGNORED, outcome.md, None)
            return replace(outcome, rule=following, cause=totals.IGNORED, target=("", ""), reason=MQRC_NONE)
        due = None if following is None else now + self.table.control.retry_interval_s
        self.left[outcome.seq] = Left(totals.PUT_FAILED, outcome.md, due)
        return outcome

    def forget(self, seq: int) -> None:
        del self.retries[key_of(self.left.pop(seq).md)]

    def next_due(self) -> float | None:
        return min((left.due for left in self.left.values() if left.due is not None), default=None)

    def totals(self, reason: int = MQRC_NONE) -> TableTotals:
        """Return the totals so far. reason: what ended the run from outside."""
        left = Counter(message.cause for message in self.left.values())
        by_cause = {cause: left[cause] for cause in totals.CAUSES}
        return TableTotals(dict(self.handled), by_cause, dict(self.hits), reason)
