"""What a run of the handler came to."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_NONE
from mqtools.records import Record

#: Actions that take a message off the queue.
ACTIONS = ("RETRY", "FWD", "DISCARD")

#: Why a message stays: its last put failed; it has no valid MQDLH; no rule matches, or none that matches has an
#: attempt left; its rule puts back to the queue it lies on; a rule ignores it.
PUT_FAILED = "put_failed"
NO_DLH = "no_dlh"
NO_RULE = "no_rule"
LOOP = "loop"
IGNORED = "ignored"
CAUSES = (PUT_FAILED, NO_DLH, NO_RULE, LOOP, IGNORED)


class Totals(Record):
    """Messages by what became of them.

    handled: action to messages taken off the queue.  left: cause to messages still there at the end.  Both have
    all their keys.  hits: line of each rule of the table to how often it was chosen.  reason: what ended the
    run from outside (MQRC_*), MQRC_NONE where it ended by itself.
    """

    __slots__ = ("handled", "hits", "left", "reason")

    def __init__(
        self, handled: dict[str, int], left: dict[str, int], hits: dict[int, int], reason: int = MQRC_NONE
    ) -> None:
        self.handled = handled
        self.left = left
        self.hits = hits
        self.reason = reason

    @property
    def seen(self) -> int:
        """How many messages there were."""
        return sum(self.handled.values()) + sum(self.left.values())

    @property
    def unhandled(self) -> int:
        """How many messages are left that no rule wanted left."""
        return sum(self.left.values()) - self.left[IGNORED]
