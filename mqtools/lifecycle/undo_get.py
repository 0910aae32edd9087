"""Undo of a single get under a confirm id."""

from __future__ import annotations

from mqtools.lifecycle import ids
from mqtools.mqi.connection import Connection
from mqtools.rules import states
from mqtools.store import holders
from mqtools.store.messages import messages, units_of_work


def undo_get(connection: Connection, seq: int) -> None:
    """Undo one unconfirmed get and the reports it made, by its key; other gets under its confirm id stay."""
    with connection.work() as work:
        stored = messages.by_seq(work.db, seq)
        if stored is None or stored.holder_id is None:
            return
        held = [one for one in units_of_work.of_holder(work.db, stored.holder_id) if one.seq == seq]
        ids.settle(work, held, states.UNDO)
        ids.settle_reports(work, stored.holder_id, held, states.UNDO)
        holders.remove_if_idle(work.db, stored.holder_id)
