"""Start and end of a queue manager: its state, and the messages that do not survive a restart."""

from __future__ import annotations

from mqtools.store.database import Database


def count_messages(db: Database) -> int:
    """Count all messages of all queues, whatever their state."""
    return int(db.all("select count(*) from messages")[0][0])


def set_qmgr_state(db: Database, state: str) -> None:
    """Set the queue manager running, quiescing or ended."""
    db.run("update qmgr set state = ?", (state,))


def rename_qmgr(db: Database, name: str) -> None:
    """Rename the queue manager."""
    db.run("update qmgr set q_mgr_name = ?", (name,))


def start_qmgr(db: Database) -> None:
    """Set the queue manager running; handles from before the restart become void."""
    db.run("update qmgr set state = 'running', starts = starts + 1")


def discard_nonpersistent(db: Database) -> int:
    """Delete the nonpersistent messages of all queues but those of class HIGH; return their number (BEY-46)."""
    keep = "queue_id in (select id from queues where npm_class = 0)"
    db.run(f"delete from message_chunks where seq in (select seq from messages where persistence = 0 and {keep})")  # noqa: S608
    removed = db.run(f"delete from messages where persistence = 0 and {keep}")  # noqa: S608
    db.run("delete from marks where seq not in (select seq from messages)")
    recount(db)
    return removed


def recount(db: Database) -> None:
    """Set the counters of all queues from the messages that are there."""
    db.run(
        "update queue_status set"
        " depth = (select count(*) from messages where queue_id = queue_status.queue_id and state in (0, 1, 2)),"
        " uncommitted = (select count(*) from messages where queue_id = queue_status.queue_id and state in (0, 3, 4)),"
        " locked = (select count(*) from messages where queue_id = queue_status.queue_id and state = 2),"
        " waiters = (select count(*) from waiters where queue_id = queue_status.queue_id),"
        " marks = (select count(*) from marks where queue_id = queue_status.queue_id),"
        " grouped = (select count(*) from messages where queue_id = queue_status.queue_id and group_id is not null)"
    )
