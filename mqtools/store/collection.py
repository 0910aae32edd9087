"""Whether anything is collected of the queue manager or its queues: statistics, accounting, the time on a queue."""

from __future__ import annotations

from mqtools.store.database import Database

#: Attributes of a queue, and of the queue manager for all of them, that are greater than 0 when they are on.
COLLECTED = ("statistics_q", "accounting_q", "monitoring_q")
_OF_QUEUES = " or ".join(f"json_extract(queues.attributes, '$.{name}') > 0" for name in COLLECTED)
_OF_Q_MGR = " or ".join(
    f"json_extract(qmgr.attributes, '$.{name}') > 0" for name in (*COLLECTED, "statistics_mqi", "accounting_mqi")
)


def note_collection(db: Database) -> None:
    """Note with the queue manager whether anything is collected."""
    db.run(
        "update qmgr set attributes = json_set(attributes, '$.collects',"  # noqa: S608 - our own names
        f" coalesce({_OF_Q_MGR}, 0) or exists (select 1 from queues where {_OF_QUEUES}))"
    )
