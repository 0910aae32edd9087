"""A channel in doubt, without a sender that is killed."""

from __future__ import annotations

from mqtools.mqi.connection import Connection
from mqtools.store import channels, holders
from mqtools.store.messages import units_of_work


def leave_in_doubt(connection: Connection, channel: str, sequence: int) -> None:
    """Leave what the unit of work of a connection holds in doubt in a batch, as a killed sender does."""
    with connection.work() as work:
        holder_id = holders.add(work.db, "channel", user_identifier="ana", appl_name="x", pid=1, created_at=work.now_ms)
        if connection.id is not None:
            units_of_work.transfer(work.db, connection.id, holder_id)
        connection.in_unit_of_work = False
        channels.mark_in_doubt(work.db, channel, sequence, b"B" * 16, 8, holder_id)
