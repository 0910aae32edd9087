"""What is shown of a queue, now and as it was."""

from __future__ import annotations

from typing import Any

from mqtools.constants.states import UNLOCKED
from mqtools.operations.journal.past import open_past
from mqtools.operations.queue_manager_view import open_view
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import load_data

BODY = 2


def shown(source: Any, queue_id: int, now: int) -> list[tuple[Any, ...]]:
    """What a browse of all states shows at an instant, and the counters."""
    found: list[tuple[Any, ...]] = []
    for stored in select(source.db, queue_id, all_states=True, now=now):
        md = stored.md
        fields = tuple(getattr(md, name) for name in md.__slots__ if name != "expiry")
        data = load_data(source, stored.seq)
        found.append(
            (
                stored.state,
                fields,
                stored.expires_at,
                stored.properties,
                data,
                stored.state == UNLOCKED and stored.completeness,
            )
        )
    counters = source.db.all("select depth, uncommitted from queue_status where queue_id = ?", (queue_id,))
    return [*found, *counters]


def was(path: str, q_name: str, at: int) -> list[tuple[Any, ...]]:
    """What is shown of an instant."""
    with open_past(path, at) as past:
        return shown(past, past.show(q_name).id, at)


def now_shown(path: str, q_name: str, at: int) -> list[tuple[Any, ...]]:
    with open_view(path) as view:
        queue = view.queue(q_name)
        assert queue is not None
        return shown(view, queue.id, at)
