"""A rules table seen from the browser: what it would do with each message and why, and one run of it."""

from __future__ import annotations

from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.handler import Handler
from mqtools.tui.verbs import Outcome, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mqtools.dlq.rule import RulesTable
    from mqtools.qmgr.connection import Connection
    from mqtools.tui.keeper import Keeper

#: Messages that are listed; more are only counted.
_LISTED = 1000


def rehearse(connection: Connection, table: RulesTable, q_name: str) -> Iterator[str]:
    """List for each message what the table would do with it, and which rule says so or why none does."""
    actions: dict[str, int] = {}
    lines: list[str] = []
    for answer in dry_run(connection, table, q_name, explain=True):
        action = str(answer["action"] or "left")
        actions[action] = actions.get(action, 0) + 1
        if len(lines) < _LISTED:
            lines.append(_line(answer, action))
    yield ", ".join(f"{action}: {number}" for action, number in actions.items()) or "no messages"
    yield ""
    yield from lines
    if sum(actions.values()) > _LISTED:
        yield f"… and {counted(sum(actions.values()) - _LISTED)} more"


def _line(answer: dict[str, Any], action: str) -> str:
    words = [str(answer["msg_id"])[-8:], str(answer["reason"] or "no MQDLH").removeprefix("MQRC_"), action]
    if answer["line"] is not None:
        words.append(f"by line {answer['line']}")
    if answer["target"]:
        words.append(f"to {answer['target']}" + (f"@{answer['target_q_mgr']}" if answer["target_q_mgr"] else ""))
    if answer["fails"] is not None:
        words.append(f"fails with {answer['fails']}")
    if answer["line"] is None and answer["rules"]:
        words += [f"line {rule['line']} not: {', '.join(rule['because'])}" for rule in answer["rules"]]
    return "  ".join(words)


def run_rules(keeper: Keeper, table: RulesTable, q_name: str) -> Iterator[Outcome]:
    """Run a table once over a queue."""
    said: list[str] = []
    totals = Handler(keeper.connection, table, q_name, once=True, say=said.append).run()
    outcome = Outcome(totals.seen)
    outcome.done = sum(totals.handled.values())
    if totals.unhandled:
        outcome.extra = f" ({totals.unhandled} without a rule, a header, or with a put that failed)"
    yield outcome
