"""Totals of a run of the handler."""

from __future__ import annotations

from dataclasses import dataclass

from mqtools.constants.reasons import MQRC_NONE

#: Actions that take a message off the queue.
ACTIONS = ("RETRY", "FWD", "DISCARD")

#: Why a message stays: its last put failed; it has no valid MQDLH; no rule matches, or all matching rules
#: are used up; its rule puts back to the same queue; a rule ignores it.
PUT_FAILED = "put_failed"
NO_DLH = "no_dlh"
NO_RULE = "no_rule"
LOOP = "loop"
IGNORED = "ignored"
CAUSES = (PUT_FAILED, NO_DLH, NO_RULE, LOOP, IGNORED)
#: Another program has taken it meanwhile: it is not counted.
GONE = "gone"


@dataclass(frozen=True, slots=True)
class TableTotals:
    """Number of messages by result.

    handled: action -> messages removed from the queue.  left: cause -> messages still there at the end.  Both have
    all their keys.  hits: line of each rule of the table -> number of times it was chosen.  reason: what ended the
    run from outside (MQRC_*), MQRC_NONE where it ended by itself.
    """

    handled: dict[str, int]
    left: dict[str, int]
    hits: dict[int, int]
    reason: int = MQRC_NONE

    @property
    def seen(self) -> int:
        return sum(self.handled.values()) + sum(self.left.values())

    @property
    def unhandled(self) -> int:
        """Number of messages left other than by IGNORE."""
        return sum(self.left.values()) - self.left[IGNORED]
