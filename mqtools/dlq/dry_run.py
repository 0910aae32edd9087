"""Dry run of a rules table: the handler's attempts, made on a copy of the queue manager in memory."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

from mqtools.constants.names import dead_letter_reason, name_or_number
from mqtools.constants.reasons import MQRC_NONE
from mqtools.dlq.attempt import AttemptResult, attempt_each, group_batches
from mqtools.dlq.progress import TableProgress
from mqtools.dlq.rule import RulesTable
from mqtools.dlq.selection import Candidate, attempts_until, choose_rule, key_of
from mqtools.dlq.selection import explain as failing_keywords
from mqtools.mqi.connection import Connection
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import resolve_for_get
from mqtools.operations.dry_run import DryRunConnection
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.source import Source

_PAGE = 64


def dry_run(
    source: Source,
    table: RulesTable,
    q_name: str,
    *,
    select: Callable[[StoredMessage], bool] | None = None,
    explain: bool = False,
    once: bool = False,
) -> Iterator[dict[str, object]]:
    """Yield for each message, in delivery order, its result in a run that starts now.

    Keys: msg_id (hex), reason, action, line, target, target_q_mgr, fails; explain adds ``rules``: for each rule
    its line, whether it matches, the keywords that do not match, and ``fails`` where its put failed. reason, action
    and line are None where there is no MQDLH or no rule.

    The rule is that of the last attempt: where puts fail, the run continues to the next rule that matches until one
    succeeds or none is left. fails is the reason of the last put, None where it succeeds; a put to the queue that is
    read, which the handler does not do, fails with MQRC_NOT_OPEN_FOR_OUTPUT. Each put counts for those after it: a
    target fills. Room that a put would first have to take from a dead process counts as taken. No other program is
    assumed to put or get meanwhile, and no message to expire.

    once: one attempt a message, as a run with that option.  select: which messages the table is applied to.  Locked
    and uncommitted messages are not there.
    Nothing is written; each page is read in its own transaction. A message is yielded when its attempts are
    over, and those after it then.
    Raises MQError: as an open for input does when the queue cannot be read.
    """
    answers = forecast(source, table, q_name, select=select, once=once)
    return (_object(answer, table if explain else None) for answer in answers)


def forecast(
    source: Source,
    table: RulesTable,
    q_name: str,
    *,
    select: Callable[[StoredMessage], bool] | None = None,
    once: bool = False,
) -> Iterator[Answer]:
    """Yield what ``dry_run`` makes objects of: the last attempt at each message."""
    queue, _ = resolve_for_get(source.db, q_name)
    return _Forecast(source.db, table, queue.id, once=once).answers(select)


@dataclass(slots=True)
class Answer:
    """Result for a message so far: its last outcome, and line -> reason of the rules whose put failed."""

    outcome: AttemptResult
    tried: dict[int, int] = field(default_factory=dict)


class _Forecast:
    """One dry run. A round corresponds to one scan of the handler: one attempt at each message that is new or due."""

    def __init__(self, db: Database, table: RulesTable, queue_id: int, *, once: bool) -> None:
        self._db = db
        self._table = table
        self._queue_id = queue_id
        self._progress = TableProgress(table, once=once)
        self._answers: OrderedDict[int, Answer] = OrderedDict()  # not given yet, in the order of delivery

    def answers(self, select: Callable[[StoredMessage], bool] | None) -> Iterator[Answer]:
        self._rehearsal = DryRunConnection(Connection(self._db, appl_name="mqx", user_identifier=""))
        with closing(self._rehearsal.db):
            for page in self._pages(select):
                yield from self._round((stored.seq, stored.data_length) for stored in page)
            while pending := [answer for seq, answer in self._answers.items() if self._is_pending(seq)]:
                self._skip(pending)
                yield from self._round((answer.outcome.seq, answer.outcome.length) for answer in pending)

    def _round(self, found: Iterable[tuple[int, int]]) -> Iterator[Answer]:
        """Attempt messages; yield the answers that are settled then. found: key and length of each message."""
        for seqs in group_batches(found):
            self._attempt(seqs)
        while self._answers and not self._is_pending(seq := next(iter(self._answers))):
            yield self._answers.pop(seq)

    def _pages(self, select: Callable[[StoredMessage], bool] | None) -> Iterator[list[StoredMessage]]:
        after = -1
        while True:
            with self._db.reading():
                page = messages.available(self._db, self._queue_id, after=after, limit=_PAGE)
                now = now_ms()
                there = [stored for stored in page if stored.expires_at is None or stored.expires_at > now]
                wanted = [stored for stored in there if not select or select(stored)]
            yield wanted
            if len(page) < _PAGE:
                return
            after = page[-1].order_key

    def _attempt(self, seqs: list[int]) -> None:
        rehearsal, progress = self._rehearsal, self._progress
        rehearsal.fetch(seqs)
        while seqs:
            with rehearsal.work() as work:
                queue = queues.by_id(work.db, self._queue_id)
                assert queue is not None
                outcomes = attempt_each(work, queue, seqs, self._table, progress.retries)
            for seq, outcome in zip(seqs, outcomes, strict=False):
                if outcome is None:
                    self._answers.pop(seq, None)  # another program has taken it meanwhile
                    if seq in progress.left:
                        progress.forget(seq)
                else:
                    self._take(outcome)
            seqs = seqs[len(outcomes) :]

    def _take(self, outcome: AttemptResult) -> None:
        answer = self._answers.setdefault(outcome.seq, Answer(outcome))
        if outcome.rule is not None and outcome.reason != MQRC_NONE:
            answer.tried[outcome.rule.line] = outcome.reason
        answer.outcome = self._progress.settle(outcome, 0.0)

    def _is_pending(self, seq: int) -> bool:
        left = self._progress.left.get(seq)
        return left is not None and left.due is not None

    def _skip(self, pending: list[Answer]) -> None:
        """Count the rounds in which each message would fail again in the same way, without running them.

        A put that has failed does not succeed later in the run, because the run only fills its targets.
        """
        sharing = Counter(key_of(answer.outcome.md) for answer in pending)
        number = min(self._rounds_alike(answer.outcome, sharing[key_of(answer.outcome.md)]) for answer in pending)
        for answer in pending:
            self._progress.retries[key_of(answer.outcome.md)] += number

    def _rounds_alike(self, outcome: AttemptResult, sharing: int) -> int:
        """Return for how many rounds a message certainly gets the same rule again.

        sharing: messages that count their attempts together, this one included.
        """
        assert outcome.candidate is not None
        assert outcome.rule is not None
        rules = self._table.rules
        first = self._progress.retries[key_of(outcome.md)]
        last = first + sharing - 1  # failed when its turn comes, at most
        if any(choose_rule(rules, outcome.candidate, attempts) is not outcome.rule for attempts in (first, last)):
            return 0
        return (attempts_until(rules, outcome.candidate, outcome.rule) - 1 - last) // sharing


def _object(answer: Answer, explained: RulesTable | None) -> dict[str, object]:
    """Return an answer as JSON values. explained: the table whose rules are explained, None for no explanation."""
    outcome = answer.outcome
    rule, candidate = outcome.rule, outcome.candidate
    row: dict[str, object] = {
        "msg_id": outcome.md.msg_id.hex().upper(),
        "reason": None if candidate is None else dead_letter_reason(candidate.dlh.reason),
        "action": None if rule is None else rule.action,
        "line": None if rule is None else rule.line,
        "target": outcome.target[0],
        "target_q_mgr": outcome.target[1],
        "fails": None if outcome.reason == MQRC_NONE else name_or_number("MQRC", outcome.reason),
    }
    if explained is not None:
        row["rules"] = [] if candidate is None else _explain(answer, candidate, explained)
    return row


def _explain(answer: Answer, candidate: Candidate, table: RulesTable) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for rule in table.rules:
        because = failing_keywords(rule, candidate)
        row: dict[str, object] = {"line": rule.line, "matches": not because, "because": because}
        if rule.line in answer.tried:
            row["fails"] = name_or_number("MQRC", answer.tried[rule.line])
        rows.append(row)
    return rows
