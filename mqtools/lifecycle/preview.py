"""Preview of confirm, undo and unlock: the same results, computed by reading only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.lifecycle import ids, verbs
from mqtools.lifecycle.locks import find_locked
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import resolve_for_get, resolve_for_put
from mqtools.rules import states
from mqtools.store import holders, queues
from mqtools.store.messages import units_of_work

if TYPE_CHECKING:
    from mqtools.lifecycle.verbs import UndoResult
    from mqtools.mqi.connection import Connection


def confirm_put(
    connection: Connection, q_name: str, confirm_id: int, *, msg_id: bytes | None = None, q_mgr_name: str = ""
) -> int:
    """Return the result that ``confirm_put_message`` would have."""
    db = connection.db
    with db.reading():
        target = resolve_for_put(db, queues.qmgr(db), q_name, q_mgr_name)
        home = ids.home_queue(target)
        _, held = verbs.find_unconfirmed(db, home, confirm_id, msg_id, states.CONFIRM_PUT, is_remote=target.is_remote)
        return len(held)


def confirm_get(connection: Connection, q_name: str, confirm_id: int, *, msg_id: bytes | None = None) -> int:
    """Return the result that ``confirm_get_message`` would have."""
    with connection.db.reading():
        queue, _ = resolve_for_get(connection.db, q_name)
        return len(verbs.find_unconfirmed(connection.db, queue, confirm_id, msg_id, states.CONFIRM_GET)[1])


def undo(
    connection: Connection, q_name: str, *, confirm_id: int | None, lock_id: bytes | None, q_mgr_name: str = ""
) -> UndoResult:
    """Return the result that ``undo`` would have, given just one id."""
    db = connection.db
    with db.reading():
        home = ids.home_queue(resolve_for_put(db, queues.qmgr(db), q_name, q_mgr_name))
        if confirm_id is None:
            lock = ids.read_lock(db, home, lock_id or b"", now_ms())
            done = verbs.UndoResult(locks=len(verbs.messages_of_locks(db, [lock])))
            words = f"lock id {(lock_id or b'').hex().upper()}"
        else:
            holder = verbs.find_holder(db, home, confirm_id)
            locks = len(verbs.messages_of_locks(db, holders.locks_of_confirm(db, home.id, confirm_id)))
            done = verbs.count_undone([] if holder is None else units_of_work.of_holder(db, holder.id), locks)
            words = f"confirm id {confirm_id}"
        verbs.check_undone(done, words, home)
        return done


def unlock(connection: Connection, q_name: str, lock_id: bytes, *, msg_id: bytes | None = None) -> int:
    """Return the result that ``unlock_message`` would have."""
    db = connection.db
    with db.reading():
        queue, _ = resolve_for_get(db, q_name)
        return len(find_locked(db, queue, ids.read_lock(db, queue, lock_id, now_ms()), msg_id))
