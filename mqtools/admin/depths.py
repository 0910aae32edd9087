"""Depth and status of queues, read from counters and index seeks; messages are never counted."""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.constants.objects import MQQT_LOCAL
from mqtools.constants.options import MQOO_OUTPUT
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import checks_everybody, find_queue, resolve_for_get
from mqtools.rules.object_names import SYSTEM_PREFIX, matches_name
from mqtools.rules.options.open import INPUT_OPTIONS
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.store.source import Source


def depths(source: Source, patterns: Sequence[str], *, has_system: bool = False) -> list[dict[str, object]]:
    """Return one row for each local queue that matches a pattern, sorted by name.

    patterns: names, or names with ``*``; none means all. A pattern matches SYSTEM queues other than the dead-letter
    queue only if it begins with SYSTEM.  has_system: any pattern matches the SYSTEM queues that the file contains.
    Times are milliseconds since 1970, ages seconds to the millisecond. Counts include uncommitted puts but no
    uncommitted gets. Left out are queues that a pattern matches and this user may not inquire.
    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME for a name without a queue, MQRC_NOT_AUTHORIZED for a single name.
    """
    db = source.db
    now = now_ms()
    return [_row(db, queue, now) for queue in _queues(db, patterns, has_system=has_system)]


def local_queues(source: Source, patterns: Sequence[str]) -> list[str]:
    """Return the names of the local queues that ``depths`` has rows of. Raises MQError as it does."""
    return [queue.name for queue in _queues(source.db, patterns)]


def _queues(db: Database, patterns: Sequence[str], *, has_system: bool = False) -> list[Queue]:
    is_checked = checks_everybody(db)
    if is_checked:
        from mqtools.mqi import authority
    if len(patterns) == 1 and "*" not in patterns[0]:
        queue = resolve_for_get(db, patterns[0])[0]
        if is_checked:
            authority.check_reader(db, queue.name, "INQ")
        return [queue]
    chosen: set[str] = set()
    for pattern in patterns or ("*",):
        if "*" not in pattern:
            chosen.add(resolve_for_get(db, pattern)[0].name)
            continue
        found = [name for name in _candidates(db, pattern, has_system=has_system) if matches_name(pattern, name)]
        if not found and patterns:
            raise MQError(f"no queue matches {pattern}", MQRC_UNKNOWN_OBJECT_NAME, q_name=pattern)
        chosen.update(found)
    if is_checked:
        chosen = {name for name in chosen if authority.may_read(db, name, "INQ")}
    every = [find_queue(db, name, to_use=False) for name in sorted(chosen)]
    return [queue for queue in every if queue.q_type == MQQT_LOCAL]


def _candidates(db: Database, pattern: str, *, has_system: bool) -> list[str]:
    """Return the names of the queues that a pattern can match."""
    if pattern.startswith(SYSTEM_PREFIX[:-1]):
        from mqtools.mqi import system_queues

        return system_queues.names(db)
    shown = queues.qmgr(db).dead_letter_q_name
    names = queues.names(db)
    return names if has_system else [each for each in names if each == shown or not each.startswith(SYSTEM_PREFIX)]


def _row(db: Database, queue: Queue, now: int) -> dict[str, object]:
    depth, uncommitted, last_put_at, last_get_at, locked, oldest = queues.status(db, queue.id)
    open_input, open_output = holders.open_counts(db, queue.id, INPUT_OPTIONS, MQOO_OUTPUT)
    return {
        "name": queue.name,
        "depth": depth,
        "max_depth": queue.max_q_depth,
        "percent_full": round(100 * depth / queue.max_q_depth, 1) if queue.max_q_depth else 100.0,
        "uncommitted": uncommitted,
        "locked": locked,
        "oldest_age_s": _age_s(oldest, now),
        "open_input": open_input,
        "open_output": open_output,
        "last_put": last_put_at,
        "last_get": last_get_at,
        "oldest_lock_s": _age_s(_locked_at(db, queue.id) if locked else None, now),
        "oldest_uow_s": _age_s(_unit_began_at(db, queue.id) if uncommitted else None, now),
        "without_lease": holders.without_lease(db, queue.id) if locked or uncommitted else 0,
    }


def _age_s(since: int | None, now: int) -> float | None:
    return None if since is None else max(0, now - since) / 1000


def _locked_at(db: Database, queue_id: int) -> int | None:
    """Return when the oldest lock with a lock id was made; None where handles lock all that is locked."""
    lock = holders.oldest(db, queue_id, "lock")
    return None if lock is None else lock.created_at


def _unit_began_at(db: Database, queue_id: int) -> int | None:
    """Return when the oldest unit of work or confirm id with messages on a queue began; None where that is unknown."""
    from mqtools.store.liveness import unit_began_at

    confirm = holders.oldest(db, queue_id, "confirm")
    found = [None if confirm is None else confirm.created_at]
    for owner in holders.unit_owners(db, queue_id):
        is_connected = owner.kind == "connection" and owner.token is not None
        found.append(unit_began_at(db.run_folder, owner.token or b"") if is_connected else owner.created_at)
    return min((time for time in found if time is not None), default=None)


def depth(db: Database, q_name: str) -> int:
    """Return the current depth of one queue. Raises MQError as ``depths``."""
    return _queues(db, [q_name])[0].depth
