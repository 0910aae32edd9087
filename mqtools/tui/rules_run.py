"""Rules tables in the browser: the dry run, with the reason for each message, and the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.dlq.dry_run import dry_run_read_only
from mqtools.dlq.handler import Handler
from mqtools.dlq.rule import describe_rule
from mqtools.tui.outcome import Outcome, format_count
from mqtools.tui.verbs import begin_removal, note_removal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Any

    from mqtools.dlq.rule import RulesTable
    from mqtools.operations.message_view import Database, StoredMessage
    from mqtools.tui.writer import Writer

#: Most messages that are listed; the others are counted.
_LISTED = 1000


class DryRun(Outcome):
    """Dry run so far: number of messages by action, and a line for each of the first ones."""

    def __init__(self, table: RulesTable) -> None:
        super().__init__(0)
        self._rules = {rule.line: f"by line {rule.line}: {describe_rule(rule)}" for rule in table.rules}
        self._actions: dict[str, int] = {}
        self._lines: list[str] = []

    def add(self, answer: dict[str, Any]) -> None:
        """Add the result of a message. answer: as ``dry_run`` yields it."""
        self.done += 1
        action = str(answer["action"] or "left")
        self._actions[action] = self._actions.get(action, 0) + 1
        if self.done <= _LISTED:
            self._lines.append(self._line(answer, action))

    def lines(self, *, is_whole: bool) -> list[str]:
        """Return the dry run as lines. is_whole: it was not stopped."""
        counts = ", ".join(f"{action}: {number}" for action, number in self._actions.items()) or "no messages"
        lines = [counts if is_whole else f"{counts}; stopped before the end", "", *self._lines]
        if self.done > _LISTED:
            lines.append(f"… and {format_count(self.done - _LISTED)} more")
        return lines

    def _line(self, answer: dict[str, Any], action: str) -> str:
        words = [str(answer["msg_id"])[-8:], str(answer["reason"] or "no MQDLH").removeprefix("MQRC_"), action]
        if answer["target"]:
            words.append(f"to {answer['target']}" + (f"@{answer['target_q_mgr']}" if answer["target_q_mgr"] else ""))
        if answer["fails"] is not None:
            words.append(f"fails with {answer['fails']}")
        if answer["line"] is not None:
            words.append(self._rules[answer["line"]])
        else:
            words += [f"line {rule['line']} not: {', '.join(rule['because'])}" for rule in answer["rules"]]
        return "  ".join(words)


def dry_run_rules(db: Database, table: RulesTable, q_name: str, keys: Collection[int] | None) -> Iterator[DryRun]:
    """Dry-run one pass of a table over a queue; yield after each message. keys: None for all."""
    seen = DryRun(table)
    yield seen
    for answer in dry_run_read_only(db, table, q_name, select=_among(keys), explain=True, once=True):
        seen.add(answer)
        yield seen


def run_rules(writer: Writer, table: RulesTable, q_name: str, keys: Collection[int] | None) -> Iterator[Outcome]:
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
        _sum_up(outcome, handler)
        note_removal(writer.connection, outcome)
    yield outcome


def _among(keys: Collection[int] | None) -> Callable[[StoredMessage], bool] | None:
    return None if keys is None else lambda stored: stored.seq in keys


def _sum_up(outcome: Outcome, handler: Handler) -> None:
    outcome.done = handler.handled
    left = [
        f"{number} {cause.replace('_', ' ').replace('dlh', 'MQDLH')}"
        for cause, number in handler.totals().left.items()
        if number
    ]
    outcome.extra = f"; left: {', '.join(left)}" if left else ""
