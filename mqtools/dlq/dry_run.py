"""What the handler would do with each message now, without touching any."""

from __future__ import annotations

from mqtools.constants.names import name_or_number
from mqtools.constants.reasons import MQRC_NONE, MQRC_NOT_OPEN_FOR_OUTPUT
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.dlq.matcher import Candidate, explain
from mqtools.dlq.report_lines import reason_name
from mqtools.dlq.selection import choose, forwarded, target_of
from mqtools.dlq.target import refusal
from mqtools.errors import MQError
from mqtools.headers.chain import read_dlh
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import resolve_for_get, resolve_for_put
from mqtools.store import queues
from mqtools.store.messages import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mqtools.dlq.rule import Rule, RulesTable
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.resolution import Target
    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import QueueManager

_PAGE = 64


def dry_run(
    connection: Connection,
    table: RulesTable,
    q_name: str,
    *,
    select: Callable[[StoredMessage], bool] | None = None,
    explain: bool = False,
) -> Iterator[dict[str, object]]:
    """Give for each message, in the order of delivery, what a handler that starts now would do first.

    Keys: msg_id (hex), reason, action, line, target, target_q_mgr, fails; explain adds ``rules``: for each rule
    its line, whether it matches, and because of which keywords it does not. reason, action and line are None
    where there is no MQDLH or no rule. fails is the name of the reason that the put would get, each message
    taken by itself; a put to the queue that is read, which the handler does not do, fails with
    MQRC_NOT_OPEN_FOR_OUTPUT.
    select: which messages the table is applied to.  Locked and uncommitted messages are not there.
    Nothing is written; each page is read in a transaction of its own.
    Raises MQError: as an open for input does when the queue cannot be read.
    """
    return foresee(connection.db, table, q_name, select=select, explain=explain)


def foresee(
    db: Database,
    table: RulesTable,
    q_name: str,
    *,
    select: Callable[[StoredMessage], bool] | None = None,
    explain: bool = False,
) -> Iterator[dict[str, object]]:
    """The same from a file that is open for reading alone."""
    queue, _ = resolve_for_get(db, q_name)
    return _walk(_Rehearsal(db, table, queue.id, explain=explain), select)


def _walk(rehearsal: _Rehearsal, select: Callable[[StoredMessage], bool] | None) -> Iterator[dict[str, object]]:
    after = -1
    while True:
        with rehearsal.db.reading():
            page = rehearsal.page(after)
            answers = [
                rehearsal.answer(stored)
                for stored in page
                if rehearsal.is_there(stored) and (not select or select(stored))
            ]
        yield from answers
        if len(page) < _PAGE:
            return
        after = page[-1].order_key


class _Rehearsal:
    """One dry run: what it reads through, and the targets resolved for the page at hand."""

    def __init__(self, db: Database, table: RulesTable, queue_id: int, *, explain: bool) -> None:
        self.db = db
        self._table = table
        self._queue_id = queue_id
        self._explain = explain
        self._qmgr: QueueManager
        self._now_ms = 0
        self._targets: dict[tuple[str, str], Target | MQError] = {}

    def page(self, after: int) -> list[StoredMessage]:
        """Read the next messages, and forget what was known of targets."""
        self._qmgr = queues.qmgr(self.db)
        self._now_ms = now_ms()
        self._targets.clear()
        return messages.available(self.db, self._queue_id, after=after, limit=_PAGE)

    def is_there(self, stored: StoredMessage) -> bool:
        """Tell whether a message has not expired."""
        return stored.expires_at is None or stored.expires_at > self._now_ms

    def answer(self, stored: StoredMessage) -> dict[str, object]:
        """Say what would become of a message."""
        head = messages.load_data(self.db, stored.seq, MQDLH_LENGTH_1)
        try:
            candidate = Candidate(stored.md, read_dlh(stored.md, head, keep_nulls=True))
        except MQError:
            return self._object(stored, None, None, ("", ""), MQRC_NONE)
        rule = choose(self._table.rules, candidate, 0)
        if rule is None:
            return self._object(stored, candidate, None, ("", ""), MQRC_NONE)
        target = target_of(rule, candidate)
        is_put = rule.action in ("RETRY", "FWD")
        fails = self._fails(stored, rule, head, target) if is_put else MQRC_NONE
        return self._object(stored, candidate, rule, target, fails)

    def _object(
        self, stored: StoredMessage, candidate: Candidate | None, rule: Rule | None, target: tuple[str, str], fails: int
    ) -> dict[str, object]:
        answer: dict[str, object] = {
            "msg_id": stored.md.msg_id.hex().upper(),
            "reason": None if candidate is None else reason_name(candidate.dlh.reason),
            "action": None if rule is None else rule.action,
            "line": None if rule is None else rule.line,
            "target": target[0],
            "target_q_mgr": target[1],
            "fails": None if fails == MQRC_NONE else name_or_number("MQRC", fails),
        }
        if self._explain:
            answer["rules"] = [] if candidate is None else self._explained(candidate)
        return answer

    def _explained(self, candidate: Candidate) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        for rule in self._table.rules:
            because = explain(rule, candidate)
            rows.append({"line": rule.line, "matches": not because, "because": because})
        return rows

    def _fails(self, stored: StoredMessage, rule: Rule, head: bytes, names: tuple[str, str]) -> int:
        target = self._target(names)
        if isinstance(target, MQError):
            return target.reason
        if target.queue.id == self._queue_id:
            return MQRC_NOT_OPEN_FOR_OUTPUT
        md, rest = forwarded(rule, stored.md, head)
        return refusal(self._qmgr, target, md, stored.data_length - len(head) + len(rest))

    def _target(self, names: tuple[str, str]) -> Target | MQError:
        if names not in self._targets:
            try:
                self._targets[names] = resolve_for_put(self.db, self._qmgr, *names)
            except MQError as error:
                self._targets[names] = error
        return self._targets[names]
