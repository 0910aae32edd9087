"""Checks of the journals that the jobs of ``mqx pipeline`` read."""

from __future__ import annotations

from contextlib import suppress

from mqtools.admin.depths import local_queues
from mqtools.arrow.ranges import find_paths
from mqtools.arrow.read_options import words
from mqtools.errors import MQError
from mqtools.operations.queue_manager_view import QueueManagerView

from ..shared.command_session import Session, UsageError

#: Values of the attribute JOURNAL: none, and one that keeps the data.
_NO, _BODY = 0, 2


def report_missing_journals(session: Session, qmgr: str, pattern: str) -> None:
    """Print which of the named queues have no journal, or that no queue of a pattern has one.

    qmgr: as of an option.  pattern: names and patterns with commas, empty for all queues. Files that cannot be read are
    skipped: the job reports them.
    """
    kept: dict[str, int] = {}
    for path in find_paths(qmgr):
        with suppress(MQError):
            for name, journal in _journals(path, pattern).items():
                kept[name] = max(journal, kept.get(name, _NO))
    without = [name for name in words(pattern) if kept.get(name) == _NO]
    if without:
        session.note(f"{', '.join(without)} without a journal: start one with {_way(without[0], 'YES')}")
    elif not any(kept.values()):
        session.note(f"no queue has a journal: start one with {_way('QUEUE', 'YES')}")


def check_bodies(path: str, pattern: str) -> None:
    """Raise UsageError when a journal does not keep the data to put on a queue."""
    without = [name for name, journal in _journals(path, pattern).items() if journal not in (_NO, _BODY)]
    if without:
        raise UsageError(
            f"the journal of {', '.join(without)} has no data: --to-queue requires JOURNAL(BODY)",
            _way(without[0], "BODY"),
        )


def _way(name: str, value: str) -> str:
    return f"mqx mqsc 'ALTER QLOCAL({name}) JOURNAL({value})'"


def _journals(path: str, pattern: str) -> dict[str, int]:
    """Return the queues of a file that match a pattern, each with its attribute JOURNAL."""
    with QueueManagerView(path) as view, view.reading():
        found = [view.queue(name) for name in local_queues(view, words(pattern))]
    return {queue.name: queue.journal for queue in found if queue is not None}
