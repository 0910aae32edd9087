"""Rules tables in the browser: the dry run by action, with the reason for each message, and the run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.handler import Handler
from mqtools.dlq.rule import RulesTable, describe_rule
from mqtools.formats.phrases import grouped
from mqtools.operations.views.message_view import Database, StoredMessage
from mqtools.tui.background.verbs import begin_removal, note_removal
from mqtools.tui.background.writer import SessionWriter
from mqtools.tui.display.outcome import Outcome, format_count

#: Most messages that are kept of a row.
MOST_LISTED = 1000
#: Action of messages that no rule takes, and the one that loses them.
LEFT, DISCARD = "left", "DISCARD"


@dataclass(frozen=True, slots=True)
class DryRunMessage:
    """A message of a dry run. msg_id: in hex.  reason: of its header.  why: why no rule takes it, or its put fails."""

    msg_id: str
    reason: str
    why: str


@dataclass(slots=True)
class DryRunRow:
    """Messages to which the same happens.

    action: of the rules table, or LEFT.  target: where they would be put, empty for nowhere.  rule: line and text of
    the rule, empty for none.  fails: reason of the put, empty where it succeeds.  number: of messages.
    messages: the first ones.  is_total: it sums up the rows of its action, which follow it.
    """

    action: str
    target: str = ""
    rule: str = ""
    fails: str = ""
    number: int = 0
    messages: list[DryRunMessage] = field(default_factory=list)
    is_total: bool = False

    def add(self, message: DryRunMessage) -> None:
        self.number += 1
        if len(self.messages) < MOST_LISTED:
            self.messages.append(message)


class DryRun(Outcome):
    """Dry run so far: the messages by action, and within each by target and rule."""

    def __init__(self, table: RulesTable) -> None:
        super().__init__(0)
        self._rules = {rule.line: f"line {rule.line}: {describe_rule(rule)}" for rule in table.rules}
        self._rows: dict[tuple[str, str, str, str], DryRunRow] = {}
        self._totals: dict[str, DryRunRow] = {}

    def add(self, answer: dict[str, Any]) -> None:
        """Add the result of a message. answer: as ``dry_run`` yields it."""
        self.done += 1
        action, at = str(answer["action"] or LEFT), answer["target_q_mgr"]
        target = answer["target"] + (f"@{at}" if at else "") if answer["target"] else ""
        key = (action, target, self._rules.get(answer["line"], ""), answer["fails"] or "")
        message = _message(answer)
        self._rows.setdefault(key, DryRunRow(*key)).add(message)
        self._totals.setdefault(action, DryRunRow(action, is_total=True)).add(message)

    def rows(self) -> list[DryRunRow]:
        """Return the rows: the largest action first, its total before its rows where it has several."""
        rows: list[DryRunRow] = []
        for total in _largest_first(self._totals.values()):
            of_action = _largest_first(row for row in self._rows.values() if row.action == total.action)
            rows += [total, *of_action] if len(of_action) > 1 else of_action
        return rows

    @property
    def is_loss(self) -> bool:
        return DISCARD in self._totals

    def totals(self, *, is_whole: bool) -> str:
        """Return the number of messages by action in one line. is_whole: it was not stopped."""
        counts = [f"{total.action}: {grouped(total.number)}" for total in _largest_first(self._totals.values())]
        words = " · ".join([format_count(self.done), *counts]) if counts else "no messages"
        return words if is_whole else f"{words}; stopped before the end"


def _largest_first(rows: Iterable[DryRunRow]) -> list[DryRunRow]:
    return sorted(rows, key=lambda row: -row.number)


def _message(answer: dict[str, Any]) -> DryRunMessage:
    reason = str(answer["reason"] or "no MQDLH").removeprefix("MQRC_")
    why = [f"fails with {answer['fails']}"] if answer["fails"] is not None else []
    if answer["line"] is None:
        why += [f"line {rule['line']} not: {', '.join(rule['because'])}" for rule in answer["rules"]]
    return DryRunMessage(str(answer["msg_id"]), reason, "; ".join(why))


def dry_run_rules(db: Database, table: RulesTable, q_name: str, keys: Collection[int] | None) -> Iterator[DryRun]:
    """Dry-run one pass of a table over a queue; yield after each message. keys: None for all."""
    seen = DryRun(table)
    yield seen
    for answer in dry_run(db, table, q_name, select=_among(keys), explain=True, once=True):
        seen.add(answer)
        yield seen


def run_rules(writer: SessionWriter, table: RulesTable, q_name: str, keys: Collection[int] | None) -> Iterator[Outcome]:
    """Run one pass of a table over a queue; yield after each message. keys: None for all."""
    begin_removal(writer.connection)
    handler = Handler(writer.connection, table, q_name, once=True, say=lambda _: None, select=_among(keys))
    outcome = Outcome(0)
    try:
        for number, _ in enumerate(handler.steps(), 1):
            outcome.done = handler.handled
            outcome.failed = number - outcome.done
            yield outcome
    finally:  # also where it is stopped
        outcome.done = handler.handled
        left = [
            f"{number} {cause.replace('_', ' ').replace('dlh', 'MQDLH')}"
            for cause, number in handler.totals().left.items()
            if number
        ]
        outcome.extra = f"; left: {', '.join(left)}" if left else ""
        note_removal(writer.connection, outcome)
    yield outcome


def _among(keys: Collection[int] | None) -> Callable[[StoredMessage], bool] | None:
    return None if keys is None else lambda stored: stored.seq in keys
