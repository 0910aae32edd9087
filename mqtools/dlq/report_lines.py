"""Report of the handler: one line per event, each with its AMQ number."""

from __future__ import annotations

from mqtools.constants.names import name_of
from mqtools.constants.reasons import MQRC_NONE
from mqtools.dlq.totals import TableTotals

#: Action to the word for what was done with its messages. IGNORE does nothing with them.
_DONE = {"RETRY": "retried", "FWD": "forwarded", "DISCARD": "discarded"}


def format_start(q_name: str) -> str:
    return f"AMQ8708: processing started on INPUTQ({q_name})"


def format_end(q_name: str, totals: TableTotals) -> str:
    """Return the line for the end of a run: totals, and what ended it unless it ended by itself."""
    done = [f"{count} {_DONE[action]}" for action, count in totals.handled.items() if count]
    left = sum(totals.left.values())
    parts = done + ([f"{left} left"] if left else [])
    why = "" if totals.reason == MQRC_NONE else f"; ended by {_numbered(totals.reason)}"
    return f"AMQ8709: INPUTQ({q_name}) processing ended: {', '.join(parts) or 'nothing to do'}{why}"


def format_without_dlh(msg_id: bytes, why: str) -> str:
    """Return the line for a message that stays because it has no valid MQDLH."""
    return f"AMQ8721: message {msg_id.hex().upper()} left on the queue, no valid MQDLH: {why}"


def format_failed_put(line: int, target: tuple[str, str], reason: int, msg_id: bytes) -> str:
    """Return the line for a put that failed: rule, target, reason and message."""
    return (
        f"AMQ8722: rule of line {line}: the put to {_shown(target)} got {_numbered(reason)}"
        f" for message {msg_id.hex().upper()}"
    )


def format_loop(line: int, target: tuple[str, str], q_name: str) -> str:
    """Return the line for a rule that puts to the queue that is read."""
    return f"AMQ8722: rule of line {line}: {_shown(target)} is INPUTQ({q_name}) itself; its messages are left"


def format_nul_padding(keyword: str, msg_id: bytes) -> str:
    """Return the line for a field with NUL, which a plain name in a pattern does not match."""
    return (
        f"{keyword} of message {msg_id.hex().upper()} holds NUL: a plain name does not match it, the name with * does"
    )


def _shown(target: tuple[str, str]) -> str:
    name, q_mgr_name = target
    return f"{name or 'a blank name'} at {q_mgr_name}" if q_mgr_name else name or "a blank name"


def _numbered(reason: int) -> str:
    name = name_of("MQRC", reason)
    return f"{name} {reason}" if name else f"reason {reason}"
