"""A channel in doubt, without a sender that is killed."""

from __future__ import annotations

from mqtools.mqi.connection import Connection


def leave_in_doubt(connection: Connection, channel: str, sequence: int) -> None:
    """Leave what the unit of work of a connection holds in doubt in a batch, as a killed sender does."""
    with connection.work() as work:
        holder_id = work.db.number(
            "insert into holders (kind, user_identifier, appl_name, pid, created_at)"
            " values ('channel', 'ana', 'x', 1, ?) returning id",
            (work.now_ms,),
        )
        work.db.run("update messages set holder_id = ? where holder_id = ?", (holder_id, connection.id))
        connection.in_unit_of_work = False
        work.db.run(
            "update channel_status set indoubt_sequence = ?, indoubt_batch_id = ?, indoubt_bytes = 8, holder_id = ?"
            " where channel = ? and partner = ''",
            (sequence, b"B" * 16, holder_id, channel),
        )
