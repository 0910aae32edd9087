"""Rules table suggested for the dead letters on a queue: grouped, commented, ready for ``--check``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from mqtools.constants import reasons as rc
from mqtools.constants.names import value_of
from mqtools.dlq.letters import Letter
from mqtools.dlq.summary import LetterGroup, summarise
from mqtools.explanations import lookup
from mqtools.formats.phrases import counted
from mqtools.formats.terminal import visible
from mqtools.formats.units import human_bytes, rfc3339
from mqtools.rules.object_names import is_valid_name

_BY = ("reason", "destq")

#: Reason to the action that a rule has, and why. Other reasons have no rule: a person must look first.
_ACTIONS = {
    rc.MQRC_Q_FULL: ("ACTION(RETRY) RETRY(5)", "Retry: the queue may have room again."),
    rc.MQRC_PUT_INHIBITED: ("ACTION(RETRY) RETRY(5)", "Retry: puts may be enabled again."),
    rc.MQRC_Q_SPACE_NOT_AVAILABLE: ("ACTION(RETRY) RETRY(5)", "Retry: there may be space again."),
    rc.MQRC_STORAGE_MEDIUM_FULL: ("ACTION(RETRY) RETRY(5)", "Retry: there may be space again."),
    rc.MQRC_UNKNOWN_OBJECT_NAME: ("ACTION(RETRY) RETRY(1)", "Define the queue first, then retry once."),
    rc.MQRC_UNKNOWN_REMOTE_Q_MGR: ("ACTION(RETRY) RETRY(1)", "Define the way to the queue manager, then retry once."),
}
_LEFT = ("ACTION(IGNORE)", "Left on the queue: look first; then RETRY, FWD FWDQ(...) or DISCARD.")


def suggest_rules(found: Iterable[Letter], q_name: str) -> list[str]:
    """Return the lines of a rules table, one rule for each reason and destination; empty without dead letters."""
    groups = summarise(found, _BY)
    if not groups:
        return []
    lines = [
        f"* Suggested for {counted(sum(group.count for group in groups))} on {q_name}. Read it, change it, then:",
        "*   mqx dlq-handle --rules FILE --check      finds mistakes",
        "*   mqx dlq-handle --rules FILE --dry-run    shows what would happen to each message",
        f"INPUTQ('{q_name}') RETRYINT(60) WAIT(NO)",
    ]
    # The narrow rules first: a rule without DESTQ would take what those behind it are for.
    for group in sorted(groups, key=lambda each: not _has_name(each)):
        lines += ["", *_rule(group)]
    if not any(line.startswith("REASON") for line in lines):
        lines += ["", "* No message has a header that a rule could match.", "ACTION(IGNORE)"]
    return lines


def _has_name(group: LetterGroup) -> bool:
    return isinstance(group.key[1], str) and is_valid_name(group.key[1])


def _rule(group: LetterGroup) -> Iterator[str]:
    reason, destination = group.key
    back = f", {group.came_back} came back after a redrive" if group.came_back else ""
    yield f"* {counted(group.count)}, {human_bytes(group.bytes)}{_times(group)}{back}"
    if reason is None:
        yield "* without a dead-letter header (MQDLH): no rule applies to them; they stay."
        return
    found = lookup.explain(str(reason)) if isinstance(reason, str) else []
    if found:
        yield from _comment(f"{reason}: {found[0].meaning}")
    if not _has_name(group):
        yield from _comment(
            f"destination {visible(str(destination))!r} is not the name of a queue; the rule leaves it out"
        )
    action, why = _ACTIONS.get(_number(reason), _LEFT)
    yield f"* {why}"
    pattern = f"REASON({reason})"
    yield f"{pattern} DESTQ('{destination}') {action}" if _has_name(group) else f"{pattern} {action}"


def _number(reason: object) -> int:
    return value_of("MQRC", reason) if isinstance(reason, str) and reason.startswith("MQRC") else 0


def _times(group: LetterGroup) -> str:
    if group.oldest is None or group.newest is None:
        return ""
    return f", put {rfc3339(group.oldest)} to {rfc3339(group.newest)}"


def _comment(text: str) -> Iterator[str]:
    for line in textwrap.wrap(visible(text), 100, break_on_hyphens=False):
        yield f"* {line}"
