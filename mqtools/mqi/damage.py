"""Quarantine of damaged messages: each gets its own lock, so that gets skip it and no program receives it."""

from __future__ import annotations

import os

from mqtools.constants.states import UNLOCKED
from mqtools.mqi import units_of_work
from mqtools.mqi.transaction import Work
from mqtools.store import queues
from mqtools.store.messages import messages

#: Program of the lock of a quarantined message.
APPL_NAME = "damaged message"


def quarantine(work: Work, seq: int) -> None:
    """Lock a damaged message without a holder: doctor, lock --list and delete --lock-id show and end it."""
    stored = messages.by_seq(work.db, seq)
    queue = None if stored is None else queues.by_id(work.db, stored.queue_id)
    if stored is None or queue is None or stored.state != UNLOCKED:
        return
    lock_id = work.add_holder("lock", appl_name=APPL_NAME, queue_id=stored.queue_id, token=os.urandom(8))
    units_of_work.lock(work, queue, [stored], lock_id)
    work.durable = True
