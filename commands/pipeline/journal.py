"""Which queues keep a journal, for the jobs of ``mqx pipeline`` that read it."""

from __future__ import annotations

from contextlib import suppress

from mqtools.errors import MQError
from mqtools.pipeline.source.ranges import find_paths, queue_names
from mqtools.pipeline.source.read_options import words
from mqtools.store import queues
from mqtools.store.database import open_database

from ..shared.command_session import Session, UsageMistake

#: Values of the attribute JOURNAL: none, and one that keeps the data.
_NO, _BODY = 0, 2


def note_what_is_missing(session: Session, qmgr: str, pattern: str) -> None:
    """Say which of the queues that are named keep no journal, or that none does where a pattern stands for them.

    qmgr: as of an option.  pattern: names and patterns with commas, empty for all queues. Files that cannot be read
    are passed over: the job says so.
    """
    kept: dict[str, int] = {}
    for path in find_paths(qmgr):
        with suppress(MQError):
            for name, journal in _journals(path, pattern).items():
                kept[name] = max(journal, kept.get(name, _NO))
    without = [name for name in words(pattern) if kept.get(name) == _NO]
    if without:
        session.note(f"{', '.join(without)} without a journal: {_way(without[0], 'YES')} begins one")
    elif not any(kept.values()):
        session.note(f"no queue has a journal: {_way('QUEUE', 'YES')} begins one")


def check_bodies(path: str, pattern: str) -> None:
    """Refuse to put on a queue what the journals do not keep. Raises UsageMistake."""
    without = [name for name, journal in _journals(path, pattern).items() if journal not in (_NO, _BODY)]
    if without:
        raise UsageMistake(
            f"the journal of {', '.join(without)} has no data: --to-queue needs JOURNAL(BODY)", _way(without[0], "BODY")
        )


def _way(name: str, value: str) -> str:
    return f"mqx mqsc 'ALTER QLOCAL({name}) JOURNAL({value})'"


def _journals(path: str, pattern: str) -> dict[str, int]:
    """Give the queues of a file that a pattern is of, each with its attribute JOURNAL."""
    db = open_database(path, read_only=True)
    try:
        with db.reading():
            found = [queues.by_name(db, name) for name in queue_names(db, words(pattern))]
    finally:
        db.close()
    return {queue.name: queue.journal for queue in found if queue is not None}
