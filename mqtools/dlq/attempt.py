"""Attempts at dead letters: several letters in one transaction, each with its own outcome (BEY-77)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TypeAlias

from mqtools.constants.names import name_or_number
from mqtools.constants.options import MQPMO_PASS_ALL_CONTEXT
from mqtools.constants.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_GET_INHIBITED,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_OUTPUT,
    MQRC_Q_DELETED,
    MQRC_Q_MGR_QUIESCING,
)
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.dlq import totals
from mqtools.dlq.rule import Rule, RulesTable, describe_rule
from mqtools.dlq.selection import Attempts, Candidate, choose_rule, key_of, prepare_put, target_of
from mqtools.dlq.target import select_properties
from mqtools.errors import MQError, StorageError
from mqtools.headers.chain import read_dlh
from mqtools.headers.mqdlh import MQDLH
from mqtools.message import MQMD, Message
from mqtools.mqi import journal, trash
from mqtools.mqi.authority import check_queue
from mqtools.mqi.get import removal
from mqtools.mqi.get.search import expire, properties_of, remaining_expiry
from mqtools.mqi.handle import Handle
from mqtools.mqi.overrides import Override
from mqtools.mqi.put import put
from mqtools.mqi.resolution import Target, check_gets_allowed, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.operations.batches import in_batches
from mqtools.store.messages import by_keys, messages, units_of_work
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue

#: Reasons that end a run in order, whichever call gets them: there is no queue to read any more.
ENDINGS = frozenset((MQRC_GET_INHIBITED, MQRC_Q_DELETED, MQRC_Q_MGR_QUIESCING, MQRC_CONNECTION_BROKEN))

#: Limits of a transaction: letters, and bytes of their data. The letter that exceeds the second is in it.
BATCH = 100
_BATCH_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """Result of one attempt at a letter, valid once its transaction is committed.

    seq, md, length: of the letter; length is that of its data in bytes.  candidate: None without a valid MQDLH, and
    ``text`` says why.  rule: None if none was chosen.  target: queue and queue manager of the put.
    cause: why the letter is left (``totals.CAUSES``), None where it has left the queue.
    reason: of the put that failed, MQRC_NONE where none did; MQRC_NOT_OPEN_FOR_OUTPUT for a put to the queue that is
    read, which is not made.
    """

    seq: int
    md: MQMD
    length: int
    candidate: Candidate | None
    rule: Rule | None
    cause: str | None
    _: KW_ONLY
    target: tuple[str, str] = ("", "")
    reason: int = MQRC_NONE
    text: str = ""


#: Result of an action: why the letter is left, or None; target of the put; reason of a put that failed.
Applied: TypeAlias = tuple[str | None, tuple[str, str], int]


def attempt_letter(
    stored: StoredMessage,
    head: bytes,
    rules: Sequence[Rule],
    attempts: int,
    apply: Callable[[Rule, Candidate], Applied],
) -> AttemptResult:
    """Choose the rule for a letter, and run its action with ``apply``, unless it is IGNORE.

    head: beginning of the data, with the MQDLH.  attempts: number that have failed.
    """
    seen = stored.seq, stored.md, stored.data_length
    try:
        candidate = Candidate(stored.md, read_dlh(stored.md, head, keep_nulls=True))
    except MQError as error:
        return AttemptResult(*seen, None, None, totals.NO_DLH, text=error.text)
    rule = choose_rule(rules, candidate, attempts)
    if rule is None:
        return AttemptResult(*seen, candidate, None, totals.NO_RULE)
    if rule.action == "IGNORE":
        return AttemptResult(*seen, candidate, rule, totals.IGNORED)
    cause, target, reason = apply(rule, candidate)
    return AttemptResult(*seen, candidate, rule, cause, target=target, reason=reason)


class LetterBatch:
    """Letters of one queue that are handled in one transaction.

    An attempt that leaves its letter undoes what it did to it, adds one to the letter's backout count, and leaves the
    other letters as they are.
    """

    def __init__(self, work: Work, queue: Queue, seqs: Sequence[int], table_name: str = "") -> None:
        """seqs: keys of the letters. They are read at once; other programs cannot change them now.

        table_name: of the rules table, for the journal.
        """
        self._table_name = table_name
        self._work = work
        self._queue = queue
        self._letters = by_keys.read_among(work.db, seqs)
        self._resolved: tuple[tuple[str, str], Target] | None = None

    def find(self, seq: int) -> StoredMessage | None:
        """Return a letter by its key; None when it has gone or expired, or a program holds it."""
        stored = self._letters.pop(seq, None)
        if stored is None or not stored.has_expired(self._work.now_ms):
            return stored
        expire(self._work, self._queue, stored)
        self._resolved = None  # it may have been reported to the same queue
        return None

    def attempt(self, stored: StoredMessage, rules: Sequence[Rule], attempts: int) -> AttemptResult:
        """Choose the rule for a letter, and run its action. attempts: number that have failed."""
        head = stored.data
        if head is None:
            head = messages.load_data(self._work.db, stored.seq, MQDLH_LENGTH_1)
        outcome = attempt_letter(
            stored, head, rules, attempts, lambda rule, candidate: self._apply(rule, stored, candidate)
        )
        if outcome.cause not in (None, totals.PUT_FAILED):
            self._back_out(stored, self._describe(outcome.rule) if outcome.candidate else outcome.text)
        return outcome

    def _describe(self, rule: Rule | None) -> str:
        return f"rule {self._table_name}:{rule.line} {describe_rule(rule)}" if rule else "no rule matches"

    def _back_out(self, stored: StoredMessage, words: str) -> None:
        """Count that a letter is left, as the product's handler does, which backs its get out. words: why."""
        if self._queue.journal:
            journal.note_backout(self._work, self._queue, stored.seq, words)
        units_of_work.count_backout(self._work.db, stored.seq)

    def _apply(self, rule: Rule, stored: StoredMessage, candidate: Candidate) -> Applied:
        with Override(self._work.connection, event_detail=self._describe(rule)):
            if rule.action == "DISCARD":
                self._discard(stored)
                return None, ("", ""), MQRC_NONE
            target = target_of(rule, candidate)
            cause, reason = self.carry(stored, partial(make_message, rule, candidate.dlh), target)
        return cause, target, reason

    def carry(
        self, stored: StoredMessage, make: Callable[[Message], Message], names: tuple[str, str]
    ) -> tuple[str | None, int]:
        """Put what is made of a letter on a target with all its context, and remove the letter from the queue.

        Return why the letter is left, None if it has left the queue, and the reason of a failed put.
        """
        try:
            target = self._target(names)
            if target.queue.id == self._queue.id:
                return totals.LOOP, MQRC_NOT_OPEN_FOR_OUTPUT
            with self._work.db.writing():
                self._put(stored, make, target)
            return None, MQRC_NONE
        except StorageError:
            raise
        except MQError as error:
            reason = error.reason
        self._resolved = None
        self._back_out(stored, f"put on {names[0]} failed with {name_or_number('MQRC', reason)} {reason}")
        return totals.PUT_FAILED, reason

    def _put(self, stored: StoredMessage, make: Callable[[Message], Message], target: Target) -> None:
        work, placed = self._work, len(self._work.placed)
        expiry = remaining_expiry(stored, work.now_ms)
        md = stored.md if expiry == stored.md.expiry else stored.md.replace(expiry=expiry)
        message = make(Message(messages.data_of(work.db, stored), md, properties_of(stored)))
        check_queue(work.connection, target.path[0].name, "PUT", "PASSALL")
        with Override(work.connection, relays=True):
            result = put(work, target, message, MQPMO_PASS_ALL_CONTEXT, holder_id=None, context=stored.md)
        result.check_complete()
        removal.take_off(work, self._queue, stored, expiry, None)
        if len(work.placed) != placed + 1:
            self._resolved = None  # a report may have come to the same queue

    def _discard(self, stored: StoredMessage) -> None:
        work = self._work
        is_kept = trash.keep(work, self._queue, stored, trash.DISCARD)
        with work.caused_by(journal.DELETE, detail=removal.TO_TRASH if is_kept else None):
            removal.take_off(work, self._queue, stored, remaining_expiry(stored, work.now_ms), None)
        self._resolved = None

    def _target(self, names: tuple[str, str]) -> Target:
        """Resolve a target; the last one is cached, with its depth."""
        if self._resolved is None or self._resolved[0] != names:
            self._resolved = names, resolve_for_put(self._work.db, self._work.qmgr, *names)
        return self._resolved[1]


