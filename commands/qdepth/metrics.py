"""``mqx qdepth -o openmetrics``: the metrics of queues, channels and the disk."""

from __future__ import annotations

from mqtools.admin.metrics import channel_rows, disk_row, queue_counters
from mqtools.formats.openmetrics import exposition
from mqtools.operations.queue_manager_view import open_view

from ..shared.command_session import Session


def metrics_text(session: Session, rows: list[dict[str, object]], q_mgr_name: str, *, is_present: bool) -> str:
    """Return the rows of queues as metrics. is_present: they are of this queue manager now, which has more to show."""
    every = rows
    if is_present:
        with open_view(session.qmgr) as view:
            every = [{**row, **queue_counters(view, str(row["name"]))} for row in rows]
            every += [*channel_rows(view), disk_row(view)]
    return "".join(f"{line}\n" for line in exposition(every, qmgr=q_mgr_name))
