"""Quarantine of damaged messages: each gets its own lock, so that gets skip it and no program receives it."""

from __future__ import annotations

import os

from mqtools.constants.states import UNLOCKED
from mqtools.mqi import journal
from mqtools.mqi.transaction import Work
from mqtools.rules import states
from mqtools.store import queues
from mqtools.store.messages import messages

#: Program of the lock of a quarantined message.
APPL_NAME = "damaged message"


def quarantine(work: Work, seq: int) -> None:
    """Lock a damaged message without a holder: doctor, lock --list and delete --lock-id show and end it."""
    stored = messages.by_seq(work.db, seq)
    if stored is None or stored.state != UNLOCKED:
        return
    lock_id = work.add_holder("lock", appl_name=APPL_NAME, queue_id=stored.queue_id, token=os.urandom(8))
    after, depth, uncommitted = states.EFFECTS[UNLOCKED, states.BROWSE_LOCK]
    queue = queues.by_id(work.db, stored.queue_id)
    if queue is not None and queue.journal:
        journal.note(work, queue, seq, journal.BROWSE_LOCK, after=after)
    messages.set_state(work.db, stored, after, None, lock_id)
    queues.count(work.db, stored.queue_id, depth, uncommitted)
    work.durable = True