def attempt_each(
    work: Work,
    queue: Queue,
    seqs: Sequence[int],
    table: RulesTable,
    retries: Attempts,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> list[AttemptResult | None]:
    """Attempt letters one after the other in one transaction; return the outcomes, None for a letter that is gone.

    At least the first is attempted. The rest ends early where it is interrupted, and before a letter whose number of
    failed attempts depends on an outcome in this transaction: it has the same identifiers.
    """
    batch, outcomes = LetterBatch(work, queue, seqs, table.name), list[AttemptResult | None]()
    counted: set[tuple[bytes, bytes]] = set()
    for seq in seqs:
        if outcomes and is_interrupted():
            break
        stored = batch.find(seq)
        if stored is None:
            outcomes.append(None)
            continue
        if counted and key_of(stored.md) in counted:
            break
        attempts = retries[key_of(stored.md)]
        outcome = batch.attempt(stored, table.rules, attempts)
        outcomes.append(outcome)
        if outcome.cause == totals.PUT_FAILED or (outcome.cause is None and attempts):
            counted.add(key_of(stored.md))
    return outcomes


def check_gettable(work: Work, handle: Handle) -> Queue:
    """Return the queue of a handle as it is now. Raises MQError: a reason that ends its reading (``ENDINGS``)."""
    work.fail_if_quiescing()
    queue = handle.fresh_queue(work)
    check_gets_allowed(handle.path(work, queue))
    return queue


def group_batches(found: Iterable[tuple[int, int]], limit: int = BATCH) -> Iterator[list[int]]:
    """Return the keys of messages in batches.

    found: key and length of each message.  limit: of messages in a batch; their bytes are limited too.
    """
    return in_batches(found, limit, _BATCH_BYTES)


def make_message(rule: Rule, dlh: MQDLH, letter: Message) -> Message:
    """Return the message that the action puts. dlh: the header of the letter."""
    md, data = prepare_put(rule, letter.md, letter.data, dlh)
    return Message(data, md, select_properties(rule, letter.properties))
