"""Targets of the puts of a receiving channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.mqi.resolution import resolve_for_put

if TYPE_CHECKING:
    from mqtools.mqi.distributed_queuing.transmission import Carried
    from mqtools.mqi.resolution import Target
    from mqtools.mqi.transaction import Work


class Targets:
    """Targets of the messages of one transaction, in which nobody else changes a definition; the last one is cached."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._names: tuple[str, str] | None = None
        self._placed = 0
        self._target: Target

    def find(self, carried: Carried) -> Target:
        """Resolve the destination of a message. Raises MQError as MQOPEN does."""
        names, placed = (carried.remote_q, carried.remote_q_mgr), len(self._work.placed)
        # The depth it has counts one message of each put: what else was placed may have come to the same queue.
        if names != self._names or placed != self._placed + 1:
            self._names = None
            self._target = resolve_for_put(self._work.db, self._work.qmgr, *names)
            self._names = names
        self._placed = placed
        return self._target


def may_change_before_it_fails(carried: Carried) -> bool:
    """Return whether a put of a message may fail when it has already changed something: it reports, or is in parts."""
    return bool(carried.md.report or carried.md.msg_flags)
