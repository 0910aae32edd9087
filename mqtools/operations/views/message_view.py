"""Read-only view of a queue manager file for display: messages by key, their data, marks and relatives.

Database, ``open_database`` and StoredMessage are named here for the browser, which passes databases on.
"""

from __future__ import annotations

from mqtools.constants.states import LOCKED_FOR_BROWSE, RUNNING
from mqtools.constants.structures import MQMI_NONE
from mqtools.errors import MQError
from mqtools.headers.charsets import decode_text, known_ccsid
from mqtools.mqi.authority import may_read
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import resolve_for_get
from mqtools.store import holders, queues
from mqtools.store.database import Database as Database
from mqtools.store.holders import Holder
from mqtools.store.messages import marks, messages, units_of_work
from mqtools.store.messages.stored_message import StoredMessage as StoredMessage
from mqtools.store.open_database import open_database as open_database

#: Most bytes of a character: one that was cut has fewer.
_LONGEST_CHARACTER = 4
#: Most messages that ``related_messages`` returns of a queue.
_MOST_REPLIES, _MOST_ORIGINALS = 20, 5


def queue_manager_name(db: Database) -> str:
    return queues.qmgr(db).name


def is_running(db: Database) -> bool:
    """Return whether the queue manager is running, as its file says."""
    return queues.qmgr(db).state == RUNNING


def find_on_queue(db: Database, q_name: str, msg_id: bytes) -> StoredMessage | None:
    """Return a message of a queue by its id, None when none has it. Raises MQError: no such queue."""
    found = messages.by_msg_id(db, resolve_for_get(db, q_name)[0].id, msg_id)
    return found[0] if found else None


def read_lock_holder(db: Database, seq: int, limit: int) -> tuple[Holder, int] | None:
    """Return the lock id that locks a message, and the number of messages that it locks, counted up to a limit.

    None when no lock id locks it: the lock of a program ends with the program.
    """
    with db.reading():
        stored = messages.by_seq(db, seq)
        if stored is None or stored.state != LOCKED_FOR_BROWSE or stored.lock_id is None:
            return None
        lock = holders.by_id(db, stored.lock_id)
        if lock is None or lock.kind != "lock" or not lock.token:
            return None
        return lock, len(units_of_work.keys_of_lock(db, lock.id, LOCKED_FOR_BROWSE, limit))


def marked_keys(db: Database, found: list[StoredMessage]) -> set[int]:
    """Return the keys of those messages of a queue that are marked for the co-operating set."""
    if not found or not marks.any_on(db, found[0].queue_id):
        return set()
    now = now_ms()
    return {
        stored.seq for stored in found if marks.is_marked(db, stored.seq, marks.CO_OPERATING, co_op=True, now_ms=now)
    }


def related_messages(db: Database, stored: StoredMessage) -> list[tuple[str, StoredMessage]]:
    """Return the reports and replies about a message on its reply-to queue, and the message that it is about.

    Each with the name of its queue.
    """
    if stored.md.msg_id == MQMI_NONE:
        return []
    found: list[tuple[str, StoredMessage]] = []
    with db.reading():
        queue = queues.by_name(db, stored.md.reply_to_q) if stored.md.reply_to_q else None
        if queue is not None and may_read(db, queue.name, "BROWSE", "GET"):
            about = messages.available(db, queue.id, {"correl_id": stored.md.msg_id}, limit=_MOST_REPLIES)
            found = [(queue.name, other) for other in about if other.md.msg_id != stored.md.msg_id]
        home = queues.by_id(db, stored.queue_id)
        if home is not None and any(stored.md.correl_id):
            originals = messages.by_msg_id(db, home.id, stored.md.correl_id)[:_MOST_ORIGINALS]
            found += [(home.name, other) for other in originals]
    return found


def decode_for_display(data: bytes, ccsid: int, encoding: int, *, is_cut: bool = False) -> str:
    """Decode data as text, not yet made visible; bytes are escaped where it is not. is_cut: maybe in a character."""
    for shorter in range(_LONGEST_CHARACTER if is_cut else 1):
        try:
            return decode_text(data[: len(data) - shorter], known_ccsid(ccsid), encoding)
        except MQError:
            continue
    return data.decode("ascii", "backslashreplace")
